"""The explored set of paths equals what brute force over all inputs finds."""

import itertools
from collections import Counter

import pytest

from whence.abi.symbolic import ACCESSES, CHECKS
from whence.exploring import strategies
from whence.exploring.reasoning import Reasoner
from whence.exploring.search import Explorer, Limits
from whence.exploring.solvers import load
from whence.exploring.store import Store
from whence.exploring.terms import Terms
from whence.exploring.trace import read

from .model import ModelExecutor, as_file, run

IDENTITY = {"program": "model", "arguments": [], "symbolic": []}


def explore(
    program, directory, *, strategy="rotation", solver="z3", slots=1, limits=None, executor=None, first=None,
    files="errors",
):
    terms = Terms()
    executor = executor or ModelExecutor(program, slots=slots)
    explorer = Explorer(
        executor,
        Reasoner(terms, load(solver, terms), 5000),
        Store(directory, IDENTITY, files),
        strategy,
        limits or Limits(ways=300),
    )
    explorer.explore([first or {}])
    explorer.store.close()
    return explorer


def decisions_of(program, inputs):
    """What names the path of an input: every outcome that depends on it, in order."""

    path, how, _ = run(program, inputs)

    trace = read(as_file(path.words), Terms())
    return (*((each.kind, each.site, each.outcome) for each in trace.decisions), how)


def by_brute_force(program, *ranges):
    """Path -> how many inputs take it, where each byte of memory:x has the values of a range."""
    inputs = ({"memory:x": bytes(values)} for values in itertools.product(*ranges))
    return Counter(decisions_of(program, each) for each in inputs)


def explored(explorer):
    program = explorer.executor.program
    return Counter(decisions_of(program, path.inputs) for path in recorded(explorer))


def recorded(explorer):
    store = Store(explorer.store.directory, IDENTITY)
    found = list(store.resume())
    store.close()
    return found


def branches(path):
    (x,) = path.bytes("memory:x", 1)
    if path.true(x < 10, 1):
        return 1 if path.true((x * 7) == 21, 2) else 2
    if path.true((x ^ 0x55) < 3, 3):
        return 3
    return 4 if path.true((x & 1) == 1, 4) else 5


def loop(path):
    (x,) = path.bytes("memory:x", 1)
    rounds = 0
    while path.true(x > rounds * 16, 1):
        rounds += 1
        if rounds == 16:
            break
    return rounds


def impossible(path):
    (x,) = path.bytes("memory:x", 1)
    if path.true(x < 10, 1) and path.true(x > 20, 2):
        raise AssertionError("no input comes here")
    return 0


def switch(path):
    (x,) = path.bytes("memory:x", 1)
    way = path.switch(x & 7, {1: 1, 2: 2, 6: 1, 7: 0})
    return way * 2 + path.true(x == 9)


def table(path):
    (x,) = path.bytes("memory:x", 1)
    place = path.concrete((x & 3).wide(64) + 0x1000)
    return 1 if place == 0x1002 else 0


def assumed(path):
    (x,) = path.bytes("memory:x", 1)
    path.assume(x > 200)
    return 1 if path.true(x == 255, 1) else 0


def divides(path):
    (x,) = path.bytes("memory:x", 1)
    y = x - 17
    path.check(y == 0)
    return 1 if path.true(x.divided(y) == 1, 1) else 0


def overruns(path):
    (x,) = path.bytes("memory:x", 1)
    path.access(x.wide(64) + 0x1000, 1, {0x1000: 4})
    return 1 if path.true(x == 2, 1) else 0


def walks(path):
    """Through two blocks, and never out of both."""
    (x,) = path.bytes("memory:x", 1)
    path.access(x.wide(64) + 0x1000, 1, {0x1000: 128, 0x1080: 128})
    return 0


def divides_by_all(path):
    """A check that no rule is about."""
    (x,) = path.bytes("memory:x", 1)
    path.record("CHECK", (x == 7).id, operator=CHECKS["DIVISION"], number=5)
    return 0


