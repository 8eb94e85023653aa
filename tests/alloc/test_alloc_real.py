"""Programs under the allocator: no false report, no crash, the same output; the system's limits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.alloc.conftest import Compile, Preload

PROGRAMS = {
    "bash": 'for i in 1 2 3; do x=$(echo $i | tr 1 2); a[$i]=$x; done; echo "${a[@]}" | cat; '
    "diff <(echo 1) <(echo 1)",
    "git": "git init -q . && echo text > f && git add f && git -c user.name=a -c user.email=b commit -qm c"
    " && git log --format=%s && git gc -q",
    "sqlite3": "echo 'create table t(a); insert into t values(1),(2),(3); create index i on t(a);"
    " select sum(a), max(a) from t where a > 1;' | sqlite3 new.db && sqlite3 new.db .dump",
    "gcc": "printf '#include <stdio.h>\\nint main(void) { puts(\"ran\"); return 0; }' > p.c"
    " && gcc -O2 p.c -o p && ./p",
    "python3": "python3 -c 'import json, re, sqlite3, threading; print(json.dumps(dict(a=[1.5, None])))'",
}


def _plain(command: str, folder: Path) -> str:
    folder.mkdir()
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("guard", ["T", "B"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, guard: str, preload: Preload, tmp_path: Path) -> None:
    if not shutil.which(name):
        pytest.skip(f"{name} is not here")
    expected = _plain(PROGRAMS[name], tmp_path / "plain")
    (tmp_path / "guarded").mkdir()
    done = preload("/bin/bash", "-c", PROGRAMS[name], guard=guard, cwd=tmp_path / "guarded")
    assert (done.status, done.out, done.err) == (0, expected, "")


def test_both_ends_of_a_program(preload: Preload, tmp_path: Path) -> None:
    """sqlite3, whose every access traps. It keeps what it has not written: no report of those."""
    command = "echo 'create table t(a); insert into t values(1),(2); select sum(a) from t;' | sqlite3"
    done = preload("/bin/bash", "-c", command, guard="BW")
    assert (done.status, done.out, done.err) == (0, "3\n", "")


@pytest.mark.parametrize("guard", ["T", "B", "P"])
def test_threads(guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("threads.c", "-O1"), guard=guard)
    assert (done.status, done.out, done.err) == (0, "ok\n", "")


def test_a_thousand_forks(compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("forks.c", "-O1"), guard="T")
    assert (done.status, done.out, done.err) == (0, "bad 0\n", "")


@pytest.mark.parametrize("guard", ["T", "P", "T,1M,64M"])
def test_no_more_mappings(guard: str, compile_plain: Compile, preload: Preload) -> None:
    """Beyond vm.max_map_count the program goes on; each consequence is one sentence."""
    done = preload(compile_plain("limits.c"), "and a huge block", guard=guard)
    assert (done.status, done.out) == (0, "done\n")
    said = done.err.splitlines()
    assert len(said) == len(set(said)) <= 2
    assert all("vm.max_map_count" in line for line in said)
    assert bool(said) == (guard != "P")


def test_limited_address_space(compile_plain: Compile, preload: Preload) -> None:
    """The C library allocates then, and a sentence says that nothing is checked."""
    command = f"ulimit -v 4000000 && exec {compile_plain('limits.c')}"
    done = preload("/bin/bash", "-c", command, guard="T")
    assert (done.status, done.out) == (0, "done\n")
    assert done.err.count("\n") == 1 and "the C library allocates, and nothing is checked" in done.err
