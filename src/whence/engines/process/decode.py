"""Decodes the record file of a checked process to numbers and addresses, without names.

The file may be truncated, incomplete or damaged by the program's bug: the decoder
reads as much as possible, and a note says what was lost. The format stands
in `whence.abi.records`.
"""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from whence.abi import records
from whence.engines.process.sent import Sent
from whence.errors import ToolLimit
from whence.findings import LeakCheck, LeakMoment, Process, Total
from whence.symbols.maps import MemoryMap

_PREFIX = struct.Struct("<II")
_NOT_ZERO = re.compile(rb"[^\0]")
_REFUSED = {number: name for name, number in records.REFUSAL_MOMENTS.items()}
_MOMENTS = {number: LeakMoment[name] for name, number in records.LEAK_CHECKS.items() if number}


@dataclass(frozen=True, slots=True)
class RawFinding:
    """One FINDING record: the numbers of `records.FINDING` and its arrays, addresses unnamed."""

    fields: dict[str, int]
    stack: tuple[int, ...] = ()
    alloc: tuple[int, ...] = ()
    free: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    states: bytes = b""
    name: str = ""
    variable: str = ""
    types: str = ""
    chains: str = ""
    description: str = ""
    described: tuple[int, ...] = ()
    second_alloc: tuple[int, ...] = ()
    second_variable: str = ""
    undefined: tuple[int, ...] = ()
    earlier: tuple[int, ...] = ()
    process: Process | None = None

    def flag(self, name: str) -> bool:
        return bool(self.fields["flags"] & records.FINDING_FLAGS[name])


@dataclass(frozen=True, slots=True)
class Refusal:
    """One REFUSAL record: why the runtime did not check a process, or did no longer.

    moment: the key in `records.REFUSAL_MOMENTS`. process: as far as its record says.
    """

    pid: int
    moment: str
    reason: str
    process: Process | None = None


@dataclass(slots=True)
class RawRun:
    """A record file, decoded: findings, memory maps by number, processes, sentences of the runtime.

    `pid` is the process that initialised the runtime (0: none did),
    `finished` whether it ended in order, `dropped` counts records without room,
    `lost` the findings among them. `suppressions` are texts of the program for LeakSanitizer.
    """

    pid: int = 0
    finished: bool = False
    dropped: int = 0
    lost: int = 0
    findings: list[RawFinding] = field(default_factory=list)
    maps: dict[int, MemoryMap] = field(default_factory=dict)
    processes: dict[int, Process] = field(default_factory=dict)
    sent: Sent = field(default_factory=Sent)
    merged: dict[int, MemoryMap] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    suppressions: list[str] = field(default_factory=list)
    leak_checks: list[LeakCheck] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def started(self) -> bool:
        """Whether the runtime was loaded and wrote its header."""
        return self.pid != 0


