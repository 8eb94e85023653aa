"""Chains of pointers to functions that are called and lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.chains import hops
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
struct operations { int (*open)(int); int (*close)(int); };
static int (*hook)(int);
static int own(int n) { return n - 1; }
static int (*find(int n))(int) { return n > 5 ? own : NULL; }
static struct operations *make(int n) {
    struct operations *made = malloc(sizeof *made);
    *made = (struct operations){own, own};
    if (n > 5) return made;
    made->close = NULL;
    return made;
}
static int through(int (*call)(int), int n) { return call(n); }
static int tail(int (*call)(int), int n) { n = n * 3 % 7; return call(n); }
int main(int argc, char **argv) {
    int n = atoi(argv[2]), got = 1;
    if (n > 5) hook = own;
    switch (argv[1][0]) {
    case 'i': got = hook(1); break;
    case 'r': { int (*found)(int) = find(n); got = found(1); break; }
    case 'm': { struct operations *made = make(n); got = made->close(1); free(made); break; }
    case 'p': got = through(find(n), 1); break;
    case 't': got = tail(find(n), 5); break;
    case 'b': { int (*calls[2])(int) = {own, find(n)}; got = calls[n < 9](1); break; }
    case 'w': {
        char *text = calloc(8, 1);
        hook = n > 5 ? own : (int (*)(int))text;
        got = hook(1);
        free(text);
        break;
    }
    }
    return got;
}
"""
FOUND = [("return", "find"), ("constant", "NULL")]
CHAINS = {
    "i": [("initial", "hook")],
    "r": [("stored", "found"), *FOUND],
    "m": [("stored", "made->close"), ("constant", "NULL")],
    "p": [("argument", "through"), *FOUND],
    "t": [("argument", "tail"), *FOUND],
    "b": [("stored", "calls[1]"), *FOUND],
    "w": [("stored", "hook"), ("stored", "text"), ("allocation", "calloc")],
}


LEVELS = ("-O0", "-O2")
_HELD = """
static int own(void) { return 1; }
static int (*volatile hook)(void) = own;
int main(void) {
    int got = hook();
    ((volatile char *)own)[64] = 0; /* no call: the code beside what was called is written */
    return got;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> dict[str, Path]:
    whence = Whence(tmp_path_factory.mktemp("called"), whence_env)
    return {level: whence.build(PROGRAM, f"prog{level}", level) for level in LEVELS}


@pytest.mark.parametrize("locate", ["auto", "always"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", CHAINS)
def test_a_called_pointer_has_a_chain(
    whence: Whence, built: dict[str, Path], way: str, level: str, locate: str
) -> None:
    _, (found,) = whence.findings("--locate", locate, built[level], way, "1")
    assert found["rule"] == ("wild-call" if way == "w" else "null-pointer-dereference")
    assert hops(found, "r") == CHAINS[way]
    done, nothing = whence.findings("--locate", locate, built[level], way, "9")
    assert not nothing, done.err


def test_an_access_beside_a_called_function_has_no_chain_of_it(whence: Whence) -> None:
    _, (found,) = whence.findings("--locate", "always", whence.build(_HELD, "held"))
    assert found["rule"] == "signal" and not found.get("chains")
