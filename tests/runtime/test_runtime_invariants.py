"""A runtime that checks itself: what it says of a promise that is broken, and programs under it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rt_harness import RUNTIME, runtime_build
from tests.harness.checking import BROKEN, VARIABLE, checking_libraries
from tests.harness.core import core_cases
from tests.harness.expect import Case
from tests.harness.judge import differences
from tests.harness.process import TIMEOUT
from tests.harness.session import Corpus

pytestmark = pytest.mark.build

_PROGRAM = f"""
#include "{RUNTIME}/os/invariant.h"
int main(int argc, char **argv) {{
    (void)argv;
    WH_INVARIANT(argc < 3);
    return 0;
}}
"""


@pytest.mark.parametrize(("flags", "words", "status"), [((), 2, 0), (runtime_build.SELF_CHECKING, 2, -4)])
def test_a_broken_promise_ends_the_process_where_they_are_checked(
    flags: tuple[str, ...], words: int, status: int, compiler: str, tmp_path: Path
) -> None:
    (tmp_path / "program.c").write_text(_PROGRAM)
    command = [compiler, "-Wall", "-Wextra", "-Werror", *flags, "program.c", "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    kept = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=TIMEOUT)
    assert (kept.returncode, kept.stderr) == (0, "")
    broken = subprocess.run(
        [tmp_path / "program", *["word"] * words], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert broken.returncode == status
    said = r"whence: a promise of the runtime is broken: argc < 3 \(.*program\.c:\d+\)\n"
    assert re.fullmatch(said if status else "", broken.stderr)


def test_conditions_have_no_side_effects() -> None:
    """They are not evaluated in the builds that users have."""
    effect = re.compile(r"\+\+|--|[^=!<>]=[^=]")
    found = []
    for path in sorted(RUNTIME.rglob("*.[ch]")):
        for match in re.finditer(r"WH_INVARIANT\(((?:[^;]|\n)*?)\);", path.read_text()):
            if effect.search(match[1]):
                found.append(f"{path.name}: {match[1]}")
    assert not found


KINDS = (
    "heap-buffer-overflow", "double-free", "definite-leak", "use-of-uninitialized-value", "mismatched-free",
    "dangling-pointer-dereference", "stack-buffer-overflow", "overlapping-copy", "absurd-size", "clean",
)  # fmt: skip
"""Rules whose programs work much on what makes promises."""
_CASES = [case for case in core_cases() if case.rule in KINDS]


@pytest.fixture(scope="module")
def native(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The libraries of an installation, of which the runtime checks itself."""
    return checking_libraries(tmp_path_factory.mktemp("native") / "native", runtime)


@pytest.fixture(scope="module")
def checking(
    native: Path, whence_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Corpus]:
    corpus = Corpus(tmp_path_factory.mktemp("checking"), {**whence_env, VARIABLE: str(native)}, 1)
    yield corpus
    corpus.close()


@pytest.mark.parametrize("case", _CASES, ids=[case.name for case in _CASES])
def test_programs_break_no_promise(case: Case, checking: Corpus, native: Path) -> None:
    outcome = checking.outcome(case, "-O1", values=True)
    assert not differences(case, outcome), outcome.stderr
    assert BROKEN.encode() in (native / "libwhence-rt.so").read_bytes()