def read_records(path: str | Path) -> RawRun:
    """Decode a record file.

    Raises `ToolLimit` when the file cannot be read, is of another version, or
    has no readable part. Any other damage ends in `notes`.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(records.HEADER_SIZE)
            header = records.HEADER.unpack(data[: records.HEADER.size].ljust(records.HEADER.size, b"\0"))
            if not any(data[: records.HEADER.size]):
                return RawRun()
            intact = header["magic"] == int.from_bytes(records.MAGIC, "little")
            room = os.fstat(file.fileno()).st_size
            wanted = min(header["used"], room) if intact else room
            data += file.read(max(0, wanted - len(data)))
    except OSError as error:
        raise ToolLimit(f"{path}: cannot read the record of the run: {error.strerror}") from error
    if not intact:
        return _salvage(data, path)
    if header["version"] != records.VERSION:
        raise ToolLimit(
            f"{path}: record format {header['version']}, this whence reads {records.VERSION}: "
            "the runtime in the program is of another version; LD_PRELOAD or LD_LIBRARY_PATH may name it, or "
            "the installation is out of date: install whence again"
        )
    run = RawRun(header["pid"], header["state"] == records.FILE_STATES["FINISHED"], header["dropped"])
    _decode(data[: header["used"]], run)
    run.lost = max(0, header["findings"] - sum(1 + found.fields["repeats"] for found in run.findings))
    _note_losses(run, header, len(data))
    return run


def _salvage(data: bytes, path: str | Path) -> RawRun:
    """Decodes the records after a header that the program has overwritten."""
    run = RawRun(dropped=1)
    _decode(data, run)
    if not (run.findings or run.maps):
        raise ToolLimit(
            f"{path}: the record of the run is not one of whence, or the program has overwritten it; "
            "run again with --halt to stop at the first finding"
        )
    run.pid = run.findings[0].fields["pid"] if run.findings else 0
    run.notes.append("the program has overwritten the record of its run: findings may be missing")
    return run


def _note_losses(run: RawRun, header: dict[str, int], read: int) -> None:
    if header["dropped"]:
        run.notes.append(
            f"the record of the run was full: {header['dropped']} records are missing; "
            "correct the first findings and run again"
        )
    if read < min(header["used"], header["capacity"]):
        run.notes.append("the record of the run is cut off: later findings are missing")


def _decode(data: bytes, run: RawRun) -> None:
    """Decodes the records in order; stops with a note at an invalid length."""
    view = memoryview(data)
    offset, unfinished = records.HEADER_SIZE, False
    while offset + _PREFIX.size <= len(data):
        kind, length = _PREFIX.unpack_from(data, offset)
        if kind == length == 0:  # space of a writer that died before it wrote the first word
            unfinished = True
            offset = _next_word(data, offset)
            continue
        if length < _PREFIX.size or length % 8 or length > len(data) - offset:
            run.notes.append(
                f"the record of the run is damaged at byte {offset} (a record of {length} bytes): "
                "what follows is missing"
            )
            break
        unfinished |= kind == 0
        _decode_record(kind, view[offset + _PREFIX.size : offset + length], run)
        offset += length
    if unfinished and not run.dropped:
        run.notes.append("a finding was being written when the program died: it is missing")


def _next_word(data: bytes, offset: int) -> int:
    """The offset of the next 8-byte word that is not zero, or the end."""
    match = _NOT_ZERO.search(data, offset)
    return match.start() & ~7 if match else len(data)


def _decode_record(kind: int, payload: memoryview, run: RawRun) -> None:
    """Decodes one record; ignores unknown kinds, which are of a newer runtime."""
    try:
        if kind == records.RECORD_TYPES["FINDING"]:
            found = _decode_finding(payload)
            run.findings.append(replace(found, process=run.processes.get(found.fields["pid"])))
        elif kind == records.RECORD_TYPES["PROCESS"]:
            _decode_process(payload, run)
        elif kind == records.RECORD_TYPES["MAPS"]:
            number, length = _PREFIX.unpack_from(payload)
            run.maps[number] = MemoryMap.parse(_text(payload[8 : 8 + length]))
        elif kind == records.RECORD_TYPES["NOTE"]:
            (length,) = struct.unpack_from("<I", payload)
            run.notes.append(_text(payload[8 : 8 + length]))
        elif kind == records.RECORD_TYPES["SUPPRESSIONS"]:
            (length,) = struct.unpack_from("<I", payload)
            run.suppressions.append(_text(payload[8 : 8 + length]))
        elif kind == records.RECORD_TYPES["LEAKS"]:
            run.leak_checks.append(_decode_check(payload))
        elif kind == records.RECORD_TYPES["REFUSAL"]:
            run.refusals.append(_decode_refusal(payload, run))
    except struct.error:
        run.notes.append("a record of the run is damaged and was left out")


def _decode_process(payload: memoryview, run: RawRun) -> None:
    """Decodes a PROCESS record, which a process writes again after it executes another program."""
    pid, parent, length, _ = struct.unpack_from("<IIII", payload)
    words = bytes(payload[16 : 16 + length]).rstrip(b"\0").split(b"\0")
    command = tuple(word.decode(errors="surrogateescape") for word in words) if length else ()
    run.processes[pid] = Process(pid, parent, command)


def _text(data: memoryview) -> str:
    return bytes(data).rstrip(b"\0").decode(errors="surrogateescape")


def _decode_check(payload: memoryview) -> LeakCheck:
    """Raises `struct.error` for a payload that is too short or of a check that is not known."""
    f = records.LEAKS.unpack(payload)
    if f["check"] not in _MOMENTS:
        raise struct.error(f"leak check {f['check']}")
    totals, inherited = (
        {kind: Total(f[f"{prefix}{kind}_blocks"], f[f"{prefix}{kind}_bytes"]) for kind in records.LEAK_TOTALS}
        for prefix in ("", "inherited_")
    )
    return LeakCheck(_MOMENTS[f["check"]], f["pid"], f["time"], **totals, inherited=inherited)


def _decode_refusal(payload: memoryview, run: RawRun) -> Refusal:
    """Raises `struct.error` for a payload that is too short or of a moment that is not known."""
    f = records.REFUSAL.unpack(payload)
    if f["moment"] not in _REFUSED:
        raise struct.error(f"moment {f['moment']} of a refusal")
    text = _text(payload[records.REFUSAL.size :][: f["length"]])
    return Refusal(f["pid"], _REFUSED[f["moment"]], text, run.processes.get(f["pid"]))


def _decode_finding(payload: memoryview) -> RawFinding:
    """Raises `struct.error` when the payload is shorter than its own counts say."""
    fields = records.FINDING.unpack(payload)
    offset = records.FINDING.size
    arrays: dict[str, Any] = {}
    for name, kind in records.FINDING_ARRAYS:
        size = fields[f"n_{name}"] * (8 if kind == "u64" else 1)
        if size > len(payload) - offset:
            raise struct.error(f"array {name} runs past its record")
        part = payload[offset : offset + size]
        arrays[name] = _words(part) if kind == "u64" else bytes(part) if name == "states" else _text(part)
        offset += size + (-size % 8)
    return RawFinding(fields, **arrays)


def _words(data: memoryview) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 8}Q", data)


def read_finding(data: memoryview, offset: int) -> RawFinding | None:
    """The FINDING record at an offset of a record file; None if it is unreadable."""
    if not records.HEADER_SIZE <= offset <= len(data) - _PREFIX.size:
        return None
    kind, length = _PREFIX.unpack_from(data, offset)
    if kind != records.RECORD_TYPES["FINDING"] or length < _PREFIX.size:
        return None
    try:
        return _decode_finding(data[offset + _PREFIX.size : offset + length])
    except struct.error:
        return None
