"""Reports replace files as a whole, and nothing that is more than a file of the user's."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from whence.cli.replacing import replace_text, replaceable


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "report"
    path.write_text("old")
    path.chmod(0o640)
    return path


def test_readers_keep_the_old_content(file: Path) -> None:
    with file.open() as reader:
        replace_text(file, "new\udcff")
        assert reader.read() == "old"
    assert file.read_bytes() == b"new\xff" and stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(file.parent) == ["report"]


def test_a_link_stays_one(file: Path) -> None:
    (file.parent / "link").symlink_to("report")
    replace_text(file.parent / "link", "new")
    assert (file.parent / "link").is_symlink() and file.read_text() == "new"


@pytest.mark.parametrize(("before", "left"), [("", []), ("old", ["report"])])
def test_a_full_disk_leaves_no_part(
    file: Path, monkeypatch: pytest.MonkeyPatch, before: str, left: list[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file.write_text(before)
    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(OSError, match="No space left"):
        replace_text(file, "new")
    assert os.listdir(file.parent) == left and (not left or file.read_text() == before)


def test_a_file_with_two_names_keeps_them(file: Path) -> None:
    (file.parent / "other").hardlink_to(file)
    replace_text(file, "new")
    assert (file.parent / "other").read_text() == "new"


def test_a_new_file_and_one_with_a_long_name(tmp_path: Path) -> None:
    for name in ("new", "n" * 255):
        for text in ("one", "two"):
            replace_text(tmp_path / name, text)
            assert (tmp_path / name).read_text() == text
    assert len(os.listdir(tmp_path)) == 2


def test_descriptors_and_pipes_are_written_to(file: Path) -> None:
    with file.open("r+") as out:
        link = file.parent / "out"
        link.symlink_to(f"/dev/fd/{out.fileno()}")
        assert replaceable(link) is replaceable(Path(f"/proc/self/fd/{out.fileno()}")) is None
        inode = file.stat().st_ino
        replace_text(link, "new")
        assert file.stat().st_ino == inode and file.read_text() == "new"
    fifo = file.parent / "fifo"
    os.mkfifo(fifo)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()))
    reader.start()
    replace_text(fifo, "through")
    reader.join()
    assert read == ["through"]
