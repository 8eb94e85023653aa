"""Chains of what library functions return that is their argument: a copy's begin, a letter that was found."""

from __future__ import annotations

import pytest
from tests.harness.chains import chain_of
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <stdlib.h>
#include <string.h>
static char *copy(const char *s) { return strcpy(malloc(strlen(s) + 1), s); }
int main(int argc, char **argv) {
    char *p = copy("some:text");
    if (argv[1][0] == 'u') { char *at = strchr(p, ':'); free(p); return *at; }
    if (argv[1][0] == 'n') { char *at = strchr(p, '!'); return *at; }
    char *at = strrchr(p, ':');
    int last = *at;
    free(p);
    return last == 0;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("returned"), whence_env)
    for level in ("-O0", "-O2"):
        made.build(SOURCE, f"prog{level}", level)
    return made


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize(
    ("way", "rule", "expected"),
    [
        (
            "u",
            "dangling-pointer-dereference",
            ["at", "strchr(p, 58)", "p", "copy", "strcpy(malloc(), s)", "malloc"],
        ),
        ("n", "null-pointer-dereference", ["at", "strchr"]),
    ],
)
def test_the_chain_goes_on_with_the_argument(
    whence: Whence, level: str, way: str, rule: str, expected: list[str]
) -> None:
    _, (found,) = whence.findings("--locate", "always", f"./prog{level}", way)
    assert found["rule"] == rule
    assert [hop["name"] for hop in chain_of(found, "r")["hops"]] == expected


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_the_clean_twin_has_no_findings(whence: Whence, level: str) -> None:
    assert whence.findings("--locate", "always", f"./prog{level}", "c")[1] == []
