"""Traces that are cut off or broken: one clear sentence, and no other error."""

import random

import pytest

from whence.abi import symbolic
from whence.exploring.decisions import Decision
from whence.exploring.evaluate import values
from whence.exploring.prefixes import Prefixes
from whence.exploring.solvers import load
from whence.exploring.terms import OP, Terms
from whence.exploring.trace import BrokenTrace, read
from whence.exploring.tree import as_text

from .model import Path, as_file, run


def program(path):
    x, y = path.bytes("memory:x", 2)
    word = x.then(y)
    if path.true(word.less(300)):
        path.check(y == 0)
        path.access(word.wide(64) + 0x1000, 4, {0x1000: 64})
    return path.concrete(x * 3, "FLOATING")


def trace(inputs=b"\0\2"):
    path, _, _ = run(program, {"memory:x": inputs})
    return as_file(path.words)


def test_what_a_trace_says():
    terms = Terms()
    found = read(trace(), terms)
    assert [(each.name, each.size) for each in found.objects] == [("memory:x", 2)]
    kinds = [each.kind for each in found.decisions]
    assert kinds == ["BRANCH", "CHECK", "ACCESS", "CONCRETE", "CONCRETE"]
    assert (found.how, found.status, found.full) == ("EXIT", 0, False)
    assert found.decisions[2].length == 64 and found.decisions[2].size == 4
    assert terms.variables == [("memory:x", 0), ("memory:x", 1)]


def test_a_branch_on_a_negated_condition_goes_the_way_of_the_code():
    def path(negated):
        path = Path({})
        (x,) = path.bytes("memory:x", 1)
        path.record("SITE", 5 << 32, 0x40, number=1)
        path.sites.add(1)
        path.record("BRANCH", (x < 7).id | 1 << 32, operator=negated, number=1)
        return path

    terms = Terms()
    plain, negated = (read(as_file(path(each).words), terms) for each in (0, 1))
    assert plain.lines == negated.lines == {0x40: 4}
    assert plain.decisions[0].outcome == negated.decisions[0].outcome == 1
    assert negated.decisions[0].term == terms.negation(plain.decisions[0].term)


def test_equal_expressions_of_two_paths_are_one_term():
    terms = Terms()
    read(trace(), terms)
    size = len(terms)
    read(trace(), terms)
    assert len(terms) == size


def test_an_object_without_terms_is_known_to_later_paths():
    """Nothing but the object stands between two decisions about the same condition."""

    def empty_object(path):
        (x,) = path.bytes("memory:x", 1)
        less = x < 5
        path.true(less, 1)
        path.bytes("memory:none", 0)
        path.true(less, 2)
        (y,) = path.bytes("memory:y", 1)
        return path.true(y == 1, 3)

    terms, prefixes = Terms(), Prefixes()
    names = []
    for y in (b"\0", b"\1", b"\2"):
        path, _, _ = run(empty_object, {"memory:x": b"\0", "memory:y": y})
        names.append([each.name for each in read(as_file(path.words), terms, prefixes).objects])
    assert names == [["memory:x", "memory:none", "memory:y"]] * 3


def fields(decision):
    names = ("kind", "site", "outcome", "term", "detail", "size", "length", "cases", "passed")
    return tuple(getattr(decision, name) for name in names)


def test_what_paths_have_in_common_is_read_once():
    terms, prefixes = Terms(), Prefixes()
    found = []
    for inputs in (b"\0\2", b"\0\2", b"\0\3", b"\2\2", b"\0\2"):
        found.append(read(trace(inputs), terms, prefixes).decisions)
        alone = read(trace(inputs), terms).decisions
        assert [fields(each) for each in found[-1]] == [fields(each) for each in alone]
    first, again, third, *_, last = found
    assert first == again == last and first[:2] == third[:2]
    assert [fields(each) for each in first[2:]] != [fields(each) for each in third[2:]]


