"""Shipped rules against the error rules of the paper's semantics (figure 8), by the interpreter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.rules.strategies import redexes, worlds

from whence.abi.records import FAMILIES, KINDS
from whence.rules import load_files, load_standard, load_texts
from whence.rules.arithmetic import arithmetic
from whence.rules.evaluate import Witness, fires, witnesses
from whence.rules.vocabulary import CONSTANTS
from whence.rules.world import Redex, World, event

STANDARD = load_standard().select(["all"])
NULL_PAGE = CONSTANTS["NullPage"].value or 0
BEGIN = 0x6000_0000_1000

LIVE = World((event(1, "malloc", 20, 1),), {1: BEGIN}, find=lambda a: 1 if BEGIN <= a < BEGIN + 64 else None)
FREED = World((*LIVE.trace, event(2, "free", BEGIN, 1)), LIVE.begins, find=LIVE.find)


def fired(world: World, redex: Redex) -> list[str]:
    return [rule.name for rule in STANDARD.rules if fires(rule, STANDARD, world, redex)]


def deref(address: int, block: int | None, width: int = 4) -> Redex:
    return Redex("DEREF_W", (address,), block, width, 9)


def test_null_root() -> None:
    """A large offset from a null pointer is a null dereference unless something can be accessed there."""
    redex = replace(deref(BEGIN, None), root=8)
    assert fired(LIVE, redex) == ["null-pointer-dereference"]
    assert fired(replace(LIVE, load=lambda address, width: 0), redex) == []
    assert fired(LIVE, replace(redex, root=None)) == []


def free(address: int, block: int | None) -> Redex:
    return Redex("FREE", (address,), block, now=9)


def copy(to: int, written: int, source: int, read: int) -> Redex:
    return Redex("COPY", (to, written, source, read), now=9)


def alloc(count: int, size: int, align: int = 16, least: int = 1) -> Redex:
    return Redex("ALLOC", (count, size, align, least), now=9)


MOST = CONSTANTS["MaxSize"].value or 0


@pytest.mark.parametrize(
    ("world", "redex", "expected"),
    [
        (LIVE, free(BEGIN, 1), []),
        (LIVE, free(BEGIN + 4, 1), ["free-inside-block"]),
        (LIVE, free(0x7F00_0000_0000, None), ["unmatched-free"]),
        (FREED, free(BEGIN, 1), ["double-free"]),
        (FREED, free(BEGIN + 4, 1), ["free-inside-block"]),
        (LIVE, free(BEGIN + 20, 1), ["free-inside-block"]),
        (LIVE, free(BEGIN + 21, 1), ["unmatched-free"]),
        (LIVE, free(BEGIN - 1, 1), ["unmatched-free"]),
        (LIVE, replace(free(BEGIN, 1), family=FAMILIES["NEW"]), ["mismatched-free"]),
        (FREED, replace(free(BEGIN, 1), family=FAMILIES["NEW"]), ["double-free"]),
        (LIVE, replace(free(BEGIN, 1), given_size=20), []),
        (LIVE, replace(free(BEGIN, 1), given_size=0), ["mismatched-size"]),
        (LIVE, replace(free(BEGIN, 1), given_align=16), ["mismatched-alignment"]),
        (LIVE, replace(free(BEGIN, 1), given_size=8, given_align=16), ["mismatched-size"]),
        (LIVE, replace(free(BEGIN, 1), given_size=8, family=FAMILIES["NEW"]), ["mismatched-free"]),
        (FREED, replace(free(BEGIN, 1), given_size=8), ["double-free"]),
        (replace(LIVE, aligns={1: 64}), free(BEGIN, 1), ["mismatched-alignment"]),
        (replace(LIVE, aligns={1: 64}), replace(free(BEGIN, 1), given_align=64, given_size=20), []),
        (replace(LIVE, kind=lambda _: KINDS["STACK"]), free(8, None), ["free-of-stack"]),
        (replace(LIVE, kind=lambda _: KINDS["GLOBAL"]), free(8, None), ["free-of-global"]),
        (LIVE, copy(BEGIN + 4, 5, BEGIN, 5), ["overlapping-copy"]),
        (LIVE, copy(BEGIN, 5, BEGIN + 4, 5), ["overlapping-copy"]),
        (LIVE, copy(BEGIN + 5, 5, BEGIN, 5), []),
        (LIVE, copy(BEGIN, 5, BEGIN + 5, 9), []),
        (LIVE, copy(BEGIN, 5, BEGIN, 5), ["overlapping-copy"]),
        (LIVE, Redex("LENGTH", (BEGIN, 1 << 20, 5)), ["absurd-length"]),
        (LIVE, Redex("LENGTH", (BEGIN, (1 << 64) - 1, 5)), ["absurd-length"]),
        (LIVE, Redex("LENGTH", (BEGIN, 1 << 20, 1 << 20)), []),
        (LIVE, copy(BEGIN + 5, 5, BEGIN, 6), ["overlapping-copy"]),
        (LIVE, Redex("ARGUMENT", (0,)), ["null-argument"]),
        (LIVE, Redex("ARGUMENT", (1,)), []),
        (LIVE, alloc(1, MOST), []),
        (LIVE, alloc(1, MOST + 1), ["absurd-size"]),
        (LIVE, alloc(2, 1 << 62), ["absurd-size"]),
        (LIVE, alloc((1 << 64) - 1, (1 << 64) - 1), ["absurd-size"]),
        (LIVE, alloc(1, 8, 24), ["refused-alignment"]),
        (LIVE, alloc(1, 8, 0), ["refused-alignment"]),
        (LIVE, alloc(1, 8, 4, 8), ["refused-alignment"]),
        (LIVE, alloc(1, 8, 1), []),
        (LIVE, replace(alloc(1, 8, 24), family=FAMILIES["NEW"]), ["bad-alignment"]),
        (LIVE, replace(alloc(1, 8, 64), family=FAMILIES["NEW"]), []),
        (LIVE, deref(BEGIN, 1), []),
        (LIVE, deref(BEGIN + 16, 1), []),
        (LIVE, deref(BEGIN + 17, 1), ["heap-buffer-overflow"]),
        (LIVE, deref(BEGIN - 1, 1), ["heap-buffer-overflow"]),
        (LIVE, deref(BEGIN, 1, (1 << 64) - 1), ["heap-buffer-overflow"]),
        (LIVE, deref((1 << 64) - 4, 1, 8), ["heap-buffer-overflow"]),
        (LIVE, deref(0x7F00_0000_0000, None), []),
        (replace(LIVE, kind=lambda _: KINDS["HEAP"]), deref(BEGIN + 99, None), ["wild-pointer-dereference"]),
        (replace(LIVE, kind=lambda _: KINDS["HEAP"]), deref(BEGIN + 17, 1), ["heap-buffer-overflow"]),
        (FREED, deref(BEGIN + 8, 1), ["dangling-pointer-dereference"]),
        (FREED, deref(BEGIN + 800, 1), ["dangling-pointer-dereference"]),
        (LIVE, deref(0, None), ["null-pointer-dereference"]),
        (LIVE, deref(NULL_PAGE - 1, None), ["null-pointer-dereference"]),
        (LIVE, deref(NULL_PAGE, None), []),
        (LIVE, deref(16, 1), ["null-pointer-dereference"]),
    ],
)
def test_shipped_rules(world: World, redex: Redex, expected: list[str]) -> None:
    assert fired(world, redex) == expected


def error_rules_of_family(world: World, redex: Redex, bid: int) -> list[str]:
    """Those of the free of a live block's begin, whose function is told family, size and alignment."""
    if world.families[bid] != redex.family:
        return ["mismatched-free"]
    if redex.given_size not in (None, world.sizes[bid]):
        return ["mismatched-size"]
    return ["mismatched-alignment"] if redex.given_align != world.aligns[bid] else []


