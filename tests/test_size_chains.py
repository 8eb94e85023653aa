"""Chains of the sizes of blocks: where the arguments of the allocation came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
struct item { int a, b; };
static char *xmalloc(size_t n) {
    char *p = malloc(n);
    if (!p) abort();
    return p;
}
static char *(*volatile unknown)(size_t) = (char *(*)(size_t))malloc;
int main(int argc, char **argv) {
    int n = atoi(argv[2]), m = atoi(argv[3]);
    size_t length = strlen(argv[2]);
    volatile int at = atoi(argv[4]);
    char *p = NULL;
    switch (argv[1][0]) {
    case 'm': p = malloc(n); break;
    case 'k': p = malloc(10); break;
    case 'x': p = xmalloc(n * sizeof(struct item)); break;
    case '+': p = malloc(length + 1); break;
    case '*': p = malloc(n * m); break;
    case 's': p = malloc(8 + (size_t)n * (length + 2)); break;
    case 'c': p = calloc(n, m); break;
    case 'C': p = calloc(2, n + m); break;
    case 'a': p = reallocarray(NULL, n, m); break;
    case 'r': p = realloc(malloc(2), n); break;
    case 'A': p = aligned_alloc(16, n); break;
    case 'u': p = unknown(n); break;
    case 'v': { int row[n]; memset(row, 0, sizeof row); row[at] = 3; return row[m] == 9; }
    case 'l': { char *q = __builtin_alloca(n + m); memset(q, 0, n + m); q[at] = 3; return q[m] == 9; }
    }
    p[at] = 1;
    free(p);
    return 0;
}
"""
ARRAYS = """
#include <cstdlib>
#include <vector>
struct kept { long x; ~kept() { x = 0; } };
int main(int argc, char **argv) {
    unsigned n = atoi(argv[2]);
    volatile int at = atoi(argv[3]);
    switch (argv[1][0]) {
    case 'n': { int *p = new int[n]; p[at] = 1; delete[] p; break; }
    case 'd': { kept *p = new kept[n]; p[at].x = 1; delete[] p; break; }
    case 'o': { char *p = (char *)operator new(n); p[at] = 1; operator delete(p); break; }
    case 'v': { std::vector<int> all(n); (&all[0])[at] = 1; break; }
    }
}
"""
Hops = list[tuple[str, str]]
N: Hops = [("stored", "n"), ("arithmetic", "atoi(argv[2])"), ("outside", "argv[2]")]
M: Hops = [("stored", "m"), ("arithmetic", "atoi(argv[3])"), ("outside", "argv[3]")]
LENGTH: Hops = [("stored", "length"), ("outside", "strlen")]
COUNT, EACH = "the count in Size(r)", "the size of an element in Size(r)"


def operands(text: str) -> tuple[str, str]:
    return f"the first operand of {text}", f"the second operand of {text}"


SUM, PRODUCT, SCALED = operands("n + m"), operands("n * m"), operands("n * (length + 2)")
CASES: dict[str, tuple[int, dict[tuple[str, int], Hops]]] = {
    "m": (5, {("Size(r)", 5): [("argument", "malloc"), *N]}),
    "k": (10, {("Size(r)", 10): [("argument", "malloc"), ("constant", "10")]}),
    "x": (
        40,
        {("Size(r)", 40): [("argument", "malloc"), ("argument", "xmalloc"), ("arithmetic", "n * 8"), *N]},
    ),
    "+": (2, {("Size(r)", 2): [("argument", "malloc"), ("arithmetic", "length + 1"), *LENGTH]}),
    "*": (
        20,
        {
            ("Size(r)", 20): [("argument", "malloc"), ("computed", "n * m")],
            (PRODUCT[0], 5): N,
            (PRODUCT[1], 4): M,
        },
    ),
    "s": (
        23,
        {
            ("Size(r)", 23): [
                ("argument", "malloc"),
                ("arithmetic", "8 + n * (length + 2)"),
                ("computed", "n * (length + 2)"),
            ],
            (SCALED[0], 5): N,
            (SCALED[1], 3): [("arithmetic", "length + 2"), *LENGTH],
        },
    ),
    "c": (20, {(COUNT, 5): [("argument", "calloc"), *N], (EACH, 4): [("argument", "calloc"), *M]}),
    "C": (
        18,
        {
            (COUNT, 2): [("argument", "calloc"), ("constant", "2")],
            (EACH, 9): [("argument", "calloc"), ("computed", "n + m")],
            (SUM[0], 5): N,
            (SUM[1], 4): M,
        },
    ),
    "a": (
        20,
        {(COUNT, 5): [("argument", "reallocarray"), *N], (EACH, 4): [("argument", "reallocarray"), *M]},
    ),
    "r": (5, {("Size(r)", 5): [("argument", "realloc"), *N]}),
    "A": (5, {("Size(r)", 5): [("argument", "aligned_alloc"), *N]}),
    "u": (5, {}),
    "v": (5, {("Size(r)", 20): [("arithmetic", "n * 4"), *N]}),
    "l": (9, {("Size(r)", 9): [("computed", "n + m")], (SUM[0], 5): N, (SUM[1], 4): M}),
}
"""By the first argument, where 5 and 4 follow: the index behind the end, and the chains by term and value."""
NEW_CASES: dict[str, tuple[int, Hops]] = {
    "n": (20, [("argument", "operator new[](unsigned long)"), ("arithmetic", "n * 4"), *N]),
    "d": (
        40,
        [
            ("argument", "operator new[](unsigned long)"),
            ("arithmetic", "n * 8 + 8"),
            ("arithmetic", "n * 8"),
            *N,
        ],
    ),
    "o": (5, [("argument", "operator new(unsigned long)"), *N]),
}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("sizes"), whence_env)
    programs = {level: whence.build(PROGRAM, f"prog{level}", level, "-w") for level in ("-O0", "-O2")}
    source = whence.directory / "new.cpp"
    source.write_text(ARRAYS)
    for level in ("-O0", "-O2"):
        program = programs[f"new{level}"] = whence.directory / f"new{level}"
        assert whence.process("whence.cli.cc", "c++", "-g", level, "-w", source, "-o", program).status == 0
    return programs


