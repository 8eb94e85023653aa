"""How a program is run: what is the same for all engines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence.engines.start import Start
from whence.rules import RuleSet
from whence.suppressions import Suppressions

if TYPE_CHECKING:
    from whence.alloc.recording import CompactHeap


@dataclass(frozen=True)
class Surroundings:
    """What the program finds around it, and who looks after it.

    environment: the whole of it. cwd: None is ours. stdin, stdout, stderr: descriptors, None is ours.
    timeout: seconds until the program's process group, which is one of its own then, is killed.
    relay: signals that we get are passed on to the program; else they are ours, and the program is
    killed if one of them ends the wait.
    remain: wait for the processes that the program leaves behind, too.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cwd: Path | None = None
    stdin: int | None = None
    stdout: int | None = None
    stderr: int | None = None
    timeout: float | None = None
    relay: bool = False
    remain: bool = True


@dataclass(frozen=True)
class Settings:
    """How to run.

    error_exitcode: status of a program that is stopped at a finding, 1 to 255.
    stdin: the bytes of the program's standard input; None: what `around` says.
    capture: keep what the program writes to its standard output and error.
    suppressions: findings that are not reported and do not stop the program.
    children: check the programs that it executes, too.
    leak_check: "full" (leaks are findings), "summary" (they are only counted) or "no".
    leak_signal: number of the signal that starts a leak check in the program, 0 for none.
    foreign_leaks: leaks are also those of a program that carries no IR, as an interpreter's own.
    heap: where its blocks lie, None for the usual places; record: a folder to write that into.
    print_regions: the program says where its heap and its tables lie.
    engine: one of `whence.engines.registry`, or "auto": the first of them that can run the program.
    start: what the launcher said to this process.
    own: options that only one engine has, by name; those that were not given are left out.
    """

    rules: RuleSet
    halt: bool = True
    error_exitcode: int = 99
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    around: Surroundings = field(default_factory=Surroundings)
    stdin: bytes | None = None
    capture: bool = False
    suppressions: Suppressions = field(default_factory=Suppressions)
    children: bool = False
    leak_check: str = "full"
    leak_signal: int = 0
    foreign_leaks: bool = False
    heap: CompactHeap | None = None
    record: Path | None = None
    print_regions: bool = False
    engine: str = "native"
    start: Start = field(default_factory=Start)
    own: Mapping[str, Any] = field(default_factory=dict)
