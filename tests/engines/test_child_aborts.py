"""Children that abort: a parent that expects it passes, other bugs of its children are still found."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

PROGRAM = """
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void die(int how) {
    char *p = malloc(4);
    if (how == 0) abort();
    if (how == 1) assert(how == 0);
    if (how == 2) raise(SIGABRT);
    if (how == 3) p[how + 1] = 1;
    if (how == 4) raise(SIGTRAP);
    free(p);
    _exit(0);
}
int main(int c, char **v) {
    int how = atoi(v[2]), status = 0;
    if (!strcmp(v[1], "self")) die(how);
    pid_t child = fork();
    if (!child && !strcmp(v[1], "exec")) execl(v[0], v[0], "self", v[2], (char *)0);
    if (!child) die(how);
    waitpid(child, &status, 0);
    return !(WIFSIGNALED(status) && WTERMSIG(status) == (how == 4 ? SIGTRAP : SIGABRT));
}
"""

SMASHED = """
#include <sys/wait.h>
#include <unistd.h>
void __stack_chk_fail(void);
int main(void) {
    if (!fork()) __stack_chk_fail();
    return wait(0) < 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path_factory.mktemp("aborts"), whence_env)


@pytest.fixture(scope="module")
def program(whence: Whence) -> Path:
    return whence.build(PROGRAM, "aborts")


@pytest.mark.parametrize("how", "0124")
@pytest.mark.parametrize("who", ["fork", "exec"])
def test_an_abort_that_the_parent_expects(whence: Whence, program: Path, who: str, how: str) -> None:
    number = signal.SIGTRAP if how == "4" else signal.SIGABRT
    done, found = whence.findings("--trace-children", program, who, how)
    assert done.status == 0
    assert [(each["rule"], each["severity"], each["signal"]) for each in found] == [
        ("child-abort", "note", number)
    ]
    assert "die" in [frame["function"] for frame in found[0]["stack"]]
    assert "no findings, 1 note (1 child-abort); the program exited with status 0" in done.err


@pytest.mark.parametrize("who", ["fork", "exec"])
def test_other_bugs_of_a_child(whence: Whence, program: Path, who: str) -> None:
    done, found = whence.findings("--trace-children", program, who, "3")
    assert (done.status, [each["rule"] for each in found]) == (99, ["heap-buffer-overflow"])


def test_an_abort_of_the_program_itself(whence: Whence, program: Path) -> None:
    done, found = whence.findings(program, "self", "0")
    assert (done.status, [(each["rule"], each["severity"]) for each in found]) == (99, [("signal", "error")])


def test_an_abort_of_a_child_can_be_an_error(whence: Whence, program: Path) -> None:
    done, found = whence.findings("--child-aborts", "error", program, "fork", "0")
    assert (done.status, [(each["rule"], each["severity"]) for each in found]) == (99, [("signal", "error")])
    assert "1 finding (1 signal)" in done.err


def test_a_child_whose_memory_the_c_library_found_broken(whence: Whence) -> None:
    done, found = whence.findings(whence.build(SMASHED, "smashed"))
    assert (done.status, [each["rule"] for each in found]) == (99, ["signal"])
