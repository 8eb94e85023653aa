"""Fetching without a network: archives, the cache, what apt is told, and what is said when it fails."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tarfile
from pathlib import Path

import pytest

from whence.demo import fetch
from whence.demo.debian import DebianSource, fetch_debian_source, private_sources
from whence.demo.fetch import cache_dir, cached_archive, fetch_sdist, run_client, store_archive, unpack
from whence.errors import ToolLimit

SHA = "a" * 64


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def make_archive(path: Path, members: dict[str, bytes], link: tuple[str, str] | None = None) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(content), 1_500_000_000, 0o755
            tar.addfile(info, io.BytesIO(content))
        if link:
            info = tarfile.TarInfo(link[0])
            info.type, info.linkname = tarfile.SYMTYPE, link[1]
            tar.addfile(info)
    return path


def test_unpack_keeps_times_and_modes_and_returns_the_top(tmp_path: Path) -> None:
    archive = make_archive(tmp_path / "a.tar.gz", {"p-1/configure": b"#!/bin/sh\n", "p-1/src/a.c": b"int a;"})
    top = unpack(archive, tmp_path / "out")
    assert top == tmp_path / "out" / "p-1"
    assert (top / "src" / "a.c").read_bytes() == b"int a;"
    assert (top / "configure").stat().st_mtime == 1_500_000_000
    assert os.access(top / "configure", os.X_OK)


@pytest.mark.parametrize(
    ("members", "link"),
    [
        ({"../outside": b"x"}, None),
        ({"p/../../outside": b"x"}, None),
        ({"p/inside": b"x"}, ("p/link", "../../outside")),
        ({"p/inside": b"x"}, ("p/link", "/etc/passwd")),
    ],
)
@pytest.mark.parametrize("old_python", [False, True])
def test_unpack_refuses_to_write_elsewhere(
    members: dict[str, bytes],
    link: tuple[str, str] | None,
    old_python: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if old_python:
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    archive = make_archive(tmp_path / "bad.tar.gz", members, link)
    with pytest.raises(ToolLimit):
        unpack(archive, tmp_path / "deep" / "out")
    assert not list(tmp_path.rglob("outside"))


def test_unpack_without_the_filter_of_newer_pythons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    archive = make_archive(tmp_path / "a.tar.gz", {"p/a": b"1", "p/b/c": b"2"}, ("p/l", "a"))
    assert (unpack(archive, tmp_path / "out") / "l").read_bytes() == b"1"


@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x1f\x8b\x08\x00truncated"])
def test_a_broken_archive_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken.tar.gz").write_bytes(content)
    with pytest.raises(ToolLimit, match=r"broken\.tar\.gz cannot be unpacked"):
        unpack(tmp_path / "broken.tar.gz", tmp_path / "out")


def test_the_cache_gives_only_the_pinned_archive(tmp_path: Path) -> None:
    found = tmp_path / "p-1.tar.gz"
    found.write_bytes(b"content")
    digest = hashlib.sha256(b"content").hexdigest()
    with pytest.raises(ToolLimit, match="not the pinned archive"):
        store_archive(found, "p-1", SHA)
    assert cached_archive("p-1", digest) is None
    stored = store_archive(found, "p-1", digest)
    assert stored.is_relative_to(cache_dir()) and cached_archive("p-1", digest) == stored
    stored.write_bytes(b"tampered")
    assert cached_archive("p-1", digest) is None


def test_an_unwritable_cache_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    found = tmp_path / "p"
    found.write_bytes(b"x")
    with pytest.raises(ToolLimit, match="set XDG_CACHE_HOME"):
        store_archive(found, "p", hashlib.sha256(b"x").hexdigest())


def test_a_relative_cache_home_is_ignored() -> None:
    assert cache_dir({"XDG_CACHE_HOME": "relative"}) == Path.home() / ".cache" / "whence" / "sources"


def test_pip_without_an_index_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(ToolLimit, match=r"source distribution nosuchprogram 1\.0 cannot be fetched"):
        fetch_sdist("nosuchprogram", "1.0", SHA)


def test_pip_fetches_an_sdist_without_running_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its setup.py would create a file; the index is a local directory."""
    mark = tmp_path / "was-run"
    setup = (
        f"open({str(mark)!r}, 'w')\nfrom setuptools import setup\nsetup(name='evil-prog', version='1.0')\n"
    )
    info = "Metadata-Version: 2.1\nName: evil-prog\nVersion: 1.0\n"
    index = tmp_path / "index"
    index.mkdir()
    members = {"evil_prog-1.0/setup.py": setup.encode(), "evil_prog-1.0/PKG-INFO": info.encode()}
    archive = make_archive(index / "evil_prog-1.0.tar.gz", members)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    fetched = fetch_sdist("evil-prog", "1.0", digest)
    assert fetched.read_bytes() == archive.read_bytes()
    assert not mark.exists()


