"""Markers before reads of memory, in the front end's code.

There a read is one that the program wrote, and a copy of a struct is a copy: promotion to registers and
LLVM's pipeline make loads of copies, and wider loads of narrow ones. What the front end itself loads
without that the program looks at the value is no read:

* registers of a struct that is passed or returned by value, which hold its padding, too;
* a function's result, where the function may end without one;
* the rest of a bit-field's unit, where the field is written, and the bytes of other fields, where it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence import ir
from whence.instrument.analysis.exposure import Uses, uses_of
from whence.instrument.markers import steps
from whence.instrument.passes.context import Context
from whence.instrument.variables.zones import EXEMPT
from whence.ir.datalayout import constant_index

POINT = "READ"
"""The detection point of these reads."""

_DECLARED = re.compile(r"#dbg_declare\(ptr (%[-\w$.]+|%\"[^\"]*\"),")
_BITS = re.compile(r"i(\d+)\Z")
_WORD = 64
"""The widest integer of which single bits are looked at, in bits."""


def mark_reads(context: Context) -> None:
    """Inserts a marker before each read, except where a variable has certainly been written.

    Before::

        define i32 @f(ptr %p, i32 %a) {
          %x = alloca i32, align 4
          store i32 %a, ptr %x, align 4
          %v = load i32, ptr %x, align 4
          %w = load i32, ptr %p, align 4
          %field = and i32 %w, 65280
          %sum = add i32 %v, %field
          ret i32 %sum
        }

    After::

        define i32 @f(ptr %p, i32 %a) {
          %x = alloca i32, align 4
          store i32 %a, ptr %x, align 4
          %v = load i32, ptr %x, align 4
          %wh.0 = getelementptr i8, ptr %p, i64 1
          call void @__whence_check_read_1(ptr %wh.0) nomerge
          %w = load i32, ptr %p, align 4
          %field = and i32 %w, 65280
          %sum = add i32 %v, %field
          ret i32 %sum
        }
    """
    for function in context.functions():
        if function.attributes.has(EXEMPT):
            continue
        reads = [each for each in function.instructions() if isinstance(each, ir.Load | ir.AtomicRMW)]
        if reads:
            _Reads(function, context).mark(reads)


class _Reads:
    def __init__(self, function: ir.Function, context: Context) -> None:
        self._layout = function.module.layout
        self._context = context
        self._uses = uses_of(function)
        written = _written(function, self._uses)
        self._written = written
        self._made = _made(function) - written.keys()

    def mark(self, reads: list[ir.Load | ir.AtomicRMW]) -> None:
        for read in reads:
            found = self._part(read)
            if found is not None:
                _insert(read, *found, self._context)

    def _part(self, read: ir.Load | ir.AtomicRMW) -> tuple[int, int] | None:
        """Which of the bytes are read, as offset and number; None for no read."""
        size = self._layout.store_size_of(read.value_type)
        if not size or read.pointer_type != "ptr" or self._is_known(read):
            return None
        if isinstance(read, ir.AtomicRMW):
            return (0, size) if read.operation != "xchg" else None
        if self._is_passed(read) or read.pointer in self._made:
            return None
        bits = _BITS.match(read.value_type)
        if bits is None or int(bits[1]) > _WORD or not self._uses.get(read.result or ""):
            return 0, size
        return _bytes_of(self._needed(read.result or "", int(bits[1]), read))

    def _is_known(self, read: ir.MemoryAccess) -> bool:
        """Whether what is read has certainly been written."""
        if read.pointer.startswith("@"):
            variable = read.function.module.globals.get(read.pointer[1:])
            return isinstance(variable, ir.GlobalVariable) and variable.is_constant
        assigned = self._written.get(read.pointer)
        return assigned is not None and read in assigned

    def _is_passed(self, load: ir.Load) -> bool:
        """Whether the value only goes where it need not be defined, as a part of a struct: to an argument or
        a result."""
        uses = self._uses.get(load.result or "", ())
        return bool(uses) and all(_passes(use, load.result or "") for use in uses)

    def _needed(self, value: str, width: int, load: ir.Load, depth: int = 0) -> int:
        """The bits of a value that are looked at, as a mask."""
        found = 0
        for use in self._uses.get(value, ()):
            found |= self._needed_by(use, value, width, load, depth)
        return found

    def _needed_by(self, use: ir.Instruction, value: str, width: int, load: ir.Load, depth: int) -> int:
        every = (1 << width) - 1
        if isinstance(use, ir.Cast) and use.opcode == "trunc" and depth < _DEEPEST:
            narrow = _BITS.match(use.type)
            return self._needed(use.result or "", int(narrow[1]), load, depth + 1) if narrow else every
        if not isinstance(use, ir.Binary) or depth >= _DEEPEST:
            return every
        if self._writes_back(use, load):
            return 0
        other = constant_index(use.operands[1].value)
        if use.operands[0].value != value or other is None:
            return every
        if use.opcode == "and":
            return self._needed(use.result or "", width, load, depth + 1) & other
        if use.opcode not in _SHIFTS or not 0 <= other < width:
            return every
        needed = self._needed(use.result or "", width, load, depth + 1)
        if use.opcode == "shl":
            return needed >> other
        moved = needed << other
        return moved & every | (1 << width - 1 if moved > every and use.opcode == "ashr" else 0)

    def _writes_back(self, use: ir.Binary, load: ir.Load) -> bool:
        """Whether the front end only keeps the rest of a bit-field's unit: ``unit & ~mask | field``, stored
        where it was loaded from."""
        if use.opcode != "and" or constant_index(use.operands[1].value) is None:
            return False
        after = self._uses.get(use.result or "", [])
        if len(after) == 1 and isinstance(after[0], ir.Binary) and after[0].opcode == "or":
            after = self._uses.get(after[0].result or "", [])
        return len(after) == 1 and isinstance(after[0], ir.Store) and after[0].pointer == load.pointer


_SHIFTS = ("shl", "lshr", "ashr")
_DEEPEST = 6
"""Operations on a part of a value that follow each other; behind them every bit counts."""


def _bytes_of(bits: int) -> tuple[int, int] | None:
    """The bytes with some bits, as offset and number."""
    if not bits:
        return None
    first = ((bits & -bits).bit_length() - 1) // 8
    return first, (bits.bit_length() + 7) // 8 - first


def _passes(use: ir.Instruction, value: str) -> bool:
    if isinstance(use, ir.Ret):
        return not use.function.return_attributes.has("noundef")
    if not isinstance(use, ir.Call):
        return False
    if use.is_assembly:
        return True
    if use.is_intrinsic:
        return False
    given = [each for each in use.arguments if each.value == value]
    return bool(given) and not any(each.attributes.has("noundef") for each in given)


def _insert(read: ir.MemoryAccess, offset: int, size: int, context: Context) -> None:
    pointer = read.pointer
    if offset:
        pointer = read.insert_before(f"getelementptr i8, ptr {pointer}, i64 {offset}").result or pointer
    align = read.align or 1
    name = steps.read_marker(size, align if not offset else min(align, offset & -offset))
    context.used.add(name)
    more = "" if name != steps.READ else f", i64 {size}"
    read.insert_before(f"call void @{name}(ptr {pointer}{more}) nomerge")


# ---- variables that have certainly been written -----------------------------------------------------


def _made(function: ir.Function) -> set[str]:
    """The scalar variables that the front end has made, which it reads where the program need not: it
    declares all others, if it describes the function."""
    if function.dbg is None:
        return set()
    declared = set(_DECLARED.findall(str(function)))
    return {
        each.result or ""
        for each in function.entry
        if isinstance(each, ir.Alloca) and each.result not in declared and _is_scalar(each)
    }


def _is_scalar(variable: ir.Alloca) -> bool:
    type_ = str(variable.allocated_type)
    return variable.count in (None, "1") and not type_.startswith(("%", "{", "[", "<{"))


def _written(function: ir.Function, uses: Uses) -> dict[str, set[ir.Instruction]]:
    """The scalar variables whose address is nowhere else, with the loads before which all ways write them."""
    plain = {
        each.result or "": each
        for each in function.entry
        if isinstance(each, ir.Alloca) and _is_scalar(each) and _is_plain(each, uses)
    }
    known: dict[str, set[ir.Instruction]] = {name: set() for name in plain}
    if not plain:
        return known
    before = _at_begin(function, frozenset(plain))
    for block in function.blocks:
        now = set(before.get(block.ref, ()))
        for each in block.instructions:
            if isinstance(each, ir.Load) and each.pointer in now:
                known[each.pointer].add(each)
            _step(each, now, plain)
    return known


def _is_plain(variable: ir.Alloca, uses: Uses) -> bool:
    name = variable.result or ""
    type_ = str(variable.allocated_type)
    for use in uses.get(name, ()):
        if isinstance(use, ir.Load) and use.value_type == type_:
            continue
        if isinstance(use, ir.Store) and use.pointer == name != use.value and use.value_type == type_:
            continue
        if not (isinstance(use, ir.Call) and (use.callee or "").startswith("llvm.lifetime.")):
            return False
    return True


def _step(instruction: ir.Instruction, now: set[str], plain: dict[str, ir.Alloca]) -> None:
    if isinstance(instruction, ir.Store) and instruction.pointer in plain:
        now.add(instruction.pointer)
    elif isinstance(instruction, ir.Call) and (instruction.callee or "").startswith("llvm.lifetime."):
        now.discard(instruction.arguments[-1].value)


def _at_begin(function: ir.Function, every: frozenset[str]) -> dict[str, frozenset[str]]:
    """For each block the variables that all ways to its begin write."""
    made, lost = {}, {}
    for block in function.blocks:
        made[block.ref], lost[block.ref] = _changes(block, every)
    before = {function.entry.ref: frozenset[str]()}
    waiting = [function.entry]
    while waiting:
        block = waiting.pop()
        after = (before[block.ref] - lost[block.ref]) | made[block.ref]
        for following in block.successors:
            known = before.get(following.ref)
            new = after if known is None else known & after
            if new != known:
                before[following.ref] = new
                waiting.append(following)
    return before


def _changes(block: ir.Block, every: frozenset[str]) -> tuple[set[str], set[str]]:
    """The variables that a block leaves written, and those that it leaves unwritten."""
    made, lost = set[str](), set[str]()
    for name, written in _events(block):
        if name in every:
            (made if written else lost).add(name)
            (lost if written else made).discard(name)
    return made, lost


def _events(block: ir.Block) -> Iterator[tuple[str, bool]]:
    for each in block.instructions:
        if isinstance(each, ir.Store):
            yield each.pointer, True
        elif isinstance(each, ir.Call) and (each.callee or "").startswith("llvm.lifetime."):
            yield each.arguments[-1].value, False
