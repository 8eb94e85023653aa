"""What the kernel answered a program: a file beside the record, ``SUFFIX`` behind its name.

The first process of a run keeps the answers to the C library's system calls, of each thread in its order,
and each child of fork does in a file of its own (the process's number behind the name), which begins with
what its parent did. A second run gets them again, and executes nothing that would change the world. Behind a
header stand the calls, each followed by the bytes that the kernel put into memory: for each output its size,
a u32, and its bytes; all of it filled up to 8 bytes.
"""

from __future__ import annotations

from whence.abi.structs import Field, Layout

SUFFIX = ".calls"
FILE_SIZE = 1 << 28
MODES = {"NONE": 0, "KEEP": 1, "REPEAT": 2}
"""What the option ``calls`` says: answers are kept, or given again."""
SMALL_FILE = 1 << 20
SMALL_READ = 1 << 10
"""Bytes of a regular file that is kept as it was read; a larger one is read again, if it is the same,
but for reads of fewer bytes than ``SMALL_READ``."""

HEADER = Layout(
    "whence_calls_header",
    (
        Field("owner", "u32", "the process whose calls they are, 0: none yet"),
        Field("flags", "u32", "bits of ``FLAGS``"),
        Field("used", "u64", "bytes behind the header"),
    ),
)
FLAGS = {"FULL": 1, "ASTRAY": 2}
"""``FULL``: there was no room for all calls. ``ASTRAY``: a second run made another call than the first."""
FUNCTIONS = {
    name: number
    for number, name in enumerate(("FORK", "VFORK", "SYSTEM", "POPEN", "PCLOSE", "SPAWN", "DAEMON"), 1 << 15)
}
"""Numbers of functions that stand for the calls they make."""
OUTSIDE = 1 << 14
"""What is added to a kind of `whence.abi.outside` to be a number of an answer."""
ALL = 1 << 62
"""The result of a call that did all that its third argument says."""
CALL = Layout(
    "whence_call",
    (
        Field("size", "u32", "of this and what follows it; 0: not complete"),
        Field("site", "u32", "where in the C library the call is; 0: a function stands for it"),
        Field("number", "u16", "of the system call"),
        Field("thread", "u16", "which of the process's threads"),
        Field("outputs", "u32", "bytes that follow"),
        Field("repeats", "u32", "how many more such calls the thread made at once"),
        Field("unused", "u32"),
        Field("result", "u64", "or the negative error"),
    ),
)
