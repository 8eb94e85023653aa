"""Allocators compared: ``python bench/alloc/plain.py [--repeats N] [--peer NAME=LIBRARY] [--json FILE]``.

Each load runs in turns with the C library's allocator and the others, which are
preloaded: ours in both layouts, mimalloc and scudo where they are found. CPU
time (user + system) and peak memory are given as ratios over the C library's,
medians of the repeats. The loads are synthetic ones, and traces of real programs, of one
thread and of several, that are recorded now. A run of all loads writes its table into
docs/allocator.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import measure  # noqa: E402
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

import report  # noqa: E402
from whence.errors import ToolLimit  # noqa: E402

DOCUMENT = HERE.parent.parent / "docs" / "allocator.md"
BEGIN = "<!-- bench-alloc: begin (written by make bench-alloc) -->"
END = "<!-- bench-alloc: end -->"
GLIBC = "glibc"
REPLAY, SPREAD = NATIVE / "libwhence-replay.so", NATIVE / "libwhence-spread.so"
PEERS = {
    "mimalloc": ("libmimalloc.so.2*", "libmimalloc.so*"),
    "scudo": ("libclang_rt.scudo_standalone-x86_64.so",),
}
FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/local/lib",
    "/usr/lib/llvm-*/lib/clang/*/lib/linux",
    "/usr/lib/clang/*/lib/linux",
)

PYTHON_LOAD = """
import json, re
words = {}
for i in range(60000):
    words.setdefault("w%d" % (i * 7919 % 5003), []).append(str(i) * (i % 7))
text = json.dumps(words)
again = json.loads(text)
found = re.findall(r"[0-9]{3,9}", text)
print(len(found), sum(len(v) for v in again.values()), sorted(found)[:3])
"""

THREADS_LOAD = """
import json, queue, re, threading
todo, done = queue.Queue(), queue.Queue()
def work():
    while (part := todo.get()) is not None:
        rows = [{"name": "n%d" % (i * 7919), "tags": ["t%d" % (i % k) for k in (3, 5, 7)]} for i in part]
        text = json.dumps(rows)
        done.put((json.loads(text), re.findall(r"n[0-9]+", text)))
