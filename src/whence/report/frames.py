"""The frames of a stack that reports show, and their texts."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from whence.findings import Frame
from whence.report.styles import printable

_BELOW_MAIN = frozenset(
    (
        "_start",
        "__libc_start_main",
        "__libc_start_main_impl",
        "__libc_start_call_main",
        "start_thread",
        "clone",
        "clone3",
        "__clone",
        "__clone3",
    )
)
NONE: Mapping[str, str] = MappingProxyType({})
_SYSTEM_HEADERS = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
_SYSTEM_MODULES = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "[")


def visible(stack: Sequence[Frame]) -> Sequence[Frame]:
    """The stack without the callers of `main` and of a thread's first function."""
    for index, frame in enumerate(stack):
        if frame.function == "main" and not frame.inlined:
            return stack[: index + 1]
    end = len(stack)
    while end > 0 and (stack[end - 1].function in _BELOW_MAIN or _is_nameless(stack[end - 1])):
        end -= 1
    return stack[:end] or stack


def _is_nameless(frame: Frame) -> bool:
    return frame.function is None and frame.module is None


def is_system(path: str) -> bool:
    """Whether the frame is in a header of the system."""
    return path.startswith(_SYSTEM_HEADERS)


def is_own(frame: Frame) -> bool:
    """Whether the frame has a line in a file of the user."""
    if not frame.file or not frame.line or is_system(frame.file):
        return False
    return not (frame.module or "").startswith(_SYSTEM_MODULES)


def place(stack: Sequence[Frame]) -> Frame | None:
    """The frame to show as the place of a stack.

    The innermost one in the user's own files; else the innermost with a line;
    else the innermost.
    """
    shown = visible(stack)
    own = [frame for frame in shown if is_own(frame)]
    lines = [frame for frame in shown if frame.file and frame.line]
    return next(iter([*own, *lines, *shown]), None)


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
