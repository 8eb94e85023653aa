"""The cache of generated code, addressed by content.

An entry's name is the digest of everything it was made from, so entries are
never wrong and never updated; two runs that fill the cache at once write the
same bytes, each under a temporary name, and rename. An entry that a run has
found stays until the run is over (`cache_locks`); a run that added entries
prunes the cache to its bound at its end (`cache_prune`). A cache that cannot
be written, or that others could have written (`cache_trust`), costs time and
nothing else: a private directory takes its place for the run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.abi import places, variables
from whence.errors import ToolLimit, WhenceError
from whence.shortage import remedy
from whence.toolchain import cache_files as files
from whence.toolchain.cache_locks import Locks, byte_of
from whence.toolchain.cache_prune import DEFAULT_SIZE, SIZE_VARIABLE, parse_size, prune
from whence.toolchain.cache_trust import distrust

_ROOM = 64 << 20
"""Bytes that a directory should have free to take the place of the cache."""


def default_directory() -> Path:
    """``$WHENCE_CACHE``, else ``whence`` in the user's cache directory; in /tmp for a user without a home."""
    chosen = os.environ.get(variables.CACHE)
    if chosen:
        return Path(chosen).absolute()
    for variable, below in places.BASES:
        base = os.environ.get(variable, "")
        if os.path.isabs(base):  # others are to be ignored, says the specification
            return Path(base, below)
    return _listed_home() or Path(tempfile.gettempdir(), f"whence-{os.geteuid()}")


def home_directory() -> Path | None:
    """The cache in the home directory that the user has by the list of users, where another one is chosen.

    None where that is the default, and for a cache that ``$WHENCE_CACHE`` names: that one stands alone.
    """
    path = None if os.environ.get(variables.CACHE) else _listed_home()
    return path if path != default_directory() else None


def _listed_home() -> Path | None:
    """The cache in the home directory by the list of users."""
    try:
        home = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return None
    return Path(home, places.HOME) if os.path.isabs(home) else None


def default_limit() -> int:
    """``$WHENCE_CACHE_SIZE`` in bytes, else 5 GiB; raises `UserMistake` if it is no size."""
    text = os.environ.get(SIZE_VARIABLE)
    return parse_size(text, SIZE_VARIABLE) if text else DEFAULT_SIZE


