"""Whence from Python: run a program under the rules (`run`); building one stands in `whence.api.building`.

The command line is made from these functions. Names are exported, lazily, by
the package itself: ``whence.run``, ``whence.build``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence.api.options import RunOptions
from whence.errors import ProgramNotFound, UserMistake
from whence.errors.shortage import shortages

if TYPE_CHECKING:
    from typing import Unpack

    from whence.alloc.recording import CompactHeap
    from whence.api.run_keywords import HasDescriptor, RunKeywords
    from whence.engines.patience import Patience
    from whence.engines.result import Result
    from whence.engines.settings import Settings
    from whence.rules import RuleSet
    from whence.suppressions import Suppressions

StrPath = str | os.PathLike[str]


def run(
    program: StrPath,
    args: Iterable[StrPath] = (),
    options: RunOptions | None = None,
    **keywords: Unpack[RunKeywords],
) -> Result:
    """Run a program under the rules, and say what it does wrong.

    program: a path, or a name that is searched in PATH. args: its arguments. The keywords are the
    options that docs/python-api.md lists (`whence.api.options` has a row for each); they replace those of
    `options`, which may be kept for many runs.

    Raises the errors of `whence.errors`: `ProgramNotFound`, `CannotExecute`,
    `UserMistake` for options and rule files, `ToolLimit` for what whence lacks.
    A program that misbehaves, fails or is killed is no error.
    """
    return run_with(program, args, (options or RunOptions()).merged(dict(keywords)))


def run_with(
    program: StrPath,
    args: Iterable[StrPath],
    options: RunOptions,
    *,
    made: bool = False,
    patience: Patience | None = None,
    known: Callable[[Result], None] = lambda _: None,
) -> Result:
    """The same as `run`. made: answers from outside, such as the time, are those of explored paths. patience:
    gives up the run, its build included. known: called with what the first of two runs found, before the
    second begins."""
    from whence.engines import checked
    from whence.engines.process.interpreter import interpreter_words
    from whence.engines.progress import NO_PROGRESS
    from whence.engines.protocol import Task
    from whence.toolchain.cache import Cache

    environment = environment_of(options["env"])
    path = find_program(program, environment)
    settings = replace(_settings(options, environment), made=made)
    if patience is not None:
        settings = replace(settings, around=replace(settings.around, patience=patience))
    if settings.engine != "alloc" and interpreter_words(path):
        settings = replace(settings, children=True)  # what a script starts is what is to be checked
    words = [os.fspath(word) for word in (program, *args)]
    cache = Cache.of_user(options["cache_size"])
    try:
        with shortages():
            progress = options["progress"] or NO_PROGRESS
            return checked.run(Task(path, words, settings, cache, progress, known=known))
    finally:
        cache.close()


def _settings(options: RunOptions, environment: Mapping[str, str]) -> Settings:
    """What the options mean for engines; raises `UserMistake`."""
    from whence.engines import start
    from whence.engines.settings import Settings, Surroundings

    cwd, stdin, record = options["cwd"], options["stdin"], options["record"]
    around = Surroundings(
        environment=environment,
        cwd=None if cwd is None else Path(cwd),
        stdin=_descriptor(stdin),
        **options.into("around."),
    )
    engine, own = _engine(options)
    seed = options["heap_seed"]
    return Settings(
        rules=select_rules(options["rules"], options["enable"], options["disable"]),
        halt=not options["keep_going"],
        jobs=options["jobs"] or os.cpu_count() or 1,
        around=around,
        stdin=stdin if isinstance(stdin, bytes) else None,
        suppressions=load_suppressions(options["suppressions"]),
        start=start.begun if around.relay else start.Start(),
        heap=None if record is None and not seed else _heap(seed),
        record=None if record is None else Path(record),
        engine=engine,
        own=own,
        **options.into("settings."),
    )


def select_rules(
    rules: RuleSet | StrPath | Iterable[StrPath] = (),
    enable: str | Iterable[str] = (),
    disable: str | Iterable[str] = (),
) -> RuleSet:
    """A rule set, or the standard rules and those of some files, with some switched on or off.

    Raises `UserMistake` for mistakes in the files and for unknown names.
    """
    from whence.engines.kept_rules import load_rules
    from whence.rules.ruleset import RuleSet

    if isinstance(rules, RuleSet):
        known = rules
    else:
        known = load_rules(list(map(Path, [rules] if isinstance(rules, str | os.PathLike) else rules)))
    return known.select(_names(enable), _names(disable))


def load_suppressions(suppressions: Suppressions | StrPath | Iterable[StrPath] = ()) -> Suppressions:
    """The entries of suppression files of any format; raises `UserMistake` for mistakes in them."""
    from whence.suppressions.model import Suppressions

    if isinstance(suppressions, Suppressions):
        return suppressions
    paths = [suppressions] if isinstance(suppressions, str | os.PathLike) else list(suppressions)
    if not paths:
        return Suppressions()
    from whence.suppressions.load import load

    return load(paths)


def environment_of(given: Mapping[str, str] | None) -> dict[str, str]:
    """The variables of a run, by default those of this process; raises `UserMistake` for what is none."""
    if given is None:
        return dict(os.environ)
    for name, value in given.items():
        if "\0" in name + value:
            raise UserMistake(f"environment variable {name!r}: it cannot have a null byte")
        if not name or "=" in name:
            raise UserMistake(f"environment variable {name!r}: a name is not empty, and has no '='")
    return dict(given)


def find_program(program: StrPath, environment: Mapping[str, str]) -> Path:
    """The program's file: as named if there is a slash, else searched in PATH, like a shell."""
    name = os.fspath(program)
    if "/" in name:
        if not os.path.lexists(name):
            raise ProgramNotFound(f"{name}: no such file")
        return Path(name)
    if not name:
        raise ProgramNotFound("the program's name is empty: name a program")
    found = shutil.which(name, path=environment.get("PATH"))
    if found is None:
        hint = f"; did you mean ./{name}?" if os.path.isfile(name) else ""
        raise ProgramNotFound(f"{name}: not found in PATH{hint}")
    return Path(found)


def _heap(seed: int) -> CompactHeap:
    from whence.alloc.recording import CompactHeap

    return CompactHeap.seeded(seed)


def _engine(options: RunOptions) -> tuple[str, dict[str, Any]]:
    """The engine, and the options that it alone has."""
    named, (owner, own) = options["engine"], options.of_engine()
    if not owner:
        return named, {}
    if named not in ("auto", owner):
        raise UserMistake(f"{', '.join(own)}: this is for engine {owner}, not for {named}")
    from whence.engines.alloc.guard import Guard

    Guard.of(**own)
    return owner, own


def _names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _descriptor(stdin: bytes | int | HasDescriptor | None) -> int | None:
    if stdin is None or isinstance(stdin, bytes | int):
        return stdin if isinstance(stdin, int) else None
    return stdin.fileno()
