"""Chains of bytes that are copied from literals, and from variables that nothing was stored to since."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
static const char *name = "hello";
static const char words[] = "world";
static int numbers[3] = {70, 80, 90};
static void use(int *table, int at) { table[at] = 1; }
static int pick(const char *what) {
    char text[32];
    if (!strcmp(what, "strcpy")) { strcpy(text, "abc"); return text[1]; } // strcpy
    if (!strcmp(what, "strcat")) { text[0] = 0; strcat(text, "abc"); return text[1]; } // strcat
    if (!strcmp(what, "strdup")) { char *own = strdup("abc"); int c = own[1]; free(own); return c; } // strdup
    if (!strcmp(what, "memcpy")) { memcpy(text, "abc", 4); return text[1]; } // memcpy
    if (!strcmp(what, "snprintf")) { snprintf(text, 9, "%s", "abc"); return text[1]; } // snprintf
    if (!strcmp(what, "string")) { std::string own("abc"); return own[1]; } // string
    if (!strcmp(what, "append")) { std::string own; own += "abc"; return own[1]; } // append
    if (!strcmp(what, "stream")) { std::istringstream in("77"); int n; in >> n; return n; } // stream
    if (!strcmp(what, "atoi")) { return atoi("77"); } // atoi
    if (!strcmp(what, "array")) { int own[3] = {70, 80, 90}; return own[1]; } // array
    if (!strcmp(what, "letters")) { char own[] = "abcdef"; return own[1]; } // letters
    if (!strcmp(what, "pointer")) { strcpy(text, name); return text[1]; } // pointer
    if (!strcmp(what, "constant")) { strcpy(text, words); return text[1]; } // constant
    if (!strcmp(what, "global")) { int own[3]; memcpy(own, numbers, 12); return own[1]; } // global
    words_of(text); return text[1]; // stored
}
int main(int argc, char **argv) {
    int *table = (int *)malloc(4 * atoi(argv[2]));
    use(table, pick(argv[1]));
    free(table);
}
""".replace("static int pick", "static void words_of(char *to) { to[1] = 'b'; }\nstatic int pick")
BIRTHS = {
    **dict.fromkeys(("strcpy", "strcat", "strdup", "memcpy", "snprintf"), ("constant", '"abc"')),
    "atoi": ("constant", '"77"'),
    "array": ("initial", "own"),
    "letters": ("initial", "own"),
    "pointer": ("initial", "*name"),
    "constant": ("initial", "words"),
    "global": ("initial", "numbers"),
}


STRINGS = {
    **dict.fromkeys(("string", "append"), ("constant", '"abc"')),
    "stream": ("constant", '"77"'),
}
"""Front ends leave what these do to libstdc++ without optimisation."""


CASES = [("-O0", what) for what in BIRTHS] + [("-O2", what) for what in (*BIRTHS, *STRINGS)]


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("literals"), whence_env)
    (made.directory / "a.cc").write_text(SOURCE)
    for level in ("-O0", "-O2"):
        done = made.process("whence.cli.cc", "c++", "-g", level, "-w", "a.cc", "-o", f"prog{level}")
        assert done.status == 0, done.err
    return made


@pytest.mark.parametrize(("level", "what"), CASES)
def test_copies_begin_with_what_is_copied(whence: Whence, level: str, what: str) -> None:
    _, (found,) = whence.findings("--locate", "always", f"./prog{level}", what, "60")
    (chain,) = [each for each in found["chains"] if each["term"] == "the index of r"]
    birth = chain["hops"][-1]
    assert (birth["kind"], birth["name"]) == {**BIRTHS, **STRINGS}[what]
    assert SOURCE.splitlines()[birth["line"] - 1].endswith(f"// {what}")
    assert len(chain["hops"]) <= 16 and not chain["cut"]


def test_a_byte_that_was_stored_begins_there(whence: Whence) -> None:
    _, (found,) = whence.findings("--locate", "always", "./prog-O2", "stored", "60")
    (chain,) = [each for each in found["chains"] if each["term"] == "the index of r"]
    assert [(hop["kind"], hop["name"]) for hop in chain["hops"][-2:]] == [
        ("stored", "to[1]"),
        ("constant", "98"),
    ]


def test_within_bounds_nothing_is_found(whence: Whence) -> None:
    for what in (*BIRTHS, *STRINGS, "stored"):
        assert whence.findings("--locate", "always", "./prog-O2", what, "200")[1] == []
