"""Domains of labels: the bit of each label, and what the rules that are on make the engine follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from whence.abi.labels import CLASSES, MOST, relatives
from whence.rules import model as m
from whence.rules.problems import Problems


@dataclass(frozen=True)
class Labels:
    """What is followed for some rules.

    births: functions of the C library, with the labels of the bytes that come from them. passes: for each
    class of operations the labels that their results keep. named: the labels that the program may give by
    name, with their bits. cleared: those that values lose which are compared.
    """

    births: tuple[tuple[str, int], ...]
    passes: tuple[tuple[str, int], ...]
    named: tuple[tuple[str, int], ...]
    cleared: int = 0

    def passed(self, operation: str) -> int:
        """The labels that a class of operations passes on."""
        return dict(self.passes)[operation]

    @property
    def all(self) -> int:
        """All labels that are followed."""
        return sum(bit for _, bit in self.named)


def with_bits(
    domains: Sequence[m.Domain], base: Sequence[m.Domain], problems: Problems
) -> tuple[m.Domain, ...]:
    """Domains with a bit for each label, behind those of the base; mistakes go to `problems`."""
    names = {each.name: each for each in base}
    labels = {label.name: label for each in base for label in each.labels}
    found = []
    for domain in domains:
        if domain.name in names:
            first = names[domain.name].place
            problems.add(domain.place, f"domain '{domain.name}' is already defined at {first}")
        names.setdefault(domain.name, domain)
        bits = []
        for label in domain.labels:
            if label.name in labels:
                first = labels[label.name].place
                problems.add(label.place, f"label '{label.name}' is already defined at {first}")
                bits.append(0)
                continue
            if len(labels) == MOST:
                problems.add(
                    label.place, f"label '{label.name}' is one too many: all domains have at most {MOST}"
                )
            bits.append(1 << len(labels) if len(labels) < MOST else 0)
            labels[label.name] = label
        found.append(replace(domain, bits=tuple(bits)))
    return tuple(found)


def bits_of(domains: Iterable[m.Domain]) -> Mapping[str, int]:
    """The bit of each label, by name."""
    return {label.name: bit for each in domains for label, bit in zip(each.labels, each.bits, strict=True)}


def followed(domains: Sequence[m.Domain]) -> Labels | None:
    """What is followed for these domains; None if there are none."""
    if not domains:
        return None
    bits = bits_of(domains)
    births: dict[str, int] = {}
    for each in domains:
        for label in each.labels:
            for source in label.sources:
                for name in relatives(source):
                    births[name] = births.get(name, 0) | bits[label.name]
    passes = {name: sum(sum(each.bits) for each in domains if name not in each.stops) for name in CLASSES}
    cleared = sum(sum(each.bits) for each in domains if each.cleared)
    return Labels(tuple(sorted(births.items())), tuple(passes.items()), tuple(bits.items()), cleared)
