"""Findings while the program runs, for somebody who asks for them: each is given out once.

Whoever watches has a socket that the launcher attends to. What an answer costs is paid by the process that
asked: the others go on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from whence.abi import records
from whence.engines.process.decode import RawFinding, read_records
from whence.engines.process.reading import Reading
from whence.findings import Finding


class Attendant(Protocol):
    """A service with a descriptor that the launcher attends to while the program runs."""

    def fileno(self) -> int:
        """Readable when there is something to do."""

    def attend(self, endings: Callable[[], int]) -> None:
        """Handles it; `endings`: the number of signals so far that request the end of the run."""


class Watcher(Protocol):
    """Who asks: `begin` gets what gives out the findings that are new since its last call."""

    def begin(self, news: Callable[[], tuple[Finding, ...]]) -> Attendant: ...

    def end(self) -> None: ...


@contextlib.contextmanager
def watching(watcher: Watcher | None, record: Path, reading: Reading) -> Iterator[list[Attendant]]:
    """What the launcher attends to for a watcher."""
    if watcher is None:
        yield []
        return
    try:
        yield [watcher.begin(News(record, reading))]
    finally:
        watcher.end()


class News:
    """The findings of a record that no suppression leaves out, each when it is new or was made again."""

    def __init__(self, record: Path, reading: Reading) -> None:
        self._record = record
        self._reading = reading
        self._counted = 0
        self._known: dict[tuple[int, ...], int] = {}

    def __call__(self) -> tuple[Finding, ...]:
        counted = self._count()
        if counted == self._counted:
            return ()
        self._counted = counted
        raw = read_records(self._record)
        new = [news for found in raw.findings if (news := self._news_of(found))]
        return self._reading.sorted(replace(raw, findings=new)).findings if new else ()

    def _count(self) -> int:
        """How many findings the header counts: looked at alone, as there are seldom new ones."""
        with open(self._record, "rb") as file:
            return records.HEADER.unpack(file.read(records.HEADER.size))["findings"]

    def _news_of(self, found: RawFinding) -> RawFinding | None:
        """A finding with the repetitions that were not given out yet; None where there is nothing new."""
        fields = found.fields
        identity = tuple(fields[name] for name in ("key", "pid", "tid", "time", "rule", "address"))
        before, count = self._known.get(identity, 0), 1 + fields["repeats"]
        self._known[identity] = count
        return replace(found, fields={**fields, "repeats": count - before - 1}) if count > before else None
