"""Guarding allocators compared: ``python bench/alloc/guarded.py [--repeats N] [--scale X] [--json FILE]``.

Each load (guarded.c) runs in turns with ours, with every block resident, with DUMA and with Electric
Fence, which are preloaded. Given are CPU time (user + system) and memory: peak resident memory and
page tables. No allocator of these uses shared memory. Medians of the repeats; the ratios are DUMA's
and Electric Fence's figures over ours.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import measure  # noqa: E402
import run as allocators  # noqa: E402

from whence.errors import ToolLimit, WhenceError  # noqa: E402

OURS = "whence"
LIBRARY = allocators.NATIVE / "whence-alloc.so"
PEERS = {"DUMA": "libduma.so.0*", "Electric Fence": "libefence.so.0*"}
FOLDERS = ("usr/lib", "usr/lib/x86_64-linux-gnu", "usr/local/lib")


@dataclass(frozen=True)
class Guard:
    """What is preloaded, and variables beside it."""

    library: Path
    variables: tuple[str, ...] = ()


@dataclass(frozen=True)
class Load:
    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Figures:
    """cpu: seconds; memory: KiB, of them page tables."""

    cpu: float
    memory: float
    tables: float


def main() -> int:
    options = _arguments()
    try:
        with tempfile.TemporaryDirectory(prefix="whence-bench-") as folder:
            results = bench(Path(folder), options)
    except WhenceError as error:
        print(f"bench/alloc/guarded: {error}", file=sys.stderr)
        return int(error.exit_code)
    if options.json:
        plain = {load: {name: vars(f) for name, f in row.items()} for load, row in results.items()}
        options.json.write_text(json.dumps(plain, indent=2) + "\n")
    print_table(results)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each (3)")
    parser.add_argument("--scale", type=float, default=1.0, help="of the operations of each load (1)")
    parser.add_argument("--only", metavar="LOAD", action="append", help="of the loads, those named so")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures there")
    return parser.parse_args()


def guards() -> dict[str, Guard]:
    """By name; those that are not installed are left out, with a note."""
    if not LIBRARY.is_file():
        raise ToolLimit(f"{LIBRARY} is missing")
    quiet = "WHENCE_RT=leaks=0"
    found = {OURS: Guard(LIBRARY, (quiet,)), "all resident": Guard(LIBRARY, (f"{quiet}:guard_resident=0",))}
    for name, pattern in PEERS.items():
        paths = sorted(path for folder in FOLDERS for path in Path("/", folder).glob(pattern))
        if paths:
            found[name] = Guard(paths[0], ("DUMA_DISABLE_BANNER=1", "EF_DISABLE_BANNER=1"))
        else:
            print(f"{name} is not installed and left out", file=sys.stderr)
    return found


def loads(scale: float) -> Iterator[Load]:
    def operations(count: int) -> str:
        return str(int(count * scale))

    yield Load("20,000 live blocks", ("live", "20000", "0"))
    yield Load("400 live blocks, churn", ("churn", "400", operations(50_000)))
    yield Load("20,000 live blocks, churn", ("churn", "20000", operations(5_000)))
    yield Load("20,000 live blocks, random access", ("random", "20000", operations(500_000)))


def bench(folder: Path, options: argparse.Namespace) -> dict[str, dict[str, Figures]]:
    """Load -> allocator -> figures; allocators that fail a load are left out of it, with a note."""
    launcher = measure.build_launcher("cc", folder)
    program = allocators.compile_load(folder, "guarded")
    chosen = guards()
    results: dict[str, dict[str, Figures]] = {}
    for load in loads(options.scale):
        if options.only and load.name not in options.only:
            continue
        runs: dict[str, list[Figures]] = {name: [] for name in chosen}
        for _ in range(options.repeats):
            for name, guard in chosen.items():
                runs[name] += _run(launcher, program, load, name, guard, folder)
        results[load.name] = {name: _median(figures) for name, figures in runs.items() if figures}
    return results


def _run(launcher: Path, program: Path, load: Load, name: str, guard: Guard, folder: Path) -> list[Figures]:
    """One figure; none if the program does not survive."""
    command = ["env", *guard.variables, f"LD_PRELOAD={guard.library}", str(program), *load.words]
    usage = measure.run(launcher, command, folder, folder / "out", os.environ)
    if usage.status and name in PEERS:
        print(f"{load.name}: with {name} the program ended with {usage.status}", file=sys.stderr)
        return []
    if usage.status:
        raise ToolLimit(f"{load.name} with {name} ended with {usage.status}")
    tables = int((folder / "out").read_text().split()[-1])
    return [Figures(usage.cpu, usage.memory + tables, tables)]


def _median(runs: list[Figures]) -> Figures:
    cpu, memory, tables = ([vars(run)[name] for run in runs] for name in ("cpu", "memory", "tables"))
    return Figures(statistics.median(cpu), statistics.median(memory), statistics.median(tables))


def print_table(results: dict[str, dict[str, Figures]]) -> None:
    """Markdown: seconds and MiB, of them page tables; the peers' also as ratios over ours."""
    names = list(dict.fromkeys(name for row in results.values() for name in row))
    print("| load | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for load, row in results.items():
        print(f"| {load} | " + " | ".join(_cell(row.get(name), row[OURS], name) for name in names) + " |")


def _cell(figures: Figures | None, ours: Figures, name: str) -> str:
    if figures is None:
        return "fails"
    text = f"{figures.cpu:.2f} s, {figures.memory / 1024:.1f} MiB ({figures.tables / 1024:.1f})"
    if name not in PEERS:
        return text
    return f"{text}: {figures.cpu / ours.cpu:.2f} x, {figures.memory / ours.memory:.1f} x"


if __name__ == "__main__":
    sys.exit(main())
