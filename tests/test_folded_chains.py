"""Hops of one statement, as reports show them."""

from __future__ import annotations

from whence.abi.hops import HopKind
from whence.findings.chains import Chain, Hop
from whence.report.chain_text import hop_words


def hop(
    kind: HopKind, line: int, name: str, source: str = "", *, repeated: bool = False, note: str = ""
) -> Hop:
    return Hop(kind, "f", "f.c", line, 1, name, source, repeated=repeated, thread=0, note=note)


BIRTH = hop(HopKind.CONSTANT, 1, "0")


def words(*hops: Hop) -> list[str]:
    return [hop_words(each) for each in Chain("r", 8, (*hops, BIRTH)).folded().hops[:-1]]


def test_arithmetic_of_the_statement_is_one_hop_with_its_end() -> None:
    assert words(
        hop(HopKind.STORED, 5, "n", "2 * (m + 1)"),
        hop(HopKind.ARITHMETIC, 5, "2 * (m + 1)"),
        hop(HopKind.ARITHMETIC, 5, "m + 1", repeated=True),
        hop(HopKind.ARGUMENT, 3, "f", "&p[1]"),
        hop(HopKind.ARITHMETIC, 3, "&p[1]"),
    ) == ["stored to n, computed as 2 * (m + 1), repeatedly", "passed to f, computed as &p[1]"]


def test_other_hops_stay() -> None:
    apart = [
        hop(HopKind.STORED, 5, "n", "m + 1"),
        hop(HopKind.ARITHMETIC, 4, "m + 1"),
        hop(HopKind.STORED, 3, "m", "k"),
        hop(HopKind.ARITHMETIC, 3, "j + 1"),
        hop(HopKind.STORED, 2, "j", "i + 1"),
        hop(HopKind.ARITHMETIC, 2, "i + 1", note="8, event 9"),
        hop(HopKind.COPY, 2, "a", "b"),
        hop(HopKind.ARITHMETIC, 2, "b"),
    ]
    assert words(*apart) == [hop_words(each) for each in apart]
