"""The cache of generated code, addressed by content.

An entry's name is the digest of everything it was made from, so entries are
never wrong and never updated; two runs that fill the cache at once write the
same bytes, each under a temporary name, and rename. A cache that cannot be
written costs time and nothing else: a private directory takes its place for
the run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whence.errors import ToolLimit

VARIABLE = "WHENCE_CACHE"


def default_directory() -> Path:
    """``$WHENCE_CACHE``, else ``whence`` in the user's cache directory."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "whence")


def digest(*parts: str | bytes) -> str:
    """64 hex digits that stand for the parts and for their number and order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()


class Cache:
    """Entries of several kinds (one directory each). `notes` says what was wrong with the directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.notes: list[str] = []
        self._spare: Path | None = None

    def find(self, kind: str, key: str) -> Path | None:
        """The entry, None if there is none."""
        for base in filter(None, (self.directory, self._spare)):
            path = base / kind / key
            if path.is_file():
                return path
        return None

    def add(self, kind: str, key: str, content: bytes) -> Path:
        """Keep an entry; raises `ToolLimit` if not even the temporary directory takes it."""
        with self.reserve(kind, key) as path:
            path.write_bytes(content)
        return self._at(kind, key)

    @contextmanager
    def reserve(self, kind: str, key: str) -> Iterator[Path]:
        """A temporary path that becomes the entry at the end of the block.

        With an error inside the block nothing is kept. A full or unwritable
        cache is noticed here and replaced (`notes`).
        """
        base = self._writable(kind)
        scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=base / kind))
        try:
            path = scratch / key
            yield path
            os.replace(path, base / kind / key)
        except OSError as error:
            raise ToolLimit(
                f"{base}: cannot keep generated code: {error.strerror}; free some space or set {VARIABLE}"
            ) from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def close(self) -> None:
        """Remove the directory that replaced the cache, if there was one."""
        if self._spare is not None:
            shutil.rmtree(self._spare, ignore_errors=True)
            self._spare = None

    def _at(self, kind: str, key: str) -> Path:
        found = self.find(kind, key)
        if found is None:
            raise ToolLimit(f"{self.directory}: an entry vanished while it was in use; run again")
        return found

    def _writable(self, kind: str) -> Path:
        if self._spare is None:
            try:
                _probe(self.directory, kind)
                return self.directory
            except OSError as error:
                self.notes.append(
                    f"the cache {self.directory} cannot be written ({error.strerror}); "
                    f"instrumented code is not kept for the next run (set {VARIABLE} to choose another place)"
                )
                self._spare = _spare_directory()
        (self._spare / kind).mkdir(exist_ok=True)
        return self._spare


def _probe(directory: Path, kind: str) -> None:
    """Raise `OSError` unless a page can be written; refuse what others could have written."""
    (directory / kind).mkdir(parents=True, exist_ok=True, mode=0o700)
    status = directory.stat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise OSError(0, "it belongs to, or can be written by, another user", str(directory))
    with tempfile.TemporaryFile(dir=directory / kind) as file:
        file.write(bytes(4096))
        file.flush()


def _spare_directory() -> Path:
    for place in (None, "/dev/shm"):
        with contextlib.suppress(OSError):
            path = Path(tempfile.mkdtemp(prefix="whence-", dir=place))
            (path / "probe").write_bytes(bytes(4096))
            return path
    raise ToolLimit(
        f"no directory can be written for generated code; set {VARIABLE} or TMPDIR to one that can"
    )
