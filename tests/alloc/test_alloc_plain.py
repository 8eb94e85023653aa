"""The compact heap preloaded into programs as their allocator, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.session import REPOSITORY

from whence.alloc import Layout
from whence.engines import replay as replaying

pytestmark = pytest.mark.build

HERE = Path(__file__).resolve().parent
SETTINGS = (
    "quarantine_kib=65536",
    "quarantine_kib=0",
    "quarantine_kib=0:quarantine_depth=0",
    "quarantine_kib=0:quarantine_depth=3",
    "quarantine_kib=0:quarantine_depth=20",
    "quarantine_kib=0:realloc_moves=0",
    "quarantine_kib=1024:realloc_moves=0",
)
Place = tuple[Whence, Path]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Place:
    whence = Whence(tmp_path_factory.mktemp("plain"), whence_env)
    return whence, whence.directory


def plain(program: Path, *words: str, options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    library = str(replaying.library(Layout.COMPACT))
    environment = {**os.environ, "LD_PRELOAD": library, "WHENCE_RT": options, **variables}
    return subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=TIMEOUT)


@pytest.fixture(scope="module")
def stress(place: Place) -> Path:
    whence, folder = place
    whence.cc("-g", "-O1", "-fno-builtin", "-pthread", HERE / "stress.c", "-o", folder / "stress")
    return folder / "stress"


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("threads", ["1", "4"])
def test_blocks_keep_what_is_in_them(stress: Path, threads: str, options: str) -> None:
    done = plain(stress, threads, "1500", options=options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "good\n", "")


@pytest.mark.parametrize("options", SETTINGS)
def test_memory_mapped_over_blocks_is_left_alone(place: Place, options: str) -> None:
    whence, folder = place
    program = folder / "mapped_over"
    whence.cc("-g", "-O1", "-fno-builtin", HERE / "mapped_over.c", "-o", program)
    done = plain(program, options=options)
    assert (done.returncode, done.stdout[-5:], done.stderr) == (0, "good\n", "")


def test_checked_programs_keep_it_too(place: Place, stress: Path) -> None:
    whence, _ = place
    done = whence.run("--engine", "native", stress, "2", "1000")
    assert (done.status, done.out) == (0, b"good\n"), done.err


PAIRS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *pairs(void *unused) {
    void *first = NULL;
    int before = 0;
    for (int i = 0; i < 100; i++) {
        void *block = malloc(1);
        if (!first) first = block;
        if (i && block == first) {
            before = i;
            i = 100;
        }
        free(block);
    }
    printf("%d\n", before);
    return unused;
}

int main(void) {
    pthread_t other;
    setvbuf(stdout, NULL, _IONBF, 0);
    pairs(NULL);
    pthread_create(&other, NULL, pairs, NULL);
    pthread_join(other, NULL);
    return 0;
}
"""


@pytest.mark.parametrize("depth", [1, 3, 8])
def test_a_freed_block_comes_again_when_so_many_others_have_been_freed(place: Place, depth: int) -> None:
    """On every thread, of the blocks that the thread has freed itself."""
    whence, _ = place
    program = whence.build(PAIRS, "pairs", "-fno-builtin", "-pthread")
    done = plain(program, options=f"quarantine_kib=0:quarantine_depth={depth}")
    assert done.stdout.split() == [str(depth + 1)] * 2


def test_what_quarantines_cost_is_measured(tmp_path: Path) -> None:
    """bench/alloc/quarantine.py, with a few operations."""
    words = ["--repeats", "1", "--scale", "0.001", "--only", "pairs", "--json", tmp_path / "figures"]
    script = REPOSITORY / "bench" / "alloc" / "quarantine.py"
    done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "figures").read_text())
    reuse = figures["reuse"]
    assert reuse["8 blocks of a size"] == [9, 9] and reuse["64 MiB"] == [1000, None]
    assert 500 < reuse["64 KiB"][1] < 1000
    assert figures["loads"].keys() == {"pairs"} and figures["loads"]["pairs"].keys() == reuse.keys()


GROW = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int moves = 0, steps = 0;
    char *array = malloc(16);
    for (size_t size = 17; size < 3000000; size += size / 8 + 1, steps++) {
        uintptr_t before = (uintptr_t)array;
        array = realloc(array, size);
        array[size - 1] = 1;
        moves += (uintptr_t)array != before;
    }
    array = realloc(array, 20);
    char *same = realloc(array, 19);
    printf("%d %d\n", moves == steps, moves < 20);
    free(same);
    return 0;
}
"""


def test_arrays_move_at_each_realloc_or_only_if_they_must(place: Place) -> None:
    whence, _ = place
    program = whence.build(GROW, "grow", "-fno-builtin")
    assert plain(program, options="realloc_moves=1").stdout == "1 0\n"
    assert plain(program, options="realloc_moves=0").stdout == "0 1\n"


@pytest.fixture(scope="module")
def mappings(place: Place) -> Path:
    if int(Path("/proc/sys/vm/max_map_count").read_text()) > 300_000:
        pytest.skip("this system has more mappings than a test uses up")
    whence, folder = place
    whence.cc("-g", "-O1", "-fno-builtin", HERE / "mappings.c", "-o", folder / "mappings")
    return folder / "mappings"


@pytest.mark.parametrize("options", ["quarantine_kib=65536", "quarantine_kib=0:realloc_moves=0"])
def test_requests_are_granted_without_mappings(mappings: Path, options: str) -> None:
    done = plain(mappings, options=options)
    assert (done.returncode, done.stdout) == (0, "good\n")


def test_checked_programs_go_on_without_mappings(place: Place, mappings: Path) -> None:
    whence, _ = place
    done = whence.run("--engine", "native", mappings)
    assert (done.status, done.out) == (0, b"good\n"), done.err
    assert "ERROR" not in done.err


def test_bugs_are_found_without_mappings(place: Place, mappings: Path) -> None:
    whence, _ = place
    done = whence.run("--engine", "native", mappings, "over")
    assert done.status == 99
    assert "heap-buffer-overflow" in done.err
    assert "just after a block of 1" in done.err
