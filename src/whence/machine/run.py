"""Running programs under rules: the reference that engines are compared with.

The reference interpreter evaluates every rule that is on at each detection
point, before the step is made. When a rule of severity `error` holds at a
point, the later points of the step are not evaluated, because a program that
is halted there does not reach them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from whence.machine.chains import Chain, Link, links
from whence.machine.error_rules import Error, errors, fatal
from whence.machine.initial import initial_state
from whence.machine.printer import print_redex
from whence.machine.probes import Probe, probe_after, probes
from whence.machine.reduce import reduce
from whence.machine.state import CallEvent, Event, FreeEvent, RetEvent, State, Trace, WriteEvent
from whence.machine.syntax import Literal, Program
from whence.machine.values import BlockId, Pointer
from whence.machine.world import Elements, block_of, redex_of, world_of
from whence.rules import model as m
from whence.rules.evaluate import Witness, witnesses
from whence.rules.printer import print_term
from whence.rules.problems import Place
from whence.rules.ruleset import RuleSet, load_standard

LIMIT = 100_000
"""The most steps of a run, by default."""


class Ending(Enum):
    """How a run ended: main returned, an error state, the limit of steps, or no rule applies (stuck)."""

    RETURNED = "returned"
    ERROR = "error"
    LIMIT = "limit"
    STUCK = "stuck"


@dataclass(frozen=True)
class Verdict:
    """A rule that holds before a step, or, at the detection point `malloc`, after it.

    `step` counts from 0; `block`: the block of the witness, else that of the
    step's pointer; `values`: the traced values, each with its chain; `redex`
    and `place`: text and place of the redex; `state`: the state that the rule
    was evaluated on.
    """

    step: int
    rule: m.Rule
    probe: Probe
    block: BlockId | None
    values: tuple[Chain, ...]
    redex: str
    place: Place
    state: State = field(compare=False, repr=False)


@dataclass(frozen=True)
class Step:
    """A step: the states before and after it, the reduction rule, and the errors and verdicts found.

    `rule` and `after` are None where the machine cannot go on.
    """

    number: int
    before: State
    rule: str | None
    after: State | None
    errors: tuple[Error, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class Outcome:
    """The result of a run: the number of `steps`, the last state, the verdicts, and the error state, if any.

    `errors`: each error rule whose premise held, with the number of its step,
    including the rules that go on.
    """

    ending: Ending
    steps: int
    state: State
    verdicts: tuple[Verdict, ...]
    errors: tuple[tuple[int, Error], ...]
    error: Error | None

    @property
    def trace(self) -> Trace:
        return self.state.trace

    @property
    def value(self) -> Literal | None:
        """The value that main returned, None if it did not."""
        final = self.state.focus
        return final if self.state.is_final and isinstance(final, Literal) else None


def run(
    start: Program | State,
    rules: RuleSet | None = None,
    limit: int = LIMIT,
    watch: Callable[[Step], None] | None = None,
) -> Outcome:
    """Runs a program, or continues from a state, for at most `limit` steps.

    `rules`: by default the standard ones; `watch` is called with each step.
    """
    verdicts: list[Verdict] = []
    found: list[tuple[int, Error]] = []
    last = start if isinstance(start, State) else initial_state(start)
    ending, made = Ending.LIMIT if not last.is_final else Ending.RETURNED, 0
    for step in steps(last, rules, limit):
        if watch is not None:
            watch(step)
        verdicts += step.verdicts
        found += [(step.number, error) for error in step.errors]
        if step.after is None:
            stop = fatal(step.errors)
            ending = Ending.STUCK if stop is None else Ending.ERROR
            return Outcome(ending, made, step.before, tuple(verdicts), tuple(found), stop)
        last, made = step.after, step.number + 1
        ending = Ending.RETURNED if last.is_final else Ending.LIMIT
    return Outcome(ending, made, last, tuple(verdicts), tuple(found), None)


def steps(start: Program | State, rules: RuleSet | None = None, limit: int = LIMIT) -> Iterator[Step]:
    """The steps of a run, lazily; the last one has no `after` if the machine cannot go on."""
    state = start if isinstance(start, State) else initial_state(start)
    judge = _Judge(load_standard() if rules is None else rules)
    for number in range(limit):
        if state.is_final:
            return
        step = _step(state, number, judge)
        yield step
        if step.after is None:
            return
        state = step.after


def _step(state: State, number: int, judge: _Judge) -> Step:
    verdicts = judge.before(state, number)
    found = _each_once(errors(state))
    reduced = None if fatal(found) else reduce(state)
    if reduced is None:
        return Step(number, state, None, None, found, verdicts)
    verdicts += judge.after(state, reduced.state, number)
    return Step(number, state, reduced.rule, reduced.state, found, verdicts)


def _each_once(found: tuple[Error, ...]) -> tuple[Error, ...]:
    """The errors without those that hold for a block at another point of the step, too."""
    return tuple({(error.rule.name, error.block): error for error in reversed(found)}.values())[::-1]


class _Judge:
    """Evaluates the rules that are on, over the states of one run."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.cache = Elements()
        self.at: dict[str, list[m.Rule]] = {}
        for rule in rules.active:
            for code in rule.point.info.codes:
                self.at.setdefault(code, []).append(rule)

    def before(self, state: State, number: int) -> tuple[Verdict, ...]:
        found: list[Verdict] = []
        for probe in probes(state):
            found += self.judge(state, probe, number)
            if any(verdict.rule.severity == "error" for verdict in found):
                break
        return tuple(found)

    def after(self, before: State, after: State, number: int) -> tuple[Verdict, ...]:
        probe = probe_after(before, after)
        return () if probe is None else tuple(self.judge(after, probe, number, before))

    def judge(self, state: State, probe: Probe, number: int, before: State | None = None) -> list[Verdict]:
        """The verdicts at one probe; only the first rule that holds for a block reports it.

        `before`: the state before the step, whose redex is reported, where `state` is the one after it.
        """
        reduced = before or state
        rules = self.at.get(probe.code)
        if not rules:
            return []
        world, redex = world_of(state, self.cache), redex_of(state, probe)
        verdicts = []
        taken: set[int] = set()
        for rule in rules:
            for witness in _one_each(witnesses(rule, self.rules, world, redex), taken):
                block = redex.block if witness.block is None else witness.block
                bid = None if block is None else block_of(block)
                chains = _chains(state, rule, probe, witness)
                place = reduced.focus.place
                verdicts.append(Verdict(number, rule, probe, bid, chains, print_redex(reduced), place, state))
        return verdicts


