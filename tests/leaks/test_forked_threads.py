"""Children that are forked while other threads hold blocks: those threads are not there."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop, holding;
static char *volatile kept, *volatile queued;
static void __attribute__((noinline)) wipe(void) {
    volatile char room[16384];
    memset((void *)room, 0, sizeof room);
}
static char *__attribute__((noinline)) make(void) { return malloc(40); }
static char *__attribute__((noinline)) take(void) { char *taken = queued; queued = 0; return taken; }
static void __attribute__((noinline)) lose(void) { kept = 0; }
/* The only pointer to the block is in a register while the main thread forks. */
static void *hold(void *how) {
    char *block = how ? take() : make();
    wipe();
    holding = 1;
    while (!stop) __asm__ volatile("" : "+r"(block));
    free(block);
    return 0;
}
static void *fill(void *unused) { kept = malloc(50); return 0; }
static void *turn(void *unused) {
    while (!stop) {
        void *blocks[20];
        for (int i = 0; i < 20; i++) blocks[i] = malloc(10 + i * 37);
        for (int i = 0; i < 20; i++) free(blocks[i]);
    }
    return 0;
}
static void child(const char *how) {
    if (!strcmp(how, "drops")) lose();
    if (!strcmp(how, "allocates")) queued = malloc(60), take();
    wipe();
    if (!strcmp(how, "forks")) {
        pid_t again = fork();
        if (again) waitpid(again, 0, 0);
    }
    exit(0);
}
static volatile int handlers;
static void handler(void) { free(malloc(70)); handlers++; }
static void *forker(void *how) {
    pid_t one = fork();
    if (!one) child(how);
    waitpid(one, 0, 0);
    return 0;
}
int main(int count, char **words) {
    const char *how = words[1];
    pthread_t thread[4], first;
    pthread_create(&first, 0, fill, 0);
    pthread_join(first, 0);
    if (!strcmp(how, "lost")) lose(), wipe();
    if (!strcmp(how, "handlers")) pthread_atfork(handler, handler, handler);
    if (!strcmp(how, "many")) {
        for (int i = 0; i < 4; i++) pthread_create(&thread[i], 0, turn, 0);
        for (int i = 0; i < 40; i++) forker("many");
        stop = 1;
        for (int i = 0; i < 4; i++) pthread_join(thread[i], 0);
    } else if (!strcmp(how, "inside")) {
        pthread_create(&first, 0, forker, "many");
        while (!stop) { free(malloc(80)); stop = !pthread_tryjoin_np(first, 0); }
    } else {
        queued = malloc(90);
        pthread_create(&thread[0], 0, hold, 0);
        while (!holding) usleep(1000);
        holding = 0;
        pthread_create(&thread[1], 0, hold, "queue");
        while (!holding) usleep(1000);
        wipe();
        forker((void *)how);
        stop = 1;
        pthread_join(thread[0], 0), pthread_join(thread[1], 0);
    }
    free(kept);
    puts("end");
    return 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    whence = Whence(tmp_path_factory.mktemp("forked"), whence_env)
    whence.build("#define _GNU_SOURCE\n" + PROGRAM, "prog", "-pthread")
    return whence


def leaks(whence: Whence, how: str) -> list[tuple[str, int, int, bool]]:
    """Rule, blocks, bytes, and whether a child has them."""
    done, found = whence.findings("--locate", "never", "--keep-going", "./prog", how)
    assert done.out == b"end\n", done.err
    forked = "forked from" in done.err
    return [(each["rule"], each["leak"]["count"], each["leak"]["bytes"], forked) for each in found]


@pytest.mark.parametrize("how", ["holds", "forks", "handlers", "many", "inside"])
def test_what_other_threads_held_is_no_leak_of_the_child(whence: Whence, how: str) -> None:
    assert leaks(whence, how) == []


@pytest.mark.parametrize(("how", "size"), [("drops", 50), ("allocates", 60)])
def test_what_the_child_has_lost_is_its_leak(whence: Whence, how: str, size: int) -> None:
    """Also if a thread allocated it that is not there."""
    assert leaks(whence, how) == [("definite-leak", 1, size, True)]


def test_what_the_parent_has_lost_is_its_leak(whence: Whence) -> None:
    """Once, and not the child's."""
    assert leaks(whence, "lost") == [("definite-leak", 1, 50, False)]
