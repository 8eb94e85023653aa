"""What exploration costs: `python bench/explorations.py --help`.

Explores the programs of tests/exploring/programs that other explorers are compared by, one after the other,
and prints paths, errors, the processor time of the command with all its paths, the time by the clock, the
most memory that the command itself and all its processes had together (resident pages, where those that
processes share count for each), and how often the solver was asked. Each program is built, explored to its
first path, and run as errors are confirmed, before that: instrumenting it does not count. Beside them
stands what KLEE 3.2 with STP took for the same programs (docs/explore.md): paths and processor time.

--many N explores N paths of independent choices in one exploration. --killed N explores N choices twice: once
undisturbed, and once with kill -9 for the command in the middle, and going on. No path may be there twice,
and none may be missing: the exit status is 1 if that is not so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from whence.errors import ToolLimit
from whence.exploring.memory import children, resident
from whence.exploring.store import JOURNAL, SUMMARY

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "exploring" / "programs"
LOOK, LOOK_TO_KILL, TELL = 0.1, 0.02, 10.0
"""Seconds from look to look, also where it is to be killed in time, and from line to line of progress."""
ENDING = 20.0
"""Seconds in which the processes of a killed exploration have to be gone."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A program, how it is built and explored, and what KLEE took for it."""

    name: str
    source: str
    flags: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    klee: str = "not measured"


def _options(text: str) -> tuple[str, ...]:
    return tuple(text.split())


COMPARED = (
    Compared("maze", "maze", klee="113 paths, 0.25 s"),
    Compared("choices", "choices", klee="6561 paths, 0.52 s"),
    Compared("bubble sort", "sort", klee="120 paths, 0.83 s"),
    Compared("sorting network", "network", klee="130 paths, 0.97 s"),
    Compared("regex", "regex", klee="3524 paths, 1.4 s"),
    Compared("regex, no end", "regex", ("-DUNTERMINATED",), klee="5204 paths, 2.1 s"),
    Compared("echo", "echo", options=_options("--sym-args 0 2 3"), klee="81 paths, 0.34 s"),
    Compared(
        "cat", "cat", options=_options("--sym-args 0 1 3 --sym-stdin 2"), klee="455 paths, 0.80 s"
    ),
    Compared("tr", "tr", options=_options("--sym-args 1 2 3 --sym-stdin 1 --max-paths 1000")),
    Compared(
        "base64", "base64", options=_options("--sym-arg 2 --sym-stdin 2"), klee="76 paths, 0.58 s"
    ),
)


def choices(count: int) -> Compared:
    """`count` choices of three ways."""
    return Compared(f"{count} choices", "choices", (f"-DCHOICES={count}",))


@dataclass(frozen=True, slots=True)
class Row:
    """What one exploration was and took. cpu, elapsed: seconds; driver, all: the most bytes, of the command
    and of all its processes together; queries: questions that the solver was asked."""

    name: str
    paths: int
    errors: int
    complete: bool
    cpu: float
    elapsed: float
    driver: int
    all: int
    queries: int
    klee: str


