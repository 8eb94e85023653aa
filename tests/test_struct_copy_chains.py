"""Chains of the pointers of struct assignments, structs passed by value, and what LLVM copies and fills."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.chains import chain_of, hops
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdlib.h>
#include <string.h>
struct limits { long low, high, step, more[5]; };
static struct limits zeroed;
static struct limits *find(int n) { return n > 5 ? &zeroed : NULL; }
static long by_value(struct limits l, int n) { return l.low + n; }
static struct limits kept;
int main(int argc, char **argv) {
    int n = atoi(argv[2]);
    struct limits *all = calloc(4, sizeof *all), one = {1, 2, 3}, *got = NULL;
    long sum = 0;
    switch (argv[1][0]) {
    case 'r': got = find(n); kept = *got; break;
    case 'w': got = find(n); *got = one; break;
    case 'v': got = find(n); sum = by_value(*got, 3); break;
    case 'z': got = find(n); memset(got, 0, sizeof *got); break;
    case 'i': all[12 - n] = one; break;
    case 'j': kept = all[12 - n]; break;
    case 'b': all[0] = all[12 - n]; break;
    case 'f': got = all; if (n < 5) free(all), all = NULL; kept = *got; break;
    }
    free(all);
    return (sum + kept.high) == 77;
}
"""
NULL = [("stored", "got"), ("return", "find"), ("constant", "NULL")]
ELEMENT = [("arithmetic", "&all[…]"), ("stored", "all"), ("allocation", "calloc")]
CHAINS = {
    **dict.fromkeys("rwvz", NULL),
    **dict.fromkeys("ijb", ELEMENT),
    "f": [("stored", "got"), ("stored", "all"), ("allocation", "calloc")],
}
LEVELS = ("-O0", "-O2")


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("structs"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level) for level in LEVELS}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", CHAINS)
def test_a_struct_that_is_copied_has_the_chain_of_its_pointer(
    whence: Whence, built: dict[str, Path], way: str, level: str
) -> None:
    _, (found,) = whence.findings("--locate", "auto", built[level], way, "1")
    assert hops(found, "r") == CHAINS[way]
    if way in "ijb":
        assert chain_of(found, "the index of r")["value"] == "0xb"
    done, nothing = whence.findings("--locate", "always", built[level], way, "9")
    assert not nothing, done.err


DECREMENT = """
int main(void) {
    unsigned i = 1, sum = 0;
    while (sum < 4) i--, sum++;
    return 0;
}
"""


@pytest.mark.parametrize("level", LEVELS)
def test_an_unsigned_number_that_is_counted_down_has_a_chain(whence: Whence, level: str) -> None:
    built = whence.build(DECREMENT, "down", level)
    _, (found,) = whence.findings("--enable", "unsigned-subtraction-overflow", "--locate", "auto", built)
    computed = [("stored", "i"), ("arithmetic", "i - 1")]
    assert hops(found, "x") == [*computed, ("stored", "i"), ("constant", "1")]
