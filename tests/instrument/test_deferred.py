"""Which uses of pointers leave what their nodes are made of, and which the nodes themselves."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
from tests.harness.rules import without_values

from whence.abi.analyses import ORIGINS
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES

POLICY = jobs.make_job(without_values(), "test.c", "2", (), analyses=frozenset((ORIGINS,))).policy
SITES = "@whence.sites"
HEAD = f"""declare i32 @__whence_origin_load_p(ptr, ptr, ptr)
declare i32 @__whence_origin_load_4(ptr, ptr, i32)
declare i32 @__whence_origin_step(ptr, i32)
declare i32 @__whence_origin_born(ptr)
declare i32 @__whence_origin_parameter_p(ptr, ptr, i64, ptr)
declare void @__whence_origin_use(ptr, i32)
declare void @__whence_origin_use_1(ptr, i32, i64, i32, i64, i32, i64)
declare void @__whence_origin_store_p(ptr, ptr, i32)
declare void @__whence_origin_store_4(ptr, i32, i32)
declare void @__whence_origin_pass_p(i64, i32, ptr)
declare void @other(ptr)
@g = global i32 0
{SITES} = internal global [4 x {{ i64, i64, ptr, ptr }}] zeroinitializer
"""
SITE = f"getelementptr inbounds (i8, ptr {SITES}, i64 {{}})"
LOADED = f"""  %p = load ptr, ptr %a, align 8
  %n = call i32 @__whence_origin_load_p(ptr {SITES}, ptr %a, ptr %p)
"""
USED = "  call void @__whence_origin_use(ptr %p, i32 %n)\n"


def deferred(body: str, parameters: str = "ptr %a, ptr %b") -> str:
    """The function after the pass, which LLVM accepts."""
    text = f"{HEAD}define void @f({parameters}) {{\n{body}  ret void\n}}\n"
    llvm.parse_assembly(text).verify()
    chosen = [each for each in PASSES if each.name == "defer-uses"]
    after = run_stage(chosen, Stage.OPTIMISED, text, Context("t", POLICY))
    llvm.parse_assembly(after).verify()
    return after


def words(after: str) -> list[int]:
    """How many words each use leaves beside its recipe, -1 where it leaves nodes."""
    found = re.findall(r"^ *call void @__whence_origin_(use|defer_\d)", after, re.MULTILINE)
    return [-1 if each == "use" else int(each[-1]) for each in found]


def loads(after: str) -> int:
    return len(re.findall(r"= call i32 @__whence_origin_load", after))


def test_a_loaded_pointer_is_looked_up_later() -> None:
    after = deferred(LOADED + USED)
    assert words(after) == [2]
    assert loads(after) == 0


def test_hops_stand_in_the_recipe() -> None:
    step = SITE.format(32)
    moved = f"  %n = call i32 @__whence_origin_step(ptr {step}, i32 %m)\n"
    after = deferred(LOADED.replace("%n", "%m") + moved + USED)
    assert words(after) == [2]
    assert "call i32 @__whence_origin_step" not in after
    assert "[i32 2, i32 19, i32 8, i32 0]" in after  # STEP at site 1, LOAD_8 at site 0, NONE


def test_another_store_to_the_place_comes_too_late() -> None:
    store = "  call void @__whence_origin_store_p(ptr %b, ptr null, i32 7)\n"
    after = deferred(LOADED + store + USED)
    assert words(after) == [-1]
    assert loads(after) == 1
    assert words(deferred(LOADED + USED + store)) == [2]


def test_a_store_beside_the_place_changes_nothing() -> None:
    beside = """  %q = getelementptr i8, ptr %a, i64 8
  call void @__whence_origin_store_p(ptr %q, ptr null, i32 7)
