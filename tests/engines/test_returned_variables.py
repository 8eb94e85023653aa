"""Whether the function of a variable whose scope has ended has returned, also where it was inlined."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int show(const char *s) {
    char copy[64];
    memset(copy, 0, 64);
    for (int i = 0; s[i] && i < 63; i++) copy[i] = s[i];
    return copy[0];
}
static char *name(int k) { char b[32]; snprintf(b, 32, "item %d", k); return strchr(b, 'i'); }
static int inner(int k) {
    const char *p;
    { char b[32]; snprintf(b, 32, "item %d", k); p = strchr(b, 'i'); }
    return show(p);
}
static int deeper(int k, const char *p) {
    { char b[32]; snprintf(b, 32, "item %d", k); if (!p) p = strchr(b, 'i'); }
    return k ? deeper(k - 1, p) : show(p);
}
static const char *volatile shared;
static volatile int done;
static void *other(void *unused) { while (!shared) usleep(100); show(shared); done = 1; return unused; }
static int waits(int k) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    const char *p;
    { char b[32]; snprintf(b, 32, "item %d", k); p = strchr(b, 'i'); }
    shared = p;
    while (!done) usleep(100);
    pthread_join(thread, NULL);
    return 0;
}
int main(int argc, char **argv) {
    switch (argv[1][0]) {
    case 'n': return show(name(argc)) == 1;
    case 'i': return inner(argc);
    case 'd': return deeper(argc, NULL);
    case 'w': return waits(argc);
    }
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path_factory.mktemp("returned"), whence_env)


LEVELS = [pytest.param("-O0", marks=pytest.mark.slow), "-O1", pytest.param("-O2", marks=pytest.mark.slow)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("function", ["name", "inner", "deeper", "waits"])
def test_a_function_that_was_inlined_has_returned(whence: Whence, level: str, function: str) -> None:
    """One that goes on has not, in the same thread or in another."""
    program = whence.build(PROGRAM, f"prog{level}", level, "-pthread")
    done, (found,) = whence.findings("--locate", "never", program, function)
    assert found["rule"] == "stack-use-after-scope"
    assert found["block"]["variable"]["function"] == function
    assert found["block"].get("returned", False) is (function == "name")
    assert ("has returned" in done.err.split("stack of")[0]) is (function == "name")
