"""From the clauses of a state's text to a `State`, and what must hold for it.

A state may be one that no program reaches, as a prover's counterexamples are;
but it must be well-formed (definition A.1), and refer to nothing that it does
not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rpds import HashTrieSet, List

from whence.machine.context import focus_on
from whence.machine.initial import initial_globals
from whence.machine.memory import Block, Fragment
from whence.machine.state import (
    NO_BLOCKS,
    NO_ENV,
    Blocks,
    CallEvent,
    CopyEvent,
    Event,
    FreeEvent,
    MallocEvent,
    RetEvent,
    State,
    Trace,
    WriteEvent,
    max_number,
)
from whence.machine.syntax import Expr, Literal, Program, walk
from whence.machine.values import (
    GLOBAL,
    HEAP,
    LITERAL,
    STACK,
    BlockId,
    FromGlobal,
    Function,
    Origin,
    Pointer,
    Value,
    begin_of,
)
from whence.rules.problems import Place, Problems


@dataclass
class Clauses:
    """The clauses of a state, with the places of those that are given."""

    sections: dict[str, list[tuple[BlockId, Block, Place]]] = field(default_factory=dict)
    frames: list[list[tuple[BlockId, Block, Place]]] = field(default_factory=list)
    pointers: list[Pointer] = field(default_factory=list)
    time: int = 0
    origin: Origin = LITERAL
    trace: tuple[Event, ...] = ()
    places: dict[str, Place] = field(default_factory=dict)
    expression: Expr | None = None


def build_state(program: Program, clauses: Clauses, place: Place, problems: Problems) -> State | None:
    """A state from its clauses, or None after adding what is wrong."""
    before = len(problems.found)
    sections = {name: _blocks(clauses, name, kinds, problems) for name, kinds in _SECTIONS.items()}
    if "globals" not in clauses.sections:
        sections["globals"] = initial_globals(program)
    if clauses.expression is None:
        problems.add(place, "a state needs an expression")
    frames = [tuple(bid for bid, _, _ in frame) for frame in clauses.frames]
    _say_twice(clauses, problems)
    _say_unknown(program, clauses, sections, place, problems)
    if len(problems.found) > before or clauses.expression is None:
        return None
    trace = Trace()
    for event in clauses.trace:
        trace = trace.add(event)
    heap, freed, stack = sections["heap"], sections["freed"], sections["frame"]
    return focus_on(
        State(
            program,
            clauses.expression,
            heap=heap,
            freed=freed,
            stack_blocks=stack,
            frames=List(frames[::-1]),
            globals=sections["globals"],
            pointers=HashTrieSet([*clauses.pointers, *_mentioned(clauses.expression, sections, program)]),
            time=clauses.time,
            trace=trace,
            origin=clauses.origin,
            fresh_heap=max_number(HEAP, heap, freed) + 1,
            fresh_stack=max_number(STACK, stack, freed) + 1,
            by_hand=any(
                block.begin != begin_of(bid) for blocks in sections.values() for bid, block in blocks.items()
            ),
        ),
        clauses.expression,
        NO_ENV,
    )


_SECTIONS = {"heap": HEAP, "freed": HEAP + STACK, "globals": GLOBAL, "frame": STACK}


def _given(clauses: Clauses, name: str) -> list[tuple[BlockId, Block, Place]]:
    if name == "frame":
        return [each for frame in clauses.frames for each in frame]
    return clauses.sections.get(name, [])


def _blocks(clauses: Clauses, name: str, kinds: str, problems: Problems) -> Blocks:
    blocks = NO_BLOCKS
    for bid, block, place in _given(clauses, name):
        if bid.kind not in kinds:
            problems.add(place, f"block {bid} cannot stand under '{name}'")
        blocks = blocks.insert(bid, block)
    return blocks


def _say_twice(clauses: Clauses, problems: Problems) -> None:
    """Definition A.1: H, F and S share no block."""
    seen: set[BlockId] = set()
    for name in _SECTIONS:
        for bid, _, place in _given(clauses, name):
            if bid in seen:
                problems.add(place, f"block {bid} is given twice")
            seen.add(bid)


def _say_unknown(
    program: Program, clauses: Clauses, sections: dict[str, Blocks], place: Place, problems: Problems
) -> None:
    """Symbols are defined, events are in order and about blocks that are in H or F."""
    for name in sorted(set(_symbols(clauses, sections)) - set(program.by_name)):
        problems.add(place, f"the state holds the function &{name}, which is not defined")
    for name in sorted(set(_global_origins(clauses)) - set(program.by_name) - set(program.global_blocks)):
        problems.add(place, f"the origin 'global {name}' is not defined")
    trace = clauses.places.get("trace", place)
    times = [event.time for event in clauses.trace]
    if times != sorted(set(times)) or (times and times[-1] >= clauses.time):
        problems.add(trace, "the times of events must increase, and be less than the time of the state")
    for event in clauses.trace:
        if isinstance(event, MallocEvent | FreeEvent):
            bid = event.block
            if bid not in sections["heap"] and bid not in sections["freed"]:
                problems.add(trace, f"the trace tells of block {bid}, which is neither in heap nor in freed")


def _symbols(clauses: Clauses, sections: dict[str, Blocks]) -> Iterator[str]:
    """The functions that are values in memory or in events; those in the expression are checked with it."""
    values: list[Value] = [literal.value for literal in _in_events(clauses.trace)]
    for blocks in sections.values():
        for block in blocks.values():
            values += [byte.value for byte in block.contents.values() if isinstance(byte, Fragment)]
    for value in values:
        if isinstance(value, Function):
            yield value.name


def _global_origins(clauses: Clauses) -> Iterator[str]:
    origins: list[Origin] = [clauses.origin, *(each.origin for each in _in_events(clauses.trace))]
    nodes: Iterable[Expr] = () if clauses.expression is None else walk(clauses.expression)
    origins += [node.origin for node in nodes if isinstance(node, Literal)]
    for origin in origins:
        if isinstance(origin, FromGlobal):
            yield origin.name


def _in_events(trace: tuple[Event, ...]) -> Iterator[Literal]:
    for event in trace:
        match event:
            case FreeEvent(pointer=pointer):
                yield pointer
            case CallEvent(value=value) | RetEvent(value=value):
                yield value
            case WriteEvent(pointer=pointer, value=value):
                yield from (pointer, value)
            case CopyEvent(pointer=pointer, source=source):
                yield from (pointer, source)


def _mentioned(expr: Expr, sections: dict[str, Blocks], program: Program) -> list[Pointer]:
    """The pointers in the expression and in memory, and those of the global symbols."""
    found = [Pointer(bid) for bid in program.global_blocks.values()]
    for node in walk(expr):
        if isinstance(node, Literal) and isinstance(node.value, Pointer):
            found.append(node.value)
    for blocks in sections.values():
        for block in blocks.values():
            for byte in block.contents.values():
                if isinstance(byte, Fragment) and isinstance(byte.value, Pointer):
                    found.append(byte.value)
    return found
