"""What chains of values cost in long runs: `python bench/long_chains.py --help`.

A program moves pointers through memory for so many accesses, and then uses a block that it has freed, which
it allocated at its beginning. Prints the processor time of a run with `--locate always` as a multiple of the
program's own, the peak of the resident memory of the process, and the chain of the pointer.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import whence

SOURCE = Path(__file__).resolve().parent / "scripts" / "long.c"
WAYS = {"around a ring": (0, 8), "to random places": (1, 4)}
"""The way's number, and its accesses a round."""


def main() -> int:
    parser = argparse.ArgumentParser("bench/long_chains.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--millions", type=int, nargs="*", default=[100, 1000], metavar="N", help="accesses (100 1000)"
    )
    given = parser.parse_args()
    print("| pointers move | accesses | CPU of plain | peak, plain | peak | chain |")
    print("|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="whence-bench-long-") as name:
        program = whence.build(SOURCE, Path(name) / "long", flags=["-g", "-O2"])
        whence.run(program, ["0", "0"], locate="always", capture_output=True)  # instruments
        for said, (way, accesses) in WAYS.items():
            for millions in given.millions:
                words = [str(-(-millions // accesses)), str(way)]
                print(_row(program, words, f"| {said} | {millions:,} million"), flush=True)
    return 0


def _row(program: whence.Program, words: list[str], head: str) -> str:
    before = _cpu()
    plain = subprocess.run(
        [program.path, *words], env={**os.environ, "CLEAN": "1"}, capture_output=True, check=True
    )
    middle = _cpu()
    result = whence.run(program, words, locate="always", capture_output=True)
    ratio = (_cpu() - middle) / max(middle - before, 0.01)
    peaks = [int(out.split()[1]) // 1024 for out in (plain.stdout, result.stdout or b"")]
    chain = next((each for each in result.findings[0].chains if each.term == "r"), None)
    hops = " ← ".join(hop.kind for hop in chain.hops) if chain else "none"
    return f"{head} | {ratio:.1f}x | {peaks[0]:,} MB | {peaks[1]:,} MB | {hops} |"


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
