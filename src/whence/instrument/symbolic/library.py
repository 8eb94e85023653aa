"""Library functions that the program calls: models of the runtime, and what their arguments become.


A model makes the decisions that the function's plain C text would make, before the call, and gives the
expressions of what it returns and writes after it (``runtime/symbolic/``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from whence.abi import library


@dataclass(frozen=True)
class Model:
    """The models of a function. before, after: their names, empty for none; `parameters`: the types that the
    function has, of which variable arguments are none."""

    parameters: tuple[str, ...]
    before: str = ""
    after: str = ""


_TYPES = {"p": "ptr", "i": "i32", "l": "i64"}


def _models() -> Iterator[tuple[str, Model]]:
    for name, text in library.said("model").items():
        letters, before, after = ("" if each == "-" else each for each in text.split("/"))
        yield name, Model(tuple(_TYPES[each] for each in letters), before, after)


MODELS: Mapping[str, Model] = MappingProxyType(dict(_models()))
"""The functions with models."""

WIDE = frozenset(("read", "pread", "fread", "getline", "getdelim", "atol", "strtol"))
"""Models after functions with a long for result, which is an int for callers that have no prototype."""
POINTERS = frozenset(("fgets", "mmap", "strdup", "strndup"))
"""Models after functions with a pointer for result, of which such callers keep the half."""

UNTOUCHED = library.having("apart")
"""Functions that do not look into the memory of their arguments, or not at what may be symbolic."""

CHARACTERS = frozenset(("strchr", "strrchr", "memchr", "memrchr", "memset", "tolower"))
"""Models that take the expression of a character, an int, which needs no value."""

INTERFACE = ("klee_", "whence_")
"""What begins the names of functions by which programs talk to the runtime."""

FLAT = library.arguments("flat")
"""Functions that hand memory out, and whose results depend on none of it: the arguments on which they do."""
OUTPUT = library.having("output", "says") - FLAT.keys()
"""Functions that only hand their arguments out: where the result is not used, nothing depends on them but
what %n of a format stores."""
FORMATS = {name: index for name, (index,) in library.arguments("format").items() if name in OUTPUT}
"""Those of them that have a format, and the argument that it is."""
ENDS = library.having("status") & OUTPUT
"""Those whose first argument says whether, and how, the process ends."""
COUNTS = re.compile(r"%[-+ #0'I*$.1-9hlLqjzt]*n")
"""What stores how much was printed, in a format without %%."""

_ALIGNED = library.arguments("aligned")
SIZES = {name: (*_ALIGNED.get(name, ()), *at) for name, at in library.arguments("block").items()}
"""Allocations, and the arguments that say how much, and where."""
FREES = library.having("frees")
"""Functions that end the block at their first argument."""
EXTENTS = library.ranges("bytes", "most")
"""Functions that access as many bytes as they are told to: the argument that is the address, and the one, or
the two whose product, is their number."""
