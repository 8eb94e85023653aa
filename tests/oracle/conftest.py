"""What the tests of the oracle share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, whence_env: dict[str, str]) -> None:
    monkeypatch.setenv("WHENCE_CACHE", whence_env["WHENCE_CACHE"])
