"""Engine ``binary``: undefined values in programs of an ordinary compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.cores import CORE, Compile, needs_core
from tests.harness.process import Done, Whence

RULE = "use-of-uninitialized-value"
START = """
#define _GNU_SOURCE
#include <emmintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#define APART __attribute__((noinline, noipa)) static
"""


def binary(run: Whence, *words: str | Path) -> Done:
    return run.run("--engine", "binary", "--enable", RULE, "--keep-going", "--timeout", "60", *words)


def found(done: Done) -> list[str]:
    return [line.split("[")[1].split("]")[0] for line in done.err.splitlines() if line.startswith("error[")]


ALSO = {"table-too-long-and-undefined": ("heap-buffer-overflow",)}
"""What else is wrong with some of them."""

# name: body, with FAULT where the twin has less. What an optimising compiler would leave out goes through
# functions of their own.
BUGS = {
    "local": "APART int f(int *p) { return *p; } int main(int n, char **v) { int x; if (!FAULT) x = n;"
    ' if (f(&x) > 3) puts("more"); return 0; }',
    "bit-field": "struct s { unsigned a : 3, b : 5; };"
    "int main(int n, char **v) { struct s *p = malloc(sizeof *p); p->a = n; if (!FAULT) p->b = 2;"
    ' if (p->a == 5) puts("five"); if (p->b > 3) puts("more"); free(p); return 0; }',
    "part-of-a-word": "int main(int n, char **v) { unsigned char *p = malloc(4); unsigned w; p[0] = p[1]"
    " = p[2] = n;"
    ' if (!FAULT) p[3] = 1; memcpy(&w, p, 4); if (w & 0xffff) puts("low"); if (w & 0xff000000) puts("high");'
    " free(p); return 0; }",
    "memcmp": "int main(int n, char **v) { char *p = malloc(20), *q = calloc(1, 20); memset(p, 0, FAULT ?"
    " 10 : 20);"
    ' if (memcmp(p, q, 20)) puts("differ"); free(p); free(q); return 0; }',
    "strcmp": "int main(int n, char **v) { char *p = malloc(20); p[0] = 'a'; if (!FAULT) p[1] = 0; p[19] = 0;"
    ' if (strcmp(p, "ab")) puts("differ"); free(p); return 0; }',
    "realloc": "int main(int n, char **v) { int *p = malloc(40); for (int i = 0; i < 10; i++) if (i != 3"
    " || !FAULT)"
    ' p[i] = n; p = realloc(p, 4000); if (p[3] > 5) puts("more"); free(p); return 0; }',
    "copied-struct": "struct s { char c; int x; long y[6]; };"
    "int main(int n, char **v) { struct s *p = malloc(sizeof *p), *q = malloc(sizeof *q); p->c = 1;"
    " if (!FAULT) p->x = n; for (int i = 0; i < 6; i++) p->y[i] = i; *q = *p;"
    ' if (q->c) puts("c"); if (q->y[3] == 9) puts("9"); if (q->x == 77) puts("x"); free(p); free(q);'
    " return 0; }",
    "written-to-a-file": "int main(int n, char **v) { char *p = malloc(20); memset(p, 'a', FAULT ? 10 : 20);"
    " write(1, p, 20); free(p); return 0; }",
    "floating": "int main(int n, char **v) { double *p = malloc(16); p[0] = n; double d = p[FAULT] * 2 + 1;"
    ' if (d > 3) puts("more"); free(p); return 0; }',
    "x87": "int main(int n, char **v) { long double *p = malloc(64); p[0] = n; long double d = p[FAULT] / 3;"
    ' if (d > 1) puts("more"); free(p); return 0; }',
    "vectors": "int main(int n, char **v) { char *p = malloc(32); memset(p, 1, FAULT ? 24 : 32);"
    " __m128i a = _mm_loadu_si128((void *)(p + 16)); int m = _mm_movemask_epi8(_mm_cmpeq_epi8(a,"
    " _mm_set1_epi8(n)));"
    ' if (m & 1) puts("first"); if (m & 0x8000) puts("last"); free(p); return 0; }',
    "zeros-counted": "int main(int n, char **v) { char *p = malloc(32); memset(p, 1, FAULT ? 4 : 8);"
    " p[FAULT ? 20 : 5] = 0;"
    " __m128i x = _mm_loadu_si128((void *)p); int m = _mm_movemask_epi8(_mm_cmpeq_epi8(x,"
    " _mm_setzero_si128()));"
    ' if (m && __builtin_ctz(m) < 9) puts("near"); free(p); return 0; }',
    "sorted": "struct e { int k, v; }; static int by_k(const void *a, const void *b) { return *(int *)a -"
    " *(int *)b; }"
    "APART int large(const struct e *p) { int s = 0; for (int i = 0; i < 8; i++) if (p[i].v > 3)"
    ' puts("l"); return s; }'
    "int main(int n, char **v) { struct e *p = malloc(64); for (int i = 0; i < 8; i++) { p[i].k = i * 5 % 8;"
    " if (i != 2 || !FAULT) p[i].v = i; } qsort(p, 8, 8, by_k); large(p); free(p); return 0; }",
    "kept-over-a-call": "int main(int n, char **v) { int *p = malloc(8); p[0] = n; int x = p[FAULT];"
    ' printf("%d\\n", n); if (x > 40) puts("more"); free(p); return 0; }',
    "printed": 'int main(int n, char **v) { int *p = malloc(8); p[0] = n; printf("%d\\n", p[FAULT]);'
    " free(p); return 0; }",
    "alloca": "int main(int n, char **v) { int *p = __builtin_alloca(n * 400); for (int i = 0; i < 100 *"
    " n; i++)"
    ' if (i != 50 || !FAULT) p[i] = i; if (p[50] == 77) puts("x"); return 0; }',
    "beyond-the-pushes": "APART void fill(char *to, int n) { memset(to, 1, n); }"
    "APART int last(const char *from) { return from[15]; }"
    "int main(int n, char **v) { char some[16], more[64]; fill(more, 64); fill(some, FAULT ? 12 : 16);"
    ' if (last(some) == 2) puts("two"); return more[n] - 1; }',
    "size-of-a-block": "int main(int n, char **v) { size_t *p = malloc(16); if (!FAULT) p[1] = 8; void"
    " *volatile q = malloc(p[1] & 15); free(q); free(p); return 0; }",
    "descriptor": "int main(int n, char **v) { int *p = malloc(16); if (!FAULT) p[1] = 1; write(p[1],"
    " v[0], 1); free(p); return 0; }",
    "flags-on-the-fifth-place": "int main(int n, char **v) { struct iovec parts[] = {{v[0], 1}};"
    " int *p = malloc(16); if (!FAULT) p[1] = 0; preadv2(-1, parts, 1, 0, p[1]); free(p); return 0; }",
    "by-number": "int main(int n, char **v) { int *p = malloc(16); if (!FAULT) p[1] = 0;"
    ' syscall(SYS_execveat, -1, "none", v, (char *[]){0}, p[1]); free(p); return 0; }',
    "status": "int main(int n, char **v) { int *p = malloc(16), x; if (!FAULT) p[1] = 0; x = p[1];"
    " free(p); exit((x & 0x300) >> 8); }",
    "status-of-main": "int main(int n, char **v) { int *p = malloc(16), x; if (!FAULT) p[1] = 0; x = p[1];"
    " free(p); return (x & 0x300) >> 8; }",
    "table-too-long-and-undefined": "int main(int n, char **v) { struct pollfd *p = malloc(2 * sizeof *p"
    " - !!FAULT); p[0].fd = p[0].events = p[1].events = 0; if (!FAULT) p[1].fd = -1; poll(p, 2, 0); free(p);"
    " return 0; }",
}


@needs_core
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", BUGS)
def test_bugs_and_their_clean_twins(name: str, level: str, run: Whence, compile_: Compile) -> None:
    buggy = binary(run, compile_(BUGS[name].replace("FAULT", "1"), level))
    assert set(found(buggy)) == {RULE, *ALSO.get(name, ())}, buggy.err
    clean = binary(run, compile_(BUGS[name].replace("FAULT", "0"), level))
    assert not found(clean), clean.err


CLEAN = {
    "padding": "struct s { char c; long x; short z; };"
    "int main(int n, char **v) { struct s a = {1, 2, 3}, *p = malloc(sizeof *p), *q = malloc(sizeof *q);"
    " p->c = n; p->x = 2; p->z = n; for (int i = 0; i < 100; i++) { *q = *p; *p = *q; a = *q; }"
    ' if (a.c + q->x + a.z == 77) puts("x"); free(p); free(q); return 0; }',
    "texts-a-word-at-a-time": "int main(int n, char **v) { int t = 0; for (int k = 1; k < 40; k++) { char"
    " *p = malloc(k);"
    " memset(p, 'a', k - 1); p[k - 1] = 0; t += strlen(p); if (strchr(p, 'b')) puts(\"b\");"
    ' if (!strcmp(p, "aaaa")) t++; free(p); } if (t > 5000) puts("x"); return 0; }',
    "bit-fields-set-one-by-one": "struct s { unsigned a : 3, b : 7, c : 1, d : 20; };"
    'int main(int n, char **v) { struct s *p = malloc(sizeof *p); p->a = n; if (p->a == 5) puts("5");'
    " p->b = n;"
    ' p->c = 1; if (p->b == 9 || !p->c) puts("x"); p->d = 7; if (p->d != 7) puts("z"); free(p); return 0; }',
    "values-with-tags": "struct t { long v; char tag; }; int main(int n, char **v) {"
    " struct t *p = malloc(160), *q = malloc(160); for (int i = 0; i < 10; i++) { p[i].v = i; p[i].tag ="
    " i & 1; }"
    " for (int i = 0; i < 10; i++) q[i] = p[9 - i]; int s = 0; for (int i = 0; i < 10; i++) if (q[i].tag)"
    ' s += q[i].v; if (s == 3) puts("x"); free(p); free(q); return 0; }',
    "bits-that-cancel": "int main(int n, char **v) { unsigned *p = malloc(8); unsigned x = p[0], w ="
    " p[1]; x ^= x;"
    ' if (x) puts("x"); w = (w & 0xffff0000) | 5; if ((w & 0xff) != 5) puts("w"); w >>= 16; w <<= 16;'
    ' if (w & 0xffff) puts("y"); if (p[0] * (n - 1)) puts("z"); free(p); return 0; }',
    "longjmp": "static jmp_buf start; APART void back(int *p) { int x = *p;"
    ' __asm__ volatile("mov %0, %%ebx\\n mov %0, %%r12d" : : "r"(x) : "rbx", "r12"); longjmp(start, 1); }'
    "int main(int n, char **v) { int *p = malloc(4); int a = n, c = n * 3; if (!setjmp(start)) back(p);"
    ' if (a > 30 || c > 90) puts("x"); free(p); return 0; }',
    "variable-arguments": "APART int sum(int n, ...) { va_list a; va_start(a, n); int s = 0; while (n--)"
    " s += va_arg(a, int); va_end(a); return s; } int main(int n, char **v) {"
    ' if (sum(9, 1, 2, 3, 4, 5, 6, 7, 8, n) == 77) puts("x"); char b[100];'
    ' snprintf(b, 100, "%d %s %f", n, "x", 1.5); if (strlen(b) > 50) puts("y"); return 0; }',
    "handler": "static volatile int got; static void handle(int n) { got = n; char c[100]; memset(c, n, 100);"
    ' if (c[3] != n) puts("z"); } int main(int n, char **v) { signal(SIGUSR1, handle); raise(SIGUSR1);'
    ' if (got != SIGUSR1) puts("x"); return 0; }',
    "read-from-the-kernel": 'int main(int n, char **v) { int p[2]; pipe(p); write(p[1], "abcdef", 6);'
    " char *b = malloc(10); int k = read(p[0], b, 10); for (int i = 0; i < k; i++) if (b[i] == 'd')"
    ' puts("d");'
    " char *c = malloc(1025); if (getcwd(c, 1025) && c[0] != '/') puts(\"c\"); free(b); free(c); return 0; }",
    "bit-test-and-red-zone": "APART long leaf(long a, long i) { volatile long kept[4]; kept[0] = a;"
    " unsigned char c;"
    ' __asm__("bt %2, %1; setc %0" : "=r"(c) : "r"(a), "r"(i) : "cc"); return kept[0] + c; }'
    'int main(int n, char **v) { if (leaf(n, 3) == 77) puts("x"); return 0; }',
    "table-before-an-index": "static int table[100]; APART int at(long i) { return table[i + 40]; }"
    'int main(int n, char **v) { table[3] = n; if (at(-37 * n) == 5) puts("x"); return 0; }',
}


@needs_core
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", CLEAN)
def test_clean_programs(name: str, level: str, run: Whence, compile_: Compile) -> None:
    done = binary(run, compile_(CLEAN[name], level, "-fno-pie", "-no-pie"))
    assert not found(done), done.err


@needs_core
def test_where_a_value_comes_from(run: Whence, compile_: Compile) -> None:
    """A copy of a copy has the origin of the first; a local variable that of its function."""
    body = """
