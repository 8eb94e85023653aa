"""Chains of the lengths that library functions are given, and where numbers lose bits or become negative."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct item { char text[4]; };
static int measured(const char *s) { return strlen(s); }
static short half(int n) { return n; }
int main(int argc, char **argv) {
    int n = atoi(argv[2]);
    char *p = malloc(8), *q = calloc(64, 1), row[8];
    FILE *zero = fopen("/dev/zero", "r");
    switch (argv[1][0]) {
    case 's': memset(p, n, n); break;
    case 'c': memcpy(p, q, n + 1); break;
    case 'm': memmove(row, q, n); q[0] = row[0]; break;
    case 'f': if (!fread(p, sizeof(struct item), n, zero)) return 2; break;
    case 'n': strncpy(p, argv[2], n * 2); break;
    case 'r': if (read(fileno(zero), p, n) < 0) return 2; break;
    case 'x': snprintf(p, n, "%d", n); break;
    case 'v': { size_t size = n; memset(p, 0, size); break; }
    case 'h': { short some = half(n * 1024); memset(p, 0, some); break; }
    case 'l': memset(p, 0, measured(argv[2])); break;
    case 'i': { long at = n; p[at] = 1; break; }
    }
    fclose(zero);
    free(p);
    free(q);
    return 0;
}
"""
Hops = list[tuple[str, str, list[int] | None]]
N: Hops = [("stored", "n", None), ("arithmetic", "atoi(argv[2])", None), ("outside", "argv[2]", None)]


def passed(name: str, *bits: int) -> tuple[str, str, list[int] | None]:
    return "argument", name, [*bits] or None


CASES: dict[str, tuple[str, str, dict[tuple[str, int], Hops]]] = {
    "s": ("8", "9", {("the length", 9): N}),
    "c": ("7", "8", {("the length", 9): [("arithmetic", "n + 1", None), *N]}),
    "m": ("8", "9", {("the length", 9): N}),
    "f": (
        "2",
        "3",
        {
            ("the size of an element", 4): [passed("fread"), ("constant", "4", None)],
            ("the number of elements", 3): [passed("fread"), *N],
        },
    ),
    "n": ("4", "5", {("the length", 10): [passed("strncpy"), ("arithmetic", "n * 2", None), *N]}),
    "r": ("8", "9", {("the length", 9): [passed("read"), *N]}),
    "v": ("8", "-1", {("the length", -1): [("stored", "size", [32, 64]), *N]}),
    "h": (
        "64",
        "40",
        {
            ("the length", 40960 - 65536): [
                ("stored", "some", None),
                ("return", "half", [32, 16]),
                ("argument", "half", None),
                ("arithmetic", "n * 1024", None),
                *N,
            ]
        },
    ),
    "l": (
        "12345678",
        "123456789",
        {("the length", 9): [("return", "measured", [64, 32]), ("outside", "strlen", None)]},
    ),
}
"""By the first argument: what follows it where there is no bug and where there is one, and the chains."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("lengths"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level, "-w") for level in ("-O0", "-O2")}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def located(whence: Whence, *words: object) -> list[dict[str, Any]]:
    return whence.findings("--locate", "always", *words)[1]


def lengths(finding: dict[str, Any]) -> dict[tuple[str, int], Hops]:
    """The chains of the length."""
    return {
        (each["term"], int(each["value"], 16)): [
            (hop["kind"], hop["name"], hop.get("bits")) for hop in each["hops"]
        ]
        for each in finding["chains"]
        if each["term"] not in ("r", "the index of r", "Size(r)")
    }


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("case", CASES)
def test_the_length_has_its_chain(whence: Whence, built: dict[str, Path], case: str, level: str) -> None:
    right, wrong, chains = CASES[case]
    assert located(whence, built[level], case, right) == []
    (found,) = located(whence, built[level], case, wrong)
    expected = {(term, value % (1 << 64)): hops for (term, value), hops in chains.items()}
    assert lengths(found) == expected


def test_a_length_that_is_not_the_access_s_has_none(whence: Whence, built: dict[str, Path]) -> None:
    """`snprintf` writes as much as the text is long; an access of the program has a width of its own."""
    (found,) = located(whence, built["-O0"], "x", "123456789")
    assert found["access"]["size"] == 10 and lengths(found) == {}
    (found,) = located(whence, built["-O0"], "i", "8")
    assert lengths(found) == {}


def test_the_report_says_where_the_number_changes(whence: Whence, built: dict[str, Path]) -> None:
    done, _ = whence.findings("--locate", "always", built["-O0"], "v", "-1")
    assert "whence the length = -1: newest first\n      0  stored to size, negative in 32 bits" in done.err
    done, _ = whence.findings("--locate", "always", built["-O0"], "h", "65")
    assert "returned by half, cut from 32 to 16 bits" in done.err and "negative" not in done.err
