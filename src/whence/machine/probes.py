"""Detection points of a state's redex, as rules and error rules see them.

The rows of `whence.abi.points` say which point belongs to which redex, and which of its fields are operands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from whence.abi.points import BY_CODE, POINTS, Point
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
    If0,
    Literal,
    Read,
    Request,
    Use,
)
from whence.machine.undefined import undefined_bits
from whence.machine.values import BlockId, Function, Int, unsigned, wrap


@dataclass(frozen=True)
class Probe:
    """A step at a detection point.

    `code`: a key of `abi.points.BY_CODE`; `operands`: the values of those slots that are operands of the
    redex, in order; `width`: bytes accessed; `function`: the function that is called, returns, frees,
    allocates or copies; `family`: its family; `request`: that of an allocation; `block`: the block that was
    allocated, at MALLOC; `given_size`, `given_align`: the arguments of the function that frees, in bytes;
    None and 0 where it does not take them.
    """

    code: str
    operands: tuple[Literal, ...]
    width: int = 0
    function: str = ""
    family: int = 0
    request: Request | None = None
    block: BlockId | None = None
    given_size: int | None = None
    given_align: int = 0

    @property
    def row(self) -> Point:
        return BY_CODE[self.code]


_BEFORE: dict[str, list[Point]] = {}
_AFTER: dict[str, list[Point]] = {}
for _row in POINTS:
    (_AFTER if _row.after else _BEFORE).setdefault(_row.redex, []).append(_row)


_USED: Mapping[type[Expr], tuple[str, ...]] = {
    If0: ("guard",),
    Read: ("pointer",),
    Assign: ("pointer",),
    Free: ("pointer", "given"),
    Alloc: ("arguments",),
    Copy: ("to", "source", "count"),
    Use: ("pointer",),
    Apply: ("function",),
}
"""The operands on which the effect of a step depends."""


def _uses(redex: Expr) -> tuple[Probe, ...]:
    """The points of operands with undefined bits on which the step depends. A guard with a defined bit of 1
    is not 0, whatever its other bits are."""
    if isinstance(redex, If0):
        guard = _literal(redex.guard).value
        if guard != Int(0, undefined_bits(guard)):
            return ()
    fields_ = (getattr(redex, name) for name in _USED.get(type(redex), ()))
    operands = (each for found in fields_ for each in (found if isinstance(found, tuple) else (found,)))
    return tuple(Probe("USE", (each,)) for each in operands if undefined_bits(_literal(each).value))


def probes(state: State) -> tuple[Probe, ...]:
    """The detection points before the next step, in the order in which the engines reach them.

    What a step depends on comes first, where it has undefined bits.
    A copy has the points of an access that reads, of one that writes, and of a copy, but not of a read: it
    does not look at the bytes. The point of an argument precedes that of an access through it. Copies of no
    bytes and frees of NULL have no points. A memcpy of a range onto itself, which compilers generate for
    *p = *q, has no point of a copy.
    """
    redex = state.focus
    uses = _uses(redex)
    if isinstance(redex, Copy):
        return uses + _of_copy(state, redex)
    if isinstance(redex, Free) and _number(state, redex.pointer) == 0:
        return uses
    return uses + _of(state, redex)


def probe_after(before: State, after: State) -> Probe | None:
    """The detection point after an allocation; None after other steps and for a result of NULL."""
    redex = before.focus
    if not isinstance(redex, Alloc) or after.fresh_heap == before.fresh_heap:
        return None
    (row,) = _AFTER[type(redex).__name__]
    bid = BlockId("H", before.fresh_heap)
    return Probe(row.code, (), function=redex.function, family=_family(redex), block=bid)


def _of(state: State, redex: Expr, width: int = 0, function: str = "") -> tuple[Probe, ...]:
    """The points before the reduction of one expression."""
    rows = _BEFORE.get(type(redex).__name__, ())
    if not rows:
        return ()
    request = request_of(state, redex) if isinstance(redex, Alloc) else None
    values, given = _values(redex, request), _given(state, redex)
    return tuple(
        Probe(
            row.code,
            tuple(values[field] for field in row.operands if field),
            width or getattr(redex, "width", 0),
            function or _function(redex),
            _family(redex),
            request,
            given_size=given.get("size"),
            given_align=given.get("align", 0),
        )
        for row in rows
    )


def _of_copy(state: State, redex: Copy) -> tuple[Probe, ...]:
    to, source, width = redex.to, redex.source, _number(state, redex.count)
    if width == 0:
        return ()
    parts: list[Expr] = [Use(source), Read(source, width), Use(to), Assign(to, redex.count, width)]
    each = (probe for part in parts for probe in _of(state, part, function=redex.function))
    found = [probe for probe in each if not probe.row.follows]
    if redex.function == "memcpy" and _number(state, to) != _number(state, source):
        found += _of(state, redex, width)
    return tuple(found)


def _values(redex: Expr, request: Request | None) -> Mapping[str, Literal]:
    """The operands by name, with the defaults of those that the function does not take."""
    if isinstance(redex, Alloc):
        defaults = {field.name: Literal(Int(wrap(getattr(request, field.name)))) for field in fields(Request)}
        parameters = ALLOCATORS[redex.function].parameters
        return defaults | {
            name: _literal(each) for name, each in zip(parameters, redex.arguments, strict=True)
        }
    if isinstance(redex, Apply):
        return {"arguments": _literal(redex.arguments[0]) if redex.arguments else Literal(Int(0))}
    values = ((field.name, getattr(redex, field.name)) for field in fields(redex))
    return {name: value for name, value in values if isinstance(value, Literal)}


def _function(redex: Expr) -> str:
    if isinstance(redex, Apply):
        callee = _literal(redex.function).value
        return callee.name if isinstance(callee, Function) else ""
    return getattr(redex, "function", "")


def _family(redex: Expr) -> int:
    """The family of the function that allocates or frees, 0 for other redexes."""
    if isinstance(redex, Alloc):
        return ALLOCATORS[redex.function].family
    return FREES[redex.function].family if isinstance(redex, Free) else 0


def _given(state: State, redex: Expr) -> Mapping[str, int]:
    """The size and alignment arguments of a function that frees, by name; empty for other redexes."""
    if not isinstance(redex, Free):
        return {}
    names = FREES[redex.function].parameters
    return {name: _number(state, each) for name, each in zip(names, redex.given, strict=True)}


def _number(state: State, operand: Expr) -> int:
    return unsigned(state.number(_literal(operand).value))


def _literal(operand: Expr) -> Literal:
    assert isinstance(operand, Literal), "the operands of a redex are values"
    return operand
