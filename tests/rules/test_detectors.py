"""Generated evaluators agree with the reference interpreter."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from tests.rules.jit import Compiled, Fired
from tests.rules.strategies import DEFINITIONS, POINTS, redexes, rule_texts, worlds

from whence.rules import RuleError, RuleSet, load_standard, load_texts
from whence.rules.evaluate import Redex, Witness, World, witnesses
from whence.rules.lowering import LoweringError, plan_of
from whence.rules.printer import print_formula

SLOW = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
BASE = load_texts([("base.rules", DEFINITIONS.encode())], load_standard())


def load_random(text: str) -> RuleSet:
    """One rule, alone; a rule that is not right, or too much for the engine, is no example."""
    try:
        rules = load_texts([("random.rules", text.encode())], BASE).select(["random-rule"], ["all"])
        plan_of(rules)
    except (RuleError, LoweringError):
        assume(False)
    return rules


def agree(expected: list[Witness], count: int, fired: list[Fired], where: str) -> None:
    """Each witness block fires once, with values that belong to it; nothing else fires."""
    note(f"{where}: expected {expected}, fired {fired}")
    assert count == len(fired)
    blocks = [each.block for each in fired]
    assert sorted(blocks, key=str) == sorted({each.block for each in expected}, key=str)
    assert {Witness(each.block, each.values) for each in fired} <= set(expected)


@SLOW
@given(st.data(), rule_texts())
def test_random_rules(data: st.DataObject, text: str) -> None:
    note(text)
    rules = load_random(text)
    rule = rules.rule("random-rule")
    note(print_formula(plan_of(rules).rules[0].condition.formula))
    compiled = Compiled(rules)
    for _ in range(6):
        world = data.draw(worlds())
        if rule.point.name == "malloc" and not world.begins:
            continue
        redex = data.draw(redexes(str(rule.point), world))
        agree(witnesses(rule, rules, world, redex), *compiled.run(0, world, redex), text)


STANDARD = load_standard().select(["all"])
COMPILED = Compiled(STANDARD)


@SLOW
@given(st.data(), worlds())
def test_shipped_rules(data: st.DataObject, world: World) -> None:
    for i, rule in enumerate(STANDARD.active):
        redex = data.draw(redexes(str(rule.point), world))
        agree(witnesses(rule, STANDARD, world, redex), *COMPILED.run(i, world, redex), rule.name)


def test_the_table_is_in_order_and_named() -> None:
    names = [rule.name.decode() for rule in COMPILED.rules]
    assert names == [rule.name for rule in STANDARD.active]
    functions = [COMPILED.table.function_names[i].decode() for i in range(COMPILED.table.function_count)]
    assert tuple(functions) == plan_of(STANDARD).functions == ("main",)
    assert [rule.function for rule in COMPILED.rules][-2:] == [0, 0]
    assert COMPILED.rules[0].function == (1 << 64) - 1


def evaluate_number(expression: str) -> int:
    """The value of an arithmetic expression, as generated code computes it (mod 2**64)."""
    text = f'rule number "n" at call main v when true trace {expression}'
    rules = load_texts([("n.rules", text.encode())]).select(["number"])
    _, fired = Compiled(rules).run(0, World(), Redex("CALL", ("main", 7)))
    return fired[0].values[0]


def test_arithmetic_is_defined_everywhere() -> None:
    most = (1 << 64) - 1
    assert evaluate_number("v / 0") == 0
    assert evaluate_number("v % 0") == 0
    assert evaluate_number("v << 64") == 0
    assert evaluate_number("v << (0 - 1)") == 0
    assert evaluate_number("(0 - v) >> 64") == 0
    assert evaluate_number("(0 - v) >> 1") == most - 3
    assert evaluate_number("(0 - v) / 2") == most - 2
    assert evaluate_number("(0 - v) % 4") == most - 2
    assert evaluate_number("(0xffffffffffffffff * 0x7fffffffffffffff) / 0xffffffffffffffff") == most >> 1
    assert evaluate_number("(0xffffffffffffffff + v) >> 63") == 2


def test_point_names_in_the_strategies_are_all_detection_points() -> None:
    from whence.rules.vocabulary import POINTS as ALL

    assert {point.split()[0] for point in POINTS} | {"deref_r"} == set(ALL)
