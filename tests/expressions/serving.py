"""Runs paths of small programs through the fork server, and reads their traces."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness.process import TIMEOUT

from whence.abi import records, symbolic
from whence.api.running import select_rules
from whence.engines.native.engine import NativeEngine
from whence.engines.process.addresses import fixed_addresses
from whence.engines.process.engine import Prepared
from whence.engines.process.environment import Folder, changes
from whence.engines.process.runtime_options import runtime_options
from whence.engines.progress import NO_PROGRESS
from whence.engines.protocol import Task
from whence.engines.settings import Settings, Surroundings
from whence.toolchain.cache import Cache

KINDS = {kind.number: name for name, kind in symbolic.KINDS.items()}
OPERATORS = {each.number: name for name, each in symbolic.OPERATORS.items()}
REASONS = {number: name for name, number in symbolic.REASONS.items()}
ENDS = {number: name for name, number in symbolic.ENDS.items()}


@dataclass(frozen=True)
class Record:
    """A record of a trace: its kind by name, the fields of its header, and its operand words."""

    kind: str
    operator: int
    width: int
    id: int
    words: tuple[int, ...]
    name: str = ""
    data: bytes = b""

    def halves(self, word: int) -> tuple[int, int]:
        return self.words[word] & 0xFFFFFFFF, self.words[word] >> 32


@dataclass(frozen=True)
class Run:
    """What a path gave. processors: those that its process may have when it has ended; none if it is gone."""

    records: tuple[Record, ...]
    status: int
    output: bytes
    late: bool = False
    processors: frozenset[int] = frozenset()


@dataclass
class Server:
    """A started fork server."""

    socket: socket.socket
    folder: Path
    number: int = 0
    processes: list[Any] = field(default_factory=list)

    def run(self, inputs: Mapping[str, bytes], milliseconds: int = 20_000, processor: int = 0) -> Run:
        """One path. processor: as a request has it."""
        self.number += 1
        trace, output = self.folder / "trace", self.folder / "output"
        with open(trace, "w+b") as file, open(output, "w+b") as out:
            file.truncate(symbolic.TRACE_SIZE)
            body = b"".join(
                struct.pack(symbolic.OBJECT_HEAD.format, len(name), len(data)) + name.encode() + data
                for name, data in inputs.items()
            )
            head = (self.number, milliseconds, len(inputs), 0, len(body), processor)
            null = os.open(os.devnull, os.O_RDWR)
            message = struct.pack(symbolic.REQUEST.format, *head) + body
            sent = socket.send_fds(self.socket, [message], [file.fileno(), null, out.fileno(), out.fileno()])
            self.socket.sendall(message[sent:])
            os.close(null)
            answer = self.answer()
            assert answer["number"] == self.number
            file.seek(0)
            used = symbolic.TRACE.unpack(file.read(symbolic.TRACE.size))["used"]
            file.seek(0)
            data = file.read(max(used, symbolic.TRACE_HEADER_SIZE))
        processors = _processors(answer["pid"])
        return Run(tuple(read(data)), answer["status"], output.read_bytes(), bool(answer["late"]), processors)

    def answer(self) -> dict[str, int]:
        data = b""
        while len(data) < symbolic.ANSWER.size:
            part = self.socket.recv(symbolic.ANSWER.size - len(data))
            assert part, "the server is gone"
            data += part
        return symbolic.ANSWER.unpack(data)


def _processors(process: int) -> frozenset[int]:
    try:
        return frozenset(os.sched_getaffinity(process))
    except ProcessLookupError:
        return frozenset()


def read(data: bytes) -> Iterator[Record]:
    """The records of a trace."""
    words = struct.unpack(f"<{len(data) // 8}Q", data)
    at = symbolic.TRACE_HEADER_SIZE // 8
    while at < len(words):
        head = words[at]
        kind = KINDS[head & 0xFF]
        count = len(symbolic.KINDS[kind].operands)
        operands = words[at + 1 : at + 1 + count]
        at += 1 + count
        name = ""
        if kind == "OBJECT":
            length = operands[1]
            name = data[at * 8 : at * 8 + length].decode()
            at += (length + 7) // 8
        elements = b""
        if kind == "TABLE":
            length = (operands[1] & 0xFFFFFFFF) * (operands[1] >> 32)
            elements = data[at * 8 : at * 8 + length]
            at += (length + 7) // 8
        yield Record(kind, head >> 8 & 0xFF, head >> 16 & 0xFFFF, head >> 32, operands, name, elements)


def prepare(program: Path, cache: Cache, rules: str = "") -> tuple[Task, Prepared]:
    """The build for exploration."""
    settings = Settings(rules=select_rules(enable=rules or ()), explored=True, around=Surroundings())
    task = Task(program, [str(program)], settings, cache, NO_PROGRESS)
    return task, NativeEngine().prepare(task)


@contextlib.contextmanager
def serving(
    task: Task, prepared: Prepared, folder: Path, arguments: Sequence[str] = (), **variables: str
) -> Iterator[Server]:
    """A server of a program that was built."""
    place = Folder(folder)
    with open(place.record, "xb") as file:
        os.posix_fallocate(file.fileno(), 0, records.HEADER_SIZE)
        os.truncate(file.fileno(), records.FILE_SIZE)
    ours, theirs = socket.socketpair()
    ours.settimeout(TIMEOUT)
    theirs.set_inheritable(True)
    options = runtime_options(task.settings, leaks=False) | prepared.options
    options |= {"explore": theirs.fileno()}
    own = changes(os.environ, prepared.built, place, options, serving=False)
    with fixed_addresses():
        process = subprocess.Popen(
            [str(task.program), *arguments],
            executable=prepared.built.image.absolute(),
            env={**os.environ, **variables, **own},
            close_fds=False,
            cwd=folder,
        )
    theirs.close()
    server = Server(ours, folder)
    try:
        assert server.answer()["number"] == symbolic.HELLO
        yield server
    finally:
        ours.close()
        process.wait(TIMEOUT)
