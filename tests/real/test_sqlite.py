"""SQLite: speedtest1, the shell, its fuzz cases, several processes and several threads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.real.support import HERE, Build, Checked, Command, Fresh, native

from whence.demo.programs import SQLITE
from whence.errors import ToolLimit

pytestmark = pytest.mark.real

SQL = HERE.parents[1] / "bench" / "scripts" / "mixed.sql"


def _without_times(text: bytes) -> bytes:
    return re.sub(rb"\d+\.\d+s", b"", text)


@pytest.mark.parametrize("options", ["--memdb", "--journal wal file.db", "--pagesize 512 file.db"])
def test_speedtest1(options: str, build: Build, checked: Checked, tmp_path: Path) -> None:
    speedtest = build(SQLITE)["speedtest1"]
    outputs = []
    for run in (native, checked.run):
        for left in tmp_path.glob("*.db*"):
            left.unlink()
        done = run([speedtest, "--size", "25", "--verify", *options.split()], tmp_path)
        assert done.status == 0, done.stderr[-2000:]
        outputs.append(_without_times(done.stdout))
    assert outputs[0] == outputs[1]
    checked.assert_clean()


def test_shell_script(build: Build, checked: Checked, tmp_path: Path) -> None:
    shell = build(SQLITE)["sqlite3"]
    script = SQL.read_text().replace(":scale", "4000").encode()
    plain = native([shell, "-batch", ":memory:"], tmp_path, script)
    done = checked.run([shell, "-batch", ":memory:"], tmp_path, script)
    assert plain.status == 0 and b"ok" in plain.stdout
    assert (done.status, done.stdout, done.stderr) == (plain.status, plain.stdout, plain.stderr)
    checked.assert_clean()


def test_shell_commands(build: Build, checked: Checked, tmp_path: Path) -> None:
    """Dot commands: import, export, dump and restore, modes, errors."""
    shell = build(SQLITE)["sqlite3"]
    rows = "".join(f"{i},name {i},{i * 37 % 101}\n" for i in range(500))
    (tmp_path / "rows.csv").write_text("id,name,value\n" + rows)
    script = (
        b".mode csv\n.import rows.csv t\n.headers on\n.mode column\nselect * from t limit 3;\n"
        b".mode json\nselect * from t where value > 99;\n.mode box\nselect count(*) from t;\n"
        b".schema\n.tables\nselect nonsense from t;\n.dump\n.mode insert x\nselect * from t limit 2;\n"
        b".eqp on\nselect name from t where id = '7';\n.mode quote\nselect x'00ff', null, 1.5, 'it''s';\n"
        b".nosuchcommand\nexplain select 1;\n"
    )
    outputs = [run([shell, ":memory:"], tmp_path, script) for run in (native, checked.run)]
    assert outputs[0] == outputs[1]
    checked.assert_clean()


@pytest.mark.parametrize("number", range(1, 9))
def test_fuzz_cases(number: int, build: Build, checked: Checked, tmp_path: Path) -> None:
    """The regression cases of SQLite's fuzzers: damaged databases and strange statements."""
    source = build(SQLITE)["sqlite3"].parent
    fuzzcheck = _also_build(source, "fuzzcheck")
    data = source / "test" / f"fuzzdata{number}.db"
    command: Command = [fuzzcheck, "--quiet", "--limit-mem", "100M", data]
    plain = native(command, tmp_path)
    assert plain.status == 0, plain.stdout[-2000:]
    done = checked.run(command, tmp_path)
    assert done.status == 0, done.stdout[-2000:] + done.stderr[-2000:]
    checked.assert_clean()


def test_several_threads(build: Build, checked: Checked, tmp_path: Path) -> None:
    program = _also_build(build(SQLITE)["sqlite3"].parent, "threadtest3")
    done = checked.run([program, "walthread1", "walthread2", "cgt_pager_1"], tmp_path)
    assert done.status == 0, done.stdout[-2000:]
    checked.assert_clean()


def test_several_processes(fresh: Fresh, checked: Checked) -> None:
    _, programs = fresh(SQLITE)
    source = programs["sqlite3"].parent
    _also_build(source, "mptester")
    scripts = source / "mptest"
    done = checked.run(
        [source / "mptester", "mptest.db", scripts / "crash01.test", "--repeat", "1", "--timeout", "600000"],
        source,
    )
    assert done.status == 0, done.stdout[-2000:]
    checked.assert_clean()


def _also_build(source: Path, target: str) -> Path:
    """Another target of the makefile that `configure` made with whence-cc."""
    program = source / target
    if not program.exists():
        done = native(["make", target], source)
        if done.status:
            raise ToolLimit(f"make {target} failed: {done.stderr[-2000:].decode(errors='replace')}")
    return program
