"""The summary of an exploration as JSON, and as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whence import __version__
from whence.exploring.executing import MEMORY_LIMIT, TIME_LIMIT, WAITING
from whence.exploring.results import Error, Exploration
from whence.report.words import plural

SCHEMA = 1


def document(result: Exploration) -> dict[str, Any]:
    """The document that `--json` and summary.json have (docs/explore.md)."""
    from whence.report.json import finding_document

    return {
        "schema": SCHEMA,
        "tool": {"name": "whence", "version": __version__},
        "directory": str(result.directory),
        "complete": result.complete,
        "stopped": result.stopped or None,
        "seconds": round(result.seconds, 3),
        "paths": result.paths,
        "dismissed": result.dismissed,
        "tests": result.tests,
        "runs": result.runs,
        "ends": dict(result.ends),
        "waiting": result.waiting,
        "lost": {
            "given_up": result.given_up,
            "left_out": result.left_out,
            "diverged": result.diverged,
            "broken": result.broken,
            "repeated": result.repeated,
            "killed": result.killed,
        },
        "errors": [
            {
                "tests": list(error.tests),
                "confirmed": list(error.confirmed),
                "doubt": error.doubt or None,
                "native": error.native or None,
                "finding": finding_document(error.finding),
            }
            for error in result.errors
        ],
        "possible": [{"what": each.what, "place": each.place, "test": each.test} for each in result.possible],
        "bound": [
            {"reason": each.reason, "place": each.place, "code": each.code or None, "times": each.times}
            for each in result.bound
        ],
        "queries": dict(result.questions),
        "coverage": {
            "branches": {"taken": result.branches[0], "known": result.branches[1]},
            "lines": {"covered": result.lines[0], "known": result.lines[1]},
        },
        "notes": list(result.notes),
    }


REASONS = {
    "ADDRESS": "an address",
    "SIZE": "a size",
    "FLOATING": "an operand of floating-point arithmetic",
    "UNSEEN": "what code without IR gets",
    "WIDTH": "a value that is too wide",
    "OPERATION": "an operand of an operation that is not followed",
    "SYSTEM": "what the kernel gets",
    "TARGET": "the target of a call",
    "LIMIT": "one value more than a path may have",
    "ASKED": "a value that the program asked for",
}


def text(result: Exploration) -> str:
    """What the command prints at the end."""
    return "".join(f"whence: {line}\n" for line in _lines(result))


def _lines(result: Exploration) -> Iterator[str]:
    yield from result.notes
    for bound in result.bound:
        reason = REASONS.get(bound.reason, bound.reason.lower())
        code = f": {bound.code}" if bound.code else ""
        yield (
            f"{bound.place}{code}: {reason} was bound to the value that it had "
            f"({plural(bound.times, 'time')}); paths with other values may be missing"
        )
    for possible in result.possible:
        yield f"{possible.place}: possible, not seen: {possible.what} goes wrong for test {possible.test}"
    yield from _losses(result)
    for error in result.errors:
        numbers = ", ".join(map(str, error.tests[:5])) + (", …" if len(error.tests) > 5 else "")
        yield f"{error.finding.rule.name}: {error.finding.rule.title}: test {numbers}; {certainty(error)}"
    yield _last(result)


def certainty(error: Error) -> str:
    """Whether a finding is confirmed, and by what."""
    if not error.confirmed:
        return f"not confirmed: {error.doubt}"
    said = " and ".join(error.confirmed)
    natively = f"; natively: {error.native}" if error.native and error.native not in said else ""
    return f"confirmed by {said}{natively}"


def _losses(result: Exploration) -> Iterator[str]:
    sentences = {
        "given_up": "the solver's time was over at {}, whose other ways were not tried",
        "left_out": "{} had more ways than are tried (--ways)",
        "diverged": "{} did not go where it was to: the program does not only depend on its input",
        "broken": "the traces of {} could not be read",
        "killed": "the process of {} was killed, twice each: their paths are missing",
    }
    nouns = {"given_up": "decision", "left_out": "decision", "diverged": "run", "broken": "run"}
    nouns["killed"] = "run"
    for name, sentence in sentences.items():
        count = getattr(result, name)
        if count:
            yield sentence.format(plural(count, nouns[name]))
    for how, sentence in _CUT.items():
        if result.ends.get(how):
            yield sentence.format(plural(result.ends[how], "path"))


_CUT = {
    TIME_LIMIT: "the time of {} was over (--path-time)",
    WAITING: "the time of {} was over (--path-time), waiting for a clock, a socket, a thread or the like",
    MEMORY_LIMIT: "{} was killed, since memory was full (--max-memory)",
    "full": "the trace of {} was full: what comes later on such a path is not explored",
}
"""Paths that did not go on to their end."""


def _last(result: Exploration) -> str:
    parts = [plural(result.paths, "path"), plural(len(result.errors), "error")]
    if result.dismissed:
        parts.append(f"{result.dismissed:,} dismissed by assumptions")
    if result.waiting:
        parts.append(f"{plural(result.waiting, 'decision')} left")
    end = (
        f"stopped: {result.stopped}" if result.stopped else ("complete" if result.complete else "incomplete")
    )
    return f"{', '.join(parts)}; {end} after {result.seconds:.1f} s; {result.directory}"
