"""A finding without a chain shows where what it is about was born, or a note says why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *names[2] = {"red", "blue"};
static __attribute__((returns_nonnull, noinline)) const char *find(int n) {
    if (n < 9) return NULL;
    return names[1];
}
static __attribute__((noinline)) double part(double whole, double count) { return whole / count; }
struct odd { char c; int i; };
int main(int argc, char **argv) {
    int n = atoi(argv[2]), got = 0;
    switch (argv[1][0]) {
    case 'f': got = part(n, n > 5 ? 2 : 0) > 3; break;
    case 'n': got = find(n) == NULL; break;
    case 'p': {
        struct odd *p = malloc(sizeof *p);
        if (n > 5) memset(p, 0, sizeof *p);
        p->c = 'a', p->i = 2;
        got = write(1, p, sizeof *p) < 0;
        free(p);
        break;
    }
    }
    return got;
}
"""
ENABLED = ("--enable", "float-division-by-zero", "--enable", "nonnull-result")
VALUES = ("--enable", "use-of-uninitialized-value")
REASONS = {
    "f": "note: no chain for float-division-by-zero: floating-point numbers are not followed",
    "n": "note: no chain for nonnull-result: what it is about is a constant there, or comes from code",
}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture
def built(whence: Whence) -> Path:
    return whence.build(PROGRAM)


@pytest.mark.parametrize("locate", ["auto", "replay", "always"])
@pytest.mark.parametrize("way", REASONS)
def test_a_note_says_why_there_is_no_chain(whence: Whence, built: Path, way: str, locate: str) -> None:
    done, (found,) = whence.findings(*ENABLED, "--locate", locate, built, way, "1")
    assert not found.get("chains") and REASONS[way] in done.err
    done, nothing = whence.findings(*ENABLED, "--locate", locate, built, way, "9")
    assert not nothing and not done.said


@pytest.mark.parametrize("locate", ["auto", "always"])
def test_a_birth_in_the_finding_needs_no_note(whence: Whence, built: Path, locate: str) -> None:
    done, (found,) = whence.findings(*VALUES, "--locate", locate, built, "p", "1")
    assert found["rule"] == "use-of-uninitialized-value" and "no chain" not in done.err
    assert "never written since its allocation" in done.err
    done, nothing = whence.findings(*VALUES, "--locate", locate, built, "p", "9")
    assert not nothing and not done.said
