"""How far an exploration is: a line that changes on a terminal, plain lines elsewhere."""

import math

import pytest

from whence.cli import explore_progress
from whence.cli.explore_progress import Line

from .test_search import branches, explore


@pytest.fixture
def said(monkeypatch):
    texts = []
    monkeypatch.setattr(explore_progress, "say", texts.append)
    return texts


def test_plain_lines(said, tmp_path):
    explorer = explore(branches, tmp_path)
    line = Line(live=False, interval=0)
    line.tell(explorer)
    assert said == ["whence: 5 paths, 0 errors, 0 waiting, 8 of 8 branches, 0 queries, 0 s\n"]
    Line(live=False, interval=100).tell(explorer)
    assert len(said) == 1


def test_a_line_that_changes_and_is_gone_at_the_end(said, tmp_path):
    explorer = explore(branches, tmp_path)
    line = Line(live=True, interval=0)
    explorer._seeds = [{}]
    line.tell(explorer)
    line.end()
    line.end()
    assert len(said) == 2
    assert said[0].startswith("\r\x1b[Kwhence: 5 paths, 0 errors, 1 waiting") and "\n" not in said[0]
    assert said[1] == "\r\x1b[K"


def test_what_is_missing_is_said_at_once_and_once(said, tmp_path):
    explorer = explore(branches, tmp_path)
    line, quiet = Line(live=False, interval=100), Line(live=False, interval=math.inf)
    for lacks in ("no workers", "no workers", "", "no workers"):
        explorer.executor.lacks = lacks
        line.tell(explorer), quiet.tell(explorer)
    assert len(said) == 2 and all(each.endswith(", 0 s, no workers\n") for each in said)
