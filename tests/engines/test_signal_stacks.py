"""Small stacks for signal handlers: what fits without checks fits with them."""

from __future__ import annotations

import subprocess

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
enum { SMALL = 8192 };
static struct { char before[4096]; char stack[SMALL]; char behind[4096]; } memory
    __attribute__((aligned(64)));
static volatile int times, over, flags;
static void *seen;
static void handler(int number) {
    char text[1500];
    stack_t now;
    sigaltstack(NULL, &now);
    flags = now.ss_flags;
    seen = now.ss_sp;
    snprintf(text, sizeof text, "%d %s %f %ld", number, "text", 1.5, (long)getpid());
    text[sizeof text - 1 + over] = 0;
    times += strlen(text) > 10;
}
static void take(void *begin) {
    stack_t stack = {.ss_sp = begin, .ss_size = SMALL};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL)) exit(10);
}
static int is_intact(void) {
    for (size_t i = 0; i < sizeof memory.before; i++)
        if (memory.before[i] != 7 || memory.behind[i] != 7) return 0;
    return 1;
}
static void *body(void *unused) {
    char *stack = malloc(SMALL);
    take(stack);
    raise(SIGUSR1);
    free(stack);
    return unused;
}
static int mappings(void) {
    FILE *file = fopen("/proc/self/maps", "r");
    int lines = 0;
    for (int c; (c = getc(file)) != EOF;) lines += c == '\n';
    fclose(file);
    return lines;
}
static jmp_buf begun[2], main_place;
static volatile int coming, steps;
static void coroutine(int own) {
    char text[64];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%d: %d", own, i);
        steps += text[0] - '0' + 1;
        if (!setjmp(begun[own])) longjmp(main_place, 1);
    }
    steps += 100;
    longjmp(main_place, 2);
}
static void entry(int number) {
    int own = coming;
    (void)number;
    if (setjmp(begun[own])) coroutine(own);
}
static void make(int own, void *memory, size_t size) {
    stack_t stack = {.ss_sp = memory, .ss_size = size}, old;
    struct sigaction action = {.sa_handler = entry, .sa_flags = SA_ONSTACK}, before;
    coming = own;
    if (sigaltstack(&stack, &old) || sigaction(SIGUSR2, &action, &before)) exit(11);
    raise(SIGUSR2);
    if (sigaltstack(&old, NULL) || sigaction(SIGUSR2, &before, NULL)) exit(12);
}
int main(int argc, char **argv) {
    const char *what = argv[1];
    over = argc > 2;
    memset(memory.before, 7, sizeof memory.before);
    memset(memory.behind, 7, sizeof memory.behind);
    if (!strcmp(what, "handler")) {
        take(memory.stack);
        raise(SIGUSR1);
        if (times != 1 || seen != memory.stack || flags != SS_ONSTACK || !is_intact()) return 3;
        stack_t now, none = {.ss_flags = SS_DISABLE};
        if (sigaltstack(&none, &now) || now.ss_sp != memory.stack || now.ss_size != SMALL || now.ss_flags)
            return 4;
        if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE)) return 5;
    }
    if (!strcmp(what, "fork")) {
        take(memory.stack);
        int status;
        if (!fork()) { raise(SIGUSR1); _exit(times == 1 && is_intact() ? 0 : 6); }
        wait(&status);
        raise(SIGUSR1);
        if (status || times != 1) return 6;
    }
    if (!strcmp(what, "threads")) {
        pthread_t thread;
        int before = 0;
        for (int i = 0; i < 300; i++) {
            if (i == 20) before = mappings();
            pthread_create(&thread, NULL, body, NULL);
            pthread_join(thread, NULL);
        }
        if (times != 300 || mappings() > before + 100) return 7;
    }
    if (!strcmp(what, "coroutines")) {
        static char one[16384], two[16384];
        make(0, one, sizeof one);
        make(1, two, sizeof two);
        for (volatile int i = 0; i < 8; i++)
            if (!setjmp(main_place)) longjmp(begun[i % 2], 1);
        if (steps != 3 * 1 + 3 * 2 + 200) return 8;
    }
    if (!strcmp(what, "small")) {
        stack_t stack = {.ss_sp = memory.stack, .ss_size = 100};
        if (!sigaltstack(&stack, NULL)) return 9;
    }
    return 0;
}
"""


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def whence(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Whence:
    made = Whence(tmp_path_factory.mktemp("stacks"), whence_env)
    made.build(SOURCE, "prog", request.param, "-pthread")
    return made


@pytest.mark.parametrize("tier", ["quick", "full"])
@pytest.mark.parametrize("what", ["handler", "fork", "threads", "coroutines", "small"])
def test_handlers_run_as_without_checks(whence: Whence, what: str, tier: str) -> None:
    assert subprocess.run([whence.directory / "prog", what]).returncode == 0
    done = whence.run("--tier", tier, "--enable", "use-of-uninitialized-value", "./prog", what)
    assert (done.status, done.said) == (0, ""), done.err


def test_an_overflow_on_such_a_stack_is_found(whence: Whence) -> None:
    done, found = whence.findings("./prog", "handler", "over")
    assert [each["rule"] for each in found] == ["stack-buffer-overflow"], done.err
    assert found[0]["stack"][0]["function"] == "handler"
