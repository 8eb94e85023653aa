"""Labels of values and of memory: what rules, generated code and the runtime agree on.

A byte has a set of up to `MOST` labels, one bit each, shared by all domains of a rule set. The plane has, for
each byte of memory, its labels, and the byte's value when it got them: labels of a byte that holds another
value now do not count, because code that is not checked has written it. A table leads from the upper bits of
an address to a *chunk*, which is made when a byte in it first gets a label; so a program without labels pays
for one look at the table, and for no memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from whence.abi import intercepts, library
from whence.abi.structs import Field, Layout

MOST = 8
"""Labels of all domains together."""

CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "arithmetic": "sums, products, bits and floating-point numbers",
        "division": "quotients and remainders",
        "comparison": "comparisons",
        "conversion": "values of another type",
        "select": "values that a labelled condition chooses",
        "index": "values that are loaded through a labelled address",
        "parsing": "numbers that a library function reads in a labelled text",
    }
)
"""The classes of operations that pass labels on, unless a domain stops there. Copies always do."""

ARGUMENTS = "main"
"""As a source: the arguments of the program."""
STREAMS = "std::istream"
"""As a source: the functions by which C++ reads from streams of files."""
MARKS = ("VALGRIND_MAKE_MEM_UNDEFINED", "__msan_poison", "__msan_allocated_memory")
"""As sources: what programs call to have memory undefined. It gets the label instead, and loses it where it
is said to be defined."""
SOURCES = frozenset(
    {ARGUMENTS, STREAMS, *MARKS, *(name for name in library.WRAPPED if name in library.having("input"))}
)
"""Functions whose bytes may be born with a label: in the memory that they fill, or in the text that they
return."""

CHUNK_SHIFT = 16
TABLE_BASE = 0x4F08_0000_0000
"""``chunk of a = *(TABLE_BASE + (a >> CHUNK_SHIFT) * 8)``; in it, labels of bytes, then their values."""
CHUNKS_BASE = 0x4F10_0000_0000
CHUNKS_SIZE = 1 << 38

MOST_ARGUMENTS = 16
PASSED = Layout(
    "whence_labels_passed",
    (
        Field("callee", "u64", "the function that the arguments are for; 0: they are taken"),
        Field("returned", "u64", "the function that the result is from; FROM_LIBRARY: of the C library"),
        Field("result", "u64", "its labels"),
    ),
)
"""What begins the thread-local variable ``__whence_labels``. A word for each argument follows: its labels, or
of one by value the address that it is copied from."""
FROM_LIBRARY = 1
"""In place of the function that a result is from: one of the C library."""
ARGUMENTS_OFFSET = PASSED.size
PASSED_SIZE = ARGUMENTS_OFFSET + 8 * MOST_ARGUMENTS

BIRTH = Layout(
    "whence_birth",
    (
        Field("function", "ptr", "of the C library", "const char *function"),
        Field("labels", "u64", "of the bytes that come from it"),
    ),
)

_ENDS = re.compile(r"^(?:__isoc(?:99|23)_|__)|(?:_chk|_unlocked|64)$")


def relatives(source: str) -> tuple[str, ...]:
    """The functions that a source stands for: it and those that do the same."""
    if source == ARGUMENTS or source in MARKS:
        return (source,)
    if source == STREAMS:
        return tuple(sorted({*intercepts.CXX_WRITERS.values(), *intercepts.CXX_READERS.values()}))
    return tuple(name for name in sorted(SOURCES) if _ENDS.sub("", name) == _ENDS.sub("", source))
