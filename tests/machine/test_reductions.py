"""Each reduction rule: a redex, the rule that reduces it, what becomes of the state, and the next redex."""

from __future__ import annotations

import pytest

from whence.machine import REDUCTIONS, parse_state, reduce
from whence.machine.context import expression
from whence.machine.printer import print_expr
from whence.machine.show import difference

STATE = """
global g[8]
fun f(x, y) = *x
fun h() = 5
state {{
  time 9
  origin {{gen 8}}
  heap
    1H: size 16, since 1, holds [0: word 5, 8: &2H+3]
    2H: size 8, since 2, closed [0 to 3]
  freed 3H: size 8
  frame 1S: size 8, since 3
  frame 2S: size 4, since 4
  expression {}
}}
"""

CASES = {
    # binding and control
    "let x = 3{gen 2} in x + x": ("LET", "3{gen 2} + 3{gen 2}", []),
    "let x = salloc 8 in x := 1": (
        "LET-SALLOC",
        "end 3S (&3S+0{gen 9} := 1)",
        ["S: 3S: size 8, since 9", "P: &3S+0"],
    ),
    "end 2S (7)": ("END", "7", ["S: without 2S", "F: 2S"]),
    "1; 2": ("SEQ", "2", []),
    "if0 0 then 1 else 2": ("IF-T", "1", ["trace: (9, if0, 0)"]),
    "if0 &1H+0 then 1 else 2": ("IF-F", "2", ["trace: (9, if0, 2305843013508661248)"]),
    "f(1, &1H+0)": (
        "CALL",
        "ret f (let x = salloc 8 in x := 1; let y = salloc 8 in y := &1H+0; *x)",
        ["trace: (9, call, f, 1)"],
    ),
    "(&h)()": ("CALL", "ret h (5)", ["trace: (9, call, h, 0)"]),
    "ret h (5)": ("RETURN", "5", ["S: without 2S", "F: 2S", "trace: (9, ret, h, 5)"]),
    # the heap
    "malloc(24)": (
        "MALLOC",
        "&4H+0{gen 9}",
        ["H: 4H: size 24, since 9", "P: &4H+0", "trace: (9, malloc, 24, 4H)"],
    ),
    "calloc(2, 3)": (
        "MALLOC",
        "&4H+0{gen 9}",
        ["H: 4H: size 6, since 9, zeroed", "P: &4H+0", "trace: (9, malloc, 6, 4H)"],
    ),
    "new_array(0)": (
        "MALLOC",
        "&4H+0{gen 9}",
        ["H: 4H: size 0, since 9, family new_array", "P: &4H+0", "trace: (9, malloc, 0, 4H)"],
    ),
    "malloc(0x80000001)": ("MALLOC-NULL", "0{gen 9}", []),
    "posix_memalign(24, 8)": ("MALLOC-NULL", "0{gen 9}", []),
    "free(&1H+0{gen 1})": (
        "FREE",
        "0{gen 9}",
        ["H: without 1H", "F: 1H", "trace: (9, free, &1H+0{gen 1}, 1H)"],
    ),
    "delete(0)": ("FREE-NULL", "0{gen 9}", []),
    # accesses
    "*&1H+0": ("READ", "5{&1H+0[8] @ 9}", []),
    "*&1H+8": ("READ", "&2H+3{&1H+8[8] @ 9}", []),
    "*[2] &1H+8": ("READ", "3{&1H+8[2] @ 9}", []),
    "*g": ("READ", "0{&1G+0[8] @ 9}", []),
    "&1H+4 :=[1] -1": (
        "ASSIGN",
        "-1",
        [
            "H: 1H: size 16, since 1, holds [0: word 1095216660485, 8: &2H+3]",
            "trace: (9, write[1], &1H+4, -1)",
        ],
    ),
    "&1H+0 := &f": (
        "ASSIGN",
        "&f",
        ["H: 1H: size 16, since 1, holds [0: &f, 8: &2H+3]", "trace: (9, write, &1H+0, &f)"],
    ),
    "&2S+0 :=[4] &1H+0": (
        "ASSIGN",
        "&1H+0",
        [
            "S: 2S: size 4, since 4, holds [0: byte 0, 1: byte 0, 2: byte 0, 3: byte 0]",
            "trace: (9, write[4], &2S+0, &1H+0)",
        ],
    ),
    "memcpy(&1S+0, &1H+8, 8)": (
        "COPY",
        "&1S+0",
        ["S: 1S: size 8, since 3, holds [0: &2H+3]", "trace: (9, copy, &1S+0, &1H+8, 8)"],
    ),
    "memmove(&1H+1, &1H+0, 2)": (
        "COPY",
        "&1H+1",
        [
            "H: 1H: size 16, since 1, holds [0: word 1285, 8: &2H+3]",
            "trace: (9, copy, &1H+1, &1H+0, 2)",
        ],
    ),
    "use(&3H+0)": ("USE", "&3H+0", []),
    "poison(&2H+6, 100)": (
        "POISON",
        "0{gen 9}",
        ["H: 2H: size 8, since 2, closed [0 to 3, 6 to 7]"],
    ),
    "unpoison(&2H+1, 1)": (
        "UNPOISON",
        "0{gen 9}",
        ["H: 2H: size 8, since 2, closed [0 to 0, 2 to 3]"],
    ),
    # arithmetic
    "9223372036854775807 + 1": ("INT-OP", "-9223372036854775808{gen 9}", []),
    "&1H+9 - &1H+1": ("INT-OP", "8{gen 9}", []),
    "-1 < 0": ("INT-OP", "1{gen 9}", []),
    "&1H+0 == &2H-4294967296": ("INT-OP", "1{gen 9}", []),
    "3 * -5": ("INT-OP", "-15{gen 9}", []),
    "&1H+8 +& -9": ("PTR-ARITH", "&1H-1{gen 9}", ["P: &1H-1"]),
    "0 +& 8": ("PTR-ARITH", "&NULL+8{gen 9}", ["P: &NULL+8"]),
    "100000 +& 8": ("PTR-ARITH", "100008{gen 9}", []),
}


