"""The process that executes inputs: started once, it makes and runs them, and says what is of interest."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from whence.abi import fuzz, records, variables
from whence.engines.native.engine import NativeEngine
from whence.engines.process.addresses import fixed_addresses
from whence.engines.process.engine import Prepared, make_record
from whence.engines.process.environment import Folder, changes, named_originals
from whence.engines.process.reading import Reading
from whence.engines.process.runtime_options import runtime_options
from whence.engines.protocol import Task
from whence.errors import CannotExecute, ToolLimit
from whence.exploring.memory import children, resident
from whence.exploring.server import named_findings, received
from whence.findings import Finding
from whence.symbols.elf import Elf

PLACE = "@@"
"""The word of a command line for the name of the input's file."""
_START_SECONDS = 60.0
_GRACE_SECONDS = 20.0
"""How much longer than the limit of an execution the process may take to answer."""
_END_SECONDS = 1.0
_PAUSE = 0.2
"""Seconds after which the process answers though nothing is of interest."""
_LOOKS = 0.05
"""Seconds from look to look at the memory of an execution."""
_LATE = ("", "time limit", "waiting")

_WORK = struct.Struct(fuzz.WORK.format)
_DONE = struct.Struct(fuzz.DONE.format)
_NAMES = [field.name for field in fuzz.DONE.fields]
_HEADER = records.HEADER.size
_NUMBER = struct.Struct("<Q")
_CONTROL = {field.name: fuzz.CONTROL.offset(field.name) for field in fuzz.CONTROL.fields}


class Gone(ToolLimit):
    """The process has ended, or does not answer."""


class Done(NamedTuple):
    """What the process says: of the last execution its hash and status, and why it says something.

    cut: why it was killed, else empty (`CUTS`). input: what was executed.
    """

    flags: int
    hash: int
    key: int
    status: int
    cut: str
    input: bytes

    def has(self, *names: str) -> bool:
        """Whether it says one of these."""
        return any(self.flags & fuzz.FLAGS[name] for name in names)


MEMORY_LIMIT = "memory limit"


@dataclass
class Program:
    """A program that is built for fuzzing, in a folder for what its processes need.

    by_file: inputs come in a file whose name is a word of the command line; else by standard input.
    """

    task: Task
    folder: Path
    milliseconds: int
    memory: int
    prepared: Prepared
    reading: Reading
    counters: int

    @classmethod
    def build(cls, task: Task, folder: Path, milliseconds: int, memory: int) -> Program:
        """Instrument the program; raises `CarriesNoIR` for one of another compiler."""
        prepared = NativeEngine().prepare(task)
        settings = task.settings
        originals = named_originals(prepared.built)
        reading = Reading(settings.rules, originals, settings.suppressions, "error", task.cache)
        return cls(task, folder, milliseconds, memory, prepared, reading, _counters(prepared.built.image))

    @property
    def by_file(self) -> bool:
        return any(PLACE in word for word in self.task.arguments[1:])

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences of the build."""
        return self.prepared.built.notes

    @property
    def name(self) -> str:
        return str(self.task.arguments[0])

    def words(self, place: Path) -> list[bytes]:
        """The command line with an input's file."""
        first, *rest = self.prepared.words
        return [os.fsencode(word) for word in (first, *(each.replace(PLACE, str(place)) for each in rest))]

    def variables(self, folder: Folder, descriptors: Mapping[str, int]) -> Mapping[bytes, bytes]:
        settings, built = self.task.settings, self.prepared.built
        options = {**runtime_options(settings, leaks=self.task.leaks), **self.prepared.options, **descriptors}
        # Nobody is there to be asked about a finding: each ends its execution.
        options.pop("judge", None)
        own = changes(settings.around.environment, built, folder, options, serving=False)
        own = variables.evened(own, settings.around.environment)
        return {os.fsencode(name): os.fsencode(value) for name, value in own.items()}


