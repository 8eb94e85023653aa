"""What the runtime is told of accesses in loops and in straight code, beside what the code accesses.

Functions are marked and executed. What their calls say is compared with what the same functions say where
each load and store has a call of its own.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable

import llvmlite.binding as llvm
import pytest

from whence import ir
from whence.instrument.races import helpers
from whence.instrument.races.plain import Access, telling
from whence.instrument.races.strides import stride

HEADER = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
    'target triple = "x86_64-unknown-linux-gnu"\n'
    "declare void @release()\n"
)
SIZE = 16384
MIDDLE = SIZE // 2

LOOPS = {
    "upward": """
entry:
  %none = icmp eq i64 %n, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %q
  %j = add nuw i64 %i, 1
  %r = getelementptr i32, ptr %p, i64 %j
  %x = load i32, ptr %r
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret void""",
    "the test comes first": """
entry:
  br label %head
head:
  %i = phi i64 [ 3, %entry ], [ %j, %body ]
  %c = getelementptr i8, ptr %p, i64 %i
  %x = load i8, ptr %c
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %q = getelementptr { i64, i32, i16 }, ptr %p, i64 %i, i32 1
  store i32 0, ptr %q
  %j = add i64 %i, 2
  br label %head
end:
  ret void""",
    "downward with a pointer": """
entry:
  %first = getelementptr i16, ptr %p, i64 %n
  %last = getelementptr i16, ptr %p, i64 -1
  br label %loop
loop:
  %q = phi ptr [ %first, %entry ], [ %r, %loop ]
  %before = getelementptr i8, ptr %q, i64 -6
  %y = load i16, ptr %before
  store i16 3, ptr %q
  %r = getelementptr i8, ptr %q, i64 -2
  %done = icmp eq ptr %q, %last
  br i1 %done, label %end, label %loop
end:
  ret void""",
    "rows": """
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %row = getelementptr [9 x i64], ptr %p, i64 %i
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j1, %inner ]
  %q = getelementptr i64, ptr %row, i64 %j
  %k = getelementptr [5 x i64], ptr %p, i64 %i, i64 %j
  %x = load i64, ptr %k
  store i64 %x, ptr %q
  %j1 = add i64 %j, 1
  %again = icmp ult i64 %j1, %m
  br i1 %again, label %inner, label %next
next:
  %i1 = add i64 %i, 1
  %more = icmp ule i64 %i1, %n
  br i1 %more, label %outer, label %end
end:
  ret void""",
    "two ways out": """
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %on ]
  %q = getelementptr i8, ptr %p, i64 %i
  %x = load i8, ptr %q
  %found = icmp ult i8 %x, 40
  br i1 %found, label %end, label %on
on:
  %w = getelementptr i64, ptr %p, i64 %i
  store i64 -1, ptr %w
  %j = add i64 %i, 1
  %more = icmp ule i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret void""",
    "not in each round": """
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %then, label %next
then:
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 7, ptr %q
  br label %next
next:
  %j = add i64 %i, 1
  %more = icmp ule i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret void""",
    "with releases": """
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %q = getelementptr i32, ptr %p, i64 %i
  %x = load i32, ptr %q
  call void @release()
  %y = load i32, ptr %q
  %j = add i64 %i, 1
  %more = icmp ule i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret void""",
    "apart and overlapping": """
entry:
  br label %loop
loop:
  %i = phi i64 [ %m, %entry ], [ %j, %loop ]
  %at = getelementptr [3 x i8], ptr %p, i64 %i
  %x = load i64, ptr %at
  %s = getelementptr { i32, i32 }, ptr %p, i64 %i, i32 1
  %y = load i32, ptr %s
  %j = sub i64 %i, 1
  %more = icmp ugt i64 %j, 1
  br i1 %more, label %loop, label %end
end:
  ret void""",
    "short counters": """
entry:
  %short = trunc i64 %n to i32
  %from = sub i32 -5, %short
  br label %loop
loop:
  %i = phi i32 [ %from, %entry ], [ %j, %loop ]
  %u = phi i16 [ -9, %entry ], [ %v, %loop ]
  %k = sext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %k
  store i32 1, ptr %q
  %j = add nsw i32 %i, 1
  %l = sext i32 %j to i64
  %s = getelementptr i16, ptr %p, i64 %l
  %x = load i16, ptr %s
  %v = sub nuw i16 %u, 3
  %w = zext i16 %u to i64
  %b = getelementptr i8, ptr %p, i64 -65000
  %r = getelementptr i8, ptr %b, i64 %w
  %y = load i8, ptr %r
  %more = icmp slt i32 %j, -1
  br i1 %more, label %loop, label %end
end:
  ret void""",
    "a counter that wraps around": """
entry:
  br label %loop
