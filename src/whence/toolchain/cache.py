"""The cache of generated code, addressed by content.

An entry's name is the digest of all its inputs, so entries never go stale and
are never updated; two runs that fill the cache at once write the same bytes,
each under a temporary name, and rename. The entries that a run uses stay until
the run ends (`cache_locks`); a run that added entries then prunes the cache to
its limit (`cache_prune`). A private directory replaces, for one run, a cache
that is not writable or that other users could have written (`cache_trust`); the
run is slower, and its entries are lost.
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
from whence.errors.shortage import remedy
from whence.toolchain import cache_files as files
from whence.toolchain.cache_locks import Locks, byte_of
from whence.toolchain.cache_prune import DEFAULT_SIZE, SIZE_VARIABLE, parse_size, prune
from whence.toolchain.cache_trust import distrust
from whence.toolchain.removal import remove_tree

_ROOM = 64 << 20
"""The free space, in bytes, that a directory should have to replace the cache."""


def default_directory() -> Path:
    """``$WHENCE_CACHE``, else ``whence`` in the user's cache directory; in /tmp for a user without a home."""
    chosen = os.environ.get(variables.CACHE)
    if chosen:
        return Path(chosen).absolute()
    for variable, below in places.BASES:
        base = os.environ.get(variable, "")
        if os.path.isabs(base):  # the XDG specification says to ignore relative paths
            return Path(base, below)
    return _listed_home() or Path(tempfile.gettempdir(), f"whence-{os.geteuid()}")


def home_directory() -> Path | None:
    """The cache in the user's home directory by the password database, as the fallback of the default cache.

    None if it is the default cache itself, or if ``$WHENCE_CACHE`` names the cache, which has no fallback.
    """
    path = None if os.environ.get(variables.CACHE) else _listed_home()
    return path if path != default_directory() else None


