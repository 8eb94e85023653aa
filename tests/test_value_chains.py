"""Value propagation chains: programs that are made hop by hop, and the chains that the engine reports."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.harness.chains import hops
from tests.harness.process import Whence

pytestmark = pytest.mark.build

HEAD = """\
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct box { long size; int *p; };
union word { int *p; long bits; double real; };
"""


class Step(NamedTuple):
    """A way to move a value: definitions before `main`, statements, and the hops (kind, name), oldest first.

    N is the step's number, and O stands for the value to move; the statements make ``vN`` of it.
    """

    before: str
    statements: tuple[str, ...]
    hops: tuple[tuple[str, str], ...]


STEPS = {
    "local": Step("", ("int *vN = O;",), ()),
    "field": Step("", ("struct box bN; bN.p = O;", "int *vN = bN.p;"), (("stored", "bN.p"),)),
    "member": Step(
        "",
        ("struct box *mN = malloc(sizeof *mN); mN->p = O;", "int *vN = mN->p;", "free(mN);"),
        (("stored", "mN->p"),),
    ),
    "array": Step("", ("int *aN[3]; aN[1] = O;", "int *vN = aN[1];"), (("stored", "aN[1]"),)),
    "global": Step("static int *gN;", ("gN = O;", "int *vN = gN;"), (("stored", "gN"),)),
    "call": Step(
        "static int *sameN(int *x) { return x; }",
        ("int *vN = sameN(O);",),
        (("argument", "sameN"), ("return", "sameN")),
    ),
    "pointed": Step(
        "int *keepN(int *x) { return x; } int *(*volatile pN)(int *) = keepN;",
        ("int *vN = pN(O);",),
        (("argument", "pN"), ("return", "keepN")),
    ),
    "memcpy": Step(
        "",
        ("struct box cN, dN; cN.p = O;", "memcpy(&dN, &cN, sizeof dN);", "int *vN = dN.p;"),
        (("stored", "cN.p"), ("copy", "dN")),
    ),
    "assignment": Step(
        "",
        ("struct box eN; eN.p = O;", "struct box fN = eN;", "int *vN = fN.p;"),
        (("stored", "eN.p"), ("copy", "fN")),
    ),
    "union": Step(
        "",
        ("union word uN, wN; uN.p = O;", "wN = uN;", "int *vN = wN.p;"),
        (("stored", "uN.p"), ("copy", "wN")),
    ),
    "realloc": Step(
        "",
        ("int **rN = malloc(8); rN[0] = O;", "rN = realloc(rN, 5000);", "int *vN = rN[0];", "free(rN);"),
        (("stored", "rN[0]"), ("copy", "realloc")),
    ),
    "thread": Step(
        "static int *tN; static void *runN(void *x) { tN = x; return NULL; }",
        ("pthread_t hN; pthread_create(&hN, NULL, runN, O);", "pthread_join(hN, NULL);", "int *vN = tN;"),
        (("argument", "pthread_create"), ("stored", "tN"), ("loaded", "tN")),
    ),
    "choice": Step(
        "static volatile int oneN = 1;",
        ("int *vN = oneN ? O : NULL;",),
        (),
    ),
}


def program(names: list[str], end: str) -> tuple[str, list[tuple[str, str]]]:
    """A program that moves the result of `malloc`, and the hops, newest first."""
    before, statements = list[str](), ["    int *v0 = malloc(4);"]
    hops = [("allocation", "malloc"), ("stored", "v0")]
    for number, name in enumerate(names, 1):
        step = STEPS[name]

        def of(text: str, number: int = number) -> str:
            moved = text.replace("NULL", "\0").replace("O", f"v{number - 1}")
            return moved.replace("N", str(number)).replace("\0", "NULL")

        before.append(of(step.before))
        statements += [f"    {of(each)}" for each in step.statements]
        hops += [(kind, of(said)) for kind, said in step.hops] + [("stored", f"v{number}")]
    ending = end.replace("LAST", f"v{len(names)}")
    text = HEAD + "\n".join([*before, "int main(void) {", *statements, f"    {ending}", "    return 0;", "}"])
    return text + "\n", hops[::-1]


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def located(whence: Whence, program_: Path, *words: str) -> list[dict[str, Any]]:
    return whence.findings("--locate", "always", *words, program_)[1]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_every_hop_is_there_and_no_other(whence: Whence, level: str) -> None:
    names = [*STEPS]
    random.Random(level).shuffle(names)
    text, expected = program(names, "free(v0); free(LAST);")
    (found,) = located(whence, whence.build(text, "prog", level, "-pthread"))
    assert found["rule"] == "double-free"
    assert hops(found, "r") == [("argument", "free"), *expected]
    assert hops(found, "r1") == [("argument", "free"), *expected[-2:]]
    lines = text.splitlines()
    for hop in found["chains"][0]["hops"]:
        name = hop["name"].partition("->")[0].partition(".")[0].partition("[")[0]
        assert (hop["function"] and name in lines[hop["line"] - 1]) or hop["kind"] == "return", hop


THREADS = """
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *make(void *unused) { shared = malloc(4); return unused; }
static void *drop(void *unused) {
    int *p = shared;
    free(p);
    return unused;
}
int main(int count, char **words) {
    pthread_t a, b;
    pthread_create(&a, NULL, make, NULL);
    pthread_join(a, NULL);
    pthread_create(&b, NULL, drop, NULL);
    pthread_join(b, NULL);
    if (count > 1) free(shared);
    return 0;
}
"""


def test_hops_name_their_threads(whence: Whence) -> None:
    made = whence.build(THREADS, "prog", "-pthread")
    assert located(whence, made) == []
    done, (found,) = whence.findings("--locate", "always", made, "x")
    freed, first = found["chains"]
    assert [(each["kind"], each["name"], each["thread"]) for each in freed["hops"]] == [
        ("argument", "free", 0),
        ("loaded", "shared", 0),
        ("stored", "shared", 1),
        ("allocation", "malloc", 1),
    ]
    assert [(each["kind"], each["name"], each["thread"]) for each in first["hops"]] == [
        ("argument", "free", 2),
        ("stored", "p", 2),
        ("loaded", "shared", 2),
        ("stored", "shared", 1),
        ("allocation", "malloc", 1),
    ]
    assert re.search(r"0  passed to free +the main thread  .*prog", done.err), done.err
    assert re.search(r"read from shared +thread 2 ", done.err)


def test_threads_that_take_turns_make_a_short_chain(whence: Whence) -> None:
    """Also one whose number has no tag of its own, which the chain says nothing about."""
    text = """
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *turn(void *unused) { int *p = shared; shared = p; return unused; }
int main(void) {
    shared = malloc(4);
    for (int i = 0; i < 1100; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, turn, NULL)) return 1;
        pthread_join(thread, NULL);
    }
    free(shared);
    free(shared);
    return 0;
}
"""
    (found,) = located(whence, whence.build(text, "prog", "-pthread"))
    chain = found["chains"][0]["hops"]
    assert len(chain) < 10 and chain[-1]["kind"] == "allocation"
    assert [each["thread"] for each in chain[:2]] == [0, 0] and chain[-1]["thread"] == 0
    assert any(each["thread"] is None for each in chain)


def test_the_clean_twin_has_no_findings(whence: Whence) -> None:
    text, _ = program([*STEPS], "free(LAST);")
    assert located(whence, whence.build(text, "prog", "-pthread")) == []


def test_null_is_followed_to_its_birth(whence: Whence) -> None:
    text = """
