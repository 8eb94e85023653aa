"""Accesses, frees and library functions, judged by the standard rules written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from rt_harness import RULES

from whence.abi import layout, records

ACCESSES = r"""
#include "programs/common.h"
static char global[64];
NOINLINE static void touch(char *p, char *root, int size, int write) {
    if (write) STORE(p, root, size); else LOAD(p, root, size);
}
int main(int argc, char **argv) {
    char *a = malloc(20), *b = malloc(20), *dead = malloc(20), *big = malloc(5000000), *none = malloc(0);
    free(dead);
    printf("%p %p %p %p %p\n", (void *)a, (void *)b, (void *)dead, (void *)big, (void *)none);
    if (IS("in")) {
        for (int i = 0; i <= 16; i++) touch(a + i, a, 4, 1);
        touch(big, big, 8, 0);
        touch(big + 4999992, big, 8, 1);
        touch(global, global + 1000000, 8, 0);
        touch((char *)&argc, (char *)&argc, 4, 0);
    }
    if (IS("after")) touch(a + 20, a, 4, 1);
    if (IS("partly")) touch(a + 17, a, 4, 0);
    if (IS("before")) touch(a - 1, a, 1, 0);
    if (IS("before-rootless")) touch(b - 1, b - 1, 1, 0);
    if (IS("into-another")) touch(a + (b - a), a, 1, 1);
    if (IS("onto-the-stack")) touch(a + ((char *)&argc - a), a, 1, 1);
    if (IS("dangling")) touch(dead + 3, dead, 1, 0);
    if (IS("dangling-rootless")) touch(dead + 3, dead + 3, 1, 0);
    if (IS("stale-difference")) touch(dead + (b - dead), dead, 1, 0);
    if (IS("from-the-end")) touch(a + 19, a + 20, 1, 0);
    if (IS("null")) touch((char *)24, (char *)24, 4, 0);
    if (IS("empty")) touch(none, none, 1, 0);
    if (IS("big-after")) touch(big + 5000000, big, 1, 0);
    if (IS("big-before")) touch(big - 1, big, 1, 0);
    if (IS("big-far")) touch(big + 6000000, big, 1, 0);
    if (IS("big-dangling")) { free(big); touch(big + 2500000, big, 1, 0); }
    free(a); free(b); free(big); free(none);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("case", "rule", "which", "offset"),
    [
        ("after", "heap-overflow", 0, 20),
        ("partly", "heap-overflow", 0, 17),
        ("before", "heap-overflow", 0, -1),
        ("before-rootless", "heap-overflow", 1, -1),
        ("dangling", "dangling-pointer", 2, 3),
        ("dangling-rootless", "dangling-pointer", 2, 3),
        ("empty", "heap-overflow", 4, 0),
        ("big-after", "heap-overflow", 3, 5000000),
        ("big-before", "heap-overflow", 3, -1),
        ("big-far", "heap-overflow", 3, 6000000),
        ("big-dangling", "dangling-pointer", 3, 2500000),
    ],
)
def test_bad_access(compile_program, start, case, rule, which, offset):
    run = start(compile_program(ACCESSES), case)
    finding = run.only()
    begin = int(run.stdout.split()[which], 16)
    assert (run.status, finding.rule_name) == (99, rule)
    assert (finding.block_begin, finding.address) == (begin, begin + offset)
    assert finding.flags & records.FINDING_FLAGS["HALTED"]
    assert finding.bad == (begin + 20 if case == "partly" else begin + offset)
    assert run.header["state"] == records.FILE_STATES["FINISHED"]


def test_jump_into_another_block_names_both(compile_program, start):
    run = start(compile_program(ACCESSES), "into-another")
    a, b, *_ = (int(word, 16) for word in run.stdout.split())
    finding = run.only()
    assert finding.rule_name == "heap-overflow"
    assert (finding.block_begin, finding.hit_begin, finding.address) == (a, b, b)
    assert finding.flags & records.FINDING_FLAGS["WRITE"]


def test_jump_out_of_the_heap_is_an_overflow_of_the_root(compile_program, start):
    finding = start(compile_program(ACCESSES), "onto-the-stack").only()
    assert (finding.rule_name, finding.hit_id) == ("heap-overflow", 0)


def test_null_page(compile_program, start):
    finding = start(compile_program(ACCESSES), "null").only()
    assert (finding.rule_name, finding.address, finding.block_id) == ("null-dereference", 24, 0)