APART int *made(void) { return malloc(40); }
APART int above(const int *p) { return *p > 3; }
APART int from_stack(void) { int x; return above(&x); }
int main(void) {
    int *p = made(), *q = calloc(1, 40), *r = malloc(40);
    memcpy(q, p, 40);
    r[2] = q[5];
    if (above(r + 2)) puts("heap");
    if (from_stack()) puts("stack");
    free(p); free(q); free(r);
    return 0;
}
"""
    done = binary(run, compile_(body, "-O1"))
    assert found(done) == [RULE, RULE], done.err
    first, second = done.err.split(f"error[{RULE}]")[1:3]
    assert "0  made" in first.split("never written since")[1]
    assert "from_stack" in second.split("never written since")[1]


@needs_core
def test_without_the_rule_nothing_is_followed(run: Whence, compile_: Compile) -> None:
    program = compile_(BUGS["local"].replace("FAULT", "1"), "-O0")
    assert not found(run.run("--engine", "binary", "--disable", RULE, program))


@needs_core
def test_requests_about_bits(run: Whence, compile_: Compile) -> None:
    assert CORE is not None
    body = """
#include <valgrind/memcheck.h>
int main(void) {
    char *p = calloc(1, 8), bits[8];
    VALGRIND_MAKE_MEM_UNDEFINED(p, 8);
    VALGRIND_MAKE_MEM_DEFINED(p + 2, 2);
    VALGRIND_GET_VBITS(p, bits, 8);
    for (int i = 0; i < 8; i++) printf("%02x", (unsigned char)bits[i]);
    bits[3] = 0x10;
    VALGRIND_SET_VBITS(p, bits, 4);
    if (p[3] & 8) puts("8");
    if (p[3] & 16) puts("16");
    free(p);
    return 0;
}
"""
    done = binary(run, compile_(body, "-O0", f"-I{CORE.headers.parent}"))
    assert b"ffff0000ffffffff" in done.out, done.err
    assert found(done) == [RULE], done.err
