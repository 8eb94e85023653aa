"""Undefined values: padding of local variables, in both tiers of code and where chains are followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct between { char c; int i; };
struct ending { long l; char c; };
struct shorts { short s; char c; };
struct nested { struct between b[2]; short s; };
union either { struct between b; char raw[8]; };

static int file;
static jmp_buf back;

#define OUT(x) write(file, &x, sizeof x)
#define TEST(name, type, set) \\
    __attribute__((noinline)) static void bad_##name(int n) { type x; set; OUT(x); } \\
    __attribute__((noinline)) static void good_##name(int n) \\
    { type x; memset(&x, 0, sizeof x); set; OUT(x); }

TEST(between, struct between, x.c = n; x.i = n)
TEST(turned, struct between, x.i = n; x.c = n)
TEST(ending, struct ending, x.l = n; x.c = n)
TEST(shorts, struct shorts, x.s = n; x.c = n)
TEST(nested, struct nested,
     for (int i = 0; i < 2; i++) { x.b[i].c = n; x.b[i].i = n; } x.s = n)
TEST(part, union either, x.b.c = n; x.b.i = n)
TEST(looped, struct between, for (int i = 0; i < n; i++) { x.c = i; x.i = n; })

__attribute__((noinline)) static void bad_copied(int n)
{ struct between x, y; y.c = n; y.i = n; x = y; OUT(x); }
__attribute__((noinline)) static void good_copied(int n)
{ struct between x, y; memset(&y, 0, sizeof y); y.c = n; y.i = n; x = y; OUT(x); }
__attribute__((noinline)) static void bad_moved(int n)
{ struct between x, *p = malloc(sizeof x); x.c = n; x.i = n; *p = x; OUT(*p); free(p); }
__attribute__((noinline)) static void good_moved(int n)
{ struct between x, *p = calloc(1, sizeof x); x.c = n; x.i = n; p->c = x.c; p->i = x.i; OUT(*p); free(p); }
__attribute__((noinline)) static void bad_each(int n)
{ for (int i = 0; i < n; i++) { struct between x; if (!i) memset(&x, 0, 8); x.c = n; x.i = i; OUT(x); } }
__attribute__((noinline)) static void good_each(int n)
{ for (int i = 0; i < n; i++) { struct between x; memset(&x, 0, sizeof x); x.c = n; x.i = i; OUT(x); } }
__attribute__((noinline)) static void bad_stack(int n)
{ struct between *x = __builtin_alloca(n * sizeof *x); x->c = n; x->i = n; OUT(*x); }
__attribute__((noinline)) static void good_stack(int n)
{ struct between *x = __builtin_alloca(n * sizeof *x); memset(x, 0, 8); x->c = n; x->i = n; OUT(*x); }
__attribute__((noinline)) static void bad_jump(int n)
{ struct between x; if (!setjmp(back)) longjmp(back, 1); x.c = n; x.i = n; OUT(x); }
__attribute__((noinline)) static void good_jump(int n)
{ struct between x; memset(&x, 0, 8); if (!setjmp(back)) longjmp(back, 1); x.c = n; x.i = n; OUT(x); }
__attribute__((noinline)) static void good_raw(int n)
{ union either x; for (int i = 0; i < 8; i++) x.raw[i] = n + i; x.b.i = n; OUT(x); }
__attribute__((noinline)) static void good_parts(int n)
{ struct between x; x.c = n; x.i = n; write(file, &x.c, 1); write(file, &x.i, 4); }
__attribute__((noinline)) static void good_constant(int n)
{ struct between x = {0}; x.c = n; OUT(x); }
__attribute__((noinline)) static void good_used(int n)
{ struct between x[3]; for (int i = 0; i < 3; i++) { x[i].c = n + i; x[i].i = n; }
  if (x[n].c + x[n].i == 7) write(file, "7", 1); }

int main(int argc, char **argv) {
    (void)argv;
    if ((file = open("/dev/null", O_WRONLY)) < 0) return 1;
    CALLS
    return 0;
}
"""
BAD = ["between", "turned", "ending", "shorts", "nested", "part", "looped"]
BAD += ["copied", "moved", "each", "stack"]
GOOD = [*BAD, "jump", "raw", "parts", "constant", "used"]
LEVELS = [
    pytest.param("-O0", marks=pytest.mark.slow),
    "-O1",
    "-O2",
    pytest.param("-O3", marks=pytest.mark.slow),
]
WAYS = [("--tier", "quick"), ("--tier", "full"), ("--locate", "always")]


def found(whence: Whence, level: str, way: tuple[str, ...], names: list[str]) -> list[str]:
    """The functions of a program with calls of these that have a finding."""
    calls = " ".join(f"{name}(argc + 1);" for name in names)
    (whence.directory / "prog.c").write_text(PROGRAM.replace("CALLS", calls))
    whence.cc("-g", level, "-w", "prog.c", "-o", "prog")
    if way[0] != "--locate":
        way = (*way, "--locate", "never")
    _, findings = whence.findings("--keep-going", "--enable", "use-of-uninitialized-value", *way, "./prog")
    assert all(each["rule"] == "use-of-uninitialized-value" for each in findings)
    return [each["stack"][0]["function"] for each in findings]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_padding_is_undefined_in_all_code(
    tmp_path: Path, whence_env: dict[str, str], level: str, way: tuple[str, ...]
) -> None:
    """LLVM deletes what says that the members are undefined at first, but no store defines the padding."""
    names = [f"bad_{name}" for name in BAD]
    assert found(Whence(tmp_path, whence_env), level, way, names) == names


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_padding_that_was_set_is_defined(
    tmp_path: Path, whence_env: dict[str, str], level: str, way: tuple[str, ...]
) -> None:
    assert found(Whence(tmp_path, whence_env), level, way, [f"good_{name}" for name in GOOD]) == []
