"""``whence explore``: a program path by path."""

from __future__ import annotations

import json
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
from whence.cli.explore_progress import shown
from whence.cli.output import say
from whence.cli.outputs import Outputs
from whence.errors import ExitCode, UserMistake
from whence.exploring.results import Exploration
from whence.exploring.solvers import NAMES as SOLVERS
from whence.exploring.store import FILES as TEST_FILES
from whence.exploring.strategies import NAMES as STRATEGIES
from whence.report.words import plural

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.exploring.options import ExploreOptions

_SHARED = (
    *("rules", "enable", "disable", "suppressions"),
    *("error-exitcode", "tier", "locate", "cache-size", "config"),
)
"""Options that mean what they mean to a run."""
_SIZE, _COUNT = click.IntRange(0), click.IntRange(1)
_SECONDS = click.FloatRange(0, min_open=True)


def _parameters() -> list[click.Parameter]:
    many: dict[str, Any] = {"multiple": True}
    choice: dict[str, Any] = {"show_default": True}
    named = (str, _SIZE)
    return [
        own_option("sym-arg", "N", "One more argument, of at most N symbolic bytes.", type=_SIZE, **many),
        own_option(
            "sym-args",
            "MIN MAX N",
            "MIN to MAX more arguments, each of at most N symbolic bytes.",
            type=(_SIZE, _SIZE, _SIZE),
            **many,
        ),
        own_option("sym-stdin", "N", "Standard input has N symbolic bytes.", type=_SIZE),
        own_option("sym-file", "NAME N", "The file NAME has N symbolic bytes.", type=named, **many),
        own_option(
            "sym-env", "NAME N", "The variable NAME has at most N symbolic bytes.", type=named, **many
        ),
        own_option("max-fail", "N", "Up to N calls of the system fail on a path (0).", type=_SIZE, default=0),
        own_option(
            "max-fail-memory", "N", "Up to N requests of memory fail on a path (0).", type=_SIZE, default=0
        ),
        own_option("seed", "FILE", "Begin with this input: a test, or bytes of the file.", type=FILE, **many),
        own_option(
            "out", "DIR", "The directory; one that exists goes on.", type=FILE, default="whence-explore"
        ),
        own_option("max-time", "S", "Stop after so many seconds.", type=_SECONDS),
        own_option("max-paths", "N", "Stop after so many paths.", type=_COUNT),
        own_option("max-memory", "SIZE", "Memory of the exploration and all its paths, as in 2G."),
        own_option("path-time", "S", "Seconds that one path may take (10).", type=_SECONDS, default=10.0),
        own_option(
            "query-time", "S", "Seconds for one question to the solver (10).", type=_SECONDS, default=10.0
        ),
        own_option("ways", "N", "Ways that are tried of one decision (16).", type=_COUNT, default=16),
        own_option(
            "search", "NAME", "What to try next.", type=click.Choice(STRATEGIES), default="rotation", **choice
        ),
        own_option(
            "solver", "NAME", "Which solver to ask.", type=click.Choice(SOLVERS), default="auto", **choice
        ),
        click.Option(
            ["--jobs", "-j"], metavar="N", type=_COUNT, default=1, help="Paths that run at a time (1)."
        ),
        own_option("cluster", "ADDRESS", "Explore with the workers of this scheduler of dask.distributed."),
        own_option(
            "test-files",
            "WHICH",
            "Tests that get a file: all (default) or errors.",
            type=click.Choice(TEST_FILES),
            default=TEST_FILES[0],
        ),
        click.Option(["--ktest"], is_flag=True, help="Also write each test in KLEE's format."),
        *common_parameters(_SHARED),
    ]


@click.command(
    "explore",
    cls=Configured,
    params=_parameters(),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def explore(program: str, arguments: tuple[str, ...], **values: Any) -> int:
    """Run PROGRAM on every path that its symbolic input can take, and keep a test for each.

    PROGRAM was built with CC=whence-cc; the symbolic arguments follow ARGUMENTS. Every rule is evaluated
    on every path. An exploration that was interrupted goes on in its directory.
    """
    from whence.exploring.api import explore as run

    check_program(program)
    outputs = Outputs.of({name: values[name] for name in ("json", *REPORTS)}, "none", None)
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
            run=run_options(values),
            cluster=values["cluster"],
            progress=line.tell,
        )
    finally:
        line.end()
    reports = {name: path for name, path in outputs.files.items() if name in REPORTS}
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


def _report(result: Exploration, program: str, values: Mapping[str, Any]) -> int:
    from whence.exploring.readable import sentences
    from whence.exploring.summary import certainty, document, text
    from whence.exploring.testcases import read_test

    if values["json"] is not None:
        write(values["json"], json.dumps(document(result), indent=2) + "\n")
    for error in result.errors:
        tests = plural(len(error.tests), "path")
        say(f"\nwhence: {tests}, first {result.test(error.tests[0])}; {certainty(error)}\n")
        for sentence in sentences(read_test(result.test(error.tests[0])).inputs):
            say(f"whence: input: {sentence}\n")
        say(finding_text(error.finding, program))
    if not values["quiet"] or result.errors:
        say(text(result))
    return _status(result, values["error_exitcode"])


def _status(result: Exploration, error_exitcode: int) -> int:
    if any(not each.finding.rule.is_note for each in result.errors) and error_exitcode:
        return error_exitcode
    if result.stopped == "interrupted":
        return 130
    return int(ExitCode.OK)
