"""The keywords of `whence.run` and their types, for type checkers; `whence.api.options` explains them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypedDict

if TYPE_CHECKING:
    from whence.engines.progress import Progress
    from whence.rules import RuleSet
    from whence.suppressions import Suppressions

StrPath = str | os.PathLike[str]


class HasDescriptor(Protocol):
    """An open file, pipe or socket."""

    def fileno(self) -> int: ...


class RunKeywords(TypedDict, total=False):
    rules: RuleSet | StrPath | Iterable[StrPath]
    enable: str | Iterable[str]
    disable: str | Iterable[str]
    suppressions: Suppressions | StrPath | Iterable[StrPath]
    keep_going: bool
    stdin: bytes | int | HasDescriptor | None
    capture_output: bool
    profile_heap: bool
    env: Mapping[str, str] | None
    cwd: StrPath | None
    timeout: float | None
    trace_children: bool
    child_aborts: str
    wait: bool
    error_exitcode: int
    tier: str
    jobs: int | None
    cache_size: int | None
    leak_check: str
    leak_signal: int
    locate: str
    locate_time: float
    chain_steps: int | None
    foreign_leaks: bool
    record: StrPath | None
    heap_seed: int
    print_regions: bool
    engine: str
    guard: str | None
    guard_zones: str | None
    guard_align: str | None
    guard_resident: int | None
    attach_wait: int
    relay_signals: bool
    progress: Progress | None
