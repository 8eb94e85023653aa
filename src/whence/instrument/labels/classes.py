"""Which class of operations an instruction belongs to, and which of its operands its result depends on."""

from __future__ import annotations

from whence import ir
from whence.abi import library
from whence.instrument.labels.domain import COPY
from whence.instrument.shadow.calls import COPIES, FILLS, SAME, is_marker, library_name

DIVISIONS = frozenset(("udiv", "sdiv", "urem", "srem", "fdiv", "frem"))
_NOTHING = (
    "llvm.objectsize.",
    "llvm.is.constant.",
    "llvm.threadlocal.",
    "llvm.frameaddress",
    "llvm.returnaddress",
)
_COMPUTING = library.having("computes")
GIVING = library.having("parses", "input")
"""Functions whose wrapper may say which shadow their result has."""
AMOUNTS = {
    **{
        name: frozenset(number for row in rows for number in row[1:])
        for name, rows in library.ranges("bytes", "most", "wide").items()
    },
    **{name: frozenset(numbers) for name, numbers in library.arguments("block").items()},
}
"""Arguments of library functions that are sizes."""


def amounts_of(call: ir.Call) -> frozenset[int]:
    """The arguments that say how many bytes there are, or how large a new block is."""
    if (call.callee or "").startswith((*COPIES, *FILLS)):
        return frozenset((2,))
    return AMOUNTS.get(library_name(call), frozenset())


def class_of(made: ir.Instruction) -> str | None:
    """The class of the operation; None where the result depends on no operand as far as is followed."""
    match made:
        case ir.Binary():
            return "division" if made.opcode in DIVISIONS else "arithmetic"
        case ir.Unary():
            return COPY if made.opcode == "freeze" else "arithmetic"
        case ir.Compare():
            return "comparison"
        case ir.Cast():
            return "conversion"
        case ir.GetElementPtr():
            return "arithmetic"
        case ir.Phi() | ir.Select() | ir.ExtractValue() | ir.InsertValue():
            return COPY
        case ir.ExtractElement() | ir.InsertElement() | ir.ShuffleVector():
            return COPY
        case ir.Call():
            return _class_of_call(made)
        case _:
            return None


def _class_of_call(call: ir.Call) -> str | None:
    name = call.callee or ""
    if call.type == "void" or name.startswith(_NOTHING):
        return None
    if name.startswith(SAME):
        return COPY
    if call.is_assembly or (name.startswith("llvm.") and not name.startswith("llvm.eh.")):
        return "arithmetic"
    return "arithmetic" if library_name(call) in _COMPUTING else None


def operands_of(made: ir.Instruction) -> list[ir.Operand]:
    """The operands that the result depends on, without those of which only the choice depends."""
    if isinstance(made, ir.Select):
        return list(made.operands[1:])
    if isinstance(made, ir.Call):
        return [ir.Operand(each.type, each.value, 0, 0) for each in made.arguments]
    return [each for each in made.operands if each.type != "label"]


def is_source(made: ir.Instruction) -> bool:
    """Whether a result may have a shadow that comes from elsewhere: from memory, or out of a call."""
    if isinstance(made, ir.Load | ir.AtomicRMW | ir.CmpXchg):
        return True
    if not isinstance(made, ir.Call) or made.type == "void" or made.is_assembly or made.is_intrinsic:
        return False
    name = library_name(made)
    return name in GIVING if name else not is_marker(made)
