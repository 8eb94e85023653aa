"""Distances to uncovered code are those of a search over calls with their stacks; broken tables are said."""

import json
import random
import struct
from collections import Counter, deque

import pytest

from whence.abi.symbolic import LINES_HEAD, RETURNS
from whence.errors import ToolLimit
from whence.exploring import strategies
from whence.exploring.decisions import Decision
from whence.exploring.distances import Distances, Map
from whence.exploring.flow import NEVER, Graph
from whence.exploring.lines import ProgramLines
from whence.exploring.terms import Terms
from whence.exploring.tree import Tree

from .test_programs import PROGRAMS, build, explore

NAMES = ("f", "g", "h", "main")


def table(functions, **more):
    """A table of functions, by name: their blocks, which all have a line at the begin of each part."""
    lines = sum(block[0] for blocks in functions.values() for block in blocks)
    listed = [[name, more.get("type_of", {}).get(name, 0), blocks] for name, blocks in functions.items()]
    given = {"files": ["a.c"], "lines": [[0, line] for line in range(1, lines + 1)], "functions": listed}
    given |= {"names": [], "types": ["void()", "int()"], "taken": [], "aliases": []}
    return given | {name: value for name, value in more.items() if name in given}


def random_functions(rng):
    functions = {}
    for name in NAMES:
        count, blocks = rng.randint(1, 4), []
        for _ in range(count):
            calls = [rng.choice([0, 1, 2, -1]) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
            ways = RETURNS if rng.random() < 0.4 else rng.sample(range(count), rng.randint(0, min(2, count)))
            placed = [each for at, call in enumerate(calls, 1) for each in (at, call)]
            blocks.append([len(calls) + rng.randint(0, 1), ways, *placed])
        functions[name] = blocks
    return functions


def searched(graph, taken, part, covered):
    """Steps from a part, under callers that are not known, to one whose line is not covered: breadth first
    over parts with the calls that have begun since."""
    deepest = 2 * len(NAMES) + 2
    came = deque([(0, part, ())])
    seen = {(part, ())}

    def entries(function):
        return taken if function in graph.members else [function]

    while came:
        steps, here, stack = came.popleft()
        if graph.target[here] >= 0 and graph.target[here] not in covered:
            return steps
        after = [(way, stack) for way in graph.ways[here]]
        if graph.call[here] >= 0 and len(stack) < deepest:
            after += [(graph.entry[each], (*stack, here + 1)) for each in entries(graph.call[here])]
        if graph.returns[here] >= 0 and stack:
            after.append((stack[-1], stack[:-1]))
        elif graph.returns[here] >= 0:
            after += [
                (call + 1, ())
                for call, function in enumerate(graph.call)
                if function >= 0
                and graph.returns[here] in entries(function)
                and (graph.came[call] < 0 or graph.came[call] in covered)
            ]
        for each in after:
            if each not in seen:
                seen.add(each)
                came.append((steps + 1, *each))
    return NEVER


@pytest.mark.parametrize("seed", range(60))
def test_distances_are_those_of_a_search(seed):
    rng = random.Random(seed)
    taken = rng.sample(range(len(NAMES)), 2)
    graph = Graph([(0, table(random_functions(rng), taken=taken))])
    known, covered = Map(graph), set()
    left = sorted(byte for byte in graph.target if byte >= 0)
    while True:
        for part in range(len(graph.ways)):
            assert known.length[part] == searched(graph, taken, part, covered), (part, covered)
        if not left:
            break
        more = rng.sample(left, min(len(left), rng.randint(1, 3)))
        left = [each for each in left if each not in more]
        covered.update(more)
        known.cover(more)
    assert set(known.length) == {NEVER}


def test_copies_of_a_function_are_one():
    blocks = [[1, [1, 2]], [1, RETURNS], [1, RETURNS]]
    first = table({"inline": blocks, "main": [[1, RETURNS, 1, 0]]})
    second = table({"inline": blocks, "other": [[1, RETURNS, 1, 0]]})
    graph = Graph([(0, first), (4096, second)])
    assert [graph.byte(each) for each in (4096, 4097, 4098, 4099)] == [0, 1, 2, 4099]
    assert len(graph.ways) == 7 and graph.behind(4096, 0) == graph.behind(0, 0)
    known = Map(graph)
    known.cover([4096, 4098])
    assert known.length[graph.behind(0, 0)] == 0 < known.length[graph.behind(0, 1)]


def test_calls_lead_to_other_modules_by_name_by_alias_and_through_addresses():
    main = [[3, RETURNS, 1, 1, 2, 2, 3, -2]]
    first = table({"main": main}, names=["far", "same"])
    far = {"far": [[1, RETURNS]], "pointed": [[1, RETURNS]], "": [[1, RETURNS]]}
    types = {"pointed": 1}
    second = table(far, aliases=[["same", 2]], taken=[0, 1], type_of=types)
    graph = Graph([(0, first), (4096, second)])
    called = [graph.call[part] for part in range(graph.entry[0], graph.entry[0] + 3)]
    assert called[:2] == [1, 3] and graph.members[called[2]] == [2]
    assert graph.through == [6, 0, 0, 0, 0, 0]


def test_blocks_without_lines_are_passed():
    graph = Graph([(0, table({"main": [[1, [1]], [0, [2, 3]], [1, RETURNS], [1, []]]}))])
    assert [graph.behind(0, way) for way in (0, 1, 2, -1)] == [2, 3, -1, 0]
    assert graph.behind(7, 0) == -1


def test_what_is_not_known_is_nowhere():
    distances = Distances(lambda: None)
    distances.cover(0x01)
    assert distances.current() == 0 and distances.to(distances.place(5, 1)) == NEVER
    graph = Graph([(0, table({"main": [[1, [1, 2]], [1, RETURNS], [1, RETURNS]]}))])
    distances = Distances(lambda: graph)
    distances.meet({5: 0})
    assert distances.place(5, 1) == -1  # nobody has asked for distances yet
    distances.cover(0x01_0001)
    first = distances.current()
    assert [distances.to(distances.place(5, way)) for way in (0, 1, 2, -1)] == [0, NEVER, NEVER, 1]
    distances.cover(0x01)
    assert distances.current() == first
    distances.cover(0x0101)
    assert distances.current() > first and distances.to(distances.place(5, 0)) == NEVER


class Section(ProgramLines):
    """Lines of a section without an image."""

    def __init__(self, data, size):
        self._image, self._data, self.size = "image", data, size
        self._address = self._begin = 0


def section(text, distance=0):
    data = struct.pack(LINES_HEAD, distance, len(text)) + text
    return data + b"\0" * (-len(data) % 8)


TWO = {"f": [[2, [1, 2], 1, 1], [1, RETURNS], [0, []]], "g": [[1, RETURNS, 0, -1, 1, 2]]}
GOOD = table(TWO, names=["x"], taken=[0])


def test_a_table_is_read():
    lines = Section(section(json.dumps(GOOD).encode()), 4096)
    assert lines.all() == {"a.c": {1, 2, 3, 4}} and lines.bytes_of({"a.c": [2, 9], "b.c": [1]}) == 0x0100
    assert len(lines.graph().ways) == 6
    assert Section(b"", 0).graph() is None


def changed(rng, value):
    """Another value, or one with a part that is another."""
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], *rng.choice([[], [changed(rng, value[at])]]), *value[at + 1 :]]
    if isinstance(value, dict) and value and rng.random() < 0.95:
        name = rng.choice(list(value))
        return {key: changed(rng, each) if key == name else each for key, each in value.items()}
    return rng.choice([None, -1, -7, 0, 1, 5, 1 << 40, 0.5, "", "f", [], [[1]], {}])


