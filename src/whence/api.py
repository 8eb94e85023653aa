"""Whence from Python: run a program under the rules (`run`); building one stands in `whence.building`.

The command line is made from these functions. Names are exported, lazily, by
the package itself: ``whence.run``, ``whence.build``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from whence.errors import ExitCode, ProgramNotFound, UserMistake
from whence.shortage import shortages

if TYPE_CHECKING:
    from whence.alloc.recording import CompactHeap
    from whence.engines.progress import Progress
    from whence.result import Result
    from whence.rules import RuleSet
    from whence.suppressions import Suppressions

_LONGEST = 100_000_000
"""Seconds; system calls that wait take no more everywhere."""

StrPath = str | os.PathLike[str]


class HasDescriptor(Protocol):
    """An open file, pipe or socket."""

    def fileno(self) -> int: ...


def run(
    program: StrPath,
    args: Iterable[StrPath] = (),
    *,
    rules: RuleSet | StrPath | Iterable[StrPath] = (),
    enable: str | Iterable[str] = (),
    disable: str | Iterable[str] = (),
    suppressions: Suppressions | StrPath | Iterable[StrPath] = (),
    keep_going: bool = False,
    stdin: bytes | int | HasDescriptor | None = None,
    capture_output: bool = False,
    env: Mapping[str, str] | None = None,
    cwd: StrPath | None = None,
    timeout: float | None = None,
    trace_children: bool = False,
    wait: bool = True,
    error_exitcode: int = ExitCode.FINDING,
    jobs: int | None = None,
    cache_size: int | None = None,
    leak_check: str = "full",
    leak_signal: int = 0,
    foreign_leaks: bool = False,
    record: StrPath | None = None,
    heap_seed: int = 0,
    print_regions: bool = False,
    engine: str = "auto",
    guard: str | None = None,
    guard_zones: str | None = None,
    guard_align: str | None = None,
    guard_resident: int | None = None,
    attach_wait: int = 0,
    relay_signals: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Run a program that was built with ``whence-cc`` under the rules, and say what it does wrong.

    program: a path, or a name that is searched in PATH. args: its arguments.
    rules: files of rules, added to the standard ones, or a rule set. enable, disable: names of
    rules to switch, 'all' for every one. suppressions: files of entries (docs/suppressions.md)
    for findings that are neither reported nor stop the program. keep_going: do not stop the program at
    the first finding. stdin: its standard input, as bytes, a descriptor or an
    open file; None is ours. capture_output: return what it writes instead of
    letting it through. env: its whole environment; None is ours. cwd: its
    working directory. timeout: seconds until it and its process group are
    killed; what was found until then is in the result. trace_children: check
    the programs that it executes, too. wait: for checked processes that it
    leaves behind, as daemons are. error_exitcode: its exit
    status when it is stopped at a finding, 1 to 255. jobs: processes that
    instrument; None is one a processor. cache_size: bytes that the cache may
    hold when the run is over; None is ``WHENCE_CACHE_SIZE``, else 5 GiB.
    leak_check: "full": leaks are findings; "summary": they are counted only;
    "no": nobody looks. leak_signal: number of a signal on which the program
    looks for leaks and goes on, 0 for none. foreign_leaks: report leaks of a
    program that carries no IR, too, as an interpreter's own.
    record: a folder for what ``whence replay`` needs to run the program as it is
    with the same heap addresses. heap_seed: other heap addresses for every
    number; 0 for the usual ones. print_regions: the program says on its standard
    error where its heap and its tables lie.
    engine: "native" checks every access of code that carries IR, "alloc" what our allocator sees of
    any program (docs/alloc-engine.md), "auto" is the first where there is IR. Of alloc: guard: "plain",
    "top", "bottom", "both-read", "both-write" or "random"; guard_zones: sizes of red zone, empty zone
    and reserved area, as in "4k,4k,8M"; guard_align: "natural", "always" or "exact"; guard_resident: small
    blocks that have a page of memory each, 0 for all of them; attach_wait: seconds for a debugger to
    attach when a guarded access traps. None leaves these to ``WHENCE_ALLOC`` and ``WHENCE_RT``.
    relay_signals: while it runs, pass the signals that we get on to it (in the
    main thread only). progress: is told how far the instrumentation is.

    Raises the errors of `whence.errors`: `ProgramNotFound`, `CannotExecute`,
    `UserMistake` for options and rule files, `ToolLimit` for what whence lacks.
    A program that misbehaves, fails or is killed is no error.
    """
    from whence.engines import checked
    from whence.engines.progress import NO_PROGRESS
    from whence.engines.protocol import Task
    from whence.engines.settings import Settings, Surroundings
    from whence.toolchain.cache import Cache, default_directory, default_limit

    _check(timeout, error_exitcode)
    environment = dict(os.environ if env is None else env)
    path = find_program(program, environment)
    around = Surroundings(
        environment=environment,
        cwd=None if cwd is None else Path(cwd),
        stdin=_descriptor(stdin),
        timeout=timeout,
        relay=relay_signals,
        remain=wait,
    )
    given: dict[str, Any] = {
        "guard": guard,
        "guard_zones": guard_zones,
        "guard_align": guard_align,
        "guard_resident": guard_resident,
        "attach_wait": attach_wait or None,
    }
    own = {name: value for name, value in given.items() if value is not None}
    if own:
        from whence.engines.alloc.guard import Guard

        Guard.of(**own)
    settings = Settings(
        rules=select_rules(rules, enable, disable),
        halt=not keep_going,
        error_exitcode=error_exitcode,
        jobs=jobs or os.cpu_count() or 1,
        around=around,
        stdin=stdin if isinstance(stdin, bytes) else None,
        capture=capture_output,
        children=trace_children,
        suppressions=load_suppressions(suppressions),
        leak_check=leak_check,
        leak_signal=leak_signal,
        foreign_leaks=foreign_leaks,
        heap=None if record is None and not heap_seed else _heap(heap_seed),
        record=None if record is None else Path(record),
        print_regions=print_regions,
        engine=_engine(engine, bool(own)),
        own=own,
    )
    words = [os.fspath(word) for word in (program, *args)]
    cache = Cache(default_directory(), default_limit() if cache_size is None else cache_size)
    try:
        with shortages():
            return checked.run(Task(path, words, settings, cache, progress or NO_PROGRESS))
    finally:
        cache.close()


