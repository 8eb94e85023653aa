"""The outcome of a run of the machine as plain values for JSON (docs/machine.md)."""

from __future__ import annotations

from typing import Any

from whence.machine.chains import Chain, Link
from whence.machine.error_rules import Error
from whence.machine.printer import print_event, print_literal, print_redex, print_state, print_value
from whence.machine.run import Outcome, Step, Verdict
from whence.machine.show import difference
from whence.rules import RuleSet
from whence.rules.problems import NOWHERE, Place

VERSION = 1


def outcome_document(
    outcome: Outcome, rules: RuleSet, made: list[Step] | None = None, trace: bool = False
) -> dict[str, Any]:
    """The outcome; the keys `made` and `trace` are there only on request. `rules`: for `announced_by`."""
    document: dict[str, Any] = {
        "format": "whence-machine",
        "version": VERSION,
        "ending": outcome.ending.value,
        "steps": outcome.steps,
        "value": None if outcome.value is None else print_literal(outcome.value),
        "error": None if outcome.error is None else _error(outcome, outcome.error, rules),
        "errors": [
            {"step": step, "rule": error.rule.name, "block": _text(error.block)}
            for step, error in outcome.errors
        ],
        "verdicts": [_verdict(verdict) for verdict in outcome.verdicts],
        "state": print_state(outcome.state),
    }
    if made is not None:
        document["made"] = [_step(step) for step in made if step.after is not None]
    if trace:
        document["trace"] = [print_event(event) for event in reversed(list(outcome.trace))]
    return document


def _error(outcome: Outcome, error: Error, rules: RuleSet) -> dict[str, Any]:
    return {
        "step": outcome.steps,
        "rule": error.rule.name,
        "meaning": error.rule.meaning,
        "announced_by": list(rules.announcing(error.rule.name)),
        "block": _text(error.block),
        "redex": print_redex(outcome.state),
        "place": _place(outcome.state.focus.place),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "step": verdict.step,
        "rule": verdict.rule.name,
        "severity": verdict.rule.severity,
        "point": verdict.probe.code,
        "block": _text(verdict.block),
        "redex": verdict.redex,
        "place": _place(verdict.place),
        "values": [_chain(chain) for chain in verdict.values],
    }


def _chain(chain: Chain) -> dict[str, Any]:
    return {
        "term": chain.term,
        "number": chain.number,
        "value": None if chain.value is None else print_value(chain.value),
        "chain": [_link(link) for link in chain.links],
    }


def _link(link: Link) -> dict[str, Any]:
    return {
        "kind": link.kind,
        "time": link.time,
        "pointer": None if link.pointer is None else print_value(link.pointer),
        "symbol": link.name or None,
        "place": _place(link.place),
    }


def _step(step: Step) -> dict[str, Any]:
    assert step.after is not None
    return {
        "step": step.number,
        "rule": step.rule,
        "redex": print_redex(step.before),
        "place": _place(step.before.focus.place),
        "changes": list(difference(step.before, step.after, origins=True)),
    }


def _text(found: object) -> str | None:
    return None if found is None else str(found)


def _place(place: Place) -> str | None:
    return None if place == NOWHERE else str(place)
