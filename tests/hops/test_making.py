"""The maker of programs with chains."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from tests.harness.session import REPOSITORY
from tests.hops import choosing, cxx, ways
from tests.hops.limits import LIMITS
from tests.hops.making import Chain, End, Hop, Way, dealt, is_named, program, split

BIRTH = Way("T v# = V; //: 1 constant V; 2 stored v#")
END = End("use($); //: 1 argument use", ("small",), "rule", ("r", "r1"))


def chain(*moves: Way, label: str = "label", birth: Way = BIRTH) -> Chain:
    return Chain(label, "small", birth, moves, END)


def test_the_hops_of_a_line_are_read_from_its_mark() -> None:
    line = "    x = y; //: 2 stored x; 1 repeated argument f; 3 computed one + two; 4 stored"
    assert split(line) == (
        "    x = y;",
        [
            (2, Hop("stored", "x", 0)),
            (1, Hop("argument", "f", 0, repeated=True)),
            (3, Hop("computed", "one + two", 0)),
            (4, Hop("stored", None, 0)),
        ],
    )
    assert split("x = y; // a comment") == ("x = y; // a comment", [])


@pytest.mark.parametrize("mark", ["stored x", "1 stord x", "1", "1 stored x;", ""])
def test_a_wrong_mark_is_an_error(mark: str) -> None:
    with pytest.raises(ValueError, match="is no ORDER"):
        split(f"x = y; //: {mark}")


def test_hops_are_in_the_order_of_time_at_their_lines() -> None:
    call = Way(
        "T v# = same#($); //: 1 argument same#; 3 stored v#",
        """
        T same#(T x) {
            return x; //: 2 return same#
        }
        """,
    )
    made = program("int head;", [chain(), chain(call, label="other")])
    assert made.text.splitlines() == [
        "int head;",
        "NOT_INLINED void chain_0(void) {",
        "    small v_0_0 = 100;",
        "    use(v_0_0);",
        "}",
        "small same_1_1(small x) {",
        "    return x;",
        "}",
        "NOT_INLINED void chain_1(void) {",
        "    small v_1_0 = 101;",
        "    small v_1_1 = same_1_1(v_1_0);",
        "    use(v_1_1);",
        "}",
        "int main(void) {",
        "    chain_0();",
        "    chain_1();",
        "    return 0;",
        "}",
    ]
    moved = [Hop("stored", "v_1_1", 11), Hop("return", "same_1_1", 7), Hop("argument", "same_1_1", 11)]
    born = [Hop("stored", "v_1_0", 10), Hop("constant", "101", 10)]
    assert made.hops["other"] == {"r": [Hop("argument", "use", 12), *moved, *born], "r1": [*moved, *born]}


def test_a_birth_on_the_way_begins_the_chain() -> None:
    made = program("", [chain(Way("T v# = get(); //: 1 outside get; 2 stored v#"), Way("T v# = $;"))])
    assert [hop.name for hop in made.hops["label"]["r1"]] == ["v_0_1", "get"]


def test_a_label_is_taken_once() -> None:
    with pytest.raises(ValueError, match="two chains have the label label"):
        program("", [chain(), chain()])


def test_an_end_of_the_process_is_a_process() -> None:
    made = program("", [replace(chain(), end=replace(END, apart=True))])
    assert made.calls == ["    APART(chain_0());"]


def test_all_names_are_dealt_as_often_and_always_the_same() -> None:
    hands = dealt("abcdefg", 3, 14)
    assert hands == dealt("abcdefg", 3, 14) and {len(hand) for hand in hands} == {3}
    assert Counter(name for hand in hands for name in hand) == dict.fromkeys("abcdefg", 6)


def test_faults_are_those_of_all_ways() -> None:
    wrong, misnamed = Way("", wrong="is wrong"), Way("", misnamed="has no name")
    assert (chain(wrong, misnamed).wrong, chain(wrong, misnamed).misnamed) == ("is wrong", "has no name")
    assert chain(wrong, birth=misnamed).misnamed == "has no name"
    assert chain(wrong, Way(""), wrong).wrong == "is wrong; is wrong"
    assert chain(Way("")).wrong == chain(Way("")).misnamed == ""


@pytest.mark.parametrize(
    ("said", "name", "fits"),
    [
        ("v", "v", True),
        (None, None, True),
        (None, "v", False),
        ("v", None, False),
        ("long same_1<long>(long)", "same_1", True),
        ("holder_1::holder_1(int)", "holder_1", True),
        ("chain_0()::$_0::operator()(int) const", "operator()", True),
        ("operator delete(void*, unsigned long)", "operator delete", True),
        ("unsame(long)", "same", False),
        ("same(long)", "sam", False),
        ("_ZN4same", "same", False),
    ],
)
def test_a_function_is_named_without_its_arguments(said: str | None, name: str | None, fits: bool) -> None:
    assert is_named(said, name) is fits


def test_every_limit_is_documented() -> None:
    pages = [
        " ".join((REPOSITORY / "docs" / name).read_text().split())
        for name in ("limits.md", "inside-chains.md", "reports.md")
    ]
    limits = [way.limit for table in (LIMITS, cxx.WAYS, cxx.LIBRARY, ways.WAYS) for way in table.values()]
    assert all(way.limit for way in LIMITS.values())
    assert [limit for limit in limits if not any(limit in page for page in pages)] == []


def test_no_way_is_left_out() -> None:
    chains = (*choosing.in_c(), *choosing.in_cxx(), *choosing.in_library())
    told = [way for chain in chains for way in chain.ways]
    assert all(way in told for table in (ways.WAYS, LIMITS, cxx.WAYS, cxx.LIBRARY) for way in table.values())
