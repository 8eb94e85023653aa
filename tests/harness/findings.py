"""Findings that tests make: their facts by the names of the JSON report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from whence.findings import (
    Access,
    Block,
    Described,
    Descriptor,
    Fact,
    Finding,
    Frame,
    HitBlock,
    Leak,
    Message,
    Origin,
    Point,
    Pointer,
    RuleInfo,
    Signal,
    States,
    Types,
    Undefined,
    Value,
)
from whence.findings.chains import Chain

_KINDS: Mapping[str, type[Fact]] = {
    each.key: each
    for each in (
        *(Block, HitBlock, Value, Leak, Signal, States, Origin, Descriptor, Types, Message, Chain),
        *(Described, Pointer, Undefined),
    )
}


def changed(finding: Finding, **parts: Any) -> Finding:
    """The finding with other fields of its head or other facts: one, several in a tuple, or None."""
    for key in parts.keys() & _KINDS.keys():
        given = parts.pop(key)
        facts = given if isinstance(given, tuple) else (given,) if given is not None else ()
        finding = finding.without(_KINDS[key]).having(*facts)
    return replace(finding, **parts)


def made(
    rule: RuleInfo, point: Point, access: Access, stack: tuple[Frame, ...] = (), **parts: Any
) -> Finding:
    """A finding of a head and facts."""
    return changed(Finding(rule, point, access, stack), **parts)
