"""``whence fuzz``: a program on inputs that nobody wrote."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from whence.cli.executions import (
    FILE,
    REPORTS,
    Configured,
    check_program,
    common_parameters,
    finding_text,
    own_option,
    run_options,
    write,
)
from whence.cli.explore_progress import Changing, how_to_show
from whence.cli.output import say
from whence.cli.outputs import Outputs
from whence.errors import ExitCode
from whence.report.words import plural

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.fuzzing.loop import Loop
    from whence.fuzzing.options import FuzzOptions
    from whence.fuzzing.results import Fuzzing

_SHARED = ("rules", "enable", "disable", "suppressions", "error-exitcode", "cache-size", "config")
"""Options that mean what they mean to a run."""
_COUNT, _SECONDS = click.IntRange(1), click.FloatRange(0, min_open=True)
_ON_TERMINAL = 0.5
"""Seconds from line to line."""


def _parameters() -> list[click.Parameter]:
    return [
        own_option("max-time", "S", "Stop after so many seconds.", type=_SECONDS),
        own_option("runs", "N", "Stop after so many executions.", type=_COUNT),
        own_option("corpus", "DIR", "Begin with the inputs there, and keep new ones there.", type=FILE),
        own_option(
            "out",
            "DIR",
            "The directory of findings; one that exists goes on.",
            type=FILE,
            default="whence-fuzz",
        ),
        click.Option(["--regress"], is_flag=True, help="Run the inputs of earlier findings first."),
        own_option(
            "dict", "FILE", "Words that inputs may have, as AFL reads them.", type=FILE, multiple=True
        ),
        own_option("seed", "N", "Of all that is left to chance (1).", type=click.IntRange(0), default=1),
        own_option("run-time", "S", "Seconds that one execution may take (1).", type=_SECONDS, default=1.0),
        own_option("max-size", "N", "Bytes that an input may have (4096).", type=_COUNT, default=4096),
        own_option("max-memory", "SIZE", "Memory of one execution (2G).", default="2G"),
        *common_parameters(_SHARED),
    ]


@click.command(
    "fuzz",
    cls=Configured,
    params=_parameters(),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def fuzz(program: str, arguments: tuple[str, ...], **values: Any) -> int:
    """Run PROGRAM on inputs that are made by chance and by what it compares, under all rules.

    PROGRAM was built with CC=whence-cc. The input comes by standard input, or in a file whose name takes the
    place of @@ in ARGUMENTS. It goes on until --max-time or --runs, or until Ctrl-C.
    """
    from whence.fuzzing.api import fuzz as run

    check_program(program)
    outputs = Outputs.of({name: values[name] for name in ("json", *REPORTS)}, "none", None)
    line = _Line(values["progress"] and not values["quiet"])
    try:
        result = run(
            program,
            arguments,
            out=values["out"],
            corpus=values["corpus"],
            options=_options(values),
            run=run_options(values),
            progress=line.tell,
        )
    finally:
        line.end()
    reports = {name: path for name, path in outputs.files.items() if name in REPORTS}
    if reports:
        replace(outputs, files=reports).write_files(_as_run(result, program, arguments))
    return _report(result, program, values)


class _Line(Changing):
    """How far it is."""

    def __init__(self, wanted: bool) -> None:
        super().__init__(*how_to_show(wanted, _ON_TERMINAL))
        self._last = (time.monotonic(), 0)

    def tell(self, loop: Loop) -> None:
        now = time.monotonic()
        if not self.is_due(now):
            return
        state, (before, executions) = loop.state, self._last
        rate = (state.executions - executions) / max(1e-6, now - before)
        self._last = now, state.executions
        parts = [
            f"{plural(state.executions, 'execution')} ({rate:,.0f}/s)",
            plural(loop.edges, "edge"),
            plural(len(state.entries), "input"),
            plural(len(state.found), "finding"),
            f"{loop.seconds:.0f} s",
        ]
        self.put(", ".join(parts))


def _options(values: Mapping[str, Any]) -> FuzzOptions:
    from whence.fuzzing.options import FuzzOptions
    from whence.toolchain.cache_prune import parse_size

    names = ("max_time", "runs", "run_time", "max_size", "seed", "regress")
    return FuzzOptions(
        max_memory=parse_size(values["max_memory"], "--max-memory"),
        dictionaries=tuple(values["dict"]),
        **{name: values[name] for name in names},
    )


def _as_run(result: Fuzzing, program: str, arguments: tuple[str, ...]) -> Result:
    """The findings of all executions as those of one run, with notes that say what repeats each."""
    from whence.engines.result import Result
    from whence.findings import RunInfo

    met = [(each, each.finding) for each in result.certain if each.finding is not None]
    notes = [f"{each.rule} (key {each.key}): {each.command}" for each, _ in met]
    run = RunInfo(program, (program, *arguments), notes=tuple(notes))
    return Result(tuple(finding for _, finding in met), run, b"", b"", False)


def _report(result: Fuzzing, program: str, values: Mapping[str, Any]) -> int:
    from whence.fuzzing.summary import about, document, text

    if values["json"] is not None:
        write(values["json"], json.dumps(document(result), indent=2) + "\n")
    for each in result.found:
        say(f"\nwhence: {each.rule} (key {each.key}): {about(each)}\nwhence: again: {each.command}\n")
        if each.finding is not None and not each.doubt:
            say(finding_text(each.finding, program))
    if not values["quiet"] or not result.ok:
        say(text(result))
    return _status(result, values["error_exitcode"])


def _status(result: Fuzzing, error_exitcode: int) -> int:
    errors = [each for each in result.certain if each.finding is None or not each.finding.rule.is_note]
    if errors and error_exitcode:
        return error_exitcode
    return 130 if result.stopped == "interrupted" else int(ExitCode.OK)
