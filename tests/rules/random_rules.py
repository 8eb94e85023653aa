"""Rule sets of random rules, for property tests."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, settings
from tests.harness.examples import examples
from tests.rules.strategies import DEFINITIONS

from whence.rules import RuleError, RuleSet, load_standard, load_texts
from whence.rules.lowering import LoweringError, plan_of

SLOW = settings(
    max_examples=examples(150),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
BASE = load_texts([("base.rules", DEFINITIONS.encode())], load_standard())


def load_random(*texts: str) -> RuleSet:
    """Random rules alone; those that are not right, or too much for the engine, are left out."""
    loaded = BASE
    for i, text in enumerate(texts):
        try:
            more = load_texts([(f"{i}.rules", text.encode())], loaded)
            plan_of(more.select([more.rules[-1].name], ["all"]))
        except (RuleError, LoweringError):
            continue
        loaded = more
    names = [rule.name for rule in loaded.rules[len(BASE.rules) :]]
    assume(names)
    return loaded.select(names, ["all"])