loop:
  %i = phi i8 [ 120, %entry ], [ %j, %loop ]
  %k = zext i8 %i to i64
  %q = getelementptr i32, ptr %p, i64 %k
  store i32 1, ptr %q
  %j = add nsw i8 %i, -7
  %short = trunc i64 %m to i8
  %more = icmp sgt i8 %j, %short
  br i1 %more, label %loop, label %end
end:
  ret void""",
    "straight": """
entry:
  %x = load i64, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  %y = load i32, ptr %q
  %z = load i16, ptr %q
  %big = icmp ugt i64 %n, 2
  br i1 %big, label %then, label %end
then:
  store i16 1, ptr %q
  call void @release()
  %v = load i32, ptr %q
  br label %end
end:
  %w = load i32, ptr %q
  store i8 1, ptr %q
  ret void""",
}
NO_STRIDES = ("a counter that wraps around", "not in each round", "with releases", "straight")

Said = list[tuple[frozenset[int], frozenset[int]]]
"""For each part between two releases, the bytes that are accessed, and those that are written."""


class Listener:
    """The helpers of marked code, as functions of this process: they note what code accesses."""

    def __init__(self) -> None:
        self.memory = ctypes.create_string_buffer(SIZE)
        self.begin = ctypes.addressof(self.memory)
        self.calls = 0
        self._parts: list[tuple[set[int], set[int]]] = []
        self._kept: list[object] = []
        for width in helpers.WIDTHS:
            for name, writes in ((helpers.READ, False), (helpers.WRITE, True)):
                self._add(f"{name}{width}", self._fixed(width, writes), 1)
        for name, writes in ((helpers.READ_STRIDE, False), (helpers.WRITE_STRIDE, True)):
            self._add(name, self._strided(writes), 4)
        self._add("release", lambda: self._parts.append((set(), set())), 0)

    def run(self, module: ir.Module, n: int, m: int, filling: bytes) -> Said:
        parsed = llvm.parse_assembly(str(module))
        parsed.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        with llvm.create_mcjit_compiler(parsed, machine) as engine:
            engine.finalize_object()
            self.memory.raw = filling
            self._parts, self.calls = [(set(), set())], 0
            call = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64)
            call(engine.get_function_address("f"))(self.begin + MIDDLE, n, m)
        return [(frozenset(accessed), frozenset(written)) for accessed, written in self._parts]

    def _note(self, at: int, size: int, writes: bool) -> None:
        offsets = range(at - self.begin, at - self.begin + size)
        accessed, written = self._parts[-1]
        accessed.update(offsets)
        if writes:
            written.update(offsets)

    def _fixed(self, width: int, writes: bool) -> Callable[[int], None]:
        def told(at: int) -> None:
            self.calls += 1
            self._note(at, width, writes)

        return told

    def _strided(self, writes: bool) -> Callable[[int, int, int, int], None]:
        def told(at: int, span: int, step: int, size: int) -> None:
            self.calls += 1
            assert step and span % step == 0 and span // step >= 0
            for number in range(span // step):
                self._note(at + number * step, size, writes)

        return told

    def _add(self, name: str, function: Callable[..., None], count: int) -> None:
        types = (ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32)[:count]
        made = ctypes.CFUNCTYPE(None, *types)(function)
        self._kept.append(made)
        llvm.add_symbol(name, ctypes.cast(made, ctypes.c_void_p).value or 0)


@pytest.fixture(scope="module")
def listener() -> Listener:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return Listener()


def marked(body: str, *, all_of_them: bool) -> ir.Module:
    module = ir.parse(f"{HEADER}define void @f(ptr %p, i64 %n, i64 %m) {{{body}\n}}\n")
    function = module.functions["f"]
    accesses = [
        Access(made, module.layout.store_size_of(made.value_type))
        for made in function.instructions()
        if isinstance(made, ir.Load | ir.Store)
    ]
    for access in accesses if all_of_them else stride(function, telling(function, accesses)):
        name = f"{helpers.WRITE if access.writes else helpers.READ}{access.size}"
        module.add_declaration(helpers.declaration(name))
        access.made.insert_before(f"call void @{name}(ptr {access.pointer})")
    return module


@pytest.mark.parametrize("name", LOOPS)
def test_the_same_bytes_are_told_of(name: str, listener: Listener) -> None:
    chance = random.Random(name)
    each, few = marked(LOOPS[name], all_of_them=True), marked(LOOPS[name], all_of_them=False)
    assert ("stride" in str(few)) == (name not in NO_STRIDES)
    for n, m in [(0, 3), (1, 9), (2, 2), (7, 5), (20, 4), (33, 17)]:
        filling = bytes(chance.randrange(30, 256) for _ in range(SIZE))
        wanted, calls = listener.run(each, n, m, filling), listener.calls
        assert listener.run(few, n, m, filling) == wanted
        assert listener.calls <= calls or n < 7
