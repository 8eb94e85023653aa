"""Undefined bytes of blocks, and what library functions do with them."""

from __future__ import annotations

import re

import pytest
from rt_harness import PROGRAMS

from whence.abi import points, undefined

pytestmark = pytest.mark.build

FUNCTION_MOST = 100
"""Bytes of code of a small function."""


def test_new_memory_is_undefined_where_the_program_s_code_asks_for_it(compile_program, start):
    program = compile_program(PROGRAMS / "undefined.c", rules=False)
    run = start(program, leaks=0)
    assert (run.status, run.findings, run.stderr) == (0, [], "")


def test_blocks_move_only_where_they_must(compile_program, start):
    program = compile_program(PROGRAMS / "undefined.c", rules=False)
    run = start(program, leaks=0, realloc_moves=0)
    assert (run.status, run.findings, run.stderr) == (0, [], "")


def test_a_use_has_the_stack_of_the_allocation(compile_program, start):
    program = compile_program(PROGRAMS / "undefined.c", rules=False)
    run = start(program, "use", leaks=0, halt=0)
    finding = run.only()
    assert finding.point == points.NUMBERS["USE"]
    assert list(finding.arrays["values"]) == [7, 0xFFFFFFFF, undefined.USES["BRANCH"]]
    make = int(run.stdout, 16)
    assert make < finding.arrays["alloc"][0] < make + FUNCTION_MOST
    assert finding.root and finding.block_id == 0


CALLS = PROGRAMS / "undefined_calls.c"
FUNCTIONS = re.findall(r"^    CASE\((\w+),", CALLS.read_text(), re.MULTILINE)


@pytest.fixture
def call(compile_program, start, renamed):
    """Runs a program whose calls of library functions are checked."""

    def call_(source, *arguments, before=()):
        program = compile_program(source, "-include", str(renamed), *before, rules=False)
        return start(program, *arguments, leaks=0, halt=0)

    return call_


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_that_depend_on_an_undefined_byte(call, function):
    finding = call(CALLS, function).only()
    assert finding.name == function
    assert finding.point == points.NUMBERS["USE"] and finding.arrays["alloc"]
    assert list(finding.arrays["values"])[1:] == [0xFF, undefined.USES["MEMORY"]]


def test_functions_that_do_not_depend_on_one(call):
    run = call(CALLS)
    assert (run.status, run.findings, run.stderr) == (0, [], "")


@pytest.mark.parametrize("source", ["wrappers.c", "wrappers_system.c", "results.c", "results_more.c"])
def test_what_library_functions_store_is_defined(call, source):
    run = call(PROGRAMS / source, before=("-D_GNU_SOURCE", "-include", "values_rules.h"))
    assert (run.status, [each.name for each in run.findings], run.stderr) == (0, [], "")
