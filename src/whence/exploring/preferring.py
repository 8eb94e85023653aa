"""Which of several bytes an input has: inputs are read by people."""

from functools import lru_cache

_PREFERRED: list[int] = [
    *(*range(0x61, 0x7B), *range(0x30, 0x3A), *range(0x41, 0x5B)),
    *(*range(0x20, 0x7F), 0, 10, 9),
]
ORDER: list[int] = list(dict.fromkeys([*_PREFERRED, *range(256)]))
"""All bytes: letters, digits, other printable ones, and the rest."""
RANKS: list[int] = sorted(range(256), key=ORDER.__getitem__)
"""The place of each byte in the order."""


@lru_cache(maxsize=1 << 12)
def preferred(values: int) -> int:
    """The first byte of a set, which is not empty, in the order."""
    return next(byte for byte in ORDER if values >> byte & 1)
