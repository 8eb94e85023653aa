"""Programs under the allocator: no false report, no crash, the same output; the system's limits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.alloc.conftest import Compile, Preload
from tests.alloc.programs import PROGRAMS, need, plain, python_test
from tests.harness.lastline import before_last_line
from tests.harness.process import Whence

pytestmark = pytest.mark.build

CHOSEN = re.compile(r"whence: guarding the (end|begin) of each block \(chosen at random\)\n")


@pytest.mark.parametrize("guard", ["T", "B", "R"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, guard: str, preload: Preload, tmp_path: Path) -> None:
    need(name)
    expected = plain(PROGRAMS[name], tmp_path / "plain")
    (tmp_path / "guarded").mkdir()
    done = preload("/bin/bash", "-c", PROGRAMS[name], guard=guard, cwd=tmp_path / "guarded")
    assert (done.status, done.out, CHOSEN.sub("", done.err)) == (0, expected, "")
    assert bool(CHOSEN.search(done.err)) == (guard == "R")


@pytest.mark.parametrize("name", ["bash", "git", "sqlite3"])
def test_program_under_whence_run(name: str, tmp_path: Path, whence_env: dict[str, str]) -> None:
    """With all that it executes. What they leak when they end is none of our business: they do."""
    need(name)
    expected = plain(PROGRAMS[name], tmp_path / "plain")
    (tmp_path / "checked").mkdir()
    run = Whence(tmp_path / "checked", whence_env)
    options = ("--engine", "alloc", "--leak-check", "no", "--trace-children")
    done = run.run(*options, "/bin/bash", "-c", PROGRAMS[name])
    assert (done.status, done.out.decode()) == (0, expected)
    assert before_last_line(done.err) == ""
    assert re.search(r", \d+ of \d+ rules \(this engine cannot observe the others\)", done.err)


@pytest.mark.parametrize("module", ["test_list", "test_dict", "test_zlib"])
def test_own_tests_of_python(module: str, preload: Preload, tmp_path: Path) -> None:
    done = preload("/bin/bash", "-c", python_test(module), guard="T", cwd=tmp_path)
    assert (done.status, "whence: " in done.err + done.out) == (0, False)


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


@pytest.mark.parametrize(("options", "rules"), [("leaks=0", []), ("leaks=0:children=1", ["double-free"])])
def test_programs_that_a_program_executes(
    options: str, rules: list[str], compile_plain: Compile, preload: Preload
) -> None:
    done = preload("/bin/sh", "-c", f"{compile_plain('kinds.c')} twice; exit 3", options=options)
    assert (done.status, done.rules) == (3, rules)


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
    assert done.err.count("\n") == 1 and done.err.startswith(
        "whence: nothing is checked: the address space is limited"
    )