def main() -> int:
    keeping_lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("bench/explorations.py", None, __doc__, formatter_class=keeping_lines)
    parser.add_argument("--only", metavar="REGEX", default="", help="programs whose names match")
    parser.add_argument("--many", type=int, metavar="N", help="so many paths in one exploration")
    parser.add_argument("--killed", type=int, metavar="N", help="so many choices, killed and going on")
    parser.add_argument("--kills", type=int, default=4, metavar="N", help="how often (default 4)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="paths that run at a time (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument("--directory", type=Path, metavar="DIR", help="where all is made, and kept")
    given = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="whence-bench-explorations-") as name:
            folder = given.directory or Path(name)
            folder.mkdir(parents=True, exist_ok=True)
            return _measure(Bench(folder.resolve(), given.jobs), given)
    except ToolLimit as error:
        print(f"bench/explorations.py: {error}", file=sys.stderr)
        return 2


def _measure(bench: Bench, given: argparse.Namespace) -> int:
    document: dict[str, Any] = {}
    wrong = False
    if given.many is not None:
        rows = [bench.many(given.many)]
    elif given.killed is not None:
        rows, killed = bench.killed(given.killed, given.kills)
        document["killed"], wrong = killed, not killed["same"]
    else:
        rows = [bench.explored(each) for each in COMPARED if re.search(given.only, each.name)]
    if not rows:
        raise ToolLimit(f"no program's name matches {given.only!r}")
    print(_table(rows), end="", flush=True)
    if given.json:
        document["rows"] = [asdict(row) for row in rows]
        given.json.write_text(json.dumps(document, indent=1) + "\n")
    return int(wrong)


class Progress:
    """Counts the lines of a journal, and tells about them."""

    def __init__(self, name: str, journal: Path) -> None:
        self.name, self.journal = name, journal
        self.paths = self._offset = 0
        self._begun = self._told = time.monotonic()

    def look(self, driver: int, together: int) -> int:
        """The paths that are recorded."""
        if self.journal.exists():
            with self.journal.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
            self._offset += len(data)
            self.paths += data.count(b"\n")
        now = time.monotonic()
        if now - self._told >= TELL:
            self._told = now
            memory = f"{driver >> 20} MiB, {together >> 20} MiB together"
            print(f"{self.name}: {self.paths:,} paths, {now - self._begun:.0f} s, {memory}", flush=True)
        return self.paths


@dataclass(slots=True)
class Running:
    """An exploration that runs: the most memory that it had at any look. status: None until it has ended."""

    process: subprocess.Popen[bytes]
    progress: Progress
    begun: float
    driver: int = 0
    all: int = 0
    cpu: float = 0.0
    elapsed: float = 0.0
    status: int | None = None

    def watch(self, enough: int | None = None) -> None:
        """Until it has ended, or so many paths are recorded."""
        while not self._ended():
            driver = resident(self.process.pid)
            together = driver + sum(map(resident, _descendants(self.process.pid)))
            self.driver, self.all = max(self.driver, driver), max(self.all, together)
            recorded = self.progress.look(driver, together)
            if enough is not None and recorded >= enough:
                return
            time.sleep(LOOK if enough is None else LOOK_TO_KILL)

    def _ended(self) -> bool:
        done, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if not done:
            return False
        self.elapsed = time.monotonic() - self.begun
        self.cpu = usage.ru_utime + usage.ru_stime
        self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
        return True

    def kill(self) -> int:
        """Kill the command alone. How many of its processes do not end by themselves."""
        left = _descendants(self.process.pid)
        self.process.send_signal(signal.SIGKILL)
        self.watch()
        end = time.monotonic() + ENDING
        while (left := [each for each in left if resident(each)]) and time.monotonic() < end:
            time.sleep(LOOK)
        return len(left)


def _descendants(process: int) -> list[int]:
    found = children(process)
    for each in found:
        found += children(each)
    return found


@dataclass(frozen=True, slots=True)
class Bench:
    """Explores; what it makes is in `folder`. jobs: of one exploration."""

    folder: Path
    jobs: int

    def many(self, paths: int) -> Row:
        """So many paths of choices, one more than are needed."""
        count = 1
        while 3**count <= paths:
            count += 1
        return self.explored(choices(count), "--max-paths", str(paths))

    def explored(self, compared: Compared, *more: str) -> Row:
        """One exploration from its begin to its end."""
        place, first = self._place(compared.name), self._place(f"{compared.name} first")
        print(f"{compared.name}: building", flush=True)
        self._begin(compared, first, ("--max-paths", "1")).watch()
        command = [sys.executable, "-m", "whence.cli.main", "run", "--no-progress"]
        command.append(str(self._built(compared)))
        nothing, own = subprocess.DEVNULL, self._environment()
        subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, cwd=self.folder, env=own)
        print(f"{compared.name}: exploring", flush=True)
        running = self._begin(compared, place, more)
        running.watch()
        return self._row(compared, running, place)

    def killed(self, count: int, kills: int) -> tuple[list[Row], dict[str, Any]]:
        """The rows of an exploration without kills, and of one with them (its last part); what was found."""
        compared, total = choices(count), 3**count
        whole = self.explored(compared)
        again = Compared(f"{compared.name}, killed", compared.source, compared.flags)
        place = self._place(again.name)
        states: list[list[str]] = []
        left = 0
        for kill in range(1, kills + 1):
            running = self._begin(again, place)
            running.watch(enough=total * kill // (kills + 1))
            if running.status is not None:
                raise ToolLimit("it came to its end before it was killed: give a larger --killed")
            left += running.kill()
            states.append(_paths(place / JOURNAL))
            print(f"{again.name}: killed after {len(states[-1]):,} paths", flush=True)
        running = self._begin(again, place)
        running.watch()
        row = self._row(again, running, place)
        states.append(_paths(place / JOURNAL))
        said = difference(_paths(self.folder / _file_name(compared.name) / JOURNAL), states)
        said["processes"] = left
        said["same"] &= len(states[-1]) == total and not left
        print(
            f"killed after {', '.join(map(str, said['killed'])) or 'nothing'} of {total:,} paths; at the end "
            f"{said['twice']} twice, {said['missing']} missing, {said['other']} of other decisions, "
            f"{said['lost']} lost by a kill; {left} processes did not end with the command",
            flush=True,
        )
        return [whole, row], said

    def _place(self, name: str) -> Path:
        place = self.folder / _file_name(name)
        if place.exists():
            raise ToolLimit(f"{place} is there: give another --directory, or remove it")
        return place

    def _begin(self, compared: Compared, place: Path, more: Sequence[str] = ()) -> Running:
        program = self._built(compared)
        command = [sys.executable, "-m", "whence.cli.main", "explore", "--no-progress", "--quiet"]
        command += ["--test-files", "errors"]
        options = [*compared.options, *more, "--jobs", str(self.jobs), "--out", str(place)]
        with place.with_suffix(".output").open("wb") as output:
            process = subprocess.Popen(
                [*command, *options, str(program)],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                env=self._environment(),
            )
        return Running(process, Progress(compared.name, place / JOURNAL), time.monotonic())

    def _environment(self) -> dict[str, str]:
        """Python keeps its bytecode, as for a package that is installed; what a command that is killed leaves
        behind is in the folder."""
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        own = {"TMPDIR": str(temporary), "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode")}
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return kept | own

    def _built(self, compared: Compared) -> Path:
        """The program; built once, since an exploration goes on with the same file only."""
        program = self.folder / _file_name(f"{compared.source} {' '.join(compared.flags)} program")
        if not program.exists():
            words = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", "-O1", *compared.flags]
            words += ["-o", str(program), str(PROGRAMS / f"{compared.source}.c")]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                raise ToolLimit(f"{compared.source}.c cannot be built: {done.stderr.strip()[-300:]}")
        return program

    def _row(self, compared: Compared, running: Running, place: Path) -> Row:
        if running.status not in (0, 99):
            output = place.with_suffix(".output").read_text(errors="replace").strip()[-300:]
            raise ToolLimit(f"{compared.name}: status {running.status}: {output}")
        summary = json.loads((place / SUMMARY).read_text())
        return Row(
            compared.name,
            summary["paths"],
            len(summary["errors"]),
            summary["complete"],
            round(running.cpu, 2),
            round(running.elapsed, 2),
            running.driver,
            running.all,
            summary["queries"]["queries"],
            compared.klee,
        )


