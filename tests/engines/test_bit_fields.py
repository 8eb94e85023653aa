"""Conversions to bit-fields in IR of front ends that have no check of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

from whence.toolchain.clang import find_clang

pytestmark = pytest.mark.build

SOURCE = """
struct fields { unsigned low : 3; };
int main(int c, char **v) {
    struct fields fields;
    fields.low = c + 7;
    return fields.low > 7;
}
"""


@pytest.fixture
def claiming(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    """Builds with the session's front end, which says that it is clang 18."""
    clang = find_clang()
    script = tmp_path / "clang"
    words = " ".join([clang.path, *clang.prefix])
    script.write_text(
        f"""#!/bin/sh
case "$*" in *--version*) {words} --version | sed 's/clang version [0-9]*/clang version 18/';;
*) exec {words} "$@";; esac
"""
    )
    script.chmod(0o755)
    return Whence(tmp_path, {**whence_env, "WHENCE_CLANG": str(script)})


RULE = ("--enable", "implicit-unsigned-truncation")
SENTENCE = "note: conversions to bit-fields in prog.c are not checked"


def test_a_note_says_so(claiming: Whence) -> None:
    claiming.build(SOURCE)
    for _ in range(2):  # with new and with cached code
        assert claiming.run(*RULE, "./prog").err.count(SENTENCE) == 1
    assert SENTENCE not in claiming.run("./prog").err


def test_no_note_where_they_are_checked(tmp_path: Path, whence_env: dict[str, str]) -> None:
    if find_clang().version[0] < 19:
        pytest.skip("the front end has no check of bit-fields")
    whence = Whence(tmp_path, whence_env)
    whence.build(SOURCE)
    assert SENTENCE not in whence.run(*RULE, "./prog").err
