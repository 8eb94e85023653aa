"""The settings of a run that all engines share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence.abi.analyses import EDGES, ORIGINS, SYMBOLIC, Analysis
from whence.abi.tiers import AUTO
from whence.engines.start import Start
from whence.rules import RuleSet
from whence.suppressions import Suppressions

if TYPE_CHECKING:
    from whence.abi.entered import Entered
    from whence.alloc.recording import CompactHeap
    from whence.engines.keeping import Kept
    from whence.engines.patience import Patience
    from whence.engines.repeating import Repeating


@dataclass(frozen=True)
class Surroundings:
    """The environment of the program's process, and the handling of signals and of its children.

    environment: all variables. cwd, stdin, stdout, stderr: None for those of this process, else a path
    and descriptors.
    timeout: seconds until the program's process group is killed, which then is a new one.
    relay: pass signals on to the program; otherwise this process handles them, and kills the program if one
    of them ends the wait.
    remain: also wait for processes that outlive the program.
    patience: what gives up the run and its build; None: only the signals above.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cwd: Path | None = None
    stdin: int | None = None
    stdout: int | None = None
    stderr: int | None = None
    timeout: float | None = None
    relay: bool = False
    remain: bool = True
    patience: Patience | None = None


@dataclass(frozen=True)
class Settings:
    """The options of a run.

    error_exitcode: status of a program that is stopped at a finding, 1 to 255.
    stdin: the bytes of the program's standard input; None: that of `around`.
    capture: keep what the program writes to its standard output and error.
    suppressions: findings that are not reported and do not stop the program.
    children: check the programs that it executes, too.
    child_aborts: the severity of an abort of a child, "note" or "error".
    leak_check: "full" (leaks are findings), "summary" (they are only counted) or "no".
    leak_signal: number of the signal that starts a leak check in the program, 0 for none.
    locate: whether the run says where bad values came from: "never", after a second run
        ("replay"), after one that changes nothing but itself ("auto"), or "always".
    locate_time: seconds that a second run may take if it was not asked for ("auto"), its build included.
    caged: 1 to end the process before a system call that changes more than itself; 2: likewise before one
        that reads standard input.
    chain_steps: steps of chains that are kept at most; None: as many as there is room for.
    attach_wait: seconds that a debugger has to attach before each faulty step, 0 for none.
    foreign_leaks: also report leaks of a program without IR, such as an interpreter.
    profiled: count what each call path allocates (`whence.findings.heap`).
    heap: the addresses of blocks, None for the default; record: a folder to write them to.
    explored: the program builds expressions of what is symbolic.
    fuzzed: the program counts edges, and shows what it compares.
    explore: the descriptor of the socket by which it serves requests for paths, 0 for none.
    repeating: what two runs of the program have in common; None: nothing.
    kept: where a run leaves what a second one may need; None: it keeps nothing. calls: what the kernel
        answered the first run, which this one gets again. entered: the functions that the first run entered,
        outside of which this one does not come; None: that is not known.
    made: answers from outside, such as the time, are those that paths of an exploration get.
    print_regions: the program prints the addresses of its heap and its tables.
    engine: one of `whence.engines.registry`, or "auto": the first of them that can run the program.
    tier: one of `whence.abi.tiers`, how much work goes into the speed of instrumented code.
    start: the data from the launcher.
    own: options of one engine only, by name, without those that were not given.
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
    child_aborts: str = "note"
    leak_check: str = "full"
    leak_signal: int = 0
    foreign_leaks: bool = False
    locate: str = "never"
    locate_time: float = 60.0
    caged: int = 0
    chain_steps: int | None = None
    attach_wait: int = 0
    profiled: bool = False
    heap: CompactHeap | None = None
    record: Path | None = None
    explored: bool = False
    fuzzed: bool = False
    explore: int = 0
    repeating: Repeating | None = None
    kept: Kept | None = None
    calls: Path | None = None
    entered: Entered | None = None
    made: bool = False
    print_regions: bool = False
    engine: str = "native"
    tier: str = AUTO
    start: Start = field(default_factory=Start)
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def analyses(self) -> frozenset[Analysis]:
        """What this run asks to be followed, beside what its rules do."""
        asked = {ORIGINS: self.locate == "always", SYMBOLIC: self.explored, EDGES: self.fuzzed}
        return frozenset(each for each, on in asked.items() if on)
