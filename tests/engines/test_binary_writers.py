"""Engine ``binary``: which instruction stored the pointer or the index of a wrong access."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.harness.cores import Compile, needs_core
from tests.harness.process import Done, Whence

START = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define APART __attribute__((noinline, noipa)) static
struct node { struct node *next; int value; };
struct list { struct node *head; int count, other; };
"""


def binary(run: Whence, *words: str | Path) -> Done:
    options = ("--enable", "use-of-uninitialized-value", "--keep-going", "--timeout", "60")
    return run.run("--engine", "binary", *options, *words)


def hops(done: Done) -> list[tuple[str, str, int]]:
    """What the chains of the report say: of which value, what happened, and in which line."""
    said, term = [], ""
    for line in done.err.splitlines():
        if found := re.match(r" +whence (.*?)(?: = .*)?: newest first", line):
            term = found[1]
        elif found := re.match(r" +\d+ +(.*?) +prog\.c:(\d+):", line) if term else None:
            said.append((term, found[1], int(found[2])))
        else:
            term = ""
    return said


def line_of(body: str, mark: str) -> int:
    text = (START + body).split(f"/* {mark} */")[0]
    return text.count("\n") + 1


# name: body, with a mark at the store; the terms whose chains lead there
STORES = {
    "pointer": (
        "APART void keep(struct list *l, struct node *n) {\nl->head = n; /* here */\n}"
        "APART int first(struct list *l) { return l->head->value; }\n"
        "int main(void) { struct list *l = calloc(1, sizeof *l); struct node *n = calloc(1, sizeof *n);"
        " keep(l, n); free(n); int r = first(l); free(l); return r; }",
        "r",
    ),
    "index": (
        "APART void count(struct list *l, int n) {\nl->count = n; /* here */\n}"
        "APART int at(struct list *l, int *a) { return a[l->count]; }\n"
        "int main(void) { struct list *l = calloc(1, sizeof *l); int *a = calloc(4, 10); l->other = 3;"
        " count(l, 10); int r = at(l, a); free(a); free(l); return r; }",
        "the index of r",
    ),
    "null": (
        "APART void drop(struct list *l) {\nl->head = NULL; /* here */\n}"
        "APART int first(struct list *l) { return l->head->value; }\n"
        "int main(void) { struct list *l = malloc(sizeof *l); drop(l); return first(l); }",
        "r",
    ),
    "vector": (
        "APART void pair(struct node **to, struct node *a) {\nto[0] = a; to[1] = a; /* here */\n}"
        "APART int second(struct node **from) { return from[1]->value; }\n"
        "int main(void) { struct node **p = calloc(2, 8), *n = calloc(1, sizeof *n); pair(p, n); free(n);"
        " int r = second(p); free(p); return r; }",
        "r",
    ),
    "global": (
        "static struct node *volatile last;\nAPART void keep(struct node *n) {\nlast = n; /* here */\n}"
        "int main(void) { struct node *n = calloc(1, sizeof *n); keep(n); free(n); return last->value; }",
        "r",
    ),
}


@needs_core
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", STORES)
def test_who_stored_it(name: str, level: str, run: Whence, compile_: Compile) -> None:
    body, term = STORES[name]
    done = binary(run, compile_(body, level))
    expected = (term, "stored to memory", line_of(body, "here"))
    assert expected in hops(done), done.err
    assert all(each == expected or each[1].startswith("passed to") for each in hops(done)), done.err


@needs_core
def test_an_argument(run: Whence, compile_: Compile) -> None:
    """A function stores what it gets as an argument; what counts is the call."""
    body = (
        "APART int value(struct node *n) { return n->value; }\n"
        "int main(void) { struct node *n = calloc(1, sizeof *n); free(n);\nreturn value(n); /* here */ }"
    )
    done = binary(run, compile_(body, "-O0"))
    assert hops(done) == [("r", "passed to value", line_of(body, "here"))], done.err


@needs_core
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_which_part_is_the_pointer(level: str, run: Whence, compile_: Compile) -> None:
    """A null pointer is less than its index, and an index may be added to where a variable lies."""
    null = (
        "struct wide { double *a; long i; }; APART double get(struct wide *w) { return w->a[w->i]; }\n"
        "APART void set(struct wide *w) {\nw->a = 0; /* pointer */\nw->i = 100000; /* index */\n}"
        "int main(void) { struct wide w; set(&w); return get(&w); }"
    )
    done = binary(run, compile_(null, level))
    said = {("r", line_of(null, "pointer")), ("the index of r", line_of(null, "index"))}
    assert {(term, line) for term, what, line in hops(done) if what == "stored to memory"} == said, done.err
    table = (
        "static char table[10]; struct wide { long i; };"
        " APART int get(struct wide *w) { return table[w->i]; }\n"
        "int main(void) { struct wide w; w.i = -0x40000000; return get(&w); }"
    )
    done = binary(run, compile_(table, level, "-fno-pie", "-no-pie"))
    assert [each for each in hops(done) if each[0] == "r"] == [], done.err


