"""What it costs to make a checked SQLite: compile time and memory on one core."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measure
from variants import Variant, rule_options

from whence.demo.build import whence_run
from whence.errors import ToolLimit

DEFINES = "-DNDEBUG -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_MATH_FUNCTIONS -I. -lm -ldl -lpthread"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Instrumenting:
    """Compiles the shell (shell.c and sqlite3.c in `source`) on one core; everything is made in `scratch`."""

    source: Path
    launcher: Path
    scratch: Path

    def rows(self, columns: list[Variant]) -> list[Row]:
        """One row a step: every compiler, then the first and second start under whence.

        Raises ToolLimit when one of the steps fails.
        """
        rows = []
        for variant in columns:
            if variant.prefix:
                continue
            output = self.scratch / f"shell-{variant.build}"
            compiler = variant.compiler
            words = [*compiler.cc.split(), *compiler.flags.split(), "shell.c", "sqlite3.c"]
            what = f"{variant.name}: compile with {_shown(compiler.cc)} {compiler.flags}"
            if not output.exists():
                rows.append(self._measured(what, [*words, "-o", str(output), *DEFINES.split()]))
            if variant.instrumented:
                rows += self._starts(variant, output)
        return rows

    def _starts(self, variant: Variant, program: Path) -> list[Row]:
        run = [*whence_run(), *rule_options(variant), "--no-progress", "--jobs", "1"]
        started = [str(program), "-version"]
        with tempfile.TemporaryDirectory(dir=self.scratch) as cache:
            environ = {"XDG_CACHE_HOME": cache}
            steps = {
                "instrument, at the first start": [],
                "start again, from the cache": [],
                "instrument for long runs (--tier full)": ["--tier", "full"],
            }
            return [
                self._measured(f"{variant.name}: {what}", [*run, *options, *started], environ)
                for what, options in steps.items()
            ]

    def _measured(self, what: str, command: list[str], environ: dict[str, str] | None = None) -> Row:
        taskset = shutil.which("taskset")
        one_core = [taskset, "-c", str(min(os.sched_getaffinity(0)))] if taskset else []
        output = self.scratch / "compile.out"
        environment = {**os.environ, **(environ or {})}
        usage = measure.run(self.launcher, [*one_core, *command], self.source, output, environment)
        if usage.status:
            errors = output.with_name(output.name + ".err").read_text(errors="replace")[-600:]
            raise ToolLimit(f"{what} failed with status {usage.status}: {errors}")
        return {"what": what, "cpu": usage.cpu, "wall": usage.wall, "memory": usage.memory}


def _shown(command: str) -> str:
    """A compiler command without directories."""
    return " ".join(Path(word).name if word.startswith("/") else word for word in command.split())
