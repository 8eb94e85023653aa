"""Messages between a worker and its sessions: bytes behind their length."""

from __future__ import annotations

import os
import select
import struct
from typing import IO

_IDLE = 60.0
"""Seconds after which a session without work ends: its coordinator may be gone."""
_LENGTH = struct.Struct("<Q")
READY = b"ready"
"""The answer of a session to a mission that it takes; another is a sentence about why it does not."""


def received(file: int) -> bytes:
    """One message; empty when there are no more."""
    ready, _, _ = select.select([file], [], [], _IDLE)
    head = _exactly(file, _LENGTH.size) if ready else b""
    return _exactly(file, _LENGTH.unpack(head)[0]) if head else b""


def _exactly(file: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(file, size - len(data))
        if not part:
            return b""
        data += part
    return data


def send(file: IO[bytes], data: bytes) -> None:
    """Write one message."""
    file.write(_LENGTH.pack(len(data)) + data)
    file.flush()


def receive(file: IO[bytes]) -> bytes:
    """Read one message, as bytes; raises `EOFError` if there is none."""
    head = file.read(_LENGTH.size)
    data = file.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""
    if not data:
        raise EOFError
    return data
