"""How often an access is counted whose function goes on in its twin, which repeats the check before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


SOURCE = """
#include <stdlib.h>
__attribute__((noinline)) static long wide(char *p, int i) { return *(long *)(p + i); }
int main(int count, char **words) {
    char *block = malloc(20);
    long sum = 0;
    if (count > 1) sum += wide(block, 16) & 0;
    if (count > 2) free(block);
    if (count > 2) sum += wide(block, 0) & 0;
    if (count <= 2) free(block);
    return (int)sum;
}
"""
COUNTED = {
    (): [],
    ("1",): [("heap-buffer-overflow", 1)],
    ("1", "2"): [("heap-buffer-overflow", 1), ("dangling-pointer-dereference", 1)],
}


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_an_access_of_undefined_bytes_out_of_bounds(whence: Whence, tier: str) -> None:
    program = whence.build(SOURCE, "program")
    for words, counted in COUNTED.items():
        options = ("--tier", tier, "--locate", "never", "--keep-going")
        done, found = whence.findings(*options, program, *words)
        assert [(each["rule"], each["occurrences"]) for each in found] == counted, done.err
