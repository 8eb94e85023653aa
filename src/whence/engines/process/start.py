"""Warm starts: start plans for the native launcher, and runs that it hands over.

The command ``whence`` is a small native program (``launcher/``). It starts a program without Python when a
*start plan* serves the command line. A plan is written here, after a run that went well; `Request` says for
which key. The launcher hands over what it cannot end alone, a program that runs or a record to be read:
`Resumed`. Both come in variables of the environment (`take`).

A plan is the key's text and then a sequence of strings, each ended by a zero byte:

====================  ===================================================================================
``F``\\ path, identity  a file (or a folder, or the absence of one) that the plan was made from
``G``\\ path, identity  likewise an entry of the cache, which is marked as used
``C``\\ path, numbers   the cache's lock file, and the bytes of it to lock
``I``\\ path            the program to execute
``E``\\ NAME=VALUE      a variable to set; ``\\1`` stands for the run's folder, ``\\2`` for the launcher's pid
``D``\\ name            a folder to make in the run's folder
``L``\\ name, target    a symbolic link to make there
``S``                 the launcher listens on the socket ``service`` there
``N``\\ text            what a clean run says on standard error
``.``                 the end
====================  ===================================================================================
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import NamedTuple

KEY_VARIABLE = "WHENCE_START"
STATE_VARIABLE = "WHENCE_STARTED"

_FOLDER, _PID = "\1", "\2"
_OWN = ("record", "service")


class Request(NamedTuple):
    """A plan that the launcher could use: its key's text, how many words that covers, where it is kept."""

    text: bytes
    words: int
    name: str
    folder: Path


class Resumed(NamedTuple):
    """A run that the launcher began.

    child: the program's process number, 0 if it has ended with `status` (as waitpid gives it).
    service: the descriptor of the listening socket, -1 for none. folder: the run's.
    """

    child: int
    status: int
    service: int
    folder: Path


def take(environment: MutableMapping[str, str]) -> tuple[Request | None, Resumed | None]:
    """What the launcher says, taken out of the environment so that no program sees it."""
    asked, begun = environment.pop(KEY_VARIABLE, None), environment.pop(STATE_VARIABLE, None)
    request = resumed = None
    with contextlib.suppress(ValueError, OSError):
        if asked is not None:
            descriptor, words, name, folder = asked.split(" ", 3)
            request = Request(_content(int(descriptor)), int(words), name, Path(folder))
    if begun is not None:
        child, status, service, folder = begun.split(" ", 3)
        resumed = Resumed(int(child), int(status), int(service), Path(folder))
    return request, resumed


def _content(descriptor: int) -> bytes:
    try:
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def resumed_folder(resumed: Resumed) -> Iterator[str]:
    """The folder that the launcher made; it is removed at the end."""
    try:
        yield str(resumed.folder)
    finally:
        shutil.rmtree(resumed.folder, ignore_errors=True)


class Plan:
    """What a run was started with, taken down at its start."""

    def __init__(self, image: Path, own: Mapping[str, str], folder: Path, *, serves: bool) -> None:
        place, number = str(folder), f"reader={os.getpid()}"
        values = (f"{name}={value}".replace(place, _FOLDER) for name, value in own.items())
        self._lines = [f"I{image.absolute()}"]
        self._lines += [f"E{value.replace(number, f'reader={_PID}')}" for value in values]
        self._lines += _places(folder)
        if serves:
            self._lines.append("S")

    def write(
        self,
        request: Request,
        *,
        files: Iterable[Path],
        entries: Iterable[Path],
        locks: tuple[Path, Iterable[int]],
        notes: str,
    ) -> None:
        """Keep it for the next run; without a word where that cannot be done: it costs time, and no more.

        files: what the run was made from. entries: files of the cache; locks: its lock file and the bytes
        that hold them. notes: the text of the run's report, empty for none.
        """
        lines = [line for path in files for line in (f"F{path}", identity(path, changed=True))]
        lines += [line for path in entries for line in (f"G{path}", identity(path, changed=False))]
        lines += [f"C{locks[0]}", " ".join(map(str, locks[1]))]
        lines += [*self._lines, *([f"N{notes}"] if notes else []), "."]
        content = request.text + b"".join(os.fsencode(line) + b"\0" for line in lines)
        draft = request.folder / f".{request.name}.{os.getpid()}"
        with contextlib.suppress(OSError):
            request.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                draft.write_bytes(content)
                draft.chmod(0o600)
                draft.replace(request.folder / request.name)
            finally:
                draft.unlink(missing_ok=True)


def _places(folder: Path) -> Iterator[str]:
    """The folders and links that stand in a run's folder."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            yield f"L{name}"
            yield str(path.readlink())
        elif path.is_dir():
            yield f"D{name}"


def identity(path: Path, *, changed: bool) -> str:
    """What tells a file from another and from its earlier contents; with or without the time of change.

    The launcher compares it: ``launcher/start.c``.
    """
    try:
        status = path.stat()
    except OSError:
        return "-"
    words = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns]
    return " ".join(map(str, [*words, status.st_ctime_ns] if changed else words))
