"""The engine ``native``: the program's IR is instrumented, and runs as machine code under the runtime."""

from __future__ import annotations

import os
from pathlib import Path

from whence.engines.native.build import Instrumenter, build_program, check_program, libraries_of
from whence.engines.native.named import functions_named, kept_names, unknown
from whence.engines.process.building import Builder, BuildSettings, Built
from whence.engines.process.engine import Prepared, ProcessEngine, Ran, build_settings, resolved
from whence.engines.protocol import Task
from whence.engines.registry import AUTO
from whence.engines.result import Result
from whence.engines.settings import Settings
from whence.errors import CarriesNoIR
from whence.rules.observable import NATIVE


class NativeEngine(ProcessEngine):
    """Observes every access of code with IR, and the allocation calls of all code."""

    observes = NATIVE
    follows = True

    def build(self, program: Path, settings: BuildSettings, task: Task) -> Built:
        """The instrumented image, or with checked children, which may have IR, also one without IR."""
        built = build_program(program, settings, task.cache, any_program=task.settings.children)
        if task.settings.profiled and task.settings.engine == AUTO and not built.coverage.modules:
            raise CarriesNoIR(f"{program} carries no IR")  # what it loads or executes may; it can be counted
        _keep_heap(task.settings)
        return built

    def check(self, task: Task) -> None:
        """Accepts a program that has IR or may load it."""
        check_program(resolved(task)[0], build_settings(task), any_program=task.settings.children)

    def builder(self) -> Builder:
        return Instrumenter()

    def collect(self, task: Task, prepared: Prepared, ran: Ran) -> Result:
        """Raises `CarriesNoIR` if the user asked for this engine and there was nothing for it to check."""
        result = super().collect(task, prepared, ran)
        run = result.run
        if task.settings.engine != AUTO and run.unchecked and not (run.ended or result.failures or run.lost):
            raise CarriesNoIR(run.unchecked)
        return result

    def unchecked(self, task: Task, prepared: Prepared, *, started: bool) -> str:
        """A sentence for a run in which no IR of a program or a library was instrumented."""
        if prepared.built.declined and started:
            return (
                "no access was checked, only calls of malloc, free and their like: make all links of "
                f"{task.arguments[0]} with whence-cc, partial ones (ld -r) too"
            )
        more = "loaded or started" if task.settings.children else "loaded"
        hint = "" if task.settings.children else ", and to check programs that it starts add --trace-children"
        return (
            f"nothing was checked: neither {task.arguments[0]} nor what it {more} carries IR; build it with "
            f"CC=whence-cc CXX=whence-c++{hint}"
        )

    def remarks(self, task: Task, prepared: Prepared, ran: Ran) -> list[str]:
        """Sentences about the missing checks of a program without IR, and about names in rules."""
        return [*self._without_ir(task, prepared, ran), *self._unknown(task, prepared, ran)]

    def _unknown(self, task: Task, prepared: Prepared, ran: Ran) -> list[str]:
        """A sentence for each function that a rule names and that no checked code has."""
        rules = task.settings.rules
        named = bool(ran.coverage.checked) and functions_named(rules)
        known = kept_names(ran.coverage.checked, task.cache) if named else None
        if known is None:
            return []
        libraries = libraries_of(prepared.executed, task.settings.around.environment)
        found = unknown(rules, known, libraries, "the checked code")
        return [sentence for _, sentence in found]

    def _without_ir(self, task: Task, prepared: Prepared, ran: Ran) -> list[str]:
        built, originals = prepared.built, ran.reading.originals
        name = task.arguments[0]
        if built.image in built.originals or built.declined:
            return []
        if not originals:
            return [
                f"only calls of malloc, free and their like were checked: nothing that {name} loaded carries "
                "IR; build with CC=whence-cc CXX=whence-c++"
            ]
        checked = sorted({os.path.basename(original) for original in originals.values()})
        more = f" and {len(checked) - _NAMED} more" if len(checked) > _NAMED else ""
        names = ", ".join(checked[:_NAMED]) + more
        return [f"{name} carries no IR: accesses were checked in {names}, allocation calls everywhere"]


_NAMED = 6
"""The largest number of programs and libraries that a note names; it counts the others."""


def _keep_heap(settings: Settings) -> None:
    """Writes the data for a replay, if the settings request it."""
    if settings.heap is None or settings.record is None:
        return
    from whence.alloc.recording import Recording

    Recording(settings.heap).write(settings.record)