#include <stdlib.h>
struct node { struct node *next; int value; };
static struct node *find(struct node *n, int value) {
    for (; n; n = n->next) if (n->value == value) return n;
    return NULL;
}
int main(void) {
    struct node *all = calloc(1, sizeof *all), *found = find(all, 3);
    return found->value;
}
"""
    (found,) = located(whence, whence.build(text))
    assert found["rule"] == "null-pointer-dereference"
    assert hops(found, "r") == [("stored", "found"), ("return", "find"), ("constant", "NULL")]


def test_zeros_of_calloc_and_of_globals_are_births(whence: Whence) -> None:
    text = """
#include <stdlib.h>
struct node { struct node *next; int value; };
static struct node *first;
int main(int count, char **words) {
    struct node *p = count > 1 ? first : ((struct node *)calloc(1, sizeof *p))->next;
    return p->value;
}
"""
    made = whence.build(text)
    (found,) = located(whence, made)
    assert hops(found, "r") == [("stored", "p"), ("initial", "zero by calloc")]
    found = whence.findings("--locate", "always", made, "x")[1][0]
    assert hops(found, "r") == [("stored", "p"), ("initial", "first")]


def test_an_overflow_has_its_pointer_and_its_index(whence: Whence) -> None:
    text = """
#include <stdlib.h>
#include <unistd.h>
struct header { int kind, length; };
static int last(int *table, struct header *h) {
    int n = h->length + 1;
    return table[n];
}
int main(void) {
    struct header h;
    if (read(0, &h, sizeof h) != sizeof h) return 1;
    int *table = malloc(40);
    return last(table, &h);
}
"""
    made = whence.build(text)
    _, (found,) = whence.findings("--locate", "always", made, stdin=bytes([0, 0, 0, 0, 20, 0, 0, 0]))
    assert hops(found, "r") == [("argument", "last"), ("stored", "table"), ("allocation", "malloc")]
    assert hops(found, "the index of r") == [
        ("stored", "n"),
        ("arithmetic", "h->length + 1"),
        ("outside", "read"),
    ]


def test_what_main_is_called_with_is_named(whence: Whence) -> None:
    prog = whence.build(
        HEAD
        + """
        static int *block;
        static int less(const void *a, const void *b) {
            return block[100 + (a > b)] + block[64 + ((long)a & 127)];
        }
        int main(int argc, char **argv) {
            block = malloc(16);
            int two[] = {1, 2};
            if (argc > 1) qsort(two, 2, sizeof *two, less);
            block[argc + 100] = 1;
            return 0;
        }
        """,
        "main",
    )
    done, found = whence.findings("--locate", "always", prog)
    (chain,) = (each for each in found[0]["chains"] if each["term"] == "the index of r")
    last = chain["hops"][-1]
    said = "number of the program's arguments"
    assert (last["kind"], last["name"], last["source"]) == ("parameter", "argc", said)
    assert f"argc, the {said}" in done.err
    _, found = whence.findings("--locate", "always", "--keep-going", prog, "x")
    births = [chain["hops"][-1] for each in found for chain in each["chains"]]
    assert ("a", None) in [(hop["name"], hop["source"]) for hop in births if hop["kind"] == "parameter"]


def test_a_loop_is_one_hop(whence: Whence) -> None:
    text = """
