"""Findings: what whence says of a run, as typed data, and what compares, counts and names it.

A finding is one detected bug (`finding`), with its stacks (`frames`) and where its values came from
(`chains`).
"""

from __future__ import annotations

from whence.findings.finding import (
    ACCESS_OF_POINT,
    KEY_FRAMES,
    Access,
    AccessKind,
    Block,
    BlockKind,
    BlockState,
    Described,
    Descriptor,
    Event,
    Family,
    Finding,
    HitBlock,
    Origin,
    Point,
    Pointer,
    Process,
    Relation,
    RuleInfo,
    States,
    Types,
    Undefined,
    UndefinedRun,
    Use,
    UseKind,
    Value,
    Variable,
    Where,
    is_runtime,
    stable_key,
    telling_stack,
    thread_name,
)
from whence.findings.frames import (
    Frame,
)
from whence.findings.leaks import (
    Leak,
    LeakCheck,
    LeakKind,
    LeakMoment,
    Total,
)
from whence.findings.run import (
    RunInfo,
    SuppressionUse,
)

__all__ = [
    "ACCESS_OF_POINT",
    "KEY_FRAMES",
    "Access",
    "AccessKind",
    "Block",
    "BlockKind",
    "BlockState",
    "Described",
    "Descriptor",
    "Event",
    "Family",
    "Finding",
    "Frame",
    "HitBlock",
    "Leak",
    "LeakCheck",
    "LeakKind",
    "LeakMoment",
    "Origin",
    "Point",
    "Pointer",
    "Process",
    "Relation",
    "RuleInfo",
    "RunInfo",
    "States",
    "SuppressionUse",
    "Total",
    "Types",
    "Undefined",
    "UndefinedRun",
    "Use",
    "UseKind",
    "Value",
    "Variable",
    "Where",
    "is_runtime",
    "stable_key",
    "telling_stack",
    "thread_name",
]
