"""Chains through structs that are returned in registers and have less bytes than these."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.chains import hops
from tests.harness.process import Whence

pytestmark = pytest.mark.build

PROGRAM = """
#include <cstdlib>
#include <cstdio>
struct Base {
    unsigned long *word;
    unsigned bit;
    Base(unsigned long *w, unsigned b) : word(w), bit(b) {}
};
struct Iterator : Base {
    Iterator(unsigned long *w, unsigned b) : Base(w, b) {}
    bool get() const { return *word >> bit & 1; }
};
static Iterator moved(const Iterator &from, int n) { Iterator to = from; to.bit += n; return to; }
int main(int argc, char **argv) {
    unsigned long *words = (unsigned long *)std::calloc(2, 8);
    bool early = std::atoi(argv[1]) < 5;
    if (early) std::free(words);
    std::printf("%d\\n", moved(Iterator(words, 0), 1).get());
    if (!early) std::free(words);
}
"""
CHAIN = [
    ("copy", None),
    ("return", "moved(Iterator const&, int)"),
    ("copy", "to"),
    ("stored", "this->word"),
    ("argument", "Base::Base(unsigned long*, unsigned int)"),
    ("argument", "Iterator::Iterator(unsigned long*, unsigned int)"),
    ("stored", "words"),
    ("allocation", "calloc"),
]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_struct_with_room_at_its_end_is_followed(
    tmp_path: Path, whence_env: dict[str, str], level: str
) -> None:
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "prog.cpp").write_text(PROGRAM)
    done = whence.process("whence.cli.cc", "c++", "-g", level, "prog.cpp", "-o", tmp_path / "prog")
    assert done.status == 0, done.err
    _, (found,) = whence.findings("--locate", "auto", tmp_path / "prog", "1")
    assert found["rule"] == "dangling-pointer-dereference"
    chain = hops(found, "r")
    assert [each for each in chain if each[0] != "argument" or "get" not in str(each[1])] == CHAIN
    done, nothing = whence.findings("--locate", "always", tmp_path / "prog", "9")
    assert not nothing, done.err
