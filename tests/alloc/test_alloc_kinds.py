"""Every kind of error that the allocator finds, with a clean twin, without a launcher."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.alloc.conftest import Compile, Preload
from tests.harness.tiers import one_in

pytestmark = pytest.mark.build

OVERFLOW, DANGLING = "heap-buffer-overflow", "dangling-pointer-dereference"

FOUND = [
    ("beyond-read", "T", OVERFLOW, "is just after a block of 32 bytes"),
    ("beyond-write", "T", OVERFLOW, "is 3 bytes after a block of 32 bytes"),
    ("beyond-write", "B", OVERFLOW, "is 3 bytes after a block of 32 bytes"),  # when it is freed
    ("beyond-write", "P", OVERFLOW, "is 3 bytes after a block of 32 bytes"),
    ("before-read", "B", OVERFLOW, "is 1 byte before a block of 32 bytes"),
    ("before-write", "B", OVERFLOW, "is 2 bytes before a block of 32 bytes"),
    ("before-write", "T", OVERFLOW, "is 2 bytes before a block of 32 bytes"),  # when it is freed
    ("before-write", "P", OVERFLOW, "is 2 bytes before a block of 32 bytes"),
    ("beyond-large", "T", OVERFLOW, "is just after a block of 1048576 bytes"),
    ("beyond-large", "B", OVERFLOW, "is just after a block of 1048576 bytes"),
    ("freed-read", "T", DANGLING, "is 5 bytes inside a freed block of 32 bytes"),
    ("freed-write", "B", DANGLING, "is 5 bytes inside a freed block of 32 bytes"),
    ("moved", "T", DANGLING, "is 7 bytes inside a freed block of 32 bytes"),
    ("zero-sized", "T", OVERFLOW, "is just after a block of 0 bytes"),
    ("zero-sized", "B", OVERFLOW, "is just after a block of 0 bytes"),
    ("slack", "T", OVERFLOW, "is just after a block of 33 bytes"),
    ("slack", "P", OVERFLOW, "is just after a block of 33 bytes"),
    ("slack-moved", "T", OVERFLOW, "is 1 byte after a block of 33 bytes"),
    ("twice", "T", "double-free", "is 0 bytes inside a freed block of 32 bytes"),
    ("twice", "P", "double-free", "is 0 bytes inside a freed block of 32 bytes"),
    ("inside", "T", "free-inside-block", "is 8 bytes inside a block of 32 bytes"),
    ("inside", "P", "free-inside-block", "is 8 bytes inside a block of 32 bytes"),
    ("local", "T", "free-of-stack", "is at or near no block that is known"),
    ("global", "T", "free-of-global", "is at or near no block that is known"),
    ("nothing", "T", "unmatched-free", "is at or near no block that is known"),
    ("null", "T", "null-pointer-dereference", "is at or near no block that is known"),
]


@pytest.mark.parametrize(("case", "guard", "rule", "place"), FOUND)
def test_found(
    case: str, guard: str, rule: str, place: str, compile_plain: Compile, preload: Preload
) -> None:
    done = preload(compile_plain("kinds.c"), case, guard=guard)
    assert (done.status, done.rules) == (99, [rule]), done.err
    assert done.place == place


@pytest.mark.parametrize("guard", ["T", "B", "P", "T,,,,A", "T,,,,E", "T,64k,1M,1M", "B,,0,0"])
def test_clean(guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("kinds.c"), "all", "clean", guard=guard, options=None)
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize("guard", one_in(2, ["T", "B", "P", "T,64k,1M,1M", "BR", "BW"]))
def test_memory_mapped_over_blocks_is_left_alone(
    guard: str, compile_plain: Compile, preload: Preload
) -> None:
    done = preload(compile_plain("mapped_over.c"), guard=guard)
    assert (done.status, done.out[-5:], done.err) == (0, "good\n", "")


def kernel_calls(program: Path) -> list[str]:
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert len(names) > 60
    return names


FILLING, READING = ("read", "pread", "readv"), ("write", "send", "writev")


@pytest.mark.parametrize("guard", ["T", "B", "P", "BR"])
@pytest.mark.parametrize("call", one_in(2, [*FILLING, *READING]))
def test_buffers_of_system_calls(call: str, guard: str, compile_plain: Compile, preload: Preload) -> None:
    """Where the kernel refuses them, stops before their end, or writes beside a block without a trap."""
    program = compile_plain("kernel.c")
    for size in ("96", "13", "5000"):
        for where, rule in (("short", OVERFLOW), ("freed", DANGLING)):
            done = preload(program, call, where, size, guard=guard)
            assert (done.status, done.rules) == (99, [rule]), (size, where, done.err)
        done = preload(program, call, "fits", size, guard=guard)
        assert (done.status, done.out, done.err) == (0, f"{size}\n", "")


@pytest.mark.parametrize("guard", ["T", "BR"])
def test_the_kernel_keeps_to_what_a_block_allows(
    guard: str, compile_plain: Compile, preload: Preload
) -> None:
    program = compile_plain("kernel.c")
    forbidden = [("read", "read-only"), ("readv", "read-only"), ("read", "closed"), ("write", "closed")]
    for call, where in forbidden:
        done = preload(program, call, where, guard=guard)
        assert (done.status, done.rules) == (99, ["protected-block"]), (call, where, done.err)
    done = preload(program, "write", "read-only", guard=guard)
    assert (done.status, done.out, done.err) == (0, "96\n", "")


@pytest.mark.parametrize("guard", ["T", "B", "P", "BR"])
@pytest.mark.parametrize(("where", "rule"), [("short", OVERFLOW), ("freed", DANGLING)])
def test_calls_that_hand_memory_to_the_kernel(
    where: str, rule: str, guard: str, compile_plain: Compile, preload: Preload
) -> None:
    program = compile_plain("kernel_calls.c", "-w")
    for name in kernel_calls(program):
        done = preload(program, name, where, guard=guard)
        assert (done.status, done.rules) == (99, [rule]), (name, done.out, done.err)
        assert " by " in done.err, name


@pytest.mark.parametrize("guard", ["T", "B", "P", "BR"])
@pytest.mark.parametrize("where", ["fits", "roomy"])
def test_correct_calls_of_the_kernel(
    where: str, guard: str, compile_plain: Compile, preload: Preload
) -> None:
    program = compile_plain("kernel_calls.c", "-w")
    for name in kernel_calls(program):
        done = preload(program, name, where, guard=guard)
        assert (done.status, done.out, done.err) == (0, f"{name}: good\n", ""), name


@pytest.mark.parametrize("small_blocks", ["0", "2000"])
@pytest.mark.parametrize("guard", ["T", "B", "P"])
def test_unusual_calls_of_the_kernel(
    guard: str, small_blocks: str, compile_plain: Compile, preload: Preload
) -> None:
    """Wild pointers, missing arguments, handlers, vfork, cancellation, other stacks: the kernel's results."""
    done = preload(compile_plain("kernel_unusual.c", "-w"), small_blocks, guard=guard)
    assert (done.status, done.out, done.err) == (0, "good\n", "")


