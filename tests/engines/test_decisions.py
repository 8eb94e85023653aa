"""Branches on undefined values that LLVM's pipeline would not leave: judged where native code makes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

RULE = "use-of-uninitialized-value"
WAYS = {
    "quick": ("--tier", "quick", "--locate", "never"),
    "full": ("--tier", "full", "--locate", "never"),
    "located": ("--locate", "always"),
}
PROGRAMS = {
    "chosen constants": """
#include <stdlib.h>
int state;
int main(void) {
    int *p = malloc(40);
    %s;
    if (p[4]) // HERE
        state = 1;
    else
        state = 2;
    free(p);
    return 0;
}
""",
    "a switch": """
#include <stdlib.h>
int state;
int main(void) {
    int *p = malloc(40);
    %s;
    switch (p[4]) { // HERE
    case 0: state = 1; break;
    case 7: state = 2; break;
    default: state = 3;
    }
    free(p);
    return 0;
}
""",
    "a result that nobody needs": """
static int sink(int x) { (void)x; return 0; }
int main(void) {
    int p[5], kind = 3;
    %s;
    if (p[4] > 50) // HERE
        kind = 4;
    sink(kind);
    return 0;
}
""",
    "a chosen result": """
static int grade(void) {
    int p[5];
    %s;
    if (p[4] > 50) // HERE
        return 2;
    return 1;
}
int main(void) { return grade() - grade(); }
""",
    "the end of an empty loop": """
int main(void) {
    unsigned p[5], i = 0;
    %s;
    while (i < p[4] && i < 3) // HERE
        i++;
    return 0;
}
""",
    "behind a test": """
int main(int count, char **words) {
    int valid, p[5], state = 0;
    %s;
    valid = count > 5;
    if (valid || p[4]) // HERE
        state = 1;
    return state * 0;
}
""",
}


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def built(whence: Whence, name: str, source: str, level: str) -> Path:
    path = whence.directory / f"{name}.c"
    path.write_text(source)
    whence.cc("-g", level, "-w", path, "-o", whence.directory / name)
    return whence.directory / name


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_branch_of_unoptimised_code(whence: Whence, name: str) -> None:
    buggy = PROGRAMS[name] % "p[3] = 0"
    line = 1 + next(at for at, text in enumerate(buggy.split("\n")) if "HERE" in text)
    for program, expected in ((buggy, [line]), (PROGRAMS[name] % "p[4] = 0", [])):
        path = built(whence, "program", program, "-O0")
        for options in WAYS.values():
            _, found = whence.findings("--enable", RULE, *options, path)
            assert [(each["rule"], each["stack"][0]["line"]) for each in found] == [
                (RULE, each) for each in expected
            ], (name, options)


@pytest.mark.parametrize("name", ["a result that nobody needs", "the end of an empty loop"])
def test_what_optimised_code_does_not_do(whence: Whence, name: str) -> None:
    path = built(whence, "program", PROGRAMS[name] % "p[3] = 0", "-O2")
    done, found = whence.findings("--enable", RULE, *WAYS["full"], path)
    assert (done.status, found) == (0, [])


def test_values_that_a_test_keeps_from_being_looked_at(whence: Whence) -> None:
    source = PROGRAMS["behind a test"].replace("count > 5", "count > 0") % "p[3] = 0"
    path = built(whence, "program", source, "-O0")
    for options in WAYS.values():
        assert whence.findings("--enable", RULE, *options, path)[1] == []
