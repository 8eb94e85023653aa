"""What the processes of a run sent to each other, as they wrote it down beside the record
(`whence.abi.sent`)."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from pathlib import Path

from whence.abi.sent import FRAME, KINDS, MOST_BYTES, PART, SENT, SUFFIX
from whence.findings.chains import Content

_FNV_BASIS, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
_WORD = (1 << 64) - 1
_KINDS = {number: name for name, number in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Part:
    """`size` bytes from `begin` on, of what was sent at once, have a chain."""

    begin: int
    size: int
    node: int


@dataclass(frozen=True, slots=True)
class Piece:
    """What one call sent: `data`, which is at `offset` of a file."""

    file: tuple[int, int]
    offset: int
    data: bytes
    parts: tuple[Part, ...] = ()


@dataclass(slots=True)
class Sender:
    """A program in one process: what it sent, in order, and the texts of the chains by their nodes. full: it
    sent more."""

    pid: int
    program: str = ""
    pieces: list[Piece] = field(default_factory=list)
    chains: dict[int, str] = field(default_factory=dict)
    full: bool = False
    _digests: dict[Content, bool] = field(default_factory=dict)

    def has_sent(self, content: Content) -> bool:
        """Whether the bytes by which an input is recognised are this process's."""
        known = self._digests.get(content)
        if known is None:
            found = self.bytes_of((content.device, content.inode), content.first, content.count)
            known = self._digests[content] = found is not None and _digest(found) == content.digest
        return known

    def bytes_of(self, file: tuple[int, int], first: int, count: int) -> bytes | None:
        """What stands at a place of a file, if all of it was sent by this process."""
        content, known = bytearray(count), bytearray(count)
        for piece in self.pieces:
            begin = max(piece.offset, first)
            end = min(piece.offset + len(piece.data), first + count)
            if piece.file == file and begin < end:
                content[begin - first : end - first] = piece.data[begin - piece.offset : end - piece.offset]
                known[begin - first : end - first] = b"\1" * (end - begin)
        return bytes(content) if all(known) else None

    def part_at(self, file: tuple[int, int], offset: int) -> tuple[Piece, Part] | None:
        """The part that has the byte at an offset of a file, and the piece that it is of."""
        for piece in reversed(self.pieces):
            at = offset - piece.offset
            if piece.file == file and 0 <= at < len(piece.data):
                return next(((piece, each) for each in piece.parts if 0 <= at - each.begin < each.size), None)
        return None


def _digest(content: bytes) -> int:
    """FNV-1a."""
    digest = _FNV_BASIS
    for each in content:
        digest = (digest ^ each) * _FNV_PRIME & _WORD
    return digest


@dataclass(frozen=True, slots=True)
class Sent:
    """The processes that sent something."""

    senders: tuple[Sender, ...] = ()

    @property
    def notes(self) -> list[str]:
        """Sentences for the user: what is not known."""
        full = ", ".join(f"{each.program} ({each.pid})" for each in self.senders if each.full)
        said = f"sent more than {MOST_BYTES >> 20} MiB, with what is known of it"
        return [f"{full} {said}: chains of what came later end where it was read"] if full else []


def read_sent(record: Path) -> Sent:
    """What stands beside a record."""
    found = []
    for path in sorted(record.parent.glob(f"{record.name}{SUFFIX}*")):
        number = path.name.removeprefix(f"{record.name}{SUFFIX}")
        if number.isdecimal():
            try:
                found += read_senders(int(number), path.read_bytes())
            except OSError:
                continue
    return Sent(tuple(found))


def read_senders(pid: int, data: bytes) -> list[Sender]:
    """One process's file, as far as it is whole: its programs, one after the other."""
    sender, at = Sender(pid), 0
    senders = [sender]
    while at + FRAME.size <= len(data):
        frame = FRAME.unpack(data, at)
        body = data[at + FRAME.size : at + frame["size"]]
        if frame["size"] < FRAME.size or frame["size"] % 8 or len(body) != frame["size"] - FRAME.size:
            break
        kind, length = _KINDS.get(frame["kind"]), frame["length"]
        if kind == "PROGRAM" and length <= len(body):
            sender = Sender(pid, os.path.basename(os.fsdecode(body[:length])))
            senders.append(sender)
        elif kind == "CHAIN" and length <= len(body):
            sender.chains[frame["node"]] = body[:length].decode("utf-8", "replace")
        elif kind == "BYTES":
            piece = _piece(body, length)
            if piece is not None:
                sender.pieces.append(piece)
        elif kind == "FULL":
            sender.full = True
        at += frame["size"]
    return senders


def _piece(body: bytes, length: int) -> Piece | None:
    """What was sent at once; None if the frame is damaged."""
    if len(body) < SENT.size + length:
        return None
    head = SENT.unpack(body, 0)
    begin = SENT.size + (length + 7) // 8 * 8
    if begin + head["parts"] * PART.size > len(body):
        return None
    rows = struct.iter_unpack(PART.format, body[begin : begin + head["parts"] * PART.size])
    parts = tuple(Part(*row) for row in rows)
    data = body[SENT.size : SENT.size + length]
    return Piece((head["device"], head["inode"]), head["offset"], data, parts)
