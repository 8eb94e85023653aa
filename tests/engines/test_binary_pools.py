"""Memory that a program's own allocator hands out, as client requests of ``valgrind.h`` tell, under an engine
that executes the program and under one that builds it."""

from __future__ import annotations

import pytest
from tests.harness.cores import CORE, Compile, needs_core
from tests.harness.process import Done, Whence

UNDEFINED = "use-of-uninitialized-value"
START = """
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <valgrind/memcheck.h>
"""
POOL = (
    "static char *arena, *next; static void *get(int size) { char *p = next + 16; next = p + size + 16;"
    " VALGRIND_MEMPOOL_ALLOC(arena, p, size); return p; }"
    "static void make(int mapped) { next = arena = mapped"
    " ? mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : malloc(4096);"
    " memset(arena, 0, 4096); VALGRIND_CREATE_MEMPOOL(arena, 8, 0);"
    " VALGRIND_MAKE_MEM_NOACCESS(arena, 4096); }"
)

# name: body, with FAULT where the twin has less; the rules found; words of the report
BUGS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "lost-of-a-pool": (
        POOL + "static void *kept; int main(void) { make(0); void *volatile p = get(40); kept = get(24);"
        " if (FAULT) p = 0; else VALGRIND_MEMPOOL_FREE(arena, p); return 0; }",
        ("definite-leak",),
        "1 block, 40 bytes, allocated in get",
    ),
    "lost-of-a-mapping": (
        POOL
        + "static void *kept; int main(void) { make(1); void *volatile p = get(40); kept = FAULT ? 0 : p;"
        " p = 0; return 0; }",
        ("definite-leak",),
        "1 block, 40 bytes, allocated in get",
    ),
    "lost-list": (
        POOL + "struct node { struct node *next; }; static struct node *kept; int main(void) { make(0);"
        " for (int i = 0; i < 3; i++) { struct node *n = get(sizeof *n); n->next = kept; kept = n; }"
        " if (FAULT) kept = kept->next->next; return 0; }",
        ("definite-leak",),
        "1 block, 8 bytes, allocated in get, and 1 block, 8 bytes, reachable only from it",
    ),
    "lost-of-no-pool": (
        "static char *kept; int main(void) { char *volatile p = kept = malloc(100);"
        " VALGRIND_MALLOCLIKE_BLOCK(p + 16, 50, 0, 0); if (!FAULT) VALGRIND_FREELIKE_BLOCK(p + 16, 0);"
        " p = 0; return 0; }",
        ("definite-leak",),
        "1 block, 50 bytes",
    ),
    "lost-in-a-pool-of-pools": (
        "static char memory[4096], pool; int main(void) {"
        " VALGRIND_CREATE_MEMPOOL_EXT(&pool, 0, 0, VALGRIND_MEMPOOL_METAPOOL |"
        " (FAULT ? 0 : VALGRIND_MEMPOOL_AUTO_FREE)); VALGRIND_MEMPOOL_ALLOC(&pool, memory, sizeof memory);"
        " VALGRIND_MALLOCLIKE_BLOCK(memory + 64, 50, 0, 1); VALGRIND_MEMPOOL_FREE(&pool, memory);"
        " return 0; }",
        ("definite-leak",),
        "1 block, 50 bytes",
    ),
    "given-back-twice": (
        POOL + "int main(void) { make(1); void *p = get(40); VALGRIND_MEMPOOL_FREE(arena, p);"
        " if (FAULT) VALGRIND_MEMPOOL_FREE(arena, p); return 0; }",
        ("unmatched-free",),
        "VALGRIND_MEMPOOL_FREE of 0x",
    ),
    "given-back-to-another-pool": (
        POOL + "int main(void) { make(1); void *p = get(40); VALGRIND_MEMPOOL_FREE(arena + FAULT, p);"
        " VALGRIND_DESTROY_MEMPOOL(arena); return 0; }",
        ("unmatched-free",),
        "VALGRIND_MEMPOOL_FREE of 0x",
    ),
    "never-handed-out": (
        "static char memory[100]; int main(void) { VALGRIND_MALLOCLIKE_BLOCK(memory + 16, 50, 0, 1);"
        " VALGRIND_FREELIKE_BLOCK(memory + 16 + FAULT, 0); return 0; }",
        ("definite-leak", "free-of-global"),
        "VALGRIND_FREELIKE_BLOCK of ",
    ),
    "request-of-a-leaf": (
        "static int hand(void) { char all[64], *p = all + 16; VALGRIND_MALLOCLIKE_BLOCK(p, 16, 8, 1);"
        " p[15 + FAULT] = 1; p[0] = 2; VALGRIND_FREELIKE_BLOCK(p, 8); return all[0] & 0; }"
        "int main(void) { return hand(); }",
        ("use-after-poison",),
        "write of 1 byte in hand",
    ),
    "undefined-in-a-leaf": (
        "static char make(char x) { char y = x; if (FAULT) VALGRIND_MAKE_MEM_UNDEFINED(&y, 1); return y; }"
        "int main(int n, char **v) { return make(n) == 9 ? 7 : 0; }",
        ("use-of-uninitialized-value",),
        "branch that depends on it in main",
    ),
    "read-across-a-closed-byte": (
        "int main(int n, char **v) { char *p = calloc(1, 64), *q = calloc(1, 64);"
        " VALGRIND_MAKE_MEM_UNDEFINED(p + 3, FAULT); if (FAULT) VALGRIND_MAKE_MEM_NOACCESS(p + 16, 8);"
        ' __asm__("movups 2(%0), %%xmm7; movups %%xmm7, (%1)" :: "r"(p), "r"(q) : "xmm7", "memory");'
        " n = q[1] == 9 ? 7 : 0; free(p); free(q); return n; }",
        ("use-after-poison", "use-of-uninitialized-value"),
        "branch that depends on it in main",
    ),
    "arena-given-back-as-a-whole": (
        POOL + "static char *kept; int main(void) { make(0); void *volatile p = get(40); p = 0; if (FAULT)"
        " return 0; VALGRIND_MAKE_MEM_DEFINED(arena, 4096); free(arena); kept = malloc(4096); return 0; }",
        ("definite-leak",),
        "1 block, 40 bytes",
    ),
}
ALONE = {"request-of-a-leaf", "undefined-in-a-leaf", "read-across-a-closed-byte"}
"""They are about how the engine that executes programs answers."""


