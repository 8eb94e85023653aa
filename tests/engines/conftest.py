"""Fixtures of the tests about engine ``binary``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.cores import Compile
from tests.harness.process import Whence

from whence.engines.binary import core


@pytest.fixture
def compile_(tmp_path: Path, request: pytest.FixtureRequest) -> Compile:
    """Compiles a program by gcc, behind what the test module has as START: (body, *flags, name, suffix); the
    flags' level of optimisation counts, else it is ``-O0``."""
    start = request.module.START

    def build(body: str, *flags: str, name: str = "prog", suffix: str = ".c") -> Path:
        source = tmp_path / f"{name}{suffix}"
        source.write_text(start * (suffix == ".c") + body)
        compiler = "g++" if suffix == ".cpp" else "gcc"
        command = [compiler, "-g", "-O0", "-w", source, "-o", tmp_path / name, "-pthread", *flags]
        subprocess.run(command, check=True, capture_output=True)
        return tmp_path / name

    return build


@pytest.fixture
def run(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    """whence with the core of Valgrind that this machine has."""
    env = {name: value for name, value in whence_env.items() if name != core.VARIABLE}
    return Whence(tmp_path, env)
