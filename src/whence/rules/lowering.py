"""What an engine must keep and check for a rule set: the engine-neutral part of code generation.

For each rule: its condition in core form, its detection points, the inline
filter of its accesses, the events and planes it reads. For the set: their
union, the `Plan`. An engine states what it sees as an `Observable`; a rule that
needs more is refused with a sentence that says what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from types import MappingProxyType

from whence.abi.points import BY_CODE
from whence.abi.points import NUMBERS as POINT_CODES
from whence.abi.rules import RULE_EVERY
from whence.errors import UserMistake
from whence.rules import binding
from whence.rules import model as m
from whence.rules.domains import Labels, followed
from whence.rules.expand import Condition, expand
from whence.rules.filters import Filter, filter_of, holds_at_clean_free
from whence.rules.histories import KEPT, is_kept, later_is_truer, used_in
from whence.rules.indexing import block_item, block_key
from whence.rules.observable import NATIVE, VARIABLES, Observable
from whence.rules.ruleset import RuleSet
from whence.rules.suspect import holds_at_suspect_only
from whence.rules.vocabulary import BLOCK_FUNCTIONS, DOMAINS, POINTER_DOMAINS


class LoweringError(UserMistake):
    """A rule needs something that the engine does not observe."""


@dataclass(frozen=True)
class RulePlan:
    """One rule, ready for code generation.

    `points`: names in `abi.points.NUMBERS`. `events` and `domains`: what the
    condition reads of the trace, H, F and P. `every`: the condition can hold
    where nothing is wrong (an access in bounds, a free of a live block's
    begin), so it must be evaluated there too.
    """

    condition: Condition
    points: tuple[str, ...]
    reads: Filter
    writes: Filter
    events: frozenset[str]
    functions: tuple[str, ...]
    domains: frozenset[str]
    uses_root: bool
    loads: bool
    every: bool

    @property
    def rule(self) -> m.Rule:
        return self.condition.rule

    @property
    def needs_state_plane(self) -> bool:
        """Whether the filter or a `Value` reads the state plane."""
        return self.loads or bool((self.reads | self.writes) & Filter.STATE)

    @property
    def needs_provenance(self) -> bool:
        """Whether an access must say which pointer its address was derived from."""
        return self.uses_root and bool(self.reads | self.writes)

    @property
    def needs_pointer_search(self) -> bool:
        """Whether the condition uses P or L."""
        return not self.domains.isdisjoint(POINTER_DOMAINS)


@dataclass(frozen=True)
class Plan:
    """What must be kept and checked for a rule set.

    `points`: names in `abi.points.NUMBERS` where some rule is evaluated.
    `functions`: watched, in the order of their numbers. `reads` and `writes`:
    the inline filters of loads and stores. `labels`: those that rules name, None if there are none.
    """

    rules: tuple[RulePlan, ...]
    points: frozenset[str]
    functions: tuple[str, ...]
    events: frozenset[str]
    reads: Filter
    writes: Filter
    needs_state_plane: bool
    needs_provenance: bool
    needs_pointer_search: bool
    labels: Labels | None = None


@lru_cache(maxsize=4)
def observed(rules: RuleSet, engine: Observable = NATIVE) -> tuple[Plan, Mapping[str, str]]:
    """The plan for the rules that are on and that the engine observes; of the others a sentence that says
    what they need more."""
    made, refused = [], {}
    for rule in rules.active:
        try:
            made.append(plan_rule(rule, rules, engine))
        except LoweringError as limit:
            refused[rule.name] = str(limit)
    plan = Plan(
        rules=tuple(made),
        points=frozenset(point for each in made for point in each.points),
        functions=tuple(dict.fromkeys(name for each in made for name in each.functions)),
        events=frozenset(event for each in made for event in each.events),
        reads=reduce(or_, (each.reads for each in made), Filter.NEVER),
        writes=reduce(or_, (each.writes for each in made), Filter.NEVER),
        needs_state_plane=any(each.needs_state_plane for each in made),
        needs_provenance=any(each.needs_provenance for each in made),
        needs_pointer_search=any(each.needs_pointer_search for each in made),
        labels=followed(rules.domains_used(tuple(each.rule for each in made))),
    )
    return plan, MappingProxyType(refused)


def plan_of(rules: RuleSet, engine: Observable = NATIVE) -> Plan:
    """The plan for the rules that are on; raises `LoweringError` if the engine cannot do one of them."""
    plan, refused = observed(rules, engine)
    for sentence in refused.values():
        raise LoweringError(sentence)
    return plan


def accesses_name(plan: Plan, constant: str) -> bool:
    """Does a rule that judges accesses name this constant of the language?"""
    rules = (each for each in plan.rules if each.rule.point.info.is_deref)
    return any(m.Constant(constant) in m.walk_terms(each.condition.formula) for each in rules)


def follows_values(plan: Plan) -> bool:
    """Does a rule need that undefined values are followed?"""
    return bool(following(plan))


def following(plan: Plan) -> tuple[str, ...]:
    """The rules that need that undefined values are followed."""
    return tuple(each.rule.name for each in plan.rules if any(BY_CODE[code].follows for code in each.points))


def arguments_named(plan: Plan) -> int:
    """How many arguments of calls the rules name at most: the last one that is no `_`."""
    found = [0]
    for each in plan.rules:
        point = each.rule.point
        if point.name in KEPT:
            found.append(_arguments(point.name, point.args[1:]))
        for node in m.walk_formula(each.condition.formula):
            if isinstance(node, m.Exists | m.FindLast) and is_kept(node.pattern):
                found.append(_arguments(node.pattern.event, node.pattern.fields[1:]))
    return max(found)


def _arguments(event: str, words: tuple[m.Argument, ...]) -> int:
    """The number of the last argument that a point or pattern names; a return begins with the result."""
    named = [at for at, each in enumerate(words) if not isinstance(each, m.Wildcard)]
    return max(named, default=-1) + (event == "call") if named else 0


def finds_freed(plan: Plan, kind: str) -> bool:
    """Does a rule that judges accesses and names this kind hold for a block in F?"""
    return any(
        m.Constant(kind) in m.walk_terms(each.condition.formula) and _holds_in_freed(each.condition.formula)
        for each in plan.rules
        if each.rule.point.info.is_deref
    )


def _holds_in_freed(formula: m.Formula) -> bool:
    """Whether the formula has a pattern over F that is not negated."""
    if isinstance(formula, m.Not):
        return False
    if isinstance(formula, m.Exists) and formula.domain == "F":
        return True
    return any(map(_holds_in_freed, m.formula_parts(formula)))


def plan_rule(rule: m.Rule, rules: RuleSet, engine: Observable = NATIVE) -> RulePlan:
    """The plan for one rule of the set, on or off."""
    condition = expand(rule, rules)
    support = _Support(condition, engine)
    support.check()
    info = rule.point.info
    filter_ = filter_of(condition) if info.is_deref else Filter.NEVER
    support.accesses(filter_)
    nodes = list(m.walk_formula(condition.formula))
    terms = [*m.walk_terms(condition.formula), *(part for t in condition.trace for part in m.walk_term(t))]
    return RulePlan(
        condition=condition,
        points=info.codes,
        reads=filter_ if "DEREF_R" in info.codes else Filter.NEVER,
        writes=filter_ if "DEREF_W" in info.codes else Filter.NEVER,
        events=frozenset(_events(nodes)) | _block_events(terms, nodes),
        functions=tuple(dict.fromkeys(_functions(rule, nodes))),
        domains=frozenset(node.domain for node in nodes if isinstance(node, m.Exists)),
        uses_root=any(_needs_root(term) for term in terms),
        loads=any(isinstance(term, m.Apply) and term.function == "Value" for term in terms),
        every=_needs_every(condition, filter_),
    )


def _needs_root(term: m.Argument) -> bool:
    """Whether the value depends on what r was derived from: Root itself, or what is said of Bid(r)."""
    match term:
        case m.Apply(function=name):
            return name in BLOCK_FUNCTIONS
        case m.Constant(name=name):
            return name == "Root"
        case _:
            return False


def point_mask(plan: RulePlan) -> int:
    """The `points` of `struct whence_rule`: bit `1 << code` for each point, and RULE_EVERY."""
    return sum(1 << POINT_CODES[code] for code in plan.points) | (RULE_EVERY if plan.every else 0)


def _needs_every(condition: Condition, filter_: Filter) -> bool:
    info = condition.rule.point.info
    if info.is_deref:
        return filter_ is Filter.ALWAYS
    return info.name == "free" and holds_at_clean_free(condition)


def _events(nodes: list[m.Formula]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, m.Exists | m.FindLast) and isinstance(node.pattern, m.EventPattern):
            yield node.pattern.event


def _block_events(terms: list[m.Argument], nodes: list[m.Formula]) -> frozenset[str]:
    """Terms over blocks read the records that malloc events make; H, F and P those of malloc and free."""
    over_domain = any(isinstance(node, m.Exists) and node.domain != "trace" for node in nodes)
    over_block = any(isinstance(term, m.Apply) and term.function in BLOCK_FUNCTIONS for term in terms)
    if over_domain:
        return frozenset({"malloc", "free"})
    return frozenset({"malloc"}) if over_block else frozenset()


def _functions(rule: m.Rule, nodes: list[m.Formula]) -> Iterator[str]:
    if rule.point.function is not None:
        yield rule.point.function
    for node in nodes:
        for argument in m.direct_arguments(node):
            if isinstance(argument, m.FunctionName):
                yield argument.name


class _Support:
    """Checks that an engine observes what a condition needs."""

    def __init__(self, condition: Condition, engine: Observable) -> None:
        self.condition = condition
        self.engine = engine
        self.used = used_in(condition)

    def check(self) -> None:
        """Raises `LoweringError` for the first thing that is not observed."""
        point = self.condition.rule.point
        self.point(point)
        self.terms()
        self.variables()
        suspects = point.info.suspects
        if suspects is not None and not holds_at_suspect_only(self.condition):
            self.refuse(suspects.every, f"of which {{engine}} shows only {suspects.shown}")
        bound = frozenset(variable.name for variable in point.variables)
        self.formula(self.condition.formula, bound)

    def refuse(self, need: str, reason: str) -> None:
        name, engine = self.condition.rule.name, self.engine.name
        raise LoweringError(f"rule '{name}' needs {need}, {reason.format(engine=f'engine {engine}')}")

    def point(self, point: m.DetectionPoint) -> None:
        """Where the rule is evaluated, and of which function."""
        engine, function = self.engine, point.function
        unknown = function is not None and engine.functions is not None and function not in engine.functions
        if unknown or not engine.points.issuperset(point.info.codes):
            place = point.name if function is None else f"{point.name} {function}"
            self.refuse(f"the detection point '{place}'", "which {engine} does not observe")
        if function is not None and not engine.values and point.variables:
            what = "argument" if point.name == "call" else "result"
            self.refuse(f"the {what} of {function}", "which {engine} does not observe")

    def terms(self) -> None:
        """Constants and functions of the condition and of what it traces."""
        traced = (term for each in self.condition.trace for term in m.walk_term(each))
        for term in (*m.walk_terms(self.condition.formula), *traced):
            match term:
                case m.Apply(function=name) | m.Constant(name=name) if name not in self.engine.terms:
                    self.refuse(name, "which {engine} does not observe")

    def variables(self) -> None:
        """Blocks of other kinds than the heap's, at an access."""
        if not self.condition.rule.point.info.is_deref:
            return
        for term in m.walk_terms(self.condition.formula):
            match term:
                case m.Constant(name=name) if name in VARIABLES.keys() - self.engine.variables:
                    self.refuse(VARIABLES[name], "which {engine} does not observe")

    def accesses(self, filter_: Filter) -> None:
        """Accesses at which nothing is wrong."""
        if filter_ is Filter.ALWAYS and not self.engine.every:
            self.refuse("every access", "of which {engine} observes only those at which something is wrong")

    def formula(self, formula: m.Formula, bound: binding.Names) -> None:
        if isinstance(formula, m.FindLast):
            self.find_last(formula)
        if isinstance(formula, m.Exists):
            if formula.domain not in self.engine.domains:
                self.refuse(DOMAINS[formula.domain], "which {engine} does not observe")
            if formula.domain in POINTER_DOMAINS:
                self.pointers(formula, bound)
            elif isinstance(formula.pattern, m.EventPattern):
                self.event(formula, bound)
            bound |= {item.name for item in formula.pattern.items if isinstance(item, m.Variable)}
        for part in m.formula_parts(formula):
            self.formula(part, bound)
            if isinstance(formula, m.And):
                bound |= binding.binds(part, {})

    def kept(self, pattern: m.EventPattern) -> None:
        if pattern.event not in self.engine.events:
            self.refuse(f"{pattern.event} events", "which {engine} does not keep")
        if pattern.event in ("call", "ret") and isinstance(pattern.fields[0], m.Wildcard):
            self.refuse(f"the {pattern.event} events of every function", "{engine} watches only named ones")

    def find_last(self, formula: m.FindLast) -> None:
        pattern = formula.pattern
        self.kept(pattern)
        if is_kept(pattern) and not (isinstance(pattern.time, m.Wildcard) or self.is_free(pattern.time)):
            self.refuse(
                f"the last {pattern.event} event with a given time",
                "{engine} keeps only the last one of each function, or with each value of some arguments",
            )

    def event(self, formula: m.Exists, bound: binding.Names) -> None:
        pattern = formula.pattern
        assert isinstance(pattern, m.EventPattern)
        self.kept(pattern)
        if is_kept(pattern) and not self.wants_latest(formula, bound):
            self.refuse(
                f"the times of every {pattern.event} event of a function",
                "{engine} keeps only the last one with each value of its arguments "
                "(ask for that with FindLast, or whether one is later than something)",
            )

    def wants_latest(self, formula: m.Exists, bound: binding.Names) -> bool:
        """Whether, of the events with the same arguments, the last one decides."""
        pattern = formula.pattern
        assert isinstance(pattern, m.EventPattern)
        time = pattern.time
        if self.is_unused(time, formula.body, bound):
            return True
        known = not isinstance(time, m.Variable) or time.name in bound or time.name in self.condition.free
        return not known and later_is_truer(formula.body, time.name)  # type: ignore[union-attr]

    def pointers(self, formula: m.Exists, bound: binding.Names) -> None:
        pattern = formula.pattern
        assert isinstance(pattern, m.PointerPattern)
        at_begin = formula.domain == "P" and pattern.index == m.Number(0)
        asked = (pattern.pointer,) if at_begin else (pattern.pointer, pattern.index)
        unused = all(self.is_unused(item, formula.body, bound) for item in asked)
        named = block_item(pattern) is not None and block_key(formula, bound) is not None
        if not unused or not named:
            self.refuse(
                f"the pointers of {formula.domain} themselves",
                "{engine} answers only whether some of them leads to a given block",
            )

    def is_free(self, item: m.Argument) -> bool:
        return isinstance(item, m.Variable) and item.name in self.condition.free

    def is_unused(self, item: m.Argument, body: m.Formula, bound: binding.Names) -> bool:
        """Whether nothing depends on what the item matches."""
        if isinstance(item, m.Wildcard):
            return True
        if not isinstance(item, m.Variable) or item.name in bound:
            return False
        return not self.used.is_used(item, body)
