"""A function that has a twin: what the passes tell each other about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Layout:
    """Where a function leaves values for a twin that is made later, by the names of its own values.

    slots: the words of values, in the area. spans: the first and the last block in which nothing else is in a
    value's words. shadows: the words of the undefined bits and the origin of values. points: the values that
    are there at each point. words: the size of all, behind which the variables are. variables, blocks: how
    many the function has; its twin must have as many. zoned: the variables between zones. apart: those
    below a gap.
    """

    slots: Mapping[str, int]
    spans: Mapping[str, tuple[int, int]]
    shadows: Mapping[str, tuple[int, int]]
    points: Mapping[int, tuple[str, ...]]
    words: int
    variables: int
    blocks: int
    zoned: tuple[str, ...]
    apart: tuple[str, ...]

    def as_json(self) -> list[object]:
        """The form in which it is kept."""
        return [
            dict(self.slots),
            {name: list(span) for name, span in self.spans.items()},
            {name: list(words) for name, words in self.shadows.items()},
            {str(number): list(names) for number, names in self.points.items()},
            self.words,
            self.variables,
            self.blocks,
            list(self.zoned),
            list(self.apart),
        ]

    @classmethod
    def of_json(cls, kept: list[object]) -> Layout:
        """What `as_json` has made."""
        slots, spans, shadows, points, words, variables, blocks, zoned, apart = kept
        assert isinstance(slots, dict) and isinstance(spans, dict) and isinstance(shadows, dict)
        assert isinstance(points, dict) and isinstance(zoned, list) and isinstance(apart, list)
        assert isinstance(words, int) and isinstance(variables, int) and isinstance(blocks, int)
        return cls(
            slots,
            {name: (first, last) for name, (first, last) in spans.items()},
            {name: (bits, origin) for name, (bits, origin) in shadows.items()},
            {int(number): tuple(names) for number, names in points.items()},
            words,
            variables,
            blocks,
            tuple(zoned),
            tuple(apart),
        )


@dataclass
class Twin:
    """A function and its twin (`whence.instrument.definedness.twins`), by their plain names.

    twin: empty if it is made later. known: the local values of both. shadows: the twin's names of undefined
    bits and origins, which are 0 for values that the function has seen. passed: those that are not, with the
    names that the function has for them. number: of a twin that is made later. kept: what its points need
    beside the values that the function uses behind them. web: the undefined bits and origins that the
    function has of its values, with their types. layout: what the function has told the twin, if that is
    made now. taken: the words of the area in which the twin finds such bits and origins, by its own names.
    """

    name: str
    twin: str
    known: frozenset[str]
    shadows: set[str] = field(default_factory=set)
    passed: dict[str, str] = field(default_factory=dict)
    number: int = -1
    kept: dict[int, set[str]] = field(default_factory=dict)
    web: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    layout: Layout | None = None
    taken: dict[str, int] = field(default_factory=dict)