def test_a_path_that_writes_something_else_where_others_went_the_same_way():
    """A program that is not deterministic: what is known of others is not taken for its own."""
    bounds = iter((5, 6, 5, 6))

    def fickle(path):
        (x,) = path.bytes("memory:x", 1)
        path.true(x == 1, 1)
        return path.true(x < next(bounds), 2)

    terms, prefixes = Terms(), Prefixes()
    ends = []
    for _ in range(4):
        path, _, _ = run(fickle, {"memory:x": b"\0"})
        ends.append(read(as_file(path.words), terms, prefixes).decisions[-1].term)
    assert ends[0] == ends[2] != ends[1] == ends[3]


def test_another_outcome_of_a_decision():
    branch = Decision("BRANCH", 7, 1, 3)
    assert branch.with_outcome(1) is branch and branch.passed == (7, 1) and as_text(branch) == "b7=1"
    other = branch.with_outcome(0)
    assert (other.passed, as_text(other), other.term) == ((7, 0), "b7=0", 3)
    access = Decision("ACCESS", 7, 0x1000, 3, 1, 4, 64)
    assert access.passed == (7, -1) and as_text(access) == access.text == "a7.1=1000:40:4"


@pytest.mark.parametrize("size", [0, 8, 63, 64 + 8, 64 + 20])
def test_a_trace_that_is_cut_off(size):
    with pytest.raises(BrokenTrace, match="cut off"):
        read(trace()[:size], Terms())


def test_a_trace_of_another_version():
    data = bytearray(trace())
    data[8] += 1
    with pytest.raises(BrokenTrace, match=f"trace format {symbolic.VERSION + 1}, this whence reads"):
        read(bytes(data), Terms())


def test_a_trace_that_the_program_has_overwritten():
    with pytest.raises(BrokenTrace, match="overwritten"):
        read(bytes(len(trace())), Terms())


def broken(write):
    path = Path({})
    write(path)
    with pytest.raises(BrokenTrace, match="is broken at byte") as error:
        read(as_file(path.words), Terms())
    return str(error.value)


def test_paths_with_the_same_begin_have_its_tables():
    """Also where the second trace goes on with an element of a table that only their begin defines."""
    terms, prefixes, looked_up = Terms(), Prefixes(), []
    for way in (0, 1):
        path = Path({})
        (x,) = path.bytes("stdin", 1)
        path.record("NODE", x.id, 0, operator=OP["ZEXT"], width=64, number=2)
        path.record("TABLE", 0, 1 | 8 << 32, int.from_bytes(b"abcdefgh", "little"), number=0)
        path.record("CONSTANT", 99, width=8, number=3)
        path.record("NODE", x.id | 3 << 32, 0, operator=OP["EQ"], width=1, number=4)
        path.record("BRANCH", 4 | way << 32, number=7)
        path.record("NODE", 2, 0, operator=OP["LOOKUP"], width=8, number=5)
        path.record("NODE", 5 | (3 << 32 if way else 5 << 32), 0, operator=OP["EQ"], width=1, number=6)
        path.record("BRANCH", 6, number=8)
        looked_up.append(read(as_file(path.words), terms, prefixes).decisions[-1].term)
    (term,) = {terms.operands[each][0] for each in looked_up}
    assert terms.operator[term] == OP["LOOKUP"]
    stdin = terms.parameter[terms.variable("stdin", 0)]
    found = [values(terms, [term], {stdin: byte})[term] for byte in (0, 2, 7, 200)]
    assert bytes(found) == b"achh"


