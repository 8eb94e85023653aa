"""Roots of pointers in functions whose values need each other, and in deep ones."""

from __future__ import annotations

import sys

import pytest
from tests.instrument.test_instrument import instrument, markers

from whence import ir
from whence.instrument.accesses.marking import mark_accesses
from whence.instrument.analysis.provenance import Kind, Provenance
from whence.instrument.passes.context import Context
from whence.instrument.passes.policy import Policy

DEEP = 3 * sys.getrecursionlimit()


def body(text: str, parameters: str) -> ir.Function:
    module = ir.parse(f"define void @f({parameters}) {{\n{text}  ret void\n}}\n", "test.ll")
    return module.functions["f"]


CYCLES = {
    "a load at its own distance": (
        "  br label %loop\nloop:\n  %p = phi ptr [ %a, %0 ], [ %next, %loop ]\n"
        "  %x = ptrtoint ptr %p to i64\n  %y = ptrtoint ptr %b to i64\n  %d = sub i64 %x, %y\n"
        "  %at = getelementptr i8, ptr %t, i64 %d\n  %next = load ptr, ptr %at\n"
        "  br i1 %c, label %loop, label %out\nout:\n"
    ),
    "two loads at each other's distance": (
        "  br label %loop\nloop:\n  %p = phi ptr [ %a, %0 ], [ %n, %loop ]\n"
        "  %q = phi ptr [ %b, %0 ], [ %m, %loop ]\n"
        "  %x = ptrtoint ptr %p to i64\n  %y = ptrtoint ptr %q to i64\n  %d = sub i64 %x, %y\n"
        "  %at = getelementptr i8, ptr %t, i64 %d\n  %n = load ptr, ptr %at\n"
        "  %z = ptrtoint ptr %n to i64\n  %e = sub i64 %y, %z\n"
        "  %to = getelementptr i8, ptr %t, i64 %e\n  %m = load ptr, ptr %to\n"
        "  br i1 %c, label %loop, label %out\nout:\n"
    ),
    "a pointer moved by its own distance": (
        "  br label %loop\nloop:\n  %p = phi ptr [ %a, %0 ], [ %next, %loop ]\n"
        "  %x = ptrtoint ptr %p to i64\n  %next = getelementptr i8, ptr %p, i64 %x\n"
        "  %v = load i64, ptr %next\n  br i1 %c, label %loop, label %out\nout:\n"
    ),
}


@pytest.mark.parametrize("text", CYCLES.values(), ids=CYCLES.keys())
def test_values_that_need_each_other(text: str) -> None:
    instrumented = instrument(text, parameters="ptr %a, ptr %b, ptr %t, i1 %c")
    accesses = sum(line.lstrip().startswith("%") and " = load " in line for line in text.splitlines())
    assert instrumented.count("call void @__whence_check") == accesses


def test_a_pointer_moved_between_blocks_is_a_root_wherever_it_was_loaded() -> None:
    text = (
        "  %p = load ptr, ptr %a\n  %x = ptrtoint ptr %b to i64\n  %y = ptrtoint ptr %t to i64\n"
        "  %d = sub i64 %x, %y\n  %q = getelementptr i8, ptr %p, i64 %d\n  %v = load i64, ptr %q\n"
    )
    assert markers(text, parameters="ptr %a, ptr %b, ptr %t")[-1] == ("__whence_check_r8", "ptr %q")


def chain(length: int, first: str, step: str) -> str:
    """Merges in a chain, each of the one before and of `step`, in the order of the text."""
    lines = ["  br label %b0\n", f"b0:\n  %m0 = getelementptr i8, ptr {first}, i64 0\n  br label %b1\n"]
    for i in range(1, length):
        lines.append(f"b{i}:\n  %m{i} = select i1 %c, ptr %m{i - 1}, ptr {step.format(i)}\n")
        lines.append(f"  br label %b{i + 1}\n")
    return "".join([*lines, f"b{length}:\n"])


def test_deep_merges_have_roots_of_their_own() -> None:
    given = "".join(f"  %g{i} = load ptr, ptr %b\n" for i in range(1, DEEP))
    steps = "".join(f"  %s{i} = getelementptr i8, ptr %g{i}, i64 %i\n" for i in range(1, DEEP))
    function = body(given + steps + chain(DEEP, "%a", "%s{}"), "ptr %a, ptr %b, i64 %i, i1 %c")
    root = Provenance(function).of(f"%m{DEEP - 1}").root
    made = [line for line in function.lines() if "select" in line and "ptr %s" not in line]
    assert root != f"%m{DEEP - 1}" and len(made) == DEEP - 1
    assert sum(f"ptr %g{DEEP - 1}" in line for line in made) == 1


@pytest.mark.parametrize(("first", "kind"), [("@x", Kind.OBJECT), ("%a", Kind.UNKNOWN)])
def test_deep_merges_have_a_kind(first: str, kind: Kind) -> None:
    function = body(chain(DEEP, first, "@y"), "ptr %a, i1 %c")
    assert Provenance(function).of(f"%m{DEEP - 1}").kind is kind


@pytest.mark.parametrize("order", [("%p", "%q"), ("%q", "%p")])
def test_the_kind_of_merges_in_a_circle_does_not_depend_on_who_is_first(order: tuple[str, str]) -> None:
    text = (
        "  br label %loop\nloop:\n  %p = phi ptr [ %a, %0 ], [ %q, %loop ]\n"
        "  %q = phi ptr [ @x, %0 ], [ %p, %loop ]\n  br i1 %c, label %loop, label %out\nout:\n"
    )
    provenance = Provenance(body(text, "ptr %a, i1 %c"))
    assert [provenance.of(name).kind for name in order] == [Kind.UNKNOWN, Kind.UNKNOWN]


@pytest.mark.parametrize(
    ("pointer", "kind"),
    [
        ("%slot", Kind.STACK),
        ("%in", Kind.STACK),
        ("@x", Kind.GLOBAL),
        ("%either", Kind.OBJECT),
        ("%a", Kind.UNKNOWN),
        ("%any", Kind.UNKNOWN),
        ("undef", Kind.UNDEFINED),
    ],
)
def test_kinds_of_roots(pointer: str, kind: Kind) -> None:
    text = (
        "  %slot = alloca [4 x i32]\n  %in = getelementptr i8, ptr %slot, i64 8\n"
        "  %either = select i1 %c, ptr %slot, ptr @x\n  %any = select i1 %c, ptr %slot, ptr %a\n"
    )
    assert Provenance(body(text, "ptr %a, i1 %c")).of(pointer).kind is kind


@pytest.mark.parametrize("kind", [Kind.UNKNOWN, Kind.STACK, Kind.GLOBAL])
def test_the_policy_says_which_kinds_are_judged(kind: Kind) -> None:
    pointers = {Kind.UNKNOWN: "%a", Kind.STACK: "%slot", Kind.GLOBAL: "@x"}
    stores = "".join(f"  store i8 1, ptr {pointer}\n" for pointer in pointers.values())
    function = body(f"  %slot = alloca i8\n{stores}", "ptr %a")
    mark_accesses(Context("t", Policy(judged=frozenset((kind,))), module=function.module))
    count = str(function).count("call void @__whence_check")
    checks = [line for line in function.lines() if "@__whence_check" in line]
    assert count == len(checks) == 1 and f"ptr {pointers[kind]}" in checks[0]
