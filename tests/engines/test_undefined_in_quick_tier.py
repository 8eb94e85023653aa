"""Undefined values where control goes unusual ways, in code of the quick tier."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.session import environment
from tests.harness.tiers import one_in

pytestmark = pytest.mark.build

RULE = "use-of-uninitialized-value"

LIBRARY = """
int sum(const int *numbers, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        if (numbers[i] > 1)
            sum += numbers[i];
    return sum;
}
"""

PROGRAM = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int *given = numbers;
static sigjmp_buf place;
static int (*sum)(const int *, int);

static int chosen(const int *numbers, int count) {
    int largest = 0;
    for (int i = 0; i < count; i++)
        if (numbers[i] > largest) largest = numbers[i];
    return largest;
}
static void *in_thread(void *count) { return (void *)(long)chosen(given, *(int *)count); }
static void on_signal(int number) { if (chosen(given, number - SIGUSR1 + 4)) siglongjmp(place, number); }
static int in_child(void) {
    int status = 0;
    pid_t child = fork();
    if (!child) _exit(chosen(given, 8));
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
int main(int argc, char **argv) {
    const char *how = argv[1];
    if (argc > 2) given = malloc(sizeof numbers), given[0] = 1;
    void *library = dlopen("./libsum.so", RTLD_NOW);
    if (!library) return puts(dlerror());
    sum = (int (*)(const int *, int))dlsym(library, "sum");
    signal(SIGUSR1, on_signal);
    for (int round = 0; round < 3; round++) {
        long result = 0;
        if (!strcmp(how, "thread")) {
            pthread_t threads[2];
            int counts[2] = {4, 8};
            void *found[2];
            for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, in_thread, &counts[i]);
            for (int i = 0; i < 2; i++) pthread_join(threads[i], &found[i]);
            result = (long)found[0] + (long)found[1];
        }
        if (!strcmp(how, "child")) result = in_child();
        if (!strcmp(how, "library")) result = sum(given, 8);
        if (!strcmp(how, "signal") && !(result = sigsetjmp(place, 1))) raise(SIGUSR1);
        printf("%ld\n", result);
    }
    if (given != numbers) free(given);
    return 0;
}
"""
RESULTS = {"thread": 12, "child": 8, "library": 35, "signal": 10}


def built(directory: Path, **changes: str) -> Whence:
    """With a cache of its own, since forced twins are no part of its keys."""
    whence = Whence(directory, {**environment(directory / "cache"), **changes})
    (whence.directory / "sum.c").write_text(LIBRARY)
    whence.cc("-g", "-O1", "-shared", "-fPIC", "sum.c", "-o", "libsum.so")
    whence.build(PROGRAM, "prog", "-pthread")
    return whence


@pytest.mark.parametrize("tier", ["quick", "auto"])
@pytest.mark.parametrize("share", one_in(2, [0, 100]))
def test_clean_programs_run_as_they_do(tmp_path: Path, share: int, tier: str) -> None:
    """share: of the points at which the twin goes on, in percent. tier: twins are there, or made when they
    are needed."""
    whence = built(tmp_path, WHENCE_FORCE_TWINS=str(share))
    for how, result in RESULTS.items():
        done = whence.run("--tier", tier, "--enable", RULE, "./prog", how)
        assert (done.status, done.out, done.said) == (0, b"%d\n" % result * 3, ""), (how, done.err)


@pytest.mark.parametrize("tier", ["quick", "auto"])
def test_uses_are_found_wherever_they_are(tmp_path: Path, tier: str) -> None:
    whence = built(tmp_path)
    for how in RESULTS:
        words = ("--tier", tier, "--keep-going", "--enable", RULE, "./prog", how, "undefined")
        _, findings = whence.findings(*words)
        lines = {(each["stack"][0]["function"], each["stack"][0]["line"]) for each in findings}
        assert {each["rule"] for each in findings} == {RULE}, (how, findings)
        assert lines == {("sum", 5) if how == "library" else ("chosen", 20)}, how
