"""Strict mode of seccomp, in which the kernel kills a process that makes other calls than four."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

PROGRAM = r"""
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char *volatile p = malloc(10);
    int index = atoi(argv[1]);
    int how = argc > 2 ? atoi(argv[2]) : 0;
    if (how == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 3;
    if (how == 1 && syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0)) return 3;
    if (how == 2 && syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0)) return 3;
    char *volatile q = malloc(20), *volatile r = malloc(3000);
    if (write(1, q && r ? "made\n" : "none\n", 5) < 0) return 1;
    p[index] = 1;
    free(p);
    free(q);
    free(r);
    syscall(SYS_exit, 7);
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("strict"), whence_env)
    made.build(PROGRAM)
    return made


def test_findings_in_strict_mode(whence: Whence) -> None:
    for how in "012":
        done = whence.run("--locate", "never", "./prog", "10", how)
        assert (done.status, done.out) == (99, b"made\n"), done.err
        assert "just after a block of 10 bytes" in done.err


def test_a_clean_program_in_strict_mode(whence: Whence) -> None:
    done = whence.run("./prog", "9")
    assert (done.status, done.out) == (7, b"made\n"), done.err
    assert "strict mode of seccomp: leaks are not searched" in done.err
    assert "no findings; the program exited with status 7" in done.err