@pytest.mark.parametrize("case", ["in", "stale-difference", "from-the-end"])
def test_good_access(compile_program, start, case):
    run = start(compile_program(ACCESSES), case)
    assert (run.status, run.rules) == (0, [])


def test_finding_holds_stacks_states_and_maps(compile_program, start):
    program = compile_program(ACCESSES)
    run = start(program, "dangling")
    finding = run.only()
    assert len(finding.arrays["stack"]) == 2  # touch, main
    assert len(finding.arrays["alloc"]) == 1
    assert len(finding.arrays["free"]) == 1
    assert finding.arrays["values"] == (finding.address, finding.block_id)
    at = (finding.address - finding.state_begin) // layout.GRANULE
    assert finding.arrays["states"][at] == next(s.value for s in layout.STATES if s.name == "HEAP_FREED")
    lines = run.maps[finding.maps_id].splitlines()
    pc = finding.arrays["stack"][0]
    image = [line for line in lines if line.endswith(str(program))]
    bounds = [[int(end, 16) for end in line.split()[0].split("-")] for line in image]
    assert any(low <= pc < high for low, high in bounds)
    assert finding.block_free_time > finding.block_alloc_time == finding.block_id


def test_keep_going_tells_each_place_once(compile_program, start):
    program = compile_program(
        r"""
#include "programs/common.h"
int main(void) {
    char *a = malloc(10), *b = malloc(10);
    for (int i = 0; i < 100000; i++) { STORE(a + 10 + i % 4, a, 1); }
    LOAD(a + 12, a, 1);
    free(b);
    free(b);
    puts("went on");
    free(a);
    return 7;
}
"""
    )
    run = start(program, halt=0)
    assert (run.status, run.stdout) == (7, "went on\n")
    assert run.rules == ["heap-overflow", "heap-overflow", "double-free"]
    assert not any(f.flags & records.FINDING_FLAGS["HALTED"] for f in run.findings)


