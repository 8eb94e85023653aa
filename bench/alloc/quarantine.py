"""What deterministic addresses cost, by the quarantine: ``python bench/alloc/quarantine.py [--repeats N]``.

Each load runs in turns with the C library's allocator and with the one of explored and replayed programs
(preloaded), whose quarantine is nothing, 8 blocks of each size, or so many bytes of all. CPU time and peak
memory are ratios over the C library's, medians of the repeats. With nothing in quarantine it is the
deterministic addresses alone that are paid for. Two more rows say what a quarantine is good for: how many
addresses 1000 blocks of one size get that are freed at once, and after how many requests of the size a
stale pointer leads to a live block again. A run of all loads writes its table into docs/explore.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import plain  # noqa: E402
from comparison import Allocator, compile_load, in_folder, parser  # noqa: E402

import report  # noqa: E402
from whence.errors import ToolLimit  # noqa: E402

DOCUMENT = HERE.parent.parent / "docs" / "explore.md"
BEGIN = "<!-- bench-quarantine: begin (written by bench/alloc/quarantine.py) -->"
END = "<!-- bench-quarantine: end -->"
LOADS = ("pairs", "small", "sizes", "trace of python", "trace of perl")
BLOCKS = 1000


def _quarantine(kib: int, depth: int) -> Allocator:
    words = f"WHENCE_RT=quarantine_kib={kib}:quarantine_depth={depth}:realloc_moves=0"
    return Allocator(plain.REPLAY, (words,))


ALLOCATORS = {
    plain.GLIBC: Allocator(None),
    "none": _quarantine(0, 0),
    "8 blocks of a size": _quarantine(0, 8),
    "64 KiB": _quarantine(64, 8),
    "1 MiB": _quarantine(1 << 10, 8),
    "8 MiB": _quarantine(8 << 10, 8),
    "64 MiB": _quarantine(64 << 10, 8),
}


def main() -> int:
    made = parser(__doc__, repeats=5)
    made.add_argument(
        "--write", action=argparse.BooleanOptionalAction, default=None, help="update the document"
    )
    options = made.parse_args()
    return in_folder("bench/alloc/quarantine.py", lambda folder: _measure(folder, options))


def _measure(folder: Path, options: argparse.Namespace) -> None:
    options.only = options.only or list(LOADS)
    results = plain.bench(folder, options, ALLOCATORS)
    reuse = {name: reused(folder, allocator) for name, allocator in ALLOCATORS.items()}
    if options.json:
        options.json.write_text(json.dumps({"loads": results, "reuse": reuse}, indent=2) + "\n")
    rows = [*plain.table(results), *_rows(reuse)]
    print(report.text(rows))
    if options.write if options.write is not None else tuple(options.only) == LOADS:
        words = f"Machine: {report.machine()}. Medians of {options.repeats} runs, scale {options.scale:g}."
        text = "\n".join([BEGIN, "", words, "", report.markdown(rows), "", END])
        report.replace_section(DOCUMENT, BEGIN, END, text)


def reused(folder: Path, allocator: Allocator) -> tuple[int, int | None]:
    """Of blocks of 64 bytes that are freed at once: how many addresses they get, and how many are
    requested until one gets that of the first; None if none does."""
    program = folder / "reuse"
    if not program.exists():
        compile_load(folder, "reuse")
    variables = (f"LD_PRELOAD={allocator.library}",) if allocator.library else ()
    command = ["env", *allocator.variables, *variables, str(program), str(BLOCKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolLimit(f"reuse ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    addresses = done.stdout.split()
    again = addresses.index(addresses[0], 1) if addresses[0] in addresses[1:] else None
    return len(set(addresses)), again


def _rows(reuse: dict[str, tuple[int, int | None]]) -> report.Rows:
    names = list(ALLOCATORS)
    return [
        [f"addresses of {BLOCKS} blocks", *(str(reuse[name][0]) for name in names)],
        ["requests to the same address", *(_said(reuse[name][1]) for name in names)],
    ]


def _said(place: int | None) -> str:
    return f"more than {BLOCKS - 1}" if place is None else str(place)


if __name__ == "__main__":
    sys.exit(main())
