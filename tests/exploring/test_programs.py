"""Real programs, built by whence-cc: the explored paths are those that brute force finds."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT

from whence.exploring.inputs import read_test

PROGRAMS = Path(__file__).parent / "programs"
KNOWN = ("comparisons", "loop", "switches", "memory")
pytestmark = pytest.mark.build


def wrapped(words, env, **more):
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=TIMEOUT, **more)


def build(name, folder, env, *flags):
    """The program, built by whence-cc."""
    source = PROGRAMS / f"{name}.c"
    words = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", *flags, "-o", folder / name, source]
    done = wrapped(words, env)
    assert done.returncode == 0, done.stderr
    return folder / name


def explore(program, folder, env, *options, arguments=()):
    """The summary, and what the command wrote."""
    command = [sys.executable, "-m", "whence.cli.main", "explore", "--no-progress", "--out", folder / "out"]
    done = wrapped([*command, "--json", folder / "summary", *options, program, *arguments], env, cwd=folder)
    assert done.returncode in (0, 99), done.stderr
    return json.loads((folder / "summary").read_text()), done.stderr


def inputs_of(folder):
    return [read_test(path).inputs for path in sorted((folder / "out" / "tests").glob("*.json"))]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", KNOWN)
def test_the_paths_are_those_of_brute_force(name, level, tmp_path, whence_env):
    native = tmp_path / "native"
    plain = ["cc", level, "-DBRUTE_FORCE", "-o", native, PROGRAMS / f"{name}.c"]
    assert wrapped(plain, os.environ).returncode == 0
    wanted = set(wrapped([native], os.environ).stdout.split())
    summary, text = explore(build(name, tmp_path, whence_env, level), tmp_path, whence_env)
    taken = Counter(
        wrapped([native, inputs["memory:x"].hex()], os.environ).stdout.strip()
        for inputs in inputs_of(tmp_path)
    )
    assert taken == Counter(wanted), text
    assert summary["complete"] and summary["paths"] == len(wanted)
