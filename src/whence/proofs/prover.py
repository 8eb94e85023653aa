"""Proofs of the lemmas and of the rules of a rule set, with cached results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from whence.errors import ToolLimit
from whence.errors.hints import did_you_mean
from whence.machine.error_rules import BY_NAME
from whence.proofs import keeping
from whence.proofs.missing import without_z3
from whence.proofs.results import LEMMAS, Outcome, Proof, Verdict
from whence.rules import model as m
from whence.rules.problems import Problem, RuleError
from whence.rules.ruleset import RuleSet
from whence.toolchain.cache import Cache

try:
    import z3

    from whence.proofs.lemmas import lemmas
    from whence.proofs.obligations import Obligation, settle
    from whence.proofs.statements import statements
except ImportError as missing:
    raise ToolLimit(without_z3(missing)) from missing

TIMEOUT = 30.0
"""The default timeout of one statement, in seconds."""


@dataclass(frozen=True)
class Work:
    """A subject to prove: its statements, their number, and the cache key of its result."""

    subject: str
    key: str
    obligations: tuple[Obligation, ...]
    errors: tuple[str, ...] = ()
    wider: str = ""


Progress = Callable[[str], None]
"""A function that gets each statement when it is settled."""


def check_names(chosen: Iterable[m.Rule]) -> None:
    """Raises `RuleError` if a rule names an error state that the machine does not have."""
    problems = [
        Problem(rule.place, f"rule '{rule.name}': unknown error state '{name}'{_hint(name)}")
        for rule in chosen
        for name in rule.errors
        if name not in BY_NAME
    ]
    if problems:
        raise RuleError(problems)


def _hint(name: str) -> str:
    return did_you_mean(name, BY_NAME) or " (`whence machine errors` lists them)"


def works(chosen: Iterable[m.Rule], rules: RuleSet, cache: Cache | None) -> Iterator[Proof | Work]:
    """The lemmas, then each rule: the cached proof, or the work to do."""
    yield _known(cache, keeping.key_of_lemmas()) or Work(LEMMAS, keeping.key_of_lemmas(), tuple(lemmas()))
    for rule in chosen:
        key = keeping.key_of_rule(rule, rules)
        known = _known(cache, key)
        yield known or Work(rule.name, key, tuple(statements(rule, rules)), rule.errors, rule.wider)


def _known(cache: Cache | None, key: str) -> Proof | None:
    return None if cache is None else keeping.kept(cache, key)


def perform(work: Work, timeout: float, cache: Cache | None, progress: Progress) -> Proof:
    """Settles all statements of one subject, `timeout` seconds each; adds the result to the cache."""
    outcomes = []
    for obligation in work.obligations:
        outcomes.append(_settled(obligation, timeout))
        progress(obligation.name)
    proof = Proof(work.subject, tuple(outcomes), work.errors, work.wider)
    if cache is not None:
        keeping.keep(cache, work.key, proof)
    return proof


def _settled(obligation: Obligation, timeout: float) -> Outcome:
    try:
        return settle(obligation, timeout)
    except z3.Z3Exception as error:
        reason = error.value.decode() if isinstance(error.value, bytes) else str(error.value)
        return Outcome(obligation.name, Verdict.UNKNOWN, f"the solver failed: {reason}")


def prove(
    chosen: Iterable[m.Rule],
    rules: RuleSet,
    timeout: float = TIMEOUT,
    cache: Cache | None = None,
    progress: Progress = lambda _: None,
) -> list[Proof]:
    """Proves the lemmas and some rules of a rule set.

    Raises `RuleError` for unknown error states, `ToolLimit` without a solver.
    """
    chosen = tuple(chosen)
    check_names(chosen)
    return [
        each if isinstance(each, Proof) else perform(each, timeout, cache, progress)
        for each in works(chosen, rules, cache)
    ]