#include <stdlib.h>
int main(void) {
    char *begin = malloc(5), *p = begin;
    for (int i = 0; i < 6; i++) *p++ = 'a';
    return 0;
}
"""
    (found,) = located(whence, whence.build(text), "--leak-check", "no")
    assert hops(found, "r") == [
        ("stored", "p"),
        ("arithmetic", "&p[1]"),
        ("stored", "p"),
        ("stored", "begin"),
        ("allocation", "malloc"),
    ]
    assert [each["repeated"] for each in found["chains"][0]["hops"]] == [False, True, False, False, False]


MOVED = [("copy", "qsort"), ("stored", "all[2]"), ("allocation", "malloc")]


@pytest.mark.parametrize("sort, before", [("qsort", MOVED), ("sort", [("unseen", "all[0]")])])
def test_what_other_code_has_written_is_not_guessed(
    whence: Whence, sort: str, before: list[tuple[str, str]]
) -> None:
    """The C library's qsort moves pointers, and their cells with them. Of a call by a pointer nobody knows
    which function it was, and the cells still name what stood there before."""
    text = """
#include <stdlib.h>
static int less(const void *a, const void *b) { return *(char **)a < *(char **)b ? 1 : -1; }
static void (*volatile sort)(void *, size_t, size_t, int (*)(const void *, const void *)) = qsort;
int main(void) {
    char *all[3] = {malloc(1), malloc(1), malloc(1)};
    SORT(all, 3, sizeof *all, less);
    free(all[0]);
    free(all[1]);
    free(all[2]);
    free(all[0]);
    return 0;
}
"""
    (found,) = located(whence, whence.build(text.replace("SORT", sort)))
    assert hops(found, "r") == [("argument", "free"), *before]


NAMED = """
#include <stdlib.h>
#include <string.h>
typedef int *T;
struct box { long pad; T it; };
static struct box single, many[3];
static T table[4], matrix[2][3];
static _Thread_local struct box own;
static struct { long pad; T it; struct { long x; T deep; } in[2]; } whole;
static volatile int twice;
static union { T it; long bits; double real; } either;
static union { long one, other; } same;
static T free_twice(T x) { free(x); if (twice) free(x); return NULL; }
int main(int count, char **words) {
    static struct box fixed;
    struct { long pad; T it; struct { long x; T deep; } in[2]; } local;
    T all[6], row[2][3];
    twice = count > 1;
    single.it = malloc(4);
    many[2].it = single.it;
    table[3] = many[2].it;
    matrix[1][2] = table[3];
    own.it = matrix[1][2];
    whole.in[1].deep = own.it;
    fixed.it = whole.in[1].deep;
    local.it = fixed.it;
    local.in[1].deep = local.it;
    row[0][2] = local.in[1].deep;
    all[1] = row[0][2];
    memmove(all + 2, all, 4 * sizeof(T));
    either.it = all[3];
    same.one = either.bits;
    free_twice((T)same.other);
    return 0;
}
"""


def test_hops_have_names_that_the_types_of_llvm_do_not_tell(whence: Whence) -> None:
    """Members and elements of variables that are global, static, of a thread or of types without names, and
    members of unions, unless it could be another one."""
    made = whence.build(NAMED)
    assert located(whence, made) == []
    _, (found,) = whence.findings("--locate", "always", made, "x")
    names = [name for kind, name in hops(found, "r") if kind in ("stored", "copy")]
    assert names == [
        "same",
        "either.it",
        "all[2]",
        "all[1]",
        "row[0][2]",
        "local.in[1].deep",
        "local.it",
        "fixed.it",
        "whole.in[1].deep",
        "own.it",
        "matrix[1][2]",
        "table[3]",
        "many[2].it",
        "single.it",
    ]


RETURNED = """
#include <stdlib.h>
#define NOT_INLINED static __attribute__((noinline))
typedef struct { long pad; int *it; } pair;
typedef struct { int *it; int n; } mixed;
typedef struct { double d; int *it; } real;
static volatile int one = 1, twice;
NOT_INLINED pair make(int *x) { pair made = {.it = x}; return made; }
NOT_INLINED pair outer(int *x) { return make(x); }
NOT_INLINED mixed mix(int *x) { return (mixed){x, 3}; }
NOT_INLINED real of_double(int *x) { real made = {1.0, x}; return made; }
NOT_INLINED int *same(int *x) {
    if (one)
        return x;
    return NULL;
}
static pair (*volatile pointed)(int *) = make;
#define TRY(call) do { int *x = malloc(4), *v = call; free(x); if (twice) free(v); } while (0)
int main(int count, char **words) {
    twice = count > 1;
    TRY(make(x).it);
    TRY(outer(x).it);
    TRY(mix(x).it);
    TRY(of_double(x).it);
    TRY(same(x));
    TRY(pointed(x).it);
    return 0;
}
"""


def test_structs_that_are_returned_in_registers_are_followed(whence: Whence) -> None:
    made = whence.build(RETURNED, "prog", "-O2")
    assert located(whence, made, "--keep-going") == []
    _, found = whence.findings("--locate", "always", "--keep-going", made, "x")
    begin, end = [("argument", "free"), ("stored", "v")], [("stored", "x"), ("allocation", "malloc")]

    def through(name: str, said: str, *stored: str | None) -> list[tuple[str, str | None]]:
        return [("return", name), *(("stored", each) for each in stored), ("argument", said)]

    assert [hops(each, "r") for each in found] == [
        [*begin, *through("make", "make", "made.it"), *end],
        [*begin, ("return", "outer"), *through("make", "make", "made.it"), ("argument", "outer"), *end],
        [*begin, *through("mix", "mix", None), *end],
        [*begin, *through("of_double", "of_double", "made.it"), *end],
        [*begin, *through("same", "same"), *end],
        [*begin, *through("make", "pointed", "made.it"), *end],
    ]
    line = 1 + RETURNED.splitlines().index("        return x;")
    assert [each["line"] for each in found[4]["chains"][0]["hops"] if each["kind"] == "return"] == [line]


REUSED = r"""
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#define NOT_INLINED static __attribute__((noinline))
#define UNSEEN(to, x) __asm__ volatile("mov %1, %0" : "=m"(to) : "r"(x))
#define PUT(to, x) do { if (plainly) to = x; else UNSEEN(to, x); } while (0)
#define TRY(first, then) \
    do { TYPE x = malloc(4); first; TYPE v = then; free(x); if (twice) free(v); } while (0)
