"""The access pass: which accesses get which marker, before any optimisation."""

from __future__ import annotations

import re
from dataclasses import replace

import llvmlite.binding as llvm
import pytest
from tests.harness.rules import without_values

from whence.abi.analyses import ORIGINS
from whence.instrument.calls.requests import CLOSES, may_close
from whence.instrument.passes.stages import Stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.compiling import Job, compile_module, instrument_text
from whence.rules import load_standard, load_texts

HEADER = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
)
OF_VARIABLES = ("stack-buffer-overflow", "stack-use-after-scope", "global-buffer-overflow")
MARKER = re.compile(r"call void @(__whence_\w+)\(([^)]*)\)")


def job(own: tuple[str, ...] = (), **changes: object) -> Job:
    made = jobs.make_job(without_values(), "test.c", "2", own)
    return Job(**{**made.__dict__, **changes})  # type: ignore[arg-type]


def instrument(body: str, parameters: str = "ptr %a, i64 %i", extra: str = "", **options: object) -> str:
    text = f"{HEADER}{extra}\ndefine void @f({parameters}) {{\n{body}  ret void\n}}\n"
    module = llvm.parse_assembly(text)
    module.verify()
    result = instrument_text(str(module), job(**options), Stage.PROMOTED)  # type: ignore[arg-type]
    llvm.parse_assembly(result).verify()
    return result