def reads_all(path):
    """An access out of its block that no rule is about."""
    (x,) = path.bytes("memory:x", 1)
    address = x.wide(64) + 0x1000
    inside = address.value < 0x1004
    operands = (address.id, address.value, 1, 0x1000 * inside, 4 * inside)
    path.record("ACCESS", *operands, operator=ACCESSES["READ"], number=6)
    return 0


PROGRAMS = [branches, loop, impossible, switch, table, assumed, divides, overruns]


def two(path):
    x, y = path.bytes("memory:x", 2)
    path.assume(y < 9)
    both = x.wide(16) + y.wide(16) * 3
    if path.true(both == 0x105, 1):
        return 1
    return 2 if path.true(x < y, 2) else 3


def tied(path):
    """The last decision is on one byte, which another condition ties to one that is known by then."""
    x, y = path.bytes("memory:x", 2)
    if not path.true(x < 5, 1):
        return 1
    if not path.true((x ^ y) == 3, 2):
        return 2
    return 3 if path.true(y < 8, 3) else 4


def test_a_byte_that_is_tied_to_another(tmp_path):
    explorer = explore(tied, tmp_path, limits=Limits(paths=3, ways=300))
    explorer = explore(tied, tmp_path)  # that it goes on changes nothing
    assert explored(explorer) == Counter(set(by_brute_force(tied, range(10), range(10))))
    assert explorer.state.paths == 3 and not explorer.left and not explorer.state.diverged


def test_a_byte_that_is_tied_to_none_is_settled_without_a_solver(tmp_path):
    """Also behind a condition that ties others; what is impossible is known before it waits."""

    def program(path):
        x, y, z = path.bytes("memory:x", 3)
        path.true((x ^ y) == 3, 1)
        return path.true(z < 7, 2) + 2 * path.true(z < 9, 3)

    explorer = explore(program, tmp_path)
    assert explorer.state.paths == 6 and not explorer.state.diverged
    counts = explorer.reasoner.counts
    assert counts.queries == 1 and counts.by_bytes == counts.questions - 1


@pytest.mark.parametrize("strategy", strategies.NAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_path_is_run_once(program, strategy, tmp_path):
    explorer = explore(program, tmp_path, strategy=strategy)
    wanted = by_brute_force(program, range(256))
    if program is overruns:  # an access outside of the block is one path, whatever the address
        assert {path for path in explored(explorer) if path[-1] == "EXIT"} == {
            path for path in wanted if path[-1] == "EXIT"
        }
        assert sum(path[-1] == "FINDING" for path in explored(explorer)) == 1
    else:
        assert explored(explorer) == Counter(set(wanted))
    assert not explorer.waiting and not explorer.state.diverged and not explorer.state.repeated


@pytest.mark.parametrize("first", [b"\0", b"\7"])
@pytest.mark.parametrize(
    ("program", "possible"),
    [
        (walks, {}),
        (divides, {"check division": 17}),
        (divides_by_all, {"check division": 7}),
        (reads_all, {"access": None}),
    ],
)
def test_what_goes_wrong_without_a_finding(program, possible, first, tmp_path):
    explorer = explore(program, tmp_path, first={"memory:x": first})
    said = {what: explorer.store.inputs(number) for (what, _), number in explorer.state.possible.items()}
    assert said.keys() == possible.keys()
    for what, value in possible.items():
        (x,) = said[what]["memory:x"]
        assert x == value if value else x > 3


@pytest.mark.long
@pytest.mark.parametrize("solver", ["z3", "bitwuzla"])
def test_two_bytes_with_a_solver(solver, tmp_path):
    if solver == "bitwuzla":
        pytest.importorskip("bitwuzla")
    explorer = explore(two, tmp_path, solver=solver)
    assert explored(explorer) == Counter(set(by_brute_force(two, range(256), range(9))))
    assert explorer.reasoner.counts.queries > 0
