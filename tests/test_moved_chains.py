"""Chains through what moves values unseen: structs passed by value, `qsort`, and what threads return."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct big { long a, b; int *word; char more[20]; };
struct pair { char *name; int key; };
struct odd { char name[3]; unsigned char at; char end; };
static int *lookup(int n) { return n > 5 ? malloc(sizeof(int)) : NULL; }
static int use(struct big v) { return *v.word; }
static int second(struct big v, int n, struct big w) { return n + (v.word == NULL) + *w.word; }
static int deep(struct big v, int n) { v.a++; return n ? deep(v, n - 1) : *v.word; }
static int (*volatile by)(struct big) = use;
static struct big make(int n) { struct big made = {1, 2, lookup(n), ""}; return made; }
static int key(const struct pair *p) { return p->key; }
static int by_key(const void *a, const void *b) { return key(a) - key(b); }
static int by_name(const void *a, const void *b) { return memcmp(a, b, 3); }
static int with(const void *a, const void *b, void *sign) { return *(int *)sign * by_key(a, b); }
static void *work(void *given) { int *made = lookup(*(int *)given); return made; }
static void *left(void *given) { int *made = lookup(*(int *)given); pthread_exit(made); }
int main(int argc, char **argv) {
    int n = atoi(argv[2]), sum = 0;
    struct big v = {1, 2, lookup(n), ""}, good = {1, 2, lookup(9), ""};
    switch (argv[1][0]) {
    case 's': sum = use(v); break;
    case '2': sum = second(good, n, v); break;
    case 'd': sum = deep(v, 3); break;
    case 'p': sum = by(v); break;
    case 'm': sum = use(make(n)); break;
    case 'q': case 'r': {
        struct pair all[40];
        int sign = -1;
        for (int i = 0; i < 40; i++)
            all[i] = (struct pair){i == 7 ? (char *)lookup(n) : "name", (i * 7) % 11};
        if (argv[1][0] == 'q') qsort(all, 40, sizeof *all, by_key);
        else qsort_r(all, 40, sizeof *all, with, &sign);
        for (int i = 0; i < 40; i++) sum += all[i].name[0];
        break;
    }
    case 'o': {
        static int cells[4];
        struct odd all[5];
        for (int i = 0; i < 5; i++) {
            memset(all[i].name, 'a' + (i * 3) % 5, 3);
            all[i].at = i == 3 ? n : 1;
            all[i].end = 0;
        }
        qsort(all, 5, sizeof *all, by_name);
        for (int i = 0; i < 5; i++) sum += cells[all[i].at];
        break;
    }
    case 'j':
    case 'e': {
        pthread_t thread;
        void *got;
        pthread_create(&thread, NULL, argv[1][0] == 'j' ? work : left, &n);
        pthread_join(thread, &got);
        sum = *(int *)got;
        free(got);
        break;
    }
    }
    free(v.word);
    free(good.word);
    return sum == 12345;
}
"""
BORN = [("return", "lookup"), ("constant", "NULL")]
STORED = [("stored", "v.word"), *BORN]
CASES: dict[str, list[tuple[str, str | None]]] = {
    "s": [("argument", "use"), *STORED],
    "2": [("argument", "second"), *STORED],
    "d": [("argument", "deep"), ("argument", "deep"), *STORED],
    "p": [("argument", "by"), *STORED],
    "m": [("argument", "use"), ("stored", "made.word"), *BORN],
    "q": [("copy", "qsort"), ("copy", "all[…]"), ("stored", None), *BORN],
    "r": [("copy", "qsort_r"), ("copy", "all[…]"), ("stored", None), *BORN],
    "j": [("written", "pthread_join"), ("return", "work"), ("stored", "made"), *BORN],
    "e": [("written", "pthread_join"), ("argument", "pthread_exit"), ("stored", "made"), *BORN],
}
LEVELS = ("-O0", "-O2")


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("moved"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level, "-pthread") for level in LEVELS}


def hops(whence: Whence, term: str, *words: str | Path) -> list[tuple[str, str | None]]:
    (found,) = whence.findings("--locate", "always", *words)[1]
    (chain,) = [each for each in found["chains"] if each["term"] == term]
    assert not chain["cut"]
    return [(hop["kind"], hop["name"]) for hop in chain["hops"]]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("case", CASES)
def test_the_chain_goes_on(whence: Whence, built: dict[str, Path], case: str, level: str) -> None:
    assert hops(whence, "r", built[level], case, "1") == CASES[case]


@pytest.mark.parametrize("level", LEVELS)
def test_elements_of_an_odd_size(whence: Whence, built: dict[str, Path], level: str) -> None:
    found = hops(whence, "the index of r", built[level], "o", "9")
    assert found[0] == ("copy", "qsort") and ("stored", "n") in found


@pytest.mark.parametrize("level", LEVELS)
def test_no_finding_where_all_is_right(whence: Whence, built: dict[str, Path], level: str) -> None:
    for case in (*CASES, "o"):
        number = "3" if case == "o" else "9"
        options = ("--locate", "always", "--leak-check", "no")
        done, found = whence.findings(*options, built[level], case, number)
        assert (case, done.status, found) == (case, 0, [])