def error_rules(world: World, redex: Redex) -> list[str]:
    """The error reductions of figure 8, with the width of the access and the null page."""
    r, bid = int(redex.values[0]), redex.block
    begin, size = (world.begins[bid], world.sizes[bid]) if bid is not None else (None, None)
    if redex.code == "FREE":
        variables = {KINDS["STACK"]: "free-of-stack", KINDS["GLOBAL"]: "free-of-global"}
        if world.kind(r) in variables:
            return [variables[world.kind(r)]]
        if begin is None or size is None or r != begin:
            return ["free-inside-block" if begin and size and begin < r <= begin + size else "unmatched-free"]
        return ["double-free"] if bid in world.freed else error_rules_of_family(world, redex, bid or 0)
    null_root = redex.given("Root") < NULL_PAGE and world.load(r, 1) is None
    if r < NULL_PAGE or null_root:
        return ["null-pointer-dereference"]
    from_null = redex.given("Root") < NULL_PAGE
    poison = ["use-after-poison"] if redex.closed and not from_null else []
    if bid is None or begin is None or size is None:
        nothing_there = world.kind(r) == KINDS["HEAP"] and world.load(r, 1) is None
        wild = nothing_there and not redex.closed and not from_null
        return ["wild-pointer-dereference"] if wild else poison
    if bid in world.freed:
        return ["dangling-pointer-dereference"]
    if r < begin or r + redex.width > begin + size:
        return ["heap-buffer-overflow"]
    return poison


