"""Leaks of several processes: one summary, and each leak says whose it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile before, *volatile lost;
static void lose(int bytes) { lost = malloc(bytes); lost = 0; }
int main(int c, char **v) {
    if (strchr(v[1], 'b')) { before = malloc(100); before = 0; }
    void *volatile kept = malloc(7);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            if (strchr(v[1], 'c')) lose(10);
            if (strchr(v[1], 'f')) free(kept);
            return 0;
        } else if (strchr(v[1], 'i')) {
            while (wait(0) > 0);
            lose(1 << i);
        }
    while (wait(0) > 0);
    if (strchr(v[1], 'p')) lose(1000);
    if (strchr(v[1], 'f')) free(kept);
    if (strchr(v[1], 'x')) _exit(0);
    return 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("processes"), whence_env)
    made.build(SOURCE)
    return made


@pytest.mark.parametrize(
    ("mode", "processes", "lost", "found"),
    [
        ("f", 4, (0, 0), []),
        ("bf", 4, (1, 100), [(1, 100)]),
        ("cf", 4, (3, 30), [(3, 30)]),
        ("bcpf", 4, (5, 1130), [(1, 100), (1, 1000), (3, 30)]),
        ("bif", 4, (4, 107), [(1, 100), (3, 7)]),  # the children have 1, 2 and 3 blocks of the first
        ("bifx", 3, (3, 103), [(1, 100), (2, 3)]),
        ("bfx", 3, (1, 100), [(1, 100)]),  # the first process is not checked
    ],
)
def test_each_block_counts_once(
    whence: Whence, mode: str, processes: int, lost: tuple[int, int], found: list[tuple[int, int]]
) -> None:
    path = whence.directory / "report.json"
    done = whence.run("--json", path, "./prog", mode)
    report = json.loads(path.read_text())
    leaks = [each["leak"] for each in report["findings"]]
    assert sorted((leak["count"], leak["bytes"]) for leak in leaks) == found
    summary = report["run"]["leak_summary"]
    assert summary["processes"] == processes
    assert (summary["definite"]["blocks"], summary["definite"]["bytes"]) == lost
    assert summary["reachable"] == {"blocks": 0, "bytes": 0}
    assert (f"leak summary of {processes} processes:" in done.err) == bool(found)


def test_blocks_that_all_processes_keep_count_once(whence: Whence) -> None:
    done = whence.run("--leak-check", "summary", "./prog", "n")
    assert "leak summary of 4 processes:" in done.err and "7 bytes in 1 block\n" in done.err


def test_suppressed_leaks_of_all_processes_are_excused_once(whence: Whence, tmp_path: Path) -> None:
    entries, path = tmp_path / "entries", tmp_path / "report.json"
    entries.write_text("suppress all\n  rule definite-leak\n  ...\n")
    whence.run("--suppressions", entries, "--json", path, "./prog", "bcf")
    summary = json.loads(path.read_text())["run"]["leak_summary"]
    assert summary["definite"]["blocks"] == 0 and summary["excused"] == {"blocks": 4, "bytes": 130}


def test_leaks_of_children_name_the_process(whence: Whence) -> None:
    said = whence.run("./prog", "cf").err
    assert "found in the main thread, in process " in said and "): at its end\n" in said
    assert ", in process " not in whence.run("./prog", "pf").err
