"""The pass over array cookies: what counts as the front end's own sequence, and what it exempts."""

from __future__ import annotations

import pytest

from whence import ir
from whence.instrument.accesses.cookies import mark_cookies
from whence.instrument.accesses.marking import accesses_of
from whence.instrument.passes.context import Context
from whence.instrument.passes.policy import Policy

DECLARATIONS = """
declare ptr @_Znam(i64)
declare ptr @_Znwm(i64)
declare ptr @_ZnamSt11align_val_t(i64, i64)
declare void @_ZdaPv(ptr)
declare void @free(ptr)
declare i64 @use(ptr)
declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)
"""
CHECKED = """
  %sum = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %n, i64 8)
  %over = extractvalue { i64, i1 } %sum, 1
  %all = extractvalue { i64, i1 } %sum, 0
  %size = select i1 %over, i64 -1, i64 %all
"""
ALIGNED = """
  %p = call ptr @_ZnamSt11align_val_t(i64 192, i64 64)
  %c = getelementptr inbounds i8, ptr %p, i64 56
  store i64 2, ptr %c
"""


def marked(body: str, own: tuple[str, ...] = (), name: str = "f") -> tuple[list[str], int]:
    """The calls of the runtime about cookies, and the number of accesses that are left to check."""
    other = "" if name == "_ZN1KdaEPv" else "declare void @_ZN1KdaEPv(ptr)\n"
    text = f"{DECLARATIONS}{other}define void @{name}(ptr %a, i64 %n) {{\n{body}  ret void\n}}\n"
    context = Context("test.c", Policy(), own, module=ir.parse(text, "test.c"))
    mark_cookies(context)
    function = context.module.functions[name]
    calls = [line.strip() for line in function.lines() if "@__whence_cookie" in line]
    left = sum(len(accesses_of(instruction)) for instruction in function.instructions())
    return [call.removeprefix("call void @__whence_").removesuffix(" nomerge") for call in calls], left


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("  %p = call ptr @_Znam(i64 36)\n  store i64 7, ptr %p\n", "cookie(ptr %p, i64 8)"),
        ("  %p = call ptr @_Znam(i64 8)\n  store i64 0, ptr %p\n", "cookie(ptr %p, i64 8)"),
        (f"{CHECKED}  %p = call ptr @_Znam(i64 %size)\n  store i64 %n, ptr %p\n", "cookie(ptr %p, i64 8)"),
        (ALIGNED, "cookie(ptr %p, i64 64)"),
    ],
)
def test_what_a_front_end_stores_is_a_cookie(body: str, call: str) -> None:
    assert marked(body) == ([call], 0)


@pytest.mark.parametrize(
    "body",
    [
        "  %p = call ptr @_Znam(i64 37)\n  store i64 7, ptr %p\n",
        "  %p = call ptr @_Znam(i64 8)\n  store i64 7, ptr %p\n",
        "  %p = call ptr @_Znam(i64 16)\n  store i64 0, ptr %p\n",
        "  %p = call ptr @_Znam(i64 %n)\n  store i64 %n, ptr %p\n",
        "  %p = call ptr @_Znam(i64 36)\n  store i32 7, ptr %p\n",
        "  %p = call ptr @_Znwm(i64 36)\n  store i64 7, ptr %p\n",
        "  %p = call ptr @_Znam(i64 36)\n  store ptr %p, ptr %a\n"
        "  %q = load ptr, ptr %a\n  store i64 7, ptr %q\n",
        f"{CHECKED}  %p = call ptr @_Znam(i64 %size)\n  %c = getelementptr i8, ptr %p, i64 8\n"
        "  store i64 %n, ptr %c\n",
    ],
)
def test_anything_else_is_not(body: str) -> None:
    calls, left = marked(body)
    assert not calls and left == body.count("store i") + 2 * body.count("store ptr")


@pytest.mark.parametrize("operator", ["_Znwm", "_Znam", "_ZdlPv", "_ZdaPvm"])
def test_operators_of_the_program_may_access_the_whole_block(operator: str) -> None:
    """A block of another module may come with a cookie all the same."""
    assert marked("  %p = call ptr @_Znam(i64 36)\n  store i64 7, ptr %p\n", own=(operator,)) == ([], 1)
    assert marked(READ.format(operator="_ZdaPv"), own=(operator,)) == (["cookie_read(ptr %c)"], 0)


READ = """
  %next = getelementptr i8, ptr %a, i64 -4
  %c = getelementptr inbounds i8, ptr %a, i64 -8
  %count = load i64, ptr %c
  call void @{operator}(ptr %c)
"""
READ_OF_ALIGNED = """
  %b = getelementptr inbounds i8, ptr %a, i64 -64
  %c = getelementptr inbounds i8, ptr %b, i64 56
  %count = load i64, ptr %c
  call void @_ZdaPv(ptr %b)
"""


@pytest.mark.parametrize(
    "body", [READ.format(operator="_ZdaPv"), READ.format(operator="_ZN1KdaEPv"), READ_OF_ALIGNED]
)
def test_delete_reads_the_cookie(body: str) -> None:
    assert marked(body) == (["cookie_read(ptr %c)"], 0)


@pytest.mark.parametrize(
    "body",
    [
        READ.format(operator="free"),
        READ.format(operator="_ZdaPv").replace("ptr %c)", "ptr %a)"),
        READ.format(operator="_ZdaPv").replace("load i64", "load i32"),
        READ.format(operator="_ZdaPv").replace("load i64, ptr %c", "load i64, ptr %next"),
    ],
)
def test_other_reads_are_checked(body: str) -> None:
    assert marked(body) == ([], 1)


@pytest.mark.parametrize("name", ["_ZN1KdaEPv", "_ZN1KIiEdaEPvm", "_ZZ4mainEN1KdaEPvSt11align_val_t"])
def test_an_operator_of_a_class_may_access_the_whole_block(name: str) -> None:
    assert marked("  %x = load i8, ptr %a\n", name=name) == (["cookie(ptr %a, i64 0)"], 1)
    assert marked("  %x = load i8, ptr %a\n", name=name + "i") == ([], 1)