def test_unusual_calls_of_the_kernel_with_closed_blocks(compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("kernel_unusual.c", "-w"), "0", "no-stack", guard="BR")
    assert (done.status, done.out, done.err) == (0, "good\n", "")


@pytest.mark.parametrize("guard", ["T", "B", "P", "BR"])
def test_what_does_not_arrive_is_not_judged(guard: str, compile_plain: Compile, preload: Preload) -> None:
    for call in ("read", "recv"):
        done = preload(compile_plain("kernel.c"), call, "partial", guard=guard)
        assert (done.status, done.out, done.err) == (0, "12\n", "")


@pytest.mark.parametrize("guard", ["T", "BR"])
def test_what_the_kernel_drops_is_not_judged(guard: str, compile_plain: Compile, preload: Preload) -> None:
    """With MSG_TRUNC the result of recv is the size of the packet, which the buffer need not have."""
    program = compile_plain("kernel.c")
    done = preload(program, "recv-trunc", "short", guard=guard)
    assert (done.status, done.rules) == (99, [OVERFLOW])
    assert "97 bytes" in done.err and "200 bytes" not in done.err
    done = preload(program, "recv-trunc", "fits", guard=guard)
    assert (done.status, done.out, done.err) == (0, "200\n", "")


def test_wild(compile_plain: Compile, preload: Preload) -> None:
    """An empty zone belongs to no block."""
    done = preload(compile_plain("kinds.c"), "wild", guard="T,4k,64k")
    assert (done.status, done.rules) == (99, ["wild-pointer-dereference"])
    assert done.place == "is at or near no block that is known"


