"""What checked processes send to others: a file beside the record for each, ``SUFFIX`` and its number behind
the record's name. It consists of frames, in the order of time."""

from __future__ import annotations

from whence.abi.structs import Field, Layout

SUFFIX = ".sent."
MOST_BYTES = 16 << 20
"""Bytes of one process's file; what it sends later is not in it."""
KINDS = {"PROGRAM": 1, "CHAIN": 2, "BYTES": 3, "FULL": 4}
"""PROGRAM: the name of the program; what follows is its own, until the process executes another one. CHAIN: a
node, and the text of its chain, as in a record. BYTES: what was sent, and which node each part has. FULL: the
file has no room for more."""

FRAME = Layout(
    "whence_sent_frame",
    (
        Field("kind", "u32"),
        Field("size", "u32", "bytes of the whole frame, a multiple of 8"),
        Field("node", "u32", "of a chain"),
        Field("length", "u32", "bytes of the text, or that were sent"),
    ),
)
"""Begins a frame. The text, or a `SENT`, the bytes and the parts follow, each padded to a multiple of 8."""
SENT = Layout(
    "whence_sent",
    (
        Field("device", "u64", "of the file"),
        Field("inode", "u64"),
        Field("offset", "u64", "of the first byte"),
        Field("parts", "u64", "how many there are"),
    ),
)
PART = Layout(
    "whence_sent_part",
    (
        Field("begin", "u32", "of the part in what was sent"),
        Field("size", "u32"),
        Field("node", "u64", "0: none"),
    ),
)
