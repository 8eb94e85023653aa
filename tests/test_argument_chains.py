"""Chains of the arguments of copies and of functions that allocate, and of pointers that functions store."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <malloc.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static long minus(long n) { return -n; }
__attribute__((noinline)) static size_t whole(size_t n) { return n; }

int main(int argc, char **argv) {
    long size = minus(8);
    size_t number = whole(1ul << 40);
    size_t odd = whole(24);
    char buffer[64] = "0123456789";
    char *to = buffer + 1;
    size_t length = whole(9);
    char *line = NULL, *text = NULL;
    void *aligned = NULL;
    size_t room = 0;
    void *made = NULL;
    int which = atoi(argv[1]);
    if (which == 0) memcpy(to, buffer, length); // 0
    if (which == 1) made = malloc(size); // 1
    if (which == 2) made = operator new[](size, std::nothrow); // 2
    if (which == 3) made = calloc(number, number); // 3
    if (which == 4) made = realloc(malloc(3), size); // 4
    if (which == 5) made = operator new(16, (std::align_val_t)odd, std::nothrow); // 5
    if (which == 6) made = memalign(odd, odd); // 6
    free(made);
    if (which == 10) {
        int end = dup(1); // end
        close(end);
        read(end, buffer, length);
    }
    if (which < 7 || which == 10) return 0;
    if (getline(&line, &room, stdin) < 0 || asprintf(&text, "%s!", line) < 0) return 1; // made
    if (posix_memalign(&aligned, 64, 100)) return 1; // aligned
    char *all[] = {line, text, (char *)aligned};
    char *one = all[which - 7];
    free(one); // freed
    return one[5]; // used
}
"""
LINES = SOURCE.splitlines()
BORN = {
    "size": LINES.index("    long size = minus(8);") + 1,
    "number": LINES.index("    size_t number = whole(1ul << 40);") + 1,
    "odd": LINES.index("    size_t odd = whole(24);") + 1,
    "length": LINES.index("    size_t length = whole(9);") + 1,
    "end": LINES.index("        int end = dup(1); // end") + 1,
    "main": LINES.index("int main(int argc, char **argv) {") + 1,
    "made": next(at for at, line in enumerate(LINES, 1) if line.endswith("// made")),
    "aligned": next(at for at, line in enumerate(LINES, 1) if line.endswith("// aligned")),
}


RULES = (
    *("absurd-size", "bad-alignment", "refused-alignment", "overlapping-copy"),
    "use-of-closed-descriptor",
)


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def whence(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Whence:
    made = Whence(tmp_path_factory.mktemp("arguments"), whence_env)
    (made.directory / "a.cc").write_text(SOURCE)
    made.process("whence.cli.cc", "c++", "-g", request.param, "-w", "a.cc", "-o", "prog")
    return made


def chains(whence: Whence, which: int) -> tuple[str, dict[str, tuple[str, int]]]:
    """The rule of the first finding, and the births of its chains, by their terms."""
    options = [word for rule in RULES for word in ("--enable", rule)]
    _, findings = whence.findings("--locate", "always", *options, "./prog", str(which), stdin=b"hello\n")
    hops = {chain["term"]: chain["hops"] for chain in findings[0]["chains"]}
    return findings[0]["rule"], {term: (of[-1]["kind"], of[-1]["line"]) for term, of in hops.items()}


@pytest.mark.parametrize(
    ("which", "rule", "expected"),
    [
        (0, "overlapping-copy", {"r": "main", "s": "main", "n": "length"}),
        (1, "absurd-size", {"size": "size"}),
        (2, "absurd-size", {"size": "size"}),
        (3, "absurd-size", {"count": "number", "size": "number"}),
        (4, "absurd-size", {"size": "size"}),
        (5, "bad-alignment", {"align": "odd"}),
        (6, "refused-alignment", {"align": "odd"}),
        (10, "use-of-closed-descriptor", {"fd": "end"}),
    ],
)
def test_arguments(whence: Whence, which: int, rule: str, expected: dict[str, str]) -> None:
    said, born = chains(whence, which)
    assert said == rule
    lines = {term: BORN[name] for term, name in expected.items()}
    assert {term: line for term, (_, line) in born.items()} == lines


@pytest.mark.parametrize(("which", "name"), [(7, "made"), (8, "made"), (9, "aligned")])
def test_pointers_that_functions_store(whence: Whence, which: int, name: str) -> None:
    rule, born = chains(whence, which)
    assert rule == "dangling-pointer-dereference"
    assert born == dict.fromkeys(("r", "r1"), ("allocation", BORN[name]))
