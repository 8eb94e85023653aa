"""The options of the runtime (`whence.abi.options`) for the settings of a run."""

from __future__ import annotations

import os

from whence.abi import calls, fixed, outside, records
from whence.abi.analyses import OF_RUNS
from whence.engines.settings import Settings

LEAKS = {"no": 0, "full": 1, "summary": 2}
"""Ways to treat leaks, and the runtime's option ``leaks``."""


def runtime_options(settings: Settings, *, leaks: bool) -> dict[str, int]:
    """The options by name; `leaks`: whether a rule is evaluated at the end of main."""
    options = {"halt": int(settings.halt), "exitcode": settings.error_exitcode}
    options["children"] = int(settings.children)
    options |= settings.heap.options() if settings.heap else {}
    options |= fixed.options(settings.rules.fixed)
    options["regions"] = int(settings.print_regions)
    options |= {each.name: int(each in settings.analyses) for each in OF_RUNS}
    if settings.profiled:
        options |= {"profile": 1, "alloc_frames": records.ALLOC_FRAMES}
    options["caged"] = settings.caged
    options["explore"] = settings.explore
    options["outside"] = settings.repeating.mode if settings.repeating else 0
    options["calls"] = calls.MODES["NONE"]
    if settings.kept and settings.kept.answers:
        options |= {"outside": outside.MODES["KEEP"], "calls": calls.MODES["KEEP"]}
    elif settings.calls:
        options |= {"outside": outside.MODES["REPEAT"], "calls": calls.MODES["REPEAT"]}
    if settings.made:
        options["outside"] = outside.MODES["MADE"]
    options["reader"] = os.getpid()
    if settings.start.debugger:
        options["debug"] = os.getpid()
    if settings.start.handover:
        options["held"] = settings.start.handover.pid
    options["leaks"] = LEAKS[settings.leak_check] if leaks else 0
    options["foreign_leaks"] = int(settings.foreign_leaks)
    if settings.chain_steps is not None:
        options["origin_nodes"] = settings.chain_steps
    if settings.attach_wait:
        options["attach_wait"] = settings.attach_wait
    if settings.leak_signal:
        options["leak_signal"] = settings.leak_signal
    if settings.suppressions:
        options["key_frames"] = records.MAX_FRAMES  # an entry may name any frame
        if settings.halt:
            options["judge"] = os.getpid()
    return options