@pytest.mark.parametrize("redex", CASES)
def test_a_step(redex: str) -> None:
    rule, after, changes = CASES[redex]
    before = parse_state(STATE.format(redex))
    found = reduce(before)
    assert found is not None
    assert found.rule == rule
    assert print_expr(expression(found.state)) == after
    assert list(difference(before, found.state, origins=False)) == changes
    assert found.state.time == 10


def test_every_rule_has_a_case() -> None:
    assert {rule for rule, _, _ in CASES.values()} == set(REDUCTIONS)


@pytest.mark.parametrize(
    ("redex", "origin"),
    [
        ("malloc(8)", "{gen 9}"),
        ("*&1H+0", "{&1H+0[8] @ 9}"),
        ("&1H+0 := 5{gen 3}", "{gen 3}"),
        ("&1H+0 := &1G+0{global g}", "{global g}"),
        ("1; 2", "{gen 8}"),
        ("f(&1S+0{gen 4}, 2)", "{gen 4}"),
    ],
)
def test_the_origin_f_of_the_last_value(redex: str, origin: str) -> None:
    from whence.machine.printer import print_origin

    found = reduce(parse_state(STATE.format(redex)))
    assert found is not None
    assert f"{{{print_origin(found.state.origin)}}}" == origin


def test_congruence_evaluates_operands_from_left_to_right() -> None:
    state = parse_state(STATE.format("f(malloc(8), malloc(16) +& 1); malloc(1)"))
    seen = []
    for _ in range(4):
        seen.append(print_expr(state.focus))
        found = reduce(state)
        assert found is not None
        state = found.state
    assert seen[:3] == ["malloc(8)", "malloc(16)", "&5H+0{gen 10} +& 1"]
    assert seen[3].startswith("&f{global f}(&4H+0{gen 9}, &5H+1{gen 11})")


@pytest.mark.parametrize("redex", ["end 3H (1)", "end 9S (1)", "ret f (1)"])
def test_states_that_no_program_reaches_have_no_next(redex: str) -> None:
    text = STATE.format(redex) if redex.startswith("end") else "fun f(x) = x state { expression ret f (1) }"
    assert reduce(parse_state(text)) is None


def test_depth_costs_no_recursion() -> None:
    from whence.machine import Ending, parse_program, run
    from whence.rules import load_standard

    deep = parse_program(
        "fun down(n) = if0 *n then 0 else 1 + down(*n - 1) fun main() = down(1100)",
    )
    outcome = run(deep, load_standard().select(disable=["all"]))
    assert outcome.ending is Ending.RETURNED
    assert outcome.value is not None
    assert print_expr(outcome.value).startswith("1100{")
