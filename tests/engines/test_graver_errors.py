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


@pytest.mark.parametrize("where", GRAVER)
def test_the_graver_error_comes_first(whence: Whence, where: str) -> None:
    """A run that goes on names both errors of the access."""
    path = whence.build(MISALIGNED % where, "program")
    options = ("--enable", "misaligned-access", "--locate", "never", "--keep-going")
    _, found = whence.findings(*options, path)
    both = [GRAVER[where], "misaligned-access"]
    assert [each["rule"] for each in found] == list(dict.fromkeys(both))
    assert {each["stack"][0]["line"] for each in found} == {8}
    path = whence.build(MISALIGNED % "(uintptr_t)block + 4", "clean")
    assert whence.findings(*options, path)[1] == []


ENDED_AND_LEFT = """
#include <stdio.h>
int main(int count, char **words) {
    void *pointer;
    %s small[2] = {7, 8};
    pointer = small;
    { %s inner = 7; if (count %% 2 == %d) pointer = &inner; }
    printf("%%d\\n", *(int *)pointer);
    return 0;
}
"""
ERRORS_OF_A_VARIABLE = {
    ("int", "short", 1): ["stack-use-after-scope", "stack-buffer-overflow"],
    ("int", "int", 1): ["stack-use-after-scope"],
    ("char", "int", 0): ["stack-buffer-overflow"],
    ("int", "int", 0): [],
}


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("shape", ERRORS_OF_A_VARIABLE)
def test_an_access_that_leaves_a_variable_after_its_scope(
    whence: Whence, shape: tuple[str, str, int], level: str
) -> None:
    path = whence.directory / "program.c"
    path.write_text(ENDED_AND_LEFT % shape)
    whence.cc("-g", level, "-w", path, "-o", whence.directory / "program")
    expected = ERRORS_OF_A_VARIABLE[shape]
    options = ("--locate", "never", "--disable", "use-of-uninitialized-value")
    for more, rules in ((("--keep-going",), expected), ((), expected[:1])):
        done, found = whence.findings(*options, *more, whence.directory / "program")
        assert [each["rule"] for each in found] == rules, done.err


VARIADIC = """
#include <stddef.h>
struct two { long a, b; };
int other(void) { return 4; }
__attribute__((nonnull)) int all(const char *name, ...);
__attribute__((nonnull(1))) int first(const char *name, ...);
int main(int count, char **words) {
    int *none = count > 9 ? &count : NULL;
    struct two pair = {1, 2};
    first("a", none, NULL);
    all("b", &count, words, other());
    if (count > 1)
        all("c", (double)count, pair, none, other());
    if (count > 2)
        all(words[0], NULL);
    return 0;
}
int all(const char *name, ...) { return name != NULL; }
int first(const char *name, ...) { return name != NULL; }
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_variable_arguments_that_are_never_null(whence: Whence, level: str) -> None:
    """The attribute nonnull without numbers holds for all pointers."""
    path = whence.directory / "program.c"
    path.write_text(VARIADIC)
    whence.cc("-g", level, "-w", path, "-o", whence.directory / "program")
    options = ("--enable", "nonnull-argument", "--locate", "never", "--keep-going")
    for words, lines in (((), []), (("1",), [13]), (("1", "2"), [13, 15])):
        done, found = whence.findings(*options, whence.directory / "program", *words)
        assert [each["stack"][0]["line"] for each in found] == lines, done.err
        assert {each["rule"] for each in found} <= {"nonnull-argument"}


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
