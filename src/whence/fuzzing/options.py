"""The options of a fuzzer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whence.abi.fuzz import INPUT_MOST
from whence.errors import UserMistake
from whence.toolchain.cache_prune import format_size

LEAST_MEMORY = 64 << 20
"""Bytes: a checked process has a good part of this when it begins."""


@dataclass(frozen=True, slots=True)
class FuzzOptions:
    """How to fuzz. max_time: seconds, runs: executions; None for no limit. run_time: seconds of an execution.

    max_size: bytes of an input; max_memory: bytes of one execution. seed: of all that is left to chance.
    dictionaries: files with words. regress: run what was found before, first.
    """

    max_time: float | None = None
    runs: int | None = None
    run_time: float = 1.0
    max_size: int = 4096
    max_memory: int = 2 << 30
    seed: int = 1
    dictionaries: tuple[Path, ...] = ()
    regress: bool = False

    def __post_init__(self) -> None:
        for name in ("max_time", "runs", "run_time"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 1e12:
                raise UserMistake(f"{name} is {value:g}: expected a number above 0")
        if not 1 <= self.max_size <= INPUT_MOST:
            raise UserMistake(f"max_size is {self.max_size}: expected 1 to {INPUT_MOST}")
        if self.max_memory < LEAST_MEMORY:
            least = format_size(LEAST_MEMORY)
            raise UserMistake(f"max_memory is {format_size(self.max_memory)}: expected {least} or more")
        if not 0 <= self.seed < 1 << 64:
            raise UserMistake(f"seed is {self.seed}: expected 0 or a number of at most 64 bits")
