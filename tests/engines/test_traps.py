"""Programs whose control or pointers go astray until the processor traps: what is told, and where."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct handlers { void (*first)(int), (*second)(int); };
static struct handlers table;
static void handle(int value) { printf("%d\\n", value); }

__attribute__((noinline)) static void smash(const char *text, size_t length) {
    char local[16] = "";
    memmove(local, text, length);
    puts(local);
} /* returns from smash */

__attribute__((noinline)) static void climb(char *at) {
    for (;;) *at++ = 'x'; /* leaves the stack */
}

static volatile int called;
__attribute__((noinline)) static void run(void (*code)(int)) {
    code(1); /* calls it */
    called++;
}

int main(int argc, char **argv) {
    int bad = argc > 2;
    char *text = calloc(100, 1), local[8];
    memset(text, 'A', 99);
    switch (atoi(argv[1])) {
    case 1: smash(text, bad ? 99 : 15); break;
    case 2:
        if (!bad) table.second = handle;
        run(table.second);
        break;
    case 3: run(bad ? (void (*)(int))text : handle); break;
    case 4: run(bad ? (void (*)(int))0x7000000000 : handle); break;
    case 5: run(bad ? (void (*)(int))0x1234567812345678 : handle); break;
    case 6:
        if (bad) climb(local);
        break;
    }
    free(text);
    return 0;
}
"""

LINES = SOURCE.splitlines()
CASES = [
    ("1", "overwritten-return-address", "smash", "returns from smash"),
    ("2", "null-pointer-dereference", "run", "calls it"),
    ("3", "wild-call", "run", "calls it"),
    ("4", "wild-call", "run", "calls it"),
    ("5", "signal", "run", "calls it"),
    ("6", "signal", "climb", "leaves the stack"),
]


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def whence(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Whence:
    made = Whence(tmp_path_factory.mktemp("traps"), whence_env)
    made.build(SOURCE, "prog", "-fno-stack-protector", request.param)
    return made


@pytest.mark.parametrize(("case", "rule", "function", "mark"), CASES)
def test_where_it_went_astray(whence: Whence, case: str, rule: str, function: str, mark: str) -> None:
    _, found = whence.findings("./prog", case, "bad")
    assert [finding["rule"] for finding in found] == [rule]
    top = found[0]["stack"][0]
    line = next(number for number, text in enumerate(LINES, 1) if f"/* {mark} */" in text)
    assert (top["function"], top["line"]) == (function, line)


@pytest.mark.parametrize("case", [case[0] for case in CASES])
def test_the_same_calls_with_good_pointers(whence: Whence, case: str) -> None:
    done, found = whence.findings("./prog", case)
    assert (done.status, found) == (0, [])


def test_a_null_call_is_told_as_a_call(whence: Whence) -> None:
    done, found = whence.findings("./prog", "2", "bad")
    assert found[0]["access"]["kind"] == "call"
    assert "call in run through a null pointer (0x0)" in done.err


def test_the_overwritten_address_is_named(whence: Whence) -> None:
    done, _ = whence.findings("./prog", "1", "bad")
    assert "0x4141414141414141 is what stands where the return address was" in done.err
