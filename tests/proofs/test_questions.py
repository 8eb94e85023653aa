"""What explorations ask about rules: never less than a rule says, and no more where all is known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.rules.random_rules import BASE
from tests.rules.strategies import redexes, rule_texts, worlds

from whence.abi.points import BY_CODE, BY_NAME
from whence.abi.records import KINDS
from whence.abi.symbolic import ACCESSES, PARTS
from whence.exploring.evaluate import values
from whence.exploring.questions import Questions
from whence.exploring.terms import OP, Terms
from whence.proofs import questions
from whence.rules import RuleError, RuleSet, load_standard, load_texts
from whence.rules.evaluate import fires
from whence.rules.world import Redex, World

WORD = 1 << 64
ALL = load_standard().select(["all"])


def one(condition: str, point: str) -> RuleSet:
    text = f'rule mine "m" at {point} when {condition}'
    return load_texts([("f.rules", text.encode())], load_standard()).select(["mine"], ["all"])


def asked(rules: RuleSet, point: str, kind: str = "HEAP") -> Any:
    rule = rules.active[0]
    if point in ("deref_r", "deref_w"):
        return questions.of_access(rule, rules, kind)
    return questions.of_step(rule, rules, BY_NAME[point])


# ---- the shipped rules ----


@pytest.mark.parametrize("kind", KINDS)
def test_shipped_rules_about_accesses_hold_only_outside_of_blocks_or_in_what_is_closed(kind: str) -> None:
    found = {
        rule.name: question
        for rule in ALL.active
        if rule.point.info.is_deref and (question := questions.of_access(rule, ALL, kind)) is not False
    }
    assert found == {"use-after-poison": ["not", ["<=", "Closed", 0]]}


def test_shipped_rules_about_one_kind_of_step_hold_at_all_that_rules_see() -> None:
    alone = ["add", "subtract", "multiply", "shift", "index", "scan", "bool", "dimension", "convert_signed"]
    found = {rule.point.info.name: questions.of_step(rule, ALL, row) for rule, row in _steps()}
    assert {name: found[name] for name in alone} == dict.fromkeys(alone, True)


def test_shipped_rules_that_share_a_kind_of_step_are_told_apart() -> None:
    found = {rule.name: questions.of_step(rule, ALL, row) for rule, row in _steps()}
    assert found["division-by-zero"] == ["==", 0, "y"]
    assert found["division-overflow"] == ["and", ["==", "x", "low"], ["==", "y", -1]]
    assert found["nonnull-argument"] == ["==", 0, "returned"]
    assert found["null-pointer-offset"] == ["==", 0, "r"]


def _steps() -> list[tuple[Any, Any]]:
    return [
        (rule, row) for rule in ALL.active if not rule.point.info.is_deref for row in rule.point.info.rows
    ]


# ---- other rules ----


def at(offset: int) -> Any:
    """r is at an offset of its block."""
    return ["==", offset, ["+", "r", ["*", -1, "begin"]]]


@pytest.mark.parametrize(
    ("condition", "question"),
    [
        ("Idx(r) == 7", at(7)),
        ("Outside(r)", False),
        ("r >= Begin(r)", True),
        ("r + Width == End(r)", ["==", ["+", "r", "Width"], ["+", "begin", "size"]]),
        ("Allocated(r) and not Freed(r, _)", True),
        ("not Allocated(r)", False),
        ("Freed(r, _)", False),
        ("exists b in H : b == Bid(r) and Size(b) == 3", ["==", 3, "size"]),
        ("forall b in H : Size(b) == 3", ["==", 3, "size"]),
        ("exists b in F : b == Bid(r)", False),
        ("exists b in F : Size(b) == 3", True),
        ("Value(r, 1) == 9 and Idx(r) == 1", at(1)),
        ("exists (_, call, gets, _) in trace : Idx(r) == 1", at(1)),
        ("not (exists (_, call, gets, _) in trace : 1 == 1)", True),
        ("Kind(r) == Heap", True),
        ("Kind(r) == Stack", False),
        ("Root == NULL", False),
        ("Family(r) == New", True),
    ],
)
def test_what_is_asked_at_an_access_of_a_heap_block(condition: str, question: Any) -> None:
    assert asked(one(condition, "deref_w r"), "deref_w") == question


def test_what_is_asked_depends_on_the_kind_of_block() -> None:
    rules = one("Kind(Begin(r)) == Stack and Idx(r) == 2", "deref r")
    found = {kind: questions.of_access(rules.active[0], rules, kind) for kind in KINDS}
    assert found["STACK"] == at(2)
    assert {kind for kind, question in found.items() if question is False} == {"HEAP", "GLOBAL", "ELSEWHERE"}


# ---- conditions of questions ----


class Numbers:
    """Terms that mean numbers: constants, and bytes side by side, which are assigned."""

    def __init__(self) -> None:
        self.terms = Terms()
        self.assigned: dict[int, int] = {}

    def term(self, value: int, symbolic: bool) -> int:
        value %= WORD
        if not symbolic:
            return self.terms.constant(value, 64)
        made = 0
        for at in reversed(range(8)):
            byte = self.terms.variable("x", len(self.terms.variables))
            self.assigned[len(self.terms.variables) - 1] = value >> 8 * at & 0xFF
            width = 64 - 8 * at
            made = self.terms.node(OP["CONCAT"], width, (made, byte)) if made else byte
        return made

    def holds(self, condition: int) -> bool:
        return bool(values(self.terms, [condition], self.assigned)[condition])


def holds_at_step(question: Any, point: str, step: tuple[int, ...], symbolic: tuple[bool, ...]) -> bool:
    numbers = Numbers()
    row = BY_NAME[point]
    made = Questions(numbers.terms, lambda: {row.code: [question]})
    slots = tuple(numbers.term(value, varies) for value, varies in zip(step, symbolic, strict=True))
    (check,) = made.at_step(row.number, numbers.terms.constant(1, 1), slots)
    return numbers.holds(check.condition)


def holds_at_access(
    question: Any, code: str, address: int, size: int, block: tuple[int, int], closed: int
) -> bool:
    numbers = Numbers()
    made = Questions(numbers.terms, lambda: {f"{code} HEAP": [question]})
    how = ACCESSES["WRITE" if code == "DEREF_W" else "READ"]
    parts = [(PARTS["CLOSED"], address, closed)] if closed else []
    (check,) = made.at_access(how, KINDS["HEAP"], numbers.term(address, True), size, block, parts)
    return numbers.holds(check.condition)


def accepted(text: str) -> RuleSet:
    """The rules with one more; drops texts that are none."""
    try:
        return load_texts([("f.rules", text.encode())], BASE).select(["random-rule"], ["all"])
    except RuleError:
        reject()


def block_of(world: World, redex: Redex) -> tuple[int, int] | None:
    """Begin and size of the live block that an access does not leave, of a pointer into it."""
    bid, address = redex.block, redex.values[0]
    assert isinstance(address, int)
    if bid not in world.live:
        return None
    begin, size = world.begins[bid], world.sizes[bid]
    root = begin if redex.root is None else redex.root
    inside = begin <= address and address + redex.width <= begin + size and begin <= root <= begin + size
    return (begin, size) if inside and redex.closed <= redex.width else None


@given(st.data())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_question_asks_for_less_than_its_rule(data: st.DataObject) -> None:
    text = data.draw(rule_texts().filter(lambda text: " at deref" in text))
    rules = accepted(text)
    (rule,) = rules.active
    world = data.draw(worlds())
    assume(world.live)
    question = {row.code: questions.of_access(rule, rules, "HEAP") for row in rule.point.info.rows}
    for bid in sorted(world.live):
        begin, size = world.begins[bid], world.sizes[bid]
        for width in {1, min(size, 8)} if size else ():
            for address in {begin, begin + size // 2, begin + size - width}:
                for closed in (0, 1):
                    code = data.draw(st.sampled_from(sorted(question)))
                    redex = Redex(code, (address,), bid, width, 99, None, closed)
                    if block_of(world, redex) and fires(rule, rules, world, redex):
                        asked = question[code]
                        assert asked is not False, (text, redex)
                        assert holds_at_access(asked, code, address, width, (begin, size), closed)


STEPS = ["add", "multiply", "subtract_unsigned", "offset", "nonnull", "shift_signed", "convert_signed"]


@given(st.data(), st.sampled_from(STEPS))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_question_about_a_step_asks_for_less_than_its_rule(data: st.DataObject, point: str) -> None:
    text = data.draw(rule_texts().filter(lambda text: f" at {point} " in text))
    rules = accepted(text)
    (rule,) = rules.active
    world = data.draw(worlds())
    redex = data.draw(redexes(point, world))
    if fires(rule, rules, world, redex):
        question = questions.of_step(rule, rules, BY_CODE[redex.code])
        step = tuple(value for value in redex.values if isinstance(value, int))
        symbolic = tuple(data.draw(st.booleans()) for _ in step)
        assert question is not False, (text, redex)
        assert holds_at_step(question, point, step, symbolic), (text, redex)


WHOLE = [
    ("add", "x + y > high and x * 3 < y"),
    ("add", "x + y < low or x + y > high and y % 5 == 2"),
    ("multiply", "x * y > high and x - y == 3"),
    ("multiply_unsigned", "x * y > high and x / 16 > y and (x & 6) == 4"),
    ("subtract_unsigned", "x < y and y - x > 255"),
    ("offset", "r != NULL and r + i * size < 0"),
    ("convert_signed", "x != y and x >> 8 == 1"),
]
NEAR = st.one_of(
    st.integers(-9, 300), st.integers(0, WORD - 1), st.sampled_from([WORD >> 1, (WORD >> 1) - 1, WORD - 1])
)


@pytest.mark.parametrize(("point", "condition"), WHOLE)
@given(st.data())
@settings(max_examples=examples(30), deadline=None)
def test_where_all_is_known_a_question_is_the_rule(point: str, condition: str, data: st.DataObject) -> None:
    slots = BY_NAME[point].slots
    rules = one(condition, f"{point} {' '.join(slot.name for slot in slots)}")
    question = asked(rules, point)
    numbers = [data.draw(NEAR) % WORD for _ in slots]
    step = tuple(
        number - WORD if slot.signed and number >= WORD >> 1 else number
        for number, slot in zip(numbers, slots, strict=True)
    )
    redex = Redex(BY_NAME[point].code, step, now=99)
    symbolic = tuple(data.draw(st.booleans()) for _ in step)
    if holds_at_step(question, point, step, symbolic):
        shown = one(condition, f"{point} {' '.join(slot.name for slot in slots)}")
        suspects = BY_NAME[point].suspects
        assert suspects is not None
        assert fires(shown.active[0], shown, World(), redex) or _is_fine(suspects, slots, step)
    else:
        assert not fires(rules.active[0], rules, World(), redex)


def _is_fine(suspects: Any, slots: Any, step: tuple[int, ...]) -> bool:
    """Rules do not see the step, so the question says nothing of it."""
    named = dict(zip((slot.name for slot in slots), step, strict=True))
    named["1"] = 1
    if suspects.factors:
        named["*"] = named[suspects.factors[0]] * named[suspects.factors[1]]
    return any(
        all(named[name] == value for name, value in case.values.items())
        and all(sum(factor * named[name] for name, factor in each.items()) >= 0 for each in case.sums)
        for case in suspects.fine
    )