def markers(body: str, **options: object) -> list[tuple[str, str]]:
    return MARKER.findall(instrument(body, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("access", "name"),
    [
        ("%v = load i8, ptr %a, align 1", "__whence_check_r1"),
        ("store i16 1, ptr %a, align 2", "__whence_check_w2"),
        ("%v = load i32, ptr %a, align 4", "__whence_check_r4"),
        ("%v = load i32, ptr %a, align 2", "__whence_check_r4u"),
        ("store double 1.0, ptr %a, align 8", "__whence_check_w8"),
        ("%v = load <4 x i32>, ptr %a, align 16", "__whence_check_r16"),
        ("%v = load <4 x i32>, ptr %a, align 4", "__whence_check_r16u"),
        ("%v = load <8 x i32>, ptr %a, align 32", "__whence_range"),
        ("%v = load x86_fp80, ptr %a, align 16", "__whence_range"),
        ("%v = load volatile i64, ptr %a, align 8", "__whence_check_r8"),
        ("%v = atomicrmw add ptr %a, i32 1 seq_cst, align 4", "__whence_check_w4"),
        ("%v = cmpxchg ptr %a, i64 0, i64 1 seq_cst seq_cst, align 8", "__whence_check_w8"),
    ],
)
def test_kind_of_access(access: str, name: str) -> None:
    assert [found for found, _ in markers(f"  {access}\n")] == [name]


REQUEST = (
    r'"rolq $$3,  %rdi ; rolq $$13, %rdi\0A\09rolq $$61, %rdi ; rolq $$51, %rdi\0A\09xchgq %rbx,%rbx", '
    '"={dx},{ax},0,~{cc},~{memory},~{dirflag},~{fpsr},~{flags}"'
)


def test_client_requests_become_calls() -> None:
    text = instrument(
        f"""
  %x = call i64 asm sideeffect {REQUEST}(ptr %a, i64 %i)
  call i64 asm sideeffect {REQUEST}(ptr %a, i64 0)
  store i64 %x, ptr %a
  %y = call i64 asm sideeffect {REQUEST.replace("$$61", "$$60")}(ptr %a, i64 1)
"""
    )
    assert re.search(r"%x = call i64 @__whence_client_request\(ptr %a, i64 %i\)", text)
    assert len(re.findall("call i64 @__whence_client_request", text)) == 2
    assert text.count("declare i64 @__whence_client_request(ptr, i64)") == 1
    assert text.count("rolq") == 4  # another sequence is the program's own


def test_where_the_program_closes_memory_each_byte_is_looked_at() -> None:
    """A block has no holes, unless the program makes them: then what lies between two checks is checked."""
    body = """
  %p = getelementptr i8, ptr %a, i64 40
  %q = getelementptr i8, ptr %a, i64 20
  store i8 0, ptr %a
  store i8 1, ptr %p
  store i8 2, ptr %q
  store i8 3, ptr %q
"""
    assert len(markers(body)) == 2
    assert len(markers(body, own=(CLOSES,))) == 3


@pytest.mark.parametrize(
    ("bitcode", "expected"),
    [(b"..__asan_poison_memory_region..", True), (b"\0_zzq_args\0", True), (b"_zzq poison", False)],
)
def test_modules_that_may_close_memory(bitcode: bytes, expected: bool) -> None:
    assert may_close(bitcode) is expected


def test_marker_stands_before_the_access() -> None:
    lines = instrument("  store i32 1, ptr %a, align 4\n").splitlines()
    place = next(i for i, line in enumerate(lines) if "store i32" in line)
    assert "__whence_check_w4" in lines[place - 1]


def test_variable_index_is_judged_against_its_base() -> None:
    body = "  %p = getelementptr i32, ptr %a, i64 %i\n  %v = load i32, ptr %p, align 4\n"
    assert markers(body) == [("__whence_checkp_r4", "ptr %p, ptr %a")]


def test_chain_of_steps_leads_to_the_first_base() -> None:
    body = (
        "  %p = getelementptr i32, ptr %a, i64 %i\n"
        "  %q = getelementptr inbounds i8, ptr %p, i64 4\n"
        "  %v = load i32, ptr %q, align 4\n"
    )
    assert markers(body) == [("__whence_checkp_r4", "ptr %q, ptr %a")]


@pytest.mark.parametrize(
    ("offset", "judged"), [(4, False), (16, False), (-16, False), (17, True), (-24, True)]
)
def test_constant_offset_beyond_the_red_zone(offset: int, judged: bool) -> None:
    body = f"  %p = getelementptr i8, ptr %a, i64 {offset}\n  %v = load i8, ptr %p, align 1\n"
    assert markers(body)[0][0] == ("__whence_checkp_r1" if judged else "__whence_check_r1")


def test_variables_have_markers_if_a_rule_judges_them() -> None:
    body = (
        "  %s = alloca [4 x i32], align 16\n"
        "  %p = getelementptr i32, ptr %s, i64 %i\n"
        "  store i32 1, ptr %p, align 4\n"
        "  %q = getelementptr i32, ptr @g, i64 %i\n"
        "  store i32 1, ptr %q, align 4\n"
    )
    extra = "@g = global [4 x i32] zeroinitializer"
    assert markers(body, extra=extra) == [
        ("__whence_checkof_w4", "ptr %p, ptr %s, i64 13"),
        ("__whence_checkof_w4", "ptr %q, ptr @g, i64 13"),
    ]
    heap_only = jobs.make_job(without_values().select(disable=OF_VARIABLES), "test.c", "2", ()).policy
    assert markers(body, extra=extra, policy=heap_only) == []


def test_null_is_checked() -> None:
    assert markers("  store i32 1, ptr null, align 4\n") == [("__whence_check_w4", "ptr null")]


def test_another_address_space_is_left_alone() -> None:
    assert markers("  %v = load i32, ptr addrspace(257) null, align 4\n") == []


def test_second_check_of_an_address_is_left_out_until_a_call() -> None:
    body = (
        "  %v = load i32, ptr %a, align 4\n  store i32 %v, ptr %a, align 4\n"
        "  call void @g()\n  store i32 2, ptr %a, align 4\n"
    )
    found = [name for name, _ in markers(body, extra="declare void @g()")]
    assert found == ["__whence_check_r4", "__whence_check_w4"]


def test_facts_meet_after_a_branch_and_not_around_a_loop() -> None:
    body = (
        "  %v = load i32, ptr %a, align 4\n  %c = icmp eq i32 %v, 0\n  br i1 %c, label %x, label %y\n"
        "x:\n  br label %z\ny:\n  br label %z\n"
        "z:\n  store i32 1, ptr %a, align 4\n  br label %loop\n"
        "loop:\n  store i32 2, ptr %a, align 4\n  call void @g()\n  br i1 %c, label %loop, label %end\n"
        "end:\n"
    )
    found = [name for name, _ in markers(body, extra="declare void @g()")]
    assert found == ["__whence_check_r4", "__whence_check_w4"]


def test_same_slot_is_known_below_a_greater_offset() -> None:
    body = "".join(
        f"  %p{n} = getelementptr i8, ptr %a, i64 {n}\n  store i8 1, ptr %p{n}, align 1\n"
        for n in (96, 40, 64, 112, 129, 140)
    )
    assert [name.removeprefix("__whence_") for name, _ in markers(body)] == [
        "checkp_w1",
        "check_w1",
        # 64 lies between 40 and 96: nothing to check
        "check_w1",
        "checkp_w1",
        "check_w1",
    ]


def test_equal_computations_are_one_place() -> None:
    """The front end computes an index anew for each access."""
    body = "".join(
        f"  %x{n} = sext i32 %j to i64\n  %p{n} = getelementptr i32, ptr %a, i64 %x{n}\n"
        f"  store i32 {n}, ptr %p{n}, align 4\n"
        for n in range(3)
    )
    found = MARKER.findall(instrument(body, parameters="ptr %a, i32 %j"))
    assert found == [("__whence_checkp_w4", "ptr %p0, ptr %a")]


def test_fields_of_an_element_stay_near_it() -> None:
    """Of `a[i].x` and `a[i].y` the second needs no look at the root."""
    body = (
        "  %p = getelementptr [8 x i8], ptr %a, i64 %i\n  store i32 1, ptr %p, align 4\n"
        "  %q = getelementptr i8, ptr %p, i64 4\n  store i32 1, ptr %q, align 4\n"
        "  %z = getelementptr i8, ptr %p, i64 24\n  store i32 1, ptr %z, align 4\n"
    )
    assert [name for name, _ in markers(body)] == [
        "__whence_checkp_w4",
        "__whence_check_w4",
        "__whence_checkp_w4",
    ]


def test_a_loop_that_frees_nothing_keeps_what_is_checked() -> None:
    body = (
        "  store i32 1, ptr %a, align 4\n  br label %loop\n"
        "loop:\n  store i32 2, ptr %a, align 4\n  call void @h()\n"
        "  %c = icmp eq i64 %i, 0\n  br i1 %c, label %loop, label %end\nend:\n"
    )
    keeps = "define void @h() {\n  call void @h()\n  ret void\n}"
    frees = "declare void @free(ptr)\ndefine void @h() {\n  call void @free(ptr null)\n  ret void\n}"
    for extra, checks in ((keeps, 1), (frees, 2)):
        assert sum(name.startswith("__whence_check") for name, _ in markers(body, extra=extra)) == checks


def test_common_root_of_a_loop_is_its_start() -> None:
    body = (
        "  br label %loop\n"
        "loop:\n  %p = phi ptr [ %a, %0 ], [ %n, %next ]\n  %c = icmp eq ptr %p, null\n"
        "  br i1 %c, label %use, label %next\n"
        "use:\n  store i8 1, ptr %p, align 1\n  br label %next\n"
        "next:\n  %n = getelementptr i8, ptr %p, i64 %i\n  br i1 %c, label %loop, label %end\n"
        "end:\n"
    )
    assert markers(body) == [("__whence_checkp_w1", "ptr %p, ptr %a")]


def test_small_steps_through_the_access_need_no_root() -> None:
    body = (
        "  br label %loop\n"
        "loop:\n  %p = phi ptr [ %a, %0 ], [ %n, %loop ]\n  store i32 1, ptr %p, align 4\n"
        "  %n = getelementptr i32, ptr %p, i64 1\n  %c = icmp eq ptr %n, null\n"
        "  br i1 %c, label %loop, label %end\nend:\n"
    )
    assert markers(body) == [("__whence_check_w4", "ptr %p")]


def test_roots_that_differ_meet_in_a_phi_of_their_own() -> None:
    body = (
        "  %x = getelementptr i32, ptr %a, i64 %i\n  %y = getelementptr i32, ptr %b, i64 %i\n"
        "  %c = icmp eq i64 %i, 0\n  br i1 %c, label %l, label %r\n"
        "l:\n  br label %end\nr:\n  br label %end\n"
        "end:\n  %p = phi ptr [ %x, %l ], [ %y, %r ]\n  store i32 1, ptr %p, align 4\n"
    )
    text = instrument(body, parameters="ptr %a, ptr %b, i64 %i")
    merged = re.search(r"(%\S+) = phi ptr \[ %a, %l \], \[ %b, %r \]", text)
    assert merged
    assert MARKER.findall(text) == [("__whence_checkp_w4", f"ptr %p, ptr {merged[1]}")]


def test_select_of_derived_pointers() -> None:
    body = (
        "  %x = getelementptr i32, ptr %a, i64 %i\n  %c = icmp eq i64 %i, 0\n"
        "  %p = select i1 %c, ptr %x, ptr %b\n  store i32 1, ptr %p, align 4\n"
    )
    text = instrument(body, parameters="ptr %a, ptr %b, i64 %i")
    assert re.search(r"%\S+ = select i1 %c, ptr %a, ptr %b", text)


RELOCATION = (
    "  %n = ptrtoint ptr %new to i64\n  %o = ptrtoint ptr %old to i64\n  %d = sub i64 %n, %o\n"
    "  %q = getelementptr i8, ptr %a, i64 %d\n  store i8 1, ptr %q, align 1\n"
)


def test_relocated_pointer_is_not_judged_against_its_old_block() -> None:
    assert markers(RELOCATION, parameters="ptr %a, ptr %new, ptr %old") == [("__whence_check_w1", "ptr %q")]


def test_pointer_moved_by_its_own_distance_is_judged_where_it_arrives() -> None:
    """Against its old block, if it does not arrive in the slot of the new one."""
    text = instrument(RELOCATION.replace("%old", "%a"), parameters="ptr %a, ptr %new")
    chosen = re.search(r"(%\S+) = select i1 %\S+, ptr %q, ptr %a", text)
    assert chosen
    assert MARKER.findall(text) == [("__whence_checkp_w1", f"ptr %q, ptr {chosen[1]}")]


@pytest.mark.parametrize(
    "changed",
    [
        ("%d = sub i64 %n, %o", "%e = sub i64 %n, %o\n  %d = sdiv i64 %e, 2"),
        ("%d = sub i64 %n, %o", "%d = sub i64 %o, %n"),
        ("%d = sub i64 %n, %o", "%d = add i64 %o, %n"),
        ("i8, ptr %a", "i16, ptr %a"),
        ("%d = sub i64 %n, %o", "%e = sub i64 %n, %o\n  %d = shl i64 %e, 9223372036854775807"),
    ],
    ids=["half", "reversed", "sum", "double", "shifted"],
)
def test_what_is_no_distance_from_the_own_block_is_an_index(changed: tuple[str, str]) -> None:
    body = RELOCATION.replace("%old", "%a").replace(*changed)
    assert markers(body, parameters="ptr %a, ptr %new") == [("__whence_checkp_w1", "ptr %q, ptr %a")]


def test_distance_between_pointers_of_one_root_is_an_index() -> None:
    body = "  %new = getelementptr i8, ptr %a, i64 %i\n" + RELOCATION.replace("%old", "%a")
    assert markers(body, parameters="ptr %a, i64 %i") == [("__whence_checkp_w1", "ptr %q, ptr %a")]


@pytest.mark.parametrize("chosen", ["select i1 %c, i64 %e, i64 0", "select i1 %c, i64 0, i64 %e"])
def test_distance_that_is_one_of_several(chosen: str) -> None:
    body = RELOCATION.replace("%old", "%a").replace(
        "%d = sub i64 %n, %o", f"%e = sub i64 %n, %o\n  %c = icmp eq i64 %i, 0\n  %d = {chosen}"
    )
    text = instrument(body, parameters="ptr %a, ptr %new, i64 %i")
    assert re.search(r"%\S+ = select i1 %\S+, ptr %q, ptr %a", text)


ONE_PATH = """\
  switch i64 %i, label %join [
    i64 1, label %then
    i64 2, label %then
  ]
then:
  %end = load ptr, ptr %place, align 8
  %n = ptrtoint ptr %end to i64
  %o = ptrtoint ptr %a to i64
  %e = sub i64 %n, %o
  switch i64 %e, label %join [
    i64 8, label %join
  ]
join:
  %d = phi i64 [ 0, %entry ], [ %e, %then ], [ %e, %then ]
  %q = getelementptr i8, ptr %a, i64 %d
  store i8 1, ptr %q, align 1
"""


def test_distance_of_one_path_brings_its_end_to_where_it_is_used() -> None:
    text = instrument("  br label %entry\nentry:\n" + ONE_PATH, parameters="ptr %a, ptr %place, i64 %i")
    end = re.search(r"(%\S+) = phi ptr \[ null, %entry \], \[ %end, %then \], \[ %end, %then \]", text)
    assert end
    assert f"ptrtoint ptr {end[1]} to i64" in text


def test_end_that_dominates_the_use_is_taken_as_it_is() -> None:
    body = ONE_PATH.replace("i64 %i, label %join", "i64 %i, label %then").replace("[ 0, %entry ], ", "")
    text = instrument("  br label %entry\nentry:\n" + body, parameters="ptr %a, ptr %place, i64 %i")
    assert "phi ptr" not in text
    assert text.count("ptrtoint ptr %end to i64") == 2


def test_memory_intrinsics() -> None:
    body = (
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %a, ptr align 4 %b, i64 8, i1 false)\n"
        "  call void @llvm.memset.p0.i64(ptr align 1 %a, i8 0, i64 %n, i1 false)\n"
        "  call void @llvm.memmove.p0.p0.i64(ptr align 1 %a, ptr align 1 %b, i64 0, i1 false)\n"
    )
    extra = (
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
        "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n"
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
    )
    assert markers(body, parameters="ptr %a, ptr %b, i64 %n", extra=extra) == [
        ("__whence_check_r8u", "ptr %b"),
        ("__whence_check_w8", "ptr %a"),
        ("__whence_check_copy_8", "ptr %a, ptr %b"),
        ("__whence_range", f"ptr %a, i64 %n, ptr %a, i32 {1 << 24 | 3 << 25}"),
    ]


