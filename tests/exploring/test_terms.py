"""Values of terms: the evaluation, the sets of one byte's values and the solvers agree."""

import random

import pytest

from whence.abi import symbolic
from whence.exploring.evaluate import ALL, Columns, holds, values
from whence.exploring.grids import Grids, Unsuited
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


@pytest.mark.parametrize(("patience", "often", "most"), [(0, 256, 1 << 20), (0, 3, 0), (1000, 256, 0)])
def test_sets_of_values_and_evaluation_agree(monkeypatch, patience, often, most):
    monkeypatch.setattr("whence.exploring.evaluate._PATIENCE", patience)
    monkeypatch.setattr("whence.exploring.evaluate._OFTEN", often)
    monkeypatch.setattr("whence.exploring.evaluate._MOST_BYTES", most)
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


@pytest.mark.parametrize(
    "domains", [(ALL, ALL), (ALL >> 1, 0xFFFF), (1 << 65, ALL), (0xFFFF, 0b1011 << 60, ALL)]
)
def test_grids_and_evaluation_agree(domains):
    source, terms = random.Random(5), Terms()
    variables = [terms.variable("stdin", offset) for offset in range(len(domains))]
    numbers = [terms.parameter[each] for each in variables]
    asked = dict(zip(numbers, domains, strict=True))
    grids = Grids(terms)
    found = missed = 0
    for _ in range(150):
        conditions = [random_term(terms, source, 1, source.choice([3, 4]), variables) for _ in range(3)]
        held = [each for each in conditions if terms.support[each].bit_count() > 1]
        model = grids.find(held, asked)
        if model is None:
            missed += 1
            for _ in range(20):
                point = {number: source.choice(members(asked[number])) for number in numbers}
                assert not holds(terms, held, point)
        else:
            found += 1
            assert holds(terms, held, model)
            assert all(asked[number] >> byte & 1 for number, byte in model.items())
    assert found > 50 and missed > 5


def members(domain):
    return [byte for byte in range(256) if domain >> byte & 1]


def test_each_operator_of_a_grid():
    """For all values of two bytes, at all widths that operators have."""
    terms = Terms()
    low, high = (terms.variable("stdin", offset) for offset in range(2))
    asked = {terms.parameter[each]: ALL for each in (low, high)}
    source = random.Random(7)
    for width in (8, 13, 16, 32, 33, 64):
        grids = Grids(terms)
        wide = [terms.node(OP[source.choice(["ZEXT", "SEXT"])], width, (each,)) for each in (low, high)]
        if width == 8:
            wide = [low, high]
        factor = terms.constant(0x0101010101010101, width)
        spread = [terms.node(OP["MUL"], width, (each, factor)) for each in wide]
        for name in [*SAME, *COMPARISONS]:
            a, b = source.choice([wide, spread])
            made = terms.node(OP[name], 1 if name in COMPARISONS else width, (a, b))
            for _ in range(12):
                bytes_ = [0, 1, 127, 128, 255, source.randrange(256)]
                point = {number: source.choice(bytes_) for number in asked}
                value = values(terms, [made], point)[made]
                same = terms.equals(made, value)
                fixed = {number: 1 << byte for number, byte in point.items()}
                assert grids.find([same], fixed) == point, (name, width, point)
                assert grids.find([terms.negation(same)], fixed) is None


def test_hash_of_two_bytes_needs_no_solver():
    """A solver is asked at first, then conditions are evaluated; answers are those of brute force."""
    terms = Terms()
    first, second = (terms.variable("stdin", offset) for offset in range(2))
    state = terms.constant(0x736F6D65, 32)
    for each in (first, second):
        state = terms.node(OP["XOR"], 32, (state, terms.node(OP["ZEXT"], 32, (each,))))
        state = terms.node(OP["MUL"], 32, (state, terms.constant(0x01000193, 32)))
        turned = terms.node(OP["LSHR"], 32, (state, terms.constant(13, 32)))
        state = terms.node(OP["XOR"], 32, (state, turned))
    numbers = [terms.parameter[each] for each in (first, second)]
    hashes = {}
    for a in range(256):
        for b in range(256):
            point = dict(zip(numbers, (a, b), strict=True))
            hashes.setdefault(values(terms, [state], point)[state] & 1023, []).append(point)
    slot = terms.node(OP["AND"], 32, (state, terms.constant(1023, 32)))
    reasoner = Reasoner(terms, load("z3", terms), 10_000)
    least, most = terms.constant(0x61, 8), terms.constant(0x63, 8)
    letters = [terms.node(OP["ULE"], 1, (least, each)) for each in (first, second)]
    letters += [terms.node(OP["ULE"], 1, (each, most)) for each in (first, second)]
    for wanted in range(60):
        found = reasoner.find(terms.equals(slot, wanted), letters)
        fits = [each for each in hashes[wanted] if set(each.values()) <= {0x61, 0x62, 0x63}]
        assert (found in fits) if fits else found is None
        found = reasoner.find(terms.equals(slot, wanted), letters[:1])
        fits = [each for each in hashes[wanted] if each[numbers[0]] >= 0x61]
        assert (found in fits) if fits else found is None
    assert reasoner.counts.by_values > 100 and reasoner.counts.queries < 10
    reasoner.forget()
    assert reasoner.find(terms.equals(slot, 3), []) in hashes[3]


def test_what_no_grid_holds_goes_to_the_solver():
    terms = Terms()
    bytes_ = [terms.variable("stdin", offset) for offset in range(3)]
    wide = terms.node(OP["CONCAT"], 72, (terms.constant(1, 64), bytes_[0]))
    for each in bytes_[1:]:
        wide = terms.node(OP["MUL"], 72, (wide, terms.node(OP["ZEXT"], 72, (each,))))
    numbers = [terms.parameter[each] for each in bytes_]
    with pytest.raises(Unsuited):
        Grids(terms).find([terms.equals(wide, 5)], dict.fromkeys(numbers, 0b11))
    reasoner = Reasoner(terms, load("z3", terms), 10_000)
    for value in range(10):
        reasoner.find(terms.equals(wide, value), [])
    assert reasoner.counts.by_values == 0
