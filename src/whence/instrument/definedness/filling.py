"""Undefined values that are stored into variables whose lifetime begins, by whole granules.

`whence.instrument.definedness.unwritten` stores one for each part of a variable, so that LLVM can promote the
parts and delete what the program overwrites. What is left of a variable that stays in memory are several
stores to one granule, which costs more to say in the plane than that the whole granule is undefined. Nothing
of such a variable has been written yet, so a granule may be filled with what else it has: padding, and parts
of which the stores were deleted. LLVM makes one `memset` of parts of equal values that lie side by side: that
is taken apart again first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from whence import ir
from whence.abi.layout import GRANULE
from whence.instrument.analysis.exposure import size_of
from whence.instrument.definedness import helpers
from whence.instrument.definedness.joining import is_silent, root_of
from whence.instrument.definedness.unwritten import births_of, parts_of
from whence.instrument.definedness.web import is_unwritten
from whence.instrument.markers.declarations import LIFETIME_BEGINS

_ALIGN = re.compile(r", align \d+")
_MEMSET = "llvm.memset."
_MOST_SET = 64
"""Bytes of a `memset` that is taken apart; a longer one costs the runtime less than as many stores."""


@dataclass(frozen=True)
class _Part:
    """A store of an undefined value: its offset in the variable, its bytes, and the value's origin."""

    store: ir.Store
    offset: int
    size: int
    origin: str


def fill_granules(function: ir.Function) -> None:
    """Stores fill words in place of several undefined values in a granule.

    Before::

        declare i32 @__whence_values_undefined_i32(ptr)
        declare i8 @__whence_values_undefined_i8(ptr)
        @o = private constant [5 x i32] zeroinitializer
        declare void @g(ptr)
        define void @f() {
          %s = alloca { i32, i8 }, align 4
          %a = call i32 @__whence_values_undefined_i32(ptr @o)
          store i32 %a, ptr %s, align 4
          %p = getelementptr i8, ptr %s, i64 4
          %b = call i8 @__whence_values_undefined_i8(ptr @o)
          store i8 %b, ptr %p, align 4
          call void @g(ptr %s)
          ret void
        }

    After::

        declare i32 @__whence_values_undefined_i32(ptr)
        declare i8 @__whence_values_undefined_i8(ptr)
        @o = private constant [5 x i32] zeroinitializer
        declare void @g(ptr)
        define void @f() {
          %s = alloca { i32, i8 }, align 8
          %wh.0 = call i64 @__whence_values_undefined_i64(ptr @o)
          store i64 %wh.0, ptr %s, align 8
          %p = getelementptr i8, ptr %s, i64 4
          call void @g(ptr %s)
          ret void
        }
        declare i64 @__whence_values_undefined_i64(ptr) nounwind willreturn speculatable memory(none)
    """
    unwritten = {each.result or "": each for each in function.instructions() if is_unwritten(each)}
    if not unwritten:
        return
    variables = births_of(function)
    for each in list(function.instructions()):
        if isinstance(each, ir.Call) and (each.callee or "").startswith(_MEMSET):
            _take_apart(each, unwritten, {each.result or "": each for each in variables})
    filling = _Filling(function, unwritten, variables)
    for block in function.blocks:
        filling.fill(block)
    used = Counter(operand.value for each in function.instructions() for operand in each.operands)
    for name, call in unwritten.items():
        if not used[name]:
            call.remove()


def _take_apart(
    memset: ir.Call, unwritten: dict[str, ir.Instruction], variables: dict[str, ir.Alloca]
) -> None:
    """Stores undefined values in place of a short `memset` of a variable's bytes to one."""
    to, value, size, volatile = memset.arguments
    made = unwritten.get(value.value)
    root, offset = root_of(memset.function, to.value)
    if made is None or root not in variables or volatile.value != "false" or not size.value.isdecimal():
        return
    begin, end = offset, offset + int(size.value)
    if end - begin > _MOST_SET:
        return
    module, align = memset.function.module, variables[root].align or 1
    while offset < end:
        width = next(each for each in (8, 4, 2, 1) if offset % each == 0 and offset + each <= end)
        name = helpers.unwritten(f"i{8 * width}")
        module.add_declaration(helpers.declaration(name))
        call = memset.insert_before(f"call i{8 * width} @{name}(ptr {made.operands[0].value})", dbg=False)
        place = to.value
        if offset > begin:
            step = f"getelementptr i8, ptr {place}, i64 {offset - begin}"
            place = memset.insert_before(step, dbg=False).result or ""
        known = min(align, width)
        memset.insert_before(f"store i{8 * width} {call.result}, ptr {place}, align {known}", dbg=False)
        unwritten[call.result or ""] = call
        offset += width
    memset.remove()


