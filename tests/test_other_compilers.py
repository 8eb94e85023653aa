"""A core of the corpus and the oracle with every other clang of the machine (`tests.harness.compilers`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.harness.compilers import others
from tests.harness.expect import Case, discover
from tests.harness.judge import differences
from tests.harness.session import Corpus
from tests.oracle.conform import conform, report
from tests.test_programs import RULES

pytestmark = pytest.mark.build

_PROGRAMS = """
    absurd-length/signed-count absurd-size/array-new bad-alignment/three-words
    dangling-pointer-dereference/after-realloc dangling-pointer-dereference/destructor-order
    definite-leak/lost-ring double-free/rule-of-three double-free/error-path
    free-inside-block/array-without-brackets free-of-global/string-literal free-of-stack/vla
    heap-buffer-overflow/bitfield heap-buffer-overflow/base-as-derived heap-buffer-overflow/far-index
    heap-buffer-overflow/walk-of-a-permutation indirect-leak/tree interior-leak/cursor
    mismatched-free/new-then-free null-argument/strlen null-pointer-dereference/virtual-call
    null-pointer-dereference/field-at-40 overlapping-copy/struct-assignment possible-leak/cache-of-many
    reachable-leak/settings refused-alignment/posix-memalign unmatched-free/before-begin
    use-after-poison/pool
    """
"""They belong to the core with their twins: each rule, and what front ends write differently."""

CORE = frozenset(_PROGRAMS.split())

CLEAN = {
    f"clean/{name}"
    for name in ("atomics", "bounds-hoisting", "coroutines", "exceptions", "indirect-walks", "printf-family")
}

CASES = [case for case in discover() if f"{case.rule}/{case.path.name.split('.')[0]}" in CORE | CLEAN]
PROGRAMS = 300
SEED = 2013


@pytest.fixture(scope="module", params=others().values(), ids=others().keys())
def clang(request: pytest.FixtureRequest) -> Iterator[str]:
    """Another clang, which all builds and runs use."""
    path: str = request.param
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("WHENCE_CLANG", path)
        yield path


@pytest.fixture(scope="module")
def programs(clang: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    made = Corpus(tmp_path_factory.mktemp("core"), 2)
    yield made
    made.close()


def test_the_core_has_every_rule() -> None:
    assert {case.rule for case in CASES if not case.is_clean} == set(RULES)
    assert len([case for case in CASES if case.is_clean]) == len(CORE) + len(CLEAN)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_core(case: Case, programs: Corpus) -> None:
    level = ("-O0", "-O2")[CASES.index(case) // 2 % 2]
    outcome = programs.outcome(case, level)
    wrong = "\n  ".join(differences(case, outcome))
    assert not wrong, f"{case.name} {level}: {case.summary}\n  {wrong}\n{outcome.command}\n{outcome.stderr}"


def test_the_three_agree(
    clang: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("oracle")
    monkeypatch.setenv("WHENCE_CACHE", str(folder / "cache"))
    run = conform(PROGRAMS, SEED, folder)
    assert not run.disagreements, report(run, folder)