def _listed_home() -> Path | None:
    """The cache in the user's home directory by the password database."""
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
    """The SHA-256, in hex, of the parts with their sizes and order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()


class Cache:
    """Entries of several kinds (one directory each).

    `limit`: the largest size in bytes after `close`, None for no limit. `fallback`: another cache directory,
    from which missing entries are copied, so that a program with another home directory finds earlier
    entries. `notes`: sentences about problems of the directory. `added`: the number of new entries.
    """

    def __init__(self, directory: Path, limit: int | None = None, fallback: Path | None = None) -> None:
        self.directory = directory
        self.limit = limit
        self.notes: list[str] = []
        self._fallback = None if fallback is None else Cache(fallback)
        self._locks = Locks(directory)
        self._spare: Path | None = None
        self.added = 0
        self._trust: dict[str, bool] = {}
        self._used: dict[str, Path] = {}

    @classmethod
    def of_user(cls, limit: int | None = None) -> Cache:
        """The user's cache, with that of the home directory as fallback; `limit`: None for the default."""
        return cls(default_directory(), default_limit() if limit is None else limit, home_directory())

    def find(self, kind: str, key: str) -> Path | None:
        """The path of the entry, None if there is none; the entry stays until `close`."""
        return self._find(kind, key) or self._copied(kind, key)

    def _copied(self, kind: str, key: str) -> Path | None:
        """A copy of the entry of the fallback, None if that has none."""
        found = None if self._fallback is None else self._fallback.find(kind, key)
        if found is None:
            return None
        try:
            return self.copy(kind, key, found)
        except OSError:
            return None

    def copy(self, kind: str, key: str, entry: Path) -> Path:
        """Adds an entry with the content of another one; raises `OSError` if that cannot be read."""
        content, mode = files.content(entry), entry.stat().st_mode

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
            return None  # removed meanwhile, or unreadable: the caller makes it again
        if reason is None:
            files.touch(path)
            self._used[f"{kind}/{key}"] = path
            return path
        if reason != files.DAMAGED:
            self._note(f"{path} is not used, because it {reason}")
        return None

    def folder(self, kind: str) -> Path | None:
        """The folder of entries of a kind, for readers that do without `find`; None if it is not trusted."""
        return self.directory / kind if self._spare is None and self._trusted(kind) else None

    def read(self, kind: str, key: str) -> bytes | None:
        """The content of an entry, None if there is none."""
        path = self.find(kind, key)
        try:
            return None if path is None else files.content(path)
        except OSError:
            return None

    def add(self, kind: str, key: str, content: bytes) -> Path:
        """Adds an entry; raises `ToolLimit` if not even a temporary directory has room."""
        return self.make(kind, key, lambda path: _write(path, content))

    def make(self, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        """Adds the entry that `write` makes at a path that it gets.

        An error leaves no entry. A private directory replaces a cache that is
        full or not writable (`notes`), so `write` may be called twice: its own
        errors occur both times, and leave the cache in place. Raises `ToolLimit`
        if no directory has room, and the errors of `write`.
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
        """Whether later runs find the entries; `notes` says why not."""
        return self._spare is None

    def used(self) -> list[Path]:
        """The entries of the cache directory that this run found or made."""
        return list(self._used.values())

    def lock_bytes(self) -> tuple[Path, list[int]]:
        """The lock file, and the offsets of its bytes that lock the entries of `used`."""
        return self._locks.path, [byte_of(name) for name in self._used]

    def close(self) -> None:
        """Releases all entries, prunes the cache to its limit, and removes the directory that replaced it."""
        self._locks.close()
        if self._fallback is not None:
            self._fallback.close()
        if self.added and self.limit is not None:
            prune(self.directory, self.limit)
        if self._spare is not None:
            remove_tree(self._spare)
            self._spare = None

    def _trusted(self, kind: str) -> bool:
        """Whether only the user can write entries of that kind; otherwise adds a note."""
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
        """Makes an entry below `base`; raises `OSError` and the errors of `write`.

        One of the same content that another process has made meanwhile stays: it may run by now, and frames
        in a file that is replaced have no names.
        """
        folder = base / kind
        _make_folders(folder)
        shared = base == self.directory
        with _scratch(folder, self._locks if shared else None) as scratch:
            path = scratch / key
            write(path)
            files.seal(path)
            if shared:
                self._lock(f"{kind}/{key}")
            if not files.is_same(folder / key, path):
                os.replace(path, folder / key)
        return folder / key

    def _lock(self, name: str) -> None:
        """Locks an entry against pruning; retries while another process removes an entry of this name."""
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
        """Adds this entry and all later ones to a private directory, unless that fails, too."""
        spare = _spare_directory()
        try:
            path = self._store_aside(spare, kind, key, write)
        except WhenceError:
            remove_tree(spare)
            raise
        self._spare = spare
        self._note(
            f"instrumented code is not kept for the next run: the cache {self.directory} cannot be written "
            f"({reason}); {variables.CACHE} chooses another place"
        )
        return path

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)


_PATIENCE = 100
"""Attempts to lock an entry that another process is removing, 2 ms apart."""


@contextmanager
def _scratch(folder: Path, locks: Locks | None) -> Iterator[Path]:
    """A temporary directory in `folder`, locked so that pruning does not remove it as a leftover."""
    name = f"{files.SCRATCH_PREFIX}{secrets.token_hex(8)}"
    if locks:
        locks.share(f"{folder.name}/{name}")
    path = folder / name
    path.mkdir(mode=0o700)
    try:
        yield path
    finally:
        remove_tree(path)
        if locks:
            locks.release(f"{folder.name}/{name}")


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _because(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _make_folders(path: Path) -> None:
    """Makes a directory and its missing parents, accessible to the user only."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def _spare_directory() -> Path:
    """A new private directory with enough room, or the most room; the caller must remove it."""
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
            remove_tree(path)
    if best is None:
        raise ToolLimit(
            f"no directory can be written for generated code; set {variables.CACHE} or TMPDIR to one that can"
        )
    return best
