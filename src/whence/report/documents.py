"""How reports show the documents of a run: a row for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from whence.findings import RunInfo
from whence.findings.coverage import Coverage, LeftOut
from whence.findings.documents import Document
from whence.findings.heap import HeapProfile
from whence.report import words
from whence.report.styles import printable

_NAMED = 3
"""The largest number of libraries that the last line names for each reason; it counts the others."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What reports show of a document.

    last_line: facts in the last line of texts. listed: lists on the page, each with its heading.
    """

    last_line: Callable[[Any], Iterable[str]]
    listed: Callable[[Any], Iterable[tuple[str, Sequence[str]]]]


def _checked(coverage: Coverage) -> Iterable[str]:
    """``checked: 2 modules, 57 functions, 21 rules`` and ``not checked: libc.so.6 (no IR)``."""
    rules = words.plural(coverage.rules, "rule")
    if coverage.unobserved:
        rules = f"{coverage.rules} of {coverage.rules + len(coverage.unobserved)} rules"
        rules += " (this engine cannot observe the others)"
    if coverage.modules:
        modules, functions = (
            words.plural(coverage.modules, "module"),
            words.plural(coverage.functions, "function"),
        )
        yield f"checked: {modules}, {functions}, {rules}"
    elif not coverage.unchecked:
        yield f"checked: {coverage.seen}, {rules}"
    reasons: dict[str, list[LeftOut]] = {}
    for each in coverage.left_out:
        reasons.setdefault(each.reason, []).append(each)
    if reasons:
        parts = (f"{_names(members)} ({printable(reason)})" for reason, members in reasons.items())
        yield f"not checked: {', '.join(parts)}"


def _names(members: Sequence[LeftOut]) -> str:
    names = [printable(each.name) for each in members[:_NAMED]]
    more = f" and {len(members) - _NAMED} more" if len(members) > _NAMED else ""
    return ", ".join(names) + more


def _listed(coverage: Coverage) -> Iterator[tuple[str, Sequence[str]]]:
    if coverage.left_out:
        yield "Not checked", [f"{each.name}: {each.reason}" for each in coverage.left_out]


def _nothing(_: Document) -> Iterator[Any]:
    """A profile of the heap has a report of its own (`whence.report.heap`)."""
    yield from ()


SHOWN: Mapping[type[Document], Shown] = MappingProxyType(
    {Coverage: Shown(_checked, _listed), HeapProfile: Shown(_nothing, _nothing)}
)


def facts_of(run: RunInfo) -> Iterator[str]:
    """What the last line says of the documents."""
    for each in run.documents:
        yield from SHOWN[type(each)].last_line(each)


def lists_of(run: RunInfo) -> list[tuple[str, Sequence[str]]]:
    """The lists of the documents on the page."""
    return [part for each in run.documents for part in SHOWN[type(each)].listed(each)]
