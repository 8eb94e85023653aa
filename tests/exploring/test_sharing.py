"""Shares of the tree for several hands: the paths are those of one, whoever is lost on the way."""

import pickle
import random

import pytest

from whence.errors import ToolLimit
from whence.exploring import memory
from whence.exploring.api import ExploreOptions
from whence.exploring.cluster import coordinator
from whence.exploring.cluster.coordinator import Coordinator
from whence.exploring.cluster.exploring import coordinated
from whence.exploring.cluster.session import Session
from whence.exploring.cluster.shares import Gains
from whence.exploring.loop import Limits
from whence.exploring.store import Store
from whence.exploring.summary import text
from whence.findings import Access, AccessKind, Finding, Point, RuleInfo

from .model import ModelExecutor
from .test_limits import sums
from .test_resuming import paths_of, three_ways
from .test_search import IDENTITY, assumed, branches, explore

LOST = ("diverged", "killed", "left_out", "given_up")
NOTHING = Gains(lost="the worker is gone")


class Hands:
    """Sessions over a model, in this process. A share runs when its result is asked for, or is lost.

    losing: the part of all shares that are lost, before they run or after.
    """

    lacks, notes = "", ()

    def __init__(self, program, hands=3, losing=0.0, finding=None, seed=1, **limits):
        self.program, self.finding = program, finding
        self.sessions = [self.session(Limits(**{"ways": 300, **limits})) for _ in range(hands)]
        self.busy, self.random, self.losing = [], random.Random(seed), losing
        self.shares = []

    def session(self, limits):
        return Session(ModelExecutor(self.program, self.finding), "z3", 5000, "rotation", limits)

    @property
    def free(self):
        return len(self.sessions) - len(self.busy)

    @property
    def running(self):
        return len(self.busy)

    def begin(self, key, share):
        self.shares.append(share)
        self.busy.append((key, pickle.dumps(share)))

    def next(self, seconds):
        key, share = self.busy.pop(self.random.randrange(len(self.busy)))
        if self.random.random() < self.losing / 2:
            return key, NOTHING
        gains = pickle.dumps(self.random.choice(self.sessions).explore(pickle.loads(share)))
        lost = self.random.random() < self.losing / 2
        return key, NOTHING if lost else pickle.loads(gains)

    def rest(self):
        pass

    def place(self, site):
        return f"site {site}"

    def code(self, site):
        return f"code {site}"

    def source(self, site):
        return "model.c", site

    def lines(self, covered=None):
        return {}

    def bytes_of(self, lines):
        return 0

    def asked(self):
        return None

    def graph(self):
        return None

    def memory(self):
        return 0

    def close(self):
        pass


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Shares end after one path or two."""
    monkeypatch.setattr(coordinator, "_SHORT", 1e-9)
    monkeypatch.setattr(coordinator, "_LONG", 1e-3)


def shared(executor, directory, first=({},), limits=None):
    store = Store(directory, IDENTITY)
    explorer = Coordinator(executor, store, limits or Limits(ways=300))
    explorer.explore(first)
    store.close()
    return explorer


def switched(path):
    """Ways of all kinds: a switch, values, assumptions, blocks, checks."""
    x, y, z = path.bytes("memory:x", 3)
    path.assume(z < 200)
    if path.true(x < 4, 1):
        return path.concrete(y & 7) & 0xFF
    path.check((z & 3) == 1)
    return path.true(y < z, 6)


@pytest.mark.parametrize("losing", [0.0, 0.4])
@pytest.mark.parametrize("program", [branches, three_ways, assumed, sums, switched])
def test_the_paths_are_those_of_one_process(program, losing, tmp_path):
    alone = explore(program, tmp_path / "alone")
    executor = Hands(program, losing=losing)
    several = shared(executor, tmp_path / "several")
    assert paths_of(several, program) == paths_of(alone, program)
    assert max(paths_of(several, program).values()) == 1
    for name in ("paths", "dismissed", "ends", "passed", "bound", *LOST):
        assert getattr(several.state, name) == getattr(alone.state, name), name
    assert not several.left and not several.state.stopped
    assert len(executor.shares) >= 3


def test_the_shortest_prefixes_are_given_out_first(tmp_path):
    executor = Hands(three_ways)
    shared(executor, tmp_path)
    lengths = [[len(prefix.before) for prefix in share.prefixes] for share in executor.shares]
    assert all(each == sorted(each) for each in lengths)
    assert lengths[:3] == [[], [0], [1]]


def places_of(share):
    return {prefix.place for prefix in share.prefixes}


def test_each_decision_is_in_one_hand(tmp_path):
    executor = Hands(three_ways)
    begin, held = executor.begin, []

    def checked(key, share):
        out = [places_of(pickle.loads(each)) for _, each in executor.busy]
        assert not any(places_of(share) & each for each in out)
        held.append(len(out))
        begin(key, share)

    executor.begin = checked
    shared(executor, tmp_path)
    assert max(held) == 2


def test_it_goes_on_with_one_process_and_back(tmp_path):
    counts = []
    for number in range(60):
        limits = Limits(paths=len(counts) * 17 + 5, ways=300)
        if number % 2:
            explorer = explore(three_ways, tmp_path, limits=limits)
        else:
            explorer = shared(Hands(three_ways, seed=number), tmp_path, limits=limits)
        counts.append(explorer.state.paths)
        if not explorer.left:
            break
    assert counts[:3] == [5, 22, 39] and counts[-1] == 243
    found = paths_of(explorer)
    assert len(found) == 243 and set(found.values()) == {1}
    assert not explorer.state.diverged


def test_what_was_given_out_when_it_ended_is_explored_later(tmp_path):
    class Interrupted(Hands):
        def next(self, seconds):
            if len(self.shares) > 9:
                raise KeyboardInterrupt
            return super().next(seconds)

    first = shared(Interrupted(three_ways), tmp_path)
    assert first.state.stopped == "interrupted" and 0 < first.state.paths < 243 and first.left
    found = paths_of(shared(Hands(three_ways), tmp_path))
    assert len(found) == 243 and set(found.values()) == {1}


def test_findings_are_known_again_after_a_resumption(tmp_path):
    finding = Finding(RuleInfo("some-rule", "a title"), Point.UNKNOWN, Access(AccessKind.UNKNOWN, 0))

    def failing(path):
        (x,) = path.bytes("memory:x", 1)
        path.check(x == 7)
        path.true(x < 100)

    first = shared(Hands(failing, finding=finding), tmp_path)
    again = shared(Hands(failing, finding=finding, losing=0.3), tmp_path)
    assert first.state.found == again.state.found and list(again.state.found.values()) == [finding]
    assert again.state.errors == first.state.errors and first.state.errors
    assert again.state.paths == first.state.paths


def test_all_first_inputs_are_begun_with_although_it_was_interrupted(tmp_path):
    def counted(path):
        return path.bytes("memory:x", 1) and 0

    first = [{"arguments": bytes([number])} for number in range(4)]
    store = Store(tmp_path, IDENTITY)
    begun = Coordinator(Hands(counted, hands=1), store, Limits(paths=2))
    begun.explore(first)
    store.close()
    assert begun.state.paths == 2 and begun.left == 2
    again = shared(Hands(counted), tmp_path, first)
    assert again.state.paths == 4 and again.state.runs == 2


def test_a_share_that_ends_all_its_workers_is_given_up(tmp_path):
    class Fatal(Hands):
        def next(self, seconds):
            key, share = self.busy[0]
            if any(prefix.before for prefix in pickle.loads(share).prefixes):
                self.busy.pop(0)
                return key, NOTHING
            return super().next(seconds)

    explorer = shared(Fatal(branches, hands=1), tmp_path)
    assert explorer.state.killed and explorer.state.notes == {"the worker is gone": None}
    assert not explorer.left and 1 < explorer.state.paths < 5
    found = paths_of(shared(Hands(branches), tmp_path), branches)
    assert sorted(found.values()) == [1] * 5


def test_the_first_share_that_ends_all_its_workers(tmp_path):
    with pytest.raises(ToolLimit, match="the worker is gone"):
        shared(Hands(branches, losing=2.0), tmp_path)


def test_what_stops_a_session_stops_the_exploration(tmp_path):
    class Stopped(Hands):
        def next(self, seconds):
            key, gains = super().next(seconds)
            gains.stopped = "no memory for a trace" if len(self.shares) == 4 else ""
            return key, gains

    explorer = shared(Stopped(three_ways), tmp_path)
    assert explorer.state.stopped == "no memory for a trace" and explorer.state.paths and explorer.left
    found = paths_of(shared(Hands(three_ways), tmp_path))
    assert len(found) == 243 and set(found.values()) == {1}


def test_the_result_is_that_of_one_process(tmp_path):
    options = ExploreOptions(ways=300)
    result = coordinated(Hands(switched), tmp_path, IDENTITY, ({},), options)
    assert result.complete and result.questions["questions"] and result.questions["solver"] == "z3"
    assert "complete after" in text(result)
    assert (tmp_path / "coverage.info").read_text().startswith("TN:\nSF:model.c\n")
    assert result.runs > result.paths
    nothing = coordinated(Hands(lambda path: 3), tmp_path / "nothing", IDENTITY, ({},), options)
    assert nothing.paths == 1 and "nothing was symbolic" in text(nothing)


def test_a_session_whose_memory_is_full_hands_in_and_another_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_INTERVAL", 0)
    monkeypatch.setattr(coordinator, "_LONG", 60)

    class Large(Hands):
        """Its sessions are full after some paths, and are then replaced."""

        def session(self, limits):
            session = super().session(limits)
            executor = session._executor
            executor.memory = lambda: len(executor.inputs) << 27
            return session

        def next(self, seconds):
            key, gains = super().next(seconds)
            if gains.full:
                self.sessions = [self.session(Limits(ways=300, memory=1 << 30)) for _ in self.sessions]
            return key, gains

    executor = Large(three_ways, hands=1, memory=1 << 30)
    explorer = shared(executor, tmp_path)
    assert not explorer.state.stopped and len(executor.shares) > 20
    found = paths_of(explorer)
    assert len(found) == 243 and set(found.values()) == {1}


def test_a_session_that_is_full_before_it_begins_ends_the_exploration(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_INTERVAL", 0)

    class Full(Hands):
        def next(self, seconds):
            if len(self.shares) >= 3:
                self.sessions = [self.session(Limits(ways=300, memory=1 << 30)) for _ in self.sessions]
                for session in self.sessions:
                    session._executor.memory = lambda: 1 << 31
            return super().next(seconds)

    explorer = shared(Full(three_ways, memory=1 << 30), tmp_path)
    assert explorer.state.stopped == "the memory of a worker is full before a path has ended (--max-memory)"
    found = paths_of(shared(Hands(three_ways), tmp_path))
    assert len(found) == 243 and set(found.values()) == {1}


def test_when_the_time_is_over_what_comes_in_a_little_later_counts(tmp_path):
    class Late(Hands):
        """The time is over when the third share has been given out."""

        def begin(self, key, share):
            super().begin(key, share)
            if len(self.shares) == 5:
                explorer.begun -= 1000

    store = Store(tmp_path, IDENTITY)
    explorer = Coordinator(Late(three_ways), store, Limits(seconds=900, ways=300))
    explorer.explore(({},))
    store.close()
    assert explorer.state.stopped == "900 seconds" and 0 < explorer.state.paths < 243
    assert not explorer._leases and explorer.left == len(explorer.waiting) > 0
    found = paths_of(shared(Hands(three_ways), tmp_path))
    assert len(found) == 243 and set(found.values()) == {1}


def test_nobody_is_there_to_explore(tmp_path):
    class Nobody(Hands):
        lacks, free, running = "no workers", 0, 0

        def next(self, seconds):
            explorer.begun -= 1000

    store = Store(tmp_path, IDENTITY)
    explorer = Coordinator(Nobody(branches), store, Limits(seconds=900))
    explorer.explore(({},))
    store.close()
    assert explorer.state.stopped == "900 seconds (no workers)" and explorer.left == 1
