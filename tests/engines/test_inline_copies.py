"""Library functions whose body headers have for inlining: where LLVM inlines none, they are checked, too."""

from __future__ import annotations

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = """
#include <iostream>
#include <string>

int main(int argc, char **argv) {
    auto *s = new std::string(20, 'x');
    if (argc > 1)
        delete s;
    std::cout << *s << std::endl;
    if (argc <= 1)
        delete s;
    return 0;
}
"""
WAYS = [("--tier", "quick"), ("--tier", "full"), ("--enable", "use-of-uninitialized-value")]


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("copies"), whence_env)
    (made.directory / "a.cc").write_text(SOURCE)
    made.process("whence.cli.cc", "c++", "-g", "-O2", "a.cc", "-o", "prog")
    return made


@pytest.mark.parametrize("way", WAYS)
def test_a_deleted_string_that_is_written(whence: Whence, way: tuple[str, str]) -> None:
    _, found = whence.findings(*way, "./prog", "deleted")
    assert [each["rule"] for each in found] == ["dangling-pointer-dereference"]
    done, found = whence.findings(*way, "./prog")
    assert (done.status, done.out, found) == (0, b"x" * 20 + b"\n", [])