COPIES = {
    "ptr align 1 %a, ptr align 1 %b, i64 24": ("__whence_check_copy", "ptr %a, ptr %b, i64 24, i32 0"),
    "ptr align 1 %a, ptr align 1 %b, i64 %n": (
        "__whence_check_copy",
        f"ptr %a, ptr %b, i64 %n, i32 {1 << 25}",
    ),
    "ptr align 1 %a, ptr align 1 %near, i64 16": ("__whence_check_copy_16", "ptr %a, ptr %near"),
    "ptr align 1 %a, ptr align 1 %any, i64 16": ("__whence_check_copy_16", "ptr %a, ptr %any"),
    "ptr align 1 %slot, ptr align 1 %b, i64 %n": (
        "__whence_check_copy",
        f"ptr %slot, ptr %b, i64 %n, i32 {1 << 25}",
    ),
    "ptr align 8 %a, ptr align 8 %b, i64 16": ("__whence_check_copy_16", "ptr %a, ptr %b"),
    # equal, side by side, of different objects, a word read through a variable, as large as an alignment
    "ptr align 1 %a, ptr align 1 %a, i64 24": None,
    "ptr align 1 %a, ptr align 1 %near, i64 8": None,
    "ptr align 1 %slot, ptr align 1 @g, i64 %n": None,
    "ptr align 1 %slot, ptr align 1 %b, i64 8": None,
    "ptr align 16 %a, ptr align 8 %b, i64 8": None,
}


