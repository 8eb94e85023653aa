"""The benchmark: `make bench`, or `python bench/run.py --help`.

Real programs from Debian source packages, each built plain with `clang -O2`,
with AddressSanitizer and with whence, run on the same generated inputs in
turns. CPU time (user + system) and peak memory are given as ratios over plain.
Every output is compared with that of the plain program.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

import measure
from instrumenting import Instrumenting
from variants import (
    ASAN_OPTIONS,
    COMPARED,
    Prepared,
    Variant,
    clang_version,
    prepare,
    variants,
    whence_front_end,
)
from workloads import Workload, make_inputs, workloads

import report
from report import Cell, Results
from whence.demo.build import Builder
from whence.demo.fetch import cache_dir
from whence.demo.programs import Executables, Program
from whence.errors import ToolLimit, WhenceError

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "performance.md"


def main() -> int:
    options = _arguments()
    try:
        results = _bench(options)
    except WhenceError as error:
        print(f"bench: {error}", file=sys.stderr)
        return int(error.exit_code)
    report.print_tables(results)
    if options.json:
        options.json.write_text(json.dumps(results.as_json(), indent=2) + "\n")
    if options.write:
        report.write_section(DOCUMENT, results)
        print(f"\nWritten to {DOCUMENT.relative_to(DOCUMENT.parent.parent)}")
    return 1 if any(note.startswith("FAILED") for note in results.notes) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the input, one repeat, nothing written"
    )
    parser.add_argument(
        "--repeats", type=int, metavar="N", help="runs of each, of which the median counts (5)"
    )
    help_ = "also the plain program under valgrind's Memcheck, and under engine binary (slow)"
    parser.add_argument("--memcheck", action="store_true", help=help_)
    parser.add_argument("--only", metavar="REGEX", default="", help="workloads whose name matches")
    parser.add_argument(
        "--without",
        choices=COMPARED,
        action="append",
        default=[],
        help="leave a variant out; not plain, which all ratios are over",
    )
    parser.add_argument(
        "--enable", metavar="RULE", action="append", default=[], help="measure whence with this rule on, too"
    )
    parser.add_argument(
        "--chains", action="store_true", help="measure whence with chains tracked from the start, too"
    )
    parser.add_argument("--no-instrumentation", action="store_true", help="do not measure compile times")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument(
        "--write", action=argparse.BooleanOptionalAction, default=None, help="update docs/performance.md"
    )
    options = parser.parse_args()
    if options.repeats is not None and options.repeats < 1:
        parser.error("--repeats: at least 1")
    options.repeats = options.repeats or (1 if options.quick else 5)
    if options.write is None:
        options.write = not (
            options.quick or options.only or options.without or options.enable or options.chains
        )
    return options


def _bench(options: argparse.Namespace) -> Results:
    os.environ.setdefault("ASAN_OPTIONS", ASAN_OPTIONS)  # SQLite's build runs tools of its own that leak
    columns, notes = variants(options.memcheck, options.enable, chains=options.chains)
    columns = [variant for variant in columns if variant.name not in options.without]
    chosen = [work for work in workloads(options.quick) if re.search(options.only, work.name)]
    compilers = [clang_version(columns[0].compiler.cc), whence_front_end()]
    names = [variant.name for variant in columns]
    results = Results(report.machine(), compilers, names, options.repeats, options.quick, notes=notes)
    work = cache_dir().parent / "bench"
    inputs = work / ("inputs-quick" if options.quick else "inputs")
    _progress("generating inputs")
    make_inputs(inputs, options.quick)
    launcher = measure.build_launcher(columns[0].compiler.cc, work)
    built = _build_all(columns, chosen, work)
    with tempfile.TemporaryDirectory(prefix="whence-bench-") as scratch:
        for load in chosen:
            _measure_workload(load, columns, built, inputs, launcher, Path(scratch), results)
        sqlite = built.get(("sqlite-3.40.1", "plain"))
        if sqlite and not options.no_instrumentation:
            _progress("compile times of SQLite on one core")
            source = sqlite["sqlite3"].parent
            results.instrumentation = Instrumenting(source, launcher, Path(scratch)).rows(columns)
    return results


def _build_all(
    columns: list[Variant], chosen: list[Workload], work: Path
) -> dict[tuple[str, str], Executables]:
    """Every program under every compiler; (program, build) -> executables. Builds are kept."""
    programs: dict[str, Program] = {load.program.name: load.program for load in chosen}
    built: dict[tuple[str, str], Executables] = {}
    for program in programs.values():
        for variant in columns:
            key = (program.name, variant.build)
            if key not in built:
                _progress(f"building {program.name} {variant.build}")
                built[key] = _build(program, variant, work / variant.build / program.name)
    return built


def _build(program: Program, variant: Variant, root: Path) -> Executables:
    """Build, unless the same compiler with the same flags has already built it there."""
    stamp = root / "built.json"
    key = [variant.compiler.cc, variant.compiler.flags, str(program.source)]
    try:
        known = json.loads(stamp.read_text())
        if known["key"] == key and not variant.instrumented:
            return {name: Path(path) for name, path in known["executables"].items()}
    except (OSError, ValueError, KeyError):
        pass
    stamp.unlink(missing_ok=True)
    executables = program.build(Builder(variant.compiler, root))
    stamp.write_text(json.dumps({"key": key, "executables": {n: str(p) for n, p in executables.items()}}))
    return executables


def _measure_workload(
    load: Workload,
    columns: list[Variant],
    built: dict[tuple[str, str], Executables],
    inputs: Path,
    launcher: Path,
    scratch: Path,
    results: Results,
) -> None:
    stdin = inputs / load.stdin if load.stdin else Path("/dev/null")
    ready: dict[str, Prepared] = {}
    for variant in columns:
        program = built[load.program.name, variant.build][load.executable]
        try:
            ready[variant.name] = prepare(variant, program, load.command(inputs), stdin, scratch)
        except ToolLimit as error:
            results.notes.append(f"FAILED {load.name} under {variant.name}: {error}")
    runs: dict[str, list[measure.Usage]] = {name: [] for name in ready}
    reference = b""
    for turn in range(results.repeats):
        for name in _rotated(list(ready), turn):
            _progress(f"{load.name}: {name} {turn + 1}/{results.repeats}")
            usage, output = _one_run(launcher, load, ready[name], stdin, scratch)
            reference = reference or output
            if usage.status or output != reference:
                what = f"status {usage.status}" if usage.status else "another output than the plain program"
                results.notes.append(f"FAILED {load.name} under {name}: {what}")
                ready.pop(name)
                continue
            runs[name].append(usage)
    results.cells[load.name] = _cells({name: runs[name] for name in ready})


def _one_run(
    launcher: Path, load: Workload, ready: Prepared, stdin: Path, scratch: Path
) -> tuple[measure.Usage, bytes]:
    """Usage and a digest of what is comparable in the output."""
    ready.refresh()
    output = scratch / "stdout"
    usage = measure.run(launcher, ready.command, scratch, output, ready.environ, stdin)
    return usage, hashlib.sha256(load.comparable(output.read_bytes())).digest()


def _rotated(names: list[str], turn: int) -> list[str]:
    """Plain first in the first turn (its output is the reference), then every order in turn."""
    shift = turn % len(names) if names else 0
    return names[shift:] + names[:shift]


def _cells(runs: dict[str, list[measure.Usage]]) -> dict[str, Cell]:
    medians = {n: (measure.median_cpu(u), measure.median_memory(u)) for n, u in runs.items() if u}
    if "plain" not in medians:
        return {}
    cpu, memory = medians["plain"]
    return {
        name: Cell(own_cpu, own_memory, own_cpu / max(cpu, 1e-3), own_memory / memory)
        for name, (own_cpu, own_memory) in medians.items()
    }


def _progress(text: str) -> None:
    print(f"\r\033[K{text}" if sys.stderr.isatty() else text, file=sys.stderr, end="", flush=True)
    if not sys.stderr.isatty():
        print(file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
