"""An exploration that was interrupted goes on: no path twice, none missing."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from whence.errors import ToolLimit, UserMistake
from whence.exploring.search import Limits
from whence.exploring.store import Store
from whence.exploring.store import test_path as file_of

from .model import ModelExecutor
from .test_search import IDENTITY, decisions_of, explore, recorded


def three_ways(path):
    """Five independent choices of three ways: 243 paths."""
    status = 0
    for site, x in enumerate(path.bytes("memory:x", 5)):
        if path.true(x < 50, 2 * site + 1):
            status += 1
        elif path.true(x < 100, 2 * site + 2):
            status += 2
    return status & 0xFF


def paths_of(explorer, program=three_ways):
    return Counter(decisions_of(program, path.inputs) for path in recorded(explorer))


@pytest.mark.parametrize("strategy", ["depth", "rotation"])
def test_it_goes_on_where_it_stopped(strategy, tmp_path):
    sizes = []
    for _ in range(60):
        explorer = explore(three_ways, tmp_path, strategy=strategy, limits=Limits(paths=len(sizes) * 17 + 5))
        sizes.append(explorer.state.paths)
        if not explorer.left:
            break
    assert sizes[:3] == [5, 22, 39] and sizes[-1] == 243
    found = paths_of(explorer)
    assert len(found) == 243 and set(found.values()) == {1}
    assert not explorer.state.diverged


def test_a_resumed_exploration_that_is_complete_runs_nothing(tmp_path):
    explore(three_ways, tmp_path)
    again = explore(three_ways, tmp_path)
    assert again.state.paths == 243 and again.state.runs == 0


CHILD = """
import sys
from pathlib import Path
from tests.exploring.test_resuming import three_ways
from tests.exploring.test_search import explore
explore(three_ways, Path(sys.argv[1]), files="all")
"""


@pytest.mark.long
def test_a_killed_exploration_loses_nothing_that_was_recorded(tmp_path):
    known = set()
    for _ in range(4):
        process = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)])
        journal = tmp_path / "journal.jsonl"
        wanted = len(known) + 20
        while process.poll() is None and not (
            journal.exists() and journal.read_bytes().count(b"\n") >= wanted
        ):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        store = Store(tmp_path, IDENTITY)
        now = {path.decisions for path in store.resume()}
        store.close()
        assert known <= now
        known = now
    explorer = explore(three_ways, tmp_path, files="all")
    found = paths_of(explorer)
    assert len(found) == 243 and set(found.values()) == {1}
    assert len(list((tmp_path / "tests").glob("*.json"))) == 243


def test_a_torn_line_and_missing_tests_are_repaired(tmp_path):
    explore(three_ways, tmp_path, limits=Limits(paths=10), files="all")
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    file_of(tmp_path, 3).unlink()
    file_of(tmp_path, 10).write_text("{")
    explorer = explore(three_ways, tmp_path, files="all")
    found = paths_of(explorer)
    assert len(found) == 243 and set(found.values()) == {1}
    for number in (3, 9, 10):
        assert json.loads(file_of(tmp_path, number).read_text())["number"] == number


def test_a_directory_of_another_exploration(tmp_path):
    Store(tmp_path, IDENTITY).close()
    with pytest.raises(UserMistake, match="is of another exploration: its program is model, now it is other"):
        Store(tmp_path, {**IDENTITY, "program": "other"})
    old = Path(tmp_path / "old")
    Store(old, {**IDENTITY, "whence": "0.0.1"}).close()
    with pytest.raises(UserMistake, match=r"its version of whence is 0\.0\.1, now it is 9\.9; give another"):
        Store(old, {**IDENTITY, "whence": "9.9"})
    (tmp_path / "exploration.json").write_text("no json")
    with pytest.raises(UserMistake, match=r"exploration.json: cannot be read"):
        Store(tmp_path, IDENTITY)


def test_two_explorations_do_not_share_a_directory(tmp_path):
    store = Store(tmp_path, IDENTITY)
    with pytest.raises(UserMistake, match="another exploration is writing there"):
        Store(tmp_path, IDENTITY)
    store.close()


def test_a_directory_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolLimit, match="cannot be written"):
        Store(tmp_path / "file" / "out", IDENTITY)


def test_a_full_disk_ends_it_and_keeps_what_was_found(tmp_path, monkeypatch):
    write = Store._write_test

    def failing(self, path, inputs):
        if path.number == 7:
            raise OSError(28, os.strerror(28), str(tmp_path))
        write(self, path, inputs)

    monkeypatch.setattr(Store, "_write_test", failing)
    explorer = explore(three_ways, tmp_path, files="all")
    assert "no space is left" in explorer.state.stopped
    assert explorer.left
    monkeypatch.undo()
    found = paths_of(explore(three_ways, tmp_path))
    assert len(found) == 243 and set(found.values()) == {1}


def test_findings_are_known_again_after_a_resumption(tmp_path):
    from whence.findings import Access, AccessKind, Finding, Point, RuleInfo

    finding = Finding(RuleInfo("some-rule", "a title"), Point.UNKNOWN, Access(AccessKind.UNKNOWN, 0))

    def failing(path):
        (x,) = path.bytes("memory:x", 1)
        path.check(x == 7)
        path.true(x < 100)
        path.true(x < 200, 9)

    first = explore(
        failing,
        tmp_path,
        executor=ModelExecutor(failing, finding),
        strategy="breadth",
        limits=Limits(paths=2),
    )
    assert first.state.errors
    again = explore(failing, tmp_path, executor=ModelExecutor(failing, finding))
    assert list(again.state.found.values()) == [finding]
    assert again.state.errors == first.state.errors
