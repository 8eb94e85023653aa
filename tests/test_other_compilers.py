"""A core of the corpus and the oracle with every other clang of the machine (`tests.harness.compilers`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.harness.compilers import VARIABLE, others
from tests.harness.core import core_cases
from tests.harness.expect import Case
from tests.harness.judge import differences
from tests.harness.session import Corpus
from tests.oracle.conform import conform, report

from whence.toolchain.checks import KINDS
from whence.toolchain.clang import find_clang

pytestmark = pytest.mark.build

CASES = core_cases()
PROGRAMS = 300
SEED = 2013
CHECKED_BY = {
    "mismatched-function-type/comparison.c": "function",
    "implicit-signed-truncation/level.cpp": "implicit-bitfield-conversion",
}
"""Programs whose bug the front end has to mark, by a check that old ones lack."""

OTHERS = others() or {"none": ""}


@pytest.fixture(scope="module", params=OTHERS.values(), ids=[*OTHERS])
def clang(request: pytest.FixtureRequest) -> Iterator[str]:
    """Another clang, which all builds and runs use."""
    path: str = request.param
    if not path:
        pytest.skip(f"no other clang on PATH or in {VARIABLE}")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("WHENCE_CLANG", path)
        yield path


@pytest.fixture(scope="module")
def programs(
    clang: str, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Iterator[Corpus]:
    made = Corpus(tmp_path_factory.mktemp("core"), {**whence_env, "WHENCE_CLANG": clang}, threads=1)
    yield made
    made.close()


@pytest.mark.parametrize("case", CASES if others() else CASES[:1], ids=lambda case: case.name)
def test_core(case: Case, programs: Corpus) -> None:
    oldest = KINDS.get(CHECKED_BY.get(case.name, ""), 0)
    if find_clang().version[0] < oldest:
        pytest.skip(f"clang {oldest} is the first with the check for {case.name}")
    level = ("-O0", "-O2")[CASES.index(case) // 2 % 2]
    outcome = programs.outcome(case, level)
    wrong = "\n  ".join(differences(case, outcome))
    assert not wrong, f"{case.name} {level}: {case.summary}\n  {wrong}\n{outcome.command}\n{outcome.stderr}"


def test_the_three_agree(
    clang: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("oracle")
    monkeypatch.setenv("WHENCE_CACHE", str(folder / "cache"))
    (run,) = conform(PROGRAMS, SEED, folder)
    assert not run.disagreements, report([run], folder)
