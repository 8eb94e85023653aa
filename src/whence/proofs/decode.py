"""From a model of the solver to a state of the machine.

The numbers of blocks count from 1 within each sort, and blocks have the addresses that the machine
gives them (`placed`), so that a counterexample looks like a state of a run.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3
from rpds import HashTrieMap, HashTrieSet, List

from whence.machine.memory import Block
from whence.machine.state import (
    CallEvent,
    Event,
    FreeEvent,
    IfEvent,
    MallocEvent,
    RetEvent,
    State,
    Trace,
    WriteEvent,
)
from whence.machine.syntax import (
    MAIN,
    Expr,
    FunctionDefinition,
    Literal,
    Program,
)
from whence.machine.values import NULL_BLOCK, SPREAD, BlockId, Int, Pointer, begin_of, wrap
from whence.proofs import state as symbolic
from whence.proofs.logic import BLOCK, EVENT, POINTER, Number, Truth
from whence.proofs.search import Found, Scope
from whence.proofs.state import GLOBAL, HEAP, LETTERS, NO_BLOCK
from whence.proofs.symbols import EVENT_CODES, function_code, function_name
from whence.proofs.terms import WORD

_EVENT_NAMES = {code: name for name, code in EVENT_CODES.items()}
_LARGEST = 1 << 24
"""The largest size of a block in a counterexample, in bytes."""
MOST_FUNCTIONS = 64
"""The largest number of functions in a counterexample."""
NO_FUNCTION = function_code("")
"""The function code in a call of something that is no function."""


def is_function(code: Number) -> Truth:
    """Whether the number is the code of a function with a name."""
    return z3.And(code > 0, code <= MOST_FUNCTIONS, code != NO_FUNCTION)


def placed(state: symbolic.State, scope: Scope) -> Iterator[Truth]:
    """The condition that blocks are small, have the machine's addresses, and count from 1 in each sort."""
    for i in (z3.IntVal(n) for n in scope.ranges[EVENT]):
        names = is_function(state.field(i, 0))
        called = z3.Or(*(state.kind(i) == EVENT_CODES[name] for name in ("call", "ret")))
        yield z3.Implies(called, names)
        yield z3.And(*(z3.And(state.field(i, n) >= 0, state.field(i, n) < WORD) for n in range(3)))
    blocks = [z3.IntVal(b) for b in scope.ranges[BLOCK]]
    for i, b in enumerate(blocks):
        yield z3.And(state.sort(b) >= HEAP, state.sort(b) <= GLOBAL, state.size(b) <= _LARGEST)
        for sort, letter in LETTERS.items():
            before = [z3.If(state.sort(other) == sort, 1, 0) for other in blocks[:i]]
            first = begin_of(BlockId(letter, 1))
            yield z3.Implies(state.sort(b) == sort, state.begin(b) == first + z3.Sum(before) * SPREAD)


def parameters_of(function: str) -> tuple[str, ...]:
    """The parameters of a function in the program of a counterexample, where functions return 0."""
    return () if function == MAIN else ("x",)


def numbers_of(state: symbolic.State, scope: Scope) -> Iterator[Number]:
    """The numbers of a state; `search` makes the first ones small first."""
    yield from (state.length, state.depth)
    events = [z3.IntVal(i) for i in scope.ranges[EVENT]]
    blocks = [z3.IntVal(b) for b in scope.ranges[BLOCK]]
    yield from (state.kind(i) for i in events)
    yield from (state.size(b) for b in blocks)
    yield from (state.field(i, n) for i in events for n in range(3))
    yield from (state.family(b) for b in blocks)
    yield from (state.align(b) for b in blocks)
    yield from (state.time(i) for i in events)
    yield from (state.born(b) for b in blocks)
    yield from (state.index(z3.IntVal(p)) for p in scope.ranges[POINTER])
    yield state.now


