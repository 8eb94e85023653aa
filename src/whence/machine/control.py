"""The reduction rules of binding and control."""

from __future__ import annotations

from rpds import List

from whence.machine.memory import Block
from whence.machine.next_state import ZERO, Outcome, dead, literal, next_state, next_value
from whence.machine.state import NO_ENV, CallEvent, IfEvent, RetEvent, State
from whence.machine.syntax import (
    Apply,
    Assign,
    End,
    Expr,
    FunctionDefinition,
    If0,
    Let,
    LetSalloc,
    Literal,
    Name,
    Ret,
    Seq,
)
from whence.machine.values import MAX_BLOCKS, STACK, WORD, BlockId, Function, Gen, Pointer, begin_of


def let(state: State, redex: Let) -> Outcome:
    """[LET]: binds the value in the environment."""
    env = state.env.insert(redex.name, literal(redex.bound))
    return "LET", next_state(state, redex.body, env)


def let_salloc(state: State, redex: LetSalloc) -> Outcome:
    """[LET-SALLOC]: `end bid body` replaces the body, because the block dies when the body has its value."""
    if not state.frames:
        return None
    bid = BlockId(STACK, state.fresh_stack)
    if bid.number > MAX_BLOCKS:
        return None
    frame, rest = next(iter(state.frames)), state.frames.drop_first()
    pointer = Pointer(bid)
    env = state.env.insert(redex.name, Literal(pointer, Gen(state.time, redex.place)))
    return "LET-SALLOC", next_state(
        state,
        End(bid, redex.body, place=redex.place),
        env,
        stack_blocks=state.stack_blocks.insert(bid, Block(redex.size, begin_of(bid), state.time)),
        frames=rest.push_front((*frame, bid)),
        pointers=state.pointers.insert(pointer),
        fresh_stack=bid.number + 1,
    )


def end(state: State, redex: End) -> Outcome:
    """[END]: the block moves from S to F."""
    block = state.stack_blocks.get(redex.block)
    if block is None:
        return None
    top = next(iter(state.frames), ())
    if top[-1:] == (redex.block,):
        frames = state.frames.drop_first().push_front(top[:-1])
    else:  # The block is not the newest one only in states that no program reaches.
        frames = List([tuple(bid for bid in frame if bid != redex.block) for frame in state.frames])
    return "END", next_state(
        state,
        redex.body,
        stack_blocks=state.stack_blocks.remove(redex.block),
        frames=frames,
        freed=state.freed.insert(redex.block, dead(block)),
    )


def seq(state: State, redex: Seq) -> Outcome:
    """[SEQ]: drops the first value."""
    return "SEQ", next_state(state, redex.second, state.env)


def if0(state: State, redex: If0) -> Outcome:
    """[IF-T], [IF-F]: the first branch for a guard of 0, else the second."""
    number = state.number(literal(redex.guard).value)
    trace = state.trace.add(IfEvent(number, time=state.time, place=redex.place))
    if number == 0:
        return "IF-T", next_state(state, redex.then, state.env, trace=trace)
    return "IF-F", next_state(state, redex.otherwise, state.env, trace=trace)


def apply(state: State, redex: Apply) -> Outcome:
    """[CALL]: z v becomes ret z (let x = salloc 8 in x := v; …; e) with an empty frame on the stack."""
    callee = literal(redex.function).value
    definition = state.program.by_name.get(callee.name) if isinstance(callee, Function) else None
    arguments = [literal(argument) for argument in redex.arguments]
    if definition is None or len(definition.parameters) != len(arguments):
        return None
    first = arguments[0] if arguments else Literal(ZERO)
    event = CallEvent(definition.name, first, time=state.time, place=redex.place)
    env = NO_ENV
    for name, argument in zip(definition.parameters, arguments, strict=True):
        env = env.insert(_argument(name), argument)
    return "CALL", next_state(
        state,
        called(definition),
        env,
        frames=state.frames.push_front(()),
        trace=state.trace.add(event),
        origin=first.origin,
    )


def called(definition: FunctionDefinition) -> Expr:
    """The expression that replaces a call; its argument names have a blank, so no program has them."""
    body = definition.body
    place = definition.place
    for name in reversed(definition.parameters):
        write = Assign(Name(name, place=place), Name(_argument(name), place=place), place=place)
        body = LetSalloc(name, WORD, Seq(write, body, place=place), place=place)
    return Ret(definition.name, body, place=place)


def _argument(name: str) -> str:
    return f"argument {name}"


def ret(state: State, redex: Ret) -> Outcome:
    """[RETURN], popStack: the blocks of the top frame move to F."""
    if not state.frames:
        return None
    value = literal(redex.body)
    blocks, freed = state.stack_blocks, state.freed
    for bid in next(iter(state.frames)):
        freed = freed.insert(bid, dead(blocks[bid]))
        blocks = blocks.remove(bid)
    event = RetEvent(redex.function, value, time=state.time, place=redex.place)
    return "RETURN", next_value(
        state,
        value,
        stack_blocks=blocks,
        freed=freed,
        frames=state.frames.drop_first(),
        trace=state.trace.add(event),
    )