typedef int *TYPE;
struct wide { long pad[5]; TYPE it; };
static int one = 1, twice;
static jmp_buf place;
static void (*volatile release)(void *) = free;
NOT_INLINED TYPE local(int plainly, TYPE x) { TYPE a; PUT(a, x); return a; }
NOT_INLINED long integer(int plainly, long x) { long a; PUT(a, x); return a; }
NOT_INLINED long large(int plainly, long x) { long a[9000]; PUT(a[7777], x); return a[7777]; }
NOT_INLINED TYPE varying(int plainly, TYPE x) { TYPE a[one * 9]; PUT(a[7], x); return a[7]; }
NOT_INLINED TYPE given(int plainly, TYPE x) { TYPE *a = alloca(96); PUT(a[7], x); return a[7]; }
NOT_INLINED TYPE passed(int plainly, struct wide a, TYPE x) { PUT(a.it, x); return a.it; }
NOT_INLINED TYPE heap(int plainly, TYPE x) {
    TYPE *a = malloc(24), v;
    PUT(a[2], x);
    v = a[2];
    release(a);
    return v;
}
NOT_INLINED TYPE jumped(int plainly, TYPE x) {
    TYPE a[5];
    PUT(a[3], x);
    if (plainly) longjmp(place, 1);
    return a[3];
}
int main(int count, char **words) {
    struct wide w = {{0}};
    twice = count > 1;
    TRY(local(1, x), local(0, x));
    TRY(integer(1, (long)x), (TYPE)integer(0, (long)x));
    TRY(large(1, (long)x), (TYPE)large(0, (long)x));
    TRY(varying(1, x), varying(0, x));
    TRY(given(1, x), given(0, x));
    TRY(passed(1, w, x), passed(0, w, x));
    TRY(for (int i = 0; i < 3000; i++) heap(1, x), heap(0, x));
    TRY(if (!setjmp(place)) jumped(1, x), jumped(0, x));
    return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", pytest.param("-O2", marks=pytest.mark.slow)])
def test_memory_that_is_used_again_has_no_chain_of_its_earlier_use(whence: Whence, level: str) -> None:
    """Inline assembly stores what instrumented code had stored there in an earlier life of the memory."""
    made = whence.build(REUSED, "prog", level)
    assert located(whence, made, "--keep-going") == []
    _, found = whence.findings("--locate", "always", "--keep-going", made, "x")
    assert [each["rule"] for each in found] == ["double-free"] * 8
    unseen = [next(kind for kind, _ in hops(each, "r")[::-1]) for each in found]
    assert unseen == ["unseen"] * 8


def test_no_chain_without_the_option(whence: Whence) -> None:
    text, _ = program(["local"], "free(v0); free(LAST);")
    _, (found,) = whence.findings(whence.build(text))
    assert "chains" not in found


@pytest.mark.parametrize("term", [" * 3 + 1", " + b"])
def test_an_expression_of_very_many_operations(whence: Whence, term: str) -> None:
    text = f"""
#include <stdlib.h>
int main(void) {{
    volatile unsigned a = 3, b = 200;
    unsigned x = (a << 1){term * 1500};
    int *p = malloc(16);
    p[x % 300 + 10] = 1;
    return b == 0;
}}
"""
    (found,) = located(whence, whence.build(text), "--leak-check", "no")
    (chain,) = [each for each in found["chains"] if each["term"] == "the index of r"]
    assert ("stored", "x") in [(each["kind"], each["name"]) for each in chain["hops"]]


UNNAMED = """
#include <stdlib.h>
struct node {
    int kind;
    union { int *one; double real; };
    struct { int count; union { int *small; double large; }; };
};
static int *lookup(int n) { return n ? malloc(4) : NULL; }
int main(int argc, char **argv) {
    struct node local = {0}, *heap = calloc(1, sizeof *heap);
    int n = argv[2][0] - '0';
    switch (argv[1][0]) {
    case 'l': local.one = lookup(n); return *local.one;
    case 'h': heap->one = lookup(n); return *heap->one;
    case 'b': heap->small = lookup(n); return *heap->small;
    }
    return 0;
}
"""


@pytest.mark.parametrize(
    ("case", "name"), [("l", "local.one"), ("h", "heap->one"), ("b", "heap->small")]
)
def test_members_of_unions_without_names(whence: Whence, case: str, name: str) -> None:
    command = ("--locate", "always", "--leak-check", "no", whence.build(UNNAMED), case)
    (found,) = whence.findings(*command, "0")[1]
    assert hops(found, "r")[0] == ("stored", name)
    assert whence.findings(*command, "1")[1] == []