"""
    assert words(deferred(LOADED + beside + USED)) == [2]
    within = beside.replace("i64 8", "i64 4")
    assert words(deferred(LOADED + within + USED)) == [-1]


def test_a_store_to_another_variable_changes_nothing() -> None:
    begin = "  %a = alloca ptr\n"
    store = "  call void @__whence_origin_store_4(ptr @g, i32 0, i32 7)\n"
    assert words(deferred(begin + LOADED + store + USED, "ptr %b")) == [2]


def test_a_call_may_store_anything() -> None:
    assert words(deferred(LOADED + "  call void @other(ptr %b)\n" + USED)) == [-1]
    assert words(deferred(LOADED + "  call void @llvm.assume(i1 true)\n" + USED)) == [2]


def test_a_node_that_is_needed_is_left_as_it_is() -> None:
    store = "  call void @__whence_origin_store_p(ptr %b, ptr %p, i32 %n)\n"
    after = deferred(LOADED + USED + store)
    assert words(after) == [-1]
    assert loads(after) == 1


LOOP = LOADED + """  br label %loop
loop:
  call void @__whence_origin_use(ptr %p, i32 %n)
  {}
  %c = icmp eq ptr %p, %b
  br i1 %c, label %loop, label %end
end:
"""


def test_what_changes_later_in_a_loop_counts() -> None:
    quiet, loud = "%x = add i32 0, 0", "call void @__whence_origin_store_p(ptr %b, ptr null, i32 7)"
    assert words(deferred(LOOP.format(quiet))) == [2]
    assert words(deferred(LOOP.format(loud))) == [-1]


def test_one_way_on_which_it_changes_is_enough() -> None:
    branch = LOADED + """  %c = icmp eq ptr %p, %b
  br i1 %c, label %one, label %two
one:
  {}
  br label %two
two:
  call void @__whence_origin_use(ptr %p, i32 %n)
"""
    assert words(deferred(branch.format("call void @other(ptr %b)"))) == [-1]
    assert words(deferred(branch.format("call void @llvm.assume(i1 true)"))) == [2]


def test_what_was_passed_stays_until_the_next_call() -> None:
    given = f"  %n = call i32 @__whence_origin_parameter_p(ptr @f, ptr {SITES}, i64 1, ptr %p)\n"
    store = "  call void @__whence_origin_store_p(ptr %b, ptr null, i32 7)\n"
    passing = "  call void @__whence_origin_pass_p(i64 0, i32 0, ptr %b)\n"
    parameters = "ptr %b, ptr %p"
    assert words(deferred(given + store + USED, parameters)) == [2]
    assert words(deferred(given + passing + USED, parameters)) == [-1]


def test_a_birth_takes_no_word() -> None:
    born = f"  %n = call i32 @__whence_origin_born(ptr {SITE.format(64)})\n"
    assert words(deferred(born + USED, "ptr %p")) == [0]


def test_a_site_that_is_no_constant_is_looked_at_at_once() -> None:
    either = f"  %c = icmp eq ptr %p, null\n  %s = select i1 %c, ptr {SITES}, ptr {SITE.format(32)}\n"
    born = "  %n = call i32 @__whence_origin_born(ptr %s)\n"
    after = deferred(either + born + USED, "ptr %p")
    assert words(after) == [-1]
    assert "call i32 @__whence_origin_born" in after


def test_an_index_has_words_of_its_own() -> None:
    index = """  %i = load i32, ptr %b, align 4
  %m = call i32 @__whence_origin_load_4(ptr @whence.sites, ptr %b, i32 %i)
  %j = sext i32 %i to i64
  call void @__whence_origin_use_1(ptr %p, i32 %n, i64 1, i32 %m, i64 %j, i32 7, i64 5)
"""
    after = deferred(LOADED + index)
    assert words(after) == [7]
    assert "zext i32 %i to i64" in after


def test_equal_recipes_stand_once() -> None:
    other = "  call void @other(ptr %b)\n"
    again = LOADED.replace("%n", "%m").replace("%p", "%q") + USED.replace("%n", "%m").replace("%p", "%q")
    after = deferred(LOADED + USED + other + again)
    assert words(after) == [2, 2]
    assert "[3 x i32]" in after


def test_a_use_near_the_last_one_is_dropped() -> None:
    near = """  %q = getelementptr i8, ptr %p, i64 {}
  call void @__whence_origin_use(ptr %q, i32 %n)
"""
    assert words(deferred(LOADED + USED + near.format(24))) == [2]
    assert words(deferred(LOADED + USED + near.format(4096))) == [2, 2]
    calls = "  call void @other(ptr %b)\n"
    assert words(deferred(LOADED + USED + calls + near.format(24))) == [-1, 1]