class _Filling:
    """What is stored in a block on the way through it.

    runs: undefined parts that may be joined, by their variables. fresh: the variables to which nothing else
    was written since their lifetime has begun.
    """

    def __init__(
        self,
        function: ir.Function,
        unwritten: dict[str, ir.Instruction],
        births: dict[ir.Alloca, list[ir.Instruction]],
    ) -> None:
        self.function = function
        self.unwritten = unwritten
        self.variables: dict[str, ir.Alloca] = {}
        self.begins: dict[ir.Instruction, set[str]] = defaultdict(set)
        for variable, places in births.items():
            self.variables[variable.result or ""] = variable
            for place in places:
                self.begins[place].add(variable.result or "")
        self.runs: dict[str, list[_Part]] = defaultdict(list)
        self.fresh: set[str] = set()

    def fill(self, block: ir.Block) -> None:
        for each in list(block.instructions):
            self.fresh |= self.begins.get(each, set())
            if isinstance(each, ir.Store) and not (each.atomic or each.volatile):
                self._store(each)
            elif not (isinstance(each, ir.Alloca) or is_unwritten(each) or _begins(each) or is_silent(each)):
                self._end()
        self._end()

    def _store(self, store: ir.Store) -> None:
        root, offset = root_of(self.function, store.pointer)
        made = self.unwritten.get(store.operands[0].value)
        if root not in self.variables:
            self._end()
        elif made is not None:
            size = self.function.module.layout.store_size_of(store.value_type)
            self.runs[root].append(_Part(store, offset, size, made.operands[0].value))
        else:
            _fill(self.variables[root], self.runs.pop(root, []), root in self.fresh)
            self.fresh.discard(root)

    def _end(self) -> None:
        """Something may look at any variable, or write to it."""
        for root, parts in self.runs.items():
            _fill(self.variables[root], parts, root in self.fresh)
        self.runs.clear()
        self.fresh.clear()


def _begins(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Call) and (instruction.callee or "").startswith(LIFETIME_BEGINS)


def _fill(variable: ir.Alloca, parts: list[_Part], is_fresh: bool) -> None:
    """Replaces the stores of a run; is_fresh: whether nothing was written to the variable before it."""
    granules: dict[int, list[_Part]] = defaultdict(list)
    for each in parts:
        granules[each.offset // GRANULE].append(each)
    members = set(bytes_of(variable))
    for number, there in granules.items():
        begin = number * GRANULE
        stored = {at for each in there for at in range(each.offset, each.offset + each.size)}
        whole = set(range(begin, begin + GRANULE))
        if begin + GRANULE > (size_of(variable) or 0) or not stored <= whole:
            continue
        gaps = whole - stored
        is_worth = len(there) > 1 or (gaps and not gaps & members)
        if is_worth and (is_fresh or not gaps) and len({each.origin for each in there}) == 1:
            _replace(variable, begin, there)


def bytes_of(variable: ir.Alloca) -> Iterator[int]:
    """The bytes of a variable that are no padding."""
    layout = variable.function.module.layout
    for offset, type_ in parts_of(variable):
        yield from range(offset, offset + layout.store_size_of(type_))


def align_for_granules(variable: ir.Alloca) -> None:
    """Has a variable begin where a granule does."""
    if (variable.align or 1) < GRANULE:
        variable.rewrite(_ALIGN.sub(f", align {GRANULE}", variable.text, count=1))


def _replace(variable: ir.Alloca, begin: int, parts: list[_Part]) -> None:
    align_for_granules(variable)
    first = parts[0].store
    name = helpers.unwritten(f"i{8 * GRANULE}")
    first.function.module.add_declaration(helpers.declaration(name))
    value = first.insert_before(f"call i64 @{name}(ptr {parts[0].origin})", dbg=False).result
    to = variable.result
    if begin:
        to = first.insert_before(f"getelementptr i8, ptr {to}, i64 {begin}", dbg=False).result
    first.insert_before(f"store i64 {value}, ptr {to}, align {GRANULE}", dbg=False)
    for each in parts:
        each.store.remove()
