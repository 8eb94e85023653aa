"""Undefined values: words that fill variables have no zero where other code writes one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

PROGRAM = """
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
template <int N> __attribute__((noinline)) static size_t length(const std::string &text) {
    std::string copy;
    copy.clear();
    copy.assign(text);
    return strlen(copy.c_str()) + N;
}
template <int... N> static size_t all(const std::string &text, std::integer_sequence<int, N...>) {
    return (length<N>(text) + ...);
}
int main(int argc, char **argv) {
    size_t sum = 0;
    for (int i = 1; i < argc; i++)
        sum += all(std::string(atoi(argv[i]), 'x'), std::make_integer_sequence<int, 400>());
    return sum == 0;
}
"""


@pytest.mark.build
@pytest.mark.parametrize("level", [pytest.param("-O0", marks=pytest.mark.slow), "-O1"])
def test_the_end_of_a_string_that_the_library_writes_is_seen(
    tmp_path: Path, whence_env: dict[str, str], level: str
) -> None:
    """Each of the variables has an address of a constant in its fill word, so these are of all kinds."""
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "prog.cpp").write_text(PROGRAM)
    done = whence.process("whence.cli.cc", "c++", "-g", level, "-std=c++17", "prog.cpp", "-o", "prog")
    assert done.status == 0, done.err
    lengths = [str(length) for length in range(16)]
    done, found = whence.findings("--enable", "use-of-uninitialized-value", tmp_path / "prog", *lengths)
    assert (done.status, found) == (0, [])

UNSEEN = "void unseen(unsigned char *to, int n, int last) { while (--n) *to++ = 7 * n; *to = last; }\n"
ENDS = """
#include <stdio.h>
#include <stdlib.h>
void unseen(unsigned char *to, int n, int last);
int main(int argc, char **argv) {
    FILE *file = fopen("/dev/null", "w");
    setvbuf(file, NULL, _IONBF, 0);
    int behind = argc - 1;
    for (int n = SIZE; n < SIZE + 24; n++)
        for (int last = 0; last < 256; last++) {
            unsigned char *bytes = malloc(n + 100);
            unseen(bytes, n, last);
            fwrite(bytes, 1, n + behind, file);
            free(bytes);
        }
    fclose(file);
    return 0;
}
"""


@pytest.mark.build
@pytest.mark.parametrize("size", [10, 4080, 8180])
def test_the_last_byte_that_unseen_code_writes_is_defined(
    tmp_path: Path, whence_env: dict[str, str], size: int
) -> None:
    """Compressed data, for instance, may end with the byte that stood there, behind granules that are all
    seen to be overwritten. What lies behind them is undefined."""
    whence = Whence(tmp_path, whence_env)
    for name, text in (("unseen", UNSEEN), ("ends", ENDS.replace("SIZE", str(size)))):
        (tmp_path / f"{name}.c").write_text(text)
    subprocess.run(["gcc", "-c", "unseen.c", "-o", "unseen.o"], cwd=tmp_path, check=True)
    whence.cc("-g", "-O1", "ends.c", "unseen.o", "-o", "ends")
    enabled = ("--enable", "use-of-uninitialized-value", "./ends")
    done, found = whence.findings(*enabled)
    assert (done.status, found) == (0, [])
    done, found = whence.findings(*enabled, *("behind",) * 9)
    assert done.status == 99
    assert {finding["rule"] for finding in found} == {"use-of-uninitialized-value"}
