"""Whence from Python: explore a program path by path (`explore`)."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence import __version__
from whence.api.options import RunOptions
from whence.api.running import StrPath, _settings, environment_of, find_program
from whence.errors import UserMistake
from whence.errors.shortage import shortages
from whence.exploring.inputs import Symbolic, beginnings
from whence.exploring.options import ExploreOptions
from whence.exploring.pairing import Pair
from whence.exploring.results import Exploration
from whence.exploring.testcases import read_seeds
from whence.toolchain.cache import Cache

if TYPE_CHECKING:
    from whence.exploring.confirming import Confirm
    from whence.exploring.executing import Executor, Inputs, Ran
    from whence.exploring.loop import Loop
    from whence.exploring.starting import Program

DIRECTORY = "whence-explore"

def explore(
    program: StrPath,
    args: Iterable[StrPath] = (),
    *,
    out: StrPath = DIRECTORY,
    sym_args: Iterable[tuple[int, int, int]] = (),
    sym_stdin: int | None = None,
    sym_files: Mapping[str, int] | None = None,
    sym_env: Mapping[str, int] | None = None,
    max_fail: int = 0,
    max_fail_memory: int = 0,
    seeds: Iterable[StrPath] = (),
    options: ExploreOptions | None = None,
    run: RunOptions | None = None,
    cluster: str | None = None,
    progress: Callable[[Loop[Any, Any]], None] = lambda _: None,
) -> Exploration:
    """Explore the paths of a program that whence-cc built, and keep a test for each.

    args: its arguments; the symbolic ones follow. out: the directory of the exploration; one that was
    interrupted goes on there. sym_args: (least, most, bytes) of symbolic arguments. sym_stdin: symbolic
    bytes of standard input; sym_files, sym_env: of files and of variables, by name. max_fail: how many
    calls of the system may fail on a path; max_fail_memory: how many requests of memory. seeds: inputs to
    begin with. run: rules and suppressions, as for `whence.run`. cluster: the address of a scheduler of
    `dask.distributed`, whose workers explore instead of this machine (`pip install 'whence[cluster]'`).

    Raises the errors of `whence.errors`.
    """
    from whence.exploring.solvers import require

    require()
    files, environment = sym_files or {}, sym_env or {}
    named = tuple(files.items()), tuple(environment.items())
    symbolic = Symbolic(tuple(sym_args), sym_stdin, *named, failures=max_fail, lacks=max_fail_memory)
    chosen, runs = options or ExploreOptions(), run or RunOptions()
    words = [os.fspath(word) for word in (program, *args)]
    begun = read_seeds(map(Path, seeds), symbolic)
    if cluster is not None:
        _check_cluster(chosen)
    cache = Cache.of_user(runs["cache_size"])
    temporary = tempfile.TemporaryDirectory(prefix="whence-explore-")
    with shortages(), closing(cache), temporary as folder:
        built = _built(words, symbolic, Path(folder), chosen, runs, cache)
        first = list(beginnings(symbolic, len(words), begun))
        identity = _identity(built, words, symbolic)
        confirm = built.confirmer(runs)
        if cluster is not None:
            from whence.exploring.cluster.exploring import explored_by_cluster

            size = runs["cache_size"]
            return explored_by_cluster(
                cluster, built, Path(out), identity, first, chosen, progress, confirm, size
            )
        pair = Pair() if chosen.jobs == 1 else None
        with closing(built.servers(chosen.jobs, chosen.max_memory, pair)) as executor:
            return explored(executor, Path(out), identity, first, chosen, progress, built.notes, confirm)


def _check_cluster(options: ExploreOptions) -> None:
    """Raises `UserMistake` before anything is built."""
    from whence.exploring.cluster.installed import check_installed

    check_installed()
    if options.jobs != 1:
        raise UserMistake("--jobs is for this machine: with --cluster, each thread of a worker runs paths")


def _built(
    words: list[str],
    symbolic: Symbolic,
    folder: Path,
    options: ExploreOptions,
    run: RunOptions,
    cache: Cache,
) -> Program:
    from whence.engines.checked import observed_rules
    from whence.engines.progress import NO_PROGRESS
    from whence.engines.protocol import Task
    from whence.exploring.starting import Program, check_words
    from whence.rules.observable import NATIVE

    environment = environment_of(run["env"])
    check_words(words)
    path = find_program(words[0], environment)
    settings = _settings(run, environment)
    rules, checks = observed_rules(settings.rules, NATIVE, cache)
    settings = replace(settings, rules=rules, halt=True, explored=True, made=True, locate="never")
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
    executor: Executor[Inputs, Ran],
    directory: Path,
    identity: Mapping[str, Any],
    first: Iterable[Mapping[str, bytes]],
    options: ExploreOptions,
    progress: Callable[[Loop[Any, Any]], None] = lambda _: None,
    notes: Sequence[str] = (),
    confirm: Confirm | None = None,
) -> Exploration:
    """Explore with any executor; a directory of the same identity goes on.

    confirm: shows findings again outside of the exploration; without it none is confirmed.
    """
    from whence.exploring.completing import completed
    from whence.exploring.loop import Limits
    from whence.exploring.reasoning import Reasoner
    from whence.exploring.search import Explorer
    from whence.exploring.solvers import load
    from whence.exploring.store import Store
    from whence.exploring.terms import Terms

    terms = Terms()
    reasoner = Reasoner(terms, load(options.solver, terms), max(1, int(options.query_time * 1000)))
    with closing(Store(directory, identity, options.test_files, options.ktest)) as store:
        limits = Limits(options.max_time, options.max_paths, options.ways, options.max_memory)
        explorer = Explorer(executor, reasoner, store, options.strategy, limits, progress)
        return completed(explorer, store, first, notes, confirm)