FREES = r"""
#include "programs/common.h"
int main(int argc, char **argv) {
    char *a = malloc(20);
    printf("%p", (void *)a); /* not flushed by the program */
    if (IS("double")) { free(a); free(a); }
    if (IS("middle")) free(a + 8);
    if (IS("stack")) free(&argc);
    if (IS("text")) free((void *)main);
    if (IS("wild")) free((void *)0x123456789abcdef0);
    if (IS("slot")) free(a + 32);
    if (IS("realloc")) { free(a); a = realloc(a, 50); }
    if (IS("mismatch")) { extern void _ZdlPv(void *); _ZdlPv(a); a = NULL; }
    if (IS("null")) { free(NULL); free(a); }
    if (IS("realloc-zero")) REQUIRE(realloc(a, 0) == NULL);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("case", "rule"),
    [
        ("double", "double-free"),
        ("realloc", "double-free"),
        ("middle", "unmatched-free"),
        ("slot", "unmatched-free"),
        ("stack", "unmatched-free"),
        ("text", "unmatched-free"),
        ("wild", "unmatched-free"),
        ("mismatch", "mismatched-free"),
    ],
)
def test_bad_free(compile_program, start, case, rule):
    run = start(compile_program(FREES), case, leaks=0)
    finding = run.only()
    assert (run.status, finding.rule_name) == (99, rule)
    assert run.stdout.startswith("0x6"), "output that was made before the finding is not lost"
    if case in ("stack", "text", "wild"):
        assert finding.block_id == 0
    else:
        assert finding.block_size == 20


@pytest.mark.parametrize("case", ["null", "realloc-zero"])
def test_good_free(compile_program, start, case):
    assert start(compile_program(FREES), case).rules == []


@pytest.mark.parametrize("case", ["double", "middle", "stack", "wild", "realloc", "mismatch"])
def test_bad_free_is_survived_when_asked_to_keep_going(compile_program, start, case):
    run = start(compile_program(FREES), case, halt=0, leaks=0)
    assert (run.status, len(run.findings)) == (0, 1)


LIBRARY = r"""
#include "programs/common.h"
#include <stdarg.h>
#include <wchar.h>
extern __typeof__(memcpy) __whence_memcpy; extern __typeof__(memchr) __whence_memchr;
extern __typeof__(memset) __whence_memset; extern __typeof__(memcmp) __whence_memcmp;
extern __typeof__(strlen) __whence_strlen; extern __typeof__(strcpy) __whence_strcpy;
extern __typeof__(strncpy) __whence_strncpy; extern __typeof__(strcat) __whence_strcat;
extern __typeof__(strcmp) __whence_strcmp; extern __typeof__(strncmp) __whence_strncmp;
extern __typeof__(strchr) __whence_strchr; extern __typeof__(strdup) __whence_strdup;
extern __typeof__(strndup) __whence_strndup; extern __typeof__(strtol) __whence_strtol;
extern __typeof__(snprintf) __whence_snprintf; extern __typeof__(sprintf) __whence_sprintf;
extern __typeof__(printf) __whence_printf; extern __typeof__(sscanf) __whence_sscanf;
extern __typeof__(read) __whence_read; extern __typeof__(write) __whence_write;
extern __typeof__(fgets) __whence_fgets; extern __typeof__(qsort) __whence_qsort;
extern __typeof__(wcscpy) __whence_wcscpy; extern __typeof__(strnlen) __whence_strnlen;
static int compare(const void *a, const void *b) { return memcmp(a, b, 1); }
static char *text(int size) { /* not terminated */
    char *p = malloc(size);
    memset(p, 'x', size);
    return p;
}
int main(int argc, char **argv) {
    char *a = text(16), *b = text(16), *t = strdup("hello"), big[100];
    int files[2];
    REQUIRE(!pipe(files) && write(files[1], "12345678901234567890\n", 21) == 21);
    memset(big, 'y', 100);
    big[99] = 0;
    if (IS("memcpy-read")) __whence_memcpy(big, a, 17);
    if (IS("memcpy-write")) __whence_memcpy(a, big, 40);
    if (IS("memcpy-huge")) __whence_memcpy(a, b, (size_t)-1);
    if (IS("memcpy-null")) __whence_memcpy(NULL, b, 3);
    if (IS("memcpy-middle")) __whence_memcpy(big, a + 10, 10);
    if (IS("memset")) __whence_memset(a, 0, 17);
    if (IS("memcmp")) (void)!__whence_memcmp(a, big, 17);
    if (IS("memchr")) (void)!__whence_memchr(a, 'z', 17);
    if (IS("strlen")) (void)!__whence_strlen(a);
    if (IS("strcpy-read")) __whence_strcpy(big, a);
    if (IS("strcpy-write")) __whence_strcpy(a, big);
    if (IS("strncpy")) __whence_strncpy(a, "short", 17);
    if (IS("strcat")) __whence_strcat(t, "!");
    if (IS("strcmp")) (void)!__whence_strcmp(a, b);
    if (IS("strchr")) (void)!__whence_strchr(a, 'z');
    if (IS("strdup")) (void)!__whence_strdup(a);
    if (IS("strtol")) { memset(a, '1', 16); (void)!__whence_strtol(a, NULL, 10); }
    if (IS("snprintf")) __whence_snprintf(t, 100, "%d", 123456);
    if (IS("snprintf-argument")) __whence_snprintf(big, 100, "%s", a);
    if (IS("sprintf")) __whence_sprintf(t, "%s %d", "four", 5);
    if (IS("printf")) __whence_printf("%d %.*s\n", 1, 17, a);
    if (IS("sscanf")) __whence_sscanf("abcdefgh", "%s", t);
    if (IS("read")) REQUIRE(__whence_read(files[0], a, 100) == 21);
    if (IS("write")) REQUIRE(__whence_write(files[1], a, 17) == 17);
    if (IS("fgets")) REQUIRE(__whence_fgets(a, 100, fdopen(files[0], "r")));
    if (IS("qsort")) __whence_qsort(a, 17, 1, compare);
    if (IS("wcscpy")) __whence_wcscpy((wchar_t *)a, L"1234");
    if (IS("dangling")) { free(t); (void)!__whence_strlen(t); }
    if (IS("good")) {
        REQUIRE(__whence_memcpy(a, b, 16) == a && __whence_memcpy(NULL, NULL, 0) == NULL);
        REQUIRE(__whence_strncmp(a, b, 16) == 0 && __whence_strncmp(a, "xy", 100) < 0);
        REQUIRE(__whence_strcmp(a, "xyz") < 0 && __whence_strcmp("xyz", a) > 0);
        REQUIRE(__whence_memchr(a, 'x', 100) == a && !__whence_memchr(a, 'z', 16));
        REQUIRE(__whence_strnlen(a, 16) == 16 && __whence_strnlen(t, 100) == 5);
        REQUIRE(__whence_strchr(a, 'x') == a);
        REQUIRE(!strncmp(__whence_strncpy(a, "0123456789abcdefgh", 16), "0123456789abcdef", 16));
        REQUIRE(!strcmp(__whence_strndup(b, 4), "xxxx"));
        REQUIRE(__whence_snprintf(NULL, 0, "%d %s", 5, "abc") == 5);
        REQUIRE(__whence_snprintf(t, 6, "%s", big) == 99 && strlen(t) == 5);
        REQUIRE(__whence_snprintf(t, 6, "%.3s|", a) == 4);
        REQUIRE(__whence_sprintf(t, "%d", 12345) == 5);
        REQUIRE(__whence_printf("%s %5.2f %n%%\n", (char *)NULL, 1.5, &argc) == 15 && argc == 13);
        REQUIRE(__whence_sscanf("ab 7", "%5s %d", t, &argc) == 2 && argc == 7);
        a[0] = '5', a[1] = ';';
        REQUIRE(__whence_strtol(a, NULL, 10) == 5);
        REQUIRE(__whence_read(files[0], big, 11) == 11);
        REQUIRE(__whence_read(files[0], a, 1 << 24) == 10 && a[9] == 10); /* less than asked for */
        __whence_qsort(b, 16, 1, compare);
    }
    puts("end");
    return 0;
}
"""


@pytest.mark.parametrize(
    ("case", "name", "write", "size"),
    [
        ("memcpy-read", "memcpy", False, 17),
        ("memcpy-write", "memcpy", True, 40),
        ("memset", "memset", True, 17),
        ("memcmp", "memcmp", False, 17),
        ("memchr", "memchr", False, 17),
        ("strlen", "strlen", False, 17),
        ("strcpy-read", "strcpy", False, 17),
        ("strcpy-write", "strcpy", True, 100),
        ("strncpy", "strncpy", True, 17),
        ("strcat", "strcat", True, 2),
        ("strcmp", "strcmp", False, 17),
        ("strchr", "strchr", False, 17),
        ("strdup", "strdup", False, 17),
        ("strtol", "strtol", False, 17),
        ("snprintf", "snprintf", True, 7),
        ("snprintf-argument", "snprintf", False, 17),
        ("sprintf", "sprintf", True, 7),
        ("printf", "printf", False, 17),
        ("sscanf", "sscanf", True, 7),
        ("read", "read", True, 21),
        ("write", "write", False, 17),
        ("fgets", "fgets", True, 22),
        ("qsort", "qsort", True, 17),
        ("wcscpy", "wcscpy", True, 20),
    ],
)
def test_library_function_goes_too_far(compile_program, start, case, name, write, size):
    run = start(compile_program(LIBRARY), case, leaks=0)
    finding = run.only()
    assert (finding.rule_name, finding.name, finding.size) == ("heap-overflow", name, size)
    assert finding.flags & records.FINDING_FLAGS["LIBRARY"]
    assert bool(finding.flags & records.FINDING_FLAGS["WRITE"]) == write
    end = finding.block_begin + finding.block_size
    assert finding.bad == end, "the first byte that is not the block's"
    assert "end" not in run.stdout


@pytest.mark.parametrize(
    ("case", "rule"),
    [("memcpy-null", "null-dereference"), ("dangling", "dangling-pointer"), ("memcpy-huge", "heap-overflow")],
)
def test_library_function_with_a_bad_pointer(compile_program, start, case, rule):
    assert start(compile_program(LIBRARY), case, leaks=0).only().rule_name == rule


def test_library_range_begins_at_the_pointer_that_was_passed(compile_program, start):
    finding = start(compile_program(LIBRARY), "memcpy-middle", leaks=0).only()
    assert finding.address == finding.root == finding.block_begin + 10
    assert finding.bad == finding.block_begin + 16


def test_library_functions_are_not_stricter_than_they_are(compile_program, start):
    run = start(compile_program(LIBRARY), "good", leaks=0)
    assert (run.status, run.rules, run.stderr) == (0, [], "")


def test_rules_double_matches_the_table() -> None:
    text = (Path(__file__).resolve().parent / "rules_double.c").read_text()
    positions = [text.index(f'"{name}"') for name in RULES]
    assert positions == sorted(positions)
