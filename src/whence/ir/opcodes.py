"""The classes of opcodes, and instructions from a line of text."""

from __future__ import annotations

from whence.ir.calls import Call, CallBr, Invoke
from whence.ir.control import (
    Br,
    CatchRet,
    CatchSwitch,
    CleanupRet,
    FuncletPad,
    IndirectBr,
    LandingPad,
    Resume,
    Ret,
    Switch,
    Unreachable,
)
from whence.ir.errors import IRSyntaxError
from whence.ir.instruction import HEAD, Instruction
from whence.ir.memory import Alloca, AtomicRMW, CmpXchg, Fence, GetElementPtr, Load, Store
from whence.ir.values import (
    Binary,
    Cast,
    Compare,
    ExtractElement,
    ExtractValue,
    InsertElement,
    InsertValue,
    Phi,
    Select,
    ShuffleVector,
    Unary,
    VAArg,
)

_SHARED: dict[type[Instruction], str] = {
    Unary: "fneg freeze",
    Binary: "add fadd sub fsub mul fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor",
    Compare: "icmp fcmp",
    Cast: "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast",
    FuncletPad: "catchpad cleanuppad",
}

OPCODES: dict[str, type[Instruction]] = {
    "alloca": Alloca,
    "atomicrmw": AtomicRMW,
    "br": Br,
    "call": Call,
    "callbr": CallBr,
    "catchret": CatchRet,
    "catchswitch": CatchSwitch,
    "cleanupret": CleanupRet,
    "cmpxchg": CmpXchg,
    "extractelement": ExtractElement,
    "extractvalue": ExtractValue,
    "fence": Fence,
    "getelementptr": GetElementPtr,
    "indirectbr": IndirectBr,
    "insertelement": InsertElement,
    "insertvalue": InsertValue,
    "invoke": Invoke,
    "landingpad": LandingPad,
    "load": Load,
    "phi": Phi,
    "resume": Resume,
    "ret": Ret,
    "select": Select,
    "shufflevector": ShuffleVector,
    "store": Store,
    "switch": Switch,
    "unreachable": Unreachable,
    "va_arg": VAArg,
    **{opcode: cls for cls, words in _SHARED.items() for opcode in words.split()},
}
"""Every opcode of LLVM 22. Others are syntax errors, because their effects are unknown."""


def from_text(text: str) -> Instruction:
    """A new instruction outside of any block; raises `IRSyntaxError` if its head is malformed."""
    line = "  " + text.strip()
    head = HEAD.match(line)
    cls = OPCODES.get(head[2]) if head else None
    if head is None or cls is None:
        raise IRSyntaxError("an instruction", text.strip())
    return cls(line, head[1], head[2], head.end())


def makes_value(instruction: Instruction) -> bool:
    """Whether the instruction must have a result."""
    return instruction.has_result and (not isinstance(instruction, Call) or instruction.type != "void")
