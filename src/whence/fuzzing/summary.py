"""The summary of a session as JSON, and as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whence import __version__
from whence.fuzzing.results import Found, Fuzzing
from whence.report.words import plural

SCHEMA = 1


def document(result: Fuzzing) -> dict[str, Any]:
    """The document that `--json` has (docs/fuzz.md)."""
    from whence.report.json import finding_document

    return {
        "schema": SCHEMA,
        "tool": {"name": "whence", "version": __version__},
        "directory": str(result.directory),
        "corpus": str(result.corpus),
        "stopped": result.stopped,
        "seconds": round(result.seconds, 3),
        "executions": result.executions,
        "apart": result.apart,
        "edges": result.edges,
        "inputs": result.inputs,
        "unstable": result.unstable,
        "cut": dict(result.cut),
        "ended": result.ended,
        "found": [
            {
                "rule": each.rule,
                "key": each.key,
                "input": str(each.input),
                "size": each.size,
                "matters": None if each.matters is None else [list(both) for both in each.matters],
                "command": each.command,
                "confirmed": each.confirmed,
                "doubt": each.doubt or None,
                "new": each.is_new,
                "again": each.again,
                "gone": each.gone,
                "finding": None if each.finding is None else finding_document(each.finding),
            }
            for each in result.found
        ],
        "notes": list(result.notes),
    }


def text(result: Fuzzing) -> str:
    """What the command prints at the end."""
    return "".join(f"whence: {line}\n" for line in _lines(result))


def _lines(result: Fuzzing) -> Iterator[str]:
    yield from result.notes
    for why, count in result.cut:
        yield f"{plural(count, 'execution')} {_CUT[why]}; inputs are in {result.directory / 'cut'}"
    if result.ended:
        yield (
            f"{plural(result.ended, 'execution')} ended by a signal without a finding; "
            f"inputs are in {result.directory / 'cut'}"
        )
    if result.unstable:
        yield (
            f"{plural(result.unstable, 'input')} took other edges when run again: "
            "the program does not only depend on its input"
        )
    if result.apart > result.executions // 2:
        yield (
            f"{plural(result.apart, 'execution')} had processes of their own, which takes longer: "
            "the program starts threads or processes, or does what cannot be undone"
        )
    yield _last(result)


_CUT = {
    "time limit": "did not end in time (--run-time)",
    "waiting": "did not end in time (--run-time), waiting for a clock, a socket, a thread or the like",
    "memory limit": "took too much memory (--max-memory)",
}
_STOPPED = {"time": "time is over", "runs": "all runs are done", "interrupted": "interrupted"}


def about(found: Found) -> str:
    """One finding's input, in words."""
    parts = [f"{plural(found.size, 'byte')}"]
    if found.matters is not None and found.size:
        parts.append(f"{_named(found.matters)} matter" if found.matters else "none of which matters")
    if found.gone:
        parts.append("known from an earlier session, and gone: its input shows it no longer")
    elif found.doubt:
        parts.append(f"not confirmed, so it counts for nothing: {found.doubt}")
    elif not found.is_new:
        parts.append("known from an earlier session" + ("" if found.again else ", not met again in this one"))
    return ", ".join(parts)


def _named(ranges: tuple[tuple[int, int], ...]) -> str:
    words = [f"{first}" if first == last else f"{first} to {last}" for first, last in ranges]
    return "bytes " + ", ".join(words)


def _last(result: Fuzzing) -> str:
    rate = result.executions / result.seconds if result.seconds else 0.0
    parts = [
        f"{plural(result.executions, 'execution')} ({rate:,.0f}/s)",
        f"{plural(result.edges, 'edge')}",
        f"{plural(result.inputs, 'input')}",
        f"{plural(len(result.certain), 'finding')}",
    ]
    end = _STOPPED[result.stopped]
    return f"{', '.join(parts)}; {end} after {result.seconds:.1f} s; {result.directory}"
