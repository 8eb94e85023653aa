"""The state before the first step: main about to be called, globals with their initial values."""

from __future__ import annotations

from rpds import HashTrieMap, HashTrieSet

from whence.machine.context import focus_on
from whence.machine.memory import Block, Byte, encode, whole
from whence.machine.state import NO_ENV, Blocks, State
from whence.machine.syntax import MAIN, Apply, GlobalVariable, Literal, Name, Program
from whence.machine.values import WORD, Function, Int, Pointer, Value, begin_of


def initial_state(program: Program) -> State:
    """The state of lemma A.2: H, F, S and the trace are empty, and the call of main is the redex."""
    bare = State(program, Literal(Function(MAIN)))
    state = bare.with_(
        globals=initial_globals(program),
        pointers=HashTrieSet([Pointer(bid) for bid in program.global_blocks.values()]),
    )
    main = program.by_name[MAIN]
    return focus_on(state, Apply(Name(MAIN, place=main.place), (), place=main.place), NO_ENV)


def initial_globals(program: Program) -> Blocks:
    """Each global variable as a block: its words, then zeros."""
    blocks: Blocks = HashTrieMap()
    for variable in program.globals:
        bid = program.global_blocks[variable.name]
        block = Block(variable.size, begin_of(bid), 0, zeroed=whole(variable.size))
        blocks = blocks.insert(bid, block.with_bytes(0, _initial_bytes(variable, program)))
    return blocks


def _initial_bytes(variable: GlobalVariable, program: Program) -> list[Byte | None]:
    found: list[Byte | None] = []
    for literal in variable.values:
        assert isinstance(literal, Literal)
        found.extend(encode(initial_value(literal.value, program), WORD, _number))
    return found


def _number(value: Value) -> int:
    assert isinstance(value, Int)
    return value.number


def initial_value(value: Value, program: Program) -> Value:
    """A symbol &z that names a global variable is a pointer to its block."""
    if isinstance(value, Function) and value.name in program.global_blocks:
        return Pointer(program.global_blocks[value.name])
    return value
