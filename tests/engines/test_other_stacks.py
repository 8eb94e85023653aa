"""Stacks that are not the thread's own: of contexts, of signal handlers, of children of `clone`."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from tests.harness.levels import built_at
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#define NEVER_INLINE __attribute__((noinline))
enum { SIZE = 1 << 18 };
static char in_variable[SIZE] __attribute__((aligned(64)));
static ucontext_t back, context;
static volatile int bad;
static char *volatile kept;

NEVER_INLINE static char *allocate(size_t size) {
    char *block = malloc(size);
    if (!block) exit(10);
    return block;
}
NEVER_INLINE static char *wide(size_t size) {
    volatile char room[3 * 4096]; /* the next frame is on another page */
    room[0] = (char)size;
    char *block = allocate(size + (size_t)room[0] - size);
    room[1] = block != NULL;
    return block;
}
NEVER_INLINE static void first(void) {
    kept = wide(10);
    if (!bad) free(kept);
    kept = NULL;
}
NEVER_INLINE static void second(void) {
    kept = wide(10);
    if (!bad) free(kept);
    kept = NULL;
}
NEVER_INLINE static void third(void) {
    char *block = wide(20);
    free(block);
    if (bad) ((volatile char *)block)[3] = 1;
}
NEVER_INLINE static void work(void) {
    first();
    second();
    third();
    kept = NULL;
}
static void run(void) { work(); }
static int run_child(void *unused) {
    (void)unused;
    work();
    return 0;
}
static void handle(int number) {
    if (number) work();
}

int main(int count, char **words) {
    const char *what = words[1], *where = words[2];
    bad = count > 3;
    char *stack = in_variable;
    if (!strcmp(where, "heap")) stack = malloc(SIZE);
    if (!strcmp(where, "mapped"))
        stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!strcmp(what, "context")) {
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = SIZE;
        context.uc_link = &back;
        makecontext(&context, run, 0);
        swapcontext(&back, &context);
    } else if (!strcmp(what, "handler")) {
        stack_t given = {.ss_sp = stack, .ss_size = SIZE}, none = {.ss_flags = SS_DISABLE};
        struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
        if (sigaltstack(&given, NULL) || sigaction(SIGUSR1, &action, NULL)) return 11;
        raise(SIGUSR1);
        sigaltstack(&none, NULL);
    } else {
        int status, child = clone(run_child, stack + SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
        if (child < 0 || waitpid(child, &status, 0) != child || status) return 12;
    }
    if (!strcmp(where, "heap")) free(stack);
    if (!strcmp(where, "mapped")) munmap(stack, SIZE);
    puts("end");
    return 0;
}
"""

ENTRIES = {"context": "run", "handler": "handle", "clone": "run_child"}


whence = built_at(SOURCE, "-O0", "-O2")


def _functions(stack: list[dict[str, Any]], entry: str) -> list[str]:
    """The functions of a stack from the innermost to the one that the stack began with."""
    names = [each["function"] for each in stack]
    return names[: names.index(entry) + 1] if entry in names else names


@pytest.mark.parametrize("where", ["heap", "mapped", "variable"])
@pytest.mark.parametrize("what", sorted(ENTRIES))
def test_stacks_are_whole(whence: Whence, what: str, where: str) -> None:
    assert subprocess.run([whence.directory / "prog", what, where]).returncode == 0
    clean = whence.run("./prog", what, where)
    assert (clean.status, clean.said) == (0, ""), clean.err
    done, found = whence.findings("--keep-going", "--locate", "never", "./prog", what, where, "bad")
    assert done.out == b"end\n", done.err
    entry = ENTRIES[what]
    use, *leaks = sorted(found, key=lambda each: each["rule"] == "definite-leak")
    assert use["rule"] == "dangling-pointer-dereference", done.err
    assert _functions(use["stack"], entry) == ["third", "work", entry]
    assert _functions(use["block"]["freed"]["stack"], entry) == ["third", "work", entry]
    allocated = use["block"]["allocated"]["stack"]
    assert _functions(allocated, entry) == ["allocate", "wide", "third", "work", entry]
    stacks = [_functions(each["block"]["allocated"]["stack"], entry) for each in leaks]
    assert sorted(stacks) == [["allocate", "wide", caller, "work", entry] for caller in ("first", "second")]


INTERRUPTED = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NEVER_INLINE __attribute__((noinline))
enum { SIZE = 1 << 18 };
static volatile int bad;
static volatile int told;
static char *volatile kept;

NEVER_INLINE static void use(void) {
    char *block = malloc(8);
    if (!block) exit(10);
    free(block);
    if (bad) ((volatile char *)block)[3] = 1;
    told = 1;
}
static void handle(int number) {
    if (number) use();
}
NEVER_INLINE static void inner(void) {
    raise(SIGUSR1);
    told = 2;
}
NEVER_INLINE static void outer(void) {
    inner();
    told = 3;
}
int main(int count, char **words) {
    bad = count > 2;
    char *stack = malloc(SIZE);
    stack_t given = {.ss_sp = stack, .ss_size = SIZE}, none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = handle};
    if (!strcmp(words[1], "other")) action.sa_flags = SA_ONSTACK;
    if (sigaltstack(&given, NULL) || sigaction(SIGUSR1, &action, NULL)) return 11;
    outer();
    sigaltstack(&none, NULL);
    free(stack);
    puts("end");
    return told - 3;
}
"""


interrupted = built_at(INTERRUPTED, "-O0", "-O2")


@pytest.mark.parametrize("where", ["own", "other"])
def test_what_a_signal_has_interrupted_is_in_stacks(interrupted: Whence, where: str) -> None:
    program = interrupted.directory / "prog"
    clean, findings = interrupted.findings("--locate", "never", program, where)
    assert (clean.status, clean.out, findings) == (0, b"end\n", [])
    _, (finding,) = interrupted.findings("--locate", "never", program, where, "bad")
    block = finding["block"]
    for stack in (finding["stack"], block["allocated"]["stack"], block["freed"]["stack"]):
        own = [each["function"] for each in stack]
        known = [name for name in own if name in ("use", "handle", "raise", "inner", "outer", "main")]
        assert known == ["use", "handle", "raise", "inner", "outer", "main"], own
