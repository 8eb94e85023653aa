"""Publicly known heap bugs in real programs: the input that triggers each, and what must be found.

The inputs are generated here from the description of the bug; no file of the
programs or of their reports is used.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whence.demo.programs import AUDIOFILE, GIFSICLE_190, GIFSICLE_193, JHEAD, JQ, LUPA_LUA, Program


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a correct report of the bug says.

    `function` and `line` are those of a frame at most `depth` levels up: an
    access inside a C library function is reported there. `block_size` is None
    where no block is involved, `allocated_by` names a function on the
    allocation stack, `freed_by` one on the free stack.
    """

    rule: str
    access: str
    function: str
    file: str
    line: int
    block_size: int | None = None
    allocated_by: str | None = None
    freed_by: str | None = None


@dataclass(frozen=True, slots=True)
class KnownBug:
    """One bug: where it is described, and how to make it happen.

    `arrange` writes the input files into an empty directory, where the program
    is then run with `arguments`.
    """

    name: str
    reference: str
    summary: str
    program: Program
    executable: str
    arguments: tuple[str, ...]
    arrange: Callable[[Path], None]
    expected: Expectation


def _jq_number(directory: Path) -> None:
    (directory / "number.json").write_text("1" * 256)


def _lua_constant_environment(directory: Path) -> None:
    constants = "".join(f"local c{index} <const> = {index}\n" for index in range(60))
    function = "local function f()\n  local _ENV <const> = 0\n  name = 'value'\nend\n"
    (directory / "constants.lua").write_text(f"{constants}{function}coroutine.wrap(f)()\n")


def _nothing(directory: Path) -> None:
    """The command line alone triggers the bug."""


def _gif(*blocks: bytes, colours: bool = True, size: int = 1) -> bytes:
    screen = struct.pack("<HHBBB", size, size, 0x80 if colours else 0, 0, 0)
    table = bytes([255, 0, 192, 192, 192, 0]) if colours else b""
    return b"GIF89a" + screen + table + b"".join(blocks) + b";"


_PIXEL = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
_NAME = b"\x21\xce\x05hello\x00"


def _gif_dangling_name(directory: Path) -> None:
    (directory / "named.gif").write_bytes(_gif(_PIXEL, _NAME))
    (directory / "empty.gif").write_bytes(_gif())
    (directory / "plain.gif").write_bytes(_gif(_PIXEL))


def _gif_without_colours(directory: Path) -> None:
    (directory / "colourless.gif").write_bytes(_gif(_PIXEL, colours=False))


def _wave(directory: Path) -> None:
    """Two thousand samples of 16 bits, one channel."""
    samples = struct.pack("<h", 300) * 2000
    header = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 44100, 88200, 2, 16)
    chunks = b"WAVE" + header + struct.pack("<4sI", b"data", len(samples)) + samples
    (directory / "mono.wav").write_bytes(struct.pack("<4sI", b"RIFF", len(chunks)) + chunks)


def _jpeg_gps(directory: Path) -> None:
    """A GPS tag of sixteen numbers that ends with its Exif section."""
    entry = struct.Struct("<HHII")
    header = b"II*\0" + struct.pack("<I", 8)
    main = struct.pack("<H", 1) + entry.pack(0x8825, 4, 1, 26) + struct.pack("<I", 0)
    gps = struct.pack("<H", 1) + entry.pack(0x0010, 4, 16, 44) + struct.pack("<I", 0)
    exif = b"Exif\0\0" + header + main + gps + struct.pack("<16I", *range(16))
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, 1, 1, 1) + b"\x01\x11\x00"
    scan = b"\xff\xda" + struct.pack(">HB", 8, 1) + b"\x01\x00\x00\x3f\x00" + b"\0\xff\xd9"
    section = b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
    (directory / "gps.jpg").write_bytes(b"\xff\xd8" + section + frame + scan)


