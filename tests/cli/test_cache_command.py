"""``whence cache``: what it shows and removes, and that runs survive it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.harness.process import Done, Whence, is_one_sentence

from whence.toolchain.cache_files import entries

pytestmark = pytest.mark.build

PROGRAM = "#include <stdlib.h>\nint main(void) { char *p = malloc(4); p[4] = 0; free(p); return 0; }"


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env).with_env(WHENCE_CACHE=str(tmp_path / "cache"))


def cache(whence: Whence, *words: str) -> Done:
    return whence.process("whence.cli.main", "cache", *words)


def test_a_cache_from_its_first_run_to_its_end(whence: Whence, tmp_path: Path) -> None:
    assert cache(whence, "path").out.decode() == f"{tmp_path / 'cache'}\n"
    assert cache(whence, "size").out == b"0 bytes of at most 5 GiB, in 0 entries\n"
    assert cache(whence, "clear").out == b"removed 0 entries, 0 bytes; 0 bytes left\n"
    assert not (tmp_path / "cache").exists()
    program = whence.build(PROGRAM)
    assert whence.run(program).status == 99
    found = sorted(entries(tmp_path / "cache"), key=lambda entry: -entry.used)
    listed = [line.split()[-2:] for line in cache(whence, "list").out.decode().splitlines()]
    assert listed == [[entry.kind, entry.key] for entry in found]
    assert {entry.kind for entry in found} >= {"objects", "images", "rules"}
    assert f"in {len(found)} entries" in cache(whence, "size").out.decode()
    assert f"removed {len(found)} entries".encode() in cache(whence, "clear").out
    assert list(entries(tmp_path / "cache")) == []
    assert whence.run(program).status == 99


def test_pruning_keeps_the_bound(whence: Whence, tmp_path: Path) -> None:
    whence.run(whence.build(PROGRAM))
    newest = max(entries(tmp_path / "cache"), key=lambda entry: entry.used)
    done = cache(whence, "prune", "--size", str(newest.size))
    assert [entry.key for entry in entries(tmp_path / "cache")] == [newest.key], done.out
    assert whence.with_env(WHENCE_CACHE_SIZE="0").run(tmp_path / "prog").status == 99
    assert list(entries(tmp_path / "cache")) == []
    assert b"of at most 1 MiB" in cache(whence.with_env(WHENCE_CACHE_SIZE="1M"), "size").out


def test_damaged_entries_are_made_again(whence: Whence, tmp_path: Path) -> None:
    """As after a power failure: every file is there, and none holds what it should."""
    program = whence.build(PROGRAM)
    first = whence.run(program)
    for entry in entries(tmp_path / "cache"):
        os.truncate(entry.path, 0)
        os.truncate(entry.path, entry.size)
    assert (whence.run(program).status, first.status) == (99, 99)


def test_mistakes(whence: Whence, tmp_path: Path) -> None:
    done = cache(whence, "prune", "--size", "much")
    assert done.status == 2 and is_one_sentence(done.err) and "'much' is no size" in done.err
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    for word in ("clear", "prune", "size", "list"):
        done = cache(whence, word)
        assert (
            done.status == 125 and is_one_sentence(done.err) and "can be written by other users" in done.err
        )
    done = whence.with_env(WHENCE_CACHE_SIZE="5 apples").run(whence.build(PROGRAM))
    assert done.status == 2 and is_one_sentence(done.err)


def test_a_run_says_why_it_works_without_the_cache(whence: Whence, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    done = whence.run(whence.build(PROGRAM))
    assert done.status == 99
    assert done.err.count("is not used, because") == 1
    assert list((tmp_path / "cache").iterdir()) == []
