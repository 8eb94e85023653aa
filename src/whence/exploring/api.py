"""Whence from Python: explore a program path by path (`explore`)."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence import __version__
from whence.api import StrPath, _settings, environment_of, find_program
from whence.errors import UserMistake
from whence.exploring.inputs import Symbolic, beginnings, read_seeds
from whence.exploring.results import Bound, Error, Exploration, Possible
from whence.options import RunOptions
from whence.report.words import plural
from whence.shortage import shortages
from whence.toolchain.cache_prune import format_size

if TYPE_CHECKING:
    from whence.exploring.confirming import Confirm
    from whence.exploring.executing import Executor
    from whence.exploring.search import Explorer
    from whence.exploring.starting import Program
    from whence.findings import Finding

DIRECTORY = "whence-explore"
LEAST_MEMORY = 256 << 20
"""Bytes: an exploration has more than half of this when it begins."""


@dataclass(frozen=True, slots=True)
class ExploreOptions:
    """How to explore. path_time: seconds of one path; query_time: of one question to the solver.

    max_time, max_paths, max_memory (bytes): None for no limit. ways: most ways of one decision that are
    tried. ktest: also write KLEE's format.
    """

    strategy: str = "rotation"
    solver: str = "auto"
    max_time: float | None = None
    max_paths: int | None = None
    max_memory: int | None = None
    path_time: float = 10.0
    query_time: float = 10.0
    ways: int = 16
    jobs: int = 1
    ktest: bool = False

    def __post_init__(self) -> None:
        numbers = ("path_time", "query_time", "ways", "jobs", *_given(self, "max_time", "max_paths"))
        for name in numbers:
            value = getattr(self, name)
            if not 0 < value <= 100_000_000:
                raise UserMistake(f"{name} is {value:g}: expected a number above 0")
        if self.max_memory is not None and self.max_memory < LEAST_MEMORY:
            least = format_size(LEAST_MEMORY)
            raise UserMistake(f"max_memory is {format_size(self.max_memory)}: expected {least} or more")


def _given(options: ExploreOptions, *names: str) -> Sequence[str]:
    return [name for name in names if getattr(options, name) is not None]


def explore(
    program: StrPath,
    args: Iterable[StrPath] = (),
    *,
    out: StrPath = DIRECTORY,
    sym_args: Iterable[tuple[int, int, int]] = (),
    sym_stdin: int | None = None,
    sym_files: Mapping[str, int] | None = None,
    sym_env: Mapping[str, int] | None = None,
    seeds: Iterable[StrPath] = (),
    options: ExploreOptions | None = None,
    run: RunOptions | None = None,
    progress: Callable[[Explorer], None] = lambda _: None,
) -> Exploration:
    """Explore the paths of a program that whence-cc built, and write a test for each.

    args: its arguments; the symbolic ones follow. out: the directory of the exploration; one that was
    interrupted goes on there. sym_args: (least, most, bytes) of symbolic arguments. sym_stdin: symbolic
    bytes of standard input; sym_files, sym_env: of files and of variables, by name. seeds: inputs to begin
    with. run: rules and suppressions, as for `whence.run`.

    Raises the errors of `whence.errors`.
    """
    files, environment = sym_files or {}, sym_env or {}
    symbolic = Symbolic(tuple(sym_args), sym_stdin, tuple(files.items()), tuple(environment.items()))
    chosen, words = options or ExploreOptions(), [os.fspath(word) for word in (program, *args)]
    begun = read_seeds(map(Path, seeds), symbolic)
    with shortages(), tempfile.TemporaryDirectory(prefix="whence-explore-") as folder:
        built = _built(words, symbolic, Path(folder), chosen, run or RunOptions())
        with closing(built.servers(chosen.jobs, chosen.max_memory)) as executor:
            first = list(beginnings(symbolic, len(words), begun))
            identity = _identity(built, words, symbolic)
            confirm = built.confirmer(run or RunOptions())
            return explored(executor, Path(out), identity, first, chosen, progress, built.notes, confirm)


def _built(
    words: list[str], symbolic: Symbolic, folder: Path, options: ExploreOptions, run: RunOptions
) -> Program:
    from whence.engines.checked import observed_rules
    from whence.engines.progress import NO_PROGRESS
    from whence.engines.protocol import Task
    from whence.exploring.starting import Program, check_words
    from whence.rules.observable import NATIVE
    from whence.toolchain.cache import Cache

    environment = environment_of(run["env"])
    check_words(words)
    path = find_program(words[0], environment)
    settings = _settings(run, environment)
    cache = Cache.of_user(run["cache_size"])
    rules, checks = observed_rules(settings.rules, NATIVE, cache)
    settings = replace(settings, rules=rules, halt=True, symbolic=True, locate="never")
    task = Task(path, words, settings, cache, run["progress"] or NO_PROGRESS, leaks="main" in checks.watched)
    return Program.build(task, symbolic, folder, max(1, int(options.path_time * 1000)))


def _identity(program: Program, words: Sequence[str], symbolic: Symbolic) -> dict[str, Any]:
    data = program.task.program.read_bytes()
    return {
        "whence": __version__,
        "program": os.path.abspath(program.task.program),
        "digest": hashlib.sha256(data).hexdigest()[:32],
        "arguments": list(words[1:]),
        "symbolic": symbolic.words(),
    }


def explored(
    executor: Executor,
    directory: Path,
    identity: Mapping[str, Any],
    first: Iterable[Mapping[str, bytes]],
    options: ExploreOptions,
    progress: Callable[[Explorer], None] = lambda _: None,
    notes: Sequence[str] = (),
    confirm: Confirm | None = None,
) -> Exploration:
    """Explore with any executor; a directory of the same identity goes on.

    confirm: shows findings again outside of the exploration; without it none is confirmed.
    """
    from whence.exploring.reasoning import Reasoner
    from whence.exploring.search import Explorer, Limits
    from whence.exploring.solvers import load
    from whence.exploring.store import Store
    from whence.exploring.terms import Terms

    terms = Terms()
    reasoner = Reasoner(terms, load(options.solver, terms), max(1, int(options.query_time * 1000)))
    with closing(Store(directory, identity, options.ktest)) as store:
        limits = Limits(options.max_time, options.max_paths, options.ways, options.max_memory)
        explorer = Explorer(executor, reasoner, store, options.strategy, limits, progress)
        begun = time.monotonic()
        explorer.explore(first)
        errors = _errors(explorer, identity, confirm)
        result = result_of(explorer, time.monotonic() - begun, errors, notes)
        _write(store, explorer, result)
    return result


def _errors(explorer: Explorer, identity: Mapping[str, Any], confirm: Confirm | None) -> tuple[Error, ...]:
    """What paths found, each once, and what confirms it."""
    return tuple(
        _error(explorer, explorer.state.found[key], tests, identity, confirm)
        for key, tests in explorer.state.errors.items()
        if key in explorer.state.found
    )


def _error(
    explorer: Explorer,
    finding: Finding,
    numbers: Sequence[int],
    identity: Mapping[str, Any],
    confirm: Confirm | None,
) -> Error:
    from whence.exploring.confirming import MOST_TESTS, Confirmation, confirmed
    from whence.exploring.inputs import Test

    program, words = str(identity["program"]), tuple(map(str, identity["arguments"]))
    tests = [
        Test(number, program, words, explorer.store.inputs(number), "", 0) for number in numbers[:MOST_TESTS]
    ]
    found = Confirmation(finding, doubt="it was not run again")
    if confirm is not None:
        try:
            found = confirmed(finding, tests, confirm)
        except KeyboardInterrupt:
            found = replace(found, doubt="the exploration was interrupted")
            explorer.state.stopped = "interrupted"
    return Error(found.finding, tuple(numbers), found.by, found.doubt, found.native)


def result_of(
    explorer: Explorer, seconds: float, errors: tuple[Error, ...] = (), notes: Sequence[str] = ()
) -> Exploration:
    """What an exploration knows."""
    state, place = explorer.state, explorer.executor.place
    taken = sum(way >= 0 for _, way in state.passed)
    sites = {site for site, way in state.passed if way >= 0}
    return Exploration(
        explorer.store.directory,
        paths=state.paths,
        dismissed=state.dismissed,
        tests=explorer.store.tests,
        runs=state.runs,
        ends=dict(sorted(state.ends.items())),
        errors=errors,
        possible=tuple(Possible(what, place(site), test) for (what, site), test in state.possible.items()),
        bound=tuple(
            Bound(why, place(site), n, explorer.executor.code(site))
            for (why, site), n in sorted(state.bound.items())
        ),
        waiting=explorer.left,
        stopped=state.stopped,
        given_up=state.given_up,
        left_out=state.left_out,
        diverged=state.diverged,
        broken=state.broken,
        repeated=state.repeated,
        killed=state.killed,
        questions={**explorer.reasoner.counts.__dict__, "solver": explorer.reasoner.solver.name},
        branches=(taken, 2 * len(sites)),
        seconds=seconds,
        notes=tuple(dict.fromkeys([*notes, *state.notes, *_remarks(explorer)])),
    )


def _remarks(explorer: Explorer) -> list[str]:
    """Sentences about an exploration that explored little, or had little memory."""
    state, bound = explorer.state, explorer.bound
    if bound is not None and bound.forgotten:
        return [
            f"to stay below {format_size(bound.limit)} (--max-memory), known answers and begins of traces "
            f"were given up {plural(bound.forgotten, 'time')}: no path is missing for that"
        ]
    if state.paths == 0 and state.dismissed and not explorer.left:
        return ["no input satisfies what the program assumes: no path was explored"]
    if state.paths == 1 and not explorer.terms.variables:
        return [
            "nothing was symbolic: give the program symbolic input (--sym-arg, --sym-stdin, …), or call "
            "whence_make_symbolic in it"
        ]
    return []


def _write(store: Any, explorer: Explorer, result: Exploration) -> None:
    """The summary and the coverage, unless the disk is full, which the result says."""
    import json

    from whence.errors import ToolLimit
    from whence.exploring.lcov import SITES, lines

    try:
        store.write("summary.json", json.dumps(result.document(), indent=1) + "\n")
        store.write(SITES, "".join(lines(explorer)))
    except ToolLimit:
        if not result.stopped:
            raise
