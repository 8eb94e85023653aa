"""Dynamic slices of the known bugs beside their chains: `python bench/slices.py --help`.

Each program of `whence.demo.bugs` is built by gcc without optimisation and executed instruction by
instruction, up to the faulty step. For each bug a line of a table says how many executed instructions there
are from the cause to the bug, which is what somebody steps through; how many the slice of the faulty address
has, of dependences of data alone and of data and control, and on how many lines of the program; how many of
each a search along dependences looks at up to the cause, nearest first; and how many hops the chains have
that whence shows.

It needs gcc, Capstone, which `make all` installs, and a kernel that lets processes trace their children.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from slicing.program import Place, Places, Sliced, traced
from slicing.stepping import NotTraced
from slicing.trace import Fault
from slicing.walk import slice_of

import whence
from whence.demo.bugs import KNOWN_BUGS, KnownBug
from whence.demo.build import Builder, Compiler, whence_compiler
from whence.demo.programs import Executables, Program
from whence.errors import ToolLimit

COMPILER = Compiler("gcc", "gcc", "-g -O0", cxx="g++")
NEAR = 3
"""Levels of the stack among which the expected place must be."""
CAUSES: dict[str, Place | None] = {
    "jq-check-literal": ("jv_parse.c", 386),
    "lua-constant-environment": ("lparser.c", 472),
    "gifsicle-ambiguity": ("clp.c", 1328),
    "jhead-gps-numbers": ("gpsinfo.c", 215),
    "gifsicle-double-free": None,
    "gifsicle-dangling-name": None,
    "gifsicle-null-colours": ("giffunc.c", 29),
    "audiofile-channels": ("ModuleState.cpp", 154),
}
"""The lines that are the cause, as `docs/real-bugs.md` has them; None: the release of the block."""
BEGINS = {"jq": "jv_parser_new", "gifsicle": "Clp_AddStringListType"}
"""Programs that do millions of things first: the function at whose first call the trace begins."""


def main() -> int:
    parser = argparse.ArgumentParser("bench/slices.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="bugs (all)")
    parser.add_argument("--builds", type=Path, help="keeps the builds in this folder")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="millions of instructions (20)")
    parser.add_argument("--no-chains", action="store_true", help="leaves whence out")
    given = parser.parse_args()
    wanted = [bug for bug in KNOWN_BUGS if not given.names or bug.name in given.names]
    print(
        "| bug | from the cause | data: slice | lines | to the cause | data and control: slice | lines "
        "| to the cause | hops |\n|---|---:|---:|---:|---:|---:|---:|---:|---|"
    )
    with tempfile.TemporaryDirectory(prefix="whence-slices-") as name:
        builds = Builds(given.builds or Path(name))
        for bug in wanted:
            begin = time.monotonic()
            try:
                print(_row(bug, builds, given.limit * 1_000_000, not given.no_chains), flush=True)
            except (ToolLimit, NotTraced) as error:
                print(f"| {bug.name} | {str(error).splitlines()[0]} |", flush=True)
            print(f"{bug.name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return 0


class Builds:
    """Programs, built once by each compiler."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[tuple[str, str], Executables] = {}

    def program(self, program: Program, name: str, compiler: Compiler) -> Path:
        key = compiler.name, program.name
        if key not in self._known:
            self._known[key] = program.build(Builder(compiler, self._root / compiler.name / program.name))
        return self._known[key][name]


def _row(bug: KnownBug, builds: Builds, limit: int, with_chains: bool) -> str:
    with tempfile.TemporaryDirectory(prefix="whence-slices-") as name:
        bug.arrange(Path(name))
        program = builds.program(bug.program, bug.executable, COMPILER)
        begin = BEGINS.get(bug.executable)
        command = [str(program), *bug.arguments]
        sliced = traced(command, Path(name), lambda *fault: _is_expected(bug, *fault), limit, begin)
    if sliced is None:
        return f"| {bug.name} | the faulty step was not reached |"
    is_cause = _is_cause(sliced, CAUSES[bug.name])
    cells, cause = list[str](), None
    for control in (None, sliced.control):
        steps, until = slice_of(sliced.trace, control, is_cause)
        if until and cause is None:
            cause = steps[until - 1]
        lines = len(sliced.lines_of(steps))
        cells += [f"{len(steps):,}", f"{lines:,}", f"{until:,}" if until else "not in it"]
    cells.insert(0, "not in it" if cause is None else f"{len(sliced.trace) - 1 - cause:,}")
    cells.append(_hops(bug, builds) if with_chains else "")
    return f"| {bug.name} | {' | '.join(cells)} |"


def _is_expected(bug: KnownBug, fault: Fault, places: Places) -> bool:
    nearest = [places.line(pc) for pc in fault.pcs[:NEAR]]
    if (bug.expected.file, bug.expected.line) in nearest:
        return True
    print(f"{bug.name}: not the bug: {fault.why} at {nearest}", file=sys.stderr)
    return False


def _is_cause(sliced: Sliced, cause: Place | None) -> Callable[[int], bool]:
    if cause is None:
        return lambda step: step == sliced.fault.release
    numbers = {number for number, place in enumerate(sliced.lines) if place == cause}
    return lambda step: sliced.trace.executed[step] in numbers


def _hops(bug: KnownBug, builds: Builds) -> str:
    """The lines of each chain that whence shows."""
    path = builds.program(bug.program, bug.executable, whence_compiler())
    with tempfile.TemporaryDirectory(prefix="whence-slices-") as name:
        bug.arrange(Path(name))
        result = whence.run(path, bug.arguments, cwd=name, locate="always", capture_output=True)
    found = next(each for each in result.findings if each.rule.name == bug.expected.rule)
    return ", ".join(f"{chain.term}: {len(chain.folded().hops)}" for chain in found.chains)


if __name__ == "__main__":
    sys.exit(main())
