"""Engines are interchangeable: the driver knows them by their protocol and their rows in the registry."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.session import REPOSITORY

import whence
from whence.engines import registry
from whence.engines.protocol import Task
from whence.engines.result import Result
from whence.errors import CarriesNoIR, UserMistake
from whence.findings import RunInfo
from whence.rules.observable import NATIVE, Observable


class Toy:
    """Runs nothing, says what it was given, and sees frees alone."""

    observes = replace(NATIVE, name="toy", points=frozenset({"FREE"}))

    def check(self, task: Task) -> None:
        if task.program.suffix == ".none":
            raise CarriesNoIR(f"{task.program} is nothing for a toy")

    def prepare(self, task: Task) -> str:
        self.check(task)
        return " ".join(rule.name for rule in task.settings.rules.active)

    def run(self, task: Task, prepared: str) -> int:
        return len(prepared.split())

    def collect(self, task: Task, prepared: str, ran: int) -> Result:
        program = str(task.program)
        return Result(
            (),
            RunInfo(
                program=program,
                arguments=tuple(task.arguments),
                image=program,
                pid=0,
                exit_status=ran,
                signal=None,
                notes=task.notes,
            ),
            stdout=prepared.encode(),
        )


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, whence_env: dict[str, str]) -> Path:
    """A file, and the engine `toy`, which `auto` tries first."""
    monkeypatch.setattr(registry, "ENGINES", {"toy": f"{__name__}:Toy", **registry.ENGINES})
    monkeypatch.setenv("WHENCE_CACHE", whence_env["WHENCE_CACHE"])
    program = tmp_path / "prog"
    program.write_text("")
    return program


def rules_file(folder: Path, text: str) -> Path:
    path = folder / "mine.rules"
    path.write_text(text)
    return path


@pytest.mark.parametrize("engine", ["toy", "auto"])
def test_the_driver_runs_an_engine_it_does_not_know(toy: Path, engine: str) -> None:
    result = whence.run(toy, ["a"], engine=engine, disable=["all"], enable=["double-free", "unmatched-free"])
    assert (result.stdout, result.exit_status) == (b"unmatched-free double-free", 2)
    assert result.run.arguments == (str(toy), "a") and result.notes == ()


def test_standard_rules_that_an_engine_cannot_observe_are_left_out_with_a_note(toy: Path) -> None:
    result = whence.run(toy, engine="toy", leak_check="no")
    assert b"double-free" in (result.stdout or b"") and b"heap-buffer-overflow" not in (result.stdout or b"")
    [note] = result.notes
    assert note.startswith("engine toy cannot observe what these rules need, so they were left out: ")
    assert {"heap-buffer-overflow", "definite-leak"} <= set(re.split("[:, ]+", note))


@pytest.mark.parametrize(
    ("point", "need"),
    [
        ("deref r when r == NULL", "the detection point 'deref'"),
        ("ret f v when v == 0", "the detection point 'ret f'"),
    ],
)
def test_a_rule_of_the_user_is_refused(toy: Path, tmp_path: Path, point: str, need: str) -> None:
    rules = rules_file(tmp_path, f'rule mine "m" at {point}\n')
    with pytest.raises(UserMistake) as caught:
        whence.run(toy, rules=rules, engine="toy")
    assert str(caught.value) == (
        f"rule 'mine' needs {need}, which engine toy does not observe: "
        "choose another engine (--engine), or leave it out (--disable mine)"
    )
    assert whence.run(toy, rules=rules, engine="toy", disable=["mine"]).exit_status


def test_a_standard_rule_that_was_enabled_by_name_is_refused(toy: Path) -> None:
    with pytest.raises(UserMistake, match="rule 'heap-buffer-overflow' needs the detection point 'deref'"):
        whence.run(toy, engine="toy", enable="heap-buffer-overflow")
    assert whence.run(toy, engine="toy", enable="all", disable=["empty-allocation"]).notes


def test_a_finding_of_the_runtime_that_the_engine_does_not_make_is_refused(toy: Path) -> None:
    with pytest.raises(UserMistake, match="'empty-allocation' is a finding that engine toy does not make"):
        whence.run(toy, engine="toy", enable="empty-allocation")


def test_auto_takes_the_next_engine_where_one_cannot_run_the_program(toy: Path, tmp_path: Path) -> None:
    program = tmp_path / "copy.none"
    shutil.copy("/bin/true", program)
    assert "what an allocator sees was checked" in whence.run(program).notes[0]
    assert whence.run(program, enable="empty-allocation").ok
    for engine, enabled in (("toy", ()), ("toy", "empty-allocation")):
        with pytest.raises(CarriesNoIR, match="is nothing for a toy"):
            whence.run(program, engine=engine, enable=enabled)


@pytest.fixture
def runner(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


NO_CALLS = """
#include <stdlib.h>
int step(int n) { free(malloc(n)); return n; }
int main(void) { return step(0); }
"""


@pytest.mark.parametrize(
    ("rule", "need"),
    [
        ("ret step _ when exists b in H : Time(b) > 0", "the detection point 'ret step'"),
        ("ret main v when v == 0", "the result of main"),
        ("free r when FindLast(_, call, step, _)", "call events"),
        ("deref r when not (r == NULL)", "every access"),
        ("deref r when Closed > 0", "Closed"),
        ("deref r when Kind(r) == Stack and Outside(r)", "local variables as blocks"),
        ("deref r when Kind(r) == Global and Outside(r)", "global variables as blocks"),
        ("copy r n s m when r < s + m and s < r + n", "the detection point 'copy'"),
    ],
)
def test_what_engine_alloc_cannot_observe(runner: Whence, tmp_path: Path, rule: str, need: str) -> None:
    """And engine native can."""
    rules = rules_file(tmp_path, f'rule mine "m" at {rule}\n')
    program = runner.build(NO_CALLS)
    done = runner.run("--engine", "alloc", "--rules", rules, program)
    assert done.status == 2 and done.err.startswith(f"whence: rule 'mine' needs {need}, ")
    assert "engine alloc" in done.err and done.err.count("\n") == 1
    assert "needs" not in runner.run("--keep-going", "--rules", rules, program).err


def test_an_engine_is_described_by_the_same_text_in_all_processes() -> None:
    """It is part of the keys of cached entries."""
    assert Observable("x").key() != replace(Observable("x"), every=False).key()
    assert Observable("x", events=frozenset("ba")).key() == Observable("x", events=frozenset("ab")).key()
    assert "frozenset" not in Observable("x").key()


def test_the_driver_names_no_engine() -> None:
    text = (REPOSITORY / "src" / "whence" / "engines" / "checked.py").read_text()
    assert not [name for name in registry.ENGINES if name in text]
