"""Accesses, frees and library functions, judged by the standard rules written by hand."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from rt_harness import PROGRAMS, RULES

from whence.abi import layout, records

ACCESSES = PROGRAMS / "accesses.c"


@pytest.mark.parametrize(
    ("case", "rule", "which", "offset"),
    [
        ("after", "heap-overflow", 0, 20),
        ("partly", "heap-overflow", 0, 17),
        ("before", "heap-overflow", 0, -1),
        ("before-rootless", "heap-overflow", 1, -1),
        ("dangling", "dangling-pointer", 2, 3),
        ("dangling-rootless", "dangling-pointer", 2, 3),
        ("empty", "heap-overflow", 4, 0),
        ("big-after", "heap-overflow", 3, 5000000),
        ("big-before", "heap-overflow", 3, -1),
        ("big-far", "heap-overflow", 3, 6000000),
        ("big-dangling", "dangling-pointer", 3, 2500000),
    ],
)
def test_bad_access(compile_program, start, case, rule, which, offset):
    run = start(compile_program(ACCESSES), case)
    finding = run.only()
    begin = int(run.stdout.split()[which], 16)
    assert (run.status, finding.rule_name) == (99, rule)
    assert (finding.block_begin, finding.address) == (begin, begin + offset)
    assert finding.flags & records.FINDING_FLAGS["HALTED"]
    assert finding.bad == (begin + 20 if case == "partly" else begin + offset)
    assert run.header["state"] == records.FILE_STATES["FINISHED"]


def test_jump_into_another_block_names_both(compile_program, start):
    run = start(compile_program(ACCESSES), "into-another")
    a, b, *_ = (int(word, 16) for word in run.stdout.split())
    finding = run.only()
    assert finding.rule_name == "heap-overflow"
    assert (finding.block_begin, finding.hit_begin, finding.address) == (a, b, b)
    assert finding.flags & records.FINDING_FLAGS["WRITE"]


def test_jump_out_of_the_heap_is_an_overflow_of_the_root(compile_program, start):
    finding = start(compile_program(ACCESSES), "onto-the-stack").only()
    assert (finding.rule_name, finding.hit_id) == ("heap-overflow", 0)


def test_null_page(compile_program, start):
    finding = start(compile_program(ACCESSES), "null").only()
    assert (finding.rule_name, finding.address, finding.block_id) == ("null-dereference", 24, 0)


@pytest.mark.parametrize("case", ["in", "stale-difference", "from-the-end"])
def test_good_access(compile_program, start, case):
    run = start(compile_program(ACCESSES), case)
    assert (run.status, run.rules) == (0, [])


def test_finding_holds_stacks_states_and_maps(compile_program, start):
    program = compile_program(ACCESSES)
    run = start(program, "dangling")
    finding = run.only()
    assert len(finding.arrays["stack"]) == 2  # touch, main
    assert len(finding.arrays["alloc"]) == 1
    assert len(finding.arrays["free"]) == 1
    assert finding.arrays["values"] == (finding.address, finding.block_id)
    at = (finding.address - finding.state_begin) // layout.GRANULE
    assert finding.arrays["states"][at] == next(s.value for s in layout.STATES if s.name == "HEAP_FREED")
    lines = run.maps[finding.maps_id].splitlines()
    pc = finding.arrays["stack"][0]
    image = [line for line in lines if line.endswith(str(program))]
    bounds = [[int(end, 16) for end in line.split()[0].split("-")] for line in image]
    assert any(low <= pc < high for low, high in bounds)
    assert finding.block_free_time > finding.block_alloc_time == finding.block_id


def test_keep_going_tells_each_place_once(compile_program, start):
    program = compile_program(PROGRAMS / "keep_going.c")
    run = start(program, halt=0)
    assert (run.status, run.stdout) == (7, "went on\n")
    assert run.rules == ["heap-overflow", "heap-overflow", "double-free"]
    assert not any(f.flags & records.FINDING_FLAGS["HALTED"] for f in run.findings)


FREES = PROGRAMS / "frees.c"


@pytest.mark.parametrize(
    ("case", "rule"),
    [
        ("double", "double-free"),
        ("realloc", "double-free"),
        ("middle", "unmatched-free"),
        ("slot", "unmatched-free"),
        ("stack", "unmatched-free"),
        ("text", "unmatched-free"),
        ("wild", "unmatched-free"),
        ("mismatch", "mismatched-free"),
    ],
)
def test_bad_free(compile_program, start, case, rule):
    run = start(compile_program(FREES), case, leaks=0)
    finding = run.only()
    assert (run.status, finding.rule_name) == (99, rule)
    assert run.stdout.startswith("0x6"), "output that was made before the finding is not lost"
    if case in ("stack", "text", "wild"):
        assert finding.block_id == 0
    else:
        assert finding.block_size == 20


@pytest.mark.parametrize("case", ["null", "realloc-zero"])
def test_good_free(compile_program, start, case):
    assert start(compile_program(FREES), case).rules == []


@pytest.mark.parametrize("case", ["double", "middle", "stack", "wild", "realloc", "mismatch"])
def test_bad_free_is_survived_when_asked_to_keep_going(compile_program, start, case):
    run = start(compile_program(FREES), case, halt=0, leaks=0)
    assert (run.status, len(run.findings)) == (0, 1)


LIBRARY = PROGRAMS / "library.c"


@pytest.mark.parametrize(
    ("case", "name", "write", "size"),
    [
        ("memcpy-read", "memcpy", False, 17),
        ("memcpy-write", "memcpy", True, 40),
        ("memset", "memset", True, 17),
        ("memcmp", "memcmp", False, 17),
        ("memchr", "memchr", False, 17),
        ("strlen", "strlen", False, 17),
        ("strcpy-read", "strcpy", False, 17),
        ("strcpy-write", "strcpy", True, 100),
        ("strncpy", "strncpy", True, 17),
        ("strcat", "strcat", True, 2),
        ("strcmp", "strcmp", False, 17),
        ("strchr", "strchr", False, 17),
        ("strdup", "strdup", False, 17),
        ("strtol", "strtol", False, 17),
        ("wcstol", "wcstol", False, 20),
        ("wcstod", "wcstod", False, 20),
        ("snprintf", "snprintf", True, 7),
        ("snprintf-argument", "snprintf", False, 17),
        ("sprintf", "sprintf", True, 7),
        ("printf", "printf", False, 17),
        ("sscanf", "sscanf", True, 7),
        ("sscanf-c99", "sscanf", True, 7),
        ("memcpy-checked", "memcpy", True, 17),
        ("read", "read", True, 21),
        ("write", "write", False, 17),
        ("fgets", "fgets", True, 22),
        ("qsort", "qsort", True, 17),
        ("wcscpy", "wcscpy", True, 20),
    ],
)
def test_library_function_goes_too_far(compile_program, start, case, name, write, size):
    run = start(compile_program(LIBRARY), case, leaks=0)
    finding = run.only()
    assert (finding.rule_name, finding.name, finding.size) == ("heap-overflow", name, size)
    assert finding.flags & records.FINDING_FLAGS["LIBRARY"]
    assert bool(finding.flags & records.FINDING_FLAGS["WRITE"]) == write
    end = finding.block_begin + finding.block_size
    assert finding.bad == end, "the first byte that is not the block's"
    assert "end" not in run.stdout


@pytest.mark.parametrize(
    ("case", "rule"),
    [("memcpy-null", "null-dereference"), ("dangling", "dangling-pointer"), ("memcpy-huge", "heap-overflow")],
)
def test_library_function_with_a_bad_pointer(compile_program, start, case, rule):
    assert start(compile_program(LIBRARY), case, leaks=0).only().rule_name == rule


def test_library_range_begins_at_the_pointer_that_was_passed(compile_program, start):
    finding = start(compile_program(LIBRARY), "memcpy-middle", leaks=0).only()
    assert finding.address == finding.root == finding.block_begin + 10
    assert finding.bad == finding.block_begin + 16


def test_library_functions_are_not_stricter_than_they_are(compile_program, start):
    run = start(compile_program(LIBRARY), "good", leaks=0)
    assert (run.status, run.rules, run.stderr) == (0, [], "")


@pytest.mark.parametrize("source", ["wrappers.c", "wrappers_system.c", "results.c", "results_more.c"])
def test_wrappers_do_what_the_library_does(compile_program, start, renamed, source):
    program = compile_program(PROGRAMS / source, "-include", str(renamed))
    symbols = subprocess.run(["nm", "-u", program], capture_output=True, text=True).stdout
    assert symbols.count("__whence_") > 40
    run = start(program, leaks=0, halt=0)
    assert (run.status, run.rules, run.stderr) == (0, [], "")


_BLOCK = re.compile(r'\b(?:(?:FOR|BEGIN|block|copy)\("|GET\()(\w+)"?, (?!from, type)')
SHORTENED = [
    (source, name)
    for source in ("results.c", "results_more.c")
    for name in sorted(set(_BLOCK.findall((PROGRAMS / source).read_text())))
]


@pytest.mark.parametrize(("source", "name"), SHORTENED)
def test_results_that_need_more_memory_than_there_is(compile_program, start, renamed, source, name):
    finding = start(compile_program(PROGRAMS / source, "-include", str(renamed)), name, leaks=0).only()
    assert (finding.rule_name, finding.name) == ("heap-overflow", name)


def test_rules_double_matches_the_table() -> None:
    text = (Path(__file__).resolve().parent / "rules_double.c").read_text()
    positions = [text.index(f'"{name}"') for name in RULES]
    assert positions == sorted(positions)