def digest(*parts: str | bytes) -> str:
    """64 hex digits that stand for the parts and for their number and order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()


class Cache:
    """Entries of several kinds (one directory each).

    `limit`: bytes that are kept at most when it is closed, None for no bound.
    `behind`: another directory; what is missing here and stands there is copied, so that tests with a
    home directory of their own find what was instrumented before. `notes`: what was wrong with the directory.
    `added`: how many entries it has got.
    """

    def __init__(self, directory: Path, limit: int | None = None, behind: Path | None = None) -> None:
        self.directory = directory
        self.limit = limit
        self.notes: list[str] = []
        self._behind = None if behind is None else Cache(behind)
        self._locks = Locks(directory)
        self._spare: Path | None = None
        self.added = 0
        self._trust: dict[str, bool] = {}
        self._used: dict[str, Path] = {}

    @classmethod
    def of_user(cls, limit: int | None = None) -> Cache:
        """The user's cache, with the one in the user's home behind it; `limit`: None for the default."""
        return cls(default_directory(), default_limit() if limit is None else limit, home_directory())

    def find(self, kind: str, key: str) -> Path | None:
        """The entry, None if there is none; it stays until `close`."""
        return self._find(kind, key) or self._copied(kind, key)

    def _copied(self, kind: str, key: str) -> Path | None:
        """A copy of the entry of the cache behind this one, None if that has none."""
        found = None if self._behind is None else self._behind.find(kind, key)
        if found is None:
            return None
        try:
            content, mode = files.content(found), found.stat().st_mode
        except OSError:
            return None

        def write(path: Path) -> None:
            path.write_bytes(content)
            path.chmod(mode)

        return self.make(kind, key, write)

    def _find(self, kind: str, key: str) -> Path | None:
        if self._spare is not None and (self._spare / kind / key).is_file():
            return self._spare / kind / key
        path = self.directory / kind / key
        if not self._trusted(kind) or not os.path.lexists(path) or not self._locks.share(f"{kind}/{key}"):
            return None
        try:
            reason = files.check(path)
        except OSError:
            return None  # removed meanwhile, or unreadable: made anew
        if reason is None:
            files.touch(path)
            self._used[f"{kind}/{key}"] = path
            return path
        if reason != files.DAMAGED:
            self._note(f"{path} is not used, because it {reason}")
        return None

    def read(self, kind: str, key: str) -> bytes | None:
        """What an entry holds, None if there is none."""
        path = self.find(kind, key)
        try:
            return None if path is None else files.content(path)
        except OSError:
            return None

    def add(self, kind: str, key: str, content: bytes) -> Path:
        """Keep an entry; raises `ToolLimit` if not even the temporary directory takes it."""
        return self.make(kind, key, lambda path: _write(path, content))

    def make(self, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        """Keep the entry that `write` makes at the path it is given.

        With an error nothing is kept. A cache that is full or turns out not to
        be writable is replaced (`notes`), so `write` may be called twice: an
        error of its own comes both times, and shows nothing about the cache.
        Raises `ToolLimit` if there is room nowhere, and what `write` raises.
        """
        if self._spare is None and not self._trusted(kind):
            self._spare = _spare_directory()
        if self._spare is not None:
            return self._store_aside(self._spare, kind, key, write)
        try:
            path = self._store(self.directory, kind, key, write)
        except (OSError, WhenceError) as error:
            return self._replace(_because(error), kind, key, write)
        self.added += 1
        self._used[f"{kind}/{key}"] = path
        return path

    @property
    def keeps(self) -> bool:
        """Whether entries stay for other runs; `notes` says why not."""
        return self._spare is None

    def used(self) -> list[Path]:
        """The entries of the directory that were found or made, not those that stand aside."""
        return list(self._used.values())

    def held(self) -> tuple[Path, list[int]]:
        """The lock file, and the bytes of it that stand for the entries of `used`."""
        return self._locks.path, [byte_of(name) for name in self._used]

    def close(self) -> None:
        """Give up what is in use, keep the bound, remove the directory that replaced the cache."""
        self._locks.close()
        if self._behind is not None:
            self._behind.close()
        if self.added and self.limit is not None:
            prune(self.directory, self.limit)
        if self._spare is not None:
            _remove(self._spare)
            self._spare = None

    def _trusted(self, kind: str) -> bool:
        """Whether no other user could have written entries of that kind; a note says so once if not."""
        if kind not in self._trust:
            reason = distrust(self.directory / kind)
            self._trust[kind] = reason is None
            if reason is not None:
                self._note(
                    f"the cache {self.directory} is not used, because {reason} "
                    f"(repair that, or set {variables.CACHE} to choose another place)"
                )
        return self._trust[kind]

    def _store(self, base: Path, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        """Make an entry below `base`; raises `OSError` and what `write` raises."""
        folder = base / kind
        _make_folders(folder)
        shared = base == self.directory
        with _scratch(folder, self._locks if shared else None) as scratch:
            path = scratch / key
            write(path)
            files.seal(path)
            if shared:
                self._hold(f"{kind}/{key}")
            os.replace(path, folder / key)
        return folder / key

    def _hold(self, name: str) -> None:
        """Keep an entry from being pruned; who is just removing it needs a moment."""
        for _ in range(_PATIENCE):
            if self._locks.share(name):
                return
            time.sleep(0.002)

    def _store_aside(self, spare: Path, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        try:
            return self._store(spare, kind, key, write)
        except OSError as error:
            raise ToolLimit(
                f"{spare}: cannot keep generated code: {remedy(error) or error.strerror}"
            ) from error

    def _replace(self, reason: str, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        """Keep an entry and all that follow elsewhere; the cache stays if it cannot be made there either."""
        spare = _spare_directory()
        try:
            path = self._store_aside(spare, kind, key, write)
        except WhenceError:
            _remove(spare)
            raise
        self._spare = spare
        self._note(
            f"the cache {self.directory} cannot be written ({reason}); "
            f"instrumented code is not kept for the next run (set {variables.CACHE} to choose another place)"
        )
        return path

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)


_PATIENCE = 100
"""Attempts to hold an entry that somebody is removing."""


@contextmanager
def _scratch(folder: Path, locks: Locks | None) -> Iterator[Path]:
    """A temporary directory in `folder`; its lock keeps other runs from removing it as a leftover."""
    name = f"{files.SCRATCH_PREFIX}{secrets.token_hex(8)}"
    if locks:
        locks.share(f"{folder.name}/{name}")
    path = folder / name
    path.mkdir(mode=0o700)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if locks:
            locks.release(f"{folder.name}/{name}")


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _because(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _make_folders(path: Path) -> None:
    """Make a directory and those above it, for us alone."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def _remove(folder: Path) -> None:
    """As far as it goes; with one directory open at a time, where rmtree needs more descriptors."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            path = folder / name
            if path.is_dir() and not path.is_symlink():
                _remove(path)
            else:
                path.unlink()
        folder.rmdir()


def _spare_directory() -> Path:
    """A private directory where there is room; it is the caller's to remove."""
    made = []
    for place in (None, "/dev/shm"):
        with contextlib.suppress(OSError):
            path = Path(tempfile.mkdtemp(prefix="whence-", dir=place))
            made.append(path)
            (path / "probe").write_bytes(bytes(4096))
            if shutil.disk_usage(path).free >= _ROOM:
                break
    best = max(made, key=lambda path: shutil.disk_usage(path).free, default=None)
    for path in made:
        if path != best:
            _remove(path)
    if best is None:
        raise ToolLimit(
            f"no directory can be written for generated code; set {variables.CACHE} or TMPDIR to one that can"
        )
    return best
