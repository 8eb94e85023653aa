"""Programs whose allocations are known, as the system's compiler and as whence-cc build them."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from heap_harness import BUILDS, Heap, built
from tests.harness.process import Whence


@pytest.fixture(scope="session")
def heaps(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Callable[[str], Heap]:
    """heaps("plain" or "native")."""
    made: dict[str, Heap] = {}

    def heap(build: str) -> Heap:
        if build not in made:
            whence = Whence(tmp_path_factory.mktemp(build), {**os.environ, **whence_env})
            options = ("--engine", "alloc") if build == "alloc" else ()
            made[build] = Heap(whence, built(whence, build), options)
        return made[build]

    return heap


@pytest.fixture(params=BUILDS)
def heap(request: pytest.FixtureRequest, heaps: Callable[[str], Heap]) -> Heap:
    """The programs of each build."""
    return heaps(request.param)


@pytest.fixture
def plain(heaps: Callable[[str], Heap]) -> Heap:
    return heaps("plain")
