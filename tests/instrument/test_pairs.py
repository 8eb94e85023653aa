"""Which comparisons and subtractions of pointers get markers."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.harness.rules import without_values

from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES
from whence.instrument.steps.pairs import POINTS

POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
_MARKER = re.compile(r"call void @__whence_check_(\w+)\((.*)\) nomerge")


def marked(*lines: str) -> list[tuple[str, str]]:
    """(marker, operands) in the order of the text."""
    body = "\n".join(f"  {line}" for line in lines)
    tables = "".join(f"@{name} = global [8 x i32] zeroinitializer\n" for name in ("table", "copy"))
    text = f"{tables}define void @f(ptr %p, ptr %q, i64 %i) {{\n{body}\n  ret void\n}}\n"
    chosen = [each for each in PASSES if each.name == "mark-pairs"]
    after = run_stage(chosen, Stage.CARRIED, text, Context("t", replace(POLICY, steps=POINTS)))
    return _MARKER.findall(after)


def rooted(*lines: str) -> list[tuple[str, str]]:
    """The same with what the pointers were derived from."""
    body = "\n".join(f"  {line}" for line in lines)
    text = f"""
declare void @__whence_check_compare(ptr, ptr, ptr, ptr)
define void @f(ptr %p, ptr %q, i64 %i) {{
{body}
  ret void
}}
"""
    chosen = [each for each in PASSES if each.name == "root-pairs"]
    after = run_stage(chosen, Stage.PROMOTED, text, Context("t", replace(POLICY, steps=POINTS)))
    return _MARKER.findall(after)


def test_what_pointers_are_derived_from() -> None:
    computed = "%a = getelementptr inbounds i32, ptr %p, i64 %i"
    check = "call void @__whence_check_compare(ptr {0}, ptr %q, ptr {0}, ptr %q) nomerge"
    assert rooted(computed, check.format("%a")) == [("compare", "ptr %a, ptr %q, ptr %p, ptr %q")]
    assert rooted(check.format("%p")) == [("compare", "ptr %p, ptr %q, ptr %p, ptr %q")]


def test_orders_of_pointers_are_marked() -> None:
    for predicate in ("ult", "ule", "ugt", "uge"):
        assert marked(f"%c = icmp {predicate} ptr %p, %q") == [("compare", "ptr %p, ptr %q, ptr %p, ptr %q")]


def test_other_comparisons_are_not() -> None:
    assert marked("%c = icmp eq ptr %p, %q", "%d = icmp ult i64 %i, 4", "%e = icmp ult ptr %p, null") == []


def test_differences_of_pointers_are_marked() -> None:
    pair = ["%a = ptrtoint ptr %p to i64", "%b = ptrtoint ptr %q to i64"]
    assert marked(*pair, "%d = sub i64 %a, %b") == [("difference", "ptr %p, ptr %q, ptr %p, ptr %q")]
    assert marked(*pair, "%d = add i64 %a, %b") == []


def test_differences_of_elements_of_variables_are_marked() -> None:
    lines = ["%a = ptrtoint ptr %p to i64", "%d = sub i64 %a, ptrtoint (ptr @table to i64)"]
    found = [("difference", "ptr %p, ptr @table, ptr %p, ptr @table")]
    assert marked(*lines, "%n = sdiv exact i64 %d, 4") == found
    assert marked(*lines) == []


def test_differences_of_constant_addresses_are_marked() -> None:
    """Of two variables: that of two addresses in one is a number."""
    third = "getelementptr inbounds ([8 x i32], ptr @table, i64 0, i64 3)"
    constant = f"sub (i64 ptrtoint (ptr {third} to i64), i64 ptrtoint (ptr @{{}} to i64))"
    found = [("difference", f"ptr {third}, ptr @copy, ptr {third}, ptr @copy")]
    assert marked(f"%n = sdiv exact i64 {constant.format('copy')}, 4") == found
    assert marked(f"%n = sdiv exact i64 {constant.format('table')}, 4") == []
    assert marked(f"store i64 {constant.format('copy')}, ptr %p") == []


def test_differences_of_numbers_are_not() -> None:
    between = "%w = load i64, ptr %p"
    assert marked("%a = ptrtoint ptr %p to i64", between, "%d = sub i64 %a, %w") == []
    pair = ["%a = ptrtoint ptr %p to i64", between, "%b = ptrtoint ptr %q to i64"]
    assert marked(*pair, "%d = sub i64 %a, %b") == []
