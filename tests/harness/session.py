"""Builds and runs the programs of the corpus under ``whence run``, each once in a test session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.expect import LEVELS, Case
from tests.harness.limits import TIMEOUT
from tests.harness.warm import Worker

from whence.abi.tiers import FULL, QUICK

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What one run did. `document` is the JSON report, None when there is none."""

    command: str
    status: int
    stdout: bytes
    stderr: str
    document: dict[str, Any] | None
    timeout: bool = False


class BuildError(Exception):
    """The program does not build; the message holds the command and the compiler's words."""


def environment(cache: Path) -> dict[str, str]:
    """The environment of every command: this source tree, and caches of the session's own."""
    path = os.pathsep.join(p for p in (str(REPOSITORY / "src"), os.environ.get("PYTHONPATH")) if p)
    own = {"PYTHONPATH": path, "WHENCE_CACHE": str(cache), "PYTHONPYCACHEPREFIX": f"{cache}-bytecode"}
    # Output is buffered, as where users run whence.
    return {**os.environ, **own, "PYTHONDONTWRITEBYTECODE": "", "PYTHONUNBUFFERED": ""}


def compile_program(case: Case, out: Path, flags: Iterable[str], env: dict[str, str]) -> None:
    """Build one program with the compiler wrapper; raises `BuildError`."""
    driver = Path(sys.executable).with_name("whence-c++" if case.is_cxx else "whence-cc")
    command = [str(driver), "-g", "-w", *flags, *case.run.cflags]
    command += [str(case.path), "-o", str(out), *case.run.ldflags]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=TIMEOUT)
    if done.returncode:
        raise BuildError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")


def tier_of(case: Case, level: str) -> str:
    """The tier of a program's code: each has half of the programs, and the other half at the next level."""
    return (QUICK, FULL)[(zlib.crc32(case.name.encode()) + LEVELS.index(level)) % 2]


VALUES = "use-of-uninitialized-value"


class Corpus:
    """Outcomes of (case, level), computed by a few threads, one worker process each.

    values: also with the rule about undefined values, whose code is made in another way.
    """

    def __init__(self, directory: Path, env: dict[str, str], threads: int) -> None:
        self._directory = directory
        self._env = env
        self._pool = ThreadPoolExecutor(threads)
        self._local = threading.local()
        self._workers: list[Worker] = []
        self._futures: dict[tuple[Path, str, bool], Future[Outcome]] = {}

    def submit(self, case: Case, level: str, values: bool = False) -> None:
        """Start on a program, if that has not been done."""
        key = (case.path, level, values)
        if key not in self._futures:
            self._futures[key] = self._pool.submit(self._execute, case, level, values)

    def outcome(self, case: Case, level: str, values: bool = False) -> Outcome:
        """Wait for a program's outcome; raises `BuildError`."""
        self.submit(case, level, values)
        return self._futures[(case.path, level, values)].result()

    def close(self) -> None:
        for future in self._futures.values():
            future.cancel()
        self._pool.shutdown()
        for worker in self._workers:
            worker.close()

    def _worker(self) -> Worker:
        if not hasattr(self._local, "worker"):
            self._local.worker = Worker(self._env)
            self._workers.append(self._local.worker)
        worker: Worker = self._local.worker
        return worker

    def _execute(self, case: Case, level: str, values: bool) -> Outcome:
        directory = self._directory / f"{case.name.replace('/', '.')}{level}{'-values' if values else ''}"
        directory.mkdir(parents=True)
        program = directory / case.path.stem
        compile_program(case, program, (level,), self._env)
        rules = ("--tier", tier_of(case, level), *(("--enable", VALUES) if values else ()))
        return self._run(case, rules, program, directory)

    def _run(self, case: Case, rules: Sequence[str], program: Path, directory: Path) -> Outcome:
        report, stdin = directory / "report.json", directory / "stdin"
        stdin.write_bytes(case.run.stdin)
        options = ["--jobs", "1", *rules, *case.run.options, "--json", str(report)]
        argv = ["run", *options, str(program), *case.run.args]
        with (
            stdin.open("rb") as given,
            (directory / "stdout").open("wb") as out,
            (directory / "stderr").open("wb") as err,
        ):
            streams = [each.fileno() for each in (given, out, err)]
            answer = self._worker().run(argv, {**self._env, **dict(case.run.env)}, directory, streams)
        return Outcome(
            "whence " + " ".join(argv),
            answer.status,
            (directory / "stdout").read_bytes(),
            (directory / "stderr").read_text(errors="replace"),
            json.loads(report.read_text()) if report.exists() and report.stat().st_size else None,
            answer.timeout,
        )
