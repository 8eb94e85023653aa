"""Programs that map memory at addresses of their own choice, where whence's tables lie."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#define SIZE (1ul << 20)
#define ACCESS (PROT_READ | PROT_WRITE)
#define ANYWHERE (MAP_PRIVATE | MAP_ANONYMOUS)
int main(int argc, char **argv) {
    char *at = (char *)strtoul(argv[2], NULL, 0), *p = MAP_FAILED;
    switch (argv[1][0]) {
    case 'f': p = mmap(at, SIZE, ACCESS, ANYWHERE | MAP_FIXED, -1, 0); break;
    case 's': p = (char *)syscall(SYS_mmap, at, SIZE, ACCESS, ANYWHERE | MAP_FIXED, -1, 0L); break;
    case 'm':
        p = mmap(NULL, SIZE, ACCESS, ANYWHERE, -1, 0);
        p = mremap(p, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, at);
        break;
    case 'n':
        p = mmap(at, SIZE, ACCESS, ANYWHERE | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED) printf("%d ", errno == EEXIST);
        break;
    case 'h': p = mmap(at, SIZE, ACCESS, ANYWHERE, -1, 0); break;
    case 'u':
        printf("%d %ld ", munmap(at, SIZE), syscall(SYS_munmap, at, SIZE));
        printf("%d %d ", mprotect(at, SIZE, PROT_NONE), errno == ENOMEM);
        p = mmap(NULL, SIZE, ACCESS, ANYWHERE, -1, 0);
        break;
    }
    if (argv[1][1] == 'k') return *(void **)p = malloc(10), 0;
    if (p != MAP_FAILED) memset(p, 1, SIZE);
    puts(p != MAP_FAILED && p[SIZE - 1] == 1 ? "mapped" : "not mapped");
    return 0;
}
"""
PLANE, DEPOT, FREE = "0x1000000000", "0x480000000000", "0x110000000000"
DEFINED = "0x301000000000"


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("fixed"), whence_env)
    made.build(PROGRAM)
    return made


@pytest.mark.parametrize(("way", "at"), [("f", PLANE), ("s", PLANE), ("m", PLANE), ("f", DEPOT)])
def test_memory_in_place_of_a_table_ends_the_run(whence: Whence, way: str, at: str) -> None:
    done = whence.run("./prog", way, at)
    assert done.status == 125
    assert f"the program maps memory at {at} (MAP_FIXED), where whence's tables lie" in done.err
    assert "let it choose addresses between 0x100100000000 and 0x200000000000" in done.err
    assert "error[" not in done.err


@pytest.mark.parametrize("way", "fsmnhu")
def test_other_requests_go_on(whence: Whence, way: str) -> None:
    at = PLANE if way in "hu" else FREE
    done = whence.run("./prog", way, at)
    expected = b"0 0 -1 1 mapped\n" if way == "u" else b"mapped\n"
    assert (done.status, done.out, done.said) == (0, expected, ""), done.err


def test_memory_that_must_replace_nothing(whence: Whence) -> None:
    done = whence.run("./prog", "n", PLANE)
    assert (done.status, done.out) == (0, b"1 not mapped\n")
    assert f"note: the program asked for memory at {PLANE} and did not get it" in done.err
    assert "no findings" in done.err


def test_a_pointer_in_place_of_a_table_that_is_not_there_is_a_root(whence: Whence) -> None:
    """Without the rule about undefined values there is no plane of theirs."""
    done, found = whence.findings("./prog", "fk", DEFINED)
    assert (done.status, found) == (0, []), done.err
    assert whence.run("--enable", "use-of-uninitialized-value", "./prog", "fk", DEFINED).status == 125
