"""Programs that are linked to fixed addresses stay there: their code may have the addresses in 32 bits."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

ABSOLUTE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int table[4] = {1, 2, 3, 4};
static char *kept;
char room[ROOM];
static int third(long i) {
    int v;
    __asm__("movl table(,%1,4), %0" : "=r"(v) : "r"(i) : "memory");
    return v;
}
static int narrow(void) { return *(int *)(unsigned long)(unsigned)(unsigned long)&table[1]; }
static void *work(void *index) { table[(long)index]++; return 0; }
int main(int argc, char **argv) {
    long index = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t thread;
    kept = malloc(10);
    pthread_create(&thread, 0, work, (void *)index);
    pthread_join(thread, 0);
    room[ROOM - 1] = 1;
    printf("%d %d\\n", third(2), narrow());
    if (argc > 2) kept = 0;
    return 0;
}
"""
"""Assembly with absolute addresses, and pointers that fit in 32 bits."""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.mark.parametrize("options", ["-no-pie", "-fno-pie -Wl,-no-pie", "-static", "-no-pie -rdynamic -s"])
def test_absolute_addresses(whence: Whence, options: str) -> None:
    whence.build(ABSOLUTE, "prog", "-DROOM=16", "-pthread", *options.split())
    done = whence.run("./prog")
    assert (done.status, done.out, done.said) == (0, b"3 2\n", "")
    done, findings = whence.findings("./prog", "4")
    assert (done.status, [f["rule"] for f in findings]) == (99, ["global-buffer-overflow"])
    done, findings = whence.findings("./prog", "0", "x")
    assert [f["rule"] for f in findings] == ["definite-leak"]


def test_addresses_that_the_checks_need(whence: Whence) -> None:
    """A program that reaches them is moved; one that cannot be moved is refused in one sentence."""
    high = "-Wl,-Ttext-segment=0x7fff0000"
    whence.build(ABSOLUTE, "prog", "-DROOM=300000", "-pthread", "-no-pie", high)
    done = whence.run("./prog")
    assert done.status == 125 and len(done.err.splitlines()) == 1
    assert "prog is linked to fixed addresses above 0x7fff8000" in done.err and "-pie" in done.err
    movable = ABSOLUTE.replace("third(2), narrow()", "table[2], table[1]")
    movable = movable[: movable.index("static int third")] + movable[movable.index("static void *work") :]
    whence.build(movable, "moved", "-DROOM=300000", "-pthread", "-no-pie", high)
    done = whence.run("./moved")
    assert (done.status, done.out, done.said) == (0, b"3 2\n", "")
    assert whence.run("./moved", "4").status == 99
