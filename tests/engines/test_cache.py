"""The cache: entries by content, and what happens when it cannot be written."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from whence.errors import ToolLimit
from whence.toolchain import cache as module
from whence.toolchain.cache import Cache, default_directory, digest


def test_an_entry_is_found_again(tmp_path: Path) -> None:
    path = Cache(tmp_path / "c").add("objects", "k", b"content")
    assert path.read_bytes() == b"content"
    assert Cache(tmp_path / "c").find("objects", "k") == path
    assert Cache(tmp_path / "c").find("images", "k") is None


def test_digest_tells_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("a") == digest(b"a")


def test_an_error_leaves_nothing_behind(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with pytest.raises(ValueError), cache.reserve("objects", "k") as path:
        path.write_bytes(b"half")
        raise ValueError
    assert cache.find("objects", "k") is None
    assert list((tmp_path / "objects").iterdir()) == []


def test_two_writers_of_one_entry(tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=Cache(tmp_path).add, args=("o", "k", b"x" * 100_000)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "o" / "k").read_bytes() == b"x" * 100_000
    assert [entry.name for entry in (tmp_path / "o").iterdir()] == ["k"]


def test_a_directory_that_is_a_file_is_replaced_for_the_run(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("no directory")
    cache = Cache(tmp_path / "c")
    path = cache.add("objects", "k", b"content")
    assert path.read_bytes() == b"content" and cache.find("objects", "k") == path
    assert len(cache.notes) == 1 and "cannot be written" in cache.notes[0]
    cache.close()
    assert not path.exists()


def test_a_directory_that_others_can_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    cache = Cache(tmp_path)
    path = cache.add("objects", "k", b"content")
    assert tmp_path not in path.parents and "another user" in cache.notes[0]
    cache.close()


def test_nowhere_to_write_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c").write_text("")

    def full(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.tempfile, "mkdtemp", full)
    with pytest.raises(ToolLimit, match="no directory can be written"):
        Cache(tmp_path / "c").add("objects", "k", b"content")


def test_full_disk_while_an_entry_is_written(tmp_path: Path) -> None:
    with (
        pytest.raises(ToolLimit, match="cannot keep generated code: No space left"),
        Cache(tmp_path).reserve("o", "k"),
    ):
        raise OSError(28, "No space left on device")


def test_default_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path))
    assert default_directory() == tmp_path
    monkeypatch.delenv("WHENCE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_directory() == Path("/x/whence")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/h")
    assert default_directory() == Path("/h/.cache/whence")


def test_root_is_not_needed(tmp_path: Path) -> None:
    assert (Cache(tmp_path).add("o", "k", b"").stat().st_uid) == os.geteuid()
