"""The cache: entries by content, and what happens when it cannot be written or trusted."""

from __future__ import annotations

import errno
import multiprocessing
import os
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.errors import ToolLimit, UserMistake
from whence.toolchain import cache as module
from whence.toolchain.cache import Cache, default_directory, default_limit, digest
from whence.toolchain.cache_files import content, entries
from whence.toolchain.cache_prune import format_size, parse_size, prune

ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root can give files away")
KEY = digest("key")
FORK = multiprocessing.get_context("fork")


def aged(cache: Path, *names: str, size: int = 10_000) -> list[Path]:
    """Entries of 12288 bytes on disk each, the first one used longest ago."""
    made = []
    for age, name in enumerate(reversed(names)):
        with closing(Cache(cache)) as filled:
            path = filled.add("objects", digest(name), bytes(size))
        used = time.time() - 1000 * (age + 1)
        os.utime(path, (used, used))
        made.append(path)
    return made[::-1]


# ---- entries ----------------------------------------------------------------------------------------


def test_an_entry_is_found_again(tmp_path: Path) -> None:
    path = Cache(tmp_path / "c").add("objects", KEY, b"content")
    assert Cache(tmp_path / "c").find("objects", KEY) == path
    assert Cache(tmp_path / "c").read("objects", KEY) == b"content" == content(path)
    assert Cache(tmp_path / "c").find("images", KEY) is None


def test_digest_tells_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("a") == digest(b"a")


CHECKS = """
import sys
from pathlib import Path
from whence.engines.kept_rules import checks_of
from whence.rules import load_standard
from whence.rules.observable import NATIVE
from whence.toolchain.cache import Cache
rules = load_standard().select(disable=sys.argv[2:])
print(checks_of(rules, NATIVE, Cache(Path(sys.argv[1]))).digest)
"""


def test_rule_sets_with_the_same_checks_share_objects_in_all_processes(tmp_path: Path) -> None:
    """The order in which a process has sets was part of the digest of checks, and so of the objects' keys."""

    def checks(seed: str, *disabled: str) -> str:
        words = [sys.executable, "-c", CHECKS, str(tmp_path / seed), *disabled]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(words, env=environment, capture_output=True, check=True, text=True).stdout

    assert checks("1") == checks("2") == checks("3", "double-free")
    assert checks("4", "use-of-uninitialized-value") != checks("1")


def test_an_error_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_bytes(b"half")
        raise ToolLimit("the linker refuses")

    cache = Cache(tmp_path)
    with pytest.raises(ToolLimit, match="the linker refuses"):
        cache.make("objects", KEY, fail)
    cache.close()
    assert cache.find("objects", KEY) is None
    assert list((tmp_path / "objects").iterdir()) == []


def test_two_writers_of_one_entry(tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=Cache(tmp_path).add, args=("o", KEY, b"x" * 100_000)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Cache(tmp_path).read("o", KEY) == b"x" * 100_000
    assert [entry.name for entry in (tmp_path / "o").iterdir()] == [KEY]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[:-1], id="cut off"),
        pytest.param(lambda data: data[:10], id="short"),
        pytest.param(lambda data: bytes(len(data)), id="zeros"),
        pytest.param(lambda data: data + b"\0", id="longer"),
        pytest.param(lambda data: b"\x01" + data[1:], id="first byte"),
    ],
)
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = Cache(tmp_path).add("objects", KEY, b"content" * 100)
    path.write_bytes(damage(path.read_bytes()))
    cache = Cache(tmp_path)
    assert cache.find("objects", KEY) is None
    assert cache.add("objects", KEY, b"content") == path
    assert cache.read("objects", KEY) == b"content" and cache.notes == []


def test_an_entry_of_the_same_content_keeps_its_file(tmp_path: Path) -> None:
    """Two runs of a new program make its image at the same time, and one of them runs it already."""
    first, second = Cache(tmp_path), Cache(tmp_path)
    path = first.add("images", KEY, b"code")
    number = path.stat().st_ino
    assert second.add("images", KEY, b"code") == path and path.stat().st_ino == number
    assert second.add("images", KEY, b"other") == path and path.stat().st_ino != number
    assert first.read("images", KEY) == b"other"
    path.chmod(0o777)
    number = path.stat().st_ino
    assert second.add("images", KEY, b"other") == path and path.stat().st_ino != number
    first.close()
    second.close()


def test_a_directory_or_pipe_in_place_of_an_entry(tmp_path: Path) -> None:
    Cache(tmp_path).add("objects", KEY, b"")
    for make in (os.mkfifo, os.mkdir):
        other = digest(str(make))
        make(tmp_path / "objects" / other)
        assert Cache(tmp_path).find("objects", other) is None


