"""Builds the preloaded allocator once and runs ordinary programs under it, without Python in between."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT
from tests.harness.shares import once
from tests.runtime.rt_harness import runtime_build

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "src" / "whence" / "include"


@dataclass(frozen=True)
class Done:
    """How a program ended; `err` is what it and the allocator wrote to standard error."""

    status: int
    out: str
    err: str

    @property
    def rules(self) -> list[str]:
        """The rules of the findings, in order."""
        headings = [line.split(": ") for line in self.err.splitlines() if line.startswith("whence: ")]
        return [words[1] for words in headings if len(words) == 3]

    @property
    def place(self) -> str:
        """What the first finding's address is, without the address."""
        lines = self.err.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("whence: "))
        return lines[first + 1].strip().split(" ", 1)[1].rsplit(", 0x", 1)[0]


@pytest.fixture(scope="session")
def allocator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, compiled with all warnings as errors."""
    name = runtime_build.ALLOC_LIBRARY
    folder = once(tmp_path_factory, "allocator", lambda new: runtime_build.build(new / name, strict=True))
    return folder / name


Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_plain(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """compile_plain("file.c", *flags) -> a program of an ordinary compiler."""
    made: dict[tuple[str, ...], Path] = {}

    def compile_(name: str, *flags: str, compiler: str = "gcc") -> Path:
        key = (compiler, name, *flags)
        if key not in made:
            made[key] = tmp_path_factory.mktemp("plain") / Path(name).stem
            source = name if name.startswith("/") else str(HERE / name)
            common = ["-g", "-O0", "-fno-builtin", "-pthread", "-w", f"-I{INCLUDE}", source]
            subprocess.run([compiler, *common, *flags, "-o", str(made[key])], check=True)
        return made[key]

    return compile_


Preload = Callable[..., Done]


@pytest.fixture
def preload(allocator: Path) -> Preload:
    """preload(program, *arguments, guard="T", options="leaks=0", **keywords of subprocess.run) -> Done."""

    def preload_(
        program: Path | str,
        *arguments: str | Path,
        guard: str | None = None,
        options: str | None = "leaks=0:children=1",
        environment: dict[str, str] | None = None,
        **keywords: object,
    ) -> Done:
        variables = {**os.environ, "LD_PRELOAD": str(allocator), **(environment or {})}
        if guard is not None:
            variables["WHENCE_ALLOC"] = guard
        if options is not None:
            variables["WHENCE_RT"] = options
        done = subprocess.run(
            [str(program), *map(str, arguments)],
            env=variables,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            **keywords,  # type: ignore[call-overload]
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return preload_
