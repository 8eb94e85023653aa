"""Commands of whence as real processes, for tests of what happens around a program."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from tests.harness import tiers, warm
from tests.harness.lastline import before_last_line
from tests.harness.limits import TIMEOUT as TIMEOUT

T = TypeVar("T")


@dataclass(frozen=True)
class Done:
    """How a command ended; `status` as `subprocess` counts it (negative: killed by that signal)."""

    status: int
    out: bytes
    err: str

    @property
    def said(self) -> str:
        """What a clean run wrote to standard error before the last line, which says what was checked."""
        return before_last_line(self.err)


@dataclass(frozen=True)
class Whence:
    """Builds programs in `directory` and runs them, all with one environment."""

    directory: Path
    env: Mapping[str, str]

    def with_env(self, **changes: str) -> Whence:
        return replace(self, env={**self.env, **changes})

    def cc(self, *words: str | Path) -> None:
        """``whence-cc``; a failure is an error of the test."""
        done = self.process("whence.cli.cc", "cc", *words)
        assert done.status == 0, done.err

    def build(self, source: str, name: str = "prog", *flags: str) -> Path:
        """Compile and link one C file."""
        path = self.directory / f"{name}.c"
        path.write_text(source)
        self.cc("-g", "-O1", "-w", path, "-o", self.directory / name, *flags)
        return self.directory / name

    def run(self, *words: str | Path, stdin: bytes = b"", **keywords: Any) -> Done:
        """``whence run``."""
        return self.process("whence.cli.main", "run", *words, stdin=stdin, **keywords)

    def findings(self, *words: str | Path, stdin: bytes = b"") -> tuple[Done, list[dict[str, Any]]]:
        """``whence run --json`` and the findings of its report."""
        report = self.directory / "findings.json"
        report.unlink(missing_ok=True)
        done = self.run("--json", report, *words, stdin=stdin)
        assert report.exists(), done.err
        return done, json.loads(report.read_text())["findings"]

    def process(
        self, module: str, *words: str | Path, stdin: bytes = b"", prefix: Sequence[str] = ()
    ) -> Done:
        command = [*prefix, *self.command(module, *words)]
        if module == "whence.cli.main" and not prefix:
            tiers.note(command)
            done = warm.run([*map(str, words)], self.env, self.directory, stdin)
            if done is not None:
                return _done(done)
        done = subprocess.run(
            command, input=stdin, capture_output=True, env=dict(self.env), cwd=self.directory, timeout=TIMEOUT
        )
        return _done(done)

    def start(self, *words: str | Path) -> subprocess.Popen[bytes]:
        """``whence run`` in the background, with pipes."""
        return subprocess.Popen(
            self.command("whence.cli.main", "run", *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(self.env),
            cwd=self.directory,
        )

    @staticmethod
    def command(module: str, *words: str | Path) -> list[str]:
        return [sys.executable, "-m", module, *map(str, words)]


def _done(ended: subprocess.CompletedProcess[bytes]) -> Done:
    return Done(ended.returncode, ended.stdout, ended.stderr.decode(errors="replace"))


def with_patience(run: Callable[[int], T], got_far: Callable[[T], bool]) -> tuple[T, int]:
    """What `run` gives with a limit of so many seconds, of which there are more until the program got far."""
    for seconds in (2, 20, 200):
        result = run(seconds)
        if got_far(result):
            break
    return result, seconds


def eventually(happened: Callable[[], bool]) -> bool:
    """Whether something happens before `TIMEOUT`: what another process or the kernel does in its time."""
    end = time.monotonic() + TIMEOUT
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def is_one_sentence(text: str) -> bool:
    """Whether an error is one line that begins with our name and is no traceback."""
    lines = text.strip().splitlines()
    return len(lines) == 1 and lines[0].startswith("whence: ") and len(lines[0]) > 20
