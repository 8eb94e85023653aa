"""Values of terms: the evaluation, the sets of one byte's values and the solvers agree."""

import random

import pytest

from whence.abi import symbolic
from whence.exploring.evaluate import Columns, values
from whence.exploring.reasoning import GivenUp, Reasoner
from whence.exploring.solvers import NAMES, Answer, load
from whence.exploring.terms import OP, Terms

SOLVERS = [name for name in NAMES if name != "auto"]
COMPARISONS = ["EQ", "ULT", "ULE", "SLT", "SLE"]
SAME = ["ADD", "SUB", "MUL", "UDIV", "SDIV", "UREM", "SREM", "SHL", "LSHR", "ASHR", "AND", "OR", "XOR"]


def solver_of(name, terms):
    if name != "z3":
        pytest.importorskip(name)
    return load(name, terms)


def random_term(terms, source, width, depth, variables):
    """A term of this width over some variables."""
    if depth == 0:
        if width == 8 and source.random() < 0.8:
            return source.choice(variables)
        return terms.constant(source.choice([0, 1, 2, 7, 128, 255, source.getrandbits(width)]), width)

    def inner(wide):
        return random_term(terms, source, wide, depth - 1, variables)

    kind = source.randrange(7)
    if width == 1:
        name, wide = source.choice(COMPARISONS), source.choice([8, 16])
        return terms.node(OP[name], 1, (inner(wide), inner(wide)))
    if kind == 0 and width > 8:
        return terms.node(OP[source.choice(["ZEXT", "SEXT"])], width, (inner(8),))
    if kind == 1 and width == 16:
        return terms.node(OP["CONCAT"], 16, (inner(8), inner(8)))
    if kind == 2 and width == 8:
        return terms.node(OP["EXTRACT"], 8, (inner(16),), source.randrange(9))
    if kind == 3:
        return terms.node(OP["ITE"], width, (inner(1), inner(width), inner(width)))
    if kind == 4 and width > 1 and source.random() < 0.5:
        table = terms.table(source.choice([0, 0x1000, 0x6000]), width // 8, source.randbytes(16 * width))
        return terms.node(OP["LOOKUP"], width, (random_term(terms, source, 64, depth - 1, variables),), table)
    if kind == 4:
        return terms.node(OP["NOT"], width, (inner(width),))
    return terms.node(OP[source.choice(SAME)], width, (inner(width), inner(width)))


def test_every_operator_is_known_to_all():
    assert set(COMPARISONS + SAME) | {"NOT", "ITE", "CONCAT", "EXTRACT", "ZEXT", "SEXT", "LOOKUP"} == set(
        symbolic.OPERATORS
    )


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_and_evaluation_agree(name):
    source, terms = random.Random(3), Terms()
    solver = solver_of(name, terms)
    variables = [terms.variable("stdin", offset) for offset in range(2)]
    numbers = [terms.parameter[each] for each in variables]
    found = 0
    for _ in range(150):
        condition = random_term(terms, source, 1, 3, variables)
        assigned = {number: source.randrange(256) for number in numbers}
        value = values(terms, [condition], assigned)[condition]
        fixed = [terms.equals(each, assigned[terms.parameter[each]]) for each in variables]
        same = terms.equals(condition, value)
        if terms.is_constant(same):
            continue
        assert solver.check([*fixed, same], 5000).model is not None
        answer = solver.check([*fixed, terms.negation(same)], 5000)
        assert answer.model is None and not answer.unknown and answer.core
        found += 1
    assert found > 100


def test_sets_of_values_and_evaluation_agree():
    source, terms = random.Random(5), Terms()
    variable = terms.variable("stdin", 0)
    columns = Columns(terms)
    for _ in range(60):
        condition = random_term(terms, source, 1, 3, [variable])
        if terms.support[condition]:
            wanted = sum(values(terms, [condition], {0: v})[condition] << v for v in range(256))
            assert columns.true_for(condition) == wanted


class Counting:
    """A solver that counts, and gives up when it is told to."""

    name = "counting"

    def __init__(self, solver, gives_up=False):
        self.solver, self.gives_up, self.asked = solver, gives_up, []

    def check(self, conditions, milliseconds):
        self.asked.append(tuple(conditions))
        return Answer(unknown=True) if self.gives_up else self.solver.check(conditions, milliseconds)

    def forget(self):
        pass


def pairs(terms):
    x, y, z = (terms.variable("stdin", offset) for offset in range(3))
    less = terms.node(OP["ULT"], 1, (x, y))
    other = terms.node(OP["ULT"], 1, (z, terms.constant(9, 8)))
    return x, y, less, other


def test_conditions_on_other_bytes_are_not_asked_about():
    terms = Terms()
    _, _, less, other = pairs(terms)
    solver = Counting(load("z3", terms))
    reasoner = Reasoner(terms, solver, 1000)
    assert reasoner.find(terms.negation(other), [less]) is not None
    assert solver.asked == []  # one byte: no solver
    model = reasoner.find(less, [other])
    assert set(model) == {0, 1} and model[0] < model[1]
    assert solver.asked == [(less,)]
    assert reasoner.find(less, [terms.negation(other)]) == model
    assert len(solver.asked) == 1 and reasoner.counts.by_answers == 1


def test_known_inputs_and_cores_save_questions():
    terms = Terms()
    x, y, less, _ = pairs(terms)
    solver = Counting(load("z3", terms))
    reasoner = Reasoner(terms, solver, 1000)
    big = terms.node(OP["ULT"], 1, (terms.constant(3, 8), terms.node(OP["ADD"], 8, (x, y))))
    assert reasoner.find(less, [big]) is not None
    assert reasoner.find(big, [less]) is not None
    assert len(solver.asked) == 1 and reasoner.counts.by_inputs == 1
    more = terms.node(OP["ULT"], 1, (y, x))
    assert reasoner.find(less, [more]) is None
    assert reasoner.find(less, [more, big]) is None
    assert len(solver.asked) == 2


def test_a_solver_that_gives_up():
    terms = Terms()
    _, _, less, _ = pairs(terms)
    reasoner = Reasoner(terms, Counting(None, gives_up=True), 1000)
    with pytest.raises(GivenUp):
        reasoner.find(less, [])
    assert reasoner.counts.unknown == 1


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_stops_when_its_time_is_over(name):
    terms = Terms()
    solver = solver_of(name, terms)
    parts = [terms.variable("stdin", offset) for offset in range(16)]
    while len(parts) > 2:
        width = 2 * terms.width[parts[0]]
        parts = [terms.node(OP["CONCAT"], width, pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    wide = [terms.node(OP["ZEXT"], 128, (each,)) for each in parts]
    product = terms.node(OP["MUL"], 128, tuple(wide))
    target = terms.constant(0x9E37_79B9_7F4A_7C55 * 0xD1B5_4A32_D192_ED03, 128)
    bigger = terms.node(OP["ULT"], 1, (terms.constant(1, 64), parts[0]))
    smaller = terms.node(OP["ULT"], 1, (parts[0], parts[1]))
    answer = solver.check([terms.node(OP["EQ"], 1, (product, target)), bigger, smaller], 50)
    assert answer.unknown