def difference(wanted: Sequence[str], states: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What an exploration that was killed has found, beside what it should have. wanted: the decisions of all
    paths. states: those of the paths that were recorded at each kill, and at the end."""
    found = Counter(states[-1])
    said: dict[str, Any] = {
        "killed": [len(state) for state in states[:-1]],
        "paths": len(states[-1]),
        "twice": sum(times > 1 for times in found.values()),
        "missing": len(set(wanted) - found.keys()),
        "other": len(found.keys() - set(wanted)),
        "lost": sum(list(later[: len(before)]) != list(before) for before, later in pairwise(states)),
    }
    said["same"] = not any(said[name] for name in ("twice", "missing", "other", "lost"))
    return said


def _file_name(text: str) -> str:
    return re.sub(r"\W+", "-", text.strip())


def _paths(journal: Path) -> list[str]:
    """The decisions of each path that is recorded; a line that is cut off is none."""
    lines = journal.read_bytes().splitlines(keepends=True)
    return [json.loads(line)["d"] for line in lines if line.endswith(b"\n")]


def _table(rows: Sequence[Row]) -> str:
    """A table in Markdown."""
    text = "| program | paths | errors | CPU | elapsed | driver | all | asked | KLEE 3.2 |\n"
    text += "|---|---|---|---|---|---|---|---|---|\n"
    for row in rows:
        paths = f"{row.paths:,}" + ("" if row.complete else " (not all)")
        memory = f"{row.driver >> 20} MiB | {row.all >> 20} MiB"
        text += f"| {row.name} | {paths} | {row.errors} | {row.cpu:.1f} s | {row.elapsed:.1f} s | {memory} "
        text += f"| {row.queries} | {row.klee} |\n"
    return text


if __name__ == "__main__":
    sys.exit(main())
