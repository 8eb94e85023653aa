"""Guarding allocators compared: ``python bench/alloc/guarded.py [--repeats N] [--scale X] [--json FILE]``.

Each load (guarded.c) runs in turns with ours, with every block resident, with DUMA and with Electric
Fence, which are preloaded. Given are CPU time (user + system) and memory: peak resident memory and
page tables. No allocator of these uses shared memory. Medians of the repeats; the ratios are DUMA's
and Electric Fence's figures over ours.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from comparison import (  # noqa: E402
    NATIVE,
    Allocator,
    Load,
    compile_load,
    in_folder,
    in_turns,
    installed,
    parser,
    run,
)
from measure import build_launcher  # noqa: E402

from whence.errors import ToolLimit  # noqa: E402

OURS = "whence"
LIBRARY = NATIVE / "whence-alloc.so"
PEERS = {"DUMA": "libduma.so.0*", "Electric Fence": "libefence.so.0*"}
FOLDERS = ("/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/local/lib")


@dataclass(frozen=True)
class Figures:
    """cpu: seconds; memory: KiB, of them page tables."""

    cpu: float
    memory: float
    tables: float


def main() -> int:
    options = parser(__doc__, repeats=3).parse_args()
    return in_folder("bench/alloc/guarded", lambda folder: _compare(folder, options))


def _compare(folder: Path, options: argparse.Namespace) -> None:
    results = bench(folder, options)
    if options.json:
        plain = {load: {name: vars(f) for name, f in row.items()} for load, row in results.items()}
        options.json.write_text(json.dumps(plain, indent=2) + "\n")
    print_table(results)


def guards() -> dict[str, Allocator]:
    """By name; those that are not installed are left out, with a note."""
    if not LIBRARY.is_file():
        raise ToolLimit(f"{LIBRARY} is missing")
    quiet = "WHENCE_RT=leaks=0"
    found = {
        OURS: Allocator(LIBRARY, (quiet,)),
        "all resident": Allocator(LIBRARY, (f"{quiet}:guard_resident=0",)),
    }
    for name, pattern in PEERS.items():
        paths = installed(FOLDERS, [pattern])
        if paths:
            found[name] = Allocator(paths[0], ("DUMA_DISABLE_BANNER=1", "EF_DISABLE_BANNER=1"))
        else:
            print(f"{name} is not installed and left out", file=sys.stderr)
    return found


def loads(program: str, scale: float) -> Iterator[Load]:
    def operations(count: int) -> str:
        return str(int(count * scale))

    yield Load("20,000 live blocks", (program, "live", "20000", "0"))
    yield Load("400 live blocks, churn", (program, "churn", "400", operations(50_000)))
    yield Load("20,000 live blocks, churn", (program, "churn", "20000", operations(5_000)))
    yield Load("20,000 live blocks, random access", (program, "random", "20000", operations(500_000)))


def bench(folder: Path, options: argparse.Namespace) -> dict[str, dict[str, Figures]]:
    """Load -> allocator -> figures; allocators that fail a load are left out of it, with a note."""
    launcher = build_launcher("cc", folder)
    program = compile_load(folder, "guarded")
    chosen = guards()

    def figures(load: Load, name: str) -> list[Figures]:
        """Of one run; none if the program does not survive."""
        usage = run(launcher, load, chosen[name], folder)
        if usage.status and name in PEERS:
            print(f"{load.name}: with {name} the program ended with {usage.status}", file=sys.stderr)
            return []
        if usage.status:
            raise ToolLimit(f"{load.name} with {name} ended with {usage.status}")
        tables = int((folder / "out").read_text().split()[-1])
        return [Figures(usage.cpu, usage.memory + tables, tables)]

    turns = in_turns(loads(str(program), options.scale), chosen, options.only, options.repeats, figures)
    return {load.name: {name: _median(each) for name, each in runs.items() if each} for load, runs in turns}


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
