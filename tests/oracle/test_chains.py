"""On random programs, the machine and the engine say the same of where the values of a bug come from."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracle import chains, engine
from tests.oracle.conform import draw
from tests.oracle.translate import numbered

from whence.machine import parse_program

pytestmark = pytest.mark.build

SEED = 2013
PROGRAMS = 90


@pytest.mark.parametrize(
    ("level", "programs", "strict"),
    [
        ("-O0", PROGRAMS, True),
        *(
            pytest.param(level, programs, strict, marks=pytest.mark.slow)
            for level, programs, strict in (
                ("-O0", PROGRAMS, False),
                ("-O2", PROGRAMS, False),
                ("-O2", PROGRAMS, True),
                *((level, 3000, strict) for level in ("-O0", "-O2") for strict in (True, False)),
            )
        ),
    ],
)
def test_chains_agree(tmp_path: Path, level: str, programs: int, strict: bool) -> None:
    drawn = draw(programs, SEED + programs + strict)
    found = [
        each
        for each in engine.run(drawn, tmp_path, level, strict, locate="always")
        if each.finding.leak is None
    ]
    said, seen = list[str](), set[str]()
    for each in found:
        program = drawn[each.index]
        ways = chains.of_machine(program, strict)
        said += chains.differences(program, each, ways)
        seen |= {what for way in (ways or {}).values() for what, _ in way}
    assert not said, "\n".join(said)
    assert {chains.STORED, chains.ALLOCATED, chains.COMPUTED, chains.ADDRESS} <= seen


LONG = """
global g[16]
fun pass(x) = let s = salloc 8 in s := *x; *s
fun main() =
  let p = malloc(16) in
  let q = malloc(16) in
  q := p;
  let r = malloc(16) in
  memcpy(r, q, 8);
  g := pass(*r);
  free(*g);
  *p;
  0
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_way_through_memory(tmp_path: Path, level: str) -> None:
    program = numbered(parse_program(LONG))
    (found,) = engine.run([program], tmp_path, level, locate="always")
    assert not chains.differences(program, found, chains.of_machine(program))
    what = {term: [each for each, _ in way] for term, way in chains.of_engine(program, found).items()}
    assert what["r"] == ["allocated"]
    assert what["r1"] == ["stored", "stored", "passed", "copied", "stored", "allocated"]


def test_a_difference_is_said(tmp_path: Path) -> None:
    program = numbered(parse_program("fun main() =\n  let p = malloc(8) in\n  free(p);\n  *p;\n  0\n"))
    (found,) = engine.run([program], tmp_path, "-O0", locate="always")
    other = numbered(
        parse_program("fun main() =\n  let p = malloc(2 * 4) in\n  free(p);\n  *(p +& 0);\n  0\n")
    )
    assert not chains.differences(program, found, chains.of_machine(program))
    assert chains.differences(other, found, chains.of_machine(other))
