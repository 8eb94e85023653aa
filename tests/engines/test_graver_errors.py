"""Two errors of one access, and calls that native code makes in another way than the source says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


MISALIGNED = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    char *block = malloc(16);
    uintptr_t where = %s;
    printf("%%d\\n", *(int *)where);
    free(block);
    return 0;
}
"""
GRAVER = {
    "0xfff": "null-pointer-dereference",
    "(uintptr_t)block + 17": "heap-buffer-overflow",
    "0x123456789ab1": "signal",
    "(uintptr_t)block + 5": "misaligned-access",
}


@pytest.mark.parametrize("where", GRAVER)
def test_a_misaligned_access_that_is_wrong_otherwise(whence: Whence, where: str) -> None:
    """A run that stops at its first finding names the graver one."""
    path = whence.build(MISALIGNED % where, "program")
    _, found = whence.findings("--enable", "misaligned-access", "--locate", "never", path)
    assert [each["rule"] for each in found] == [GRAVER[where]]


PLAIN = """
#include <stdio.h>
int main(int count, char **words) {
    char *text = count > 5 ? words[1] : %s, into[10];
    %s;
    return 0;
}
"""
CALLS = {
    r'printf("%s\n", text)': "puts",
    'fprintf(stdout, "%s", text)': "fputs",
    'sprintf(into, "%s", text)': "strcpy",
}


@pytest.mark.parametrize("call", CALLS)
def test_what_the_compiler_makes_of_a_call(whence: Whence, call: str) -> None:
    """Other functions do not take a null pointer for a text, where printf shows that there is none."""
    for value, level, rules in (
        ("NULL", "-O1", ["null-argument"]),
        ("NULL", "-O0", []),
        ('"some"', "-O1", []),
    ):
        path = whence.directory / "program.c"
        path.write_text(PLAIN % (value, call))
        whence.cc("-g", level, "-w", path, "-o", whence.directory / "program")
        done, found = whence.findings("--locate", "never", whence.directory / "program")
        assert [each["rule"] for each in found] == rules, done.err
        if rules:
            assert found[0]["library_function"] == CALLS[call] and found[0]["stack"][0]["line"] == 5
        elif value != "NULL" and "into" not in call:
            assert done.out.strip() == b"some"


def test_results_of_such_calls(whence: Whence) -> None:
    """Where its result is used, a call stays what it is."""
    source = PLAIN % ("NULL", r'if (printf("%s\n", text) != 7) return 1')
    path = whence.directory / "program.c"
    path.write_text(source)
    whence.cc("-g", "-O1", "-w", path, "-o", whence.directory / "program")
    done, found = whence.findings("--locate", "never", whence.directory / "program")
    assert (done.status, done.out, found) == (0, b"(null)\n", [])


ENDING = """
#include <stdio.h>
extern void __attribute__((noreturn)) give_up(int code);
int main(int count, char **words) {
    if (count < 10)
        give_up(3);
    puts("never needed");
    return 0;
}
"""
ENDED = """
#include <stdlib.h>
int last_code;
void give_up(int code) { last_code = code; %s }
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_function_that_returns_against_its_declaration(whence: Whence, level: str) -> None:
    main, other = whence.directory / "main.c", whence.directory / "other.c"
    main.write_text(ENDING)
    for ending, rules in (("", ["reached-unreachable"]), ("exit(0);", [])):
        other.write_text(ENDED % ending)
        whence.cc("-g", level, main, other, "-o", whence.directory / "program")
        done, found = whence.findings(
            "--enable", "reached-unreachable", "--locate", "never", whence.directory / "program"
        )
        assert [each["rule"] for each in found] == rules, done.err
        if rules:
            assert found[0]["stack"][0]["line"] == 6
