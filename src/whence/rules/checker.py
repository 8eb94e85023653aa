"""Names, types, arity and bindings: the untyped model to the typed one.

Every mistake gets the place of the word that is wrong. Predicates are checked
in order of dependence, whatever their order in the files, so that a rule can
use what its predicates bind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from whence.abi import fixed
from whence.abi.points import LABELLED
from whence.errors.hints import did_you_mean
from whence.rules import binding
from whence.rules import model as m
from whence.rules.domains import bits_of, with_bits
from whence.rules.problems import Place, Problems
from whence.rules.resolver import Resolver
from whence.rules.vocabulary import CONSTANTS, Type

MAX_EXPANDED = 20_000
"""Nodes in a condition after all predicates in it are expanded."""
MAX_EXPANDED_DEPTH = 100

_D = TypeVar("_D", m.Predicate, m.Rule)


@dataclass(frozen=True)
class Checked:
    """Declarations that are right, in file order."""

    predicates: tuple[m.Predicate, ...]
    rules: tuple[m.Rule, ...]
    domains: tuple[m.Domain, ...] = ()


def check(
    files: Iterable[m.RuleFile],
    base_predicates: Iterable[m.Predicate],
    base_rules: Iterable[m.Rule],
    problems: Problems,
    base_domains: Iterable[m.Domain] = (),
) -> Checked:
    """Checks files that may use what the base defines; mistakes go to `problems`.

    What is returned means something only if no problem was added.
    """
    files = list(files)
    known = {predicate.name: predicate for predicate in base_predicates}
    domains = with_bits([each for file in files for each in file.domains], tuple(base_domains), problems)
    checker = _Checker(known, problems, bits_of((*base_domains, *domains)))
    raw_predicates = checker.without_duplicates([p for f in files for p in f.predicates], known, "predicate")
    known_rules = {rule.name: rule for rule in base_rules}
    raw_rules = [rule for file in files for rule in file.rules]
    checker.without_duplicates(raw_rules, known_rules, "rule")
    checker.raw = {predicate.name: predicate for predicate in raw_predicates}
    predicates = [checker.checked(predicate) for predicate in raw_predicates]
    rules = [checker.rule(rule) for rule in raw_rules]
    for rule in raw_rules:
        if rule.name in fixed.NUMBERS:
            problems.add(rule.place, f"rule '{rule.name}' has the name of a finding of the runtime itself")
    return Checked(tuple(predicates), tuple(rules), domains)


class _Checker:
    def __init__(
        self, known: Mapping[str, m.Predicate], problems: Problems, labels: Mapping[str, int]
    ) -> None:
        self.known = dict(known)
        self.labels = labels
        self.raw: dict[str, m.Predicate] = {}
        self.open: list[str] = []
        self.problems = problems
        self.sizes: dict[str, tuple[int, int]] = {}

    def without_duplicates(self, items: list[_D], known: Mapping[str, _D], kind: str) -> list[_D]:
        seen: dict[str, _D] = dict(known)
        kept = []
        for item in items:
            first = seen.get(item.name)
            if first is not None:
                self.problems.add(item.place, f"{kind} '{item.name}' is already defined at {first.place}")
                continue
            seen[item.name] = item
            kept.append(item)
        return kept

    # -- predicates --

    def checked(self, predicate: m.Predicate) -> m.Predicate:
        """The predicate, typed; those it uses are checked before."""
        done = self.known.get(predicate.name)
        if done is not None:
            return done
        self.open.append(predicate.name)
        for call in _calls(predicate.body):
            self.require(call)
        self.open.pop()
        result = self.predicate(predicate)
        self.known[predicate.name] = result
        return result

    def require(self, call: m.Call) -> None:
        """Sees to it that a predicate is known before it is used."""
        name = call.predicate
        if len(self.open) > MAX_EXPANDED_DEPTH:
            self.problems.add(call.place, f"predicates are nested more than {MAX_EXPANDED_DEPTH} levels deep")
        elif name in self.open:
            path = " -> ".join([*self.open[self.open.index(name) :], name])
            self.problems.add(call.place, f"predicate '{name}' is defined by itself: {path}")
        elif name not in self.known and name in self.raw:
            self.checked(self.raw[name])
        elif name not in self.known:
            names = sorted({*self.known, *self.raw})
            hint = did_you_mean(name, names) or f" (defined are: {', '.join(names) or 'none'})"
            self.problems.add(call.place, f"unknown predicate '{name}'{hint}")

    def predicate(self, predicate: m.Predicate) -> m.Predicate:
        before = len(self.problems.found)
        names = {parameter.name: Type.ANY for parameter in predicate.parameters}
        resolver = Resolver(self.known, names, frozenset(names), self.problems, self.labels)
        body = resolver.resolve(predicate.body)
        for parameter in predicate.parameters:
            if parameter.name not in resolver.used:
                message = f"parameter '{parameter.name}' of '{predicate.name}' is not used"
                self.problems.add(parameter.place, message)
        parameters = tuple(replace(p, type=resolver.type_of(p.name)) for p in predicate.parameters)
        sound = len(self.problems.found) == before
        outputs = self.outputs(body, frozenset(names), resolver.free) if sound else frozenset(names)
        self.check_size(predicate.name, body, predicate.place)
        local = tuple(resolver.local.values())
        return replace(predicate, parameters=parameters, body=body, binds=outputs, local=local)

    def outputs(self, body: m.Formula, parameters: binding.Names, free: binding.Names) -> binding.Names:
        """The parameters that the body binds when the caller has no value for them."""
        outputs = binding.binds(body, self.known) & parameters
        every = parameters | free
        while True:
            missing = binding.needs(body, parameters - outputs, every, self.known)
            if not missing:
                return outputs
            inputs = outputs & {variable.name for variable in missing}
            if not inputs:
                self.unbound(missing)
                return outputs
            outputs -= inputs

    # -- rules --

    def rule(self, rule: m.Rule) -> m.Rule:
        before = len(self.problems.found)
        for call in _calls(rule.condition):
            self.require(call)
        names = {variable.name: variable.type for variable in rule.point.variables}
        if not (self.labels or LABELLED.isdisjoint(rule.point.info.codes)):
            self.problems.add(rule.place, f"rule '{rule.name}' is about labels, and no domain declares one")
        resolver = Resolver(self.known, names, frozenset(), self.problems, self.labels)
        condition = resolver.resolve(rule.condition)
        trace = tuple(resolver.resolve_term(term, Type.VALUE) for term in rule.trace)
        self.check_local(rule, resolver)
        self.check_size(None, condition, rule.place)
        if len(self.problems.found) == before:
            self.check_bindings(condition, trace, frozenset(names), resolver.free)
        return replace(rule, condition=condition, trace=trace)

    def check_bindings(
        self, condition: m.Formula, trace: tuple[m.Term, ...], bound: binding.Names, free: binding.Names
    ) -> None:
        missing = binding.needs(condition, bound, free, self.known)
        after = bound | binding.binds(condition, self.known)
        for term in trace:
            missing += [v for v in m.variables_of(term) if v.name in free - after]
        self.unbound(missing)

    def check_local(self, rule: m.Rule, resolver: Resolver) -> None:
        for constant in resolver.local.values():
            points = CONSTANTS[constant.name].points
            if rule.point.name not in points:
                where = " and ".join([", ".join(points[:-1]), points[-1]]) if points[1:] else points[0]
                message = f"'{constant.name}' has no meaning at '{rule.point.name}' (only at {where})"
                self.problems.add(constant.place, message)

    def unbound(self, variables: Iterable[m.Variable]) -> None:
        first = {variable.name: variable for variable in reversed(list(variables))}
        for variable in first.values():
            self.problems.add(
                variable.place,
                f"'{variable.name}' is not bound here: no pattern or predicate that must hold gives it a "
                "value (use '_' for 'any', or bind it outside 'not' and in every alternative of 'or')",
            )

    def check_size(self, name: str | None, formula: m.Formula, place: Place) -> None:
        """Refuses a condition that grows out of all bounds when its predicates are expanded."""
        nodes, depth = self.expanded_size(formula)
        if nodes > MAX_EXPANDED or depth > MAX_EXPANDED_DEPTH:
            self.problems.add(
                place,
                f"too large when its predicates are expanded: {nodes} parts, {depth} levels "
                f"(at most {MAX_EXPANDED} and {MAX_EXPANDED_DEPTH})",
            )
            nodes, depth = 1, 1
        if name is not None:
            self.sizes[name] = (nodes, depth)

    def expanded_size(self, formula: m.Formula) -> tuple[int, int]:
        """(nodes, depth) of the formula with predicates expanded: upper bounds."""
        sizes = [_term_size(argument) for argument in m.direct_arguments(formula)]
        term_depth = max((depth for _, depth in sizes), default=0)
        if isinstance(formula, m.Call):
            body_nodes, body_depth = self.predicate_size(formula.predicate)
            largest = max((nodes for nodes, _ in sizes), default=1)
            return 1 + largest * body_nodes, 1 + body_depth + term_depth
        parts = [self.expanded_size(part) for part in m.formula_parts(formula)]
        nodes = 1 + sum(size for size, _ in sizes) + sum(size for size, _ in parts)
        return nodes, 1 + max([term_depth, *(depth for _, depth in parts)])

    def predicate_size(self, name: str) -> tuple[int, int]:
        if name not in self.sizes and name in self.known:
            self.sizes[name] = self.expanded_size(self.known[name].body)
        return self.sizes.get(name, (1, 1))


def _term_size(term: m.Argument) -> tuple[int, int]:
    sizes = [_term_size(part) for part in m.term_parts(term)]
    return 1 + sum(nodes for nodes, _ in sizes), 1 + max((depth for _, depth in sizes), default=0)


def _calls(formula: m.Formula) -> list[m.Call]:
    return [node for node in m.walk_formula(formula) if isinstance(node, m.Call)]
