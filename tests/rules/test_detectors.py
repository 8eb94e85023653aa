"""Generated evaluators agree with the reference interpreter."""

from __future__ import annotations

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.rules.jit import Compiled, Fired
from tests.rules.random_rules import BASE, SLOW, load_random
from tests.rules.strategies import POINTS, redexes, rule_texts, worlds

from whence.rules import RuleSet, load_standard, load_texts
from whence.rules.evaluate import Witness, witnesses
from whence.rules.lowering import plan_of
from whence.rules.world import Redex, World

pytestmark = pytest.mark.long


def agree(expected: list[Witness], count: int, fired: list[Fired], where: str) -> None:
    """Each witness block fires once, with values that belong to it; nothing else fires."""
    note(f"{where}: expected {expected}, fired {fired}")
    assert count == len(fired)
    blocks = [each.block for each in fired]
    assert sorted(blocks, key=str) == sorted({each.block for each in expected}, key=str)
    assert {Witness(each.block, each.values) for each in fired} <= set(expected)


@st.composite
def several_rules(draw: st.DrawFn) -> list[str]:
    return [draw(rule_texts(f"random-{i}")) for i in range(draw(st.integers(1, 6)))]


@SLOW
@given(st.data(), several_rules())
def test_random_rules(data: st.DataObject, texts: list[str]) -> None:
    rules = load_random(*texts)
    compiled = Compiled(rules)
    for _ in range(6):
        world = data.draw(worlds())
        for i, rule in enumerate(rules.active):
            if rule.point.name != "malloc" or world.begins:
                redex = data.draw(redexes(str(rule.point), world))
                agree(witnesses(rule, rules, world, redex), *compiled.run(i, world, redex), str(rule))


# Each line is a way in which generated code might go wrong.
CONDITIONS = """
free r : Size(r) <= 8
free r : Size(r) < 8
free r : Size(r) >= 8
free r : Size(r) > 8
free r : Size(r) == 8
free r : Size(r) != 8
free r : not (Size(r) != 8)
free r : r == Begin(r)
free r : End(r) - r == 8
free r : Idx(r) == 8
free r : Idx(r + 8) == 8
free r : Idx(Begin(r) + 8) == 8
free r : Value(r, 2) > Value(r, 1)
free r : Value(Value(r)) == 0 or Value(r) != 0
free r : Time(Bid(r)) < 5
free r : Freed(r, x) and x == r
free r : Freed(r, x) and x != r
free r : exists (_, free, x, b) in trace : x == r
free r : exists (_, free, x, b) in trace : x == r and b != Bid(r)
free r : exists (k, malloc, 8, b) in trace : k > Time(Bid(r))
free r : exists (k, malloc, n, b) in trace : n == Size(r) and b != Bid(r)
free r : FindLast(k, malloc, n, b) and b == Bid(r)
free r : FindLast(k, malloc, 8, b) and b == Bid(r)
free r : FindLast(k, free, x, b) and b == Bid(r)
free r : FindLast(k, free, r, b) and k > Time(Bid(r))
free r : FindLast(k, free, _, Bid(r))
free r : FindLast(k, malloc, n, b) and FindLast(k2, malloc, n, b2) and k == k2
free r : FindLast(k, call, transaction, v) and v == Size(r)
free r : FindLast(k, ret, transaction, v) and k > Time(Bid(r))
free r : FindLast(k, call, main, v) and FindLast(k2, ret, main, v)
free r : exists (_, ret, main, _) in trace
free r : Older(b, _) and Size(b) == 8 and b != Bid(r)
free r : Older(b, c) and Size(b) == Size(c)
free r : (Freed(r, x) or FindLast(_, free, x, _)) and x == r
free r : (Freed(r, x) or Freed(Begin(r), x)) and x == r
free r : Pointed(Bid(r))
free r : exists (_ -> (b, _)) in P : b == Bid(r)
free r : not (exists b in F : b == Bid(r)) and not Freed(r, _)
free r : forall b in H : Size(b) <= 8 or b == Bid(r)
free r : forall b in F : Size(b) <= 8
free r : Freed(r, x) and FindLast(k, free, x, b)
free r : Older(b, _) and FindLast(k, malloc, n, b)
free r : Older(b, _) and FindLast(_, malloc, 8, b)
free r : exists b in H : b == Bid(r)
free r : true trace Size(r), Value(r), Bid(r), Time(Bid(r)), r + 1
free r : Freed(r, x) or true trace Idx(r), Value(r, 1)
free r : exists b in F : b == Bid(r) and Size(b) == 8
ret main _ : exists b in H : Size(b) == 8
ret main _ : exists b in F : Size(b) == 8
ret main _ : exists b in H : not Pointed(b)
ret main _ : exists b in H : Since(b, transaction)
ret main _ : exists b in H : FindLast(k, call, transaction, _) and Time(b) > k
ret main _ : exists b in H : exists c in H : Size(b) == Size(c) and b != c
ret main _ : (exists b in H : Size(b) == 8) and (exists c in H : Size(c) == 16)
ret main _ : Older(b, _) and (exists c in H : Time(c) < Time(b))
ret main _ : not (forall b in H : Size(b) < 8)
ret main _ : not AllPointed(8)
ret main _ : not (not (exists b in H : Size(b) > 4))
ret main _ : (exists b in H : Size(b) == 8) or (exists b in F : Size(b) == 8)
call transaction v : v == 8 implies FindLast(_, call, transaction, _)
call transaction v : v % 4 == 0 and v / 4 == 2 and v << 1 == 16 and v >> 1 == 4
call transaction v : (v & 12) == 8 and (v | 1) == 9 and (v ^ 1) == 9 and -v == 0 - 8
free r : Family(r) != By
free r : Family(r) == New or By == NewArray or Family(Bid(r)) == Malloc
free r : Kind(r) == Stack
free r : Kind(r) != Global and not (Kind(r + 8) == Heap)
alloc count size _ _ : count * size > MaxSize and size >= count trace count, size
alloc _ _ align least : (align & (align - 1) != 0 or align < least) and By != Malloc trace align, least
copy r n s m : Overlap(r, n, s, m) and r != s trace r, n, s, m
copy r n s m : Overlap(r, n, s, m) and r != s and (Idx(s) == 0 or Bid(r) == Bid(s))
argument r : r == NULL and not Allocated(r) trace r
malloc n bid : n == 8 and Size(bid) == n
malloc n bid : exists b in H : b != bid and Size(b) == n
deref r : Width > Size(r)
deref r : Root < NullPage and r >= NullPage
deref r : Root == r and Value(Root, 1) >= 0 and Bid(Root) == Bid(r)
deref r : r + Width > End(r) and not Freed(r, _)
deref r : Between(r, Bid(r)) and Whole(Bid(r))
deref r : FindLast(k, free, _, _) and Now > k
"""


