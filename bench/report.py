"""Tables of a benchmark: aligned text for the terminal, Markdown for docs/performance.md, JSON."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from measure import geometric_mean

BEGIN = "<!-- bench: begin (written by make bench) -->"
END = "<!-- bench: end -->"

Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One workload under one variant: CPU seconds and peak KiB, medians; ratios are over plain."""

    cpu: float
    memory: float
    cpu_ratio: float
    memory_ratio: float


@dataclass(slots=True)
class Results:
    """Everything a benchmark found out."""

    machine: str
    compilers: list[str]
    variants: list[str]
    repeats: int
    quick: bool
    cells: dict[str, dict[str, Cell]] = field(default_factory=dict)
    instrumentation: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def mean(self, variant: str, what: str) -> float:
        """Geometric mean of a ratio over the workloads that the variant ran."""
        return geometric_mean([getattr(row[variant], what) for row in self.cells.values() if variant in row])

    def as_json(self) -> dict[str, Any]:
        document = asdict(self)
        document["geometric_means"] = {
            variant: {what: self.mean(variant, what) for what in ("cpu_ratio", "memory_ratio")}
            for variant in self.variants
        }
        return document


def run_table(results: Results) -> Rows:
    """A header row, one row a workload, and the geometric means."""
    others = results.variants[1:]
    header = [
        "workload",
        "plain s",
        *(f"{v} CPU" for v in others),
        "plain MB",
        *(f"{v} memory" for v in others),
    ]
    rows = [header]
    for name, row in results.cells.items():
        plain = row.get("plain")
        if plain is None:
            continue  # it failed, and a note says so
        cpu = [_ratio(row[v].cpu_ratio if v in row else math.nan) for v in others]
        memory = [_ratio(row[v].memory_ratio if v in row else math.nan) for v in others]
        rows.append([name, f"{plain.cpu:.2f}", *cpu, f"{plain.memory / 1024:.1f}", *memory])
    means = [_ratio(results.mean(v, "cpu_ratio")) for v in others]
    memory_means = [_ratio(results.mean(v, "memory_ratio")) for v in others]
    return [*rows, ["geometric mean", "", *means, "", *memory_means]]


def instrumentation_table(results: Results) -> Rows:
    """A header row and one row a compilation."""
    rows = [["on one core", "CPU s", "elapsed s", "peak MB"]]
    for entry in results.instrumentation:
        memory = f"{entry['memory'] / 1024:.0f}"
        rows.append([entry["what"], f"{entry['cpu']:.1f}", f"{entry['wall']:.1f}", memory])
    return rows


def text(rows: Rows) -> str:
    """Aligned columns: the first to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * len(lines[0]))
    return "\n".join(lines)


def markdown(rows: Rows) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" + "|---:" * (len(rows[0]) - 1) + "|")
    return "\n".join(lines)


def section(results: Results) -> str:
    """The part of docs/performance.md that a benchmark run writes."""
    mode = "quick inputs" if results.quick else "full inputs"
    parts = [
        BEGIN,
        "",
        f"Machine: {results.machine}. Compilers: {', '.join(results.compilers)}. "
        f"Median of {results.repeats} runs, {mode}.",
        "",
        markdown(run_table(results)),
        "",
    ]
    if results.instrumentation:
        parts += [markdown(instrumentation_table(results)), ""]
    for note in results.notes:
        parts += [f"{note}", ""]
    return "\n".join([*parts, END])


def write_section(path: Path, results: Results) -> None:
    """Replace what stands between the markers, or append it."""
    replace_section(path, BEGIN, END, section(results))


def replace_section(path: Path, begin: str, end: str, new: str) -> None:
    """Put `new`, which has both markers, where they stand in a document, or behind all."""
    old = path.read_text() if path.exists() else "# Performance\n"
    before, found_begin, rest = old.partition(begin)
    _, found_end, after = rest.partition(end)
    if found_begin and found_end:
        path.write_text(before + new + after)
    else:
        path.write_text(old.rstrip("\n") + "\n\n" + new + "\n")


def machine() -> str:
    """Number of usable cores and the processor's model."""
    model = "unknown processor"
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{len(os.sched_getaffinity(0))} cores of {model}"


def _ratio(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}x"


def print_tables(results: Results) -> None:
    tables: Sequence[Rows] = [run_table(results), instrumentation_table(results)]
    for rows in tables:
        if len(rows) > 1:
            print(f"\n{text(rows)}")
    for note in results.notes:
        print(f"\nNote: {note}")
