"""``whence fuzz``: a program on inputs that nobody wrote."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whence.api.options import COMMAND_LINE, STANDARD_OUTPUT, RunOptions
from whence.cli.completion import files
from whence.cli.config import ConfiguredCommand
from whence.cli.output import say
from whence.cli.outputs import Outputs
from whence.cli.parameters import option
from whence.cli.replacing import replace_text
from whence.errors import ExitCode, UserMistake
from whence.report.words import plural

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.findings import Finding
    from whence.fuzzing.loop import Loop
    from whence.fuzzing.options import FuzzOptions
    from whence.fuzzing.results import Fuzzing

_SHARED = ("rules", "enable", "disable", "suppressions", "error-exitcode", "cache-size", "config")
"""Options that mean what they mean to a run."""
_REPORTS = ("html", "sarif", "junit", "xml")
_COUNT, _SECONDS = click.IntRange(1), click.FloatRange(0, min_open=True)
_FILE = click.Path(path_type=Path)
_ON_TERMINAL, _ELSEWHERE = 0.5, 10.0
"""Seconds from line to line."""


class _Configured(ConfiguredCommand):
    """Reads ``whence.toml`` and ``WHENCE_OPTIONS`` as a run does, so that both have the same rules."""

    def configuring(self) -> click.Command:
        from whence.cli.run import run

        return run


def _option(name: str, metavar: str, help: str, **more: Any) -> click.Option:
    return click.Option([f"--{name}", name.replace("-", "_")], metavar=metavar, help=help, **more)


def _parameters() -> list[click.Parameter]:
    return [
        _option("max-time", "S", "Stop after so many seconds.", type=_SECONDS),
        _option("runs", "N", "Stop after so many executions.", type=_COUNT),
        _option("corpus", "DIR", "Begin with the inputs there, and keep new ones there.", type=_FILE),
        _option(
            "out",
            "DIR",
            "The directory of findings; one that exists goes on.",
            type=_FILE,
            default="whence-fuzz",
        ),
        click.Option(["--regress"], is_flag=True, help="Run the inputs of earlier findings first."),
        _option("dict", "FILE", "Words that inputs may have, as AFL reads them.", type=_FILE, multiple=True),
        _option("seed", "N", "Of all that is left to chance (1).", type=click.IntRange(0), default=1),
        _option("run-time", "S", "Seconds that one execution may take (1).", type=_SECONDS, default=1.0),
        _option("max-size", "N", "Bytes that an input may have (4096).", type=_COUNT, default=4096),
        _option("max-memory", "SIZE", "Memory of one execution (2G).", default="2G"),
        _option("json", "FILE", "Write the summary as JSON; - for standard output.", type=_FILE),
        click.Option(["--quiet", "-q"], is_flag=True, help="Print errors only."),
        click.Option(["--progress/--no-progress"], default=True, help="Show how far it is (default)."),
        *(option(COMMAND_LINE[name]) for name in (*_REPORTS, *_SHARED)),
        click.Argument(["program"], shell_complete=files),
        click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED, shell_complete=files),
    ]


@click.command(
    "fuzz",
    cls=_Configured,
    params=_parameters(),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def fuzz(program: str, arguments: tuple[str, ...], **values: Any) -> int:
    """Run PROGRAM on inputs that are made by chance and by what it compares, under all rules.

    PROGRAM was built with CC=whence-cc. The input comes by standard input, or in a file whose name takes the
    place of @@ in ARGUMENTS. It goes on until --max-time or --runs, or until Ctrl-C.
    """
    from whence.fuzzing.api import fuzz as run

    if program.startswith("-"):
        from whence.cli.unknown import hint_for

        hint = hint_for(program.partition("=")[0], click.get_current_context())
        raise UserMistake(f"unknown option '{program}' before the program's name{hint}")
    outputs = Outputs.of({name: values[name] for name in ("json", *_REPORTS)}, "none", None)
    line = _Line(values["progress"] and not values["quiet"])
    try:
        result = run(
            program,
            arguments,
            out=values["out"],
            corpus=values["corpus"],
            options=_options(values),
            run=_run_options(values),
            progress=line.tell,
        )
    finally:
        line.end()
    reports = {name: path for name, path in outputs.files.items() if name in _REPORTS}
    if reports:
        replace(outputs, files=reports).write_files(_as_run(result, program, arguments))
    return _report(result, program, values)


class _Line:
    """How far it is: one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, wanted: bool) -> None:
        self._live = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._interval = (_ON_TERMINAL if self._live else _ELSEWHERE) if wanted else math.inf
        self._next = time.monotonic() + self._interval
        self._shown = False
        self._last = (time.monotonic(), 0)

    def tell(self, loop: Loop) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._interval
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
        text = f"whence: {', '.join(parts)}"
        self._shown = self._live
        say(f"\r\x1b[K{text}" if self._live else f"{text}\n")

    def end(self) -> None:
        """The line goes."""
        if self._shown:
            say("\r\x1b[K")
        self._shown = False


def _options(values: Mapping[str, Any]) -> FuzzOptions:
    from whence.fuzzing.options import FuzzOptions
    from whence.toolchain.cache_prune import parse_size

    names = ("max_time", "runs", "run_time", "max_size", "seed", "regress")
    return FuzzOptions(
        max_memory=parse_size(values["max_memory"], "--max-memory"),
        dictionaries=tuple(values["dict"]),
        **{name: values[name] for name in names},
    )


def _run_options(values: Mapping[str, Any]) -> RunOptions:
    from whence.toolchain.cache_prune import parse_size

    size = values["cache_size"]
    return RunOptions(
        rules=values["rules"],
        enable=values["enable"],
        disable=values["disable"],
        suppressions=values["suppressions"],
        cache_size=None if size is None else parse_size(size, "--cache-size"),
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
        _write(values["json"], json.dumps(document(result), indent=2) + "\n")
    for each in result.found:
        say(f"\nwhence: {each.rule} (key {each.key}): {about(each)}\nwhence: again: {each.command}\n")
        if each.finding is not None and not each.doubt:
            say(_finding(each.finding, program))
    if not values["quiet"] or not result.ok:
        say(text(result))
    return _status(result, values["error_exitcode"])


def _finding(finding: Finding, program: str) -> str:
    from whence.findings import RunInfo
    from whence.report.text import TextRenderer

    renderer = (
        TextRenderer(quiet=True) if sys.stderr is None else TextRenderer.for_stream(sys.stderr, quiet=True)
    )
    return renderer.render([finding], RunInfo(program))


def _status(result: Fuzzing, error_exitcode: int) -> int:
    errors = [each for each in result.certain if each.finding is None or not each.finding.rule.is_note]
    if errors and error_exitcode:
        return error_exitcode
    return 130 if result.stopped == "interrupted" else int(ExitCode.OK)


def _write(path: Path, text: str) -> None:
    if str(path) == STANDARD_OUTPUT:
        click.echo(text, nl=False)
        return
    try:
        replace_text(path, text)
    except OSError as error:
        raise UserMistake(f"{path}: cannot be written: {error.strerror}") from error
