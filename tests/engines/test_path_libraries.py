"""Libraries without DT_SONAME that were linked by their path, and are asked for by it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.engines.test_loading import DEPENDENCY, places
from tests.harness.process import Whence

pytestmark = pytest.mark.build

USER = """
#include <stdlib.h>
int dep(int n);
int main(int c, char **v) { return dep(atoi(v[1])) != 1; }
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    """``dep.so`` in the current folder, linked by its path into `prog`, and into `plain`, which has no IR."""
    made = Whence(tmp_path, whence_env)
    (tmp_path / "dep.c").write_text(DEPENDENCY)
    (tmp_path / "user.c").write_text(USER)
    made.cc("-g", "-shared", "-fPIC", "dep.c", "-o", "dep.so")
    made.cc("-g", "user.c", "./dep.so", "-o", "prog")
    subprocess.run(["gcc", "user.c", "./dep.so", "-o", "plain"], cwd=tmp_path, check=True)
    return made


@pytest.mark.parametrize("program", ["./prog", "./plain"])
@pytest.mark.parametrize("options", [(), ("--trace-children",)])
def test_they_are_checked(whence: Whence, program: str, options: tuple[str, ...]) -> None:
    done, found = whence.findings(*options, program, "3")
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "dep.c", 5)]
    done, found = whence.findings(*options, program, "2")
    assert (done.status, found) == (0, [])


def test_the_path_is_that_of_the_running_program(whence: Whence) -> None:
    """A relative path is looked up from the current folder, as the dynamic linker does."""
    elsewhere = whence.directory / "elsewhere"
    elsewhere.mkdir()
    there = Whence(elsewhere, whence.env)
    assert there.run("../prog", "2").status == 127
    (elsewhere / "dep.so").symlink_to("../dep.so")
    done, found = there.findings("../prog", "3")
    assert done.status == 99 and len(found) == 1


def test_one_library_under_two_names_stays_one(whence: Whence) -> None:
    """Two copies would hold its variables twice."""
    (whence.directory / "other.c").write_text("int dep(int n); int other(int n) { return dep(n); }\n")
    whence.cc("-g", "-shared", "-fPIC", "other.c", whence.directory / "dep.so", "-o", "other.so")
    whence.cc("-g", "user.c", "./dep.so", "./other.so", "-Wl,--no-as-needed", "-o", "both")
    done = whence.run("./both", "2")
    assert done.status == 0
    assert "dep.so runs as it is: it is asked for as ./dep.so and as " in done.err
