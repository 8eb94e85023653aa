"""The directory of an exploration: what it explores, a journal of its paths, and files of tests.

The journal has a line of JSON for each path, written at once when it has ended, before the file of its
test; so what a process that is killed has recorded is there, and a line that is cut off is the last. Files
that are missing are written again from the journal. A new file costs more than a short path, so those of
paths that are not looked for first are written on request only (`whence.exploring.testcases` does without).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from whence.errors import ToolLimit, UserMistake
from whence.errors.shortage import remedy

SCHEMA = 1
IDENTITY, JOURNAL, TESTS, SUMMARY = "exploration.json", "journal.jsonl", "tests", "summary.json"
COVERED = "covered.jsonl"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
_SAID = {"whence": "version of whence"}
"""Names in the identity, as they are said."""
_MOST_KEPT = 64 << 20
"""Bytes of inputs that are kept in memory."""


def _test_name(number: int, suffix: str = "json") -> str:
    return f"{number:06}.{suffix}"


def test_path(directory: Path, number: int) -> Path:
    """The file of a test, if it has one (`whence.exploring.testcases` reads those of all)."""
    return directory / TESTS / _test_name(number)


class Recorded(NamedTuple):
    """A path that has ended, as it is recorded.

    decisions: as text. closed: decisions of paths, as (path, index), that have no other way. test: whether
    it has one.
    """

    number: int
    inputs: Mapping[str, bytes]
    decisions: tuple[str, ...]
    how: str
    status: int
    findings: tuple[str, ...] = ()
    closed: tuple[tuple[int, int], ...] = ()
    test: bool = True


class Paths(Protocol):
    """Keeps paths: in a directory, or in memory for others."""

    def resume(self) -> Iterator[Recorded]:
        """The paths that are there at the begin, in order."""

    def add(self, path: Recorded) -> None:
        """Record a path."""

    def cover(self, lines: Mapping[str, Collection[int]]) -> None:
        """Record lines to which a path came for the first time, by files."""

    def covered(self) -> Iterator[tuple[str, Collection[int]]]:
        """The lines that are recorded."""

    def inputs(self, number: int) -> Mapping[str, bytes]:
        """The inputs of a recorded path."""

    def forget(self) -> None:
        """Give up what can be read again."""


FILES = ("all", "errors")
"""Which tests have files: all, or those of paths that have findings or do not end by an exit."""


@dataclass
class Store:
    """An open directory, which this process alone writes to. files: one of `FILES`. ktest: each test has a
    file in KLEE's format."""

    directory: Path
    identity: Mapping[str, Any]
    files: str = FILES[0]
    ktest: bool = False
    tests: int = 0
    _offsets: dict[int, int] = field(default_factory=dict)
    _kept: dict[int, Mapping[str, bytes]] = field(default_factory=dict)
    _size: int = 0
    _end: int = 0

    def __post_init__(self) -> None:
        with _disk(self.directory):
            (self.directory / TESTS).mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UserMistake(f"{self.directory}: another exploration is writing there") from error
        try:
            self._check_identity()
            with _disk(self.directory):
                self._journal = open(self.directory / JOURNAL, "a+b", buffering=0)  # noqa: SIM115
                self._folder = os.open(self.directory / TESTS, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except BaseException:
            os.close(self._lock)
            raise
        self._end = os.fstat(self._journal.fileno()).st_size
        shared = {name: self.identity[name] for name in ("program", "arguments", "symbolic")}
        self._shared = json.dumps(shared)[1:-1]

    def _check_identity(self) -> None:
        """Raises `UserMistake` for the directory of another exploration; writes the identity if new."""
        path = self.directory / IDENTITY
        if not path.exists():
            if (self.directory / JOURNAL).exists():
                raise UserMistake(
                    f"{self.directory}: has a journal but no {IDENTITY}: give another directory"
                )
            with _disk(path):
                _replace(path, json.dumps(dict(self.identity), indent=1) + "\n")
            return
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserMistake(f"{path}: cannot be read: {error}; give another directory") from error
        for name, value in self.identity.items():
            if not isinstance(known, dict) or known.get(name) != value:
                there = known.get(name) if isinstance(known, dict) else None
                raise UserMistake(
                    f"{self.directory} is of another exploration: its {_SAID.get(name, name)} is {there}, "
                    f"now it is {value}; "
                    "give another directory (--out)"
                )

    def close(self) -> None:
        self._journal.close()
        os.close(self._folder)
        os.close(self._lock)

    # ---- paths ----

    def resume(self) -> Iterator[Recorded]:
        """The paths that are recorded, in order; repairs the journal's end and missing tests."""
        there = {entry.name for entry in os.scandir(self.directory / TESTS)}
        offset = 0
        self._journal.seek(0)
        with open(self._journal.fileno(), "rb", closefd=False) as file:
            for line in file:
                path = decoded(line)
                if path is None:
                    break
                self._remember(path, offset)
                offset += len(line)
                self._write_files(path, None, there)
                yield path
        os.ftruncate(self._journal.fileno(), offset)
        self._end = offset
        if self._offsets:  # the last test may have been cut off
            self._write_files(self._read(max(self._offsets)))

    def add(self, path: Recorded) -> None:
        """Record a path; raises `ToolLimit` if the disk is full, and leaves the journal whole."""
        inputs = _inputs_text(path)
        offset, line = self._end, _encoded(path, inputs)
        try:
            done = os.write(self._journal.fileno(), line)
            if done != len(line):
                os.write(self._journal.fileno(), line[done:])
            self._end += len(line)
            self._remember(path, offset)
            self._write_files(path, inputs)
        except OSError as error:
            if self._end == offset:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._journal.fileno(), offset)
            raise _unwritable(self.directory, error) from error

    def cover(self, lines: Mapping[str, Collection[int]]) -> None:
        if not lines:
            return
        text = json.dumps({file: sorted(each) for file, each in lines.items()}) + "\n"
        with _disk(self.directory / COVERED), open(self.directory / COVERED, "ab", buffering=0) as file:
            _write_all(file.fileno(), text.encode("ascii"))

    def covered(self) -> Iterator[tuple[str, Collection[int]]]:
        """The lines that are recorded; repairs the end of the file."""
        path = self.directory / COVERED
        if not path.exists():
            return
        with _disk(path):
            data = path.read_bytes()
            whole = data.rfind(b"\n") + 1
            os.truncate(path, whole)
        try:
            for line in data[:whole].splitlines():
                yield from ((file, set(map(int, lines))) for file, lines in json.loads(line).items())
        except (ValueError, AttributeError, TypeError) as error:
            raise UserMistake(f"{path}: cannot be read: {error}; give another directory") from error

    def inputs(self, number: int) -> Mapping[str, bytes]:
        """The inputs of a recorded path."""
        kept = self._kept.get(number)
        return self._read(number).inputs if kept is None else kept

    def forget(self) -> None:
        """Inputs are read from the journal again."""
        self._kept.clear()
        self._size = 0

    def _remember(self, path: Recorded, offset: int) -> None:
        self.tests += path.test
        self._offsets[path.number] = offset
        size = sum(map(len, path.inputs.values())) + 200
        if self._size + size < _MOST_KEPT:
            self._size += size
            self._kept[path.number] = path.inputs

    def _read(self, number: int) -> Recorded:
        with open(self.directory / JOURNAL, "rb") as file:
            file.seek(self._offsets[number])
            path = decoded(file.readline())
        if path is None:
            raise ToolLimit(f"{self.directory / JOURNAL}: changed while it was used")
        return path

    def _write_files(
        self, path: Recorded, inputs: str | None = None, there: Collection[str] = ()
    ) -> None:
        """The files of a test, if it is to have some. inputs: as text, if that is known. there: names of
        files that are."""
        if not path.test:
            return
        wanted = self.files == "all" or path.how != "exit" or path.findings
        if wanted and _test_name(path.number) not in there:
            self._write_test(path, _inputs_text(path) if inputs is None else inputs)
        if self.ktest and _test_name(path.number, "ktest") not in there:
            self._write_ktest(path)

    def _write_test(self, path: Recorded, inputs: str) -> None:
        """inputs: as text."""
        decisions = '["' + '", "'.join(path.decisions) + '"]' if path.decisions else "[]"
        text = (
            f'{{"schema": {SCHEMA}, "number": {path.number}, {self._shared}, '
            f'"inputs": {inputs}, "decisions": {decisions}, '
            f'"end": {{"how": "{path.how}", "status": {path.status}}}, '
            f'"findings": {json.dumps(path.findings) if path.findings else "[]"}}}\n'
        )
        file = os.open(_test_name(path.number), _NEW, 0o644, dir_fd=self._folder)
        try:
            _write_all(file, text.encode("ascii"))
        finally:
            os.close(file)

    def _write_ktest(self, path: Recorded) -> None:
        from whence.exploring.ktest import encoded

        place = self.directory / TESTS / _test_name(path.number, "ktest")
        place.write_bytes(encoded(self.identity["arguments"], path.inputs))

    def write(self, name: str, text: str) -> None:
        """Write a file of the directory, at once."""
        with _disk(self.directory / name):
            _replace(self.directory / name, text)