def _counters(image: Path) -> int:
    """How many counters of edges a program has, in whole pages."""
    with open(image, "rb") as file:
        section = Elf(file.fileno()).section(fuzz.COUNTERS_SECTION)
    return section.size if section is not None else 0


class Process:
    """One process of a program, which does one work at a time."""

    def __init__(self, program: Program, place: Path) -> None:
        self._program = program
        place.mkdir()
        folder = Folder(place)
        make_record(folder.record)
        self.file = place / "input"
        self._number = 0
        size = fuzz.AREA_SIZE + program.counters
        with contextlib.ExitStack() as stack:
            area = _memory("area", size)
            stack.callback(os.close, area)
            self._input, given = self._open_input()
            stack.callback(os.close, given)
            self._area = mmap.mmap(area, size)
            self._socket, theirs = socket.socketpair()
            stack.callback(theirs.close)
            for each in (area, self._input, theirs.fileno()):
                os.set_inheritable(each, True)
            descriptors = {"explore": theirs.fileno(), "fuzz": area, "fuzz_input": self._input}
            self._process = self._launch(folder, given, descriptors)
        self._greet()
        with open(folder.record, "r+b") as file:
            self._records = mmap.mmap(file.fileno(), 0)
        self._record = folder.record
        self._before = self._records[: records.HEADER_SIZE]

    def _open_input(self) -> tuple[int, int]:
        """The descriptor that inputs are written to, and the standard input of the process."""
        if self._program.by_file:
            written = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
            return written, os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        written = _memory("stdin", 0)
        return written, os.open(f"/proc/self/fd/{written}", os.O_RDONLY | os.O_CLOEXEC)

    def _launch(self, folder: Folder, stdin: int, descriptors: Mapping[str, int]) -> subprocess.Popen[bytes]:
        program = self._program
        around = program.task.settings.around
        environment = {os.fsencode(name): os.fsencode(value) for name, value in around.environment.items()}
        try:
            with fixed_addresses() as fixed:
                if not fixed:
                    raise ToolLimit("the system does not let address randomisation be switched off")
                return subprocess.Popen(
                    program.words(self.file),
                    executable=program.prepared.built.image.absolute(),
                    env={**environment, **program.variables(folder, descriptors)},
                    cwd=around.cwd,
                    stdin=stdin,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    close_fds=True,
                    pass_fds=tuple(descriptors.values()),
                    start_new_session=True,
                )
        except OSError as error:
            raise CannotExecute(f"{program.name}: cannot be started: {error.strerror}") from error

    def _greet(self) -> None:
        ready, _, _ = select.select([self._socket], [], [], _START_SECONDS)
        answer = self._receive() if ready else None
        if answer is None or answer["number"] != fuzz.HELLO:
            self.close()
            status = self._process.returncode
            why = f"it ended with status {status}" if ready else f"{_START_SECONDS:g} seconds were over"
            raise CannotExecute(f"{self._program.name} did not come to its main function: {why}")

    # ---- the area ----

    def control(self, name: str) -> int:
        """A number in the area (`whence.abi.fuzz.CONTROL`)."""
        (value,) = _NUMBER.unpack_from(self._area, _CONTROL[name])
        return int(value)

    def set_control(self, name: str, value: int) -> None:
        _NUMBER.pack_into(self._area, _CONTROL[name], value)

    def set_base(self, data: bytes, other: bytes = b"") -> None:
        """The input that is changed, and one of which parts are taken."""
        self._put(fuzz.BASE_AT, data)
        self._put(fuzz.OTHER_AT, other)
        self.set_control("base", len(data))
        self.set_control("other", len(other))

    def set_words(self, words: Sequence[bytes]) -> int:
        """The words of a dictionary; how many found room."""
        parts, used = [], 4
        for word in words:
            part = len(word).to_bytes(4, "little") + word + bytes(-len(word) % 4)
            if not word or used + len(part) > fuzz.WORDS_SIZE:
                break
            parts.append(part)
            used += len(part)
        self._put(fuzz.WORDS_AT, b"".join(parts) + bytes(4))
        return len(parts)

    def add_key(self, key: int) -> None:
        """A finding is known from now on."""
        count = self.control("keys")
        if count < fuzz.KEYS_MOST:
            _NUMBER.pack_into(self._area, fuzz.KEYS_AT + 8 * count, key)
            self.set_control("keys", count + 1)

    def seen(self) -> bytes:
        """The classes of counts that were seen, a byte for each counter."""
        return self._area[fuzz.SEEN_AT : fuzz.SEEN_AT + self._program.counters]

    def set_seen(self, seen: bytes) -> None:
        self._put(fuzz.SEEN_AT, seen)

    def _put(self, at: int, data: bytes) -> None:
        self._area[at : at + len(data)] = data

    # ---- work ----

    def work(self, kind: str, most: int = 1) -> Done:
        """Do some work, up to what is of interest, or for a moment; raises `Gone`."""
        self._number += 1
        self.set_control("until", int((time.monotonic() + _PAUSE) * 1e6))
        message = _WORK.pack(self._number, self._program.milliseconds, most, fuzz.KINDS[kind], 0)
        try:
            self._socket.sendall(message)
        except OSError as error:
            raise self._lost() from error
        cut = self._wait()
        answer = self._receive()
        if answer is None or answer["number"] != self._number:
            raise self._lost()
        at = fuzz.INPUT_AT
        data = self._area[at : at + min(self.control("input"), fuzz.INPUT_MOST)]
        return Done(
            answer["flags"],
            answer["hash"],
            answer["key"],
            answer["status"],
            cut or _LATE[answer["late"]],
            data,
        )

    def _wait(self) -> str:
        """Until there is an answer. An execution that takes too much memory is killed."""
        cut = ""
        seen, last = self.control("executions"), time.monotonic()
        while not select.select([self._socket], [], [], _LOOKS)[0]:
            for child in children(self._process.pid):
                if resident(child) > self._program.memory:
                    cut = MEMORY_LIMIT
                    with contextlib.suppress(OSError):
                        os.kill(child, signal.SIGKILL)
            now, executions = time.monotonic(), self.control("executions")
            if executions != seen:
                seen, last = executions, now
            elif now - last > self._program.milliseconds / 1000 + _GRACE_SECONDS:
                raise self._lost()
        return cut

    def findings(self) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
        """The findings of the last execution, with sentences about the record; the record begins anew."""
        found = named_findings(self._program.reading, self._record)
        self.drop_findings()
        return found

    def drop_findings(self) -> None:
        """The record begins anew."""
        before = records.HEADER.unpack(self._before)["used"]
        used = min(records.HEADER.unpack(self._records[:_HEADER])["used"], len(self._records))
        self._records[before:used] = bytes(max(0, used - before))
        self._records[: records.HEADER_SIZE] = self._before

    def keeps_its_file(self) -> bool:
        """Whether the input's file is still that which inputs are written to."""
        if not self._program.by_file:
            return True
        try:
            return os.path.samestat(os.stat(self.file), os.fstat(self._input))
        except OSError:
            return False

    def _lost(self) -> Gone:
        status = self._process.poll()
        how = "does not answer" if status is None else f"ended with status {status}"
        return Gone(f"the process that executes inputs of {self._program.name} {how}")

    def _receive(self) -> dict[str, int] | None:
        data = received(self._socket, self._process, _DONE.size)
        return None if data is None else dict(zip(_NAMES, _DONE.unpack(data), strict=True))

    def close(self) -> None:
        """End the process and what it started."""
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        with contextlib.suppress(OSError):
            os.close(self._input)


def _memory(name: str, size: int) -> int:
    """A file in memory."""
    try:
        descriptor = os.memfd_create(name)
        os.truncate(descriptor, size)
    except OSError as error:
        raise ToolLimit(f"there is no memory for fuzzing: {error.strerror}") from error
    return descriptor
