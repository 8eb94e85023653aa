"""The options of an exploration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whence.errors import UserMistake
from whence.exploring.store import FILES
from whence.toolchain.cache_prune import format_size

LEAST_MEMORY = 256 << 20
"""Bytes: an exploration has more than half of this when it begins."""


@dataclass(frozen=True, slots=True)
class ExploreOptions:
    """How to explore. path_time: seconds of one path; query_time: of one question to the solver.

    max_time, max_paths, max_memory (bytes): None for no limit. ways: most ways of one decision that are
    tried. test_files: which tests get files, all or errors. ktest: each gets one in KLEE's format.
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
    test_files: str = FILES[0]
    ktest: bool = False

    def __post_init__(self) -> None:
        numbers = ("path_time", "query_time", "ways", "jobs", *_given(self, "max_time", "max_paths"))
        for name in numbers:
            value = getattr(self, name)
            if not 0 < value <= 100_000_000:
                raise UserMistake(f"{name} is {value:g}: expected a number above 0")
        if self.test_files not in FILES:
            raise UserMistake(f"test_files is '{self.test_files}': expected one of {', '.join(FILES)}")
        if self.max_memory is not None and self.max_memory < LEAST_MEMORY:
            least = format_size(LEAST_MEMORY)
            raise UserMistake(f"max_memory is {format_size(self.max_memory)}: expected {least} or more")


def _given(options: ExploreOptions, *names: str) -> Sequence[str]:
    return [name for name in names if getattr(options, name) is not None]
