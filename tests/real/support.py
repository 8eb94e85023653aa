"""Running commands natively and under `whence run`, for the acceptance tests."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whence.demo.build import Builder, whence_run
from whence.demo.programs import Executables, Program

HERE = Path(__file__).resolve().parent
LIMIT = 3600
"""Seconds that one command may take before the test fails: a guard against hanging only."""

_CHECKED_IN = re.compile("accesses were checked in .+, allocation calls")

Build = Callable[[Program], Executables]
Fresh = Callable[[Program], tuple[Builder, Executables]]
Command = list[str | Path]


@dataclass(frozen=True)
class Done:
    """A finished command."""

    status: int
    stdout: bytes
    stderr: bytes


def native(command: Command, cwd: Path, stdin: bytes = b"") -> Done:
    """Run a command as it is."""
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, timeout=LIMIT, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


class Checked:
    """Runs commands under `whence run` and keeps the findings of every run in `directory`.

    `wrapper` is a program that does so for build systems: it takes a command.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True)
        self._directory = directory
        self.wrapper = directory / "checked"
        whence = " ".join(map(shlex.quote, whence_run()))
        base = shlex.quote(str(directory))
        # Process numbers come again in a long test suite: names that do not.
        self.wrapper.write_text(
            f"#!/bin/sh\nfile=$(command -p mktemp {base}/XXXXXXXXXX) || exit\n"
            f'exec {whence} --halt --no-progress --json "$file.json" --log "$file.log" "$@"\n'
        )
        self.wrapper.chmod(0o755)

    def run(self, command: Command, cwd: Path, stdin: bytes = b"") -> Done:
        return native([self.wrapper, *command], cwd, stdin)

    def trace(self, command: Command, cwd: Path) -> Done:
        """Run a command under whence with all that it executes: every program that carries IR is checked.

        The programs keep their exit status unless they are stopped.
        """
        return native([self.wrapper, "--trace-children", "--error-exitcode", "0", *command], cwd)

    def replace(self, program: Path) -> None:
        """Put a script in the place of a program that runs it under whence.

        It keeps its name in messages, its exit status unless it is stopped, and
        the time of the file, so that make does not make again what depends on it.
        """
        real = program.parent / "whence-real" / program.name
        real.parent.mkdir(exist_ok=True)
        os.replace(program, real)
        program.write_text(
            f"#!/bin/sh\nPATH={shlex.quote(str(real.parent))}:$PATH\n"
            f'exec {shlex.quote(str(self.wrapper))} --error-exitcode 0 {shlex.quote(real.name)} "$@"\n'
        )
        shutil.copystat(real, program)

    def findings(self) -> list[dict[str, Any]]:
        """The findings of all runs so far."""
        found: list[dict[str, Any]] = []
        for path in sorted(self._directory.glob("*.json")):
            found += json.loads(path.read_text())["findings"]
        return found

    def runs(self) -> int:
        """How many runs ended with a document of findings."""
        return sum(1 for path in self._directory.glob("*.json") if path.stat().st_size)

    def traced(self) -> bool:
        """Whether programs with IR were run by commands without."""
        notes = [note for path in self._directory.glob("*.json") for note in _notes(path)]
        return any(_CHECKED_IN.search(note) for note in notes)

    def unchecked(self) -> set[str]:
        """Names of the programs and libraries without IR that were run or loaded."""
        reports = [json.loads(path.read_text()) for path in self._directory.glob("*.json")]
        covered = [report["run"]["coverage"] for report in reports]
        return {each["name"] for coverage in covered if coverage for each in coverage["left_out"]}

    def assert_clean(
        self, runs: int = 1, but: Callable[[dict[str, Any]], bool] = lambda finding: False
    ) -> None:
        """At least `runs` runs, and no finding in any of them `but` such; shows the reports otherwise."""
        reports = [path.read_text(errors="replace") for path in sorted(self._directory.glob("*.log"))]
        assert [each for each in self.findings() if not but(each)] == [], "\n".join(reports)[-6000:]
        assert self.runs() >= runs, f"{self.runs()} programs were run under whence, expected {runs}"


def _notes(document: Path) -> list[str]:
    notes: list[str] = json.loads(document.read_text())["run"]["notes"]
    return notes