@pytest.mark.parametrize("arguments", COPIES)
def test_copies(arguments: str) -> None:
    """A copy is checked where its ranges might overlap without being equal."""
    body = (
        "  %slot = alloca [64 x i8]\n"
        "  %near = getelementptr i8, ptr %a, i64 8\n"
        "  %any = getelementptr i8, ptr %a, i64 %n\n"
        f"  call void @llvm.memcpy.p0.p0.i64({arguments}, i1 false)\n"
    )
    extra = "@g = external global [64 x i8]\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
    found = markers(body, parameters="ptr %a, ptr %b, i64 %n", extra=extra)
    copies = [marker for marker in found if marker[0].startswith("__whence_check_copy")]
    assert copies == ([COPIES[arguments]] if COPIES[arguments] else [])
    moves = [text.replace("memcpy", "memmove") for text in (body, extra)]
    found = markers(moves[0], parameters="ptr %a, ptr %b, i64 %n", extra=moves[1])
    assert not [marker for marker in found if "copy" in marker[0]]


def test_struct_by_value_is_read_by_the_call() -> None:
    body = "  call void @g(ptr byval({ i64, i64, i64 }) align 8 %a)\n"
    found = markers(body, extra="declare void @g(ptr byval({ i64, i64, i64 }))")
    assert found == [("__whence_range", "ptr %a, i64 24, ptr %a, i32 0")]


