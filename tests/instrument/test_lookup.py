"""The look-up of bounds in instrumented code reads block records as the runtime writes them."""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Iterator

import llvmlite.binding as llvm
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.harness.pages import map_at

from whence.abi.layout import (
    BLOCK_COOKIE,
    BLOCK_FAMILY_BITS,
    BLOCK_RECORD,
    BLOCK_WIDE_SHIFT,
    HEAP_BASE,
    HEAP_SIZE,
    META_BASE,
    MIN_SLOT_SHIFT,
    REGION_SHIFT,
    block_unit_shift,
)
from whence.abi.records import BLOCK_STATES, FAMILIES
from whence.instrument.markers import lookup

LIVE, FREED = BLOCK_STATES["LIVE"], BLOCK_STATES["FREED"]
ASKED = (7, 9)
"""What the runtime's function answers here."""

_PROBE = f"""
target triple = "x86_64-unknown-linux-gnu"
@__whence_holes = global i32 0
define {{ i64, i64 }} @__whence_bounds(ptr %root) {{
  ret {{ i64, i64 }} {{ i64 {ASKED[0]}, i64 {ASKED[1]} }}
}}
define {{ i64, i64 }} @probe(ptr %root) {{
  %found = {lookup.CALL}(ptr %root)
  ret {{ i64, i64 }} %found
}}
!1 = !{{!"branch_weights", i32 1000000, i32 1}}
attributes #4 = {{ noinline nounwind }}
"""


class Pair(ctypes.Structure):
    _fields_ = (("begin", ctypes.c_uint64), ("size", ctypes.c_uint64))


class Lookup:
    """The compiled function; block records are written to the pages that it reads."""

    def __init__(self) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        text = _PROBE + lookup.define("#4")
        text = text.replace("@__whence_holes = external global i32", "")
        text = text.replace("declare { i64, i64 } @__whence_bounds(ptr)", "")
        module = llvm.parse_assembly(text)
        module.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()
        call = ctypes.CFUNCTYPE(Pair, ctypes.c_uint64)
        self._probe = call(self.engine.get_function_address("probe"))
        holes = self.engine.get_global_value_address("__whence_holes")
        self.holes = ctypes.c_uint32.from_address(holes)
        self._pages: set[int] = set()

    def __call__(self, root: int) -> tuple[int, int]:
        found = self._probe(root)
        return found.begin, found.size

    def write(self, shift: int, index: int, size: int, units: int, state: int, request: int = 0) -> int:
        """The begin of the block."""
        record = META_BASE + (shift << REGION_SHIFT) + index * BLOCK_RECORD.size
        self._map(record & -mmap.PAGESIZE)
        fields = (
            (BLOCK_RECORD.offset("size"), "<I", size),
            (BLOCK_RECORD.offset("offset"), "<H", units),
            (BLOCK_RECORD.offset("request"), "<B", request),
            (BLOCK_RECORD.offset("state"), "<B", state),
        )
        for offset, form, value in fields:
            data = struct.pack(form, value)
            ctypes.memmove(record + offset, data, len(data))
        return HEAP_BASE + (shift << REGION_SHIFT) + (index << shift) + (units << block_unit_shift(shift))

    def _map(self, page: int) -> None:
        if page in self._pages:
            return
        map_at(page, mmap.PAGESIZE)
        self._pages.add(page)


@pytest.fixture(scope="module")
def find() -> Iterator[Lookup]:
    yield Lookup()


def slots() -> st.SearchStrategy[tuple[int, int]]:
    """(shift, index) of slots whose size stands in the record."""
    shifts = st.integers(MIN_SLOT_SHIFT, BLOCK_WIDE_SHIFT - 1)
    return shifts.flatmap(
        lambda shift: st.tuples(
            st.just(shift), st.sampled_from((1, 2, 99, min(1 << 32, 1 << (REGION_SHIFT - shift)) - 1))
        )
    )


@given(slot=slots(), data=st.data())
def test_the_bounds_are_those_of_the_record(find: Lookup, slot: tuple[int, int], data: st.DataObject) -> None:
    shift, index = slot
    size = data.draw(st.integers(0, min((1 << shift) - 16, (1 << 32) - 1)))
    most = ((1 << shift) - 16 - size) >> block_unit_shift(shift)
    units = data.draw(st.integers(0, min(most, 65535)))
    begin = find.write(shift, index, size, units, LIVE)
    for root in {begin, begin + size // 2, begin + size - 1}:
        if begin <= root < begin + size:
            assert find(root) == (begin, size)
    for root in (begin - 1, begin + size):
        if root >> shift == begin >> shift:
            assert find(root)[1] == 0
    find.write(shift, index, size, units, FREED)
    assert find(begin)[1] == 0


@pytest.mark.parametrize(
    "root",
    [
        0,
        0x7FFF_0000_1000,
        HEAP_BASE,
        HEAP_BASE + ((MIN_SLOT_SHIFT - 1) << REGION_SHIFT),
        HEAP_BASE + (MIN_SLOT_SHIFT << REGION_SHIFT) + (1 << (REGION_SHIFT - 1)),
        HEAP_BASE + (BLOCK_WIDE_SHIFT << REGION_SHIFT) + (1 << BLOCK_WIDE_SHIFT),
        HEAP_BASE + HEAP_SIZE,
    ],
)
def test_the_runtime_is_asked_about_what_has_no_usual_record(find: Lookup, root: int) -> None:
    assert find(root) == ASKED


def test_the_runtime_is_asked_once_there_are_holes(find: Lookup) -> None:
    begin = find.write(6, 5, 40, 0, LIVE)
    assert find(begin) == (begin, 40)
    find.holes.value = 1
    try:
        assert find(begin) == ASKED
    finally:
        find.holes.value = 0


@pytest.mark.parametrize("align", [0, 7])
def test_the_runtime_is_asked_about_an_array_with_a_cookie(find: Lookup, align: int) -> None:
    above = align << BLOCK_FAMILY_BITS
    begin = find.write(7, 5, 80, 0, LIVE, above | BLOCK_COOKIE)
    assert find(begin + 8) == ASKED
    for family in FAMILIES.values():
        assert find(find.write(7, 5, 80, 0, LIVE, above | family)) == (begin, 80)