def test_default_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WHENCE_CACHE", str(tmp_path))
    assert default_directory() == tmp_path
    monkeypatch.delenv("WHENCE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert default_directory() == Path("/x/whence")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/h")
    assert default_directory() == Path("/h/.cache/whence")
    monkeypatch.setenv("HOME", "relative")
    home = pwd.getpwuid(os.geteuid()).pw_dir
    assert default_directory() == Path(home, ".cache", "whence")

    def nobody(number: int) -> pwd.struct_passwd:
        raise KeyError(number)

    monkeypatch.setattr(module.pwd, "getpwuid", nobody)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(module.tempfile, "tempdir", None)
    assert default_directory() == tmp_path / f"whence-{os.geteuid()}"


# ---- what cannot be written -------------------------------------------------------------------------


def replaced(cache: Cache, words: str) -> None:
    """The cache takes entries elsewhere, says why once, and leaves nothing there."""
    path = cache.add("objects", KEY, b"content")
    assert content(path) == b"content" and cache.find("objects", KEY) == path
    assert cache.directory not in path.parents
    cache.add("objects", digest("other"), b"")
    assert len(cache.notes) == 1 and words in cache.notes[0], cache.notes
    cache.close()
    assert not path.exists()


def test_a_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("no directory")
    replaced(Cache(tmp_path / "c"), "c is not a directory")


def test_a_full_disk(tmp_path: Path) -> None:
    """What is already there still serves; what is new goes elsewhere."""
    old = Cache(tmp_path).add("objects", digest("old"), b"old")
    cache = Cache(tmp_path)
    calls = []

    def full_at_first(path: Path) -> None:
        calls.append(path)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_bytes(b"content")

    path = cache.make("objects", KEY, full_at_first)
    assert tmp_path not in path.parents and content(path) == b"content"
    assert cache.find("objects", digest("old")) == old
    assert len(cache.notes) == 1 and "No space left on device" in cache.notes[0]
    cache.close()


def test_an_entry_that_can_be_made_nowhere(tmp_path: Path) -> None:
    """Its error is not the cache's: other entries are kept there as before."""
    cache = Cache(tmp_path)
    places = []

    def fails(path: Path) -> None:
        places.append(path)
        raise ToolLimit("cannot relink p: undefined reference to `f'")

    with pytest.raises(ToolLimit, match="cannot relink p"):
        cache.make("objects", KEY, fails)
    assert cache.notes == [] and not any(path.parent.exists() for path in places)
    assert tmp_path in cache.add("objects", digest("other"), b"content").parents
    cache.close()


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", str(place)]
    if not ROOT or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_is_really_full(tiny_disk: Path) -> None:
    cache = Cache(tiny_disk)
    small = cache.add("objects", digest("small"), bytes(50_000))
    large = cache.add("objects", digest("large"), bytes(500_000))
    assert tiny_disk in small.parents and tiny_disk not in large.parents
    assert cache.find("objects", digest("large")) == large
    assert "No space left on device" in cache.notes[0]
    cache.close()
    assert [entry.key for entry in entries(tiny_disk)] == [digest("small")]


def test_a_limit_of_file_sizes(tmp_path: Path) -> None:
    """Where no place takes an entry it is one sentence."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(ToolLimit, match=r"cannot keep generated code: files may not become so long"):
            Cache(tmp_path).add("objects", KEY, bytes(200_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_nowhere_to_write_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c").write_text("")

    def full(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.tempfile, "mkdtemp", full)
    with pytest.raises(ToolLimit, match="no directory can be written"):
        Cache(tmp_path / "c").add("objects", KEY, b"content")


def as_somebody_else(act: Callable[[], None]) -> None:
    """Run `act` in a process without our rights; its assertions are ours."""

    def become() -> None:
        os.setgroups([])
        os.setgid(12345)
        os.setuid(12345)
        act()

    child = FORK.Process(target=become)
    child.start()
    child.join()
    assert child.exitcode == 0


@needs_root
def test_a_read_only_cache_that_root_filled(tmp_path: Path) -> None:
    """An installation's cache: its entries serve everybody, new ones go elsewhere."""
    for folder in (tmp_path, *tmp_path.parents):
        folder.chmod(0o755)
        if folder.name.startswith("pytest-of-"):
            break
    path = Cache(tmp_path / "c").add("objects", KEY, b"content")
    for folder in (tmp_path / "c", tmp_path / "c" / "objects"):
        folder.chmod(0o755)
    path.chmod(0o644)

    def use() -> None:
        cache = Cache(tmp_path / "c", limit=0)
        assert cache.find("objects", KEY) == path
        other = cache.add("objects", digest("other"), b"new")
        assert tmp_path not in other.parents and "Permission denied" in cache.notes[0]
        cache.close()

    as_somebody_else(use)
    assert path.exists()


# ---- what others could have written -----------------------------------------------------------------