@lru_cache(maxsize=1 << 12)
def _name_text(name: str) -> str:
    return json.dumps(name)


def _inputs_text(path: Recorded) -> str:
    """The inputs in JSON; only names may have letters that need care."""
    pairs = [f'{_name_text(name)}: "{data.hex()}"' for name, data in path.inputs.items()]
    return f"{{{', '.join(pairs)}}}"


def _encoded(path: Recorded, inputs: str) -> bytes:
    line = f'{{"n":{path.number},"i":{inputs},"d":"{" ".join(path.decisions)}"'
    line += f',"e":["{path.how}",{path.status}]'
    if path.findings:
        line += f',"f":{json.dumps(path.findings)}'
    if path.closed:
        line += f',"c":{json.dumps(path.closed)}'
    if not path.test:
        line += ',"t":0'
    return f"{line}}}\n".encode("ascii")


def decoded(line: bytes) -> Recorded | None:
    """None for a line that is cut off."""
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
        return Recorded(
            found["n"],
            {name: bytes.fromhex(text) for name, text in found["i"].items()},
            tuple(found["d"].split()),
            found["e"][0],
            found["e"][1],
            tuple(found.get("f", ())),
            tuple((a, b) for a, b in found.get("c", ())),
            bool(found.get("t", 1)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _unwritable(path: Path, error: OSError) -> ToolLimit:
    return ToolLimit(f"{path}: cannot be written: {remedy(error) or error.strerror}")


def _replace(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8", errors="surrogateescape")
    new.replace(path)


@contextlib.contextmanager
def _disk(path: Path) -> Iterator[None]:
    """Turns errors of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error) from error
