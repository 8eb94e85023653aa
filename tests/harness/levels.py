"""Programs that are built at several levels of optimisation, once each for all tests of a module."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harness.process import Whence


def built_at(source: str, *levels: str, flags: tuple[str, ...] = ()) -> Any:
    """A fixture: where ``./prog`` is, built from C with `flags` and each of the levels in turn."""

    @pytest.fixture(scope="module", params=levels)
    def built(
        request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
    ) -> Whence:
        made = Whence(tmp_path_factory.mktemp("levels"), whence_env)
        made.build(source, "prog", *flags, request.param)
        return made

    return built