workers = [threading.Thread(target=work) for _ in range(4)]
for worker in workers: worker.start()
for i in range(0, 40000, 500): todo.put(range(i, i + 500))
for worker in workers: todo.put(None)
total = sum(len(rows) + len(names) for rows, names in (done.get() for _ in range(80)))
for worker in workers: worker.join()
print(total)
"""


OURS = {
    "compact": Allocator(REPLAY, ("WHENCE_RT=quarantine_kib=0:realloc_moves=0",)),
    "compact, moving": Allocator(REPLAY, ("WHENCE_RT=quarantine_kib=0",)),
    "compact, 64 MiB": Allocator(REPLAY),
    "spread": Allocator(SPREAD),
}
"""The quarantine holds 8 blocks of a bin back, and in the third, as in checked programs, 64 MiB. `realloc`
gives a block another address only if it must in the first, and always in the next two."""


def main() -> int:
    options = _arguments()
    return in_folder("bench/alloc", lambda folder: _compare(folder, options))


def _compare(folder: Path, options: argparse.Namespace) -> None:
    results = bench(folder, options, allocators(options.peer))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    print(report.text(table(results)))
    if options.write if options.write is not None else not options.only:
        report.replace_section(DOCUMENT, BEGIN, END, section(results, options))


def _arguments() -> argparse.Namespace:
    made = parser(__doc__, repeats=5)
    made.add_argument("--peer", metavar="NAME=LIBRARY", action="append", default=[])
    made.add_argument(
        "--write", action=argparse.BooleanOptionalAction, default=None, help="update docs/allocator.md"
    )
    return made.parse_args()


def allocators(named: Sequence[str]) -> dict[str, Allocator]:
    """By name; those that are not installed are left out, with a note."""
    found = {GLIBC: Allocator(None), **OURS}
    for name, patterns in PEERS.items():
        paths = installed(FOLDERS, patterns)
        if paths:
            found[name] = Allocator(paths[-1])
        elif not any(peer.startswith(f"{name}=") for peer in named):
            print(f"{name} is not installed and left out (see --peer)", file=sys.stderr)
    for peer in named:
        name, _, path = peer.partition("=")
        found[name] = Allocator(Path(path).resolve())
    for name, allocator in found.items():
        if allocator.library is not None and not allocator.library.is_file():
            raise ToolLimit(f"{name}: {allocator.library} is missing")
    return found


def _record(folder: Path, name: str, recorder: Path, command: Sequence[str]) -> Path:
    """The trace of a program's requests."""
    trace = folder / f"{name}.trace"
    environment = {**os.environ, "LD_PRELOAD": str(recorder), "WHENCE_TRACE": str(trace)}
    environment |= {"PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or not trace.is_file() or not trace.stat().st_size:
        raise ToolLimit(f"{name} cannot be recorded: {done.stderr.strip()[-300:]}")
    return trace


def loads(folder: Path, scale: float) -> Iterator[Load]:
    churn = str(compile_load(folder, "churn", "-pthread"))
    play = str(compile_load(folder, "play", "-pthread"))
    recorder = compile_load(folder, "record", "-shared", "-fPIC", "-pthread")
    count, few = str(int(4_000_000 * scale)), str(int(40_000 * scale))
    for what in ("pairs", "small", "sizes"):
        yield Load(what, (churn, what, "1", count))
    yield Load("grow", (churn, "grow", "1", few))
    for what in ("pairs", "small", "sizes", "pass"):
        yield Load(f"{what}, 4 threads", (churn, what, "4", count))
    rounds = str(max(1, round(5 * scale)))
    python = (os.path.realpath(sys.executable), "-S", "-c")
    perl = ("perl", "-e", "my %h; $h{$_ % 5003} .= $_ x 3 for 1..200000; print length join '', %h")
    programs = {
        "python": (*python, PYTHON_LOAD),
        "perl": perl,
        "python, 5 threads": (*python, THREADS_LOAD),
    }
    for name, command in programs.items():
        trace = _record(folder, name.partition(",")[0] + str(len(name)), recorder, command)
        yield Load(f"trace of {name}", (play, str(trace), rounds))


def bench(
    folder: Path, options: argparse.Namespace, chosen: dict[str, Allocator]
) -> dict[str, dict[str, dict[str, float]]]:
    """Load -> allocator -> CPU seconds, peak KiB, operations, and the ratios of the first two."""
    launcher = measure.build_launcher("cc", folder)

    def figures(load: Load, name: str) -> list[measure.Usage]:
        usage = run(launcher, load, chosen[name], folder)
        if usage.status:
            raise ToolLimit(f"{load.name} with {name} ended with {usage.status}")
        return [usage]

    turns = in_turns(loads(folder, options.scale), chosen, options.only, options.repeats, figures)
    return {load.name: _ratios(runs, int((folder / "out").read_text())) for load, runs in turns}


def _ratios(runs: dict[str, list[measure.Usage]], operations: int) -> dict[str, dict[str, float]]:
    base_cpu, base_memory = measure.median_cpu(runs[GLIBC]), measure.median_memory(runs[GLIBC])
    return {
        name: {
            "cpu": measure.median_cpu(usages),
            "memory": measure.median_memory(usages),
            "operations": operations,
            "cpu ratio": measure.median_cpu(usages) / base_cpu,
            "memory ratio": measure.median_memory(usages) / base_memory,
            "spread": statistics.pstdev([u.cpu for u in usages]) / base_cpu,
        }
        for name, usages in runs.items()
    }


def table(results: dict[str, dict[str, dict[str, float]]]) -> report.Rows:
    """CPU time / peak memory, the C library's as they are and the others' over them."""
    others = [name for name in next(iter(results.values()), {}) if name != GLIBC]
    rows = [["load", f"{GLIBC}, ns an operation / MB", *others]]
    for load, figures in results.items():
        base = figures[GLIBC]
        first = f"{base['cpu'] / base['operations'] * 1e9:.0f} / {base['memory'] / 1024:.1f}"
        ratios = (f"{figures[n]['cpu ratio']:.2f} / {figures[n]['memory ratio']:.2f}" for n in others)
        rows.append([load, first, *ratios])
    means = []
    for name in others:
        cpu, memory = (
            measure.geometric_mean([figures[name][what] for figures in results.values()])
            for what in ("cpu ratio", "memory ratio")
        )
        means.append(f"{cpu:.2f} / {memory:.2f}")
    return [*rows, ["geometric mean", "", *means]]


def section(results: dict[str, dict[str, dict[str, float]]], options: argparse.Namespace) -> str:
    """The part of docs/allocator.md that a run writes."""
    words = f"Machine: {report.machine()}. Medians of {options.repeats} runs, scale {options.scale:g}."
    return "\n".join([BEGIN, "", words, "", report.markdown(table(results)), "", END])


if __name__ == "__main__":
    sys.exit(main())
