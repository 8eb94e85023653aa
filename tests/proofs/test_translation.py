"""Rules as formulas of the solver mean what the interpreter says they mean."""

from __future__ import annotations

import pytest
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.rules.strategies import DEFINITIONS, redexes, rule_texts, worlds

from whence.proofs import terms
from whence.proofs.logic import BLOCK, EVENT, POINTER, Number, Truth, spell_out
from whence.proofs.symbols import EVENT_CODES, Entry, View, function_code
from whence.proofs.symbols import Redex as SymbolicRedex
from whence.proofs.translate import holds
from whence.rules import RuleError, load_standard, load_texts
from whence.rules.evaluate import fires
from whence.rules.world import Redex, World, event

pytestmark = pytest.mark.long

BASE = load_texts([("definitions", DEFINITIONS.encode())], load_standard())
PAIR = st.sampled_from(sorted(EVENT_CODES))


def table(values: dict[int, int], at: Number) -> Number:
    """A function that is given by its values, 0 elsewhere."""
    result: Number = z3.IntVal(0)
    for key, value in values.items():
        result = z3.If(at == key, z3.IntVal(value), result)
    return result


def code(value: int | str) -> int:
    return function_code(value) if isinstance(value, str) else value


def view_of(world: World, addresses: list[int]) -> View:
    """The view of a world; its functions of addresses are correct for these addresses."""
    trace = list(enumerate(world.trace))
    found = {a: b for a in addresses if (b := world.find(a)) is not None}

    def members(blocks: set[int]) -> object:
        return lambda b: z3.Or(*(b == each for each in sorted(blocks)))

    def entries(pointers: frozenset[tuple[int, int, int]]) -> object:
        rows = list(enumerate(sorted(pointers)))
        return lambda p: Entry(
            z3.And(p >= 0, p < len(rows)),
            tuple(table({i: row[n] for i, row in rows}, p) for n in range(3)),  # type: ignore[arg-type]
        )

    def loads(width: int) -> dict[int, int]:
        return {a: value for a in addresses if (value := world.load(a, width)) is not None}

    def sized(bid: int) -> int:
        return world.sizes[bid]

    return View(
        length=z3.IntVal(len(world.trace)),
        kind=lambda i: table({n: EVENT_CODES[e.kind] for n, e in trace}, i),
        time=lambda i: table({n: e.time for n, e in trace}, i),
        field=lambda i, n: table({j: code(e.fields[n]) for j, e in trace if n < len(e.fields)}, i),
        live=members(world.live),  # type: ignore[arg-type]
        freed=members(world.freed),  # type: ignore[arg-type]
        begin=lambda b: table(dict(world.begins), b),
        size=lambda b: table(world.sizes, b),
        born=lambda b: table(world.times, b),
        family=lambda b: table(dict(world.families), b),
        align=lambda b: table(dict(world.aligns), b),
        pointer=entries(world.pointers),  # type: ignore[arg-type]
        lost=entries(world.lost),  # type: ignore[arg-type]
        found=lambda a: z3.Or(*(a == each for each in found)),
        find=lambda a: table(found, a),
        loadable=lambda a, n: z3.Or(*(a == each for each in loads(n))),
        load=lambda a, n: table(loads(n), a),
        kind_at=lambda a: table({each: world.kind(each) for each in addresses}, a),
    )


def step(redex: Redex) -> SymbolicRedex:
    values = tuple(z3.IntVal(code(value)) for value in redex.values)
    first = redex.values[0]
    root = redex.root if redex.root is not None else first if isinstance(first, int) else 0
    return SymbolicRedex(
        values,
        z3.BoolVal(redex.block is not None),
        z3.IntVal(redex.block or 0),
        *map(z3.IntVal, (redex.width, redex.now, root, redex.closed, redex.family)),
        z3.BoolVal(redex.given_size is not None),
        *map(z3.IntVal, (redex.given_size or 0, redex.given_align)),
    )


def recording(world: World) -> tuple[World, list[int]]:
    """The same world, and a list that gets the addresses at which it is used."""
    addresses: list[int] = []

    def find(address: int) -> int | None:
        addresses.append(address)
        return world.find(address)

    def load(address: int, width: int) -> int | None:
        addresses.append(address)
        return world.load(address, width)

    def kind(address: int) -> int:
        addresses.append(address)
        return world.kind(address)

    return World(
        world.trace, world.begins, world.pointers, find, load, world.lost, world.families, kind, world.aligns
    ), addresses


def truth_of(formula: Truth, world: World) -> bool:
    """The value of a formula without unknowns but operators, whose results are computed."""
    ranges = {
        EVENT: range(len(world.trace)),
        BLOCK: range(max(world.begins, default=0) + 1),
        POINTER: range(max(len(world.pointers), len(world.lost))),
    }
    plain = z3.simplify(spell_out(formula, ranges))
    while waiting := terms.opaque([plain]):
        known = [(node, terms.computed(node)) for node in waiting if terms.computed(node) is not None]
        assert known, plain
        plain = z3.simplify(z3.substitute(plain, *known))
    assert z3.is_true(plain) or z3.is_false(plain), plain
    return bool(z3.is_true(plain))


@settings(max_examples=examples(150))
@given(st.data())
def test_random_rules(data: st.DataObject) -> None:
    try:
        rules = load_texts([("random", data.draw(rule_texts()).encode())], BASE)
    except RuleError:
        assume(False)
    rule = rules.rules[-1]
    world = data.draw(worlds())
    assume(world.begins or rule.point.name != "malloc")
    redex = data.draw(redexes(str(rule.point), world))
    recorded, addresses = recording(world)
    expected = fires(rule, rules, recorded, redex)
    formula = holds(rule, rules, view_of(world, addresses), step(redex))
    assert truth_of(formula, world) == expected


BEGIN = 0x6000_0000_1000
CALLS = (event(1, "malloc", 16, 1), event(2, "call", "main", 5), event(4, "call", "main", 7))
WORLD = World(CALLS, {1: BEGIN}, find=lambda address: 1, load=lambda address, width: None)


@pytest.mark.parametrize(
    "condition",
    [
        "FindLast(k, call, main, v) and k > 3 and v == 7",
        "FindLast(k, call, main, v) and k < 3",
        "FindLast(k, call, main, 5)",
        "FindLast(2, call, main, v) and v == 5",
        "Size(Value(r)) >= 0",
        "Kind(Value(r)) == Elsewhere",
        "Bid(r + Value(r)) == Bid(r)",
        "not (Size(Value(r)) < 0)",
        "Bid(r + 8) == Bid(r) and Idx(r + 8) == 8",
    ],
)
def test_the_last_event_and_undefined_values(condition: str) -> None:
    rules = load_texts([("f.rules", f'rule a "a" at deref r when {condition}'.encode())], BASE)
    redex = Redex("DEREF_R", (BEGIN,), 1, 4, now=9)
    expected = fires(rules.rules[-1], rules, WORLD, redex)
    formula = holds(rules.rules[-1], rules, view_of(WORLD, [0, BEGIN, BEGIN + 8]), step(redex))
    assert truth_of(formula, WORLD) == expected
