"""What instructions of x86-64 read and write, from Capstone's descriptions of them.

Registers are parts of registers here, numbers below `PARTS`: of a general one its lowest byte, the next one
and the rest, since `al`, `ah` and `ax` leave the rest as it is. Vector registers, flags and the like are one
part each. The stack pointer is none: it would make each call depend on all before.
"""

from __future__ import annotations

from dataclasses import dataclass

import capstone
from capstone import x86

from slicing.stepping import PLACE, Registers

_GENERAL = {
    "rax": ("eax", "ax", "al", "ah"),
    "rbx": ("ebx", "bx", "bl", "bh"),
    "rcx": ("ecx", "cx", "cl", "ch"),
    "rdx": ("edx", "dx", "dl", "dh"),
    "rsi": ("esi", "si", "sil", ""),
    "rdi": ("edi", "di", "dil", ""),
    "rbp": ("ebp", "bp", "bpl", ""),
    **{f"r{n}": (f"r{n}d", f"r{n}w", f"r{n}b", "") for n in range(8, 16)},
}
_IGNORED = frozenset(
    ("rsp", "esp", "sp", "spl", "rip", "eip", "fs", "gs", "cs", "ds", "es", "ss", "mxcsr", "fpsw")
)
_CLEARING = frozenset(
    ("xor", "sub", "pxor", "xorps", "xorpd", "vpxor", "vxorps", "vxorpd", "pcmpeqb", "pcmpeqd")
)
"""Instructions whose result does not depend on a register that is both their operands."""
FLAGS = "eflags"
LONGEST = 15


