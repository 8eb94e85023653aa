"""Rules that hold at every access see those to local variables and globals, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

RULES = 'rule {name} "{point}"\n    at {point} r\n    when Kind(r) == {kind} and Value(r, 1) == 7\n'
SOURCE = """
#include <stdlib.h>
static volatile int global = 7;
static void through(volatile int *pointer) { *pointer = 8; }
int main(int count, char **arguments) {
    volatile int array[4];
    for (int i = 0; i < 4; i++) array[i] = 7;
    volatile int *block = malloc(sizeof *block);
    int what = atoi(arguments[1]);
    *block = 9;
    if (what == 1) array[count] = 1;
    if (what == 2) global = 2;
    if (what == 3) through(&array[2]);
    if (what == 4) through(&global);
    if (what == 5) *block = 3;
    int sum = what == 6 ? array[3] : what == 7 ? global : 0;
    free((void *)block);
    return sum != 0 && sum != 7;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.mark.parametrize("level", ["-O0", pytest.param("-O2", marks=pytest.mark.slow)])
def test_every_access_is_evaluated_wherever_it_goes(whence: Whence, level: str) -> None:
    rules = whence.directory / "every.rules"
    each = [("deref_w", "Stack"), ("deref_w", "Global"), ("deref_r", "Stack"), ("deref_r", "Global")]
    names = {pair: f"{pair[1].lower()}-{pair[0].replace('_', '-')}" for pair in each}
    rules.write_text("".join(RULES.format(name=name, point=p, kind=k) for (p, k), name in names.items()))
    program = whence.build(SOURCE, f"every{level}", level)
    found = {}
    for what in range(8):
        _, findings = whence.findings("--keep-going", "--rules", rules, program, str(what))
        found[what] = {(finding["rule"], finding["stack"][0]["function"]) for finding in findings}
    assert found == {
        0: set(),
        1: {("stack-deref-w", "main")},
        2: {("global-deref-w", "main")},
        3: {("stack-deref-w", "through")},
        4: {("global-deref-w", "through")},
        5: set(),
        6: {("stack-deref-r", "main")},
        7: {("global-deref-r", "main")},
    }


UNWRITTEN = """
#include <stdlib.h>
struct parts { int a; char b; long c; };
union either { long whole; char bytes[8]; };
static void fill(struct parts *parts) { parts->a = 1; parts->b = 2; }
static void give(int *number) { *number = 5; }
static void put(int *to) { int never; *to = never; }
static long sum(struct parts *parts, union either *either) { return parts->a + either->bytes[0]; }
int main(int count, char **arguments) {
    struct parts parts, more[2];
    union either either;
    int number, *block = malloc(sizeof *block);
    void *room = __builtin_alloca(16 * count);
    fill(&parts);
    give(&number);
    put(block);
    either.whole = count;
    sum(&parts, &either);
    if (count > 3) more[count - 3].a = 1, *(int *)room = 2;
    free(block);
    return number - 5;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", pytest.param("-O2", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "way",
    [("--tier", "quick"), ("--tier", "full"), pytest.param(("--locate", "always"), marks=pytest.mark.slow)],
    ids=" ".join,
)
def test_what_whence_stores_itself_is_no_write_of_the_program(
    whence: Whence, level: str, way: tuple[str, ...]
) -> None:
    """Where variables begin it says that they are undefined; a program that stores such a value writes."""
    rules = whence.directory / "any.rules"
    rules.write_text('rule any-write "any write"\n    at deref_w r\n    when r != NULL\n')
    program = whence.build(UNWRITTEN, f"unwritten{level}", level, "-fno-inline")
    values = ("--enable", "use-of-uninitialized-value")
    _, findings = whence.findings("--keep-going", "--rules", rules, *values, *way, program)
    found = {(each["stack"][0]["function"], each["stack"][0]["line"]) for each in findings}
    writes = {"fill": "parts->a", "give": "*number = 5", "put": "*to = never", "main": "either.whole ="}
    lines = {name: UNWRITTEN[: UNWRITTEN.index(text)].count("\n") + 1 for name, text in writes.items()}
    assert found == set(lines.items())
