"""Arguments that a library function looks at or not, as an earlier one says.

What is passed and not looked at may be undefined: a wrapper of ``open`` takes a mode only with ``O_CREAT``,
and hands on the variable in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

from whence.abi import library
from whence.abi.intercepts import RUNTIME_SYMBOLS

DECIDERS = {"FORMAT": 1, "OPEN": 2, "FCNTL": 3, "IOCTL": 4, "MAP": 5, "NEVER": 6}
"""What decides: a format that names the argument or not, flags of ``open``, a command of ``fcntl`` or
``ioctl``, flags of ``mmap``; or nothing does, because the argument is only handed on."""
NUMBER_SHIFT = 8
"""To a decider is added which of the optional arguments is meant, from 1 on, so many bits above."""


@dataclass(frozen=True)
class Optional:
    """Which arguments of a function are optional: the first of them, and after which they are not; and the
    position of the one that decides."""

    decider: str
    first: int
    end: int | None
    by: int

    def which(self, position: int) -> int | None:
        """The number by which the runtime is asked whether an argument is looked at; None: it always is."""
        if position < self.first or (self.end is not None and position >= self.end):
            return None
        return DECIDERS[self.decider] | (position - self.first + 1) << NUMBER_SHIFT


def _optional() -> Iterator[tuple[str, Optional]]:
    for name, (position,) in library.arguments("format").items():
        if not name.lstrip("_").startswith("v"):  # those have a list of arguments
            yield name, Optional("FORMAT", position + 1, None, position)
    for name, text in library.said("chooses").items():
        decider, *places = text.split(",")
        first, end, by = map(int, places)
        yield name, Optional(decider, first, end, by)


OPTIONAL = MappingProxyType(
    {RUNTIME_SYMBOLS[name]: each for name, each in _optional() if name in RUNTIME_SYMBOLS}
)
"""By the names that generated code calls."""
