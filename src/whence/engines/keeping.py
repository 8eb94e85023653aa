"""What a first run keeps for a second one, if there is one: what the kernel and clocks answered it, and which
functions it entered.

The runtime writes both beside the record (`whence.abi.calls`, `whence.abi.entered`) where there is a finding.
The record's folder ends with the run, so the files are taken from there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from whence.abi import calls, entered

_WORDS = {
    "ASTRAY": "it made other system calls",
    "FULL": f"only the first {calls.FILE_SIZE >> 20} MiB of the kernel's answers were kept",
}


class Kept:
    """What a run leaves for a second one. calls: the file of answers, None if there is none. entered: the
    functions that were entered, None if that is not known. answers: whether it is to leave answers."""

    calls: Path | None = None
    entered: entered.Entered | None = None

    def __init__(self, answers: bool = True) -> None:
        self.answers = answers

    def take(self, record: Path, child: int | None) -> None:
        """Takes what stands beside a record, before it is gone: of its first process, or of a child."""
        with contextlib.suppress(OSError):
            files = record.parent.glob(f"{record.name}{entered.SUFFIX}.*")
            self.entered = entered.read(each.read_bytes() for each in files)
        source = f"{record}{calls.SUFFIX}" + ("" if child is None else f".{child}")
        if not os.path.exists(source):
            return
        import tempfile  # only after findings, as the next one

        from whence.toolchain.removal import remove_tree

        folder = Path(tempfile.mkdtemp(prefix="whence-repeat-"))
        try:
            os.replace(source, folder / "calls")
        except OSError:  # on another file system: the second run gets no answers
            remove_tree(folder)
            return
        self.calls = folder / "calls"

    def give(self) -> Path | None:
        """The file for the second run, of which the first process gets the answers."""
        if self.calls is not None:
            with open(self.calls, "r+b") as file:
                file.truncate(calls.FILE_SIZE)
                file.write(bytes(4))  # its owner
        return self.calls

    def astray(self) -> Sequence[str]:
        """What the second run had otherwise than the first, in words."""
        if self.calls is None:
            return ()
        with open(self.calls, "rb") as file:
            flags = calls.HEADER.unpack(file.read(calls.HEADER.size))["flags"]
        return [words for name, words in _WORDS.items() if flags & calls.FLAGS[name]]

    def drop(self) -> None:
        """Removes it."""
        if self.calls is not None:
            from whence.toolchain.removal import remove_tree

            remove_tree(self.calls.parent)
