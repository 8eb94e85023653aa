"""Rule sets: loading, selecting, and the digest that caches are keyed by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from whence.abi import fixed
from whence.abi.points import LABELLED
from whence.errors import UserMistake
from whence.errors.hints import did_you_mean
from whence.rules import model as m
from whence.rules.groups import GROUPS, wanted
from whence.rules.printer import print_domain, print_predicate, print_rule
from whence.rules.problems import Place, Problems
from whence.rules.vocabulary import LABEL_FUNCTIONS, LANGUAGE_VERSION, MAX_BYTES

STANDARD_FILES = (
    "heap.rules",
    "variables.rules",
    "arithmetic.rules",
    "promises.rules",
    "types.rules",
    "values.rules",
    "uninitialized-read.rules",
    "library.rules",
    "descriptors.rules",
    "threads.rules",
    "races.rules",
    "signals.rules",
    "leak.rules",
)
"""In order of evaluation."""

SETS = ("secret", "taint")
"""Rules that whence ships and that are given by their names, in place of a file's: those of domains of
labels."""

ALL = "all"
"""In `select`, stands for every rule."""


@dataclass(frozen=True)
class RuleSet:
    """Predicates and rules in file order, and which rules are on.

    fixed: findings of the runtime (`whence.abi.fixed`) that are on.
    domains: labels that rules may name.
    given: names that the user gave: those of rules in own files, and those that were enabled one by one.
    """

    predicates: tuple[m.Predicate, ...] = ()
    rules: tuple[m.Rule, ...] = ()
    enabled: frozenset[str] = field(default=frozenset())
    fixed: frozenset[str] = fixed.DEFAULTS
    given: frozenset[str] = frozenset()
    domains: tuple[m.Domain, ...] = ()

    @property
    def active(self) -> tuple[m.Rule, ...]:
        """The rules that are on, in order of evaluation."""
        return tuple(rule for rule in self.rules if rule.name in self.enabled)

    @cached_property
    def by_name(self) -> Mapping[str, m.Predicate]:
        """The predicates."""
        return {predicate.name: predicate for predicate in self.predicates}

    def rule(self, name: str) -> m.Rule:
        """The rule of that name; raises `UserMistake` if there is none."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        if name in fixed.NUMBERS:
            raise UserMistake(f"'{name}' is a finding of the runtime itself: no rule in a file says it")
        raise self._unknown(name)

    @property
    def names(self) -> list[str]:
        """What can be switched: the rules, and the findings of the runtime."""
        return [*(rule.name for rule in self.rules), *fixed.NUMBERS]

    def _unknown(self, name: str) -> UserMistake:
        names = [*self.names, *GROUPS]
        hint = did_you_mean(name, names) or f" (known rules and groups: {', '.join(names)})"
        return UserMistake(f"unknown rule '{name}'{hint}")

    def announcing(self, error: str) -> tuple[str, ...]:
        """The names of the rules that announce this error state, in order of evaluation."""
        return tuple(rule.name for rule in self.rules if error in rule.errors)

    def select(self, enable: Iterable[str] = (), disable: Iterable[str] = ()) -> RuleSet:
        """The same rules with some of them, or of the runtime's findings, switched on or off.

        `all` stands for every rule, a name of `whence.rules.groups` for several. A rule's name wins over
        groups, a group over `all`, so `disable=["all"], enable=["double-free"]` leaves one rule. Raises
        `UserMistake` for an unknown name and for one that is given as both.
        """
        on, off = set(enable), set(disable)
        groups = GROUPS.keys() - {*self.names}
        for name in sorted((on | off) - {ALL} - {*self.names} - groups):
            raise self._unknown(name)
        both = sorted(on & off)
        if both:
            raise UserMistake(f"rule '{both[0]}' is both enabled and disabled")
        before = self.enabled | self.fixed
        chosen = {*self.names} if ALL in on else set() if ALL in off else before
        several = wanted(on & groups, off & groups)
        on, off = on - groups - {ALL}, off - groups - {ALL}
        chosen = {name for name in {*chosen, *several} if several.get(name, True)}
        chosen = (chosen | on) - off
        runtime = frozenset(chosen & fixed.NUMBERS.keys())
        given = self.given | on
        return replace(self, enabled=frozenset(chosen - runtime), fixed=runtime, given=given)

    def key(self) -> str:
        """A digest of all that generated code depends on: 64 hex digits.

        Layout, comments, titles, advice, error states and rules that are off do not change it.
        """
        used = self.predicates_used(self.active)
        parts = [f"whence rules {LANGUAGE_VERSION}", *map(print_predicate, used), *map(_bare, self.active)]
        parts += [f"{print_domain(each)} {each.bits}" for each in self.domains_used(self.active)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def domains_used(self, rules: Iterable[m.Rule]) -> tuple[m.Domain, ...]:
        """The domains whose labels some rules name, in the order of the files; all where one asks for labels
        without a name."""
        chosen = list(rules)
        formulas = [*(each.condition for each in chosen)]
        formulas += [each.body for each in self.predicates_used(chosen)]
        terms = [term for formula in formulas for term in m.walk_terms(formula)]
        terms += [part for each in chosen for term in each.trace for part in m.walk_term(term)]
        named = {term.label for term in terms if isinstance(term, m.Number) and term.label}
        asked = any(isinstance(term, m.Apply) and term.function in LABEL_FUNCTIONS for term in terms)
        asked |= any(not LABELLED.isdisjoint(each.point.info.codes) for each in chosen)
        if asked and not named:
            return self.domains
        return tuple(each for each in self.domains if any(label.name in named for label in each.labels))

    def predicates_used(self, rules: Iterable[m.Rule]) -> list[m.Predicate]:
        """The predicates that some rules need, in order of name."""
        used: set[str] = set()
        waiting = [rule.condition for rule in rules]
        while waiting:
            for node in m.walk_formula(waiting.pop()):
                if isinstance(node, m.Call) and node.predicate not in used:
                    used.add(node.predicate)
                    waiting.append(self.by_name[node.predicate].body)
        return [self.by_name[name] for name in sorted(used)]


_printed: dict[int, tuple[m.Rule, str]] = {}
"""By the identity of the rule: a run asks for the keys of several sets of the same rules."""


def _bare(rule: m.Rule) -> str:
    """A rule without what generated code does not depend on."""
    known = _printed.get(id(rule))
    if known is None:
        silent = replace(rule, title="t", advice="", errors=(), wider="", cwe=(), severity="error")
        known = _printed[id(rule)] = rule, print_rule(silent)
    return known[1]


def load_texts(texts: Iterable[tuple[str, bytes]], base: RuleSet | None = None) -> RuleSet:
    """Rules from (path, bytes) pairs, added to a base set.

    Raises `RuleError` with every mistake that was found.
    """
    from whence.rules.checker import check
    from whence.rules.parser import decode, parse_text

    base = base or RuleSet()
    problems = Problems()
    files = []
    for path, data in texts:
        text = decode(data, path, problems)
        if text is not None:
            files.append(parse_text(text, path, problems))
    checked = check(files, base.predicates, base.rules, problems, base.domains)
    problems.raise_if_any()
    return RuleSet(
        base.predicates + checked.predicates,
        base.rules + checked.rules,
        base.enabled | {rule.name for rule in checked.rules if rule.default_on},
        base.fixed,
        base.given | {rule.name for rule in checked.rules},
        base.domains + checked.domains,
    )


@cache
def load_standard() -> RuleSet:
    """The rules that whence ships, with their defaults."""
    return replace(load_texts(read_standard()), given=frozenset())


def read_standard() -> list[tuple[str, bytes]]:
    """The files of the rules that whence ships, as (path, bytes)."""
    folder = Path(__file__).parent / "standard"
    return [(name, (folder / name).read_bytes()) for name in STANDARD_FILES]


def load_files(paths: Iterable[str | Path], base: RuleSet | None = None) -> RuleSet:
    """Rules from files, added to a base set (the standard rules if none is given).

    Raises `RuleError` for mistakes in the files, `UserMistake` for a file that
    cannot be read.
    """
    texts = [(str(path), read_file(path)) for path in paths]
    return load_texts(texts, load_standard() if base is None else base)


def load_file_only(path: str | Path) -> m.RuleFile:
    """The declarations of one file, checked on top of the standard rules."""
    standard = load_standard()
    whole = load_files([path], standard)
    return m.RuleFile(
        str(path),
        whole.predicates[len(standard.predicates) :],
        whole.rules[len(standard.rules) :],
        whole.domains[len(standard.domains) :],
    )


def read_file(path: str | Path) -> bytes:
    """The bytes of a file, or of one of the `SETS`, one more than allowed at most; raises `UserMistake`."""
    shipped = str(path) in SETS
    try:
        with open(Path(__file__).parent / "sets" / f"{path}.rules" if shipped else path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserMistake(f"cannot read the rule file '{path}': {reason}") from None
    except ValueError as error:
        raise UserMistake(f"cannot read the rule file '{path}': {error}") from None
    return data


__all__ = ["ALL", "Place", "RuleSet", "load_file_only", "load_files", "load_standard", "load_texts"]
