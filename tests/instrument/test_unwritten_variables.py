"""Which variables begin with undefined values."""

from __future__ import annotations

import pytest

from whence import ir
from whence.instrument.definedness.unwritten import unwritten_births

_TEXT = """target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"
%item = type {{ i8, i32, double }}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @g()
define void @f(ptr %q) {{
  %x = alloca %item, align 8
  %x.1 = alloca i64, align 8
  {body}
  ret void
}}
"""
_WHOLE = "call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %q, i64 16, i1 false)"


@pytest.mark.parametrize(
    ("body", "begins"),
    [
        (_WHOLE, 0),
        ("call void @llvm.memset.p0.i64(ptr align 8 %x, i8 0, i64 16, i1 false)", 0),
        (f"call void @llvm.lifetime.start.p0(i64 16, ptr %x)\n  {_WHOLE}", 0),
        (f"store i64 0, ptr %x.1, align 8\n  {_WHOLE}", 0),  # of another variable
        ("call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %q, i64 12, i1 false)", 1),  # of a part
        ("call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %x, i64 16, i1 false)", 1),  # from it
        (f"%v = load i8, ptr %x, align 8\n  {_WHOLE}", 1),
        (f"%p = getelementptr i8, ptr %x, i64 8\n  {_WHOLE}", 1),
        (f"call void @g()\n  {_WHOLE}", 1),
        (f"br label %more\nmore:\n  {_WHOLE}", 1),
        (f"{_WHOLE}\n  call void @llvm.lifetime.start.p0(i64 16, ptr %x)", 1),  # later, again
        ("call void @g()", 1),
    ],
)
def test_a_variable_that_is_written_at_once_has_no_undefined_values(body: str, begins: int) -> None:
    function = ir.parse(_TEXT.format(body=body)).functions["f"]
    found = {variable.result: places for variable, places in unwritten_births(function).items()}
    assert len(found["%x"]) == begins
