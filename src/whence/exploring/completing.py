"""Runs an exploration, and what comes after it: confirmation, the result, and the files of the directory."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whence.errors import ToolLimit
from whence.exploring.confirming import MOST_TESTS, Confirm, Confirmation, confirmed
from whence.exploring.inputs import Test
from whence.exploring.lcov import SITES, covered_lines, lines
from whence.exploring.loop import Loop
from whence.exploring.results import Bound, Error, Exploration, Possible
from whence.exploring.store import Store
from whence.exploring.summary import document
from whence.report.words import plural
from whence.toolchain.cache_prune import format_size


def completed(
    explorer: Loop[Any, Any],
    store: Store,
    first: Iterable[Mapping[str, bytes]],
    notes: Sequence[str] = (),
    confirm: Confirm | None = None,
) -> Exploration:
    """Explore from the first inputs on, in an open directory.

    confirm: shows findings again outside of the exploration; without it none is confirmed.
    """
    begun = time.monotonic()
    explorer.confirms = confirm is not None
    explorer.explore(first)
    errors = _errors(explorer, store, store.identity, confirm)
    result = _result(explorer, store, time.monotonic() - begun, errors, notes)
    _write(store, explorer, result)
    return result


def _errors(
    explorer: Loop[Any, Any], store: Store, identity: Mapping[str, Any], confirm: Confirm | None
) -> tuple[Error, ...]:
    """What paths found, each once, and what confirms it, as long as there is time and no interrupt."""
    errors, doubt = list[Error](), "it was not run again" if confirm is None else ""
    for key, numbers in explorer.state.errors.items():
        if key not in explorer.state.found:
            continue
        found = Confirmation(explorer.state.found[key], doubt=doubt)
        try:
            if confirm is not None and not doubt:
                tests = list(_tests(store, numbers, identity))
                found = confirmed(found.finding, tests, confirm, explorer.end)
        except KeyboardInterrupt:
            doubt = "the exploration was interrupted"
            found = replace(found, doubt=doubt)
            explorer.state.stopped = "interrupted"
        errors.append(Error(found.finding, tuple(numbers), found.by, found.doubt, found.native))
    return tuple(errors)


def _tests(store: Store, numbers: Sequence[int], identity: Mapping[str, Any]) -> Iterator[Test]:
    program, words = str(identity["program"]), tuple(map(str, identity["arguments"]))
    for number in numbers[:MOST_TESTS]:
        yield Test(number, program, words, store.inputs(number), "", 0)


def _result(
    explorer: Loop[Any, Any], store: Store, seconds: float, errors: tuple[Error, ...], notes: Sequence[str]
) -> Exploration:
    """What an exploration knows."""
    state, place = explorer.state, explorer.executor.place
    taken = sum(way >= 0 for _, way in state.passed)
    sites = {site for site, way in state.passed if way >= 0}
    return Exploration(
        store.directory,
        paths=state.paths,
        dismissed=state.dismissed,
        tests=store.tests,
        runs=state.runs,
        ends=dict(sorted(state.ends.items())),
        errors=errors,
        possible=tuple(Possible(what, place(site), test) for (what, site), test in state.possible.items()),
        bound=tuple(
            Bound(why, place(site), n, explorer.executor.code(site))
            for (why, site), n in sorted(state.bound.items())
        ),
        waiting=explorer.left,
        stopped=state.stopped,
        given_up=state.given_up,
        left_out=state.left_out,
        diverged=state.diverged,
        broken=state.broken,
        repeated=state.repeated,
        killed=state.killed,
        questions={**explorer.counts.__dict__, "solver": explorer.solver},
        branches=(taken, 2 * len(sites)),
        lines=covered_lines(explorer),
        seconds=seconds,
        notes=tuple(dict.fromkeys([*notes, *explorer.executor.notes, *state.notes, *_remarks(explorer)])),
    )


def _remarks(explorer: Loop[Any, Any]) -> list[str]:
    """Sentences about an exploration that explored little, or had little memory."""
    state, bound = explorer.state, explorer.bound
    if bound is not None and bound.forgotten:
        return [
            f"to stay below {format_size(bound.limit)} (--max-memory), known answers and begins of traces "
            f"were given up {plural(bound.forgotten, 'time')}: no path is missing for that"
        ]
    if state.paths == 0 and state.dismissed and not explorer.left:
        return ["no input satisfies what the program assumes: no path was explored"]
    if state.paths == 1 and not explorer.symbolic:
        return [
            "nothing was symbolic: give the program symbolic input (--sym-arg, --sym-stdin, …), or call "
            "whence_make_symbolic in it"
        ]
    return []


def _write(store: Store, explorer: Loop[Any, Any], result: Exploration) -> None:
    """The summary and the coverage, unless the disk is full, which the result says."""
    try:
        store.write("summary.json", json.dumps(document(result), indent=1) + "\n")
        store.write(SITES, "".join(lines(explorer)))
    except ToolLimit:
        if not result.stopped:
            raise
