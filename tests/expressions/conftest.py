"""Programs that are built for exploration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path

import pytest
from tests.expressions.serving import Run, prepare, serving
from tests.harness.process import Whence

from whence.toolchain.cache import Cache

Runner = Callable[..., list[Run]]
"""Called with the source of a program and inputs, runs a path for each."""


@pytest.fixture(scope="session")
def symbolic_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cache]:
    cache = Cache(tmp_path_factory.mktemp("symbolic-cache"))
    yield cache
    cache.close()


@pytest.fixture
def paths(
    tmp_path: Path, symbolic_cache: Cache, whence_env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Runner:
    """Builds a C program and runs paths of it."""
    monkeypatch.setenv("WHENCE_VERIFY_PASSES", "1")

    def run(
        source: str,
        inputs: Sequence[Mapping[str, bytes]],
        *words: str,
        flags: Sequence[str] = (),
        milliseconds: int = 60_000,
        processors: Sequence[int] = (),
        **variables: str,
    ) -> list[Run]:
        program = Whence(tmp_path, whence_env).build(source, "prog", *flags)
        task, prepared = prepare(program, symbolic_cache)
        assert not prepared.built.notes
        folder = tmp_path / "server"
        folder.mkdir()
        with serving(task, prepared, folder, words, **variables) as server:
            chosen = processors or [0] * len(inputs)
            return [server.run(*each) for each in zip(inputs, repeat(milliseconds), chosen, strict=False)]

    return run
