"""A program that goes on after a finding and is killed by what it was about: one finding, not two."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char table[100];
static char *given, *own; /* in no blocks */
static char *volatile nothing;
static volatile size_t less = -1;
static char *reserved;

static void map_it(int number, siginfo_t *info, void *machine) {
    (void)number, (void)machine;
    char *page = (char *)((size_t)info->si_addr & ~4095ul);
    if (page < reserved || page >= reserved + (1 << 20)) _Exit(3);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static int compare(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b + *nothing;
}

int main(int argc, char **argv) {
    char local[64] = "text";
    char *block = malloc(16);
    given = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own = given + 4096;
    switch (atoi(argv[1])) {
    case 1: return (int)strlen(nothing);
    case 2: return fclose((FILE *)nothing);
    case 3: *nothing = 1; break;
    case 4: memcpy(nothing, table, 8); break;
    case 5: memcpy(own, given, less >> 20); break;
    case 6: memset(own, 0, less >> 33); break;
    case 7: memset(block, 0, less); break;
    case 8: return free(block), (int)fread(own, 1, less >> 1, stdin);
    case 9: {
        struct sigaction action = {.sa_sigaction = map_it, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &action, NULL);
        reserved = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(reserved, 1, (size_t)argc << 19);
        break;
    }
    case 10:
        strcpy(nothing + (argc > 2), "x"); /* null is passed once */
        break;
    case 11: qsort(local, 4, 1, compare); break;
    case 12: memset(local, 0, less >> 33); break;
    case 13: memset(table, 0, less >> 33); break;
    }
    free(block);
    return local[0];
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("repeats"), whence_env)
    made.build(SOURCE)
    return made


@pytest.mark.parametrize(
    ("case", "rules"),
    [
        ("1", ["null-argument"]),
        ("2", ["null-argument"]),
        ("3", ["null-pointer-dereference"]),
        ("4", ["null-pointer-dereference"]),
        ("5", ["absurd-length"]),
        ("6", ["absurd-length"]),
        ("7", ["heap-buffer-overflow"]),
        ("11", ["null-pointer-dereference"]),
        ("12", ["stack-buffer-overflow"]),
        ("13", ["global-buffer-overflow"]),
    ],
)
def test_one_finding(whence: Whence, case: str, rules: list[str]) -> None:
    done, found = whence.findings("--keep-going", "./prog", case)
    assert [finding["rule"] for finding in found] == rules
    assert all(finding["stack"][0]["function"] for finding in found)
    assert done.status == 99 and "killed by SIGSEGV" in done.err


@pytest.mark.parametrize(("case", "status"), [("8", 0), ("9", ord("t"))])
def test_what_ends_well(whence: Whence, case: str, status: int) -> None:
    """A count that is never used up, and memory that the program's handler maps when it is needed."""
    done = whence.run("./prog", case)
    assert (done.status, done.said) == (status, "")


def test_another_crash_is_a_finding(whence: Whence, tmp_path: Path) -> None:
    """The length is said, and the crash of another thread is not taken for its consequence."""
    source = """
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static volatile size_t less = -1;
static int pipes[2];
static void *crash(void *unused) {
    char byte;
    (void)!read(pipes[0], &byte, 1);
    return (void *)(long)*(volatile char *)0x123456780000;
}
int main(void) {
    pthread_t thread;
    char *p = "text";
    (void)!pipe(pipes);
    pthread_create(&thread, NULL, crash, NULL);
    (void)!strlen(*(char *volatile *)&p - 0);
    char *volatile nothing = NULL;
    (void)!write(pipes[1], p, 1);
    pthread_join(thread, NULL);
    return strlen(nothing);
}
"""
    other = Whence(tmp_path, whence.env)
    _, found = other.findings("--keep-going", other.build(source, "prog", "-pthread"))
    assert [finding["rule"] for finding in found] == ["signal"]
