"""Frames of call stacks, and which of them say where something is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from whence.findings.plain import ADDRESS, KNOWN, OWN

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
_SYSTEM_HEADERS = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
_SYSTEM_MODULES = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "[")


@dataclass(frozen=True, slots=True)
class Frame:
    """One level of a call stack; several share a `pc` when functions were inlined.

    `offset` is the address inside `module` as its own symbol table counts it
    (an ELF virtual address), None when the module is not a readable ELF file.
    `inlined` marks a function whose body was copied into the next frame.
    `linkage` is the name of the function's symbol, None where it is inlined or has none.
    """

    pc: int = field(metadata=ADDRESS)
    module: str | None = None
    offset: int | None = field(default=None, metadata=ADDRESS)
    function: str | None = None
    file: str | None = None
    line: int = field(default=0, metadata=KNOWN)
    column: int = field(default=0, metadata=KNOWN)
    inlined: bool = False
    linkage: str | None = field(default=None, metadata=OWN)


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