COPIED = """
struct pair { int a, b; };
APART void copy(long *to, const long *from) {
*to = *from; /* here */
}
APART int large(const long *p) { if (*p > 7) puts("large"); return 0; }
int main(void) {
    long *p = malloc(16), *q = malloc(16);
    q[0] = 0;
    COPY
    int r = large(q + FROM);
    free(p); free(q);
    return r;
}
"""


@needs_core
@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_an_undefined_value_that_was_copied(level: str, run: Whence, compile_: Compile) -> None:
    """The store that copied it is named; a block that was never written has none, whoever had it before."""
    body = COPIED.replace("COPY", "copy(q, p);").replace("FROM", "0")
    done = binary(run, compile_(body, level))
    assert [each[1:] for each in hops(done)] == [("stored to memory", line_of(body, "here"))], done.err
    body = COPIED.replace("COPY", "copy(q + 1, q); free(q); q = malloc(16);").replace("FROM", "1")
    done = binary(run, compile_(body, level))
    assert "error[use-of-uninitialized-value]" in done.err and hops(done) == [], done.err


# Stores that are not the last ones, or that are of other bytes.
UNKNOWN = {
    "copied-over": "memcpy(&l->head, &n, sizeof n);",
    "read": "int p[2]; pipe(p); write(p[1], &n, sizeof n); read(p[0], &l->head, sizeof n);",
    "by-bytes": "for (int i = 0; i < 8; i++) ((volatile char *)&l->head)[i] = ((char *)&n)[i];",
    "between-granules": "struct { int a; void *p; } __attribute__((packed)) *at = (void *)((char *)l - 4);"
    ' at->p = 0; __asm__ volatile("movq %1, 4(%0)" : : "r"((char *)l - 4 + 0), "r"(n) : "memory");'
    ' __asm__ volatile("movl %1, 2(%0)" : : "r"(l), "r"((int)((long)n >> 16)) : "memory");',
    "cleared": "struct list *m = malloc(sizeof *m); m->head = n; free(l); l = m; memset(m, 0, 16); "
    "memcpy(&l->head, &n, sizeof n);",
    "another-block": "free(l); l = calloc(1, sizeof *l); l->other = 1; memcpy(&l->head, &n, sizeof n);",
}


@needs_core
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", UNKNOWN)
def test_what_nobody_knows(name: str, level: str, run: Whence, compile_: Compile) -> None:
    """Other code has stored the pointer since the program did, or a part of it."""
    body = (
        "APART void keep(struct list *l, struct node *n) { l->head = n; }\n"
        "APART int first(struct list *l) { return l->head->value; }\n"
        "int main(void) { struct list *l = malloc(64); l = (void *)((char *)l + 16);"
        " struct node *n = calloc(1, sizeof *n); keep(l, n); BODY free(n); return first(l); }"
    )
    if "free(l)" in UNKNOWN[name]:
        body = body.replace(" l = (void *)((char *)l + 16);", "")
    done = binary(run, compile_(body.replace("BODY", UNKNOWN[name]), level, "-fno-builtin"))
    assert "error[dangling-pointer-dereference]" in done.err, done.err
    assert [each for each in hops(done) if each[1] == "stored to memory"] == [], done.err


@needs_core
def test_no_index_where_a_neighbour_was_stored(run: Whence, compile_: Compile) -> None:
    """Of a granule that two numbers share, the plane knows the last store alone."""
    body = (
        'APART void set(struct list *l) { l->count = 10; __asm__ volatile("" : : : "memory");\n'
        " l->other = 3; }\n"
        "APART int at(struct list *l, int *a) { return a[l->count]; }\n"
        "int main(void) { struct list *l = calloc(1, sizeof *l); int *a = calloc(4, 10); set(l);"
        " int r = at(l, a); free(a); free(l); return r; }"
    )
    done = binary(run, compile_(body, "-O1"))
    assert "error[heap-buffer-overflow]" in done.err
    assert [each for each in hops(done) if each[0] == "the index of r"] == [], done.err
