"""The outcome of a run of the machine as text: lines without newlines."""

from __future__ import annotations

from collections.abc import Iterator

from whence.machine.chains import Chain, Link
from whence.machine.error_rules import Error
from whence.machine.printer import (
    print_block,
    print_event,
    print_literal,
    print_origin,
    print_redex,
    print_value,
)
from whence.machine.run import Ending, Outcome, Step, Verdict
from whence.machine.state import FreeEvent, State
from whence.machine.syntax import Literal
from whence.machine.values import BlockId
from whence.rules.problems import NOWHERE, Place


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """Verdicts, then how the run ended."""
    for verdict in outcome.verdicts:
        yield from verdict_lines(verdict)
    yield from ending_lines(outcome)


def ending_lines(outcome: Outcome) -> Iterator[str]:
    steps = f"{outcome.steps} step{'s' * (outcome.steps != 1)}"
    if outcome.error is not None:
        yield f"error state after {steps}: {outcome.error.rule.name}"
        yield from error_lines(outcome.error, outcome.state)
        others = [each.rule.name for step, each in outcome.errors if step == outcome.steps]
        also = sorted({name for name in others if name != outcome.error.rule.name})
        if also:
            yield f"    also holds: {', '.join(also)}"
    elif outcome.ending is Ending.RETURNED:
        value = outcome.value
        assert value is not None
        yield f"returned {print_literal(value)} after {steps}"
    elif outcome.ending is Ending.LIMIT:
        yield f"stopped after {steps}, which is the limit (--limit)"
    else:
        yield f"stuck after {steps}: no rule applies to {print_redex(outcome.state)}"


def error_lines(error: Error, state: State) -> Iterator[str]:
    yield f"    {error.rule.meaning}"
    yield f"    redex: {print_redex(state)}{_at(state.focus.place)}"
    if error.block is not None:
        yield f"    block: {block_line(state, error.block)}"


def block_line(state: State, bid: BlockId) -> str:
    """1H: size 16, since 3, freed at 5"""
    block = state.block(bid)
    if block is None:
        return str(bid)
    line = f"{bid}: {print_block(bid, block)}"
    for event in state.trace.of_kind(FreeEvent):
        if isinstance(event, FreeEvent) and event.block == bid:
            return f"{line}, freed at {event.time}{_at(event.place)}"
    return f"{line}, dead" if bid in state.freed else line


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    rule = verdict.rule
    when = "after" if verdict.probe.row.after else "before"
    yield f"{when} step {verdict.step}: rule {rule.name} holds: {rule.title}"
    yield f"    redex: {verdict.redex}{_at(verdict.place)}"
    if verdict.block is not None:
        yield f"    block: {block_line(verdict.state, verdict.block)}"
    for chain in verdict.values:
        yield from chain_lines(chain)


def chain_lines(chain: Chain) -> Iterator[str]:
    """A traced value and where it came from, newest first."""
    value = "" if chain.value is None else f"{print_value(chain.value)} = "
    yield f"    {chain.term} = {value}{chain.number:#x}"
    for link in chain.links:
        yield f"        {link_line(link)}"


def link_line(link: Link) -> str:
    """write to &1H+0 at time 3 (file:1:2)"""
    pointer = "" if link.pointer is None else print_value(link.pointer)
    match link.kind:
        case "read":
            sentence = f"read from {pointer}"
        case "write":
            sentence = f"written to {pointer}"
        case "copy":
            sentence = f"copied to {pointer}"
        case "malloc":
            sentence = "returned by the allocation"
        case "gen":
            sentence = "computed"
        case "written":
            sentence = "written in the program"
        case "global":
            sentence = f"the global symbol {link.name}"
        case "initial":
            sentence = f"what {pointer} holds from the beginning"
        case _:
            sentence = f"unknown: the trace does not say who wrote to {pointer}"
    time = "" if link.time is None else f" at {link.time}"
    return sentence + time + _at(link.place)


def _at(place: Place) -> str:
    return "" if place == NOWHERE else f" ({place})"


# ---- step by step ----


def step_lines(step: Step, origins: bool = False) -> Iterator[str]:
    """The redex, the rule that reduced it, and what it changed in the state."""
    for verdict in step.verdicts:
        yield from verdict_lines(verdict)
    redex = print_redex(step.before)
    if step.after is None:
        return
    yield f"{step.number:>5} {step.rule:<12} {redex}{_at(step.before.focus.place)}"
    for line in difference(step.before, step.after, origins):
        yield f"      {line}"


def difference(before: State, after: State, origins: bool) -> Iterator[str]:
    """The changes of a step to H, S, F, the globals, P and sigma; with `origins` also to f."""
    for name in ("heap", "stack_blocks", "globals"):
        old, new = getattr(before, name), getattr(after, name)
        if old is new:
            continue
        for bid in sorted(new):
            if old.get(bid) != new[bid]:
                yield f"{_SECTIONS[name]}: {bid}: {print_block(bid, new[bid])}"
        for bid in sorted(bid for bid in old if bid not in new):
            yield f"{_SECTIONS[name]}: without {bid}"
    for bid in sorted(bid for bid in after.freed if bid not in before.freed):
        yield f"F: {bid}"
    if len(after.pointers) > len(before.pointers):
        for pointer in after.pointers:
            if pointer not in before.pointers:
                yield f"P: {print_value(pointer)}"
    for event in list(after.trace)[: len(after.trace) - len(before.trace)][::-1]:
        yield f"trace: {print_event(event)}"
    if origins:
        yield f"f: {print_origin(after.origin)}"
        if isinstance(after.focus, Literal):
            yield f"value: {print_literal(after.focus)}"


_SECTIONS = {"heap": "H", "stack_blocks": "S", "globals": "globals"}
