"""Chains of the operands of steps that may be undefined: arithmetic, indices, conversions, pointers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdlib.h>
struct size { int width, height; };
struct row { int cells[4]; int end; };
typedef int (*function)(long);
static int area(const struct size *s) { return s->width * s->height; }
static int part(int whole, int count) { return whole / count; }
static int shifted(int value, int bits) { return value << bits; }
static int first(int *a, int *b) { return a < b; }
static int *element(int *table, int i) { return &table[i]; }
static int real(int x) { return x; }
static int wide(long x) { return (int)x; }
static __attribute__((noinline)) int take(int *p) __attribute__((nonnull));
static int take(int *p) { return p != 0; }
volatile int sink;
int main(int count, char **words) {
    int given = atoi(words[2]), other = atoi(words[3]);
    struct size s;
    struct row row = {{0}};
    int *a = malloc(8), *b = malloc(8), *none = given ? NULL : a;
    function f = given ? (function)real : wide;
    s.width = given;
    s.height = other;
    switch (words[1][0]) {
    case '*': sink = area(&s); break;
    case '/': sink = part(7, given); break;
    case '<': sink = shifted(3, given); break;
    case '-': sink = -given; break;
    case 'a': sink = abs(given); break;
    case 'i': row.cells[given] = 1; break;
    case 'u': { unsigned char byte = given; sink = byte; break; }
    case 'c': sink = first(a, given ? b : a + 1); break;
    case '0': sink = element(none, other) != 0; break;
    case 'n': sink = take(none); break;
    case 'f': sink = f(3); break;
    case 'v': { char row[given]; sink = sizeof row; break; }
    }
    free(a);
    free(b);
    return 0;
}
"""
RULES = (
    *("signed-addition-overflow", "signed-subtraction-overflow", "signed-multiplication-overflow"),
    *("division-by-zero", "shift-out-of-range", "index-out-of-bounds", "implicit-conversion-to-unsigned"),
    *("pointer-comparison", "null-pointer-offset", "nonnull-argument", "mismatched-function-type"),
    "length-not-positive",
)
ENABLED = [word for rule in RULES for word in ("--enable", rule)]
Hops = list[tuple[str, str]]
GIVEN: Hops = [("stored", "given"), ("arithmetic", "atoi(words[2])"), ("outside", "argv[2]")]
OTHER: Hops = [("stored", "other"), ("arithmetic", "atoi(words[3])"), ("outside", "argv[3]")]
CASES: dict[str, tuple[tuple[str, str], tuple[str, str], str, dict[tuple[str, int], Hops]]] = {
    "*": (
        ("70000", "-70000"),
        ("7", "8"),
        "signed-multiplication-overflow",
        {("x", 70000): [("stored", "s.width"), *GIVEN], ("y", -70000): [("stored", "s.height"), *OTHER]},
    ),
    "/": (
        ("0", "0"),
        ("2", "0"),
        "division-by-zero",
        {
            ("x", 7): [("argument", "part"), ("constant", "7")],
            ("y", 0): [("argument", "part"), *GIVEN],
        },
    ),
    "<": (
        ("-1", "0"),
        ("1", "0"),
        "shift-out-of-range",
        {
            ("v", 3): [("argument", "shifted"), ("constant", "3")],
            ("k", -1): [("argument", "shifted"), *GIVEN],
        },
    ),
    "-": (("-2147483648", "0"), ("5", "0"), "signed-subtraction-overflow", {("y", -(1 << 31)): GIVEN}),
    "a": (("-2147483648", "0"), ("-5", "0"), "signed-subtraction-overflow", {("y", -(1 << 31)): GIVEN}),
    "i": (("4", "0"), ("3", "0"), "index-out-of-bounds", {("i", 4): GIVEN}),
    "u": (("-5", "0"), ("5", "0"), "implicit-conversion-to-unsigned", {("x", -5): GIVEN}),
    "c": (
        ("1", "0"),
        ("0", "0"),
        "pointer-comparison",
        {
            ("r", 0): [("argument", "first"), ("stored", "a"), ("allocation", "malloc")],
            ("s", 0): [("argument", "first"), ("stored", "b"), ("allocation", "malloc")],
        },
    ),
    "0": (
        ("1", "3"),
        ("0", "1"),
        "null-pointer-offset",
        {
            ("r", 0): [("argument", "element"), ("stored", "none"), ("constant", "NULL")],
            ("i", 3): [("argument", "element"), *OTHER],
        },
    ),
    "n": (
        ("1", "0"),
        ("0", "0"),
        "nonnull-argument",
        {("v", 0): [("argument", "take"), ("stored", "none"), ("constant", "NULL")]},
    ),
    "f": (
        ("1", "0"),
        ("0", "0"),
        "mismatched-function-type",
        {("r", 0): [("stored", "f"), ("address", "real")]},
    ),
    "v": (("-1", "0"), ("5", "0"), "length-not-positive", {("n", -1): GIVEN}),
}
"""By the first argument: what follows it in the wrong run and in the right one, the rule, and the chains by
term and value; 0 for addresses."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("operands"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level, "-w") for level in ("-O0", "-O2")}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def located(whence: Whence, *words: object) -> list[dict[str, Any]]:
    return whence.findings("--locate", "always", *ENABLED, *words)[1]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("case", CASES)
def test_each_operand_has_its_chain(whence: Whence, built: dict[str, Path], case: str, level: str) -> None:
    wrong, right, rule, chains = CASES[case]
    assert located(whence, built[level], case, *right) == []
    (found,) = located(whence, built[level], case, *wrong)
    assert found["rule"] == rule
    shown = {}
    for chain in found["chains"]:
        assert not chain["cut"]
        value = int(chain["value"], 16)
        number = 0 if 1 << 40 < value < 1 << 47 else value - (value >> 63 << 64)
        shown[chain["term"], number] = [(each["kind"], each["name"]) for each in chain["hops"]]
    assert shown == chains


def test_a_number_is_shown_as_its_type_has_it(whence: Whence, built: dict[str, Path]) -> None:
    done, _ = whence.findings("--locate", "always", *ENABLED, built["-O0"], "*", "70000", "-70000")
    assert "whence y = -70000: newest first" in done.err, done.err
