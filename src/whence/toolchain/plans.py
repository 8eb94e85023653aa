"""Plans: what was found out once, written down for the native commands (``launcher/``).

A plan is a file in the cache, whose lines `whence.abi.plans` describes. Every plan names the files that it
was made from, each with its `identity`, and the native command uses it only as long as they are unchanged.
`whence.engines.start` writes those for ``whence run``, `whence.toolchain.cc_plan` those for ``whence-cc``.

Compiler runs import this: keep to builtins, `os` and `whence.abi`.
"""

from __future__ import annotations

import os

from whence.abi import plans as abi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Request:
    """A plan that a native command could use.

    text: its key's. words, name, folder: as in `whence.abi.plans.REQUEST`.
    """

    __slots__ = ("folder", "name", "text", "words")

    def __init__(self, text: bytes, words: int, name: str, folder: str) -> None:
        self.text = text
        self.words = words
        self.name = name
        self.folder = folder


def request(value: str) -> Request:
    """The request in the variable that a native command sets; closes the descriptor that it names.

    Raises `ValueError` or `OSError` if it is none.
    """
    said = abi.words(abi.REQUEST, value)
    return Request(_content(int(said["descriptor"])), int(said["words"]), said["name"], said["folder"])


def _content(descriptor: int) -> bytes:
    try:
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    finally:
        os.close(descriptor)


def identity(path: str | os.PathLike[str], *, changed: bool) -> str:
    """A file's identity and version, ``-`` for none; `changed`: with the time of its last change of status.

    The native commands compare it: ``launcher/plan.c``.
    """
    try:
        status = os.stat(path)
    except OSError:
        return "-"
    names = {**abi.IDENTITY, **abi.CHANGED} if changed else abi.IDENTITY
    return " ".join(str(getattr(status, name)) for name in names)


def made_from(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The lines that name the files a plan was made from."""
    return abi.Plan.FILE.pairs((os.fspath(path), identity(path, changed=True)) for path in paths)


def write(asked: Request, lines: Iterable[str]) -> None:
    """Write the plan, without a word where that cannot be done: it costs time, and no more."""
    draft = os.path.join(asked.folder, f".{asked.name}.{os.getpid()}")
    text = asked.text + b"".join(os.fsencode(line) + b"\0" for line in (*lines, *abi.Plan.END.line("")))
    try:
        os.makedirs(asked.folder, mode=0o700, exist_ok=True)
        _write_new(draft, text)
        os.replace(draft, os.path.join(asked.folder, asked.name))
    except OSError:
        _remove(draft)


def _write_new(path: str, text: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
