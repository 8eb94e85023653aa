"""Rules that only suspect steps can make fire, and what engines refuse."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.rules.random_rules import BASE
from tests.rules.strategies import POINTS, formulas, signed, worlds

from whence.rules import RuleError, load_standard, load_texts
from whence.rules.evaluate import fires
from whence.rules.expand import expand
from whence.rules.lowering import LoweringError, plan_of
from whence.rules.suspect import holds_at_suspect_only
from whence.rules.vocabulary import CONSTANTS
from whence.rules.vocabulary import POINTS as LANGUAGE
from whence.rules.world import Redex, World

MOST = CONSTANTS["MaxSize"].value or 0
NULL_PAGE = CONSTANTS["NullPage"].value or 0
SHAPES = {point.split()[0]: point for point in POINTS if LANGUAGE[point.split()[0]].suspects}


@pytest.mark.parametrize(
    ("point", "condition", "enough"),
    [
        ("alloc", "count * size > MaxSize", True),
        ("alloc", "size * count >= 0x8000000000000000", True),
        ("alloc", "count * size >= MaxSize", False),
        ("alloc", "count * size > 1000", False),
        ("alloc", "size > MaxSize", False),
        ("alloc", "Absurd(count, size)", True),
        ("alloc", "count > MaxSize and size > 0", True),
        ("alloc", "align & (align - 1) != 0", True),
        ("alloc", "align == 0 or align % 2 == 1 and align != 1", True),
        ("alloc", "not PowerOfTwo(align) or align < least", True),
        ("alloc", "align <= least", False),
        ("alloc", "align == 3 and size > 5", True),
        ("alloc", "align == 4", False),
        ("alloc", "By == New", False),
        ("copy", "Overlap(r, n, s, m) and r != s", True),
        ("copy", "Overlap(r, n, s, m)", True),
        ("copy", "r == s", False),
        ("copy", "not (s + m <= r or r + n <= s)", True),
        ("copy", "r < s + m and s < r + n + 1 and r != s", False),
        ("copy", "n > 100", False),
        ("length", "m < n", True),
        ("length", "n > m + 5 and r != NULL", True),
        ("length", "m <= n", False),
        ("length", "n > MaxSize", False),
        ("argument", "r == NULL", True),
        ("argument", "r < NullPage and not Allocated(r)", True),
        ("argument", "r <= NullPage", False),
        ("argument", "not Allocated(r)", False),
        ("argument", "exists b in H : r == NULL and Size(b) == 3", True),
        ("add", "not Fits(x + y, low, high)", True),
        ("add", "x + y > high - 1", False),
        ("add", "x > 100", False),
        ("subtract", "x - y < low", True),
        ("subtract", "y - x < low", False),
        ("multiply", "y * x > high", True),
        ("multiply", "x > high", False),
        ("divide", "y == 0 or x == low and y == -1", True),
        ("divide", "x == low", False),
        ("divide", "y == 1", False),
        ("shift", "k >= w or k < 0", True),
        ("shift", "k > 31", False),
        ("index", "not (i >= 0 and i < n)", True),
        ("index", "i >= n - 1", False),
        ("add_unsigned", "x + y > high", True),
        ("add_unsigned", "x > high - 1", False),
        ("subtract_unsigned", "x < y", True),
        ("subtract_unsigned", "y >= x", False),
        ("multiply_unsigned", "y * x > high", True),
        ("multiply_unsigned", "x * x > high", False),
        ("truncate", "side == 1 or side == 2", True),
        ("truncate", "x == 0", False),
        ("divide_floating", "zero == 1", True),
        ("scan", "v == 0", True),
        ("scan", "v < 2", False),
        ("bool", "v != 0 and v != 1", True),
        ("bool", "v == 1", False),
        ("unreachable", "reached != 0", True),
        ("dimension", "n < 1", True),
        ("dimension", "n == 1", False),
        ("nonnull", "v == 0 and returned == 1", True),
        ("nonnull", "returned == 1", False),
        ("offset", "r == NULL and i * size != 0", True),
        ("offset", "r != NULL and r + i * size > 2 * MaxSize + 1", True),
        ("offset", "r != NULL and i * size > 8", False),
        ("align", "rest != 0", True),
        ("align", "n == 8", False),
        ("aligned", "rest != 0", True),
        ("aligned", "n == 8", False),
        ("convert_unsigned", "x != y", True),
        ("convert_signed", "x > y", True),
        ("to_signed", "narrow == 1", False),
        ("to_unsigned", "x < 0", False),
        ("enumeration", "v < low or v > high", True),
        ("enumeration", "v > 3", False),
        ("missing_return", "reached == 1", True),
        ("callee", "differs == 1", True),
        ("object", "r == NULL", False),
        ("shift_signed", "lost == 1", True),
        ("shift_signed", "v < 0", False),
        ("shift_unsigned", "lost != 0", True),
        ("descriptor", "closed == 1 and closing == 0", True),
        ("descriptor", "closing == 1", False),
        ("compare", "apart == 1", True),
        ("order", "early != 0", True),
        ("order", "r != NULL", False),
        ("difference", "r != s", False),
    ],
)
def test_what_suspect_steps_are_enough_for(point: str, condition: str, enough: bool) -> None:
    text = f'rule mine "m" at {SHAPES[point]} when {condition}'
    rules = load_texts([("f.rules", text.encode())], load_standard()).select(["mine"], ["all"])
    assert holds_at_suspect_only(expand(rules.rule("mine"), rules)) is enough
    if enough:
        plan_of(rules)
        return
    with pytest.raises(LoweringError) as caught:
        plan_of(rules)
    suspects = LANGUAGE[point].suspects
    assert suspects is not None
    refused = f"rule 'mine' needs {suspects.every}, of which engine native shows only {suspects.shown}"
    assert str(caught.value) == refused


@st.composite
def plain_steps(draw: st.DrawFn, point: str, world: World) -> Redex:
    """A step that is not suspect."""
    near = [begin + offset for begin in world.begins.values() for offset in (0, 8, 48)]
    address = draw(st.sampled_from([NULL_PAGE, *near]))
    match point:
        case "argument":
            return Redex("ARGUMENT", (address,), world.find(address), now=99)
        case "copy":
            n, m = draw(st.integers(0, 20)), draw(st.integers(0, 20))
            other = address + draw(st.sampled_from([n, n + 1, -m, -m - 8]))
            return Redex("COPY", (address, n, other, m), world.find(address), now=99)
        case "length":
            n = draw(st.integers(0, 1 << 63))
            return Redex("LENGTH", (address, n, n + draw(st.integers(0, 3))), world.find(address), now=99)
        case "add" | "subtract" | "multiply":
            x, y = draw(signed), draw(signed)
            result = {"add": x + y, "subtract": x - y, "multiply": x * y}[point]
            low, high = result - draw(st.integers(0, 3)), result + draw(st.integers(0, 3))
            return Redex(point.upper(), (x, y, low, high), now=99)
        case "divide":
            y = draw(signed.filter(bool))
            low = draw(signed)
            return Redex("DIVIDE", (low + draw(st.integers(y == -1, 9)), y, low), now=99)
        case "shift" | "index":
            n = draw(st.integers(0, 63))
            values = (draw(signed), n, n + 1) if point == "shift" else (n, n + draw(st.integers(1, 9)))
            return Redex(point.upper(), values, now=99)
        case "add_unsigned" | "subtract_unsigned" | "multiply_unsigned":
            x, y = draw(st.integers(0, 1 << 40)), draw(st.integers(0, 1 << 20))
            result = {"a": x + y, "s": x, "m": x * y}[point[0]]
            return Redex(point.upper(), (max(x, y), min(x, y), result + draw(st.integers(0, 3))), now=99)
        case "truncate" | "divide_floating":
            return Redex(point.upper(), (draw(st.integers(0, 1 << 63)), 0), now=99)
        case "scan" | "dimension":
            return Redex(point.upper(), (draw(st.integers(1, MOST)),), now=99)
        case "nonnull":
            return Redex("NONNULL", (draw(st.integers(1, 1 << 63)), draw(st.integers(0, 1))), now=99)
        case "unreachable" | "missing_return":
            return Redex(point.upper(), (0,), now=99)
        case "callee" | "object":
            return Redex(point.upper(), (address, 0), world.find(address), now=99)
        case "convert_unsigned" | "convert_signed" | "to_signed" | "to_unsigned":
            number = draw(st.integers(0, MOST))
            return Redex(point.upper(), (number, number, draw(st.integers(0, 1))), now=99)
        case "shift_signed" | "shift_unsigned":
            return Redex(point.upper(), (draw(st.integers(0, MOST)), draw(st.integers(0, 63)), 0), now=99)
        case "enumeration":
            return Redex("ENUMERATION", (draw(st.integers(-4, 3)), -4, 3), now=99)
        case "bool":
            return Redex("BOOL", (draw(st.integers(0, 1)),), now=99)
        case "offset":
            i, size = draw(st.integers(-9, 9)), draw(st.integers(0, 16))
            return Redex("OFFSET", (address, i, size), world.find(address), now=99)
        case "descriptor":
            return Redex("DESCRIPTOR", (draw(st.integers(0, 9)), 0, draw(st.integers(0, 1))), now=99)
        case "compare" | "difference":
            return Redex(
                point.upper(), (address, draw(st.integers(0, 1 << 63)), 0), world.find(address), now=99
            )
        case "order":
            return Redex("ORDER", (address, 0), world.find(address), now=99)
        case "align" | "aligned":
            n = 1 << draw(st.integers(1, 6))
            return Redex(point.upper(), (address, n, 0), world.find(address), now=99)
        case _:
            align = 1 << draw(st.integers(0, 63))
            least = draw(st.integers(0, align))
            count = draw(st.sampled_from([0, 1, 2, 7, 1 << 40]))
            size = draw(st.sampled_from([0, 1, MOST // max(count, 1)]))
            return Redex("ALLOC", (count, size, align, least), now=99)


@pytest.mark.long
@settings(max_examples=examples(300), suppress_health_check=list(HealthCheck))
@given(st.data(), worlds(), st.sampled_from(sorted(SHAPES)))
def test_a_rule_that_is_accepted_cannot_hold_at_a_plain_step(
    data: st.DataObject, world: World, point: str
) -> None:
    scope = POINTS[SHAPES[point]]
    text = f'rule mine "m" at {SHAPES[point]} when {data.draw(formulas(scope))}'
    try:
        rules = load_texts([("f.rules", text.encode())], BASE)
    except RuleError:
        return
    rule = rules.rule("mine")
    redex = data.draw(plain_steps(point, world))
    if fires(rule, rules, world, redex):
        assert not holds_at_suspect_only(expand(rule, rules))
