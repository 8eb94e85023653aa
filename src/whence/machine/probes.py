"""Detection points: what the redex of a state is about to do, as rules and error rules see it."""

from __future__ import annotations

from dataclasses import dataclass

from whence.machine.heap import request_of
from whence.machine.state import State
from whence.machine.syntax import (
    ALLOCATORS,
    FREES,
    Alloc,
    Apply,
    Assign,
    Copy,
    Expr,
    Free,
    Literal,
    Read,
    Request,
    Ret,
    Use,
)
from whence.machine.values import BlockId, Function, Int, unsigned


@dataclass(frozen=True)
class Probe:
    """A step at a detection point.

    `code`: one of `abi.points.NUMBERS`; `operands`: the values of the point's
    slots that are values, in order; `width`: bytes accessed; `function`: who is
    called or returns; `family`: of the function that frees or allocates;
    `block`: what was allocated, at MALLOC.
    """

    code: str
    operands: tuple[Literal, ...]
    width: int = 0
    function: str = ""
    family: int = 0
    request: Request | None = None
    block: BlockId | None = None


def probes(state: State) -> tuple[Probe, ...]:
    """The detection points of the next step, in the order in which the engines come to them.

    A copy is looked at as a read, then as a write, then as a copy; each pointer
    first as an argument. Copies of no bytes and frees of NULL come to none, and
    a memcpy of a range onto itself, which compilers make of *p = *q, is no copy.
    """
    redex = state.focus
    match redex:
        case Read(pointer=pointer, width=width):
            return (Probe("DEREF_R", _literals(pointer), width),)
        case Assign(pointer=pointer, width=width):
            return (Probe("DEREF_W", _literals(pointer), width),)
        case Free(function=name, pointer=pointer):
            given = _literals(pointer)
            null = unsigned(state.number(given[0].value)) == 0
            return () if null else (Probe("FREE", given, family=FREES[name], function=name),)
        case Alloc(function=name):
            request = request_of(state, redex)
            return (_alloc(redex, request, ALLOCATORS[name].family),)
        case Copy():
            return _copy(state, redex)
        case Use(pointer=pointer):
            return (Probe("ARGUMENT", _literals(pointer)),)
        case Apply(function=function, arguments=arguments):
            callee = _literals(function)[0].value
            value = _literals(arguments[0]) if arguments else (Literal(Int(0)),)
            name = callee.name if isinstance(callee, Function) else ""
            return (Probe("CALL", value, function=name),)
        case Ret(function=name, body=body):
            return (Probe("RET", _literals(body), function=name),)
    return ()


def probe_after(before: State, after: State) -> Probe | None:
    """The point that comes behind an allocation."""
    if not isinstance(before.focus, Alloc) or after.fresh_heap == before.fresh_heap:
        return None
    bid = BlockId("H", before.fresh_heap)
    family = ALLOCATORS[before.focus.function].family
    return Probe("MALLOC", (), function=before.focus.function, family=family, block=bid)


def _literals(*exprs: Expr) -> tuple[Literal, ...]:
    assert all(isinstance(each, Literal) for each in exprs), "the operands of a redex are values"
    return exprs  # type: ignore[return-value]


def _alloc(redex: Alloc, request: Request, family: int) -> Probe:
    """Arguments that the function does not take are written by nobody: literals."""
    given = dict(zip(ALLOCATORS[redex.function].parameters, _literals(*redex.arguments), strict=True))
    slots = ("count", "size", "align", "least")
    operands = tuple(given[slot] if slot in given else Literal(Int(getattr(request, slot))) for slot in slots)
    return Probe("ALLOC", operands, function=redex.function, family=family, request=request)


def _copy(state: State, redex: Copy) -> tuple[Probe, ...]:
    to, source, count = _literals(redex.to, redex.source, redex.count)
    width = unsigned(state.number(count.value))
    if width == 0:
        return ()
    accesses = (
        Probe("ARGUMENT", (source,), function=redex.function),
        Probe("DEREF_R", (source,), width, redex.function),
        Probe("ARGUMENT", (to,), function=redex.function),
        Probe("DEREF_W", (to,), width, redex.function),
    )
    if redex.function != "memcpy" or state.number(to.value) == state.number(source.value):
        return accesses
    return (*accesses, Probe("COPY", (to, count, source, count), width, redex.function))
