"""More small blocks than may be resident: the others are packed, and nobody notices."""

from __future__ import annotations

import pytest
from tests.alloc.conftest import Compile, Preload

pytestmark = pytest.mark.build

FEW = "leaks=0:guard_resident=64"
WAYS = ["contents", "system-calls", "threads", "threads-first", "cancelling", "children", "signals"]
WAYS += ["own-faults", "leaks"]


@pytest.mark.parametrize("way", WAYS)
def test_clean_without(way: str, compile_plain: Compile, preload: Preload) -> None:
    """The ways are right without packing."""
    done = preload(compile_plain("packed.c"), way, guard="T", options="leaks=0:guard_resident=0")
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("guard", ["T", "B", "T,,,,E"])
@pytest.mark.parametrize("way", WAYS)
def test_clean(way: str, guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("packed.c"), way, guard=guard, options=FEW)
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("guard", ["BW", "BR"])
@pytest.mark.parametrize("way", ["system-calls", "children", "threads"])
def test_clean_with_both_ends(way: str, guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("packed.c", "-DCOUNT=99"), way, guard=guard, options=FEW)
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize(
    ("case", "guard", "rule", "place"),
    [
        ("beyond", "T", "heap-buffer-overflow", "is just after a block of 32 bytes"),
        ("before", "B", "heap-buffer-overflow", "is 2 bytes before a block of 32 bytes"),
        ("before", "T", "heap-buffer-overflow", "is 2 bytes before a block of 32 bytes"),  # when it is freed
        ("freed", "T", "dangling-pointer-dereference", "is 5 bytes inside a freed block of 32 bytes"),
        ("beyond", "BR", "heap-buffer-overflow", "is just after a block of 32 bytes"),
        ("before", "BW", "heap-buffer-overflow", "is 2 bytes before a block of 32 bytes"),
    ],
)
def test_found(
    case: str, guard: str, rule: str, place: str, compile_plain: Compile, preload: Preload
) -> None:
    """A packed block is judged like any other."""
    program = compile_plain("packed.c", "-DCOUNT=99")
    done = preload(program, case, guard=guard, options=FEW)
    assert (done.status, done.rules, done.place) == (99, [rule], place), done.err
    clean = preload(program, case, "clean", guard=guard, options=FEW)
    assert (clean.status, clean.err) == (0, "")


@pytest.mark.parametrize("guard", ["T", "B", "BW"])
def test_no_leak_through_packed_blocks(guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("packed.c"), "leaks", guard=guard, options="guard_resident=64")
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize(("resident", "is_small"), [(64, True), (0, False)])
def test_memory(resident: int, is_small: bool, preload: Preload, compile_plain: Compile) -> None:
    """A page for each block costs more than 12 MB here."""
    options = f"leaks=0:guard_resident={resident}"
    done = preload(compile_plain("packed.c"), "peak", guard="T", options=options)
    assert done.status == 0, done.err
    assert (int(done.out.split()[1]) < 8000) == is_small
