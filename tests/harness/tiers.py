"""Which tests `make check`, `make test` and `make test-all` run (docs/testing.md)."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any

import pytest

BUILDERS = {
    *("allocator", "box", "build", "checked", "compile_plain", "compile_program", "compiled", "corpus"),
    *("fresh", "preload", "runtime", "whence_env"),
}
"""Fixtures that start a compiler, or whose users do: their tests carry the marker `build`."""

SAMPLED = {
    "alloc/test_alloc_kinds.py::test_found": 2,
    "alloc/test_alloc_packed.py::test_clean": 2,
    "domains/test_commands.py::test_only_what_is_wrong_is_found": 3,
    "engines/test_binary_values.py::test_bugs_and_their_clean_twins": 3,
    "engines/test_quick_tier.py::test_what_knowledge_of_the_library_removes": 2,
    "hops/test_hop_chains.py::test_every_hop_is_told_and_no_other": 3,
    "proofs/test_machine.py::test_the_programs_of_the_error_rules": 2,
    "runtime/test_runtime_checks.py::test_bad_access": 2,
    "runtime/test_runtime_invariants.py::test_programs_break_no_promise": 2,
    "test_entered.py::test_chains_need_no_other_functions": 2,
    "test_input_chains.py::test_a_chain_says_which_input_it_begins_with": 2,
    "test_kept_calls.py::test_a_program_that_acts_has_its_chain": 2,
    "test_leak_chains.py::test_the_last_pointer_is_named_where_it_was_lost": 2,
    "test_locating.py::test_threads_meet_in_the_same_order": 2,
    "test_other_compilers.py::test_core": 3,
    "test_run.py::test_users_flags": 2,
    "test_small_variables.py::test_a_byte_that_is_left_out": 2,
    "test_stream_chains.py::test_copies_of_strings_are_hops": 2,
    "test_stream_chains.py::test_what_streams_read_is_named": 2,
    "test_written_chains.py::test_copies_of_texts_are_hops": 2,
    "test_written_chains.py::test_chains_begin_where_a_library_function_has_written": 2,
    "toolchain/test_native_links.py::test_usual_links_need_no_python": 2,
    "toolchain/test_spellings.py::test_programs": 2,
}
"""Tests with many parameters of which one in so many is in the default suite, the first among them; their
parameters differ little from each other, or take long."""

_COMPILER = re.compile(r"(.+-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|ld|ld\.lld|as|zig)(-[0-9.]+)?")
_BUILDING = {"whence.cli.cc", "whence.cli.valgrind", "ziglang"}
_QUESTION = re.compile(r"--version|-dump\w+|-print-.*|--print-.*|--help")

_OF_MODULE = re.compile(r"^pytestmark = pytest\.mark\.(\w+)$", re.MULTILINE)

_started: list[str] = []


def one_in(count: int, values: Iterable[Any]) -> list[Any]:
    """Parameters of which one in so many is in the default suite; `make test-all` has all."""
    return [
        each if number % count == 0 else pytest.param(each, marks=pytest.mark.slow)
        for number, each in enumerate(values)
    ]


def left_out(module: Path, expression: str) -> bool:
    """Whether `-m expression` leaves out a whole test module, for the marker that the module gives itself.

    Such a module is not imported: that saves most of the time of `make check`. Only conjunctions are
    understood, such as ``not build and not slow``.
    """
    terms = [term.split() for term in expression.split(" and ")]
    if not all(len(term) == 2 and term[0] == "not" for term in terms):
        return False
    found = _OF_MODULE.search(module.read_text())
    return found is not None and ["not", found[1]] in terms


def mark(items: Iterable[pytest.Item]) -> None:
    """Give the marker `build` to every test that uses a fixture of `BUILDERS`, and `slow` to what is left
    out of those that are `SAMPLED`."""
    before = Counter[str]()
    for item in items:
        name = item.nodeid.partition("tests/")[2].partition("[")[0]
        if name in SAMPLED and item.get_closest_marker("slow") is None:
            if before[name] % SAMPLED[name]:
                item.add_marker(pytest.mark.slow)
            before[name] += 1
        if not BUILDERS.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.build)


def builds(words: Sequence[str]) -> bool:
    """Whether a command compiles, links, or runs a program under whence, which does both.

    A compiler that only answers a question about itself does not.
    """
    if any(_QUESTION.fullmatch(word) for word in words):
        return False
    if "-m" in words[1:-1]:
        module, *rest = words[words.index("-m") + 1 :]
        return module in _BUILDING or (module == "whence.cli.main" and rest[:1] == ["run"])
    return _COMPILER.fullmatch(PurePath(words[0]).name) is not None


def watch() -> None:
    """Note every command of this process that builds, from here on."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen":
        note([os.fsdecode(word) for word in arguments[1]])


def note(words: Sequence[str]) -> None:
    """This test starts a command, perhaps by a process of its own (`tests.harness.warm`)."""
    if builds(words):
        _started.append(" ".join(words))


def started() -> list[str]:
    """The commands that built since the last call."""
    commands = _started.copy()
    _started.clear()
    return commands


def reasons(skipped: Iterable[Any]) -> list[str]:
    """How many tests were skipped for each reason, from the reports of skipped tests, most first."""
    counts = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    return [f"{count:5} skipped: {reason}" for reason, count in counts.most_common()]
