"""Processes of one run that come to the same findings: each is recorded once, and counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.rules import VALUES

import whence as api
from whence.engines.process import engine
from whence.engines.process.decode import RawRun

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int s;
__attribute__((noinline)) static void *lost(int n) { return malloc(n); }
__attribute__((noinline)) static int read_at(char *p, int at) { return ((volatile char *)p)[at]; }
int main(int argc, char **argv) {
    int children = atoi(argv[1]), at = atoi(argv[2]), leaks = atoi(argv[3]);
    char *p = malloc(10);
    for (int i = 0; i < 10; i++) p[i] = 1;
    for (int i = 0; i < leaks; i++) lost(7);
    for (int i = 0; i < children; i++)
        if (fork() == 0) {
            if (leaks) lost(7);
            s += read_at(p, at);
            free(p);
            return 0;
        }
    while (wait(NULL) > 0) continue;
    s += read_at(p, at);
    if (argc > 4) free(p);
    free(p);
    return 0;
}
"""


@pytest.fixture
def raw(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[RawRun]]:
    """The records that runs of this process read."""
    found: list[RawRun] = []
    read = engine.read_records

    def kept(path: Path) -> RawRun:
        found.append(read(path))
        return found[-1]

    monkeypatch.setattr(engine, "read_records", kept)
    yield found


def test_programs_that_children_execute(
    tmp_path: Path, whence_env: dict[str, str], raw: list[RawRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    Whence(tmp_path, whence_env).build(PROGRAM)
    monkeypatch.chdir(tmp_path)

    def run(script: str) -> api.Result:
        return api.run(
            "sh",
            ["-c", script],
            trace_children=True,
            keep_going=True,
            capture_output=True,
            disable=VALUES,
        )

    result = run("for i in 1 2 3 4 5; do ./prog 0 12 2; done; ./prog 0 12 2 twice")
    assert result.stderr == b""
    assert {each.rule.name: each.occurrences for each in result.findings} == {
        "heap-buffer-overflow": 6,
        "double-free": 1,
        "definite-leak": 1,
    }
    last = result.text().splitlines()[-1]
    assert last.startswith("whence: 3 findings (1 heap-buffer-overflow, 1 double-free, 1 definite-leak of ")
    assert " of 84 bytes), met 8 times; " in last
    (leak,) = (each.leak for each in result.findings if each.leak)
    assert (leak.count, leak.bytes) == (12, 84)
    assert len(raw[-1].findings) == 3 and len(raw[-1].maps) == 1
    assert run("for i in 1 2 3; do ./prog 0 9 0; done").findings == ()


def test_processes_forked_with_leaks(tmp_path: Path, whence_env: dict[str, str], raw: list[RawRun]) -> None:
    """Each child has the three blocks of its parent, and loses one."""
    program = Whence(tmp_path, whence_env).build(PROGRAM)
    result = api.run(program, ["4", "12", "3"], keep_going=True, capture_output=True)
    leaks = [each.leak for each in result.findings if each.leak]
    assert sum(leak.count for leak in leaks) == 7 and sum(leak.bytes for leak in leaks) == 49
    assert {each.rule.name for each in result.findings} == {"heap-buffer-overflow", "definite-leak"}
    assert api.run(program, ["4", "9", "0"], keep_going=True).findings == ()


def test_each_process_stops_and_hears_of_the_verdict(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """A finding that an entry suppresses, which the launcher is asked about, stops none of them."""
    whence = Whence(tmp_path, whence_env)
    whence.build(PROGRAM)
    (tmp_path / "reads").write_text("suppress reads\n  rule heap-buffer-overflow\n  frame read_at\n")
    script = "for i in 1 2 3; do ./prog 0 12 0; echo $?; done"
    words = ("--trace-children", "--error-exitcode", "98", "sh", "-c", script)
    done, found = whence.findings(*words)
    assert done.out.split() == [b"98"] * 3 and done.status == 98
    assert [(each["rule"], each["occurrences"]) for each in found] == [("heap-buffer-overflow", 3)]
    done, found = whence.findings("--suppressions", "reads", *words)
    assert done.out.split() == [b"0"] * 3 and done.status == 0 and found == []
    (use,) = json.loads((tmp_path / "findings.json").read_text())["run"]["suppressions"]
    assert [each["occurrences"] for each in use["findings"]] == [3]


REPEATED = """
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int size;
__attribute__((noinline)) static void write_at(volatile char *p) { p[size] = 1; }
static void *loop(void *p) {
    for (int i = 0; i < 7; i++) write_at(p);
    return NULL;
}
int main(int count, char **words) {
    char *p = malloc(12);
    pthread_t threads[2];
    size = atoi(words[1]);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, loop, p);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (!child) pthread_create(&threads[0], NULL, loop, p), pthread_join(threads[0], NULL), _exit(0);
        waitpid(child, NULL, 0);
    }
    free(p);
    return 0;
}
"""


def test_each_time_counts(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """In loops, in threads and in processes that inherit what was met."""
    whence = Whence(tmp_path, whence_env)
    program = whence.build(REPEATED, "repeated", "-pthread")
    done, (found,) = whence.findings("--keep-going", program, "12")
    assert (found["rule"], found["occurrences"]) == ("heap-buffer-overflow", 5 * 7)
    assert "met 35 times" in done.err
    (tmp_path / "known").write_text("suppress known\n  rule heap-buffer-overflow\n")
    done, found = whence.findings("--suppressions", "known", program, "12")
    assert found == [] and done.status == 0, done.err
    (use,) = json.loads((tmp_path / "findings.json").read_text())["run"]["suppressions"]
    assert [each["occurrences"] for each in use["findings"]] == [5 * 7]
    assert whence.findings("--keep-going", program, "11")[1] == []
