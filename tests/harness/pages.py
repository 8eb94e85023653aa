"""Memory at an address of the test's choice, for code that computes addresses."""

from __future__ import annotations

import ctypes
import mmap

_FIXED_NOREPLACE = 0x100000


def map_at(address: int, size: int) -> None:
    """Zeroed pages, `address` and `size` multiples of a page. Fails if something is there."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _FIXED_NOREPLACE
    got = libc.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    assert got == address, "the addresses are taken in this process"


def unmap(address: int, size: int) -> None:
    """Gives pages back."""
    libc = ctypes.CDLL(None)
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.munmap(address, size)
