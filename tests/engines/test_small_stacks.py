"""Little room on stacks: the program has what the user gives it, and whence finds its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.process import Done, Whence

pytestmark = pytest.mark.build

PROGRAM = r"""
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static int wrong, place;
static void use(int here) {
    char *volatile p = malloc(10);
    p[place == here ? wrong : 1] = 1;
    free(p);
}
static void *run(void *x) { use(1); return x; }
static void on(int number) { use(2); }
int main(int argc, char **argv) {
    struct rlimit limit;
    pthread_attr_t small;
    pthread_t thread;
    size_t size = sysconf(_SC_MINSIGSTKSZ) + 8192;
    stack_t other = {.ss_sp = malloc(size), .ss_size = size}, none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = on, .sa_flags = SA_ONSTACK};
    place = atoi(argv[1]);
    wrong = 10;
    use(0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    if (pthread_create(&thread, &small, run, NULL) || pthread_join(thread, NULL)) return 1;
    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaltstack(&none, NULL);
    free(other.ss_sp);
    getrlimit(RLIMIT_STACK, &limit);
    printf("%lu\n", (unsigned long)limit.rlim_cur >> 10);
    return 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("stacks"), whence_env)
    made.build(PROGRAM, "prog", "-pthread")
    return made


def limited(whence: Whence, limit: str, *words: str) -> Done:
    """A run by the native command under a limit."""
    command = [str(Path(sys.executable).parent / "whence"), "run", *words]
    done = subprocess.run(
        ["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *command],
        capture_output=True,
        env=dict(whence.env),
        cwd=whence.directory,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def test_a_soft_limit_is_the_programs_alone(whence: Whence) -> None:
    assert limited(whence, "-Ss 128", "./prog", "9").out == b"128\n"
    again = limited(whence, "-Ss 64", "./prog", "9")
    assert (again.status, again.out) == (0, b"64\n")
    assert "no findings" in again.err
    for place in "012":
        found = limited(whence, "-Ss 128", "./prog", place)
        assert found.status == 99, found.err
        assert "error[heap-buffer-overflow]" in found.err


def test_a_hard_limit_is_named(whence: Whence) -> None:
    done = limited(whence, "-s 128", "./none")
    raised = "./none" in done.err
    assert raised or "the stack is limited to 128 KiB (ulimit -s), and whence needs" in done.err