def located(whence: Whence, *words: object) -> list[dict[str, Any]]:
    return whence.findings("--locate", "always", *words)[1]


def sizes(finding: dict[str, Any]) -> dict[tuple[str, int], Hops]:
    """The chains behind those of the pointer and the index, and of what that was computed from."""
    index = [each["hops"][-1]["name"] for each in finding["chains"] if each["term"] == "the index of r"]
    chains = [each for each in finding["chains"] if each["term"] not in ("r", "the index of r")]
    chains = [each for each in chains if each["term"].partition(" operand of ")[2] not in index]
    assert not any(each["cut"] for each in chains)
    return {
        (each["term"], int(each["value"], 16)): [(hop["kind"], hop["name"]) for hop in each["hops"]]
        for each in chains
    }


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("case", CASES)
def test_the_size_has_its_chain(whence: Whence, built: dict[str, Path], case: str, level: str) -> None:
    end, chains = CASES[case]
    assert located(whence, built[level], case, "5", "4", end - 1) == []
    (found,) = located(whence, built[level], case, "5", "4", end)
    assert found["rule"] == ("stack" if case in "vl" else "heap") + "-buffer-overflow"
    assert sizes(found) == chains


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("case", NEW_CASES)
def test_the_size_of_new(whence: Whence, built: dict[str, Path], case: str, level: str) -> None:
    size, chain = NEW_CASES[case]
    assert located(whence, built[f"new{level}"], case, "5", "4") == []
    (found,) = located(whence, built[f"new{level}"], case, "5", "5")
    assert sizes(found) == {("Size(r)", size): chain}


def test_the_size_of_a_vector_is_followed_through_its_allocator(
    whence: Whence, built: dict[str, Path]
) -> None:
    (found,) = located(whence, built["new-O0"], "v", "5", "5")
    ((key, hops),) = sizes(found).items()
    assert key == ("Size(r)", 20)
    assert hops[:2] == [("argument", "operator new(unsigned long)"), ("arithmetic", "__n * 4")]
    assert hops[-3:] == N


def test_a_negative_factor_is_shown_with_its_sign(whence: Whence, built: dict[str, Path]) -> None:
    done, (found,) = whence.findings("--locate", "always", built["-O0"], "*", "-5", "-4", "20")
    assert sizes(found)[PRODUCT[0], (1 << 64) - 5] == N
    assert "whence the first operand of n * m = -5: newest first" in done.err


def test_every_report_shows_the_chain(whence: Whence, built: dict[str, Path], tmp_path: Path) -> None:
    page, results = tmp_path / "page.html", tmp_path / "results.sarif"
    done, _ = whence.findings(
        "--locate", "always", "--html", page, "--sarif", results, built["-O0"], "x", "5", "4", "40"
    )
    assert "whence Size(r) = 40: newest first\n      0  passed to malloc" in done.err
    (result,) = json.loads(results.read_text())["runs"][0]["results"]
    flow = {each["message"]["text"]: each for each in result["codeFlows"]}["whence Size(r) = 40"]
    steps = flow["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps[-2:]] == [
        "passed to xmalloc, computed as n * 8",
        "passed to malloc",
    ]
    assert "<h3>whence Size(r) = 40</h3>" in page.read_text()


AGAIN = """
#include <stdlib.h>
#include <string.h>
static __attribute__((noinline)) int varying(int n) {
    char row[n];
    memset(row, 1, n);
    return row[n - 1];
}
static __attribute__((noinline)) int constant(int at) {
    char row[24];
    memset(row, 1, sizeof row);
    row[at] = 2;
    return row[0];
}
int main(int argc, char **argv) {
    free(malloc(atoi(argv[1])));
    int sum = varying(atoi(argv[1]));
    char *p = strdup("12345678901234567890123");
    p[sum * atoi(argv[2])] = 3;
    free(p);
    return sum - constant(atoi(argv[2]));
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_no_block_has_the_size_of_an_earlier_one(whence: Whence, level: str) -> None:
    program = whence.build(AGAIN, "again", level, "-w")
    assert located(whence, program, "24", "23") == []
    found = located(whence, "--keep-going", program, "24", "24")
    assert [each["rule"] for each in found] == ["heap-buffer-overflow", "stack-buffer-overflow"]
    assert [sizes(each) for each in found] == [{}, {}]
