"""The walk that labels, expressions and origins share, seen in the code that they insert."""

from __future__ import annotations

import re
from dataclasses import replace

import llvmlite.binding as llvm
import pytest
from tests.harness.rules import without_values

from whence.abi.analyses import LABELS, ORIGINS, SYMBOLIC
from whence.abi.labels import ARGUMENTS_OFFSET
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES
from whence.rules.domains import Labels

POLICY = replace(
    jobs.make_job(without_values(), "test.c", "2", ()).policy,
    analyses=frozenset((LABELS, ORIGINS, SYMBOLIC)),
    labels=Labels((), (("arithmetic", 1), ("comparison", 1), ("index", 0), ("select", 0)), (("a", 1),)),
)
DOMAINS = ("follow-labels", "follow-symbolic", "follow-origins")


def walked(name: str, text: str) -> str:
    """What a domain makes of a module, which LLVM accepts."""
    (chosen,) = [each for each in PASSES if each.name == name]
    after = run_stage([chosen], chosen.stage, text, Context("t", POLICY))
    llvm.parse_assembly(after).verify()
    return after


def inside(text: str, name: str) -> str:
    """The body of a function."""
    found = re.search(rf"^define [^\n]*@{name}\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("name", DOMAINS)
def test_assembly_that_jumps_has_no_place_behind_its_result(name: str) -> None:
    text = walked(
        name,
        """
define i32 @f(i32 %x) {
  %y = callbr i32 asm "", "=r,r,!i"(i32 %x) to label %a [label %b]
a:
  %z = add i32 %y, %x
  ret i32 %z
b:
  ret i32 %y
}
""",
    )
    assert text.count("callbr") == 1


CALLS = """
declare i32 @g(i32, ...)
declare i32 @old(...)
declare i32 @two(i32, i32)
define i32 @f(i32 %a, i32 %b) {{
  %r = call i32 {callee}(i32 %a, i32 %b)
  ret i32 %r
}}
"""


@pytest.mark.parametrize(("callee", "passed"), [("(i32, ...) @g", 1), ("(...) @old", 2), ("@two", 2)])
def test_words_of_arguments_that_belong_to_parameters_are_passed(callee: str, passed: int) -> None:
    text = CALLS.format(callee=callee)
    body = inside(walked("follow-labels", text), "f")
    offsets = [int(each) for each in re.findall(r"getelementptr i8, ptr @__whence_labels, i64 (\d+)", body)]
    stored = {(each - ARGUMENTS_OFFSET) // 8 for each in offsets if each >= ARGUMENTS_OFFSET}
    assert stored == {0, 1}  # those of the two parameters are read
    assert len(re.findall(r"zext i8 .* to i64", body)) == passed + 1  # and one for the result
    symbolic = inside(walked("follow-symbolic", text), "f")
    assert f"@__whence_symbolic_pass_{passed}(" in symbolic
    assert symbolic.count("@__whence_symbolic_bind_32(") == 2 - passed


@pytest.mark.parametrize(("name", "without"), [*zip(DOMAINS, (3, 3, 4), strict=True)])
def test_an_edge_is_split_where_something_stands_behind_a_call(name: str, without: int) -> None:
    """That is its result; origins also tell there that a call has ended."""
    text = """
declare i32 @p(...)
declare i32 @g()
define i32 @f(i1 %c) personality ptr @p {{
  br i1 %c, label %try, label %join
try:
  {call}
          to label %join unwind label %pad
join:
  %v = phi i32 [ {value}, %try ], [ 0, %0 ]
  ret i32 %v
pad:
  %l = landingpad {{ ptr, i32 }} cleanup
  resume {{ ptr, i32 }} %l
}}
"""
    blocks = [
        inside(walked(name, text.format(call=call, value=value)), "f").count(":")
        for call, value in (("%x = invoke i32 @g()", "%x"), ("invoke void @g()", "1"))
    ]
    assert blocks == [4, without]


@pytest.mark.parametrize("name", DOMAINS)
def test_nothing_stands_between_a_tail_call_and_its_return(name: str) -> None:
    text = """
declare i32 @g(i32)
define i32 @f(i32 %x) {
  %y = musttail call i32 @g(i32 %x)
  ret i32 %y
}
"""
    body = inside(walked(name, text), "f")
    assert re.search(r"musttail call i32 @g\(i32 %x\)\n  ret i32 %y", body)
