"""When the two processes of an exploration have one processor."""

import os

import pytest

from whence.exploring import pairing
from whence.exploring.pairing import Pair

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")

PATH = 1 << 22
"""The process that runs paths; no process has this number."""


class Clock:
    """Of both processes: what time it is, and how long they have worked."""

    def __init__(self, monkeypatch):
        self.now = self.worked = 1.0
        monkeypatch.setattr(pairing.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(pairing, "_worked", lambda process: self.worked if process else 0.0)

    def paths(self, pair, count, each=0.0001, work=1.0):
        """The processors that so many paths are given. work: the part of the time that the two work."""
        chosen = []
        for _ in range(count):
            self.now += each
            self.worked += each * work / 2
            chosen.append(pair.processor(self.now, PATH))
        return chosen


@pytest.fixture
def clock(monkeypatch):
    before = os.sched_getaffinity(0)
    yield Clock(monkeypatch)
    os.sched_setaffinity(0, before)


def test_short_paths_have_one_processor_until_something_else_is_done(clock):
    before, pair = os.sched_getaffinity(0), Pair()
    *_, number = clock.paths(pair, 1000)
    assert number and os.sched_getaffinity(0) == {number - 1}
    pair.part()
    assert os.sched_getaffinity(0) == before
    assert clock.paths(pair, 1) == [0] and clock.paths(pair, 1000)[-1]


def test_a_processor_that_others_want_is_left_to_them_for_longer_and_longer(clock):
    before, pair = os.sched_getaffinity(0), Pair()
    assert clock.paths(pair, 1000)[-1]
    for seconds in (0.25, 0.5, 1.0):
        assert clock.paths(pair, 210, work=0.5)[-1] == 0
        assert os.sched_getaffinity(0) == before
        free = clock.paths(pair, int(seconds * 9500))
        assert not any(free)
        assert clock.paths(pair, int(seconds * 1000) + 210)[-1]


def test_long_paths_have_none(clock):
    pair = Pair()
    assert not any(clock.paths(pair, 1000, each=0.002))
    assert clock.paths(pair, 1000)[-1]
    assert clock.paths(pair, 100, each=0.002)[-1] == 0


def test_paths_with_processes_of_their_own_have_none(clock):
    pair = Pair()
    for number in range(1000):
        clock.now += 0.0001
        assert pair.processor(clock.now, PATH + number) == 0


def test_one_processor_is_left_as_it_is(clock):
    one = {min(os.sched_getaffinity(0))}
    os.sched_setaffinity(0, one)
    assert not any(clock.paths(Pair(), 1000))


def test_without_an_answer_of_the_system_nothing_is_done(clock, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(pairing, "_PROCESSES", pairing.Path("/nowhere"))
    before, pair = os.sched_getaffinity(0), Pair()
    assert pairing._worked("thread-self") == 0.0 and pairing._processor() == -1
    assert pair.processor(pairing.time.monotonic() + 1, PATH) == 0
    assert os.sched_getaffinity(0) == before