def test_library_references_are_redirected_without_their_promises() -> None:
    text = instrument(
        "  %p = call noalias ptr @malloc(i64 8) #0\n  call void @free(ptr %p) #0\n",
        extra=(
            "declare noalias ptr @malloc(i64) #0\ndeclare void @free(ptr) #0\n"
            "attributes #0 = { nounwind willreturn memory(inaccessiblemem: readwrite) }"
        ),
    )
    assert "@malloc" not in text and "@free(" not in text
    call = next(line for line in text.splitlines() if "call ptr @__whence_malloc" in line)
    group = re.search(rf"attributes {call.split()[-1]} = {{([^}}]*)}}", text)
    assert group and "nomerge" in group[1] and "willreturn" not in group[1] and "memory" not in group[1]


def test_own_functions_are_not_redirected() -> None:
    extra = "declare i64 @strlen(ptr)"
    body = "  %n = call i64 @strlen(ptr %a)\n"
    assert "@__whence_strlen" in instrument(body, extra=extra)
    assert "@__whence_strlen" not in instrument(body, extra=extra, own=("strlen",))


def test_a_function_that_the_module_defines_stays() -> None:
    extra = "define i64 @strlen(ptr %s) {\n  ret i64 0\n}"
    assert "@__whence_strlen" not in instrument("  %n = call i64 @strlen(ptr %a)\n", extra=extra)


