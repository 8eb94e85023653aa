"""Acceptance on real programs: built by their own build systems, their own tests run under whence.

Long: run by `make test-real` (`pytest -m real tests/real`), skipped otherwise,
and skipped with the reason where sources cannot be fetched.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.real.support import HERE, Build, Checked, Fresh

from whence.demo.build import Builder, whence_compiler
from whence.demo.programs import Executables, Program
from whence.errors import ToolLimit


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = "real" in (config.getoption("-m") or "")
    for item in () if wanted else items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="real programs: run `make test-real`"))


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    return Checked(tmp_path / "checked")


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds a program with CC=whence-cc, once a session; skips the test if it cannot be fetched."""
    done: dict[str, Executables] = {}

    def build_once(program: Program) -> Executables:
        if program.name not in done:
            try:
                program.fetch()
            except ToolLimit as error:
                pytest.skip(str(error))
            root = tmp_path_factory.mktemp(program.name)
            done[program.name] = program.build(Builder(whence_compiler(), root))
        return done[program.name]

    return build_once


@pytest.fixture
def fresh(tmp_path: Path) -> Fresh:
    """Builds a program with CC=whence-cc for one test alone, which may change its directory."""

    def build_now(program: Program) -> tuple[Builder, Executables]:
        try:
            program.fetch()
        except ToolLimit as error:
            pytest.skip(str(error))
        builder = Builder(whence_compiler(), tmp_path / program.name)
        return builder, program.build(builder)

    return build_now
