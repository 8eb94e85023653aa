"""How reports show facts: a row for each kind.

Facts that only add to sentences about others (`words`), or to pictures, have no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from whence.findings import Event, Fact, Finding, Frame, facts, thread_name
from whence.report import frames, words
from whence.report.styles import printable


@dataclass(frozen=True, slots=True)
class Section:
    """One stack of a finding under a heading; `unknown` says what is missing where there is no stack."""

    heading: str
    stack: Sequence[Frame] = ()
    unknown: str = ""


Stacks = Iterable[tuple[str, Sequence[Frame]]]
"""Stacks, each with what it is of."""


def _none(fact: Any, finding: Finding) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What reports show of a fact, given with its finding.

    sections: stacks in reports for people. stacks, related: for SARIF, whole stacks and the places of some.
    """

    sections: Callable[[Any, Finding], Iterable[Section]] = _none
    stacks: Callable[[Any, Finding], Stacks] = _none
    related: Callable[[Any, Finding], Stacks] = _none


def section(heading: str, stack: Sequence[Frame]) -> Section:
    """The frames of a stack that are shown."""
    shown = frames.visible(stack)
    return Section(heading, shown, "" if shown else "unknown place: no stack was recorded")


def _event(what: str, event: Event | None) -> Section:
    if event is None:
        return Section(what, (), "unknown place")
    return section(f"{what} in {thread_name(event.thread)}", event.stack)


def _events(*events: tuple[str, Event | None]) -> Stacks:
    return [(f"{what} in {thread_name(event.thread)}", event.stack) for what, event in events if event]


def _places(*events: tuple[str, Event | None]) -> Stacks:
    return [(text, event.stack) for text, event in events if event]


# ---- blocks ----


def _block(block: facts.Block, finding: Finding) -> Iterator[Section]:
    used = [section(f"last used, at {use.address:#x}", use.stack)] if (use := block.last_use) else []
    whose = "block of the left pointer, " if _other(finding) else ""
    if finding.leak:
        yield from (*_birth(block, whose), *used)
        return
    if not block.variable and (block.freed or block.state is facts.BlockState.FREED):
        yield _event("moved by realloc" if block.moved else "freed", block.freed)
    yield from (*used, *_birth(block, whose))


def _other(finding: Finding) -> facts.Block | None:
    """The block of the second pointer, if it is another one."""
    second, first = finding.fact(facts.Pointer), finding.block
    other = second.block if second else None
    return other if other is not None and (first is None or other.id != first.id) else None


def _birth(block: facts.Block, whose: str = "") -> Iterator[Section]:
    """Where a block began; nothing of a variable of which no place is known."""
    variable = block.variable
    if variable is None:
        family = "" if block.family is facts.Family.UNKNOWN else f" by {block.family}"
        yield _event(f"{whose}allocated{family}", block.allocated)
    elif variable.place.file or variable.place.function:
        yield section(f"{whose}{'declared' if variable.name else 'made'}", (variable.place,))


def _block_places(block: facts.Block, finding: Finding) -> Iterator[tuple[str, Sequence[Frame]]]:
    if not finding.leak:
        yield from _declared(block, "the variable is declared here")
        yield from _places(
            ("the block was freed here", block.freed), ("the block was allocated here", block.allocated)
        )


def _declared(block: facts.Block, text: str) -> Stacks:
    return [(text, (block.variable.place,))] if block.variable is not None and block.variable.file else ()


def _second(pointer: facts.Pointer, finding: Finding) -> Iterable[Section]:
    other = _other(finding)
    return _birth(other, "block of the right pointer, " if finding.block else "") if other else ()


def _second_places(pointer: facts.Pointer, finding: Finding) -> Iterator[tuple[str, Sequence[Frame]]]:
    other = pointer.block
    if other is not None and other != finding.block:
        yield from _declared(other, "the variable of the right pointer is declared here")
        yield from _places(("the block of the right pointer was allocated here", other.allocated))


# ---- others ----


def _types(types: facts.Types, finding: Finding) -> Iterator[Section]:
    if types.function is not None and types.function.file:
        yield section("function defined", (types.function,))


def _origin(origin: facts.Origin, finding: Finding) -> Iterator[Section]:
    if origin.labelled:
        yield section("bytes with such a label came by", origin.stack)
    elif finding.block is None and origin.variable is None:
        yield section("never written since its allocation", origin.stack)
    elif finding.block is None and origin.variable is not None:
        place = origin.variable.place
        if place.file or place.function:
            since = "its declaration" if origin.variable.name else "it was made"
            yield section(f"never written since {since}", (place,))


def _descriptor(known: facts.Descriptor, finding: Finding) -> Iterator[Section]:
    yield _event(f"descriptor {known.number} closed", known.closed)
    yield _event(f"descriptor {known.number} opened", known.opened)


def _descriptor_places(known: facts.Descriptor, finding: Finding) -> Stacks:
    return _places(
        ("the descriptor was closed here", known.closed), ("the descriptor was opened here", known.opened)
    )


SHOWN: Mapping[type[Fact], Shown] = MappingProxyType(
    {
        facts.Types: Shown(_types),
        facts.Block: Shown(
            _block,
            lambda block, _: _events(("allocated", block.allocated), ("freed", block.freed)),
            _block_places,
        ),
        facts.Pointer: Shown(_second, related=_second_places),
        facts.Origin: Shown(_origin),
        facts.Descriptor: Shown(
            _descriptor,
            lambda known, _: _events(("opened", known.opened), ("closed", known.closed)),
            _descriptor_places,
        ),
        facts.Earlier: Shown(
            lambda known, _: [section(words.earlier(known), known.stack)],
            lambda known, _: [(words.earlier(known), known.stack)],
            lambda known, _: [(f"{words.earlier(known)}, here", known.stack)],
        ),
        facts.Described: Shown(
            lambda known, _: [section(f"described as '{printable(known.text)}'", known.stack)],
            related=lambda known, _: [(f"described here as '{known.text}'", known.stack)],
        ),
    }
)
"""The kinds of facts with stacks, in the order of reports."""


def facts_of(finding: Finding) -> Iterator[tuple[Shown, Fact]]:
    """The facts that have a row, in the order of the table."""
    for kind, shown in SHOWN.items():
        for each in finding.every(kind):
            yield shown, each
