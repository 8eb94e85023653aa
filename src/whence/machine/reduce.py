"""The reduction rules of figure 8, one function each, and those that whence adds.

A rule gets a state whose redex it fits, and gives the next state, or None if
its premise does not hold. [CONG] is `context.focus_on`. A step costs a constant
but for what it does itself: a call as many lets as there are parameters, a copy
its bytes; finding the block of an integer that is used as a pointer is one look
at its slot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rpds import List

from whence.machine.context import focus_on
from whence.machine.memory import Block, decode, encode, whole
from whence.machine.state import (
    NO_ENV,
    CallEvent,
    CopyEvent,
    Env,
    FreeEvent,
    IfEvent,
    MallocEvent,
    RetEvent,
    State,
    Target,
    WriteEvent,
)
from whence.machine.syntax import (
    ALLOCATORS,
    Alloc,
    Allocator,
    Apply,
    Assign,
    Copy,
    End,
    Expr,
    Free,
    FunctionDefinition,
    If0,
    IntOp,
    Let,
    LetSalloc,
    Literal,
    Name,
    Poison,
    PtrAdd,
    Read,
    Request,
    Ret,
    Seq,
    Use,
)
from whence.machine.values import (
    HEAP,
    MAX_BLOCK,
    MAX_BLOCKS,
    NULL_BLOCK,
    NULL_PAGE,
    SPREAD,
    STACK,
    WORD,
    BlockId,
    FromMemory,
    Function,
    Gen,
    Int,
    Pointer,
    begin_of,
    unsigned,
    wrap,
)


@dataclass(frozen=True)
class Reduced:
    """One step: the name of the rule, and the state after it."""

    rule: str
    state: State


_Outcome = tuple[str, State] | None
ZERO = Int(0)


def reduce(state: State) -> Reduced | None:
    """One step; None if no reduction rule applies: the state is final, an error, or stuck."""
    rule = _RULES.get(type(state.focus))
    found = None if rule is None else rule(state, state.focus)
    return None if found is None else Reduced(*found)


def _next(state: State, focus: Expr, env: Env = NO_ENV, **changes: Any) -> State:
    """The state after a step, with the next redex in focus."""
    return focus_on(replace(state, time=state.time + 1, **changes), focus, env)


def _value(state: State, literal: Literal, **changes: Any) -> State:
    """The state after a step that gives a value; f becomes its origin."""
    return _next(state, literal, origin=literal.origin, **changes)


def _literal(expr: Expr) -> Literal:
    assert isinstance(expr, Literal), "an operand of a redex is a value"
    return expr


# ---- binding and control ----


def _let(state: State, redex: Let) -> _Outcome:
    env = state.env.insert(redex.name, _literal(redex.bound))
    return "LET", _next(state, redex.body, env)


def _let_salloc(state: State, redex: LetSalloc) -> _Outcome:
    """The block dies when the body has its value: `end bid body` is evaluated instead of the body."""
    if not state.frames:
        return None
    bid = BlockId(STACK, state.fresh_stack)
    if bid.number > MAX_BLOCKS:
        return None
    frame, rest = next(iter(state.frames)), state.frames.drop_first()
    pointer = Pointer(bid)
    env = state.env.insert(redex.name, Literal(pointer, Gen(state.time, redex.place)))
    return "LET-SALLOC", _next(
        state,
        End(bid, redex.body, place=redex.place),
        env,
        stack_blocks=state.stack_blocks.insert(bid, Block(redex.size, begin_of(bid), state.time)),
        frames=rest.push_front((*frame, bid)),
        pointers=state.pointers.insert(pointer),
        fresh_stack=bid.number + 1,
    )


def _end(state: State, redex: End) -> _Outcome:
    block = state.stack_blocks.get(redex.block)
    if block is None:
        return None
    top = next(iter(state.frames), ())
    if top[-1:] == (redex.block,):
        frames = state.frames.drop_first().push_front(top[:-1])
    else:  # in states that no program reaches
        frames = List([tuple(bid for bid in frame if bid != redex.block) for frame in state.frames])
    return "END", _next(
        state,
        redex.body,
        stack_blocks=state.stack_blocks.remove(redex.block),
        frames=frames,
        freed=state.freed.insert(redex.block, _dead(block)),
    )


def _dead(block: Block) -> Block:
    """What is kept of a block in F."""
    return Block(block.size, block.begin, block.time, block.family)


def _seq(state: State, redex: Seq) -> _Outcome:
    return "SEQ", _next(state, redex.second, state.env)


def _if0(state: State, redex: If0) -> _Outcome:
    number = state.number(_literal(redex.guard).value)
    trace = state.trace.add(IfEvent(number, time=state.time, place=redex.place))
    if number == 0:
        return "IF-T", _next(state, redex.then, state.env, trace=trace)
    return "IF-F", _next(state, redex.otherwise, state.env, trace=trace)


def _apply(state: State, redex: Apply) -> _Outcome:
    """z v becomes ret z (let x = salloc 8 in x := v; …; e) with an empty frame on the stack."""
    callee = _literal(redex.function).value
    definition = state.program.by_name.get(callee.name) if isinstance(callee, Function) else None
    arguments = [_literal(argument) for argument in redex.arguments]
    if definition is None or len(definition.parameters) != len(arguments):
        return None
    first = arguments[0] if arguments else Literal(ZERO)
    event = CallEvent(definition.name, first, time=state.time, place=redex.place)
    env = NO_ENV
    for name, argument in zip(definition.parameters, arguments, strict=True):
        env = env.insert(_argument(name), argument)
    return "CALL", _next(
        state,
        called(definition),
        env,
        frames=state.frames.push_front(()),
        trace=state.trace.add(event),
        origin=first.origin,
    )


def called(definition: FunctionDefinition) -> Expr:
    """What a call is rewritten to, with names that no program can write for the arguments."""
    body = definition.body
    place = definition.place
    for name in reversed(definition.parameters):
        write = Assign(Name(name, place=place), Name(_argument(name), place=place), place=place)
        body = LetSalloc(name, WORD, Seq(write, body, place=place), place=place)
    return Ret(definition.name, body, place=place)


def _argument(name: str) -> str:
    return f"argument {name}"


def _ret(state: State, redex: Ret) -> _Outcome:
    """popStack: what the frame still holds goes to F. The end of main is the end of the program."""
    if not state.frames:
        return None
    value = _literal(redex.body)
    blocks, freed = state.stack_blocks, state.freed
    for bid in next(iter(state.frames)):
        freed = freed.insert(bid, _dead(blocks[bid]))
        blocks = blocks.remove(bid)
    event = RetEvent(redex.function, value, time=state.time, place=redex.place)
    return "RETURN", _value(
        state,
        value,
        stack_blocks=blocks,
        freed=freed,
        frames=state.frames.drop_first(),
        trace=state.trace.add(event),
    )


# ---- the heap ----


def request_of(state: State, redex: Alloc) -> Request:
    """What an allocation asks for."""
    given = (unsigned(state.number(_literal(argument).value)) for argument in redex.arguments)
    return ALLOCATORS[redex.function].request(tuple(given))


def _alloc(state: State, redex: Alloc) -> _Outcome:
    allocator, request = ALLOCATORS[redex.function], request_of(state, redex)
    size = request.count * request.size
    if size > MAX_BLOCK or state.fresh_heap > MAX_BLOCKS or not _can_align(allocator, request):
        return "MALLOC-NULL", _value(state, Literal(ZERO, Gen(state.time, redex.place), place=redex.place))
    bid = BlockId(HEAP, state.fresh_heap)
    pointer = Pointer(bid)
    zeroed = whole(size) if allocator.zeroed else ()
    block = Block(size, begin_of(bid), state.time, allocator.family, zeroed=zeroed)
    return "MALLOC", _value(
        state,
        Literal(pointer, Gen(state.time, redex.place), place=redex.place),
        heap=state.heap.insert(bid, block),
        pointers=state.pointers.insert(pointer),
        trace=state.trace.add(MallocEvent(size, bid, time=state.time, place=redex.place)),
        fresh_heap=bid.number + 1,
    )


def _can_align(allocator: Allocator, request: Request) -> bool:
    """memalign rounds an alignment up; posix_memalign refuses one that is wrong."""
    if request.align > SPREAD:
        return False
    return allocator.rounds or (power_of_two(request.align) and request.align >= request.least)


def power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _free(state: State, redex: Free) -> _Outcome:
    pointer = _literal(redex.pointer)
    target = state.where(pointer.value)
    done = Literal(ZERO, Gen(state.time, redex.place), place=redex.place)
    if target.address == 0:
        return "FREE-NULL", _value(state, done)
    block = None if target.block is None else state.heap.get(target.block)
    if block is None or target.block is None or target.index != 0:
        return None
    located = Literal(Pointer(target.block), pointer.origin)
    return "FREE", _next(
        state,
        done,
        heap=state.heap.remove(target.block),
        freed=state.freed.insert(target.block, _dead(block)),
        trace=state.trace.add(FreeEvent(located, target.block, time=state.time, place=redex.place)),
    )


# ---- accesses ----


def access(state: State, pointer: Literal, width: int) -> Target | None:
    """Where an access takes place, if all its bytes lie in one live block and none is closed.

    A pointer that was derived from null goes where its number says.
    """
    target = state.where(pointer.value)
    if target.address < NULL_PAGE:
        return None
    if is_null_derived(pointer):
        target = state.where(Int(wrap(target.address)))
    block = None if target.block is None else state.live(target.block)
    if block is None or not block.holds(target.index, width) or block.closed_bytes(target.index, width):
        return None
    return target


def is_null_derived(pointer: Literal) -> bool:
    return isinstance(pointer.value, Pointer) and pointer.value.block == NULL_BLOCK


def _at(state: State, target: Target) -> tuple[BlockId, Block]:
    assert target.block is not None
    block = state.live(target.block)
    assert block is not None
    return target.block, block


def _read(state: State, redex: Read) -> _Outcome:
    pointer = _literal(redex.pointer)
    target = access(state, pointer, redex.width)
    if target is None:
        return None
    bid, block = _at(state, target)
    found = tuple(block.byte(target.index + at) for at in range(redex.width))
    value = decode(found, state.number)
    if value is None:
        return None
    origin = FromMemory(Pointer(bid, target.index), redex.width, state.time, redex.place)
    return "READ", _value(state, Literal(value, origin, place=redex.place))


def _assign(state: State, redex: Assign) -> _Outcome:
    pointer, value = _literal(redex.pointer), _literal(redex.value)
    target = access(state, pointer, redex.width)
    if target is None:
        return None
    bid, block = _at(state, target)
    located = Literal(Pointer(bid, target.index), pointer.origin)
    event = WriteEvent(located, value, redex.width, time=state.time, place=redex.place)
    written = block.with_bytes(target.index, encode(value.value, redex.width, state.number))
    return "ASSIGN", _value(state.with_block(bid, written), value, trace=state.trace.add(event))


def _copy(state: State, redex: Copy) -> _Outcome:
    to, source, count = _literal(redex.to), _literal(redex.source), _literal(redex.count)
    size = unsigned(state.number(count.value))
    if size == 0:
        return "COPY", _value(state, to)
    into, from_ = access(state, to, size), access(state, source, size)
    if into is None or from_ is None or (redex.function == "memcpy" and overlap(into, from_, size)):
        return None
    bid, block = _at(state, into)
    origin_bid, origin = _at(state, from_)
    event = CopyEvent(
        Literal(Pointer(bid, into.index), to.origin),
        Literal(Pointer(origin_bid, from_.index), source.origin),
        size,
        time=state.time,
        place=redex.place,
    )
    written = block.with_copy(into.index, origin, from_.index, size)
    return "COPY", _value(state.with_block(bid, written), to, trace=state.trace.add(event))


def overlap(to: Target, source: Target, size: int) -> bool:
    """Whether two ranges of addresses have bytes in common; copying a range onto itself is no overlap."""
    distance = abs(to.address - source.address)
    return 0 < distance < size


def _use(state: State, redex: Use) -> _Outcome:
    pointer = _literal(redex.pointer)
    if unsigned(state.number(pointer.value)) == 0:
        return None
    return "USE", _value(state, pointer)


def _poison(state: State, redex: Poison) -> _Outcome:
    """Bytes outside of the block, or of no live block, stay as they are."""
    target = state.where(_literal(redex.pointer).value)
    block = None if target.block is None else state.live(target.block)
    if block is not None and target.block is not None:
        size = unsigned(state.number(_literal(redex.count).value))
        closed = block.with_closed(target.index, size, redex.function == "poison")
        state = state.with_block(target.block, closed)
    done = Literal(ZERO, Gen(state.time, redex.place), place=redex.place)
    return redex.function.upper(), _value(state, done)


# ---- arithmetic ----


def _int_op(state: State, redex: IntOp) -> _Outcome:
    left, right = (state.number(_literal(each).value) for each in (redex.left, redex.right))
    result = wrap(_OPERATORS[redex.operator](left, right))
    return "INT-OP", _value(state, Literal(Int(result), Gen(state.time, redex.place), place=redex.place))


_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "==": lambda a, b: int(a == b),
    "<": lambda a, b: int(a < b),
}


def _ptr_add(state: State, redex: PtrAdd) -> _Outcome:
    """A pointer keeps its block; what is moved from the null page is derived from null."""
    base = _literal(redex.pointer).value
    distance = state.number(_literal(redex.offset).value)
    pointers = state.pointers
    if isinstance(base, Pointer):
        moved: Int | Pointer = base.moved(distance)
    elif 0 <= state.number(base) < NULL_PAGE:
        moved = Pointer(NULL_BLOCK, state.number(base)).moved(distance)
    else:
        moved = Int(wrap(state.number(base) + distance))
    if isinstance(moved, Pointer):
        pointers = pointers.insert(moved)
    result = Literal(moved, Gen(state.time, redex.place), place=redex.place)
    return "PTR-ARITH", _value(state, result, pointers=pointers)


_RULES: Mapping[type[Expr], Callable[[State, Any], _Outcome]] = {
    Let: _let,
    LetSalloc: _let_salloc,
    End: _end,
    Seq: _seq,
    If0: _if0,
    Apply: _apply,
    Ret: _ret,
    Alloc: _alloc,
    Free: _free,
    Read: _read,
    Assign: _assign,
    Copy: _copy,
    Use: _use,
    Poison: _poison,
    IntOp: _int_op,
    PtrAdd: _ptr_add,
}

REDUCTIONS = (
    *("LET", "LET-SALLOC", "END", "SEQ", "IF-T", "IF-F", "CALL", "RETURN", "MALLOC", "MALLOC-NULL"),
    *("FREE", "FREE-NULL", "READ", "ASSIGN", "COPY", "USE", "POISON", "UNPOISON", "INT-OP", "PTR-ARITH"),
)
"""The names of the reduction rules; [CONG] is part of each step."""

__all__ = ["REDUCTIONS", "Reduced", "access", "reduce", "request_of"]
