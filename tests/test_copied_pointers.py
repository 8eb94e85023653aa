"""The mark at the hop from which the used pointer and the freed one come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

from whence.abi.hops import HopKind
from whence.findings.chains import Chain, Hop, parted

BIRTH = Hop(HopKind.ALLOCATION, name="malloc", line=1)
KEPT = Hop(HopKind.STORED, name="p", line=2)
OTHER = Hop(HopKind.STORED, name="q", line=3)
FREED = Hop(HopKind.ARGUMENT, name="free", line=4)


def chain(*hops: Hop, cut: bool = False) -> Chain:
    return Chain("r", 16, hops, cut)


def marks(one: Chain, other: Chain) -> list[list[int]]:
    return [[at for at, hop in enumerate(each.hops) if hop.copied] for each in parted(one, other)]


def test_the_newest_common_hop_is_marked_in_both_chains() -> None:
    assert marks(chain(OTHER, KEPT, BIRTH), chain(FREED, KEPT, BIRTH)) == [[1], [1]]
    assert marks(chain(FREED, KEPT, BIRTH), chain(FREED, OTHER, KEPT, BIRTH)) == [[1], [2]]
    assert marks(chain(KEPT, BIRTH), chain(OTHER, BIRTH)) == [[1], [1]]


def test_one_variable_that_is_freed_and_used_is_no_copy() -> None:
    assert marks(chain(KEPT, BIRTH), chain(FREED, KEPT, BIRTH)) == [[], []]
    again = Hop(HopKind.ARGUMENT, name="free", line=5)
    assert marks(chain(again, KEPT, BIRTH), chain(FREED, KEPT, BIRTH)) == [[], []]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (chain(KEPT, BIRTH), chain(OTHER, Hop(HopKind.ALLOCATION, name="malloc", line=9))),
        (chain(OTHER, KEPT, BIRTH, cut=True), chain(KEPT, BIRTH)),
        (chain(OTHER, KEPT, BIRTH), chain(KEPT, BIRTH, cut=True)),
        (chain(OTHER, Hop(HopKind.UNSEEN, name="p")), chain(KEPT, Hop(HopKind.UNSEEN, name="p"))),
        (chain(), chain(KEPT, BIRTH)),
    ],
    ids=("other birth", "one cut", "other cut", "birth not seen", "no hops"),
)
def test_where_it_is_not_known_nothing_is_marked(one: Chain, other: Chain) -> None:
    assert marks(one, other) == [[], []]


def test_a_marked_hop_stays_a_line_of_its_own() -> None:
    moved = Hop(HopKind.ARITHMETIC, name="p + 1", line=3)
    stored = Hop(HopKind.STORED, name="q", source="p + 1", line=3)
    assert len(chain(stored, moved, BIRTH).folded().hops) == 2
    one, _ = parted(chain(stored, moved, BIRTH), chain(OTHER, moved, BIRTH))
    assert [hop.copied for hop in one.folded().hops] == [False, True, False]


PROGRAM = """
#include <stdlib.h>
struct list { long size; char *head; } first, second;
static char *alias;
static void drop(char *p) { free(p); }
int main(int argc, char **argv) {
    if (argv[1][0] == 'u') {
        char *item = malloc(10);
        alias = item;
        drop(item);
        return alias[2];
    }
    if (argv[1][0] == 'd') {
        first.head = malloc(20);
        second = first;
        free(second.head);
        free(first.head);
        return 0;
    }
    char *one = malloc(30);
    free(one);
    return one[1];
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    built = Whence(tmp_path_factory.mktemp("copied"), whence_env)
    built.build(PROGRAM)
    return built


def found(whence: Whence, way: str) -> list[tuple[str, list[str]]]:
    """The names of the marked hops, with the terms of their chains."""
    _, (finding,) = whence.findings("--locate", "always", whence.directory / "prog", way)
    return [
        (each["term"], [hop["name"] for hop in each["hops"] if hop.get("copied")])
        for each in finding["chains"]
        if each["term"] in ("r", "r1")
    ]


@pytest.mark.build
@pytest.mark.parametrize(("way", "name"), [("u", ["item"]), ("d", ["first.head"]), ("o", [])])
def test_programs_are_told_where_the_pointer_was_copied(whence: Whence, way: str, name: list[str]) -> None:
    assert found(whence, way) == [("r", name), ("r1", name)]


@pytest.mark.build
def test_every_report_has_the_mark(whence: Whence, tmp_path: Path) -> None:
    sarif, page = tmp_path / "log.sarif", tmp_path / "page.html"
    words = ("--locate", "always", "--sarif", sarif, "--html", page, whence.directory / "prog", "u")
    lines = whence.run(*words).err.splitlines()
    at = [number for number, line in enumerate(lines) if "^ both pointers come from here" in line]
    assert len(at) == 2 and all("stored to item" in lines[number - 1] for number in at)
    flows: list[dict[str, Any]] = json.loads(sarif.read_text())["runs"][0]["results"][0]["codeFlows"]
    steps = [step for flow in flows for step in flow["threadFlows"][0]["locations"]]
    said = [each["location"]["message"]["text"] for each in steps if each.get("importance") == "essential"]
    assert said == ["stored to item; both pointers come from here: it was copied"] * 2
    assert page.read_text().count('class="hop shared marked"') == 2