SIGNED = ["v {} w", "(0 - v) {} w", "v {} (0 - w)", "-v {} -w", "(v * v * 3) {} w", "v {} (w * w)"]
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
ARITHMETIC = [
    f"call transaction v : FindLast(_, call, main, w) trace {', '.join(each.format(op) for each in SIGNED)}"
    for op in OPERATORS
]


def conditions() -> list[tuple[str, str]]:
    return [tuple(line.split(" : ", 1)) for line in [*CONDITIONS.strip().splitlines(), *ARITHMETIC]]  # type: ignore[misc]


def conformance() -> RuleSet:
    """A rule for each line."""
    texts = [
        f'rule c{i} "c" at {point} when {condition}' for i, (point, condition) in enumerate(conditions())
    ]
    every = load_texts([("conformance.rules", "\n".join(texts).encode())], BASE)
    return every.select([rule.name for rule in every.rules[len(BASE.rules) :]], ["all"])


CONFORMANCE = conformance()
CONFORMING = Compiled(CONFORMANCE)


@settings(SLOW, max_examples=examples(120))
@given(st.data(), worlds())
def test_conformance(data: st.DataObject, world: World) -> None:
    steps = {
        point.split()[0]: data.draw(redexes(point, world))
        for point in POINTS
        if world.begins or not point.startswith("malloc")
    }
    for i, rule in enumerate(CONFORMANCE.active):
        if rule.point.name in steps:
            redex = steps[rule.point.name]
            agree(witnesses(rule, CONFORMANCE, world, redex), *CONFORMING.run(i, world, redex), str(rule))


STANDARD = load_standard().select(["all"])
COMPILED = Compiled(STANDARD)


@SLOW
@given(st.data(), worlds())
def test_shipped_rules(data: st.DataObject, world: World) -> None:
    for i, rule in enumerate(STANDARD.active):
        redex = data.draw(redexes(str(rule.point), world))
        agree(witnesses(rule, STANDARD, world, redex), *COMPILED.run(i, world, redex), rule.name)


def test_local_variables_are_blocks_where_a_rule_about_accesses_names_them() -> None:
    assert COMPILED.with_locals
    frees = load_standard().select(["free-of-stack"], ["all"])
    assert not Compiled(frees).with_locals


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
