"""An installation without the extra `explore`: what needs it says so, and nothing else does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in {0!r} else find(name, package)
for name in {0!r}:
    sys.modules[name] = None
from whence.cli.main import main
sys.argv[0] = "whence"
main()
"""


def whence(*words: str, without: tuple[str, ...] = ("numpy", "z3")) -> subprocess.CompletedProcess[str]:
    """The command where packages are not installed."""
    command = [sys.executable, "-c", WITHOUT.format(without), *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("without", [("numpy",), ("z3",), ("numpy", "z3")], ids="-".join)
def test_exploring_says_what_to_install(without: tuple[str, ...], tmp_path: Path) -> None:
    done = whence("explore", "--out", str(tmp_path / "out"), "--sym-arg", "1", "./program", without=without)
    assert done.returncode == 125
    assert done.stderr.count("\n") == 1
    assert f"exploration needs {' and '.join(without)}," in done.stderr
    assert "pip install 'whence[explore]'" in done.stderr


def test_proving_says_what_to_install() -> None:
    done = whence("rules", "prove", "--no-cache", "--rule", "heap-buffer-overflow")
    assert done.returncode == 125
    assert "pip install 'whence[explore]'" in done.stderr and done.stderr.count("\n") == 1


OTHERS = [
    ("rules", "list"),
    ("rules", "explain", "heap-buffer-overflow"),
    ("machine", "errors"),
    ("run", "/bin/true"),
]


@pytest.mark.build
@pytest.mark.parametrize("words", OTHERS, ids=" ".join)
def test_nothing_else_needs_them(words: tuple[str, ...]) -> None:
    done = whence(*words)
    assert done.returncode == 0, done.stderr