def test_who_and_how(compile_plain: Compile, preload: Preload) -> None:
    """Where it happened, who freed and who allocated; realloc is told from free."""
    moved = preload(compile_plain("kinds.c", "-rdynamic"), "moved", guard="T").err
    assert "moved by realloc in the main thread:" in moved
    assert "allocated in the main thread:" in moved
    assert " in main+0x" in moved
    freed = preload(compile_plain("kinds.c", "-rdynamic"), "freed-read", guard="T").err
    assert "freed in the main thread:" in freed


def test_exact_ends(compile_plain: Compile, preload: Preload) -> None:
    """Without alignment, the byte behind a block of any size traps; with it, it is found at free."""
    exact = preload(compile_plain("kinds.c"), "slack", guard="T,,,,E")
    aligned = preload(compile_plain("kinds.c"), "slack", guard="T,,,,A")
    assert (": write of 1 byte\n" in exact.err, ": an earlier write\n" in aligned.err) == (True, True)


def test_leak(compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("kinds.c"), "leak", guard="T", options=None)
    assert (done.status, done.rules) == (0, ["definite-leak"])
    assert "  77 bytes in 1 block" in done.err


def test_random_is_told(compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("kinds.c"), "twice", "clean", guard="R")
    end = " of each block (chosen at random)\n"
    assert done.err in (f"whence: guarding the end{end}", f"whence: guarding the begin{end}")


def test_addresses_repeat(compile_plain: Compile, preload: Preload) -> None:
    program = compile_plain("kinds.c")
    first, second = (preload(program, "inside", guard="T").err.splitlines()[1] for _ in range(2))
    assert first == second


def test_freed_and_written_in_plain_mode(compile_plain: Compile, preload: Preload) -> None:
    """It is found when the slot is used again."""
    options = "leaks=0:quarantine_kib=64"
    done = preload(compile_plain("kinds.c"), "late-freed", guard="P", options=options)
    assert (done.status, done.rules) == (99, [DANGLING]), done.err
    assert done.place == "is 9 bytes inside a freed block of 32 bytes"
    assert preload(compile_plain("kinds.c"), "late-freed", "clean", guard="P", options=options).err == ""


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        ("X", "bad field 'X' (expected <type>,<red>,<empty>,<reserved>,<alignment>; the type is P, T,"),
        ("T,4q", "bad field '4q' (expected"),
        ("T,0", "bad field '0' (expected"),
        ("T,4k,2000M", "bad field '2000M' (expected"),
        ("T,,,-1", "bad field '-1' (expected"),
        ("T,,,,Z", "bad field 'Z' (expected"),
        ("T,,,,A,9", "bad sixth field '9' (expected"),
        ("99999999999999999999k", "bad field '99999999999999999999k'"),
    ],
)
def test_mistakes(guard: str, said: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("kinds.c"), "twice", "clean", guard=guard)
    assert (done.status, done.err.count("\n")) == (125, 1)
    assert done.err.startswith("whence: WHENCE_ALLOC: ") and said in done.err
