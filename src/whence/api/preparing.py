"""Whence from Python: instrument programs before they run (`prepare`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from whence.abi.analyses import ORIGINS
from whence.abi.tiers import AUTO
from whence.api.options import KEYWORDS
from whence.api.running import StrPath, find_program, select_rules
from whence.engines.preparation import Preparations
from whence.errors import UserMistake, WhenceError
from whence.errors.shortage import shortages

if TYPE_CHECKING:
    from whence.engines.progress import Progress
    from whence.rules import RuleSet


def prepare(
    programs: StrPath | Iterable[StrPath],
    *,
    rules: RuleSet | StrPath | Iterable[StrPath] = (),
    enable: str | Iterable[str] = (),
    disable: str | Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    tier: str = AUTO,
    jobs: int | None = None,
    cache_size: int | None = None,
    locate: bool = False,
    progress: Progress | None = None,
) -> Preparations:
    """Instrument programs, and the libraries that they are linked to, so that a run finds them in the cache.

    programs: paths, or names that are searched in PATH; shared libraries that programs load; folders, for
    all that carries IR in them. The keywords are those of `whence.run` and have to be the same as there.
    locate: make the code for chains of values, too, which second runs need, and runs that locate always.

    What cannot be prepared, a file that does not exist for one, is part of the result. Raises `UserMistake`
    for options and rule files, `ToolLimit` for what whence lacks.
    """
    from whence.engines.checked import observed_rules
    from whence.engines.native import ahead
    from whence.engines.process.building import BuildSettings
    from whence.engines.progress import NO_PROGRESS
    from whence.rules.observable import NATIVE
    from whence.toolchain.cache import Cache

    for name, value in (("tier", tier), ("jobs", jobs), ("cache_size", cache_size)):
        KEYWORDS[name].check(value)
    environment = dict(os.environ if env is None else env)
    sources = _sources(programs, environment)
    chosen = select_rules(rules, enable, disable)
    cache = Cache.of_user(cache_size)
    try:
        with shortages():
            observed, _ = observed_rules(chosen, NATIVE, cache)
            workers = jobs or os.cpu_count() or 1
            settings = BuildSettings(observed, workers, progress or NO_PROGRESS, environment, tier=tier)
            done = ahead.prepare(sources, settings, cache)
            if locate:
                located = replace(settings, analyses=frozenset((ORIGINS,)))
                done = done.also(ahead.prepare(sources, located, cache))
            return done
    finally:
        cache.close()


def _sources(
    programs: StrPath | Iterable[StrPath], environment: Mapping[str, str]
) -> dict[str, Path | WhenceError]:
    """The files and folders that were named; an error for what is none. Raises `UserMistake` for no name."""
    names = [programs] if isinstance(programs, str | os.PathLike) else list(programs)
    if not names:
        raise UserMistake("nothing to prepare: name programs, shared libraries or folders")
    sources: dict[str, Path | WhenceError] = {}
    for name in [os.fspath(each) for each in names]:
        try:
            sources[name] = Path(name) if os.path.isdir(name) else find_program(name, environment)
        except WhenceError as error:
            sources[name] = error
    return sources
