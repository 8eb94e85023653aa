"""``whence heap``: what each call path of a program allocates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whence.api.options import COMMAND_LINE, OPTIONS, STANDARD_OUTPUT, RunOption, RunOptions
from whence.cli.completion import files
from whence.cli.ending import exit_status
from whence.cli.output import say
from whence.cli.parameters import option, parameter
from whence.cli.replacing import replace_bytes
from whence.errors import UserMistake
from whence.report.heap.measures import MEASURES
from whence.toolchain import spawn

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.findings.heap import HeapProfile

_SHARED = (
    *("error-exitcode", "rules", "enable", "disable", "suppressions", "leak-check", "engine", "guard"),
    *("tier", "jobs", "timeout", "cache-size", "trace-children", "child-aborts", "wait", "progress"),
)
"""Options of ``whence run`` that mean the same here."""
_LEAKS = "no"


def _shared(row: RunOption) -> click.Option:
    made = option(row)
    if row.name == "leak-check":
        made.default = _LEAKS
        made.help = "Leaks are findings, are only counted, or nobody looks for them (default)."
    return made


_FILES = {
    "json": "Write the run and its profile to this file as JSON.",
    "html": "Write the profile as one page for a browser: timeline, flame graph, table.",
    "massif": "Write it as Massif does, for ms_print; of further processes to FILE.2, FILE.3, …",
    "collapsed": "Write collapsed stacks, for flame graphs (--by says of what).",
    "pprof": "Write it for pprof.",
    "speedscope": "Write it for speedscope.",
}
"""Name -> help of the options that name a file to write."""

_PATH = click.Path(path_type=Path)
_PARAMETERS: list[click.Parameter] = [
    *(click.Option([f"--{name}"], type=_PATH, metavar="FILE", help=text) for name, text in _FILES.items()),
    click.Option(
        ["--by"],
        type=click.Choice(list(MEASURES)),
        default="peak",
        show_default=True,
        help="What --collapsed counts.",
    ),
    click.Option(
        ["--top"],
        type=click.IntRange(1),
        default=10,
        show_default=True,
        metavar="N",
        help="Call paths in each table of the text.",
    ),
    click.Option(["--quiet", "-q"], is_flag=True, help="Print no text but findings, and no progress."),
    click.Option(
        ["--diff"],
        is_flag=True,
        help="Run nothing: say what two profiles differ in, whence heap --diff OLD.json NEW.json.",
    ),
    click.Option(
        ["--halt/--keep-going", "halt"],
        default=False,
        help="Stop at the first finding, or go on (default).",
    ),
    *(_shared(row) for row in OPTIONS if row.name in _SHARED),
    click.Argument(["program"], shell_complete=files),
    click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED, shell_complete=files),
]


@click.command(
    "heap",
    params=_PARAMETERS,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def heap(program: str, arguments: tuple[str, ...], **values: Any) -> int:
    """Run PROGRAM with ARGUMENTS, and say what each of its call paths allocates.

    At the peak, at the end, in total, and what is freed at once again. A program that was
    built with CC=whence-cc is checked, too; any other runs as it is.
    """
    if values["diff"]:
        return _diff(program, arguments, values["top"])
    if program.startswith("-"):
        from whence.cli.unknown import hint_for

        hint = hint_for(program.partition("=")[0], click.get_current_context())
        raise UserMistake(f"unknown option '{program}' before the program's name{hint}")
    from whence.api.heap import heap_options
    from whence.api.running import run_with
    from whence.engines import interruption

    written = {name: values[name] for name in _FILES if values[name] is not None}
    shown = [f"--{name}" for name, path in written.items() if str(path) == STANDARD_OUTPUT]
    if len(shown) > 1:
        raise UserMistake(f"{' and '.join(shown)}: only one report can go to standard output (-)")
    for path in written.values():
        if str(path) != STANDARD_OUTPUT:
            _try(path)
    options = heap_options(_options(values))
    interruption.current.armed = True
    result = run_with(program, arguments, options)
    _say(result, values)
    problems = [each for name, path in written.items() for each in _write(name, path, result, values["by"])]
    if problems:
        raise UserMistake("\nwhence: ".join(problems))
    return exit_status(result, values["error_exitcode"])


def _options(values: dict[str, Any]) -> RunOptions:
    """The keywords of `whence.run` for the values of the command line."""
    from whence.cli.progress import shown
    from whence.toolchain.cache_prune import parse_size

    rows = [COMMAND_LINE[name] for name in _SHARED]
    chosen = {row.api: row.keyword(values[parameter(row)]) for row in rows if row.api}
    if chosen["cache_size"] is not None:
        chosen["cache_size"] = parse_size(chosen["cache_size"], "--cache-size")
    chosen |= {"keep_going": not values["halt"], "relay_signals": True}
    return RunOptions(**{**chosen, "progress": shown(values["progress"] and not values["quiet"])})


def _say(result: Result, values: dict[str, Any]) -> None:
    """Findings and notes as ``whence run`` shows them, then the profile."""
    from whence.report.heap import text
    from whence.report.text import TextRenderer

    if result.findings or result.notes or result.run.dropped:
        renderer = TextRenderer.for_stream(sys.stderr, quiet=values["quiet"])
        say(renderer.render(result.findings, result.run) + ("" if values["quiet"] else "\n"))
    if not values["quiet"]:
        say(text.render(_profile(result), top=values["top"]))


def _profile(result: Result) -> HeapProfile:
    from whence.findings.heap import HeapProfile

    return result.run.document(HeapProfile) or HeapProfile()


# ---- files ----


def _contents(name: str, result: Result, by: str) -> list[bytes]:
    """What a format says of the run: a file, and for Massif one for each further process."""
    profile = _profile(result)
    if name == "json":
        return [result.json().encode()]
    if name == "pprof":
        from whence.report.heap import pprof

        return [pprof.render(profile)]
    if name == "massif":
        from whence.report.heap import massif

        return [_encoded(massif.render(profile, process)) for process in profile.processes]
    if name == "collapsed":
        from whence.report.heap import collapsed

        return [_encoded(collapsed.render(profile, by))]
    if name == "speedscope":
        from whence.report.heap import speedscope

        return [_encoded(speedscope.render(profile))]
    from whence.report.heap.page import render

    return [_encoded(render(profile))]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _write(name: str, path: Path, result: Result, by: str) -> list[str]:
    """What went wrong with the files of a format."""
    contents = _contents(name, result, by) or [b""]
    problems = []
    for number, content in enumerate(contents, 1):
        to = path if number == 1 else Path(f"{path}.{number}")
        try:
            if str(path) == STANDARD_OUTPUT:
                spawn.write_all(1, content)
            else:
                replace_bytes(to, content)
        except OSError as error:
            problems.append(f"{to}: cannot be written: {error.strerror}")
    return problems


def _try(path: Path) -> None:
    """Raises `UserMistake` for a file that cannot be written: before the program runs, not after."""
    try:
        with open(path, "ab"):
            pass
    except OSError as error:
        raise UserMistake(f"{path}: cannot be written: {error.strerror}") from error


# ---- differences ----


def _diff(old: str, rest: tuple[str, ...], top: int) -> int:
    from whence.report.heap import diff

    if len(rest) != 1:
        raise UserMistake("--diff compares two profiles: whence heap --diff OLD.json NEW.json")
    before, after = (_read(Path(each)) for each in (old, *rest))
    click.echo(diff.render(before, after, top=top), nl=False)
    return 0


def _read(path: Path) -> HeapProfile:
    """The profile in a file of --json; raises `UserMistake` if there is none."""
    import json

    from whence.findings.heap import profile_of

    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError:
        raise UserMistake(
            f"{path}: this is not JSON; whence heap --json FILE writes what --diff compares"
        ) from None
    try:
        return profile_of(document["run"]["heap"])
    except (KeyError, TypeError):
        raise UserMistake(f"{path}: it has no profile of a heap, as whence heap --json FILE writes") from None
    except ValueError as error:
        raise UserMistake(f"{path}: the profile cannot be read: {error}") from None
