"""Accesses that LLVM deletes, as nobody needs their result: those out of bounds are found at every level."""

from __future__ import annotations

import pytest
from tests.harness.levels import built_at
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct two { int one, other; };

__attribute__((noinline)) static void copied(const char *data) {
    char dest[50] = "";
    memcpy(dest, data, strlen(data)); /* copied */
    dest[49] = 0;
}

__attribute__((noinline)) static void cleared(int n) {
    char dest[50];
    memset(dest, n, n); /* cleared */
}

__attribute__((noinline)) static void member(int buggy) {
    struct two good = {0, 0};
    int bad = 100;
    struct two *two = buggy == 60 ? (struct two *)&bad : &good;
    two->one = 1;
    two->other = 2; /* member */
}

__attribute__((noinline)) static void indexed(int n) {
    int numbers[20];
    numbers[n] = n; /* indexed */
}

__attribute__((noinline)) static void sized(int n) {
    char text[n];
    text[50] = 'a'; /* sized */
}

int main(int argc, char **argv) {
    int n = atoi(argv[2]);
    char *data = calloc(100, 1);
    memset(data, 'A', n);
    switch (atoi(argv[1])) {
    case 0: copied(data); break;
    case 1: cleared(n); break;
    case 2: member(n); break;
    case 3: indexed(n == 60 ? 20 : 19); break;
    case 4: sized(n == 60 ? 50 : 51); break;
    }
    free(data);
    return 0;
}
"""
LINES = SOURCE.splitlines()
PLACES = ["copied", "cleared", "member", "indexed", "sized"]


WAYS = [("--tier", "quick"), ("--tier", "full"), ("--enable", "use-of-uninitialized-value")]


whence = built_at(SOURCE, "-O0", "-O2")


@pytest.mark.parametrize("way", WAYS)
def test_out_of_bounds(whence: Whence, way: tuple[str, str]) -> None:
    for number, place in enumerate(PLACES):
        _, found = whence.findings(*way, "./prog", str(number), "60")
        line = next(at for at, text in enumerate(LINES, 1) if f"/* {place} */" in text)
        where = [(each["rule"], each["stack"][0]["line"]) for each in found]
        assert where == [("stack-buffer-overflow", line)], place


@pytest.mark.parametrize("way", WAYS)
def test_in_bounds(whence: Whence, way: tuple[str, str]) -> None:
    for number, place in enumerate(PLACES):
        done, found = whence.findings(*way, "./prog", str(number), "40")
        assert (done.status, found) == (0, []), place