def test_a_client_that_fails_is_quoted(tmp_path: Path) -> None:
    script = "import sys; print('noise'); print('E: no such host'); print('more'); sys.exit(3)"
    with pytest.raises(ToolLimit, match="the thing cannot be fetched: E: no such host"):
        run_client([sys.executable, "-c", script], tmp_path, "the thing")
    with pytest.raises(ToolLimit, match="cannot be started"):
        run_client([str(tmp_path / "missing")], tmp_path, "the thing")


def test_a_client_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "DOWNLOAD_TIMEOUT", 0.2)
    with pytest.raises(ToolLimit, match="check the network"):
        run_client([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, "the thing")


def test_debian_needs_apt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolLimit, match="apt-get is not installed"):
        fetch_debian_source("bzip2", "1.0.8", SHA)


def test_sources_are_named_for_people() -> None:
    assert str(DebianSource("bzip2", "1.0.8", SHA)) == "bzip2 1.0.8 (Debian source package)"


def test_both_formats_of_apt_sources_become_private_entries(tmp_path: Path) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(
        "# deb http://commented/ bookworm main\n"
        "deb [arch=amd64 signed-by=/k.gpg] http://mirror/debian bookworm main contrib # here\n"
        "deb-src http://mirror/debian bookworm main\n"
        "deb http://other/vendor stable main\n"
        "deb cdrom:/\n"
    )
    (tmp_path / "sources.list.d" / "x.list").write_text("deb http://security/ bookworm-security main\n")
    (tmp_path / "sources.list.d" / "debian.sources").write_text(
        "# comment\nTypes: deb deb-src\nURIs: http://a/debian\n http://b/debian\n"
        "Suites: bookworm bookworm-updates sid\nComponents: main\nSigned-By: /usr/share/key.gpg\n\n"
        "Types: deb\nURIs: http://off/\nSuites: bookworm\nComponents: main\nEnabled: no\n\n"
        "Types: deb-src\nURIs: http://srconly/\nSuites: bookworm\nComponents: main\n"
    )
    lines = private_sources(tmp_path, "bookworm").splitlines()
    assert lines == [
        f"{kind} {entry}"
        for entry in (
            "[arch=amd64 signed-by=/k.gpg] http://mirror/debian bookworm main contrib",
            "http://security/ bookworm-security main",
            "[signed-by=/usr/share/key.gpg] http://a/debian bookworm main",
            "[signed-by=/usr/share/key.gpg] http://a/debian bookworm-updates main",
            "[signed-by=/usr/share/key.gpg] http://b/debian bookworm main",
            "[signed-by=/usr/share/key.gpg] http://b/debian bookworm-updates main",
        )
        for kind in ("deb", "deb-src")
    ]


@pytest.mark.parametrize("text", ["", "deb http://x/ sid main\n", "nonsense\n"])
def test_no_archive_of_this_release_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "sources.list").write_text(text)
    with pytest.raises(ToolLimit, match="configures no archive of the release 'bookworm'"):
        private_sources(tmp_path, "bookworm")