class Decoder:
    """Decodes the state of one model."""

    def __init__(self, found: Found, state: symbolic.State) -> None:
        self.found = found
        self.state = state
        self.ids = dict(self._numbered())
        self.functions: set[str] = set()

    def _numbered(self) -> Iterator[tuple[int, BlockId]]:
        counts = dict.fromkeys(LETTERS, 0)
        for b in self.found.scope.ranges[BLOCK]:
            sort = self.found.number(self.state.sort(z3.IntVal(b)))
            counts[sort] += 1
            yield b, BlockId(LETTERS[sort], counts[sort])

    # -- parts of a state --

    def blocks(self, members: symbolic.Set) -> dict[BlockId, Block]:
        return {
            bid: self.block(z3.IntVal(b))
            for b, bid in self.ids.items()
            if self.found.truth(members(z3.IntVal(b)))
        }

    def block(self, b: Number) -> Block:
        number = self.found.number
        return Block(
            size=number(self.state.size(b)),
            begin=number(self.state.begin(b)),
            time=number(self.state.born(b)),
            family=number(self.state.family(b)),
            align=number(self.state.align(b)),
        )

    def frames(self, stack: dict[BlockId, Block]) -> list[tuple[BlockId, ...]]:
        """The blocks of each frame, the top frame first."""
        depth = self.found.number(self.state.depth)
        frame_of = {bid: self.found.number(self.state.frame(z3.IntVal(b))) for b, bid in self.ids.items()}
        return [tuple(bid for bid in stack if frame_of[bid] == each) for each in range(depth, 0, -1)]

    def pointer(self, block: int, index: int) -> Pointer:
        return Pointer(NULL_BLOCK if block == NO_BLOCK else self.ids[block], index)

    def pointers(self) -> set[Pointer]:
        each = [z3.IntVal(p) for p in self.found.scope.ranges[POINTER]]
        number = self.found.number
        return {
            self.pointer(number(self.state.target(p)), number(self.state.index(p)))
            for p in each
            if self.found.truth(self.state.present(p))
        }

    def function(self, code: int) -> str:
        name = function_name(code)
        self.functions.add(name)
        return name

    def event(self, i: Number) -> Event:
        number = self.found.number
        kind, time = number(self.state.kind(i)), number(self.state.time(i))
        first, second, _ = (number(self.state.field(i, n)) for n in range(3))
        match _EVENT_NAMES.get(kind):
            case "malloc":
                return MallocEvent(first, self.ids[second], time=time)
            case "free":
                return FreeEvent(Literal(Pointer(self.ids[second])), self.ids[second], time=time)
            case "call":
                return CallEvent(self.function(first), _integer(second), time=time)
            case "ret":
                return RetEvent(self.function(first), _integer(second), time=time)
            case "write":
                return WriteEvent(_integer(first), _integer(second), time=time)
            case _:
                return IfEvent(0, time=time)

    def trace(self) -> Trace:
        trace = Trace()
        for i in range(self.found.number(self.state.length)):
            trace = trace.add(self.event(z3.IntVal(i)))
        return trace

    # -- the whole state --

    def machine_state(self, focus: Expr | None = None) -> State:
        """The state with the redex `focus`, or with the final value 0."""
        stack = self.blocks(self.state.stack)
        trace = self.trace()
        focus = Literal(Int(0)) if focus is None else focus
        zero = Literal(Int(0))
        definitions = [FunctionDefinition(name, parameters_of(name), zero) for name in sorted(self.functions)]
        return State(
            Program(functions=tuple(definitions)),
            focus,
            heap=_map(self.blocks(self.state.heap)),
            freed=_map(self.blocks(self.state.freed)),
            stack_blocks=_map(stack),
            frames=List(self.frames(stack)),
            globals=_map(self.blocks(self.state.globals_)),
            pointers=HashTrieSet(self.pointers()),
            time=self.found.number(self.state.now),
            trace=trace,
        )


def _map(blocks: dict[BlockId, Block]) -> HashTrieMap[BlockId, Block]:
    return HashTrieMap(blocks)


def _integer(number: int) -> Literal:
    return Literal(Int(wrap(number)))
