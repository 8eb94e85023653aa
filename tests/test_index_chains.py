"""Chains of the index of an access: its value, what it was computed from, and where a pointer was kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdlib.h>
struct item { int a, b; };
static int grid[12];
static struct item items[12];
static int pick(const char *s) { return atoi(s) * 3; }
static void set(int *p) { *p = 1; }
__attribute__((noinline)) static int *at(int *from, int n) { return from + n; }
static int *kept;
int main(int argc, char **argv) {
    int r = atoi(argv[2]), c = atoi(argv[3]), n = atoi(argv[4]);
    int *d = malloc(12 * sizeof *d), *p;
    struct item *q;
    long sum = 0;
    switch (argv[1][0]) {
    case 'd': d[r * 4 + c] = 1; break;
    case 's': d[r - c] = 1; break;
    case 'u': d[(unsigned)r * (unsigned)c] = 1; break;
    case '3': d[(r * 2 + c) * 2 + n] = 1; break;
    case 'v': d[(r * r + c) * (c + argc) + n + (long)(size_t)argc - 5] = 1; break;
    case 'i': d[n] = 1; break;
    case 'p': p = d + pick(argv[2]); *p = 1; break;
    case 'm': q = (struct item *)d + n; q->b = 1; break;
    case 'g': q = &items[n]; q->b = 1; break;
    case 'a': set(&d[r + c]); break;
    case 'r': *at(d, n) = 1; break;
    case 'k': kept = d + n; *kept = 1; break;
    case 'l': for (int i = 0; i <= n; i++) { p = d + i; set(p); } break;
    case '+': p = d + n; p++; *p = 1; break;
    }
    for (int i = 0; i < 12; i++) sum += grid[i] + items[i].b;
    free(d);
    return sum == 77;
}
"""
VECTOR = """
#include <cstdlib>
#include <vector>
int main(int argc, char **argv) {
    std::vector<int> all(12);
    int n = atoi(argv[1]), m = atoi(argv[2]);
    all[n + m] = 1;
}
"""
INDEX = "the index of r"
R, C, N = ("stored", "r"), ("stored", "c"), ("stored", "n")
CASES: dict[str, tuple[str, dict[tuple[str, int], tuple[str, str]]]] = {
    "direct": (
        "d 2 4 0",
        {
            (INDEX, 12): ("computed", "r * 4 + c"),
            ("the first operand of r * 4 + c", 2): R,
            ("the second operand of r * 4 + c", 4): C,
        },
    ),
    "negative": (
        "s 1 3 0",
        {
            (INDEX, -2): ("computed", "r - c"),
            ("the first operand of r - c", 1): R,
            ("the second operand of r - c", 3): C,
        },
    ),
    "unsigned": (
        "u 4 3 0",
        {
            (INDEX, 12): ("computed", "r * c"),
            ("the first operand of r * c", 4): R,
            ("the second operand of r * c", 3): C,
        },
    ),
    "three": (
        "3 2 2 0",
        {
            (INDEX, 12): ("computed", "(r * 2 + c) * 2 + n"),
            ("the first operand of (r * 2 + c) * 2 + n", 2): R,
            ("the second operand of (r * 2 + c) * 2 + n", 2): C,
            ("the third operand of (r * 2 + c) * 2 + n", 0): N,
        },
    ),
    "single": ("i 0 0 12", {(INDEX, 12): N}),
    "pointer": ("p 4 0 0", {(INDEX, 12): ("return", "pick")}),
    "member": ("m 0 0 6", {(INDEX, 6): N}),
    "global": ("g 0 0 12", {(INDEX, 12): N}),
    "argument": (
        "a 5 7 0",
        {
            (INDEX, 12): ("computed", "r + c"),
            ("the first operand of r + c", 5): R,
            ("the second operand of r + c", 7): C,
        },
    ),
    "result": ("r 0 0 13", {(INDEX, 13): ("argument", "at")}),
    "kept": ("k 0 0 12", {(INDEX, 12): N}),
    "loop": ("l 0 0 12", {(INDEX, 12): ("stored", "i")}),
    "moved": ("+ 0 0 11", {}),
}
"""The arguments, and of each chain that is not about the pointer or a size its value and its newest hop."""


LEVELS = ("-O0", "-O2")
IN_BOUNDS = ("d 2 3 0", "s 3 1 0", "3 2 1 1", "i 0 0 11", "p 3 0 0", "l 0 0 11", "+ 0 0 10")


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("indexes"), whence_env)
    programs = {level: whence.build(PROGRAM, f"prog{level}", level) for level in LEVELS}
    source = whence.directory / "vector.cpp"
    source.write_text(VECTOR)
    programs["vector"] = whence.directory / "vector"
    assert whence.process("whence.cli.cc", "c++", "-g", source, "-o", programs["vector"]).status == 0
    return programs


def signed(word: str) -> int:
    return (int(word, 16) + (1 << 63)) % (1 << 64) - (1 << 63)


def located(whence: Whence, *words: str | Path) -> dict[tuple[str, int], tuple[str, str]]:
    """The newest hop of each chain that is about the index."""
    found = whence.findings("--locate", "always", *words)[1]
    return {
        (chain["term"], signed(chain["value"])): (chain["hops"][0]["kind"], chain["hops"][0]["name"])
        for chain in found[0]["chains"]
        if chain["term"] == INDEX or ("operand" in chain["term"] and "12 *" not in chain["term"])
    }


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", CASES)
def test_the_index_and_what_it_was_computed_from(
    whence: Whence, built: dict[str, Path], name: str, level: str
) -> None:
    arguments, chains = CASES[name]
    assert located(whence, built[level], *arguments.split()) == chains


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("arguments", IN_BOUNDS)
def test_what_is_in_bounds_has_no_finding(
    whence: Whence, built: dict[str, Path], arguments: str, level: str
) -> None:
    done, found = whence.findings("--locate", "always", built[level], *arguments.split())
    assert (done.status, found) == (0, [])


def test_of_much_that_is_computed_the_two_sides_are_shown(whence: Whence, built: dict[str, Path]) -> None:
    found = located(whence, built["-O0"], "v", "2", "3", "1")
    assert [term.partition(" operand")[0] for term, _ in found] == [INDEX, "the first", "the second"]


def test_an_index_of_a_vector(whence: Whence, built: dict[str, Path]) -> None:
    name = "std::vector<int, std::allocator<int> >::operator[](unsigned long)"
    assert located(whence, built["vector"], "5", "7")[INDEX, 12] == ("argument", name)
