"""Lua: language scripts of our own and the benchmark's workloads, interpreter and compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.real.support import HERE, Build, Checked, Command, native

from whence.demo.programs import LUA

pytestmark = pytest.mark.real

SCRIPTS = sorted((HERE / "lua").glob("*.lua"))
WORKLOADS = HERE.parents[1] / "bench" / "scripts"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script(script: Path, build: Build, checked: Checked, tmp_path: Path) -> None:
    lua = build(LUA)["lua"]
    plain = native([lua, script], tmp_path)
    assert plain.status == 0, plain.stderr
    done = checked.run([lua, script], tmp_path)
    assert (done.status, done.stdout, done.stderr) == (0, plain.stdout, plain.stderr)
    checked.assert_clean()


@pytest.mark.parametrize("name", ["alloc", "strings", "numeric"])
def test_workload(name: str, build: Build, checked: Checked, tmp_path: Path) -> None:
    lua = build(LUA)["lua"]
    command: Command = [lua, WORKLOADS / f"{name}.lua", "20"]
    assert checked.run(command, tmp_path).stdout == native(command, tmp_path).stdout
    checked.assert_clean()


def test_compiler_and_listing(build: Build, checked: Checked, tmp_path: Path) -> None:
    programs = build(LUA)
    for script in SCRIPTS:
        command: Command = [programs["luac"], "-l", "-l", "-s", "-o", "out.luac", script]
        assert checked.run(command, tmp_path).status == 0
        run: Command = [programs["lua"], "out.luac"]
        plain = native(run, tmp_path)
        done = checked.run(run, tmp_path)
        assert (done.status, done.stdout, done.stderr) == (plain.status, plain.stdout, plain.stderr)
    checked.assert_clean(runs=2 * len(SCRIPTS))


@pytest.mark.parametrize(
    "source",
    ["local x <const> = 1; x = 2", "for", "x = 'unfinished", "goto nowhere", "return ...,", "\x1bLua"],
)
def test_syntax_errors(source: str, build: Build, checked: Checked, tmp_path: Path) -> None:
    lua = build(LUA)["lua"]
    (tmp_path / "wrong.lua").write_text(source)
    plain = native([lua, "wrong.lua"], tmp_path)
    done = checked.run([lua, "wrong.lua"], tmp_path)
    assert plain.status == done.status == 1
    assert plain.stderr == done.stderr
    checked.assert_clean()
