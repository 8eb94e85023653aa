"""The proof obligations of a rule.

A rule that names error states has an obligation of *soundness* for each of them: it fires wherever the
error state is next (theorem A.8 of the ISMM 2013 paper). It also has one of *precision*, the converse, or
of *width* if it declares that it is wider: it fires elsewhere, too. A rule without error states has
obligations of *sense*: it fires in some state, not in every state, and depends on the past only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import z3

from whence.machine import parse_state, print_state
from whence.machine.error_rules import errors, fatal
from whence.machine.probes import probes
from whence.machine.world import redex_of as redex_of_state
from whence.machine.world import world_of
from whence.proofs.errors import ERRORS, read_facts
from whence.proofs.invariant import invariant
from whence.proofs.logic import BLOCK, Number, Truth, exists
from whence.proofs.moment import Moment, any_moment, redex_of, typed, view_of
from whence.proofs.obligations import Goal, Obligation, Shape, Unconfirmed
from whence.proofs.realize import (
    REDEXES,
    MomentDecoder,
    numbers_of_moment,
    realizable,
    written_by_events,
)
from whence.proofs.results import Counterexample
from whence.proofs.search import Found, Scope
from whence.proofs.symbols import View, function_code, symbol
from whence.proofs.translate import holds, holds_for
from whence.rules import model as m
from whence.rules.evaluate import witnesses
from whence.rules.expand import expand
from whence.rules.histories import names_more
from whence.rules.ruleset import RuleSet


def statements(rule: m.Rule, rules: RuleSet) -> Iterator[Obligation]:
    """All obligations of a rule, in the order in which they are reported."""
    judged = _Judged(rule, rules)
    if rule.errors:
        yield from judged.soundness()
        yield judged.width() if rule.wider else judged.precision()
    if not rule.errors and names_more(expand(rule, rules)):
        return  # the machine knows too little of calls to say when the rule fires
    if not rule.errors:
        yield judged.sometimes()
    if rule.wider or not rule.errors:
        yield judged.not_always()
    yield judged.past()


@cache
def _shared() -> tuple[Moment, tuple[Truth, ...]]:
    """A moment and its hypotheses, which all statements share."""
    moment = any_moment()
    return moment, (*typed(moment), *read_facts(moment), *invariant(moment.state))


@dataclass(frozen=True)
class _Judged:
    rule: m.Rule
    rules: RuleSet
    moment: Moment = field(default_factory=lambda: _shared()[0])
    hypotheses: tuple[Truth, ...] = field(default_factory=lambda: _shared()[1])

    # -- rule and error states --

    @property
    def per_block(self) -> bool:
        """Whether rule and error states are compared block by block."""
        of_block = any(ERRORS[name].of_block is not None for name in self.rule.errors)
        return of_block and expand(self.rule, self.rules).has_witness

    def fires(self, view: View | None = None) -> Truth:
        view = view_of(self.moment) if view is None else view
        redex = redex_of(self.moment, self.rule.point)
        if self.per_block:
            condition = holds_for(self.rule, self.rules, view, redex, _WITNESS)
        else:
            condition = holds(self.rule, self.rules, view, redex)
        return z3.And(self.here(), condition)

    def here(self) -> Truth:
        """The step is at the detection point of the rule."""
        function = self.rule.point.function
        at = self.moment.is_(*self.rule.point.info.codes)
        return at if function is None else z3.And(at, self.moment.function == function_code(function))

    def next(self, name: str) -> Truth:
        """The next state is this error state; if it has points of the rule, at one of them."""
        error = ERRORS[name]
        own = [code for code in error.codes if code in self.rule.point.info.codes]
        at = self.moment.is_(*(own or error.codes))
        if error.of_block is None:
            assert error.premise is not None
            return z3.And(at, error.premise(self.moment))
        of_block = error.of_block
        if self.per_block:
            return z3.And(at, of_block(self.moment, _WITNESS))
        return z3.And(at, exists(BLOCK, lambda b: of_block(self.moment, b)))

    @property
    def unmodelled(self) -> str:
        """The reason why a difference between rule and error states may be unreachable, or empty."""
        of_contents = any(ERRORS[name].of_contents for name in self.rule.errors)
        formula = expand(self.rule, self.rules).formula
        return _CONTENTS if of_contents and _depends_on_contents(formula) else ""

    # -- the statements --

    def soundness(self) -> Iterator[Obligation]:
        for name in self.rule.errors:
            yield self.implied(
                f"soundness: fires before {name}",
                self.next(name),
                self.fires(),
                lambda judged, name=name: self.more(judged.entered([name]), judged.fires),  # type: ignore[misc]
            )

    def precision(self) -> Obligation:
        names = " or ".join(self.rule.errors)
        return self.implied(
            f"precision: fires only before {names}",
            self.fires(),
            self.named(),
            lambda judged: self.more(judged.fires, judged.entered(self.rule.errors)),
        )

    def width(self) -> Obligation:
        return self.shown(
            "width: fires elsewhere, too, as it says",
            z3.And(self.fires(), z3.Not(self.named())),
            lambda judged: self.more(judged.fires, judged.entered(self.rule.errors)),
            "'wider' is not true: the rule fires nowhere else; leave the clause out",
        )

    def sometimes(self) -> Obligation:
        return self.shown(
            "sense: fires in some state",
            self.fires(),
            lambda judged: bool(judged.fires),
            "the rule can never fire: its condition holds in no state",
        )

    def not_always(self) -> Obligation:
        shown = self.shown(
            "sense: does not fire at every step",
            z3.And(self.here(), z3.Not(self.fires())),
            lambda judged: self.per_block or not judged.fires,
            "the rule fires at every step that it looks at: its condition says nothing",
        )
        return replace(shown, unmodelled="")

    def past(self) -> Obligation:
        """The rule has the same result in two states with the same past."""
        view = view_of(self.moment)
        goal = self.fires(view) == self.fires(_other_future(view, self.moment))
        alone = self.implied("sense: depends on the past alone", self.here(), goal, lambda _: True)
        return replace(alone, unmodelled="")

    def named(self) -> Truth:
        """The next state is one of the error states that the rule names."""
        return z3.Or(*(self.next(name) for name in self.rule.errors))

    def more(self, first: frozenset[int | None], second: frozenset[int | None]) -> bool:
        """Whether the first set has a block that the second lacks."""
        return bool(first - second) if self.per_block else bool(first) and not second

    def implied(
        self, name: str, hypothesis: Truth, goal: Truth, confirmed: Callable[[Judgement], bool]
    ) -> Obligation:
        hypotheses = (*self.hypotheses, hypothesis)
        shape, unmodelled = self.shape(confirmed), self.unmodelled
        return Obligation(f"{self.rule.name}/{name}", hypotheses, goal, shape, unmodelled=unmodelled)

    def shown(
        self, name: str, wanted: Truth, confirmed: Callable[[Judgement], bool], otherwise: str
    ) -> Obligation:
        """The obligation that the wanted formula holds in some state."""
        goal, shape = z3.Not(wanted), self.shape(confirmed)
        name = f"{self.rule.name}/{name}"
        return Obligation(name, self.hypotheses, goal, shape, Goal.SOME, otherwise, self.unmodelled)

    def shape(self, confirmed: Callable[[Judgement], bool]) -> Shape:
        return Shape(
            self.moment.state,
            self.realizable,
            lambda scope: numbers_of_moment(self.moment, scope),
            lambda found: self.show(found, confirmed),
        )

    def realizable(self, scope: Scope, formulas: Sequence[Truth]) -> Iterator[Truth]:
        yield from realizable(self.moment, scope, formulas)
        if self.unmodelled:
            yield from written_by_events(self.moment, scope)

    def show(self, found: Found, confirmed: Callable[[Judgement], bool]) -> Counterexample:
        """The text of the state, and the results of the machine and the reference interpreter.

        Raises `Unconfirmed` if these contradict the solver.
        """
        decoder = MomentDecoder(found, self.moment, bool(self.unmodelled))
        if decoder.code not in REDEXES:
            return Counterexample(print_state(decoder.moment_state()))
        text = print_state(
            parse_state(print_state(decoder.moment_state()))
        )  # the parser adds the pointers in e to P
        judgement = judge(text, self.rule, self.rules, decoder.code)
        if not confirmed(judgement):
            raise Unconfirmed(text)
        return Counterexample(text, judgement.next, bool(judgement.fires))


_WITNESS = symbol("witness")
_CONTENTS = (
    "which writes gave memory its contents is not modelled: rule and error state differ, but perhaps in "
    "states that no program reaches"
)


def _depends_on_contents(formula: m.Formula) -> bool:
    """Whether the formula depends on write events or on the contents of memory."""
    patterns = (getattr(node, "pattern", None) for node in m.walk_formula(formula))
    if any(isinstance(pattern, m.EventPattern) and pattern.event == "write" for pattern in patterns):
        return True
    return any(isinstance(term, m.Apply) and term.function == "Value" for term in m.walk_terms(formula))


@dataclass(frozen=True)
class Judgement:
    """The results of the machine and the reference interpreter on a state.

    `next`: the error rules whose premises hold, first the one whose error state the machine enters;
    `errors`: each of them with its block, at the detection point of the rule; `fires`: the witnesses of the
    rule there.
    """

    next: tuple[str, ...]
    errors: frozenset[tuple[str, int | None]]
    fires: frozenset[int | None]

    def entered(self, names: Iterable[str]) -> frozenset[int | None]:
        """The blocks of the error rules with these names."""
        return frozenset(block for name, block in self.errors if name in tuple(names))


def judge(text: str, rule: m.Rule, rules: RuleSet, code: str) -> Judgement:
    """The results on the state with this text, at one detection point."""
    state = parse_state(text)
    found = errors(state)
    stop = fatal(found)
    first = () if stop is None else (stop.rule.name,)
    names = dict.fromkeys((*first, *(error.rule.name for error in found)))
    world = world_of(state)
    fired = {
        witness.block
        for probe in probes(state)
        if probe.code == code
        for witness in witnesses(rule, rules, world, redex_of_state(state, probe))
    }
    blocks = {
        (error.rule.name, None if error.block is None else error.block.number)
        for error in found
        if error.probe.code == code
    }
    return Judgement(tuple(names), frozenset(blocks), frozenset(fired))


def _other_future(view: View, moment: Moment) -> View:
    """A view with the same past, and with other values for events and blocks that do not exist yet."""
    state = moment.state

    def past(i: Number) -> Truth:
        return z3.And(i >= 0, i < state.length)

    def known(b: Number) -> Truth:
        return state.known(b)

    return replace(
        view,
        kind=lambda i: z3.If(past(i), view.kind(i), symbol("other event kind", i)),
        time=lambda i: z3.If(past(i), view.time(i), symbol("other event time", i)),
        field=lambda i, n: z3.If(past(i), view.field(i, n), symbol(f"other event field {n}", i)),
        begin=lambda b: z3.If(known(b), view.begin(b), symbol("other begin", b)),
        size=lambda b: z3.If(known(b), view.size(b), symbol("other size", b)),
        born=lambda b: z3.If(known(b), view.born(b), symbol("other birth", b)),
        family=lambda b: z3.If(known(b), view.family(b), symbol("other family", b)),
        align=lambda b: z3.If(known(b), view.align(b), symbol("other alignment", b)),
    )
