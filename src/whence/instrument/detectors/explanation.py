"""The code generated for a rule, for `whence rules explain` and `whence rules table`.

All parts come from the generators themselves: the sentence and the detector from the rule's core
form, the filter from its plan, the lines from the text of the generated modules. Table 1 of "Generating
Sound and Effective Memory Debuggers" (ISMM 2013) counts the same: lines of specification, and lines of the
debugger that is generated from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whence.abi.rules import ARGUMENTS
from whence.instrument.detectors import evaluators, filters
from whence.instrument.detectors.conditions import ConditionCode
from whence.rules import RuleSet
from whence.rules import model as m
from whence.rules.english import sentence
from whence.rules.expand import expand
from whence.rules.filters import Filter
from whence.rules.histories import KEPT, History
from whence.rules.lowering import LoweringError, RulePlan, plan_of, plan_rule
from whence.rules.printer import print_node
from whence.rules.pseudocode import detector

_EVENTS = {
    "malloc": "malloc: the records of the block table (begin, size, family, time)",
    "free": "free: the same records (state, time, and the pointer that was freed)",
    "call": "call: the last call of each watched function in each thread",
    "ret": "ret: the last return of each watched function in each thread",
}
_TESTS = {
    Filter.STATE: "state_plane[r >> 3] != 0",
    Filter.SLOT: "(r ^ Root) >> slot_bits(Root) != 0",
}


@dataclass(frozen=True)
class Lines:
    """Lines of one row of the table.

    `specification`: the rule's own three clauses and title, and one for each definition it uses, in canonical
    text. `detector`: LLVM IR of its evaluator. `debugger`: all IR that is generated for a rule set with only
    this rule: evaluator, tables, arithmetic, and the definitions of the markers.
    """

    name: str
    specification: int
    detector: int
    debugger: int


@dataclass(frozen=True)
class Explanation:
    """One rule in words. If the engine refuses it, `limit` says why and most later fields are empty."""

    name: str
    title: str
    text: str
    sentence: str
    limit: str | None
    planes: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    filter: tuple[str, ...] = ()
    detector: str = ""
    ir: str = ""
    lines: Lines | None = None


def explain(rule: m.Rule, rules: RuleSet) -> Explanation:
    """The explanation of a rule of this set, on or off, for the native engine."""
    used = [*rules.domains_used([rule]), *rules.predicates_used([rule])]
    text = "\n".join([*map(print_node, used), print_node(rule)])
    in_words = sentence(rule, rules)
    try:
        plan = plan_rule(rule, rules)
    except LoweringError as limit:
        return Explanation(
            rule.name, rule.title, text, in_words, str(limit), detector=detector(expand(rule, rules))
        )
    return Explanation(
        name=rule.name,
        title=rule.title,
        text=text,
        sentence=in_words,
        limit=None,
        planes=(*planes_of(plan), *(f"labels of {each.name}" for each in rules.domains_used([rule]))),
        events=tuple(_kept_events(plan)),
        watches=plan.functions,
        filter=tuple(_filter(plan)),
        detector=detector(plan.condition),
        ir=evaluator(plan),
        lines=lines_of(rule, rules),
    )


def planes_of(plan: RulePlan) -> Iterator[str]:
    """What is kept beside events: names of planes, and what an access or the whole heap is checked for."""
    if plan.needs_state_plane:
        yield "state plane"
    if plan.needs_provenance:
        yield "provenance"
    if plan.needs_pointer_search:
        yield "pointer search"


def evaluator(plan: RulePlan) -> str:
    """The IR of the rule's evaluator, as `whence.instrument.detectors.evaluators` generates it."""
    numbers = {name: i for i, name in enumerate(plan.functions)}
    return ConditionCode(plan, numbers, {}).function(f"whence.rule.{plan.rule.name}")


def _kept_events(plan: RulePlan) -> Iterator[str]:
    """What is kept of the events that the rule reads."""
    numbers = {name: i for i, name in enumerate(plan.functions)}
    histories: dict[History, int] = {}
    ConditionCode(plan, numbers, histories).function("")
    for event in _EVENTS:
        kept = [each for each in histories if each.event == event]
        if event in plan.events and (not kept or event not in KEPT):
            yield _EVENTS[event]
        for each in kept:
            word = "call" if event == "call" else "return"
            yield f"{event}: the last {word} of {each.function} {_told(each)}"


def _told(history: History) -> str:
    """Which events of a history are told apart."""
    words = ["result" if word == 0 else f"{ARGUMENTS[word - 1]} argument" for word in history.words]
    return f"for each {' and '.join(words)}, in all threads"


def _filter(plan: RulePlan) -> Iterator[str]:
    """The condition under which the detector is called, as lines of text."""
    point = plan.rule.point
    if point.info.is_deref:
        for access, filter_ in (("read", plan.reads), ("write", plan.writes)):
            if filter_:
                yield f"at each {access} of Width bytes at r, derived from Root: if {_test(filter_)}"
    elif point.name == "free":
        yield "at each free" + (
            "" if plan.every else ", unless r is the begin of a live block of By's family"
        )
    elif point.name == "ret" and point.function == "main":
        yield "at the end of the program, and when a leak check is asked for"
    else:
        yield point.info.rows[0].where


def _test(filter_: Filter) -> str:
    if filter_ is Filter.ALWAYS:
        return "true"
    return " or ".join(test for fact, test in _TESTS.items() if filter_ & fact)


def lines_of(rule: m.Rule, rules: RuleSet) -> Lines:
    """One row of the table; raises `LoweringError` if the engine refuses the rule."""
    alone = rules.select(enable=[rule.name], disable=["all"])
    evaluated = evaluator(plan_rule(rule, rules))
    return Lines(rule.name, _specification([rule], rules), _count(evaluated), _debugger(alone))


def table(rules: RuleSet) -> list[Lines]:
    """A row for each rule that the engine can evaluate, and `total`: all of them together."""
    rows = []
    for rule in rules.rules:
        try:
            rows.append(lines_of(rule, rules))
        except LoweringError:
            continue
    together = rules.select(enable=[row.name for row in rows], disable=["all"])
    total = Lines(
        "total",
        _specification(together.active, rules),
        sum(row.detector for row in rows),
        _debugger(together),
    )
    return [*rows, total]


def _specification(chosen: list[m.Rule] | tuple[m.Rule, ...], rules: RuleSet) -> int:
    """The lines that define the bug: with the title, without metadata (severity, CWE, advice)."""
    return sum(3 + bool(rule.trace) for rule in chosen) + len(rules.predicates_used(chosen))


def _debugger(rules: RuleSet) -> int:
    return _count(evaluators.generate(rules)) + _count(filters.generate(plan_of(rules)))


def _count(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())