JQ_CHECK_LITERAL = KnownBug(
    name="jq-check-literal",
    reference="CVE-2015-8863",
    summary="a number of 256 digits fills the token buffer, its terminating zero lies behind it",
    program=JQ,
    executable="jq",
    arguments=(".", "number.json"),
    arrange=_jq_number,
    expected=Expectation(
        "heap-buffer-overflow", "write", "check_literal", "jv_parse.c", 488, 256, allocated_by="tokenadd"
    ),
)

KNOWN_BUGS: tuple[KnownBug, ...] = (
    JQ_CHECK_LITERAL,
    KnownBug(
        name="lua-constant-environment",
        reference="CVE-2022-28805",
        summary="a compile-time constant named _ENV is used as a register number, far above the stack",
        program=LUPA_LUA,
        executable="lua",
        arguments=("constants.lua",),
        arrange=_lua_constant_environment,
        expected=Expectation(
            "heap-buffer-overflow", "read", "luaV_execute", "lvm.c", 1332, 720, allocated_by="stack_init"
        ),
    ),
    KnownBug(
        name="gifsicle-ambiguity",
        reference="CVE-2023-36193",
        summary="the message about a wrong option value lists one possibility more than an array has",
        program=GIFSICLE_193,
        executable="gifsicle",
        arguments=("--loopcount=-",),
        arrange=_nothing,
        expected=Expectation(
            "heap-buffer-overflow", "read", "ambiguity_error", "clp.c", 2395, 24,
            allocated_by="finish_string_list",
        ),
    ),
    KnownBug(
        name="jhead-gps-numbers",
        reference="jhead issue 84",
        summary="every number of an array is printed with the length of the whole array",
        program=JHEAD,
        executable="jhead",
        arguments=("-v", "gps.jpg"),
        arrange=_jpeg_gps,
        expected=Expectation(
            "heap-buffer-overflow", "read", "Get32s", "exif.c", 336, 136, allocated_by="ReadJpegSections"
        ),
    ),
    KnownBug(
        name="gifsicle-double-free",
        reference="CVE-2017-18120",
        summary="the name of an image stays in a static variable after it was freed",
        program=GIFSICLE_190,
        executable="gifsicle",
        arguments=("named.gif", "empty.gif", "-o", "out.gif"),
        arrange=_gif_dangling_name,
        expected=Expectation(
            "double-free", "free", "read_gif", "gifread.c", 898, 6,
            allocated_by="Gif_Realloc", freed_by="read_gif",
        ),
    ),
    KnownBug(
        name="gifsicle-dangling-name",
        reference="CVE-2017-18120",
        summary="the freed name of the bug above becomes the name of the next image and is copied",
        program=GIFSICLE_190,
        executable="gifsicle",
        arguments=("named.gif", "plain.gif", "-o", "out.gif"),
        arrange=_gif_dangling_name,
        expected=Expectation(
            "dangling-pointer-dereference", "read", "Gif_CopyString", "giffunc.c", 185, 6,
            allocated_by="Gif_Realloc", freed_by="read_gif",
        ),
    ),
    KnownBug(
        name="gifsicle-null-colours",
        reference="CVE-2020-19752",
        summary="the colours of an image that has none are searched",
        program=GIFSICLE_190,
        executable="gifsicle",
        arguments=("-t", "1", "colourless.gif", "-o", "out.gif"),
        arrange=_gif_without_colours,
        expected=Expectation("null-pointer-dereference", "read", "find_color_or_error", "support.c", 1108),
    ),
    KnownBug(
        name="audiofile-channels",
        reference="CVE-2015-7747",
        summary="samples that became smaller are mixed into more channels at their old size",
        program=AUDIOFILE,
        executable="sfconvert",
        arguments=("mono.wav", "out.aiff", "format", "aiff", "channels", "2", "integer", "8", "2scomp"),
        arrange=_wave,
        expected=Expectation(
            "heap-buffer-overflow", "write", "ApplyChannelMatrix::run<short>", "SimpleModule.cpp", 125, 2048,
            allocated_by="ModuleState::setup",
        ),
    ),
)  # fmt: skip
