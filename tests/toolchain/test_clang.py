"""Finding a front end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whence.errors import ToolLimit
from whence.toolchain import clang as clangs


def fake(folder: Path, name: str, version: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(
        f'#!/bin/sh\necho "$0" >> {folder}/asked\necho "{version}"\necho "Target: x86_64-pc-linux-gnu"\n'
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A machine with nothing on PATH and no ziglang."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("WHENCE_CLANG", raising=False)
    monkeypatch.setattr(clangs.sys, "path", [])
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def test_nothing_there(empty):
    with pytest.raises(ToolLimit, match="pip install ziglang"):
        clangs.find_clang()


def test_plain_name_then_newest(empty):
    fake(empty, "clang-17", "clang version 17.0.6")
    fake(empty, "clang-19", "Debian clang version 19.1.7 (3)")
    assert clangs.find_clang().version == (19, 1, 7)
    fake(empty, "clang", "Ubuntu clang version 16.0.1")
    assert clangs.find_clang().path == str(empty / "clang")
    assert clangs.find_clang().triple == "x86_64-pc-linux-gnu"


def test_unfit_ones_are_passed_over(empty):
    fake(empty, "clang", "clang version 14.0.6")
    with pytest.raises(ToolLimit, match=r"clang is version 14\.0\.6"):
        clangs.find_clang()
    fake(empty, "clang-18", "clang version 18.1.0")
    assert clangs.find_clang().version[0] == 18


def test_the_probe_is_cached_until_the_file_changes(empty):
    path = fake(empty, "clang", "clang version 18.1.0")
    for _ in range(3):
        assert clangs.find_clang().version == (18, 1, 0)
    assert (empty / "asked").read_text().count("\n") == 1
    path.write_text(path.read_text().replace("18.1.0", "19.10.2"))
    assert clangs.find_clang().version == (19, 10, 2)


def test_unwritable_cache(empty, monkeypatch):
    blocker = empty / "file"
    blocker.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocker))
    monkeypatch.setenv("TMPDIR", str(blocker))
    fake(empty, "clang", "clang version 18.1.0")
    assert clangs.find_clang().version == (18, 1, 0)


def test_a_link_in_tmp_is_not_followed(empty, monkeypatch, tmp_path):
    """Where there is no other cache, one in /tmp serves; somebody may have laid a link there before us."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    folder = tmp_path / f"whence-{os.getuid()}"
    folder.symlink_to("elsewhere")
    fake(empty, "clang", "clang version 19.1.7")
    assert clangs.find_clang().version == (19, 1, 7)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    folder.unlink()
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    clangs.find_clang()
    assert list(folder.iterdir()) == []
    folder.chmod(0o700)
    clangs.find_clang()
    assert len(list(folder.iterdir())) == 1


def test_demanded(empty, monkeypatch):
    path = fake(empty / "elsewhere", "my clang", "clang version 20.0.0")
    monkeypatch.setenv("WHENCE_CLANG", str(path))
    assert clangs.find_clang().path == str(path)
    fake(empty, "cl", "clang version 20.0.0")
    monkeypatch.setenv("WHENCE_CLANG", "cl --target=x86_64-linux-gnu")
    assert clangs.find_clang().command(True) == [
        str(empty / "cl"),
        "--target=x86_64-linux-gnu",
        "--driver-mode=g++",
    ]


@pytest.mark.parametrize(
    ("name", "version", "sentence"),
    [
        ("nothere", None, "not an executable file"),
        ("gcc", "gcc (Debian) 12.2.0", "does not answer --version like a clang"),
        ("clang", "clang version 12.0.0", "version 12.0.0: whence needs 16 to 22"),
    ],
)
def test_demanded_and_unfit(empty, monkeypatch, name, version, sentence):
    if version is not None:
        fake(empty, name, version)
    monkeypatch.setenv("WHENCE_CLANG", name)
    with pytest.raises(ToolLimit, match=sentence):
        clangs.find_clang()


def test_the_wrapper_is_not_its_own_front_end(empty):
    fake(empty, "whence-cc", "clang version 19.0.0")
    os.symlink("whence-cc", empty / "clang")
    with pytest.raises(ToolLimit):
        clangs.find_clang()
