"""Rules of the paper's figures 2 and 6 that are not shipped, written in the rule language, on the machine."""

from __future__ import annotations

import pytest

from whence.machine import parse_program, run
from whence.rules import load_standard, load_texts

RULES = b"""
# Figure 2
rule never-written "read of what nobody wrote"
    at deref_r r
    when not FindLast(_, write, r, _, _) and Kind(r) != Global
    trace r

# Figure 6
define AllocatedSince(f, bid) := FindLast(k, call, f, _) and k < Time(bid)
rule leak-in-ts "block of a transaction outlives it"
    at ret ts _
    when exists bid in H : AllocatedSince(ts, bid)
"""
PAPER = load_texts([("paper.rules", RULES)], load_standard())


def fired(text: str) -> list[tuple[str, str]]:
    outcome = run(parse_program(text), PAPER)
    return [(verdict.rule.name, str(verdict.block)) for verdict in outcome.verdicts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fun main() = let x = salloc 8 in *x", True),
        ("fun main() = let x = salloc 8 in x := 1; *x", False),
        # The location is the same, whichever way the pointer was computed.
        ("fun main() = let x = salloc 16 in x +& 8 := 1; *((x +& 4) +& 4)", False),
        ("fun main() = let x = salloc 16 in x +& 8 := 1; *x", True),
    ],
)
def test_uninitialized_read(text: str, expected: bool) -> None:
    outcome = run(parse_program(text), PAPER)
    names = [verdict.rule.name for verdict in outcome.verdicts]
    assert names == ["never-written"] * expected
    assert {error.rule.name for _, error in outcome.errors} == {*["bug-uninitialized"] * expected}
    assert all(step == outcome.verdicts[0].step for step, _ in outcome.errors)


def test_leak_in_a_transaction() -> None:
    text = """
global kept[8]
fun ts(n) = let p = malloc(8) in kept := malloc(16); free(p); 0
fun main() = let before = malloc(4) in ts(1); free(*kept); free(before)
"""
    assert fired(text) == [("leak-in-ts", "3H")]
    assert fired(text.replace("kept := malloc(16)", "kept := 0")) == []


def test_all_blocks_of_the_transaction_are_told() -> None:
    text = """
global kept[16]
fun ts(n) = kept := malloc(8); kept +& 8 := malloc(8)
fun main() = ts(1); free(*kept); free(*(kept +& 8))
"""
    assert fired(text) == [("leak-in-ts", "1H"), ("leak-in-ts", "2H")]
