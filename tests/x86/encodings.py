"""Instructions made from every opcode, prefix and length of the legacy, VEX and EVEX encodings."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

_PREFIXES = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0x9B, 0xF0, 0xF2, 0xF3, *range(0x40, 0x50)}
_ESCAPES = {"": _PREFIXES | {0x0F, 0x62, 0x8F, 0xC4, 0xC5}, "0f": {0x38, 0x3A}, "0f38": set(), "0f3a": set()}
_SLOT = 32
Maker = Callable[[], Iterator[str]]


def legacy() -> Iterator[str]:
    for escape, prefix, rex, opcode in product(_ESCAPES, ("", "66", "f3", "f2"), ("", "48"), range(256)):
        if opcode not in _ESCAPES[escape]:
            for reg, (modrm, rest) in product(range(8), ((0x43, "10"), (0x84, "8b78563412"))):
                yield f"{prefix}{rex}{escape}{opcode:02x}{modrm | reg << 3:02x}{rest}"


def vex() -> Iterator[str]:
    for table, wide, long, prefix, opcode in product((1, 2, 3), (0, 1), (0, 1), range(4), range(256)):
        for reg in range(8):
            third = wide << 7 | 0x78 | long << 2 | prefix
            yield f"c4{0xE0 | table:02x}{third:02x}{opcode:02x}{0x44 | reg << 3:02x}8b10"


def evex() -> Iterator[str]:
    parts = product(
        (1, 2, 3, 5, 6), (0, 1), (0, 1, 2), range(4), range(256), (1, 2, 4, 6), (0x08, 0x09, 0x18)
    )
    for table, wide, length, prefix, opcode, reg, low in parts:
        third, fourth = wide << 7 | 0x7C | prefix, length << 5 | low
        yield f"62{0xF0 | table:02x}{third:02x}{fourth:02x}{opcode:02x}{0x44 | reg << 3:02x}8b10"


def disassemble(codes: list[str], folder: Path) -> Iterator[tuple[str, str, str]]:
    """What objdump makes of each: 15 bytes from the code on, the instruction's bytes, its text."""
    padded = [bytes.fromhex(code).ljust(_SLOT, b"\x90") for code in codes]
    raw = folder / "encodings.bin"
    raw.write_bytes(b"".join(padded))
    command = ["objdump", "-D", "-w", "-M", "intel", "--insn-width=16", "-b", "binary", "-m", "i386:x86-64"]
    done = subprocess.run([*command, str(raw)], capture_output=True, text=True, check=True)
    for place, code, text in re.findall(r"^\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(.*)$", done.stdout, re.M):
        number, offset = divmod(int(place, 16), _SLOT)
        if not offset:
            yield padded[number][:15].hex(), code.replace(" ", ""), text
