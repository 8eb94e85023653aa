"""The addresses of started programs."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

_ADDR_NO_RANDOMIZE = 0x0040000
_QUERY = 0xFFFFFFFF


@contextlib.contextmanager
def fixed_addresses() -> Iterator[bool]:
    """Programs started by this thread inside of the block have no address randomisation, if it is true."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.personality.argtypes = [ctypes.c_ulong]
    before = libc.personality(_QUERY)
    fixed = before >= 0 and libc.personality(before | _ADDR_NO_RANDOMIZE) >= 0
    try:
        yield fixed
    finally:
        if fixed:
            libc.personality(before)
