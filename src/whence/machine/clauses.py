"""From the clauses of a state's text to a `State`, with checks.

No program needs to reach the state, as with a prover's counterexamples; but it
must be well-formed (definition A.1), and every block, function and global that
it refers to must exist.
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
    """The clauses of a state; `places`: the places of those that the text has, by name."""

    sections: dict[str, list[tuple[BlockId, Block, Place]]] = field(default_factory=dict)
    frames: list[list[tuple[BlockId, Block, Place]]] = field(default_factory=list)
    pointers: list[Pointer] = field(default_factory=list)
    time: int = 0
    origin: Origin = LITERAL
    trace: tuple[Event, ...] = ()
    places: dict[str, Place] = field(default_factory=dict)
    expression: Expr | None = None


def build_state(program: Program, clauses: Clauses, place: Place, problems: Problems) -> State | None:
    """A state from its clauses; None after adding its mistakes to `problems`."""
    before = len(problems.found)
    sections = {name: _blocks(clauses, name, kinds, problems) for name, kinds in _SECTIONS.items()}
    if "globals" not in clauses.sections:
        sections["globals"] = initial_globals(program)
    if clauses.expression is None:
        problems.add(place, "a state needs an expression")
    frames = [tuple(bid for bid, _, _ in frame) for frame in clauses.frames]
    _report_duplicates(clauses, problems)
    _report_unknown(program, clauses, sections, place, problems)
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
            custom_begins=any(
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


def _report_duplicates(clauses: Clauses, problems: Problems) -> None:
    """Reports blocks that are in two of H, F and S (definition A.1)."""
    seen: set[BlockId] = set()
    for name in _SECTIONS:
        for bid, _, place in _given(clauses, name):
            if bid in seen:
                problems.add(place, f"block {bid} is given twice")
            seen.add(bid)


def _report_unknown(
    program: Program, clauses: Clauses, sections: dict[str, Blocks], place: Place, problems: Problems
) -> None:
    """Reports undefined symbols, events out of order, and events about blocks that are in neither H nor F."""
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
                problems.add(trace, f"the trace has block {bid}, which is neither in heap nor in freed")


def _symbols(clauses: Clauses, sections: dict[str, Blocks]) -> Iterator[str]:
    """The functions in memory and in events; `checker` checks those in the expression."""
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
    """The pointers in the expression and in memory, and those to the global variables."""
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
