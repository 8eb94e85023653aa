"""``whence run``: check a program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whence.cli.output import say
from whence.errors import ExitCode, UserMistake

if TYPE_CHECKING:
    from whence.result import Result


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--halt/--keep-going", default=True, help="Stop at the first finding (default), or go on.")
@click.option(
    "--error-exitcode",
    type=click.IntRange(0, 255),
    default=int(ExitCode.FINDING),
    show_default=True,
    help="Exit status when there are findings; 0 keeps the program's own.",
)
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write the findings to this file as JSON."
)
@click.option(
    "--log", "log_file", type=click.Path(path_type=Path), help="Write the report to this file, not stderr."
)
@click.option(
    "--rules", "rule_files", multiple=True, type=click.Path(path_type=Path), help="Add a file of rules."
)
@click.option("--enable", multiple=True, metavar="RULE", help="Switch a rule on ('all' for every rule).")
@click.option("--disable", multiple=True, metavar="RULE", help="Switch a rule off ('all' for every rule).")
@click.option(
    "--jobs", "-j", type=click.IntRange(1), default=None, help="Processes that instrument (default: all)."
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Kill the program and its process group then; the exit status is 124 if nothing was found.",
)
@click.option("--progress/--no-progress", default=True, help="Show a bar while instrumenting, on a terminal.")
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    halt: bool,
    error_exitcode: int,
    json_file: Path | None,
    log_file: Path | None,
    rule_files: tuple[Path, ...],
    enable: tuple[str, ...],
    disable: tuple[str, ...],
    jobs: int | None,
    timeout: float | None,
    progress: bool,
    program: str,
    arguments: tuple[str, ...],
) -> int:
    """Run PROGRAM with ARGUMENTS under the rules and report what it does wrong.

    The program has to be built with CC=whence-cc. It is stopped at the first
    finding, before the faulty step executes.
    """
    from whence import api
    from whence.cli.progress import Bar

    if program.startswith("-"):
        raise UserMistake(f"unknown option '{program}' before the program's name (see whence run --help)")
    rules = api.select_rules(rule_files, enable, disable)
    for output in (json_file, log_file):
        if output is not None:
            _try_output(output)
    result = api.run(
        program,
        arguments,
        rules=rules,
        keep_going=not halt,
        timeout=timeout,
        error_exitcode=error_exitcode or ExitCode.FINDING,
        jobs=jobs,
        relay_signals=True,
        progress=Bar(progress),
    )
    _report(result, json_file, log_file)
    return _status(result, error_exitcode)


def _try_output(path: Path) -> None:
    """Complain about an output that cannot be written before the program runs, not after."""
    try:
        with open(path, "wb"):
            pass
    except OSError as error:
        raise UserMistake(f"{path}: cannot be written: {error.strerror}") from error


def _report(result: Result, json_file: Path | None, log_file: Path | None) -> None:
    from whence.report.json import JsonRenderer
    from whence.report.text import TextRenderer

    if json_file is not None:
        _write(json_file, JsonRenderer().render(result.findings, result.run))
    if log_file is not None:
        _write(log_file, TextRenderer().render(result.findings, result.run))
    elif sys.stderr is not None and (result.findings or result.run.notes or result.run.dropped):
        say(TextRenderer.for_stream(sys.stderr).render(result.findings, result.run))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        say(text)
        raise UserMistake(
            f"{path}: cannot be written: {error.strerror}; the report is shown above"
        ) from error


def _status(result: Result, error_exitcode: int) -> int:
    """The exit status: that of findings if there are any, else the program's own ending."""
    if result.findings and error_exitcode:
        return error_exitcode
    if result.timed_out:
        return ExitCode.TIMEOUT
    if result.signal is not None:
        from whence.engines.native.launch import die_by

        die_by(result.signal)
        return 128 + result.signal
    return result.exit_status or 0
