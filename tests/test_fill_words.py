"""Undefined values: words that fill variables have no zero where other code writes one."""

from __future__ import annotations

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
@pytest.mark.parametrize("level", ["-O0", "-O1"])
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
