"""Programs whose allocations are known, as the system's compiler and as whence-cc build them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.process import Done, Whence

from whence.findings.heap import HeapProcess, HeapProfile, HeapStack, profile_of

HERE = Path(__file__).resolve().parent
BUILDS = ("plain", "native", "alloc")
"""By the system's compiler, by whence-cc, and the first under whence's allocator."""


@dataclass(frozen=True)
class Profiled:
    """How a run ended, its report, and the profile in it."""

    done: Done
    report: dict[str, Any]
    profile: HeapProfile

    @property
    def process(self) -> HeapProcess:
        """The only one."""
        (process,) = self.profile.processes
        return process

    def by(self, function: str, process: HeapProcess | None = None) -> HeapStack:
        """What a function of the program allocates, which has one call path."""
        stacks = [
            stack
            for stack in (process or self.process).stacks
            if function in [frame.function for frame in self.profile.stack(stack)][:1]
        ]
        assert len(stacks) == 1, [self.profile.stack(stack) for stack in (process or self.process).stacks]
        return stacks[0]


@dataclass(frozen=True)
class Heap:
    """Programs of a build, and ``whence heap`` on them."""

    whence: Whence
    programs: dict[str, Path]
    options: tuple[str, ...] = ()

    def command(self, *words: str | Path, **environment: str) -> Done:
        return self.whence.with_env(**environment).process("whence.cli.main", "heap", *self.options, *words)

    def profile(self, program: str, *words: str, options: tuple[str, ...] = ()) -> Profiled:
        file = self.whence.directory / "profile.json"
        file.unlink(missing_ok=True)
        done = self.command("--json", file, *options, self.programs[program], *words)
        report = json.loads(file.read_text())
        return Profiled(done, report, profile_of(report["run"]["heap"]))


def built(whence: Whence, build: str) -> dict[str, Path]:
    made = {}
    for source in (HERE / "ways.c", HERE / "kinds.cpp"):
        path = made[source.stem] = whence.directory / source.stem
        cxx = source.suffix == ".cpp"
        words = ["-g", "-O1", "-fno-builtin", "-w", "-pthread", str(source), "-o", str(path)]
        if build != "native":
            subprocess.run(["g++" if cxx else "gcc", *words], check=True)
        else:
            done = whence.process("whence.cli.cc", "c++" if cxx else "cc", *words)
            assert done.status == 0, done.err
    return made
