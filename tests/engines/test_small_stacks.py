"""Little room on stacks: the program has what the user gives it, and whence finds its own."""

from __future__ import annotations

import ctypes
import functools
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.harness.process import Done, Whence
from tests.harness.warm import real_starts as real_starts

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
    printf("%lu %s\n", (unsigned long)limit.rlim_cur >> 10, getenv("LD_PRELOAD"));
    return 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("stacks"), whence_env)
    made.build(PROGRAM, "prog", "-pthread")
    return made


PR_CAPBSET_READ, PR_CAPBSET_DROP, CAP_SYS_RESOURCE = 23, 24, 24


def set_soft(kilobytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_STACK, (kilobytes << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def set_hard(kilobytes: int) -> None:
    """A limit that this process and what it executes cannot raise, as root neither."""
    libc = ctypes.CDLL(None)
    if os.geteuid() == 0 and libc.prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0) != 0:
        raise OSError("the right to raise limits cannot be given up")
    resource.setrlimit(resource.RLIMIT_STACK, (kilobytes << 10, kilobytes << 10))


SILENT = "from whence.errors.shortage import silent_end; print(silent_end(-11)); print(silent_end(-9))"
COMMAND = Path(sys.executable).parent / "whence"


def limited(whence: Whence, limit: Callable[[], None], *words: str, command: Path = COMMAND) -> Done:
    """A run by the native command under a limit."""
    done = subprocess.run(
        [command, "run", *words],
        capture_output=True,
        env={"LD_PRELOAD": "libm.so.6", **whence.env},
        cwd=whence.directory,
        preexec_fn=limit,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def may_give_up() -> bool:
    return os.geteuid() != 0 or ctypes.CDLL(None).prctl(PR_CAPBSET_READ, 8, 0, 0, 0) == 1


@pytest.fixture(params=[set_soft, set_hard])
def limit(request: pytest.FixtureRequest) -> Callable[[int], Callable[[], None]]:
    if request.param is set_hard and not may_give_up():
        pytest.skip("root needs CAP_SETPCAP here to give up the right to raise limits")
    return lambda kilobytes: functools.partial(request.param, kilobytes)


Limit = Callable[[int], Callable[[], None]]


def test_a_limit_is_the_programs_alone(whence: Whence, limit: Limit) -> None:
    for kilobytes in (128, 64):
        clean = limited(whence, limit(kilobytes), "./prog", "9")
        assert (clean.status, clean.out) == (0, f"{kilobytes} libm.so.6\n".encode()), clean.err
        assert "no findings" in clean.err
    for kilobytes, place in (128, "0"), (64, "1"), (24, "2"):
        found = limited(whence, limit(kilobytes), "./prog", place)
        assert found.status == 99, found.err
        assert "error[heap-buffer-overflow]" in found.err
        assert "p[place == here ? wrong : 1] = 1;" in found.err


def test_a_run_that_nobody_could_report_does_not_begin(whence: Whence, limit: Limit, tmp_path: Path) -> None:
    """As where the interpreter is linked statically: it does not load the library that makes room."""
    command = Path(shutil.copy2(COMMAND, tmp_path))
    python = tmp_path / "whence-python"
    python.write_text(f'#!/bin/sh\nunset LD_PRELOAD\nexec "{COMMAND}-python" "$@"\n')
    python.chmod(0o755)
    for _ in range(2):  # with a plan the second time, where there can be one
        clean = limited(whence, limit(1024), "./prog", "9", command=command)
        assert clean.out.startswith(b"1024"), clean.err
    done = limited(whence, limit(128), "./prog", "0", command=command)
    if done.status == 99:  # a soft limit
        assert "error[heap-buffer-overflow]" in done.err
    else:
        assert (done.status, done.out) == (125, b"")
        assert "the stack is limited to 128 KiB (ulimit -s), and whence needs 256" in done.err


def test_a_linker_that_dies_is_no_silence() -> None:
    command = [sys.executable, "-c", SILENT]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: set_soft(512))
    first, second = done.stdout.splitlines()
    why, what = "it was ended by SIGSEGV, and the stack is limited to 512 KiB", "raise the limit (ulimit -s)"
    assert first == f"{why}: {what}"
    assert second == "it was ended by SIGKILL"


def test_the_compiler_works_under_a_soft_limit(whence: Whence) -> None:
    words = [COMMAND.with_name("whence-cc"), "-c", "prog.c", "-o", "small.o"]
    environment, limit = dict(whence.env), functools.partial(set_soft, 32)
    done = subprocess.run(words, cwd=whence.directory, env=environment, preexec_fn=limit, check=False)
    assert done.returncode == 0