def test_a_directory_that_others_can_write(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c").chmod(0o777)
    replaced(Cache(tmp_path / "c"), "c can be written by other users")


def test_a_directory_below_one_that_others_can_write(tmp_path: Path) -> None:
    (tmp_path / "a" / "c").mkdir(parents=True)
    (tmp_path / "a").chmod(0o777)
    replaced(Cache(tmp_path / "a" / "c"), "a can be written by other users")
    (tmp_path / "a").chmod(0o1777)  # as /tmp: nobody else can rename what is ours
    cache = Cache(tmp_path / "a" / "c")
    assert tmp_path in cache.add("objects", KEY, b"").parents and cache.notes == []


def test_a_kind_that_others_can_write(tmp_path: Path) -> None:
    Cache(tmp_path).add("objects", KEY, b"planted")
    (tmp_path / "objects").chmod(0o777)
    cache = Cache(tmp_path)
    assert cache.find("objects", KEY) is None
    assert content(cache.add("objects", KEY, b"mine")) == b"mine" and "other users" in cache.notes[0]
    cache.close()


def test_an_entry_that_others_can_write(tmp_path: Path) -> None:
    path = Cache(tmp_path).add("objects", KEY, b"planted")
    path.chmod(0o666)
    cache = Cache(tmp_path)
    assert cache.find("objects", KEY) is None
    assert cache.notes == [f"{path} is not used, because it can be written by other users"]
    cache.add("objects", KEY, b"mine")
    assert cache.read("objects", KEY) == b"mine"


def test_what_we_write_nobody_else_can(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        cache = Cache(tmp_path / "a" / "b")
        path = cache.make("images", KEY, lambda path: path.touch(0o777))
    finally:
        os.umask(before)
    assert cache.find("images", KEY) == path and cache.notes == []
    for made in (path, *list(path.parents)[:3]):
        assert not made.stat().st_mode & 0o022, made


def test_a_symbolic_link_in_place_of_an_entry(tmp_path: Path) -> None:
    (tmp_path / "planted").write_bytes(Cache(tmp_path / "c").add("objects", KEY, b"x").read_bytes())
    (tmp_path / "c" / "objects" / KEY).unlink()
    (tmp_path / "c" / "objects" / KEY).symlink_to(tmp_path / "planted")
    assert Cache(tmp_path / "c").find("objects", KEY) is None


def test_links_of_our_own_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    cache = Cache(tmp_path / "link" / ".." / "link" / "c")
    cache.add("objects", KEY, b"")
    assert (tmp_path / "real" / "c" / "objects" / KEY).exists() and cache.notes == []
    (tmp_path / "loop").symlink_to("loop")
    replaced(Cache(tmp_path / "loop"), "loop")


@needs_root
def test_a_link_that_another_user_laid_in_tmp(tmp_path: Path) -> None:
    """The link leads to a directory of our own: following it would write where the other user wants."""
    (tmp_path / "victim").mkdir()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    link = tmp_path / "tmp" / "whence-0"
    link.symlink_to(tmp_path / "victim")
    os.lchown(link, 12345, 12345)
    replaced(Cache(link), "the symbolic link")
    assert list((tmp_path / "victim").iterdir()) == []


@needs_root
@pytest.mark.parametrize("what", ["c", "c/objects", f"c/objects/{KEY}"])
def test_what_belongs_to_another_user(tmp_path: Path, what: str) -> None:
    Cache(tmp_path / "c").add("objects", KEY, b"planted")
    os.chown(tmp_path / what, 12345, 12345)
    cache = Cache(tmp_path / "c")
    assert cache.find("objects", KEY) is None
    assert len(cache.notes) == 1 and "belongs to user 12345" in cache.notes[0]
    cache.close()


# ---- the bound --------------------------------------------------------------------------------------


def test_least_recently_used_goes_first(tmp_path: Path) -> None:
    oldest, middle, newest = aged(tmp_path, "1", "2", "3")
    with closing(Cache(tmp_path)) as user:
        assert user.find("objects", oldest.name) == oldest  # used now
    pruned = prune(tmp_path, 2 * 12288)
    assert (pruned.removed, pruned.freed, pruned.left, pruned.busy) == (1, 12288, 24576, 0)
    assert oldest.exists() and newest.exists() and not middle.exists()
    assert prune(tmp_path, 2 * 12288).removed == 0


def test_a_run_that_adds_prunes_at_its_end(tmp_path: Path) -> None:
    oldest, newest = aged(tmp_path, "1", "2")
    only_reads = Cache(tmp_path, limit=12288)
    assert only_reads.find("objects", newest.name)
    only_reads.close()
    assert oldest.exists()
    adds = Cache(tmp_path, limit=2 * 12288)
    path = adds.add("objects", KEY, bytes(10_000))
    adds.close()
    assert path.exists() and newest.exists() and not oldest.exists()


def test_what_is_in_use_stays(tmp_path: Path) -> None:
    used, idle = aged(tmp_path, "1", "2")
    user = Cache(tmp_path)
    assert user.find("objects", used.name)
    made = user.add("images", KEY, b"")
    pruned = prune(tmp_path, 0)
    assert (pruned.removed, pruned.busy) == (1, 2)
    assert used.exists() and made.exists() and not idle.exists()
    user.close()
    assert prune(tmp_path, 0).removed == 2


def test_only_entries_are_removed(tmp_path: Path) -> None:
    """Whatever directory the user names, foreign files in it are safe."""
    aged(tmp_path, "1")
    foreign = [tmp_path / "notes.txt", tmp_path / "objects" / "README", tmp_path / "sources" / "x-1.0" / "a"]
    for path in foreign:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "objects")
    assert prune(tmp_path, 0).removed == 1
    assert all(path.exists() for path in foreign)


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    """An entry in the making is safe while its maker lives."""
    begun, ended = FORK.Event(), FORK.Event()

    def work(path: Path) -> None:
        begun.set()
        ended.wait()

    child = FORK.Process(target=lambda: Cache(tmp_path).make("objects", KEY, work), daemon=True)
    child.start()
    begun.wait()
    prune(tmp_path, 0)
    assert len(list((tmp_path / "objects").iterdir())) == 1
    child.kill()
    child.join()
    assert len(list((tmp_path / "objects").iterdir())) == 1
    prune(tmp_path, 0)
    assert list((tmp_path / "objects").iterdir()) == []


def fill_and_check(directory: Path, seed: int) -> None:
    """What a run does, over and over: find or make, then rely on it."""
    for turn in range(40):
        cache = Cache(directory, limit=5 * 4096)
        for number in range(3):
            name = f"{(seed + turn * 7 + number * 5) % 13}"
            path = cache.find("objects", digest(name)) or cache.add("objects", digest(name), name.encode())
            assert content(path) == name.encode()
        assert cache.notes == []
        cache.close()


def test_processes_that_fill_and_prune_at_once(tmp_path: Path) -> None:
    workers = [FORK.Process(target=fill_and_check, args=(tmp_path, seed)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    prune(tmp_path, 5 * 4096)
    left = list(entries(tmp_path))
    assert 0 < len(left) <= 5
    assert all(Cache(tmp_path).find(entry.kind, entry.key) for entry in left)
    assert not [path for path in (tmp_path / "objects").iterdir() if path.name.startswith(".")]


# ---- sizes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("17", 17), ("1k", 1024), ("1.5 MiB", 3 << 19), ("2GB", 2 << 30), ("1T", 1 << 40), ("5B", 5)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text, "x") == size


@pytest.mark.parametrize("text", ["", "-1", "5X", "G", "1e9", "5 5", "0x10", "1.2.3", "inf", "٣"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UserMistake, match=r"^--size: '.*' is no size \(expected"):
        parse_size(text, "--size")


@given(st.integers(0, 1 << 50))
def test_a_size_that_is_shown_can_be_read(size: int) -> None:
    shown = format_size(size).replace("bytes", "")
    assert abs(parse_size(shown, "x") - size) <= size * 0.06


def test_default_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHENCE_CACHE_SIZE", raising=False)
    assert default_limit() == 5 << 30
    monkeypatch.setenv("WHENCE_CACHE_SIZE", "10M")
    assert default_limit() == 10 << 20
    monkeypatch.setenv("WHENCE_CACHE_SIZE", "much")
    with pytest.raises(UserMistake, match="WHENCE_CACHE_SIZE: 'much' is no size"):
        default_limit()


def test_a_cache_behind_gives_copies(tmp_path: Path) -> None:
    """They are whole entries with their modes, and stay when the cache behind is gone; nothing goes there."""

    def write(path: Path) -> None:
        path.write_bytes(b"image")
        path.chmod(0o755)

    first = Cache(tmp_path / "first")
    first.make("images", KEY, write)
    first.close()
    second = Cache(tmp_path / "second", fallback=tmp_path / "first")
    found = second.find("images", KEY)
    assert found == tmp_path / "second" / "images" / KEY and found.stat().st_mode & 0o777 == 0o755
    second.add("objects", KEY, b"own")
    assert not (tmp_path / "first" / "objects").exists()
    second.close()
    shutil.rmtree(tmp_path / "first")
    assert Cache(tmp_path / "second").read("images", KEY) == b"image"


def test_a_cache_behind_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    first = Cache(tmp_path / "first")
    first.add("images", KEY, b"image")
    first.close()
    (tmp_path / "first").chmod(0o777)
    second = Cache(tmp_path / "second", fallback=tmp_path / "first")
    assert second.find("images", KEY) is None and second.notes == []
