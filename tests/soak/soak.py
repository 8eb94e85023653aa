"""``python -m tests.soak.soak``: runs programs under ``whence run`` while faults are injected at random.

Prints a line for each run, then the counts for each kind of fault. Every
violation is kept in a directory with all that is needed to repeat it. The exit
status is 1 if there were any.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import queue
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness import checking
from tests.harness.expect import Case
from tests.soak import faults
from tests.soak.draw import Draw, corpus, draw
from tests.soak.judge import outcome, violations
from tests.soak.runner import Observation, Place

OUTCOMES = ("finding", "no finding", "refused", "ended by signal", "hung")
_COLUMNS = ("runs", "fired", *OUTCOMES, "violations")


@dataclass
class Counts:
    """For each kind of fault, how often each of `_COLUMNS` was counted."""

    table: dict[str, Counter[str]] = field(default_factory=dict)
    violations: list[dict[str, Any]] = field(default_factory=list)

    def add(self, told: dict[str, Any]) -> None:
        row = self.table.setdefault(told["fault"]["kind"], Counter())
        row["runs"] += 1
        row["fired"] += bool(told["fired"])
        row[told["outcome"]] += 1
        row["violations"] += bool(told["violations"])
        if told["violations"]:
            self.violations.append(told)

    def rows(self) -> list[tuple[str, list[int]]]:
        """Kinds in the order of `faults.KINDS`, then their sum."""
        names = [each.kind for each, _ in faults.KINDS if each.kind in self.table]
        total: Counter[str] = sum(self.table.values(), Counter())
        rows = [*((name, self.table[name]) for name in names), ("all", total)]
        return [(name, [row[column] for column in _COLUMNS]) for name, row in rows]

    def text(self) -> str:
        """An aligned table."""
        heads = ["fault", *_COLUMNS]
        lines = [[name, *map(str, numbers)] for name, numbers in self.rows()]
        widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
        return "\n".join(_aligned(cells, widths) for cells in (heads, *lines))


def _aligned(cells: list[str], widths: list[int]) -> str:
    """The first cell to the left, numbers to the right."""
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return "  ".join([cells[0].ljust(widths[0]), *numbers])


def one(place: Place, drawn: Draw, kept: Path) -> dict[str, Any]:
    """Do a run, judge it, keep it if it violates something; what is told about it."""
    seen, directory = place.observe(drawn)
    wrong = violations(drawn, seen)
    told = {
        "seed": drawn.seed,
        "index": drawn.index,
        "program": f"{drawn.case.name} {drawn.level}",
        "fault": drawn.fault.told(),
        "fired": seen.fired,
        "command": seen.command,
        "status": seen.status,
        "outcome": outcome(seen),
        "seconds": round(seen.seconds, 2),
        "violations": wrong,
    }
    if wrong:
        _keep(kept / str(drawn.index), told, seen)
    faults.remove(directory)
    return told


def _keep(directory: Path, told: dict[str, Any], seen: Observation) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "run.json").write_text(json.dumps(told, indent=1) + "\n")
    (directory / "stdout").write_bytes(seen.stdout)
    (directory / "stderr").write_text(seen.stderr, errors="surrogateescape")
    (directory / "log").write_text(seen.log, errors="surrogateescape")
    if seen.document is not None:
        (directory / "report.json").write_text(json.dumps(seen.document, indent=1))


def _work(options: argparse.Namespace, number: int, directory: Path, results: Any) -> None:
    """A worker: every `jobs`-th run, until the time is over."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cases = _cases(options)
    place = Place(directory / f"worker-{number}", options.limit)
    end = time.monotonic() + 60 * options.minutes
    for index, kind in _indices(options, number):
        if time.monotonic() >= end:
            break
        try:
            told = one(place, draw(options.seed, index, cases, kind), directory / "violations")
        except Exception as error:
            results.put({"error": f"run {index}: {type(error).__name__}: {error}"})
            return
        results.put(told)
    results.put(None)


def _cases(options: argparse.Namespace) -> list[Case]:
    cases = corpus()
    return cases if options.programs is None else random.Random(options.seed).sample(cases, options.programs)


