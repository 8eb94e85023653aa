"""Functions that resolvers choose: the dynamic linker would call those before the runtime has begun."""

from __future__ import annotations

import subprocess

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

CHOSEN = r"""
#include <stdarg.h>
struct big { int a[10]; };
#ifdef LIBRARY
static int known(int level) { return level == 6; }
#else
int known(int);
#endif
static double scaled(double x, float y, int n) { return x * n + y; }
static double wrong(double x, float y, int n) { return 0 * x * y * n; }
static double (*choose(void))(double, float, int) {
    int found[4] = {0, 1, 2, 3}, sum = 0;
    for (int i = 0; i < 4; i++) sum += found[i];
    return known(sum) ? scaled : wrong;
}
double pick(double, float, int) __attribute__((ifunc("choose")));
static double own(double, float, int) __attribute__((ifunc("choose")));
double (*const table[])(double, float, int) = {pick, own};
static int add(int n, ...) {
    va_list list;
    int sum = 0;
    va_start(list, n);
    while (n--) sum += va_arg(list, int);
    va_end(list);
    return sum;
}
static int (*choose_add(void))(int, ...) { return add; }
int sum_of(int, ...) __attribute__((ifunc("choose_add")));
static struct big change(struct big b, int n) { b.a[1] += n; return b; }
static struct big (*choose_change(void))(struct big, int) { return change; }
struct big changed(struct big, int) __attribute__((ifunc("choose_change")));
__attribute__((target_clones("avx2", "default"))) int squares(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += i * i;
    return sum;
}
double of_own(void) { return own(2, 1, 3); }
"""
MAIN = r"""
#include <stdio.h>
struct big { int a[10]; };
double pick(double, float, int), of_own(void);
extern double (*const table[])(double, float, int);
int sum_of(int, ...), squares(int);
struct big changed(struct big, int);
static int levels[8] = {0, 0, 0, 0, 0, 0, 1};
int known(int level) { return levels[level]; }
#ifdef EARLY
static double early;
static void first(void) { early = pick(1.5, 2.5f, 2); }
__attribute__((section(".preinit_array"), used)) static void (*const entry)(void) = first;
#endif
int main(void) {
    struct big b = {{1, 2, 3}};
    __builtin_cpu_init();
#ifdef EARLY
    printf("%g ", early);
#endif
    printf("%g %g %g ", pick(1, 2, 3), of_own(), table[1](1, 1, 1));
    printf("%d %d %d ", sum_of(3, 1, 2, 3), changed(b, 4).a[1], squares(4));
    printf("%d\n", !!__builtin_cpu_supports("sse2"));
    return 0;
}
"""
BUGGY = """
#include <stdio.h>
#include <stdlib.h>
static int twice(int x) { return x * 2; }
__attribute__((noinline)) static int is_known(int index) {
    char *p = malloc(4);
    p[index] = 1;
    free(p);
    return index > 0;
}
static int (*choose(void))(int) { return is_known(atoi(getenv("INDEX"))) ? twice : NULL; }
int pick(int) __attribute__((ifunc("choose")));
int main(int argc, char **argv) {
    int *p = malloc(8);
    if (argc > 1) p[0] = 1;
    int result = pick(p[0]);
    free(p);
    if (result == 4) puts("four");
    return 0;
}
"""
WAYS = [(), ("--enable", "all"), ("--enable", "use-of-uninitialized-value"), ("--locate", "always")]


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("resolvers"), whence_env)
    for name, text in (("chosen", CHOSEN), ("main", MAIN), ("buggy", BUGGY)):
        (made.directory / f"{name}.c").write_text(text)
    links = [
        *(["-DEARLY", level, "main.c", "chosen.c", "-o", f"one{level}"] for level in ("-O0", "-O2")),
        ["-O1", "-shared", "-fPIC", "-DLIBRARY", "chosen.c", "-o", "chosen.so"],
        ["-O1", "-rdynamic", "main.c", "./chosen.so", "-o", "two"],
        ["-O1", "buggy.c", "-o", "buggy"],
    ]
    for link in links:
        made.cc("-g", "-w", *link)
    return made


@pytest.mark.parametrize("program", ["./one-O0", "./one-O2", "./two"])
def test_what_is_chosen_is_called(whence: Whence, program: str) -> None:
    native = subprocess.run([program], capture_output=True, cwd=whence.directory, check=True).stdout
    for way in WAYS:
        done = whence.run(*way, program)
        assert (done.status, done.out) == (0, native), (way, done.err)
        assert "whence: no findings" in done.err


def test_bugs_in_resolvers_and_behind_chosen_functions(whence: Whence) -> None:
    enabled = ("--enable", "use-of-uninitialized-value")
    assert "error[heap-buffer-overflow]" in whence.with_env(INDEX="4").run("./buggy").err
    clean = whence.with_env(INDEX="3")
    found = clean.run(*enabled, "--locate", "always", "./buggy").err
    assert "error[use-of-uninitialized-value]" in found
    assert "returned by twice, computed as x * 2" in found
    assert "passed to pick" in found
    assert "no findings" in clean.run(*enabled, "./buggy", "x").err


def test_a_library_that_watches_the_dynamic_linker(whence: Whence) -> None:
    """Thread-local memory is set up before the runtime is loaded, so room has to be kept for it."""
    done = whence.with_env(INDEX="1", LD_AUDIT="/none.so").run("./buggy", "x")
    assert "no findings" in done.err, done.err
