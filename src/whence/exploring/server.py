"""The fork server of a checked program: started once, it runs paths in children that it forks."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from whence.abi import records, symbolic
from whence.engines.process.addresses import fixed_addresses
from whence.engines.process.decode import read_records
from whence.errors import CannotExecute, ToolLimit
from whence.exploring.executing import MEMORY_LIMIT, TIME_LIMIT, WAITING, Inputs, Ran
from whence.exploring.inputs import COUNT
from whence.exploring.memory import children, resident

if TYPE_CHECKING:
    from whence.exploring.flow import Graph
    from whence.exploring.lines import Lines
    from whence.exploring.pairing import Pair
    from whence.exploring.places import Places
    from whence.exploring.questions import Asked
    from whence.findings import Finding

_START_SECONDS = 60.0
"""How long a program may take to come to `main`."""
_GRACE_SECONDS = 20.0
"""How much longer than the limit of a path the server may take to answer."""
_END_SECONDS = 1.0
"""How long a server without a path may take to end."""
_HEAD, _OBJECT = struct.Struct(symbolic.REQUEST.format), struct.Struct(symbolic.OBJECT_HEAD.format)
_ANSWER = struct.Struct(symbolic.ANSWER.format)
_ANSWERED = [field.name for field in symbolic.ANSWER.fields]
_NUMBER, _PATH, _STATUS, _LATE = map(_ANSWERED.index, ("number", "pid", "status", "late"))
_RECORD_HEADER = records.HEADER.size
_USED, _USED_AT = struct.Struct("<Q"), symbolic.TRACE.offset("used")


_CUT = ("", TIME_LIMIT, WAITING)
"""What an answer says of the time of a path."""
_START_OF_STACK = 25
"""The field of /proc/PID/stat behind the name."""
_LOOKS = 0.05
"""Seconds from look to look at the memory of paths, where that is bound."""
_LARGE = 8
"""A path is killed for the memory of all if it has at least this part of it."""


class Gone(ToolLimit):
    """A server has ended, or does not answer."""


@dataclass(frozen=True)
class Start:
    """How to start a server. words: the command line. record: the file for findings; trace: for traces.

    milliseconds: the limit of one path. findings: names what the record has. tidy: removes
    what a path has left in its working directory. covered: bytes of the program that say where paths came.
    """

    image: Path
    words: Sequence[bytes]
    environment: Mapping[bytes, bytes]
    folder: Path
    cwd: Path | None
    milliseconds: int
    findings: Callable[[Path], tuple[tuple[Finding, ...], tuple[str, ...]]]
    tidy: Callable[[], None] | None = None
    covered: int = 0


class Server:
    """One server process, which runs one path at a time."""

    def __init__(self, start: Start, options: Callable[[int], Mapping[bytes, bytes]]) -> None:
        self._start = start
        self.key: object = None
        self.busy = False
        self._deadline = 0.0
        self._cut = ""
        self._number = self._path = 0
        self.record = start.folder / "record"
        self._trace = _shared_memory(symbolic.TRACE_SIZE + start.covered)
        self._view = mmap.mmap(self._trace, symbolic.TRACE_SIZE + start.covered, prot=mmap.PROT_READ)
        self._covered = b""
        self._socket, theirs = socket.socketpair()
        self._null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            theirs.set_inheritable(True)
            self._process = self._launch(options(theirs.fileno()))
        finally:
            theirs.close()
        self._greet()
        with open(self.record, "r+b") as file:
            self._records = mmap.mmap(file.fileno(), 0)
        self._before = self._records[: records.HEADER_SIZE]
        self._begin_of_records = records.HEADER.unpack(self._before)

    def _launch(self, options: Mapping[bytes, bytes]) -> subprocess.Popen[bytes]:
        start = self._start
        try:
            with fixed_addresses() as fixed:
                if not fixed:
                    raise ToolLimit("the system does not let address randomisation be switched off")
                return subprocess.Popen(
                    list(start.words),
                    executable=start.image.absolute(),
                    env={**start.environment, **options},
                    cwd=start.cwd,
                    stdin=self._null,
                    stdout=self._null,
                    stderr=self._null,
                    close_fds=False,
                    start_new_session=True,
                )
        except OSError as error:
            name = os.fsdecode(start.words[0])
            raise CannotExecute(f"{name}: cannot be started: {error.strerror}") from error

    def _greet(self) -> None:
        ready, _, _ = select.select([self._socket], [], [], _START_SECONDS)
        answer = self._receive() if ready else None
        if answer is None or answer[_NUMBER] != symbolic.HELLO:
            self.close()
            name = os.fsdecode(self._start.words[0])
            status = self._process.returncode
            why = f"it ended with status {status}" if ready else f"{_START_SECONDS:g} seconds were over"
            raise CannotExecute(f"{name} did not come to its main function: {why}")

    def fileno(self) -> int:
        return self._socket.fileno()

    def begin(self, key: object, inputs: Inputs, pair: Pair | None = None) -> None:
        """Request a path. pair: what chooses the processor of its process."""
        if self._start.tidy and self._number:
            self._start.tidy()
        self.key, self.busy = key, True
        self._number += 1
        objects = [_object(name, data) for name, data in inputs.items() if name != COUNT]
        body = b"".join(objects)
        now = time.monotonic()
        self._deadline = now + self._start.milliseconds / 1000 + _GRACE_SECONDS
        processor = pair.processor(now, self._path) if pair else 0
        head = _HEAD.pack(self._number, self._start.milliseconds, len(objects), 0, len(body), processor)
        message = head + body
        try:
            sent = 0
            if self._number == 1:
                descriptors = [self._trace, self._null, self._null, self._null]
                sent = socket.send_fds(self._socket, [message], descriptors)
            if sent < len(message):  # also nothing cannot be sent to a server that has ended since
                self._socket.sendall(message[sent:] if sent else message)
        except OSError as error:
            raise self._lost() from error

    def result(self) -> Ran:
        """What the path gave; the socket is readable."""
        answer = self._receive()
        if answer is None or answer[_NUMBER] != self._number:
            raise self._lost()
        self.busy, self._path = False, answer[_PATH]
        (used,) = _USED.unpack_from(self._view, _USED_AT)
        trace = self._view[: min(max(used, symbolic.TRACE_HEADER_SIZE), symbolic.TRACE_SIZE)]
        findings, notes = self._findings()
        cut, self._cut = self._cut or _CUT[answer[_LATE]], ""
        return Ran(trace, answer[_STATUS], cut, findings, notes, covered=self.covered())

    def covered(self) -> int:
        """Where paths came, as `Ran` has it."""
        covered = self._view[symbolic.TRACE_SIZE :]
        if covered == self._covered:
            return 0
        self._covered = covered
        return int.from_bytes(covered, "little")

    def layout(self) -> str:
        """A digest of the code of the process, of its addresses and of the begin of its stack."""
        found = hashlib.sha256()
        place = Path("/proc") / str(self._process.pid)
        for line in (place / "maps").read_text(errors="surrogateescape").splitlines():
            addresses, rights, offset, _, _, *name = line.split(maxsplit=5)
            if "x" not in rights or not name or not name[0].startswith("/"):
                continue
            begin, end = (int(number, 16) for number in addresses.split("-"))
            found.update(f"{begin:x} {end:x}\n".encode())
            with open(name[0], "rb") as file:
                file.seek(int(offset, 16))
                found.update(file.read(end - begin))
        found.update((place / "stat").read_text().rpartition(")")[2].split()[_START_OF_STACK].encode())
        return found.hexdigest()

    def memory(self) -> int:
        """Bytes of memory of the process itself."""
        return resident(self._process.pid)

    def path_memory(self) -> int:
        """Those of the path that runs."""
        return sum(map(resident, children(self._process.pid))) if self.busy else 0

    def cut_path(self) -> None:
        """Kill the path that runs: it has too much memory."""
        self._cut = MEMORY_LIMIT
        for child in children(self._process.pid):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)

    def overdue(self) -> bool:
        return self.busy and time.monotonic() > self._deadline

    def _lost(self) -> Gone:
        return Gone(
            f"the process that starts the paths of {os.fsdecode(self._start.words[0])} is gone: "
            f"status {self._process.poll()}"
        )

    def _findings(self) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
        """The findings since the last path; the record begins anew."""
        header = self._records[:_RECORD_HEADER]
        if self._before.startswith(header):
            return (), ()
        before, now = self._begin_of_records, records.HEADER.unpack(header)
        found: tuple[tuple[Finding, ...], tuple[str, ...]] = ((), ())
        if now["findings"] != before["findings"] or now["magic"] != before["magic"]:
            found = self._start.findings(self.record)
        used = min(max(now["used"], before["used"]), len(self._records))
        self._records[before["used"] : used] = bytes(used - before["used"])
        self._records[: records.HEADER_SIZE] = self._before
        return found

    def _receive(self) -> tuple[int, ...] | None:
        data = received(self._socket, self._process, _ANSWER.size)
        return None if data is None else _ANSWER.unpack(data)

    def close(self) -> None:
        """End the server and what it started. Where no path runs they end by themselves."""
        self._socket.close()
        if not self.busy:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
        self._view.close()
        for descriptor in (self._trace, self._null):
            with contextlib.suppress(OSError):
                os.close(descriptor)


@lru_cache(maxsize=4096)
def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _object(name: str, data: bytes) -> bytes:
    raw = _raw(name)
    return _OBJECT.pack(len(raw), len(data)) + raw + data


def _shared_memory(size: int) -> int:
    """A file in memory: writing to it costs no work of a file system."""
    try:
        descriptor = os.memfd_create("trace")
        os.truncate(descriptor, size)
    except OSError as error:
        raise ToolLimit(f"no memory for a trace: {error.strerror}") from error
    return descriptor


class Servers:
    """Servers of one program, `jobs` at most: an executor (`whence.exploring.executing`).

    make: a server for a number of symbolic arguments. count: that number, for some inputs. limit: bytes of
    memory of this process and all servers, above which a large path is killed. pair: of one job, keeps it and
    this process together. asked: `Executor.asked`. A server that is gone is replaced by another.
    """

    def __init__(
        self,
        make: Callable[[int], Server],
        count: Callable[[Inputs], int],
        jobs: int,
        places: Places,
        limit: int | None = None,
        pair: Pair | None = None,
        asked: Callable[[], Asked | None] = lambda: None,
    ) -> None:
        self._make_server, self._count, self._jobs, self._places = make, count, jobs, places
        self._pair, self._asked = pair, asked
        self._limit, self._large = limit, (1 << 63 if limit is None else limit // _LARGE)
        self._look = 0.0
        self._idle: dict[int, list[Server]] = {}
        self._busy: dict[int, tuple[int, Server]] = {}
        self._poll = select.poll()

    @property
    def free(self) -> int:
        return self._jobs - len(self._busy)

    @property
    def running(self) -> int:
        return len(self._busy)

    @property
    def lacks(self) -> str:
        return ""

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def begin(self, key: object, inputs: Inputs) -> None:
        count = self._count(inputs)
        idle = self._idle.setdefault(count, [])
        server = idle.pop() if idle else self._make(count)
        try:
            server.begin(key, inputs, self._pair)
        except Gone:
            server.close()
            server = self._make(count)
            with contextlib.suppress(Gone):  # `next` says so
                server.begin(key, inputs)
        self._busy[server.fileno()] = (count, server)
        self._poll.register(server.fileno(), select.POLLIN)

    def _make(self, count: int) -> Server:
        self.rest()
        return self._make_server(count)

    def rest(self) -> None:
        if self._pair:
            self._pair.part()

    def next(self, seconds: float | None) -> tuple[object, Ran] | None:
        most = 1.0 if self._limit is None else _LOOKS
        wait = most if seconds is None else min(most, seconds)
        ready = self._ready(max(1, int(wait * 1000)))
        self._watch_memory()
        if ready is None:
            overdue = next((each for each in self._busy if self._busy[each][1].overdue()), None)
            if overdue is None:
                return None
            _, server = self._end(overdue)
            return self._without(server, "the process that starts the paths does not answer any more")
        count, server = self._end(ready)
        try:
            ran = server.result()
        except Gone as gone:
            return self._without(server, str(gone))
        self._idle[count].append(server)
        return server.key, ran

    def _end(self, descriptor: int) -> tuple[int, Server]:
        self._poll.unregister(descriptor)
        return self._busy.pop(descriptor)

    @staticmethod
    def _without(server: Server, why: str) -> tuple[object, Ran]:
        """A server ends with its path."""
        covered = server.covered()
        server.close()
        return server.key, Ran(b"", 0, lost=why, covered=covered)

    def _ready(self, milliseconds: int) -> int | None:
        """The descriptor of a server whose path has ended; None after that time."""
        ready = self._poll.poll(milliseconds)
        return ready[0][0] if ready else None

    def _watch_memory(self) -> None:
        """Kill the largest path if memory is full, and it has a good part of it."""
        now = time.monotonic()
        if self._limit is None or now < self._look:
            return
        self._look = now + _LOOKS
        paths = {server: server.path_memory() for _, server in self._busy.values()}
        if resident() + self._without_paths() + sum(paths.values()) <= self._limit:
            return
        largest = max(paths, key=paths.__getitem__)
        if paths[largest] > self._large:
            largest.cut_path()

    def _without_paths(self) -> int:
        idle = (server for kept in self._idle.values() for server in kept)
        return sum(server.memory() for server in [*idle, *(each for _, each in self._busy.values())])

    def memory(self) -> int:
        """Bytes of all servers and of their paths, but for large ones: these are killed when memory is full,
        so no exploration has to end for them."""
        paths = [server.path_memory() for _, server in self._busy.values()]
        return self._without_paths() + sum(each for each in paths if each <= self._large)

    def place(self, site: int) -> str:
        return self._places.name(site)

    def code(self, site: int) -> str:
        return self._places.code(site)

    def source(self, site: int) -> tuple[str, int] | None:
        return self._places.source(site)

    def lines(self, covered: int | None = None) -> Lines:
        return self._places.lines(covered)

    def bytes_of(self, lines: Mapping[str, Iterable[int]]) -> int:
        return self._places.bytes_of(lines)

    def graph(self) -> Graph | None:
        return self._places.graph()

    def asked(self) -> Asked | None:
        return self._asked()

    def close(self) -> None:
        servers = [each for kept in self._idle.values() for each in kept]
        for server in [*servers, *(each for _, each in self._busy.values())]:
            server.close()
        self._idle, self._busy, self._poll = {}, {}, select.poll()


def received(connection: socket.socket, process: subprocess.Popen[bytes], size: int) -> bytes | None:
    """So many bytes from a process; None where it has ended, for which it gets a second."""
    data = b""
    while len(data) < size:
        try:
            part = connection.recv(size - len(data))
        except OSError:
            return None
        if not part:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)
            return None
        data += part
    return data


def named_findings(reading: object, path: Path) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings in a record, and sentences about it, by a `whence.engines.process.reading.Reading`."""
    from whence.engines.process.reading import Reading

    assert isinstance(reading, Reading)
    raw = read_records(path)
    return tuple(reading.sorted(raw).findings), tuple(raw.notes)
