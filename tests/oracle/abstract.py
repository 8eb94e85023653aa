"""The abstract machine's judgement of a program: the error rules and the rules that hold at its first bug."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.oracle.verdict import END, Bug, Verdict

from whence.machine.error_rules import Error
from whence.machine.run import Step, steps
from whence.machine.syntax import Program, Ret
from whence.machine.values import BlockId
from whence.rules import load_standard

STRICT = "uninitialized-read"
"""The rule that reports each undefined value where it is read; without it programs go on to uses."""
RULES = load_standard().select(["all"])
LENIENT = RULES.select([], [STRICT])
_ORDER = {rule.name: number for number, rule in enumerate(RULES.rules)}


@dataclass(frozen=True)
class Judgement:
    """Two verdicts on a program.

    `machine`: the bugs by the error rules, None if no shipped rule announces one of them; `rules`: the bugs
    by the shipped rules, evaluated on the machine's states; `names`: the error rules that apply, or `stuck`.
    """

    machine: Verdict | None
    rules: Verdict
    names: frozenset[str] = frozenset()


def judge(program: Program, strict: bool = True) -> Judgement:
    """Runs a `numbered` program up to its first step with a bug; the rule `STRICT` is on if `strict`."""
    for step, allocated in watched(program, strict):
        errors = [error for error in step.errors if strict or RULES.announcing(error.rule.name) != (STRICT,)]
        if errors or step.verdicts:
            names = frozenset(error.rule.name for error in errors)
            return Judgement(_by_errors(step, errors, allocated), _by_rules(step, allocated), names)
        if step.after is None:
            return Judgement(None, frozenset(), frozenset(["stuck"]))
    return Judgement(frozenset(), frozenset())


def watched(program: Program, strict: bool = True) -> Iterator[tuple[Step, Mapping[BlockId, int]]]:
    """The steps of a `numbered` program, each with the numbers of the steps that allocated the blocks before
    it."""
    allocated: dict[BlockId, int] = {}
    for step in steps(program, RULES if strict else LENIENT):
        yield step, allocated
        for bid in step.after.heap if step.after is not None else ():
            allocated.setdefault(bid, step.before.focus.place.line)


def _number(step: Step) -> int:
    return END if isinstance(step.before.focus, Ret) else step.before.focus.place.line


def _by_rules(step: Step, allocated: Mapping[BlockId, int]) -> Verdict:
    bugs = [
        Bug(verdict.rule.name, _number(step), allocated.get(verdict.block, 0) if verdict.block else 0)
        for verdict in step.verdicts
    ]
    return _reported(step, bugs)


def _reported(step: Step, bugs: list[Bug]) -> Verdict:
    """All leaks at the end; at another step only the first bug, because it stops the program."""
    return frozenset(bugs if isinstance(step.before.focus, Ret) else bugs[:1])


def _by_errors(step: Step, errors: list[Error], allocated: Mapping[BlockId, int]) -> Verdict | None:
    """The bugs of the error rules; a leaked block counts for the first rule that announces it, and another
    step for the first point at which it is an error."""
    leaks = isinstance(step.before.focus, Ret)
    found: dict[BlockId | None, Bug] = {}
    for error in errors:
        announcing = RULES.announcing(error.rule.name)
        if not announcing:
            return None
        bug = Bug(announcing[0], _number(step), allocated.get(error.block, 0) if error.block else 0)
        known = found.get(error.block)
        if known is None or (leaks and _ORDER[bug.rule] < _ORDER[known.rule]):
            found[error.block] = bug
    return _reported(step, list(found.values()))