def select_rules(
    rules: RuleSet | StrPath | Iterable[StrPath] = (),
    enable: str | Iterable[str] = (),
    disable: str | Iterable[str] = (),
) -> RuleSet:
    """A rule set, or the standard rules and those of some files, with some switched on or off.

    Raises `UserMistake` for mistakes in the files and for unknown names.
    """
    from whence.prepared import load_rules
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


def _engine(name: str, guarded: bool) -> str:
    """The engine for options that may speak of one alone."""
    from whence.engines import registry

    registry.candidates(name)
    if name == "native" and guarded:
        raise UserMistake("how blocks are guarded is for engine alloc; native checks every access")
    return "alloc" if guarded else name


def _names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _descriptor(stdin: bytes | int | HasDescriptor | None) -> int | None:
    if stdin is None or isinstance(stdin, bytes | int):
        return stdin if isinstance(stdin, int) else None
    return stdin.fileno()


def _check(timeout: float | None, error_exitcode: int) -> None:
    if timeout is not None and not 0 < timeout <= _LONGEST:
        raise UserMistake(
            f"timeout is {timeout:g}: expected seconds, above 0 and at most {_LONGEST}, or None"
        )
    if not 1 <= error_exitcode <= 255:
        raise UserMistake(f"error_exitcode is {error_exitcode}: expected 1 to 255")
