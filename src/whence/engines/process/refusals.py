"""What a run says about the runtime's own reasons to check nothing, or to check no longer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from whence.engines.process.decode import RawRun, Refusal
from whence.findings.coverage import Coverage


def limited(coverage: Coverage, raw: RawRun) -> Coverage:
    """What was checked, without what the runtime refused in the program that was started."""
    for refusal in raw.refusals:
        if refusal.pid == raw.pid and refusal.moment == "FIRST":
            unchecked = f"nothing was checked: {refusal.reason}"
            return replace(coverage, checked={}, unchecked=unchecked, ended=refusal.reason)
        if refusal.pid == raw.pid:
            return replace(coverage, ended=refusal.reason)
    return coverage


def notes(raw: RawRun) -> Iterator[str]:
    """A sentence for each other process that the runtime did not check, or did no longer."""
    return (_sentence(each) for each in _others(raw))


def _others(raw: RawRun) -> Iterable[Refusal]:
    return (each for each in raw.refusals if each.pid != raw.pid)


def _sentence(refusal: Refusal) -> str:
    command = refusal.process.command[:1] if refusal.process else ()
    name = " ".join([f"process {refusal.pid}", *(f"({word})" for word in command)])
    if refusal.moment == "MIDST":
        return f"the checks of {name} ended early: {refusal.reason}"
    return f"{name} was not checked: {refusal.reason}"
