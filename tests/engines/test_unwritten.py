"""Pointers that are used before they are written: the report says so, and the code after it stays."""

from __future__ import annotations

import pytest
from tests.harness.levels import built_at
from tests.harness.process import Whence

SOURCE = """
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>

struct holder { int number; const int *value; };
static const int three = 3;
static const int *volatile source = &three;

static void fill(const int **data, int really) {
    if (really) *data = &three;
}

static void fill_holder(struct holder *holder, int really) {
    holder->number = 1;
    if (really) holder->value = &three;
}

__attribute__((noinline)) static int in_memory(int really) {
    const int **data = alloca(sizeof(int *));
    fill(data, really);
    return **data; /* in_memory */
}

__attribute__((noinline)) static int in_register(int really) {
    const int *value;
    if (really) value = source;
    return *value; /* in_register */
}

__attribute__((noinline)) static int in_struct(int really) {
    struct holder holder;
    fill_holder(&holder, really);
    return holder.value[holder.number - 1]; /* in_struct */
}

int main(int argc, char **argv) {
    int really = argc == 2;
    switch (atoi(argv[1])) {
    case 1: return in_memory(really) != 3;
    case 2: return in_register(really) != 3;
    case 3: return in_struct(really) != 3;
    }
    return 2;
}
"""

LINES = SOURCE.splitlines()
CASES = [("1", "in_memory"), ("2", "in_register"), ("3", "in_struct")]


whence = built_at(SOURCE, "-O1", "-O2", flags=("-Wno-uninitialized",))


@pytest.mark.parametrize(("case", "function"), CASES)
def test_use_of_an_unwritten_pointer(whence: Whence, case: str, function: str) -> None:
    done, found = whence.findings("./prog", case, "unwritten")
    assert [finding["rule"] for finding in found] == ["signal"]
    line = next(number for number, text in enumerate(LINES, 1) if f"/* {function} */" in text)
    assert (found[0]["stack"][0]["function"], found[0]["stack"][0]["line"]) == (function, line)
    assert "comes from a pointer that the program never wrote: those hold 0xaaaaaaaaaaaaaaaa" in done.err


@pytest.mark.parametrize("case", [case for case, _ in CASES])
def test_the_same_uses_of_written_pointers(whence: Whence, case: str) -> None:
    done, found = whence.findings("./prog", case)
    assert (done.status, found) == (0, [])