@pytest.mark.long
@settings(max_examples=examples(400))
@given(st.data(), worlds(), st.sampled_from(["free r", "deref r"]))
def test_a_rule_fires_exactly_when_its_error_rule_applies(
    data: st.DataObject, world: World, point: str
) -> None:
    redex = data.draw(redexes(point, world))
    assert fired(world, redex) == error_rules(world, redex)


def test_leaks() -> None:
    trace = (
        event(1, "malloc", 8, 1),
        event(2, "malloc", 8, 2),
        event(3, "malloc", 8, 3),
        event(4, "free", 0, 3),
    )
    world = World(trace, {1: 100, 2: 200, 3: 300}, frozenset({(200, 2, 0)}))
    redex = Redex("RET", ("main", 0), now=9)
    found = {rule.name: witnesses(rule, STANDARD, world, redex) for rule in STANDARD.rules}
    assert found["possible-leak"] == [Witness(1, ()), Witness(2, ())]
    assert found["definite-leak"] == [Witness(1, ())]
    assert fired(world, Redex("RET", ("f", 0))) == []


def test_kinds_of_leaks() -> None:
    trace = tuple(event(bid, "malloc", 8, bid) for bid in range(1, 6))
    world = World(
        trace,
        {bid: 100 * bid for bid in range(1, 6)},
        pointers=frozenset({(100, 1, 0), (204, 2, 4), (404, 4, 4), (400, 4, 0)}),
        lost=frozenset({(504, 5, 4), (204, 2, 4)}),
    )
    redex = Redex("RET", ("main", 0), now=9)
    found = {
        rule.name: [witness.block for witness in witnesses(rule, STANDARD, world, redex)]
        for rule in STANDARD.rules
        if rule.point.name == "ret"
    }
    assert found == {
        "indirect-leak": [5],
        "definite-leak": [3, 5],
        "interior-leak": [2],
        "reachable-leak": [1, 4],
        "possible-leak": [1, 2, 3, 4, 5],
    }


def test_leak_in_transaction() -> None:
    rules = load_files([Path(__file__).parents[2] / "examples/leak_in_transaction.rules"])
    rule = rules.rule("leak-in-transaction")
    trace = (
        event(1, "malloc", 8, 1),
        event(2, "call", "transaction", 0),
        event(3, "malloc", 8, 3),
        event(4, "malloc", 8, 4),
        event(5, "free", 0, 4),
    )
    world = World(trace, {1: 100, 3: 300, 4: 400})
    assert witnesses(rule, rules, world, Redex("RET", ("transaction", 0))) == [Witness(3, ())]
    before = World(trace[:1], world.begins)
    assert witnesses(rule, rules, before, Redex("RET", ("transaction", 0))) == []


