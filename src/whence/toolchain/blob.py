"""The formats of the sections: blobs of compressed bitcode, and records of links.

A linker concatenates sections of the same name, so a section may have several
blobs or records, with zero bytes between them::

    .whence.ir    IR_PREFIX, JSON header, payload (zlib, bitcode)
    .whence.link  LINK_PREFIX, body: u32 JSON length, JSON (zlib), attached files (zlib each)

The digest of a module is the SHA-256 of its payload.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from whence.symbols.elf import Elf, Section

IR_SECTION = ".whence.ir"
LINK_SECTION = ".whence.link"
IR_MAGIC = b"WHENCEIR"
LINK_MAGIC = b"WHENCELK"
VERSION = 1

IR_PREFIX = struct.Struct("<8sIIQ32s")
"""Magic, version, header length, payload length, SHA-256 of the payload."""
LINK_PREFIX = struct.Struct("<8sIIQ32s")
"""Magic, version, zero, body length, SHA-256 of the body."""

MAX_HEADER = 1 << 20
MAX_RECORD = 16 << 20
MAX_BITCODE = 1 << 30

LEVEL = 1
"""The level of zlib for bitcode: 9 times faster than 6 with debug information, 5 % larger."""
LINK_LEVEL = 6
"""The level of zlib for records of links."""


class BlobError(Exception):
    """A section's contents are damaged; the message says how."""


class Entry:
    """The position of one blob: `header` and `payload` as (offset, size) in the section, `digest` in hex."""

    __slots__ = ("digest", "end", "header", "payload", "start")

    def __init__(self, start: int, header: int, payload: int, digest: str) -> None:
        self.start = start
        self.header = (start + IR_PREFIX.size, header)
        self.payload = (start + IR_PREFIX.size + header, payload)
        self.end = start + IR_PREFIX.size + header + payload
        self.digest = digest


def pack_ir(bitcode: bytes, header: dict[str, Any]) -> tuple[str, bytes]:
    """Digest (hex) and blob of one module; adds the field 'size' to `header`, the bytes of the bitcode."""
    import hashlib
    import json
    import zlib

    payload = zlib.compress(bitcode, LEVEL)
    digest = hashlib.sha256(payload)
    # A file name may have bytes that are no UTF-8: escapes keep the header ASCII.
    text = json.dumps({**header, "size": len(bitcode)}).encode("ascii")
    prefix = IR_PREFIX.pack(IR_MAGIC, VERSION, len(text), len(payload), digest.digest())
    return digest.hexdigest(), prefix + text + payload


def entries(elf: Elf, section: Section) -> Iterator[Entry]:
    """The blobs in an IR section, without reading their contents; raises `BlobError` or `ElfError`."""
    position = 0
    while (position := _skip_padding(elf, section, position, IR_PREFIX.size)) >= 0:
        prefix = elf.read(section.offset + position, IR_PREFIX.size)
        magic, version, header, payload, digest = IR_PREFIX.unpack(prefix)
        if magic != IR_MAGIC:
            raise BlobError(f"the IR section is damaged at byte {position}")
        if version != VERSION:
            raise BlobError(f"the IR section has version {version}, expected {VERSION}: build it again")
        entry = Entry(position, header, payload, digest.hex())
        if header > MAX_HEADER or entry.end > section.size:
            raise BlobError(f"the IR section is truncated at byte {position}")
        yield entry
        position = entry.end


def _skip_padding(elf: Elf, section: Section, position: int, least: int) -> int:
    """The position of the next blob, after the zero bytes of a linker's alignment; -1 at the end."""
    while position < section.size:
        # Gaps are short as a rule, so a short read comes first.
        chunk = elf.read(section.offset + position, min(64, section.size - position))
        if not chunk.strip(b"\0"):
            chunk = elf.read(section.offset + position, min(1 << 20, section.size - position))
        rest = chunk.lstrip(b"\0")
        position += len(chunk) - len(rest)
        if rest:
            if position + least > section.size:
                raise BlobError(f"section {section.name} is truncated at byte {position}")
            return position
    return -1


def digests(elf: Elf) -> list[str]:
    """Digests of the modules that an image carries, in order; raises `BlobError` or `ElfError`."""
    section = elf.section(IR_SECTION)
    return [] if section is None else [entry.digest for entry in entries(elf, section)]


def pack_link(record: dict[str, Any], attachments: dict[str, bytes]) -> bytes:
    """The link blob; `attachments` maps the SHA-256 of a file to its zlib-compressed bytes."""
    import hashlib
    import json
    import zlib

    table: dict[str, list[int]] = {}
    position = 0
    for digest, data in attachments.items():
        table[digest] = [position, len(data)]
        position += len(data)
    text = zlib.compress(json.dumps({**record, "files": table}).encode("ascii"), LINK_LEVEL)
    body = b"".join((struct.pack("<I", len(text)), text, *attachments.values()))
    return LINK_PREFIX.pack(LINK_MAGIC, VERSION, 0, len(body), hashlib.sha256(body).digest()) + body


def unpack_links(elf: Elf, section: Section) -> list[tuple[dict[str, Any], dict[str, bytes]]]:
    """Every link record in the section with its compressed attachments; raises `BlobError` or `ElfError`."""
    import hashlib

    records = []
    position = 0
    while (position := _skip_padding(elf, section, position, LINK_PREFIX.size)) >= 0:
        prefix = elf.read(section.offset + position, LINK_PREFIX.size)
        magic, version, _, size, digest = LINK_PREFIX.unpack(prefix)
        start = position + LINK_PREFIX.size
        if magic != LINK_MAGIC or start + size > section.size:
            raise BlobError(f"the link record is damaged at byte {position}")
        if version != VERSION:
            raise BlobError(
                f"the link record has version {version}, expected {VERSION}: link the program again"
            )
        body = elf.read(section.offset + start, size)
        if hashlib.sha256(body).digest() != digest:
            raise BlobError("the link record does not match its checksum")
        records.append(_link_body(body))
        position = start + size
    return records


def _link_body(body: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    import json

    try:
        (length,) = struct.unpack_from("<I", body)
        record = json.loads(inflate(body[4 : 4 + length], MAX_RECORD))
        base = 4 + length
        files = {
            str(digest): body[base + int(offset) : base + int(offset) + int(size)]
            for digest, (offset, size) in record.pop("files").items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error) as error:
        raise BlobError("the link record is damaged") from error
    return record, files


def inflate(data: bytes, limit: int) -> bytes:
    """The decompressed data, at most `limit` bytes; raises `BlobError` if it is larger or damaged."""
    import zlib

    stream = zlib.decompressobj()
    try:
        result = stream.decompress(data, limit)
    except zlib.error as error:
        raise BlobError("compressed data is damaged") from error
    if not stream.eof:
        raise BlobError("compressed data is truncated or larger than it says")
    return result
