"""What `whence explore` and `whence fuzz` have in common: commands that execute a program many times."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whence.api.options import COMMAND_LINE, STANDARD_OUTPUT, RunOptions
from whence.cli.completion import files
from whence.cli.config import ConfiguredCommand
from whence.cli.parameters import option
from whence.cli.replacing import replace_text
from whence.errors import UserMistake

if TYPE_CHECKING:
    from whence.findings import Finding

REPORTS = ("html", "sarif", "junit", "xml")
"""Reports of the findings of all executions, as of those of a run."""
FILE = click.Path(path_type=Path)
_OF_RUNS = ("rules", "enable", "disable", "suppressions", "tier", "locate")


class Configured(ConfiguredCommand):
    """Reads ``whence.toml`` and ``WHENCE_OPTIONS`` as a run does, so that both have the same rules."""

    def configuring(self) -> click.Command:
        from whence.cli.run import run

        return run


def own_option(name: str, metavar: str, help: str, **more: Any) -> click.Option:
    """An option with a value that a run does not have."""
    return click.Option([f"--{name}", name.replace("-", "_")], metavar=metavar, help=help, **more)


def common_parameters(shared: Sequence[str]) -> list[click.Parameter]:
    """Reports, progress, the options that mean what they mean to a run, and the command of the program."""
    return [
        own_option("json", "FILE", "Write the summary as JSON; - for standard output.", type=FILE),
        click.Option(["--quiet", "-q"], is_flag=True, help="Print errors only."),
        click.Option(["--progress/--no-progress"], default=True, help="Show how far it is (default)."),
        *(option(COMMAND_LINE[name]) for name in (*REPORTS, *shared)),
        click.Argument(["program"], shell_complete=files),
        click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED, shell_complete=files),
    ]


def check_program(program: str) -> None:
    """Raises `UserMistake` for an option that stands where the program does."""
    if program.startswith("-"):
        from whence.cli.unknown import hint_for

        hint = hint_for(program.partition("=")[0], click.get_current_context())
        raise UserMistake(f"unknown option '{program}' before the program's name{hint}")


def run_options(values: Mapping[str, Any]) -> RunOptions:
    """The options of runs among those of the command."""
    from whence.toolchain.cache_prune import parse_size

    size = values["cache_size"]
    return RunOptions(
        **{name: values[name] for name in _OF_RUNS if name in values},
        cache_size=None if size is None else parse_size(size, "--cache-size"),
    )


def finding_text(finding: Finding, program: str) -> str:
    """A finding as the text report of a run has it."""
    from whence.findings import RunInfo
    from whence.report.text import TextRenderer

    renderer = (
        TextRenderer(quiet=True) if sys.stderr is None else TextRenderer.for_stream(sys.stderr, quiet=True)
    )
    return renderer.render([finding], RunInfo(program))


def write(path: Path, text: str) -> None:
    """To a file, or to standard output; raises `UserMistake` where that cannot be done."""
    if str(path) == STANDARD_OUTPUT:
        click.echo(text, nl=False)
        return
    try:
        replace_text(path, text)
    except OSError as error:
        raise UserMistake(f"{path}: cannot be written: {error.strerror}") from error