def test_known_nodes_are_read_like_new_ones():
    """Whatever of a run of nodes is known, also where a later record of it is wrong."""

    def nodes(path, last):
        x, y = path.bytes("stdin", 2)
        path.record("NODE", x.id | y.id << 32, 0, operator=OP["EQ"], width=1, number=3)
        path.record("CONSTANT", 7, width=8, number=4)
        path.record("NODE", 3 | 4 << 32, x.id, operator=OP["ITE"], width=8, number=5)
        path.record("NODE", 5 | y.id << 32, 0, operator=OP["ADD"], width=8, number=6)
        last(path)

    def more(path):
        path.record("NODE", 6 | 4 << 32, 0, operator=OP["ULT"], width=1, number=7)
        path.record("BRANCH", 7 | 1 << 32, number=9)

    terms, seen = Terms(), []
    for _ in range(2):
        path = Path({})
        nodes(path, more)
        seen.append(read(as_file(path.words), terms).decisions[0].term)
    x, y = (terms.variable("stdin", offset) for offset in range(2))
    chosen = terms.node(OP["ITE"], 8, (terms.node(OP["EQ"], 1, (x, y)), terms.constant(7, 8), x))
    summed = terms.node(OP["ADD"], 8, (chosen, y))
    assert set(seen) == {terms.node(OP["ULT"], 1, (summed, terms.constant(7, 8)))}
    def node(name, left, right, number=7, third=0):
        words, width = (left | right << 32, third), 8
        return lambda path: path.record("NODE", *words, operator=OP[name], width=width, number=number)

    for wrong, sentence in (
        (node("ADD", 6, 9), "expression 9"),
        (node("ADD", 6, 4, number=8), "expression 8 as number 7"),
        (node("ITE", 3, 4, third=8), "expression 8"),
        (lambda path: path.record("CONSTANT", 7, width=8, number=3), "expression 3 as number 7"),
        (lambda path: path.words.append(path.head("NODE")), "a record NODE that is cut off"),
    ):
        path = Path({})
        nodes(path, wrong)
        for pool in (Terms(), terms):
            with pytest.raises(BrokenTrace, match=sentence):
                read(as_file(path.words), pool)


def test_files_that_were_left():
    path = Path({})
    (x,) = path.bytes("stdin", 1)
    for name in (b"/a", b"/b/\xff34567"):
        words = [int.from_bytes(name[at : at + 8], "little") for at in range(0, len(name), 8)]
        path.record("LEFT", len(name), *words)
    path.record("END", 3, operator=1)
    trace = read(as_file(path.words), Terms())
    assert trace.left == ["/a", "/b/\udcff34567"] and trace.how and x.id
    assert "a name of 17 bytes" in broken(lambda path: path.record("LEFT", 17, 0, 0))


def test_each_mistake_has_its_sentence():
    def wrong_width(path):
        (x,) = path.bytes("stdin", 1)
        path.record("NODE", x.id | x.id << 32, 0, operator=OP["ADD"], width=16, number=9)

    assert "expression 7, which was not defined" in broken(lambda path: path.record("BRANCH", 7 | 1 << 32))
    assert "widths do not fit: 16 of [8, 8]" in broken(wrong_width)
    def table(*operands, number=0):
        return broken(lambda path: path.record("TABLE", *operands, 0, number=number))

    assert "table 0, which is not there" in broken(
        lambda path: path.record("NODE", path.bytes("stdin", 1)[0].id, 0, operator=OP["LOOKUP"], number=9)
    )
    assert "a table of 2 elements of 3 bytes" in table(0, 3 | 2 << 32)
    assert "a table of 0 elements of 1 bytes" in table(0, 1)
    assert "a table of 2 elements of 4 bytes" in table((1 << 64) - 1, 4 | 2 << 32)
    assert "table 1 as number 0" in table(0, 4 | 2 << 32, number=1)
    assert "byte 0 of object 0" in broken(lambda path: path.record("INPUT", 0, width=8, number=1))
    assert "a constant of 65 bits" in broken(lambda path: path.record("CONSTANT", 1, width=65, number=1))
    assert "unknown end 77" in broken(lambda path: path.record("END", 1, operator=77))
    assert "unknown kind 200" in broken(lambda path: path.words.append(200))
    assert "a record CONCRETE that is cut off" in broken(
        lambda path: path.words.append(path.head("CONCRETE"))
    )


def test_random_damage_is_a_broken_trace_or_a_trace_that_solvers_take():
    good, source = trace(), random.Random(1)
    solver_terms = Terms()
    solver = load("z3", solver_terms)
    damaged = 0
    for _ in range(1500):
        data = bytearray(good)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(64, len(data))
            data[at] = source.choice([0, 1, 255, data[at] ^ 1 << source.randrange(8), source.randrange(256)])
        try:
            found = read(bytes(data), solver_terms)
        except BrokenTrace:
            damaged += 1
            continue
        for each in found.decisions[:1]:
            if each.kind in ("BRANCH", "CHECK"):
                solver.check([each.term], 100)
    assert 200 < damaged < 1500
