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


LACKING = """
#include <stdlib.h>
#include <string.h>
struct item { char *name, *text; };
static struct item *make(void) {
    struct item *item = malloc(sizeof *item);
    if (!item) return NULL;
    item->name = calloc(1, 8);
    item->text = malloc(4);
    if (!item->name || !item->text) {
        %s
        free(item);
        return NULL;
    }
    char *more = realloc(item->text, 8);
    if (more) item->text = more;
    strcpy(item->name, "name");
    item->text[0] = 1;
    return item;
}
int main(void) {
    char *copy = strdup("text");
    struct item *item = make();
    int status = 1;
    if (item) { status = 0; free(item->name); free(item->text); free(item); }
    free(copy);
    return status;
}
"""
LACKING_CXX = """
#include <new>
#include <memory>
struct node { node *next; int value; };
int main() {
    try {
        std::unique_ptr<node> first(new node{nullptr, 1});
        node *second = new (std::nothrow) node{nullptr, 2};
        %s
        second->value = 3;
        int value = second->value - 3;
        delete second;
        return value;
    } catch (const std::bad_alloc &) {
        return 4;
    }
}
"""


def lacking(whence: Whence, program: Path, most: int) -> tuple[list[str], list[list[str]], list[int]]:
    """The rules of the findings, and of each path what fails on it and how it ends."""
    out = whence.directory / f"{program.name}-{most}"
    done = whence.process(
        *("whence.cli.main", "explore", "--max-fail-memory", str(most), "--out", out),
        *("--json", whence.directory / "summary.json", "--no-progress", "--quiet", program),
    )
    summary = json.loads((whence.directory / "summary.json").read_text())
    assert summary["complete"], done.err
    assert all(error["confirmed"] for error in summary["errors"]), summary
    paths = sorted((out / "tests").glob("*.json"))
    tests = [json.loads(path.read_text()) for path in paths]
    ended = []
    for path, test in zip(paths, tests, strict=True):
        if test["end"]["how"] == "exit":
            ended.append(test["end"]["status"])
            # the program as it is ends as it did on the path
            assert whence.process("whence.cli.main", "replay", path, program).status == ended[-1]
    rules = [error["finding"]["rule"] for error in summary["errors"]]
    return rules, sorted(map(failed, tests)), sorted(ended)


def test_each_request_of_memory_fails(whence: Whence) -> None:
    """Not what strdup requests by itself; a block that could not grow stays."""
    leaking = whence.build(LACKING % "", "leaking")
    clean = whence.build(LACKING % "free(item->name); free(item->text);", "clean")
    malloc = "memory:failure of malloc"
    one = [[], [malloc], [f"{malloc}#2"], [f"{malloc}#3"], [f"{malloc}#4"]]
    assert lacking(whence, clean, 1) == ([], one, [0, 0, 1, 1, 1])
    rules, calls, _ = lacking(whence, leaking, 1)
    assert set(rules) == {"definite-leak"} and calls == one
    rules, calls, _ = lacking(whence, clean, 2)
    assert not rules and [f"{malloc}#2", f"{malloc}#3"] in calls
    assert lacking(whence, clean, 0) == ([], [[]], [0])


def test_new_fails(whence: Whence) -> None:
    """Without optimisation, which may remove new and delete from the program that is replayed."""
    new = "memory:failure of new"
    for name, more, rules, statuses in (
        ("buggy", "", ["null-pointer-dereference"], [0, 4]),
        ("clean", "if (!second) return 5;", [], [0, 4, 5]),
    ):
        source = whence.directory / f"{name}.cpp"
        source.write_text(LACKING_CXX % more)
        done = whence.process("whence.cli.cc", "c++", "-g", "-O0", source, "-o", whence.directory / name)
        assert done.status == 0, done.err
        expected = (rules, [[], [new], [f"{new}#2"]], statuses)
        assert lacking(whence, whence.directory / name, 1) == expected


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
