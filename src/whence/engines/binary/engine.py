"""The engine ``binary``: an unchanged program, each access of which a tool on Valgrind's core looks at.

The runtime is preloaded, as an allocator and for library functions; what the tool finds wrong it judges by
the rules. See docs/binary-engine.md.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

from whence.abi import variables
from whence.abi.fixed import BY_ENGINE
from whence.abi.plans import RUN_FOLDER
from whence.abi.points import observed_by
from whence.engines.binary import core, linking
from whence.engines.process.building import BuildSettings, Built
from whence.engines.process.detectors import detectors
from whence.engines.process.engine import Prepared, ProcessEngine, Ran
from whence.engines.process.unchanged import image_of
from whence.engines.protocol import Task
from whence.engines.registry import AUTO
from whence.errors import CarriesNoIR, ToolLimit, Unable, UserMistake
from whence.rules.observable import NATIVE
from whence.rules.vocabulary import LABEL_FUNCTIONS
from whence.toolchain.native import native_library

OBSERVES = replace(
    NATIVE,
    name="binary",
    points=observed_by("binary"),
    functions=frozenset({"main"}),
    values=False,
    every=False,
    events=frozenset({"malloc", "free"}),
    terms=NATIVE.terms - LABEL_FUNCTIONS,
    variables=frozenset(),
    fixed=BY_ENGINE["binary"],
    remedy="build the program with CC=whence-cc CXX=whence-c++ for engine native",
)
"""Accesses and undefined values of all code but the C library's, arguments of library functions, allocations,
and the end."""

_OPTIONS = (
    f"--tool={linking.NAME}",
    "--quiet",
    "--vex-iropt-register-updates=allregs-at-mem-access",
    "--vex-guest-chase=no",  # code behind a jump would be translated once for each way to it
    "--fair-sched=try",
    "--max-threads=4000",
    "--sigill-diagnostics=yes",
    "--vgdb=no",
    "--run-libc-freeres=no",
    "--run-cxx-freeres=no",
    "--read-inline-info=no",
    f"--log-file={RUN_FOLDER}/{linking.LOG}",
)

_NO_DEBUGGER = "gdb cannot look into a program that the core executes: choose --engine alloc"
_NO_RECORD = "engine binary leaves nothing to record: blocks have the same addresses in every run"

_PROCESS = re.compile(r"^(==|--|\*\*)\d+\1 ?")
_DEATH = "Process terminating with default action of signal"
_SENTENCES = {
    "unhandled instruction": "Valgrind's core does not know an instruction of the program, as of AVX-512: "
    "the program got SIGILL there; --engine alloc runs it without the core",
    "INTERNAL ERROR": "Valgrind's core ended with an error of its own; what was found before is there; "
    "--engine alloc runs the program without the core",
    "the 'impossible' happened": "Valgrind's core gave up; what was found before is reported; "
    "--engine alloc runs the program without the core",
}


def said_by_core(text: str) -> list[str]:
    """Sentences for the user from the core's log. How the program ended is no news: whence says that."""
    lines = [_PROCESS.sub("", line).strip() for line in text.splitlines()]
    for words, sentence in _SENTENCES.items():
        if any(words in line for line in lines):
            return [sentence]
    ended = next((at for at, line in enumerate(lines) if line.startswith(_DEATH)), len(lines))
    said = list(dict.fromkeys(line for line in lines[:ended] if line))
    more = f" (and {len(said) - 1} more lines)" if len(said) > 1 else ""
    return [f"Valgrind's core says: {said[0]}{more}"] if said else []


class BinaryEngine(ProcessEngine):
    """Observes accesses at the level of the machine, calls of library functions, and blocks."""

    observes = OBSERVES
    seen = "each access to a block"

    def build(self, program: Path, settings: BuildSettings, task: Task) -> Built:
        """The unchanged program behind the tool, and the runtime and detectors to preload."""
        image = image_of(program)
        try:
            executable = linking.tool(self._core(task), task.cache)
        except ToolLimit as error:
            if task.settings.engine == AUTO:
                raise Unable(str(error)) from error
            raise
        children = ("--trace-children=yes",) if task.settings.children else ()
        checking = (native_library("libwhence-observed.so"), detectors(settings.rules, task.cache))
        return Built(
            image.path,
            {},
            checking,
            variables={variables.PROGRAM: str(image.path.absolute())},
            before=(str(executable), *_OPTIONS, *children),
            log=linking.LOG,
            files=(program, *core.places()),
        )

    def prepare(self, task: Task) -> Prepared:
        """The core searches the program by its first word, which is also its name for itself."""
        prepared = super().prepare(task)
        name, around = prepared.words[0], task.settings.around
        searched = (
            Path(around.cwd or ".", name)
            if "/" in name
            else shutil.which(name, path=(around.environment or os.environ).get("PATH"))
        )
        if searched and os.path.exists(searched) and os.path.samefile(searched, prepared.executed):
            return prepared
        return replace(prepared, words=(str(prepared.executed.absolute()), *prepared.words[1:]))

    def check(self, task: Task) -> None:
        """Raises `CarriesNoIR` if the choice is ours and there is no core, or engine alloc is wanted."""
        self._core(task)
        wanted = task.settings.rules.fixed & task.settings.rules.given & BY_ENGINE["alloc"]
        if task.settings.engine == AUTO and wanted:
            raise CarriesNoIR(f"engine alloc alone makes findings of {', '.join(sorted(wanted))}")

    def _core(self, task: Task) -> core.Core:
        """Raises `CarriesNoIR`, or what says it to a user who has chosen this engine, if it cannot run."""
        settings = task.settings
        chosen = settings.engine != AUTO
        if not chosen and (settings.own or variables.ALLOC in settings.around.environment):
            raise CarriesNoIR("blocks between closed pages are for engine alloc")
        for asked, sentence in (
            (settings.start.debugger, _NO_DEBUGGER),
            (settings.record, _NO_RECORD),
        ):
            if asked is not None:
                raise UserMistake(sentence) if chosen else CarriesNoIR(sentence)
        try:
            return core.get()
        except core.NoCore as error:
            if chosen:
                raise
            raise CarriesNoIR(str(error)) from None

    def unchecked(self, task: Task, prepared: Prepared, *, started: bool) -> str:
        """A sentence if nothing was checked."""
        return "" if started else f"nothing was checked: {task.arguments[0]} did not load the runtime"

    def said(self, folder: Path) -> list[str]:
        """What the core wrote of itself: each different line once, without the number of the process."""
        try:
            text = (folder / linking.LOG).read_text(errors="replace")
        except OSError:
            return []
        return said_by_core(text)

    def remarks(self, task: Task, prepared: Prepared, ran: Ran) -> list[str]:
        """A sentence about what this engine does not look at."""
        if not ran.raw.started or task.settings.engine != AUTO:
            return []
        return [
            f"{task.arguments[0]} carries no IR: its accesses to blocks were checked as the machine makes "
            "them; build it with CC=whence-cc CXX=whence-c++ to check variables and arithmetic, too"
        ]
