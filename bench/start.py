"""What a start costs: `make bench-start`, or `python bench/start.py --help`.

An empty program, plain, with AddressSanitizer, under Memcheck where that is installed, and under whence, in
turns; then a shell that starts it a few and many times, as it is and with `whence run --trace-children`; then
an empty source by clang and by whence-cc. Wall-clock milliseconds: median and minimum, and the median above
plain's; and the median of the processor time of all processes, which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from whence.toolchain.clang import find_clang

SOURCE = "int main(void) { return 0; }\n"
FEW, MANY = 20, 120
"""Children of a shell."""

Command = Sequence[str]


class Times(NamedTuple):
    """Of one run, in milliseconds: by the clock, and of the processors."""

    wall: float
    cpu: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench-start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, metavar="N", help="times each is run (default 30)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="whence-bench-start-") as name:
        folder = Path(name)
        os.environ["WHENCE_CACHE"] = f"{name}/cache"
        (folder / "empty.c").write_text(SOURCE)
        _table("start of an empty program", _in_turns(_starts(folder), rounds))
        few, many = (_in_turns(_children(folder, count), max(rounds // 5, 3)) for count in (FEW, MANY))
        _table(f"one of {FEW} children", {name: _each(FEW, times) for name, times in few.items()})
        _table("one more child", {name: _more(few[name], many[name]) for name in few})
        _table("compiling an empty file", _in_turns(_compilers(folder), rounds))
    return 0


def _command(name: str) -> str:
    """A command of the installation that runs this script."""
    return str(Path(sys.executable).parent / name)


def _starts(folder: Path) -> dict[str, Command]:
    plain, checked, asan = (folder / name for name in ("plain", "checked", "asan"))
    source = str(folder / "empty.c")
    subprocess.run(["cc", "-O2", source, "-o", plain], check=True)
    subprocess.run([_command("whence-cc"), "-O2", source, "-o", checked], check=True)
    found: dict[str, Command] = {"plain": [str(plain)]}
    sanitized = ["cc", "-O2", "-fsanitize=address", source, "-o", str(asan)]
    if subprocess.run(sanitized, capture_output=True).returncode == 0:
        found["AddressSanitizer"] = [str(asan)]
    if shutil.which("valgrind"):
        found["Memcheck"] = ["valgrind", "-q", str(plain)]
    return found | {"whence": [_command("whence"), "run", str(checked)]}


def _children(folder: Path, count: int) -> dict[str, Command]:
    """A shell that starts the program often; the time is that of all."""
    shell = ["/bin/sh", "-c", f'i=0; while [ $i -lt {count} ]; do "$1"; i=$((i+1)); done', "sh"]
    traced = [_command("whence"), "run", "--trace-children"]
    return {
        "plain": [*shell, str(folder / "plain")],
        "whence --trace-children": [*traced, *shell, str(folder / "checked")],
    }


def _compilers(folder: Path) -> dict[str, Command]:
    words = ["-c", str(folder / "empty.c"), "-o", str(folder / "empty.o")]
    clang = find_clang().command(cxx=False)
    return {"plain": [*clang, *words], "whence-cc": [_command("whence-cc"), *words]}


def _each(count: int, times: Sequence[Times]) -> list[Times]:
    """The share of one of `count` things that were timed together."""
    return [Times(each.wall / count, each.cpu / count) for each in times]


def _more(few: Sequence[Times], many: Sequence[Times]) -> list[Times]:
    """What each of `MANY` things takes beyond the first `FEW`, without what they have in common."""
    pairs = zip(few, many, strict=True)
    return _each(MANY - FEW, [Times(b.wall - a.wall, b.cpu - a.cpu) for a, b in pairs])


def _in_turns(commands: Mapping[str, Command], rounds: int) -> dict[str, list[Times]]:
    """The times of each run; the first round fills caches and does not count."""
    times: dict[str, list[Times]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            measured = _timed(command)
            if turn:
                times[name].append(measured)
    return times


def _timed(command: Command) -> Times:
    begin, before = time.perf_counter(), _processor_time()
    subprocess.run(command, check=True, capture_output=True)
    return Times(1000 * (time.perf_counter() - begin), 1000 * (_processor_time() - before))


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _table(title: str, times: Mapping[str, list[Times]]) -> None:
    plain = statistics.median(each.wall for each in times["plain"])
    print(f"{title:<28}{'median ms':>10}{'least':>8}{'above plain':>13}{'CPU':>8}")
    for name, measured in times.items():
        walls = [each.wall for each in measured]
        median, cpu = statistics.median(walls), statistics.median(each.cpu for each in measured)
        print(f"  {name:<26}{median:10.1f}{min(walls):8.1f}{median - plain:13.1f}{cpu:8.1f}")
    print()


if __name__ == "__main__":
    sys.exit(main())
