"""Children may be given libraries of another installation: one sentence says so, and nothing crashes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.warm import real_starts as real_starts

from whence.toolchain.native import native_library

pytestmark = pytest.mark.build

SOURCE = "#include <stdlib.h>\nint main(void) { free(malloc(10)); return 0; }\n"
WHY = " are in one process, which can have one library of whence: see LD_PRELOAD and LD_LIBRARY_PATH"


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("two"), whence_env)
    made.build(SOURCE, "prog")
    return made


@pytest.mark.parametrize("name", ["whence-alloc.so", "libwhence-rt.so", "libwhence-replay.so"])
def test_a_library_of_another_installation(whence: Whence, name: str, tmp_path: Path) -> None:
    other = Path(shutil.copy(native_library(name), tmp_path))
    script = f"LD_PRELOAD={other} ./prog; echo $?"
    done = whence.run("--trace-children", "sh", "-c", script)
    (note,) = (line for line in done.err.splitlines() if line.startswith("note: process "))
    assert done.out == b"125\n" and WHY in note
    assert str(other) in note and str(native_library("libwhence-rt.so")) in note
    whole = whence.with_env(LD_PRELOAD=str(other)).run("--engine", "native", "./prog")
    assert whole.status == 125
    last = whole.err.splitlines()[-1]
    assert last.startswith("whence: nothing was checked: ") and WHY in last


def test_the_program_by_itself_and_of_this_installation(whence: Whence) -> None:
    for more in ((), ("--engine", "alloc"), ("--trace-children",)):
        assert whence.run(*more, "./prog").err.startswith("whence: no findings; ")