def rules(done: Done) -> list[str]:
    return sorted(
        line.split("[")[1].split("]")[0] for line in done.err.splitlines() if line.startswith("error[")
    )


@needs_core
@pytest.mark.parametrize("name", sorted(BUGS))
def test_bugs_and_their_clean_twins(name: str, run: Whence, compile_: Compile) -> None:
    assert CORE is not None
    body, expected, words = BUGS[name]
    include = ("-I", str(CORE.headers.parent))
    for fault, found in (1, sorted(expected)), (0, []):
        program = compile_(body, f"-DFAULT={fault}", *include, name=f"{name}{fault}")
        options = ("--engine", "binary", "--keep-going", "--timeout", "60", "--enable", UNDEFINED)
        done = run.run(*options, program)
        assert rules(done) == found, done.err
        assert words in done.err or not fault, done.err


@needs_core
@pytest.mark.parametrize("name", sorted(set(BUGS) - ALONE))
def test_the_same_of_programs_that_are_built(name: str, run: Whence) -> None:
    assert CORE is not None
    body, expected, words = BUGS[name]
    for fault, found in (1, sorted(expected)), (0, []):
        flags = (f"-DFAULT={fault}", "-I", str(CORE.headers.parent))
        done = run.run("--keep-going", "--timeout", "60", run.build(START + body, f"built{fault}", *flags))
        assert rules(done) == found, done.err
        assert words in done.err or not fault, done.err
