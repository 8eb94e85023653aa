"""Reading suppression files of any format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from whence.errors import UserMistake
from whence.suppressions import native, sanitizer, valgrind
from whence.suppressions.model import SuppressionFile, Suppressions

MAX_BYTES = 64 << 20
_SANITIZER = re.compile(r"[A-Za-z][A-Za-z0-9_-]*:")


def load(paths: Iterable[str | os.PathLike[str]]) -> Suppressions:
    """The entries of several files, in their order; raises `UserMistake` for what it cannot read."""
    return Suppressions.of(load_file(path) for path in paths)


def load_file(path: str | os.PathLike[str]) -> SuppressionFile:
    """One file, in the format that its first line is of."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserMistake(f"{path}: cannot read the suppressions: {reason}") from None
    if len(data) > MAX_BYTES:
        raise UserMistake(f"{path}: more than {MAX_BYTES >> 20} MiB: this is no file of suppressions")
    return parse(data.decode(errors="surrogateescape").removeprefix("\ufeff"), os.fspath(path))


def parse(text: str, path: str) -> SuppressionFile:
    """Text of any format; `path` is for messages."""
    stripped = (line.strip() for line in text.split("\n"))
    number, first = next(
        ((n, line) for n, line in enumerate(stripped, 1) if line and not line.startswith("#")), (0, "")
    )
    if first == "{":
        return valgrind.parse(text, path)
    if _SANITIZER.match(first):
        return sanitizer.parse(text, path)
    if not first or first.split()[0] == "suppress":
        return native.parse(text, path)
    raise UserMistake(
        f"{path}:{number}: cannot tell what kind of suppressions this is from '{first[:40]}': expected "
        "'suppress NAME' (whence), '{' (Valgrind) or 'leak:…' (AddressSanitizer, LeakSanitizer)"
    )
