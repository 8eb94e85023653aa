"""One measured run of a command, and what a set of runs says."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.errors import ToolLimit

LAUNCHER_SOURCE = Path(__file__).resolve().parent / "scripts" / "usage.c"


@dataclass(frozen=True, slots=True)
class Usage:
    """What one process used: CPU is user + system time in seconds, memory the peak RSS in KiB.

    Both include the children it waited for. `status` is its exit status, or
    minus the number of the signal that ended it.
    """

    cpu: float
    wall: float
    memory: int
    status: int


def build_launcher(compiler: str, directory: Path) -> Path:
    """Compile the small program that starts what is measured (see scripts/usage.c)."""
    directory.mkdir(parents=True, exist_ok=True)
    launcher = directory / "usage"
    command = [compiler, "-O1", str(LAUNCHER_SOURCE), "-o", str(launcher)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolLimit(f"{compiler} cannot compile {LAUNCHER_SOURCE.name}: {done.stderr.strip()[-300:]}")
    return launcher


def run(
    launcher: Path,
    command: Sequence[str],
    cwd: Path,
    stdout: Path,
    environ: Mapping[str, str],
    stdin: Path = Path(os.devnull),
) -> Usage:
    """Run a command, without address randomisation, until it ends; its stderr goes beside stdout."""
    result = stdout.with_name(stdout.name + ".usage")
    errors = stdout.with_name(stdout.name + ".err")
    with stdin.open("rb") as source, stdout.open("wb") as sink, errors.open("wb") as messages:
        started = subprocess.run(
            [launcher, result, *command], cwd=cwd, env=environ, stdin=source, stdout=sink, stderr=messages,
            check=False,
        )  # fmt: skip
    if started.returncode:
        raise ToolLimit(f"{command[0]} cannot be measured: the launcher ended with {started.returncode}")
    cpu, wall, memory, status = result.read_text().split()
    return Usage(float(cpu), float(wall), int(memory), int(status))


def median_cpu(runs: Sequence[Usage]) -> float:
    return statistics.median(usage.cpu for usage in runs)


def median_memory(runs: Sequence[Usage]) -> float:
    return statistics.median(usage.memory for usage in runs)


def geometric_mean(ratios: Sequence[float]) -> float:
    """NaN for no ratios."""
    if not ratios:
        return math.nan
    return math.exp(sum(map(math.log, ratios)) / len(ratios))