def _indices(options: argparse.Namespace, number: int) -> list[tuple[int, str | None]] | Any:
    """The runs of a worker, each with the kind of its fault if that is not drawn."""
    if options.only is not None:
        return [(index, None) for index in options.only][number :: options.jobs]
    if options.each:
        kinds = [kind.kind for kind, _ in faults.KINDS] * options.each
        return list(enumerate(kinds))[number :: options.jobs]
    return ((index, None) for index in range(number, sys.maxsize, options.jobs))


def soak(options: argparse.Namespace, directory: Path) -> Counts:
    """All workers until their end; raises `RuntimeError` when the soak itself fails."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [
        context.Process(target=_work, args=(options, number, directory, results))
        for number in range(options.jobs)
    ]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # also where interrupts are ignored
    for worker in workers:
        worker.start()
    counts, running = Counts(), len(workers)
    try:
        while running:
            told = _next(results, workers)
            if told is None:
                running -= 1
            elif "error" in told:
                raise RuntimeError(told["error"])
            else:
                counts.add(told)
                _print(told)
    except KeyboardInterrupt:
        print("interrupted: the counts so far", flush=True)
    finally:
        for worker in workers:
            worker.terminate()
    return counts


def _next(results: Any, workers: list[Any]) -> Any:
    while True:
        try:
            return results.get(timeout=5)
        except queue.Empty:
            dead = [worker.exitcode for worker in workers if worker.exitcode]
            if dead:
                raise RuntimeError(f"a worker of the soak died: {dead}") from None


def _print(told: dict[str, Any]) -> None:
    fault = told["fault"]["kind"] + ("" if told["fired"] else " (too late)")
    line = f"{told['index']:5} {told['seconds']:7.2f}s {fault:30} {told['outcome']:16} {told['program']}"
    print(line, flush=True)
    for sentence in told["violations"]:
        print(f"      VIOLATION: {sentence}", flush=True)


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="how long new runs are begun (60)")
    parser.add_argument("--seed", type=int, default=None, help="of all that is drawn (drawn itself)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once (1)")
    parser.add_argument("--only", type=int, nargs="+", metavar="INDEX", help="just these runs of the seed")
    parser.add_argument("--each", type=int, metavar="N", help="N runs with each kind of fault, in turn")
    parser.add_argument("--programs", type=int, metavar="N", help="draw from N programs of the corpus only")
    parser.add_argument("--limit", type=float, default=240, help="seconds after which a run hangs (240)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts and violations, too")
    parser.add_argument("--directory", type=Path, help="where to work and to keep violations (a new one)")
    options = parser.parse_args(argv)
    if options.jobs < 1:
        parser.error(f"--jobs is {options.jobs}: expected 1 or more")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    return options


def main(argv: list[str] | None = None) -> int:
    options = _arguments(argv)
    directory = (options.directory or Path(tempfile.mkdtemp(prefix="soak-"))).resolve()
    print(f"seed {options.seed}, working in {directory}", flush=True)
    if checking.VARIABLE not in os.environ:
        os.environ[checking.VARIABLE] = str(checking.checking_libraries(directory / "native"))
    begin = time.monotonic()
    counts = soak(options, directory)
    seconds = time.monotonic() - begin
    print(f"\n{counts.text()}\n\nseed {options.seed}, {seconds / 60:.1f} minutes", flush=True)
    if options.json:
        document = {
            "seed": options.seed,
            "seconds": round(seconds, 1),
            "faults": {name: dict(zip(_COLUMNS, row, strict=True)) for name, row in counts.rows()},
            "violations": counts.violations,
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    _tidy(directory, keep=options.directory is not None, violated=bool(counts.violations))
    return 1 if counts.violations else 0


def _tidy(directory: Path, *, keep: bool, violated: bool) -> None:
    if violated:
        print(f"violations are kept in {directory / 'violations'}", flush=True)
    for entry in os.scandir(directory):
        if (entry.name.startswith("worker-") or entry.name == "native") and not keep:
            shutil.rmtree(entry.path, ignore_errors=True)
    if not keep and not violated:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
