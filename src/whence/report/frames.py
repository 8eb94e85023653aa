"""The frames of a stack that reports show, and their texts."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from types import MappingProxyType

from whence.findings.frames import Frame
from whence.findings.frames import is_own as is_own
from whence.findings.frames import is_system as is_system
from whence.findings.frames import place as place
from whence.findings.frames import visible as visible
from whence.report.styles import printable

NONE: Mapping[str, str] = MappingProxyType({})


def short_path(path: str, directory: str) -> str:
    """The path relative to `directory` when it lies below it."""
    inside = path.startswith(directory.rstrip("/") + "/")
    return printable(os.path.relpath(path, directory) if inside else path)


def position(frame: Frame, directory: str) -> str:
    """``src/fill.c:12:14``, as far as it is known, else the place in the module."""
    if not frame.file:
        return module_position(frame)
    parts = [short_path(frame.file, directory), *(str(n) for n in (frame.line, frame.column) if n)]
    return ":".join(parts)


def module_position(frame: Frame) -> str:
    """``libc.so.6+0x8aeec``; the address itself where the offset in the module is unknown, nothing without an
    address."""
    if frame.module is None:
        return f"{frame.pc:#x}" if frame.pc else ""
    name = printable(os.path.basename(frame.module))
    return f"{name} at {frame.pc:#x}" if frame.offset is None else f"{name}+{frame.offset:#x}"


def code_name(frame: Frame, width: int) -> str:
    """The frame as a sentence names it: its function, else its place in the module."""
    return short_name(frame, width) if frame.function else module_position(frame)


def place_name(frame: Frame | None) -> str:
    """The same for machines, and where nothing is known."""
    return code_name(frame, 200) if frame else "an unknown function"


NAMELESS = "(no name)"
"""Code that no symbol names, as that of a stripped library."""


def short_name(frame: Frame, width: int) -> str:
    """The function's name in at most `width` cells: without template arguments, then cut.

    Of a qualified name the end is kept.
    """
    name = printable(frame.function or (NAMELESS if frame.pc else ""))
    if len(name) > width:
        name = _without_template_arguments(name)
    if len(name) <= width:
        return name
    return "…" + name[1 - width :] if "::" in name else name[: width - 1] + "…"


def _without_template_arguments(name: str) -> str:
    """``std::vector<int, std::allocator<int> >::at`` becomes ``std::vector<…>::at``."""
    shown: list[str] = []
    depth = 0
    for index, char in enumerate(name):
        operator = name.endswith("operator", 0, index) or name.endswith("operator<", 0, index)
        if char == "<" and not operator:
            depth += 1
            shown.append("<…>" if depth == 1 else "")
        elif char == ">" and depth:
            depth -= 1
        elif depth == 0:
            shown.append(char)
    return "".join(shown)
