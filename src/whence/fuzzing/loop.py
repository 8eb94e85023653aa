"""The engine: chooses inputs that the process changes, keeps those that take new edges, and shortens what it
finds. It is a small one: changes by chance, operands of comparisons, words of a dictionary, parts of others.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from whence.abi import fuzz
from whence.errors import ToolLimit
from whence.fuzzing.options import FuzzOptions
from whence.fuzzing.store import Store
from whence.fuzzing.target import Done, Gone, Process

if TYPE_CHECKING:
    from whence.findings import Finding

_CHANGES = 4096
"""Executions with changes of one input by chance, before the next one is chosen."""
_SHORTENINGS = 256
"""Executions to shorten one input of the corpus."""
_FINDING_SHORTENINGS = 4096
_MATTERS_MOST = 512
"""Bytes of a finding's input of which each is tried for whether it matters."""
_LOST_MOST = 3
"""Processes in a row that may be gone without an execution that goes well."""


@dataclass
class Entry:
    """An input of the corpus. solved: what it compares was tried."""

    data: bytes
    hash: int
    solved: bool = False
    chosen: int = 0


@dataclass
class New:
    """A finding that the process met. shortened: its input has no more than it needs, as far as was tried."""

    finding: Finding
    raw: int
    data: bytes
    matters: tuple[tuple[int, int], ...] | None = None


@dataclass
class State:
    """How far a session is. seeded: all inputs that it begins with were run."""

    entries: list[Entry] = field(default_factory=list)
    found: dict[str, New] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    ended: int = 0
    unstable: int = 0
    executions: int = 0
    apart: int = 0
    lost: int = 0
    seeded: bool = False
    notes: list[str] = field(default_factory=list)