@pytest.mark.parametrize("seed", range(300))
def test_a_broken_table_is_one_sentence(seed):
    rng = random.Random(seed)
    given = GOOD
    for _ in range(rng.randint(1, 3)):
        given = changed(rng, given)
    data = bytearray(section(json.dumps(given).encode(), rng.choice([0, 0, 0, 8, -3])))
    if rng.random() < 0.2:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    lines = Section(bytes(data[: rng.choice([len(data), len(data), rng.randrange(len(data))])]), 64)
    for ask in (lambda: lines.all(), lambda: Map(lines.graph() or Graph([])).cover(range(-9, 99))):
        try:
            ask()
        except ToolLimit as error:
            said = str(error)
            assert said.startswith("image: its table of lines cannot be read: ") and "\n" not in said


class Told:
    """Distances by site and way, in place of those of a graph."""

    def __init__(self, far):
        self.far, self.version = far, 1
        self.places = list(far)

    def current(self):
        return self.version

    def place(self, site, way):
        return self.places.index((site, way)) if (site, way) in self.places else -1

    def to(self, place):
        return NEVER if place < 0 else self.far[self.places[place]]


def nodes_of(*sites):
    """Decisions of one path, one below the other, that all went way 1."""
    tree = Tree(Terms())
    _, fresh = tree.add([Decision("BRANCH", site, 1, 1) for site in sites], 1)
    return fresh


