"""Calls by number (`syscall`) in programs that carry IR: what they hand to the kernel is checked as in
the functions of the C library, and wild pointers are the kernel's to refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCES = Path(__file__).resolve().parents[1] / "alloc"
UNUSUAL = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long fault(long result) { return result == -1 && errno == EFAULT; }

int main(void) {
    void *wild = (void *)8;
    int ends[2], length = 10, status;
    if (syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    if (!fault(syscall(SYS_write, ends[1], wild, 10)) || !fault(syscall(SYS_poll, wild, 1, 0))) return 2;
    write(ends[1], "text", 4);
    if (!fault(syscall(SYS_read, ends[0], NULL, 4)) || !fault(syscall(SYS_read, ends[0], wild, 4))) return 3;
    if (!fault(syscall(SYS_sendmsg, ends[0], wild, 0))) return 4;
    if (!fault(syscall(SYS_recvmsg, ends[0], NULL, 0))) return 4;
    if (!fault(syscall(SYS_getsockname, ends[0], NULL, &length))) return 5;
    if (!fault(syscall(SYS_ioctl, ends[0], FIONREAD, NULL))) return 6;
    if (!fault(syscall(SYS_execve, wild, NULL, NULL))) return 6;
    if (!fault(syscall(SYS_futex, wild, 0, 1, NULL))) return 7;
    if (!fault(syscall(SYS_select, 1, wild, NULL, NULL, NULL))) return 7;
    if (syscall(SYS_ioctl, ends[0], FIOCLEX) || syscall(-1) != -1 || syscall(100000) != -1) return 8;
    struct epoll_event event = {EPOLLIN, {.ptr = malloc(10)}}; /* the kernel keeps the pointer */
    int queue = epoll_create1(0);
    if (syscall(SYS_epoll_ctl, queue, EPOLL_CTL_ADD, ends[0], &event)) return 9;
    event.data.ptr = NULL;
    if (syscall(SYS_epoll_ctl, queue, EPOLL_CTL_DEL, ends[1], wild) != -1 || errno != ENOENT) return 10;
    pid_t child = fork();
    if (!child) {
        char *words[] = {"true", NULL};
        syscall(SYS_execve, "/bin/true", words, NULL);
        _exit(1);
    }
    return waitpid(child, &status, 0) != child || status;
}
"""
RULES = {"short": "heap-buffer-overflow", "freed": "dangling-pointer-dereference"}


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("calls"), whence_env)
    made.cc("-g", "-w", SOURCES / "kernel_calls.c", "-o", made.directory / "kernel_calls")
    made.build(UNUSUAL, "unusual")
    return made


@pytest.fixture(scope="module")
def names(whence: Whence) -> list[str]:
    listed = whence.run("--quiet", "./kernel_calls").out.decode().split()
    return [name for name in listed if name.startswith("raw_")]


@pytest.mark.parametrize(
    "step", [pytest.param(3, id="sample"), pytest.param(1, id="every call", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("where", RULES)
def test_what_is_too_short_or_freed(whence: Whence, names: list[str], where: str, step: int) -> None:
    for name in names[list(RULES).index(where) :: step]:
        done, found = whence.findings("./kernel_calls", name, where)
        assert [finding["rule"] for finding in found] == [RULES[where]], (name, done.err)
        assert found[0]["library_function"] == "syscall"


@pytest.mark.parametrize("where", [pytest.param("fits", marks=pytest.mark.slow), "roomy"])
def test_correct_calls(whence: Whence, names: list[str], where: str) -> None:
    assert len(names) > 40
    for name in names:
        done, found = whence.findings("./kernel_calls", name, where)
        assert (done.status, done.out.decode(), found) == (0, f"{name}: good\n", []), (name, done.err)


def test_what_the_kernel_refuses_or_keeps(whence: Whence) -> None:
    done, found = whence.findings("./unusual")
    assert (done.status, found) == (0, []), done.err