class Loop:
    """One session. make: starts a process. tell: called now and then. keep: called with each new finding, and
    once more when its input is short."""

    def __init__(
        self,
        make: Callable[[], Process],
        store: Store,
        options: FuzzOptions,
        words: list[bytes],
        known: list[int],
        tell: Callable[[Loop], None],
        keep: Callable[[New], None],
    ) -> None:
        self._make, self._store, self._options = make, store, options
        self._words, self._keys = words, known
        self._tell, self._keep = tell, keep
        self._random = random.Random(options.seed)
        self._before = (0, 0)
        self._seen = b""
        self._process: Process | None = None
        self._raw: set[int] = set(known)
        self._waiting: list[bytes] = []
        self.state = State()
        self.begun = time.monotonic()
        self.edges = 0
        self._looked = 0.0
        self._ended: float | None = None

    @property
    def seconds(self) -> float:
        """How long inputs were made and run."""
        return (self._ended or time.monotonic()) - self.begun

    # ---- the process ----

    @property
    def process(self) -> Process:
        if self._process is None:
            self._process = self._start()
        return self._process

    def _start(self) -> Process:
        process = self._make()
        if not process.control("counters"):
            process.close()
            raise ToolLimit("the program has no edges that could be counted: build it with CC=whence-cc")
        process.set_control("largest", self._options.max_size)
        process.set_control("random", self._random.getrandbits(64) | 1)
        process.set_seen(self._seen)
        if process.set_words(self._words) < len(self._words):
            self._note("the dictionaries are too large: their last words were left out")
        for key in self._keys:
            process.add_key(key)
        return process

    def _note(self, sentence: str) -> None:
        if sentence not in self.state.notes:
            self.state.notes.append(sentence)

    def _count(self) -> None:
        """What the process has done so far, with those before it."""
        process = self.process
        self.state.executions = self._before[0] + process.control("executions")
        self.state.apart = self._before[1] + process.control("apart")

    def _lose(self, gone: Gone) -> None:
        """The process is gone: another one takes its place."""
        self.state.lost += 1
        if self.state.lost > _LOST_MOST:
            raise gone
        self._seen = self.process.seen()
        self._count()
        self._before = (self.state.executions, self.state.apart)
        self.process.close()
        self._process = None
        self._note(f"{gone}: another one has taken its place")

    def close(self) -> None:
        if self._process is not None:
            self._process.close()

    # ---- a session ----

    def run(self, seeds: list[bytes]) -> str:
        """Fuzzes until something stops it: "time", "runs" or "interrupted"."""
        try:
            with contextlib.suppress(Gone):
                self._begin(seeds)
            while not (why := self._over()):
                try:
                    self._try(self._choose())
                except Gone as gone:
                    self._lose(gone)
            self._ended = time.monotonic()
            self._shorten_findings()
            return why
        except KeyboardInterrupt:
            return "interrupted"
        finally:
            self._ended = self._ended or time.monotonic()
            if self._process is not None:
                self._look(now=True)

    def _begin(self, seeds: list[bytes]) -> None:
        for data in seeds:
            try:
                self._offer(data, shorten=False, keep=False)
            except Gone as gone:
                self._lose(gone)
            if self._over():
                return
        self.state.seeded = True
        if not self.state.entries:
            for data in (b"", b"\n"):
                self._offer(data, shorten=False, keep=True)
        if not self.state.entries:
            # Each of the first inputs has a finding, or is killed: what differs from it may not.
            self.state.entries.append(Entry(seeds[0] if seeds else b"", 0))

    def _over(self) -> str:
        options = self._options
        self._look()
        if options.runs is not None and self.state.executions >= options.runs:
            return "runs"
        if options.max_time is not None and time.monotonic() - self.begun >= options.max_time:
            return "time"
        return ""

    def _look(self, *, now: bool = False) -> None:
        """Counts what has been done, and says so."""
        self._count()
        if now or time.monotonic() - self._looked > 0.2:
            self._looked = time.monotonic()
            seen = self.process.seen()
            self.edges = len(seen) - seen.count(0)
        self._tell(self)

    def _choose(self) -> Entry:
        """One that has not been tried much, and rather one that came late: it is deep."""
        entries = self.state.entries
        fresh = next((each for each in reversed(entries) if not each.solved), None)
        if fresh is not None:
            return fresh
        weights = [(1 + number) / (1 + each.chosen) for number, each in enumerate(entries)]
        return self._random.choices(entries, weights)[0]

    def _try(self, entry: Entry) -> None:
        """Shows what an input compares, puts one side where the other stands, then changes it by chance."""
        process = self.process
        entry.chosen += 1
        other = self._random.choice(self.state.entries).data
        process.set_base(entry.data, other)
        self._do("TRACE", 1)
        if not entry.solved:
            entry.solved = True
            process.set_base(entry.data, other)
            self._do("SOLVE", self._allowed(fuzz.STEPS_MOST))
        if not self._over():
            process.set_base(entry.data, other)
            self._do("HAVOC", self._allowed(_CHANGES))
        self._take_waiting()
        if not process.keeps_its_file():
            raise ToolLimit(
                "the program has removed or replaced the file of its input, so it cannot be fuzzed"
            )

    def _allowed(self, most: int) -> int:
        """How many executions may still be asked for."""
        if self._options.runs is None:
            return most
        return max(1, min(most, self._options.runs - self.state.executions))

    def _do(self, kind: str, most: int) -> None:
        """A whole work, with all that it finds, which is looked at when it is done: that is work, too."""
        done = self.process.work(kind, most)
        self._note_done(done)
        while not done.has("OVER") and not self._over():
            done = self.process.work("MORE")
            self._note_done(done)

    def _note_done(self, done: Done) -> None:
        if done.has("FINDING"):
            self._add_finding(done)
        elif done.has("ENDED"):
            self._add_ended(done)
        elif done.has("NEW", "OTHER"):
            self.state.lost = 0
            self._waiting.append(done.input)

    def _take_waiting(self) -> None:
        while self._waiting and not self._over():
            self._offer(self._waiting.pop(0), shorten=True, keep=True, is_new=True)
        for data in self._waiting:
            self._add(Entry(data, 0), keep=True)
        self._waiting = []

    # ---- inputs ----

    def _once(self, data: bytes) -> Done:
        """An execution of one input."""
        self.process.set_base(data)
        return self.process.work("RUN")

    def _offer(self, data: bytes, *, shorten: bool, keep: bool, is_new: bool = False) -> None:
        """Keeps an input if it takes edges that others do not. is_new: it has shown that it does."""
        done = self._once(data)
        if done.has("FINDING", "ENDED"):
            self._note_done(done)
            return
        if done.key or not (is_new or done.has("NEW", "OTHER")):
            return
        again = self._once(data)
        if again.hash != done.hash:
            self.state.unstable += 1
        elif shorten:
            data = self._shortened(data, lambda shorter: self._same(shorter, done.hash), _SHORTENINGS)
        self._add(Entry(data, done.hash), keep=keep)

    def _add(self, entry: Entry, *, keep: bool) -> None:
        self.state.entries.append(entry)
        if keep:
            self._store.add_input(entry.data)

    def _same(self, data: bytes, hash_: int) -> bool:
        done = self._once(data)
        self._note_done(done)
        return done.hash == hash_ and not done.key and not done.has("ENDED")

    def _shortened(self, data: bytes, holds: Callable[[bytes], bool], most: int) -> bytes:
        """A short input for which something holds: parts go, large ones first."""
        part = 1
        while part < len(data):
            part *= 2
        while part and most > 0:
            at = 0
            while at < len(data) and most > 0 and not self._over():
                shorter = data[:at] + data[at + part :]
                most -= 1
                if holds(shorter):
                    data = shorter
                else:
                    at += part
            part //= 2
        return data

    # ---- findings ----

    def _add_finding(self, done: Done) -> None:
        process = self.process
        found, notes = process.findings()
        process.add_key(done.key)
        self._raw.add(done.key)
        self._keys.append(done.key)
        for sentence in notes:
            self._note(sentence)
        for each in found:
            if each.key not in self.state.found:
                new = self.state.found[each.key] = New(each, done.key, done.input)
                self._keep(new)

    def _add_ended(self, done: Done) -> None:
        self.process.drop_findings()
        if done.cut:
            self.state.cut[done.cut] = self.state.cut.get(done.cut, 0) + 1
            self._store.add_cut(done.input)
        else:
            self.state.ended += 1
            self._store.add_cut(done.input)

    def _shorten_findings(self) -> None:
        """The session's time is over, but findings with short inputs are worth some more of it."""
        limits, self._options = self._options, FuzzOptions(max_size=self._options.max_size)
        try:
            for new in list(self.state.found.values()):
                with contextlib.suppress(Gone):
                    self._shorten_finding(new)
        finally:
            self._options = limits

    def _shorten_finding(self, new: New) -> None:
        def holds(data: bytes) -> bool:
            return self._once(data).key == new.raw

        if not holds(new.data):
            return
        new.data = self._shortened(new.data, holds, _FINDING_SHORTENINGS)
        if len(new.data) <= _MATTERS_MOST:
            new.matters = _ranges([at for at in range(len(new.data)) if not holds(_changed(new.data, at))])
        self._keep(new)


def _changed(data: bytes, at: int) -> bytes:
    """The data with another byte in one place: a letter, or another one."""
    other = b"Z" if data[at] != ord("Z") else b"Q"
    return data[:at] + other + data[at + 1 :]


def _ranges(places: list[int]) -> tuple[tuple[int, int], ...]:
    """Runs of numbers, by their first and last."""
    found: list[tuple[int, int]] = []
    for each in places:
        if found and found[-1][1] == each - 1:
            found[-1] = (found[-1][0], each)
        else:
            found.append((each, each))
    return tuple(found)