def _one_each(found: list[Witness], taken: set[int]) -> Iterator[Witness]:
    """The first witness for each block that is not in `taken`, up to the first witness without a block."""
    for witness in found:
        if witness.block is None:
            yield witness
            return
        if witness.block not in taken:
            taken.add(witness.block)
            yield witness


def _chains(state: State, rule: m.Rule, probe: Probe, witness: Witness) -> tuple[Chain, ...]:
    found = []
    for term, number, source in zip(rule.trace, witness.values, witness.sources, strict=True):
        literal = _operand(rule, probe, term)
        if literal is None and source is not None:
            literal = _in_event(state, *source)
        name = print_term(term)
        if literal is not None:
            found.append(Chain(name, number, literal.value, links(state, literal)))
        else:
            found.append(_computed(state, name, number))
    return tuple(found)


def _operand(rule: m.Rule, probe: Probe, term: m.Term) -> Literal | None:
    """The operand of the step that a name of the detection point stands for; None for other terms."""
    fields = probe.row.operands or ("value",)  # what a step depends on is the first slot
    args = (arg for arg, field_ in zip(rule.point.args, fields, strict=False) if field_)
    for arg, operand in zip(args, probe.operands, strict=True):
        if isinstance(arg, m.Variable) and isinstance(term, m.Variable) and arg.name == term.name:
            return operand
    return None


def _in_event(state: State, time: int, slot: int) -> Literal | None:
    """The value in a field of the event at this time; fields count from 1, as in patterns."""
    event = next((each for each in state.trace if each.time == time), None)
    return None if event is None else _field(event, slot)


def _field(event: Event, slot: int) -> Literal | None:
    match event:
        case FreeEvent(pointer=pointer):
            return pointer if slot == 1 else None
        case CallEvent(value=value) | RetEvent(value=value):
            return value if slot == 2 else None
        case WriteEvent(pointer=pointer, value=value):
            return {1: pointer, 2: value}.get(slot)
    return None


def _computed(state: State, name: str, number: int) -> Chain:
    """The chain of a number that the rule computes; the begin of a block comes from its allocation."""
    bid = state.owner(number)
    block = None if bid is None else state.block(bid)
    if bid is None or block is None or block.begin != number:
        return Chain(name, number, None, ())
    pointer = Pointer(bid)
    return Chain(name, number, pointer, (Link("malloc", block.time, pointer),))


__all__ = ["LIMIT", "Ending", "Outcome", "Step", "Verdict", "run", "steps"]
