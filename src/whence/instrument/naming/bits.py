"""Bit-fields, as front ends load and store them: a part of an integer, the unit, in which others lie, too.

These are shapes of code, which a program may write for itself: debug information tells them apart
(`whence.instrument.naming.names.Names`).
"""

from __future__ import annotations

from dataclasses import dataclass

from whence import ir
from whence.instrument.markers.declarations import PREFIX as CHECK
from whence.ir.datalayout import constant_index

_WIDEST = 64


@dataclass(frozen=True, slots=True)
class Part:
    """Bits of the unit at an address: how many, and how many are below them. width: of the unit."""

    pointer: str
    width: int
    low: int
    size: int

    @property
    def mask(self) -> int:
        return ((1 << self.size) - 1) << self.low


@dataclass(frozen=True, slots=True)
class Loaded(Part):
    """A part as a number, which `load` has read. signed: its uppermost bit is its sign."""

    load: ir.Load
    signed: bool


@dataclass(frozen=True, slots=True)
class Stored(Part):
    """A part that a store changes. value: what it gets, in the unit's type; masked: those of its bits that
    fit, empty where `value` is constant. Only of constants a program may write the same for itself: it loads
    the unit and the value in another order."""

    value: ir.Operand
    masked: str


def unit_bits(type_: str) -> int:
    """The bits of an integer that may be a unit; 0 for other types."""
    bits = int(type_[1:]) if type_[:1] == "i" and type_[1:].isdecimal() else 0
    return bits if bits % 8 == 0 and bits <= _WIDEST else 0


def loaded(function: ir.Function, value: str) -> Loaded | None:
    """The part of a unit that a value is, if it has been loaded as a bit-field is."""
    made = function.definition_of(value)
    if not isinstance(made, ir.Binary) or made.opcode not in ("and", "lshr", "ashr"):
        return None
    width, number = unit_bits(made.type), constant_index(made.operands[1].value)
    if not width or number is None:
        return None
    inner, above, below = made.operands[0].value, 0, 0
    if made.opcode == "and":
        size = number.bit_length()
        if number != (1 << size) - 1:
            return None
        inner, below = _shifted(function, inner, "lshr")
    else:
        size = width - number
        if made.opcode == "ashr":
            inner, above = _shifted(function, inner, "shl")
        below = number - above
    load = function.definition_of(inner)
    is_part = 0 <= below < below + size <= width and size < width
    if not isinstance(load, ir.Load) or load.atomic or not is_part:
        return None
    return Loaded(load.pointer, width, below, size, load, made.opcode == "ashr")


def _shifted(function: ir.Function, value: str, opcode: str) -> tuple[str, int]:
    """What a value is a shift of, by a number; the value itself and 0 if it is none."""
    made = function.definition_of(value)
    if isinstance(made, ir.Binary) and made.opcode == opcode:
        number = constant_index(made.operands[1].value)
        if number is not None and number > 0:
            return made.operands[0].value, number
    return value, 0


def stored(store: ir.Store) -> Stored | None:
    """The part of a unit that a store changes, if it stores the rest as it was."""
    function, value = store.function, store.operands[0]
    width, made = unit_bits(value.type), function.definition_of(value.value)
    if not width or store.atomic or not isinstance(made, ir.Binary):
        return None
    added: ir.Operand | None = None
    if made.opcode == "or":
        added = made.operands[1]
        made = function.definition_of(made.operands[0].value)
    if not isinstance(made, ir.Binary) or made.opcode != "and":
        return None
    kept, unit = constant_index(made.operands[1].value), function.definition_of(made.operands[0].value)
    if kept is None or not isinstance(unit, ir.Load) or not _is_kept(unit, store):
        return None
    mask = ~kept & ((1 << width) - 1)
    low = (mask & -mask).bit_length() - 1
    size = (mask >> low).bit_length() if mask else 0
    if not size or mask != ((1 << size) - 1) << low:
        return None
    put = _put(function, added, value.type, low, size)
    return None if put is None else Stored(store.pointer, width, low, size, *put)


def _put(
    function: ir.Function, added: ir.Operand | None, type_: str, low: int, size: int
) -> tuple[ir.Operand, str] | None:
    """What is put into a part, and the value that it is masked as; None if other bits may be set, too."""
    if added is None:
        return ir.Operand(type_, "0", 0, 0), ""
    number = constant_index(added.value)
    if number is not None:
        number &= (1 << unit_bits(type_)) - 1
        fits = not number & ~(((1 << size) - 1) << low)
        return (ir.Operand(type_, str(number >> low), 0, 0), "") if fits else None
    masked, by = _shifted(function, added.value, "shl")
    made = function.definition_of(masked)
    if by != low:
        return None
    if isinstance(made, ir.Cast) and made.opcode == "zext" and made.source_type == "i1":
        return ir.Operand(type_, masked, 0, 0), masked
    if not isinstance(made, ir.Binary) or made.opcode != "and":
        return None
    if constant_index(made.operands[1].value) != (1 << size) - 1:
        return None
    return ir.Operand(type_, made.operands[0].value, 0, 0), masked


def _is_kept(load: ir.Load, store: ir.Store) -> bool:
    """Whether a store is where a load was, and nothing happens between them."""
    if load.atomic or load.pointer != store.pointer or load.owner is not store.owner:
        return False
    at = store.prev
    while at is not None and at is not load:
        is_check = isinstance(at, ir.Call) and (at.callee or "").startswith(CHECK)
        is_pure = isinstance(at, ir.Binary | ir.Cast | ir.GetElementPtr)
        if isinstance(at, ir.Instruction) and not is_check and not is_pure:
            return False
        at = at.prev
    return at is load


def is_word(type_: str) -> bool:
    """Whether a type is a pointer, or an integer of at most 64 bits: the values that have origins."""
    return type_ == "ptr" or (type_[:1] == "i" and type_[1:].isdecimal() and int(type_[1:]) <= _WIDEST)
