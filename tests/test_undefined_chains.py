"""Chains of undefined values: from where nothing was written, through each copy, to the use."""

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
#define NOT_INLINED __attribute__((noinline))
struct pair { int first, second; };
union value { char small; long wide; };
static NOT_INLINED void put(union value *v, int c, int is_good) {
    if (is_good) v->wide = c;
    else v->small = c;
}
struct three { long a, b, c; };
static NOT_INLINED int same(int v) { return v; }
static NOT_INLINED struct three make(int is_good) {
    struct three t;
    t.a = 1;
    if (is_good) t.b = 2;
    return t;
}
static struct pair kept;
static void decide(int *values) {
    if (values[1]) puts("x");
}
int main(int argc, char **argv) {
    int good = atoi(argv[2]), x, y;
    int *p = good ? calloc(20, 4) : malloc(80), *more = NULL;
    char *text = (char *)p;
    switch (argv[1][0]) {
    case 'h': { int a = p[1]; int b = a; if (b) puts("x"); break; }
    case 'v': if (good) x = 1; y = x; if (same(y)) puts("x"); break;
    case 's': { struct pair r = *(struct pair *)p; kept = r; if (kept.second) puts("x"); break; }
    case 'm': { int b[20]; memcpy(b, p, 80); if (b[3] == argc) puts("x"); break; }
    case 'r': p = realloc(p, 800); if (p[2]) puts("x"); break;
    case 't': { struct three t = make(good); if (t.b) puts("x"); break; }
    case 'c': if (text[3]) puts("x"); break;
    case 'a': { int i = p[2] & 1; int all[2] = {0}; if (all[i]) puts("x"); break; }
    case 'w': fwrite(p + 1, 4, 1, stderr); break;
    case '2': { int i = argc; if (p[0] < i) puts("x"); break; }
    case 'd': decide(p); break;
    case 'l':
        for (int i = 0; i < 2; i++) {
            int fresh;
            if (good || !i) fresh = argc;
            if (fresh == 7) puts("x");
        }
        break;
    case 'u': { union value *v = (void *)p; put(v, argc, good); if (v->wide == argc) puts("x"); break; }
    case 'e': x = p[1]; free(p); return x;
    }
    free(p);
    return 0;
}
"""
Hops = list[tuple[str, str]]
CASES: dict[str, dict[str, Hops]] = {
    "h": {"v": [("stored", "b"), ("stored", "a"), ("undefined", "p[1]")]},
    "v": {"v": [("return", "same"), ("argument", "same"), ("stored", "y"), ("undefined", "x")]},
    "s": {"v": [("copy", "kept"), ("copy", "r"), ("undefined", "*p")]},
    "m": {"v": [("copy", "b"), ("undefined", "*p")]},
    "r": {"v": [("copy", "realloc"), ("undefined", "")]},
    "c": {"v": [("undefined", "text[3]")]},
    "2": {"v": [("undefined", "p[0]")]},
    "d": {"v": [("undefined", "values[1]")]},
    "l": {"v": [("undefined", "fresh")]},
    "u": {"v": [("undefined", "a part of v->wide")]},
    "t": {"v": [("undefined", "t.b")]},
    "a": {
        "v": [("address", "all")],
        "the index of v": [("stored", "i"), ("arithmetic", "p[2] & 1"), ("undefined", "p[2]")],
    },
    "w": {
        "the pointer to v": [
            ("argument", "fwrite"),
            ("arithmetic", "&p[1]"),
            ("stored", "p"),
            ("allocation", "malloc"),
        ]
    },
    "e": {"v": [("return", "main"), ("stored", "x"), ("undefined", "p[1]")]},
}
"""By the first argument, where 0 follows: the chains by term."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("undefined"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level, "-w") for level in ("-O0", "-O2")}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def used(whence: Whence, *words: object) -> list[dict[str, Any]]:
    return whence.findings("--enable", "use-of-uninitialized-value", "--locate", "always", *words)[1]


def chains(finding: dict[str, Any]) -> dict[str, Hops]:
    assert not any(each["cut"] for each in finding["chains"])
    return {
        each["term"]: [(hop["kind"], hop["name"] or "") for hop in each["hops"]] for each in finding["chains"]
    }


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("case", CASES)
def test_the_path_of_an_undefined_value(
    whence: Whence, built: dict[str, Path], case: str, level: str
) -> None:
    assert used(whence, built[level], case, "1") == []
    (found,) = used(whence, built[level], case, "0")
    assert found["rule"] == "use-of-uninitialized-value"
    assert chains(found) == CASES[case]


LINES = """
#include <stdlib.h>
int main(int argc, char **argv) {
    int *p = malloc(8), *q = malloc(8);
    q[0] = atoi(argv[1]);
    int of_q = q[0];
    int of_p = p[0];
    if (of_q) of_q = 2;
    free(q);
    free(p);
    return of_q
        + of_p;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_no_use_has_the_chain_of_another(whence: Whence, level: str) -> None:
    (found,) = used(whence, whence.build(LINES, "lines", level, "-w"), "1")
    assert found["access"]["use"] == "status"
    assert chains(found) == {
        "v": [("return", "main"), ("computed", "of_q + of_p")],
        "the first operand of of_q + of_p": [("stored", "of_q"), ("constant", "2")],
        "the second operand of of_q + of_p": [("stored", "of_p"), ("undefined", "p[0]")],
    }


def test_every_report_tells_the_birth(whence: Whence, built: dict[str, Path], tmp_path: Path) -> None:
    page, results = tmp_path / "page.html", tmp_path / "results.sarif"
    words = ("--locate", "always", "--html", page, "--sarif", results, built["-O0"], "v", "0")
    done, (found,) = whence.findings("--enable", "use-of-uninitialized-value", *words)
    assert "whence v: newest first\n      0  returned by same " in done.err
    assert "      3  undefined value of x " in done.err
    birth = found["chains"][0]["hops"][-1]
    lines = PROGRAM.splitlines()
    assert "int good = atoi(argv[2]), x, y;" in lines[birth["line"] - 1]
    assert "undefined value of x" in results.read_text()
    assert "undefined value of x" in page.read_text()