def test_promises_of_definitions_are_withdrawn() -> None:
    text = (
        "define i32 @f(ptr dereferenceable(4) %a) #0 {\n  %v = load i32, ptr %a, align 4\n  ret i32 %v\n}\n"
        "attributes #0 = { mustprogress willreturn nounwind memory(read) optnone noinline }\n"
    )
    carried = instrument_text(HEADER + text, job(), Stage.CARRIED)
    result = str(llvm.parse_assembly(instrument_text(carried, job(), Stage.PROMOTED)))
    assert not re.search(r"mustprogress|willreturn|optnone|memory\(read\)|dereferenceable", result)
    assert "null_pointer_is_valid" in result and '"frame-pointer"="all"' in result


def test_pointers_in_own_globals_are_kept_for_the_leak_search() -> None:
    extra = "@p = internal global ptr null\n@n = internal global i32 0\n@c = internal constant ptr null"
    kept = re.search(r"@llvm.compiler.used = .*\[(.*)\],", instrument("", extra=extra))
    assert kept and kept[1] == "ptr @p"


def test_watched_function_reports_entry_and_return() -> None:
    policy = replace(job().policy, arguments=1)
    text = instrument("", parameters="i32 %n", watched=("main", "f"), policy=policy)
    assert re.search(r"sext i32 %n to i64", text)
    events = ["__whence_call", "__whence_ret", "__whence_watched"]
    assert [name for name, _ in MARKER.findall(text)] == events


def test_a_rule_that_sees_every_access_merges_nothing() -> None:
    rules = load_texts(
        [("my.rules", b'rule every-write "write"\n    at deref_w r\n    when Value(r) == 3\n')]
    )
    policy = jobs.make_job(rules.select(["every-write"], ["all"]), "t", "2", ()).policy
    assert not policy.merge and policy.writes and not policy.reads


BUGS = """
declare ptr @malloc(i64)
declare void @free(ptr)
define void @twice() {
  %p = call ptr @malloc(i64 8)
  call void @free(ptr %p)
  call void @free(ptr %p)
  ret void
}
define void @dead() {
  %p = call ptr @malloc(i64 8)
  %q = getelementptr i8, ptr %p, i64 8
  %v = load i8, ptr %q, align 1
  call void @free(ptr %p)
  ret void
}
"""


def test_what_the_optimiser_would_delete_is_still_there() -> None:
    """Both bugs vanish from plain -O2 code."""
    module = llvm.parse_assembly(HEADER + BUGS)
    compiled = compile_module(module.as_bitcode(), job(speed="3"))
    assert compiled.functions == sum(not function.is_declaration for function in module.functions)
    code = compiled.code
    assert b"__whence_malloc" in code and b"__whence_free" in code and b"__whence_access" in code


def test_broken_bitcode_is_one_sentence() -> None:
    from whence.errors import ToolLimit

    with pytest.raises(ToolLimit, match=r"test.c: LLVM \d+ does not read the carried IR"):
        compile_module(b"BC\xc0\xdenonsense", job())


def test_jobs_of_other_checks_have_other_keys() -> None:
    rules = load_standard()
    made = [rules, rules.select(disable=["all"]), rules.select(disable=["use-of-uninitialized-value"])]
    keys = {jobs.make_job(each, "", "", ()).key() for each in made}
    keys.add(jobs.make_job(rules, "", "", (), analyses=frozenset((ORIGINS,))).key())
    assert len(keys) == 4