def test_garbage_collector_rule_of_figure_6() -> None:
    text = """
    define IsAlive(bid) := Begin(bid) & 0x1 == 1
    rule gc-bug "alive bits are wrong" at ret gc _
        when not ((forall bid in H : IsAlive(bid)) and (forall bid in F : not IsAlive(bid)))
    """
    rules = load_texts([("gc.rules", text.encode())])
    trace = (event(1, "malloc", 8, 1), event(2, "malloc", 8, 2), event(3, "free", 0, 2))
    redex = Redex("RET", ("gc", 0))
    right = World(trace, {1: 101, 2: 200})
    assert not fires(rules.rules[0], rules, right, redex)
    assert fires(rules.rules[0], rules, World(trace, {1: 100, 2: 200}), redex)
    assert fires(rules.rules[0], rules, World(trace, {1: 101, 2: 201}), redex)


def test_uninitialised_read_of_figure_2() -> None:
    text = 'rule uninitialised-read "u" at deref_r r when not FindLast(_, write, r, _, _) trace r'
    rules = load_texts([("u.rules", text.encode())])
    world = World((event(1, "write", 100, 7, 0),))
    assert not fires(rules.rules[0], rules, world, Redex("DEREF_R", (100,)))
    assert witnesses(rules.rules[0], rules, world, Redex("DEREF_R", (101,))) == [Witness(None, (101,))]
    assert not fires(rules.rules[0], rules, world, Redex("DEREF_W", (101,)))


def test_find_last_finds_first_and_compares_then() -> None:
    trace = (event(1, "call", "f", 5), event(2, "call", "f", 6))
    for condition, expected in (
        ("FindLast(k, call, f, 5)", True),
        ("FindLast(k, call, f, v) and v == 5", False),
        ("FindLast(k, call, f, v) and v == 6", True),
        ("FindLast(1, call, f, _)", True),
    ):
        rules = load_texts([("f.rules", f'rule f "f" at ret f _ when {condition}'.encode())])
        assert fires(rules.rules[0], rules, World(trace), Redex("RET", ("f", 0))) is expected


def test_atoms_with_undefined_values_are_false() -> None:
    redex = free(5, None)
    for condition, expected in (
        ("Size(r) > 8", False),
        ("Size(r) <= 8", False),
        ("not (Size(r) > 8)", True),
        ("Value(r) == Value(r)", False),
        ("Value(NULL) == 0 or true", True),
    ):
        rules = load_texts([("f.rules", f'rule f "f" at free r when {condition}'.encode())])
        assert fires(rules.rules[0], rules, LIVE, redex) is expected


def test_pointer_arithmetic_keeps_the_block() -> None:
    rules = load_texts([("f.rules", b'rule f "f" at free r when Idx(r + 1000) == 1004 and Idx(8 + r) == 12')])
    assert fires(rules.rules[0], rules, LIVE, free(BEGIN + 4, 1))


def test_arithmetic() -> None:
    assert arithmetic("/", -7, 2) == -3
    assert arithmetic("%", -7, 2) == -1
    assert arithmetic("/", 7, 0) == arithmetic("%", 7, 0) == 0
    assert arithmetic("<<", 1, 64) == arithmetic(">>", -1, 64) == arithmetic("<<", 1, -1) == 0
    assert arithmetic(">>", -8, 1) == -4
    assert arithmetic("+", (1 << 127) - 1, 1) == -(1 << 127)


def test_events_have_the_fields_of_their_kind() -> None:
    with pytest.raises(ValueError, match="event 'malloc' has 2 fields, not 1"):
        event(1, "malloc", 5)
