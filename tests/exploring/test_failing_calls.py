"""Calls of the system that fail on some paths (``whence explore --max-fail``)."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    char *text = malloc(16);
    int file = open(words[1], O_RDONLY);
    if (file < 0) {
        printf("%%d\\n", errno);
        free(text);
        return 2;
    }
    ssize_t got = read(file, text, 15);
    if (got < 0 && errno == EINTR)
        got = read(file, text, 15);
    close(file);
    %s
    text[got] = 0;
    free(text);
    return 0;
}
"""
BUGGY, CLEAN = SOURCE % "", SOURCE % "if (got < 0) { free(text); return 3; }"


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    (tmp_path / "data").write_text("some text\n")
    return Whence(tmp_path, whence_env)


def explored(whence: Whence, source: str, failures: int) -> dict:
    program, out = whence.build(source, "program"), whence.directory / f"out{failures}"
    done = whence.process(
        *("whence.cli.main", "explore", "--max-fail", str(failures), "--out", out),
        *("--json", whence.directory / "summary.json", "--no-progress", "--quiet"),
        *(program, whence.directory / "data"),
    )
    assert done.status in (0, 99), done.err
    summary = json.loads((whence.directory / "summary.json").read_text())
    assert summary["complete"], summary
    tests = [json.loads(path.read_text()) for path in sorted((out / "tests").glob("*.json"))]
    return {"summary": summary, "tests": tests, "out": out}


def failed(test: dict) -> list[str]:
    """The calls that fail in a test, in order."""
    return [name for name, data in test["inputs"].items() if data != "00"]


def test_each_call_fails_with_each_of_its_errors(whence: Whence) -> None:
    """With two failures, read may be interrupted and then fail."""
    one = explored(whence, CLEAN, 1)
    assert one["summary"]["paths"] == 6 and not one["summary"]["errors"]
    assert sorted(failed(test) for test in one["tests"]) == [
        [],
        ["memory:failure of close"],
        *[["memory:failure of open"]] * 2,
        *[["memory:failure of read"]] * 2,
    ]
    two = explored(whence, CLEAN, 2)
    assert not two["summary"]["errors"]
    assert max(len(failed(test)) for test in two["tests"]) == 2
    assert ["memory:failure of read", "memory:failure of read#2"] in [failed(test) for test in two["tests"]]
    assert explored(whence, CLEAN, 0)["summary"]["paths"] == 1


def test_a_bug_behind_a_failure(whence: Whence) -> None:
    """It is found, and shown again by a checked run of the test; the program as it is fails there, too."""
    found = explored(whence, BUGGY, 1)
    (error,) = found["summary"]["errors"]
    assert error["finding"]["rule"] == "heap-buffer-overflow" and error["confirmed"]
    opened = [test for test in found["tests"] if failed(test) == ["memory:failure of open"]]
    said = set()
    for test in opened:
        assert test["end"] == {"how": "exit", "status": 2}
        name = found["out"] / "tests" / f"{test['number']:06}.json"
        program = whence.directory / "program"
        done = whence.process("whence.cli.main", "replay", name, program)
        assert done.status == 2
        said.add(int(done.out))
    assert said == {errno.EACCES, errno.EMFILE}


NAMED = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    char text[4] = {0};
    int file = %s;
    if (file < 0)
        return 2;
    if (read(file, text, 3) == 3 && text[0] == 'X') {
        char *two = malloc(2);
        two[%d] = 1;
        free(two);
        return 1;
    }
    return 0;
}
"""
OPENED = {
    "open": "open(words[1], O_RDONLY)",
    "openat": "openat(AT_FDCWD, words[1], O_RDONLY)",
    "fopen": 'fopen(words[1], "r") ? 3 : -1',
}


@pytest.mark.parametrize("function", OPENED)
def test_names_of_symbolic_files(whence: Whence, function: str) -> None:
    """A symbolic name may be that of a symbolic file: where it is, the program reads that file."""
    for index, rules in ((2, ["heap-buffer-overflow"]), (1, [])):
        program, out = whence.build(NAMED % (OPENED[function], index), "program"), f"out-{index}"
        done = whence.process(
            *("whence.cli.main", "explore", "--sym-arg", "2", "--sym-file", "ab", "3", "--out", out),
            *("--json", "summary.json", "--no-progress", "--quiet", program),
        )
        summary = json.loads((whence.directory / "summary.json").read_text())
        assert [error["finding"]["rule"] for error in summary["errors"]] == rules, done.err
        assert summary["ends"]["exit"] >= 2
        for error in summary["errors"]:
            test = json.loads((whence.directory / out / "tests" / f"{error['tests'][0]:06}.json").read_text())
            assert bytes.fromhex(test["inputs"]["arg:1"]).startswith(b"ab\0")
