"""The judge is judged: expectations are parsed strictly, and every kind of difference is noticed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from tests.harness.expect import Case, ExpectationError, discover, parse
from tests.harness.judge import differences
from tests.harness.peers import _asan_lines, _memcheck_lines
from tests.harness.session import Outcome
from tests.harness.warm import Answer, Worker

PROGRAM = """// Writes behind a block.
// RUN: args one "two words"
// RUN: env A=1 B=x=y
// RUN: stdin "a\\n\\x00"
// RUN: cflags -pthread -O9
#include <stdlib.h>
int main(void) {
    char *p = malloc(10); // ALLOC
    free(p); // FREE
    p[12] = 1; // EXPECT heap-buffer-overflow write 1 block 10 after 2 in memset
}
"""


@pytest.fixture
def case(tmp_path: Path) -> Case:
    path = tmp_path / "heap-buffer-overflow" / "sample.c"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    return parse(path)


def test_parsed(case: Case) -> None:
    (expected,) = case.expectations
    assert (expected.rule, expected.line, expected.access, expected.size) == (
        "heap-buffer-overflow",
        10,
        "write",
        1,
    )
    assert (expected.function, expected.numbers) == ("memset", {"block": 10, "after": 2})
    assert (case.alloc_lines, case.free_lines) == (frozenset({8}), frozenset({9}))
    assert case.summary == "Writes behind a block."
    assert case.run.args == ("one", "two words")
    assert case.run.env == (("A", "1"), ("B", "x=y"))
    assert case.run.stdin == b"a\n\0"
    assert case.run.cflags == ("-pthread", "-O9")
    assert (case.rule, case.is_clean, case.is_cxx, case.expected_status) == (
        "heap-buffer-overflow",
        False,
        False,
        99,
    )
    assert case.twin.name == "sample.clean.c"
    assert not case.run.slow


def test_slow_programs_say_why(case: Case) -> None:
    case.path.write_text(PROGRAM.replace("// RUN: args", "// RUN: slow long to compile\n// RUN: args"))
    assert parse(case.path).run.slow


@pytest.mark.parametrize(
    "line",
    [
        "// EXPECT",
        "// EXPECT double-free block",
        "// EXPECT double-free block ten",
        "// EXPECT double-free blok 10",
        "// EXPECT double-free write -1",
        "// ALLOC here",
        "// RUN: statys 1",
        "// RUN: status x",
        "// RUN: slow",
    ],
)
def test_mistakes_are_named(tmp_path: Path, line: str) -> None:
    """A mistyped comment is an error with its file and line, never an expectation that is not checked."""
    path = tmp_path / "a.c"
    path.write_text(f"// What it is.\nint x; {line}\n" if "RUN" not in line else f"// What it is.\n{line}\n")
    with pytest.raises(ExpectationError, match=r"a\.c:2: "):
        parse(path)


def test_first_comment_is_required(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int main(void) { return 0; }\n")
    with pytest.raises(ExpectationError, match="must begin with a comment"):
        parse(path)


def test_discovery(tmp_path: Path) -> None:
    """By suffix, at any depth, in order."""
    for name in ("b/x.c", "a/y.cpp", "a/z.cc", "a/notes.md", "a/deep/w.c"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("// Something.\n")
    assert [str(c.path.relative_to(tmp_path)) for c in discover(tmp_path)] == [
        "a/deep/w.c",
        "a/y.cpp",
        "a/z.cc",
        "b/x.c",
    ]


# ---- the judge --------------------------------------------------------------------------------------


def _frame(case: Case, line: int) -> dict[str, Any]:
    return {"file": str(case.path), "line": line, "function": "main", "inlined": False}


@pytest.fixture
def finding(case: Case) -> dict[str, Any]:
    """The finding that the sample expects."""
    return {
        "rule": "heap-buffer-overflow",
        "access": {"kind": "write", "address": "0x100c", "size": 1, "first_bad": None},
        "relation": {"where": "after", "distance": 2},
        "library_function": "memset",
        "block": {
            "begin": "0x1000",
            "size": 10,
            "allocated": {"stack": [{"file": None, "line": None, "function": "xmalloc"}, _frame(case, 8)]},
            "freed": None,
        },
        "leak": None,
        "stack": [_frame(case, 10), _frame(case, 1)],
    }


def _outcome(findings: list[dict[str, Any]], status: int = 99, stderr: str = "") -> Outcome:
    return Outcome("whence run", status, b"", stderr, {"findings": findings})


def test_right_finding(case: Case, finding: dict[str, Any]) -> None:
    assert differences(case, _outcome([finding])) == []


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("rule", "double-free", "no heap-buffer-overflow was found"),
        ("stack.0.line", 9, "no heap-buffer-overflow was found"),
        ("stack.0.line", 9, "unexpected finding"),
        ("access.kind", "read", "access is read"),
        ("access.size", 2, "size is 2"),
        ("access.address", "0x100b", "after is 1"),
        ("access.address", "0xffe", "after is None"),
        ("block.size", 11, "block is 11"),
        ("block", None, "block is -1"),
        ("block", None, "allocated at line None"),
        ("library_function", None, "library function is None"),
        ("block.allocated.stack.1.line", 7, "allocated at line 7"),
        ("block.allocated.stack", [], "allocated at line None"),
    ],
)
def test_differences_are_noticed(
    case: Case, finding: dict[str, Any], path: str, value: Any, words: str
) -> None:
    changed = copy.deepcopy(finding)
    *way, last = path.split(".")
    at: Any = changed
    for step in way:
        at = at[int(step) if step.isdecimal() else step]
    at[int(last) if last.isdecimal() else last] = value
    assert any(words in d for d in differences(case, _outcome([changed]))), differences(
        case, _outcome([changed])
    )


def test_frames_before_the_line_are_noticed(case: Case, finding: dict[str, Any]) -> None:
    """The stack must begin in the program, not in the runtime."""
    finding["stack"].insert(0, {"file": None, "line": None, "function": "__whence_access"})
    assert differences(case, _outcome([finding])) == [
        "line 10: the stack begins with __whence_access, not on the line"
    ]


def test_missing_extra_and_ending(case: Case, finding: dict[str, Any]) -> None:
    assert differences(case, _outcome([])) == ["line 10: no heap-buffer-overflow was found"]
    assert "unexpected finding" in differences(case, _outcome([finding, finding]))[0]
    assert differences(case, _outcome([finding], 0)) == ["exit status 0, expected 99"]
    assert (
        "traceback" in differences(case, _outcome([finding], 99, "Traceback (most recent call last):\n"))[0]
    )
    assert differences(case, Outcome("", 99, b"", "", None)) == ["there is no JSON report"]
    assert differences(case, Outcome("", 99, b"", "", None, timeout=True)) == ["the run did not end in time"]


def test_first_bad_byte_of_an_access_that_straddles_the_end(case: Case, finding: dict[str, Any]) -> None:
    """An access that begins inside is judged by its first bad byte, told or computed."""
    case.expectations[0].numbers["after"] = 0
    finding["access"] |= {"address": "0x1008", "size": 8}
    assert differences(case, _outcome([finding])) == ["line 10: size is 8, expected 1"]
    finding["access"]["first_bad"] = "0x100b"
    assert "line 10: after is 1, expected 0" in differences(case, _outcome([finding]))


def test_leaks_are_placed_by_their_allocation(tmp_path: Path) -> None:
    path = tmp_path / "leak.c"
    path.write_text("// Lost.\nint x; // EXPECT definite-leak block 8 count 2 bytes 16 indirect 1\n")
    case = parse(path)
    stack = [{"file": None, "line": None, "function": "malloc"}, _frame(case, 2)]
    finding: dict[str, Any] = {
        "rule": "definite-leak",
        "access": {"kind": "return", "address": "0x0", "size": 0, "first_bad": None},
        "relation": None,
        "library_function": None,
        "block": {"begin": "0x1000", "size": 8, "allocated": {"stack": stack}, "freed": None},
        "leak": {"count": 2, "bytes": 16, "indirect": 1},
        "stack": [],
    }
    assert differences(case, _outcome([finding])) == []
    finding["leak"] = {"count": 3, "bytes": 24, "indirect": 1}
    assert len(differences(case, _outcome([finding]))) == 2


# ---- the peers --------------------------------------------------------------------------------------


def test_lines_of_peers(case: Case) -> None:
    """The first frame in the program's file, of every report."""
    text = f"""==1==ERROR: AddressSanitizer: heap-buffer-overflow on address
    #0 0x1 in __asan_memcpy (/tmp/asan+0x1)
    #1 0x2 in main {case.path}:10:5
    #2 0x3 in start {case.path}:1:1
Direct leak of 10 byte(s) in 1 object(s) allocated from:
    #0 0x1 in malloc (/tmp/asan+0x1)
    #1 0x2 in main {case.path}:8
"""
    assert _asan_lines(case, text) == {10, 8}
    frame = "<frame><file>{}</file><line>{}</line></frame>"
    stack = (
        frame.format("vg_replace_malloc.c", 3)
        + frame.format(case.path.name, 10)
        + frame.format(case.path.name, 1)
    )
    assert _memcheck_lines(
        case, f"<x><error><kind>InvalidWrite</kind><stack>{stack}</stack></error></x>"
    ) == {10}


def test_worker_runs_commands(whence_env: dict[str, str], tmp_path: Path) -> None:
    """A worker answers with the status of the command line, which has the descriptors as its streams."""
    worker = Worker(whence_env)
    env = {"MARK": "1"}
    with open("/dev/null") as none, (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
        streams = (none.fileno(), out.fileno(), err.fileno())
        commands = (["run", "/no/such/program"], ["--version"])
        answers = [worker.run(words, env, tmp_path, streams) for words in commands]
    worker.close()
    assert answers == [Answer(127, False), Answer(0, False)]
    assert (tmp_path / "out").read_text().startswith("whence")
