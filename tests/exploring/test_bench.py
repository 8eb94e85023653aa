"""The script that measures explorations, bench/explorations.py, and what it kills."""

import json
import subprocess
import sys
from collections import Counter
from itertools import product

import pytest
from tests.harness.process import TIMEOUT
from tests.harness.session import REPOSITORY

from whence.exploring.testcases import read_tests

sys.path.insert(0, str(REPOSITORY / "bench"))

import explorations

ALL = ["b1=0", "b1=1 b2=0", "b1=1 b2=1"]
FIELDS = ("twice", "missing", "other", "lost")


def bench(env, *options):
    command = [sys.executable, REPOSITORY / "bench" / "explorations.py", *options]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT)


@pytest.mark.parametrize(
    ("states", "found"),
    [
        ([ALL], (0, 0, 0, 0)),
        ([ALL[:1], ALL[:2], ALL[::-1]], (0, 0, 0, 1)),
        ([ALL[:1], ALL[:2], ALL], (0, 0, 0, 0)),
        ([ALL[:1], [*ALL, ALL[0]]], (1, 0, 0, 0)),
        ([[], ALL[:2]], (0, 1, 0, 0)),
        ([[], [*ALL, "b3=0"]], (0, 0, 1, 0)),
        ([ALL[:2], ALL[:1]], (0, 2, 0, 1)),
    ],
)
def test_paths_that_are_twice_or_missing_are_counted(states, found):
    said = explorations.difference(ALL, states)
    assert tuple(said[name] for name in FIELDS) == found and said["same"] == (not any(found))
    assert said["paths"] == len(states[-1]) and said["killed"] == [len(each) for each in states[:-1]]


def test_the_table():
    row = explorations.Row("a maze", 1234, 1, False, 1.25, 20.0, 90 << 20, 3 << 30, 7, "12 paths, 0.1 s")
    *_, line = explorations._table([row]).splitlines()
    assert line == (
        "| a maze | 1,234 (not all) | 1 | 1.2 s | 20.0 s | 90 MiB | 3072 MiB | 7 | 12 paths, 0.1 s |"
    )


def test_every_program_that_is_compared_is_there():
    for each in explorations.COMPARED:
        assert (explorations.PROGRAMS / f"{each.source}.c").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "nothing"], "no program's name matches 'nothing'"),
        (["--only", "maze"], "is there: give another --directory, or remove it"),
    ],
)
def test_what_cannot_be_measured(options, said, tmp_path):
    (tmp_path / "maze").mkdir()
    done = bench(None, "--directory", tmp_path, *options)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.build
def test_an_exploration_of_a_program_goes_on_after_kill_9(tmp_path, whence_env):
    """All 6,561 paths of eight choices are there once, though the command was killed twice in the middle."""
    document = tmp_path / "rows.json"
    options = ["--killed", "8", "--kills", "2", "--directory", tmp_path / "all", "--json", document]
    done = bench(whence_env, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    killed = json.loads(document.read_text())["killed"]
    assert len(killed["killed"]) == 2 and 0 < killed["killed"][0] < killed["killed"][1] < 6561
    assert killed["same"] and killed["paths"] == 6561 and not killed["processes"]
    tests = read_tests(tmp_path / "all" / "8-choices-killed")
    choices = Counter(
        tuple((byte >= 50) + (byte >= 100) for byte in each.inputs["memory:x"]) for each in tests
    )
    assert choices == Counter(product(range(3), repeat=8))
