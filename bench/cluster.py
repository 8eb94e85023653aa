"""What an exploration costs that is spread over workers: `python bench/cluster.py --help`.

Explores independent choices of three ways alone, and then with a scheduler of dask.distributed and so many
workers of one thread on this machine. Prints the processor time for each path: of the command (which
coordinates), of the scheduler, of the worker processes themselves, and of the sessions with the paths; and
the runs for each path, of which more than one are repetitions that sessions need to know a prefix. The
program is explored to its first path before, so that instrumenting it does not count.

Elapsed time shows how it scales only where there are idle processors for all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).resolve().parents[1] / "tests" / "exploring" / "programs" / "choices.c"
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of processor time, and by the clock. summary: of the exploration."""

    command: float
    scheduler: float
    workers: float
    sessions: float
    elapsed: float
    summary: dict[str, Any]

    def line(self, name: str) -> str:
        """A row of the table, in milliseconds for each path."""
        paths = self.summary["paths"]
        parts = [self.command, self.scheduler, self.workers, self.sessions]
        each = " | ".join(f"{1000 * part / paths:.2f}" for part in (*parts, sum(parts)))
        return f"| {name} | {paths:,} | {self.summary['runs'] / paths:.3f} | {each} | {self.elapsed:.1f} s |"


def main() -> int:
    keeping_lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("bench/cluster.py", None, __doc__, formatter_class=keeping_lines)
    parser.add_argument("--choices", type=int, default=8, metavar="N", help="so many choices (8)")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2], metavar="N", help="of rows (1 2)")
    given = parser.parse_args()
    print("| | paths | runs | command | scheduler | workers | sessions, paths | sum, ms each | elapsed |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="whence-bench-cluster-") as name:
        folder = Path(name)
        program = _built(folder, given.choices)
        _explored(program, folder / "first", "--max-paths", "1")
        print(_alone(program, folder / "alone").line("alone"), flush=True)
        for count in given.workers:
            print(_spread(program, folder / str(count), count).line(f"{count} workers"), flush=True)
    return 0


def _built(folder: Path, choices: int) -> Path:
    program = folder / "choices"
    words = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", "-O1", f"-DCHOICES={choices}"]
    subprocess.run([*words, "-o", str(program), str(PROGRAM)], check=True)
    return program


def _explored(program: Path, folder: Path, *options: str) -> tuple[float, float, dict[str, Any]]:
    """Seconds of processor time and by the clock, and the summary."""
    words = [sys.executable, "-m", "whence.cli.main", "explore", "--no-progress", "--quiet", *options]
    begun = time.monotonic()
    with subprocess.Popen([*words, "--out", str(folder / "out"), str(program)]) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.monotonic() - begun
    return usage.ru_utime + usage.ru_stime, elapsed, json.loads((folder / "out" / "summary.json").read_text())


def _alone(program: Path, folder: Path) -> Cost:
    cpu, elapsed, summary = _explored(program, folder)
    return Cost(cpu, 0, 0, 0, elapsed, summary)


def _spread(program: Path, folder: Path, count: int) -> Cost:
    folder.mkdir()
    file = folder / "scheduler.json"
    with _daemon(folder, "dask_scheduler", "--port", "0", "--scheduler-file", str(file)) as scheduler:
        while not file.exists():
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        options = [address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
        with _daemons(count, folder, options) as workers:
            before = [_seconds(each) for each in (scheduler, *workers)]
            cpu, elapsed, summary = _explored(program, folder, "--cluster", address)
            after = [_seconds(each) for each in (scheduler, *workers)]
    own = [now[0] - then[0] for now, then in zip(after, before, strict=True)]
    sessions = sum(now[1] - then[1] for now, then in zip(after, before, strict=True))
    return Cost(cpu, own[0], sum(own[1:]), sessions, elapsed, summary)


def _seconds(process: int) -> tuple[float, float]:
    """Processor time of a process, and of those that it has waited for."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK, (int(fields[13]) + int(fields[14])) / TICK


@contextmanager
def _daemon(folder: Path, name: str, *options: str) -> Iterator[int]:
    words = [sys.executable, "-m", f"distributed.cli.{name}", "--host", "127.0.0.1", "--no-dashboard"]
    nothing = subprocess.DEVNULL
    with subprocess.Popen([*words, *options], cwd=folder, stdout=nothing, stderr=nothing) as process:
        try:
            yield process.pid
        finally:
            process.kill()


@contextmanager
def _daemons(count: int, folder: Path, options: Sequence[str]) -> Iterator[list[int]]:
    if not count:
        yield []
        return
    with _daemon(folder, "dask_worker", *options) as first, _daemons(count - 1, folder, options) as others:
        yield [first, *others]


if __name__ == "__main__":
    sys.exit(main())
