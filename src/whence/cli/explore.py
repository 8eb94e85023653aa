"""``whence explore``: a program path by path."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whence.api.options import COMMAND_LINE, STANDARD_OUTPUT, RunOptions
from whence.cli.completion import files
from whence.cli.config import ConfiguredCommand
from whence.cli.explore_progress import shown
from whence.cli.output import say
from whence.cli.outputs import Outputs
from whence.cli.parameters import option
from whence.cli.replacing import replace_text
from whence.errors import ExitCode, UserMistake
from whence.exploring.results import Exploration
from whence.exploring.solvers import NAMES as SOLVERS
from whence.exploring.store import FILES as TEST_FILES
from whence.exploring.strategies import NAMES as STRATEGIES
from whence.report.words import plural

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.exploring.options import ExploreOptions
    from whence.findings import Finding

_SHARED = (
    *("rules", "enable", "disable", "suppressions"),
    *("error-exitcode", "tier", "locate", "cache-size", "config"),
)
"""Options that mean what they mean to a run."""
_REPORTS = ("html", "sarif", "junit", "xml")
"""Reports of the findings of all paths, as of those of a run."""
_SIZE, _COUNT = click.IntRange(0), click.IntRange(1)
_SECONDS = click.FloatRange(0, min_open=True)


class _Configured(ConfiguredCommand):
    """Reads ``whence.toml`` and ``WHENCE_OPTIONS`` as a run does, so that both have the same rules."""

    def configuring(self) -> click.Command:
        from whence.cli.run import run

        return run


def _option(name: str, metavar: str, help: str, **more: Any) -> click.Option:
    return click.Option([f"--{name}", name.replace("-", "_")], metavar=metavar, help=help, **more)


_FILE = click.Path(path_type=Path)


def _parameters() -> list[click.Parameter]:
    many: dict[str, Any] = {"multiple": True}
    choice: dict[str, Any] = {"show_default": True}
    named = (str, _SIZE)
    return [
        _option("sym-arg", "N", "One more argument, of at most N symbolic bytes.", type=_SIZE, **many),
        _option(
            "sym-args",
            "MIN MAX N",
            "MIN to MAX more arguments, each of at most N symbolic bytes.",
            type=(_SIZE, _SIZE, _SIZE),
            **many,
        ),
        _option("sym-stdin", "N", "Standard input has N symbolic bytes.", type=_SIZE),
        _option("sym-file", "NAME N", "The file NAME has N symbolic bytes.", type=named, **many),
        _option("sym-env", "NAME N", "The variable NAME has at most N symbolic bytes.", type=named, **many),
        _option(
            "max-fail", "N", "Up to N calls of the system fail on a path (0).", type=_SIZE, default=0
        ),
        _option(
            "max-fail-memory", "N", "Up to N requests of memory fail on a path (0).", type=_SIZE, default=0
        ),
        _option("seed", "FILE", "Begin with this input: a test, or bytes of the file.", type=_FILE, **many),
        _option(
            "out", "DIR", "The directory; one that exists goes on.", type=_FILE, default="whence-explore"
        ),
        _option("max-time", "S", "Stop after so many seconds.", type=_SECONDS),
        _option("max-paths", "N", "Stop after so many paths.", type=_COUNT),
        _option("max-memory", "SIZE", "Memory of the exploration and all its paths, as in 2G."),
        _option("path-time", "S", "Seconds that one path may take (10).", type=_SECONDS, default=10.0),
        _option(
            "query-time", "S", "Seconds for one question to the solver (10).", type=_SECONDS, default=10.0
        ),
        _option("ways", "N", "Ways that are tried of one decision (16).", type=_COUNT, default=16),
        _option(
            "search", "NAME", "What to try next.", type=click.Choice(STRATEGIES), default="rotation", **choice
        ),
        _option(
            "solver", "NAME", "Which solver to ask.", type=click.Choice(SOLVERS), default="auto", **choice
        ),
        click.Option(
            ["--jobs", "-j"], metavar="N", type=_COUNT, default=1, help="Paths that run at a time (1)."
        ),
        _option("cluster", "ADDRESS", "Explore with the workers of this scheduler of dask.distributed."),
        _option(
            "test-files",
            "WHICH",
            "Tests that get a file: all (default) or errors.",
            type=click.Choice(TEST_FILES),
            default=TEST_FILES[0],
        ),
        click.Option(["--ktest"], is_flag=True, help="Also write each test in KLEE's format."),
        _option("json", "FILE", "Write the summary as JSON; - for standard output.", type=_FILE),
        click.Option(["--quiet", "-q"], is_flag=True, help="Print errors only."),
        click.Option(["--progress/--no-progress"], default=True, help="Show how far it is (default)."),
        *(option(COMMAND_LINE[name]) for name in (*_REPORTS, *_SHARED)),
        click.Argument(["program"], shell_complete=files),
        click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED, shell_complete=files),
    ]


@click.command(
    "explore",
    cls=_Configured,
    params=_parameters(),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def explore(program: str, arguments: tuple[str, ...], **values: Any) -> int:
    """Run PROGRAM on every path that its symbolic input can take, and keep a test for each.

    PROGRAM was built with CC=whence-cc; the symbolic arguments follow ARGUMENTS. Every rule is evaluated
    on every path. An exploration that was interrupted goes on in its directory.
    """
    from whence.exploring.api import explore as run

    if program.startswith("-"):
        from whence.cli.unknown import hint_for

        hint = hint_for(program.partition("=")[0], click.get_current_context())
        raise UserMistake(f"unknown option '{program}' before the program's name{hint}")
    outputs = Outputs.of({name: values[name] for name in ("json", *_REPORTS)}, "none", None)
    line = shown(values["progress"] and not values["quiet"])
    try:
        result = run(
            program,
            arguments,
            out=values["out"],
            sym_args=[*((1, 1, size) for size in values["sym_arg"]), *values["sym_args"]],
            sym_stdin=values["sym_stdin"],
            sym_files=_named(values["sym_file"], "--sym-file"),
            sym_env=_named(values["sym_env"], "--sym-env"),
            max_fail=values["max_fail"],
            max_fail_memory=values["max_fail_memory"],
            seeds=values["seed"],
            options=_options(values),
            run=_run_options(values),
            cluster=values["cluster"],
            progress=line.tell,
        )
    finally:
        line.end()
    reports = {name: path for name, path in outputs.files.items() if name in _REPORTS}
    if reports:
        replace(outputs, files=reports).write_files(_as_run(result, program, arguments))
    return _report(result, program, values)


def _as_run(result: Exploration, program: str, arguments: tuple[str, ...]) -> Result:
    """The findings of all paths as those of one run, with notes that say which test shows each."""
    from whence.engines.result import Result
    from whence.exploring.readable import sentences
    from whence.exploring.testcases import read_test
    from whence.findings import RunInfo

    notes = []
    for error in result.errors:
        test = result.test(error.tests[0])
        inputs = "; ".join(sentences(read_test(test).inputs))
        name = f"{error.finding.rule.name} (key {error.finding.key})"
        notes.append(f"{name}: {test} has an input for it: {inputs}")
    run = RunInfo(program, (program, *arguments), notes=tuple(notes))
    return Result(tuple(each.finding for each in result.errors), run, b"", b"", False)


def _named(pairs: tuple[tuple[str, int], ...], option: str) -> dict[str, int]:
    named = dict(pairs)
    if len(named) < len(pairs):
        raise UserMistake(f"{option}: a name was given twice")
    return named


def _options(values: Mapping[str, Any]) -> ExploreOptions:
    from whence.exploring.options import ExploreOptions
    from whence.toolchain.cache_prune import parse_size

    names = ["solver", "max_time", "max_paths", "path_time", "query_time", "ways", "jobs"]
    names += ["test_files", "ktest"]
    given = {name: values[name] for name in names}
    if values["max_memory"] is not None:
        given["max_memory"] = parse_size(values["max_memory"], "--max-memory")
    return ExploreOptions(strategy=values["search"], **given)


def _run_options(values: Mapping[str, Any]) -> RunOptions:
    from whence.toolchain.cache_prune import parse_size

    size = values["cache_size"]
    return RunOptions(
        rules=values["rules"],
        enable=values["enable"],
        disable=values["disable"],
        suppressions=values["suppressions"],
        tier=values["tier"],
        locate=values["locate"],
        cache_size=None if size is None else parse_size(size, "--cache-size"),
    )


def _report(result: Exploration, program: str, values: Mapping[str, Any]) -> int:
    from whence.exploring.readable import sentences
    from whence.exploring.summary import certainty, document, text
    from whence.exploring.testcases import read_test

    if values["json"] is not None:
        _write(values["json"], json.dumps(document(result), indent=2) + "\n")
    for error in result.errors:
        tests = plural(len(error.tests), "path")
        say(f"\nwhence: {tests}, first {result.test(error.tests[0])}; {certainty(error)}\n")
        for sentence in sentences(read_test(result.test(error.tests[0])).inputs):
            say(f"whence: input: {sentence}\n")
        say(_finding(error.finding, program))
    if not values["quiet"] or result.errors:
        say(text(result))
    return _status(result, values["error_exitcode"])


def _finding(finding: Finding, program: str) -> str:
    from whence.findings import RunInfo
    from whence.report.text import TextRenderer

    renderer = (
        TextRenderer(quiet=True) if sys.stderr is None else TextRenderer.for_stream(sys.stderr, quiet=True)
    )
    return renderer.render([finding], RunInfo(program))


def _status(result: Exploration, error_exitcode: int) -> int:
    if any(not each.finding.rule.is_note for each in result.errors) and error_exitcode:
        return error_exitcode
    if result.stopped == "interrupted":
        return 130
    return int(ExitCode.OK)


def _write(path: Path, text: str) -> None:
    if str(path) == STANDARD_OUTPUT:
        click.echo(text, nl=False)
        return
    try:
        replace_text(path, text)
    except OSError as error:
        raise UserMistake(f"{path}: cannot be written: {error.strerror}") from error