class Parts:
    """The numbers of the parts of registers by the registers' names."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, ...]] = {}
        self.count = 0
        for whole, (half, word, low, high) in _GENERAL.items():
            first = self.count
            self.count += 3
            self._known[whole] = self._known[half] = (first, first + 1, first + 2)
            self._known[word], self._known[low] = (first, first + 1), (first,)
            if high:
                self._known[high] = (first + 1,)

    def of(self, name: str) -> tuple[int, ...]:
        if name in _IGNORED:
            return ()
        if name.startswith(("ymm", "zmm")):
            name = f"xmm{name[3:]}"
        if name not in self._known:
            self._known[name] = (self.count,)
            self.count += 1
        return self._known[name]


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory operand: base and index are numbers of `REGISTERS`, -1: none; segment is that of its base."""

    base: int
    index: int
    scale: int
    displacement: int
    segment: int
    size: int
    is_read: bool
    is_written: bool

    def address(self, registers: Registers) -> int:
        at = self.displacement
        if self.base >= 0:
            at += registers[self.base]
        if self.index >= 0:
            at += registers[self.index] * self.scale
        if self.segment >= 0:
            at += registers[self.segment]
        return at & 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. addressing: the parts among `reads` that addresses are made of. saved: the parts of
    the register that is pushed, popped, or restored by `leave`. is_frame: it copies the stack pointer.
    is_end: nothing follows. is_repeated: it does nothing where `rcx` is 0. targets: where it jumps, if that
    is constant."""

    address: int
    size: int
    mnemonic: str
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    addressing: tuple[int, ...] = ()
    memory: tuple[Memory, ...] = ()
    saved: tuple[int, ...] = ()
    is_call: bool = False
    is_jump: bool = False
    is_conditional: bool = False
    is_end: bool = False
    is_frame: bool = False
    is_repeated: bool = False
    targets: tuple[int, ...] = ()

    @property
    def following(self) -> int:
        return self.address + self.size


class Decoder:
    """Decodes single instructions."""

    def __init__(self) -> None:
        self.parts = Parts()
        self._capstone = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._capstone.detail = True

    def decode(self, code: bytes, address: int) -> Instruction:
        found = next(self._capstone.disasm(code, address, 1), None)
        if found is None:
            return Instruction(address, 1, "(bad)", is_end=True)
        name = found.mnemonic.split()[-1]
        if name in ("endbr64", "nop", "hlt", "ud2"):
            return Instruction(address, found.size, name, is_end=name in ("hlt", "ud2"))
        operands = [each for each in found.operands if each.type == x86.X86_OP_MEM and name != "lea"]
        memory = tuple(_memory(each, found.address + found.size) for each in operands)
        reads, writes = (self._all(found, numbers) for numbers in found.regs_access())
        addressing = self._addressing(found)
        if self._is_clearing(found, name):
            reads = tuple(part for part in reads if part not in writes)
        repeated = found.mnemonic.startswith("rep")
        if repeated:  # where it goes on comes from where it began, not from what it has copied
            kept = {*addressing, *self.parts.of("rcx")}
            writes = tuple(part for part in writes if part not in kept)
        saved: tuple[int, ...] = ()
        if name in ("push", "pop") and found.operands[0].type == x86.X86_OP_REG:
            saved = self.parts.of(found.reg_name(found.operands[0].reg))
        if name == "leave":
            saved, reads, writes = self.parts.of("rbp"), (), ()
        jumps = capstone.CS_GRP_JUMP in found.groups
        is_call, is_end = capstone.CS_GRP_CALL in found.groups, name in ("ret", "retq", "retf")
        targets: tuple[int, ...] = ()
        if (jumps or is_call) and found.operands and found.operands[0].type == x86.X86_OP_IMM:
            targets = (found.operands[0].imm & 0xFFFFFFFFFFFFFFFF,)
        return Instruction(
            address, found.size, name, reads, writes, addressing, memory, saved, is_call,
            jumps, jumps and name != "jmp", is_end, _copies_stack_pointer(found, name),
            repeated, targets,
        )  # fmt: skip

    def _all(self, found: capstone.CsInsn, numbers: list[int]) -> tuple[int, ...]:
        parts = [part for number in numbers for part in self.parts.of(self._name(found, number))]
        return tuple(dict.fromkeys(parts))

    @staticmethod
    def _name(found: capstone.CsInsn, number: int) -> str:
        name = found.reg_name(number) or ""
        return FLAGS if name in ("rflags", "flags") else name

    def _addressing(self, found: capstone.CsInsn) -> tuple[int, ...]:
        parts: list[int] = []
        for each in found.operands:
            if each.type == x86.X86_OP_MEM:
                for number in (each.mem.base, each.mem.index):
                    if number:
                        parts += self.parts.of(found.reg_name(number))
        return tuple(dict.fromkeys(parts))

    @staticmethod
    def _is_clearing(found: capstone.CsInsn, name: str) -> bool:
        registers = {each.reg for each in found.operands if each.type == x86.X86_OP_REG}
        are_registers = all(each.type == x86.X86_OP_REG for each in found.operands)
        return name in _CLEARING and are_registers and len(registers) == 1


def _copies_stack_pointer(found: capstone.CsInsn, name: str) -> bool:
    return name == "mov" and found.operands[1].reg == x86.X86_REG_RSP


def _memory(operand: capstone.x86.X86Op, following: int) -> Memory:
    mem, displacement, base = operand.mem, operand.mem.disp, _register(operand.mem.base)
    if base == PLACE["rip"]:
        base, displacement = -1, displacement + following
    segment = {x86.X86_REG_FS: PLACE["fs_base"], x86.X86_REG_GS: PLACE["gs_base"]}.get(mem.segment, -1)
    is_read = bool(operand.access & capstone.CS_AC_READ)
    is_written = bool(operand.access & capstone.CS_AC_WRITE)
    index = _register(mem.index)
    return Memory(base, index, mem.scale, displacement, segment, operand.size, is_read, is_written)


_PLACES: dict[int, int] = {}


def _register(number: int) -> int:
    """The place among `REGISTERS` of a register in an address; -1: none."""
    if not number:
        return -1
    if number not in _PLACES:
        _PLACES[number] = PLACE.get(_NAMES.reg_name(number), -1)
    return _PLACES[number]


_NAMES = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