def chosen(strategy, nodes, count=None):
    """The sites of the nodes in the order in which they are given out."""
    waiting, came = set(nodes), []
    while waiting and len(came) != count:
        node = strategy.next(waiting)
        waiting.remove(node)
        came.append(node.site)
    return came


def test_places_have_turns_in_proportion_to_the_square_of_their_distance():
    told = Told({(1, 0): 0, (2, 0): 1, (3, 0): 3})
    strategy, again = (strategies.Uncovered(Counter(), told) for _ in range(2))
    nodes = nodes_of(*[1, 2, 3] * 100)
    for node in nodes:
        strategy.add(node)
        again.add(node)
    came = chosen(strategy, nodes, 84)
    assert came[0] == 1 and Counter(came) == {1: 64, 2: 16, 3: 4}
    assert came == chosen(again, nodes, 84)
    told.far[1, 0], told.version = NEVER, 2
    waiting = [each for each in nodes if each.site != 2]
    assert chosen(strategy, waiting, 10) == [3] * 10


def test_what_leads_nowhere_comes_last_and_by_how_often_it_was_passed():
    passed = Counter({(1, 0): 9, (2, 0): 5, (3, 0): 7, (4, 0): 1, (5, 0): 2})
    strategy = strategies.Uncovered(passed, Told({(1, 0): 40, (2, 0): NEVER, (4, 0): NEVER}))
    nodes = nodes_of(4, 2, 1, 2, 4)
    for node in nodes:
        strategy.add(node)
    assert chosen(strategy, nodes) == [1, 4, 4, 2, 2]


def test_a_decision_of_an_unknown_block_leads_where_the_one_before_it_does():
    told = Told({(1, 1): 0, (2, 0): 2, (9, 0): 1})
    strategy = strategies.Uncovered(Counter(), told)
    nodes = nodes_of(9, 1, 5, 6)  # 5 and 6 are behind way 1 of 1
    for node in nodes[1:]:
        strategy.add(node)
    assert chosen(strategy, nodes[1:])[:2] in ([5, 6], [6, 5])


@pytest.mark.build
def test_a_deep_line_is_reached_in_few_paths(tmp_path, whence_env):
    program = build("distant", tmp_path, whence_env, "-O1")
    line = next(
        number
        for number, text in enumerate((PROGRAMS / "distant.c").read_text().splitlines(), 1)
        if "/* far */" in text
    )
    for search, reached in (("uncovered", True), ("breadth", False)):
        folder = tmp_path / search
        folder.mkdir()
        summary, text = explore(program, folder, whence_env, "--search", search, "--max-paths", "400")
        assert (f"DA:{line},1\n" in (folder / "out" / "coverage.info").read_text()) == reached, text
        assert summary["paths"] == 400
