"""``libwhence-kdalloc.so`` through ctypes: the structures and functions of ``runtime/alloc/kdalloc.h``."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char, c_char_p, c_int, c_int32, c_size_t, c_uint, c_uint32, c_uint64
from functools import lru_cache

from whence.alloc.config import Region
from whence.errors import ToolLimit
from whence.toolchain.native import REMEDY, native_path

LIBRARY = "libwhence-kdalloc.so"
BINS_MOST = 40


class RegionConfig(Structure):
    _fields_ = (("begin", c_uint64), ("size", c_uint64), ("quarantine", c_int32), ("unused", c_uint32))


class Config(Structure):
    _fields_ = (
        ("layout", c_uint32),
        ("access", c_uint32),
        ("red_zone", c_uint64),
        ("release_pages", c_uint64),
        ("release_factor", c_uint32),
        ("bins", c_uint32),
        ("bin_sizes", c_uint64 * BINS_MOST),
        ("regions", RegionConfig * len(Region)),
    )


class Location(Structure):
    _fields_ = (
        ("kind", c_uint32),
        ("region", c_uint32),
        ("bin", c_uint32),
        ("inside", c_uint32),
        ("index", c_uint64),
        ("slot", c_uint64),
        ("room", c_uint64),
        ("begin", c_uint64),
        ("size", c_uint64),
        ("tag", c_uint64),
    )


class BinStatistics(Structure):
    _fields_ = tuple(
        (name, c_uint64) for name in ("slot", "begin", "size", "cut", "live", "held", "free", "live_bytes")
    )


class Statistics(Structure):
    _fields_ = tuple(
        (name, c_uint64) for name in ("book_bytes", "states", "releases", "average_pages", "backed_pages")
    )


_SPACE = ctypes.c_void_p
_STATE = ctypes.c_void_p
_ADDRESS = POINTER(c_uint64)
_SIGNATURES: dict[str, tuple[type | None, tuple[type, ...]]] = {
    "kd_layout_of_structures": (c_uint64, ()),
    "kd_open": (_SPACE, (POINTER(Config), POINTER(c_char), c_size_t)),
    "kd_close": (None, (_SPACE,)),
    "kd_configuration": (None, (_SPACE, POINTER(Config))),
    "kd_describe": (c_size_t, (_SPACE, c_int, POINTER(c_char), c_size_t)),
    "kd_space_statistics": (None, (_SPACE, POINTER(Statistics))),
    "kd_sentence": (c_char_p, (c_int,)),
    "kd_new": (_STATE, (_SPACE,)),
    "kd_clone": (_STATE, (_STATE,)),
    "kd_drop": (None, (_STATE,)),
    "kd_allocate": (c_int, (_STATE, c_int, c_uint64, c_uint64, _ADDRESS)),
    "kd_free": (c_int, (_STATE, c_uint64)),
    "kd_reallocate": (c_int, (_STATE, c_uint64, c_uint64, c_uint64, c_uint64, _ADDRESS)),
    "kd_size": (c_uint64, (_STATE, c_uint64)),
    "kd_set_tag": (c_int, (_STATE, c_uint64, c_uint64)),
    "kd_locate": (None, (_STATE, c_uint64, POINTER(Location))),
    "kd_nearest": (None, (_STATE, c_uint64, POINTER(Location))),
    "kd_next": (c_int, (_STATE, c_int, c_int, _ADDRESS, POINTER(Location))),
    "kd_bins": (c_uint, (_SPACE,)),
    "kd_bin_statistics": (None, (_STATE, c_int, c_uint, POINTER(BinStatistics))),
    "kd_use_begins": (None, (_SPACE,)),
    "kd_use_ends": (c_int, (_SPACE, c_uint64)),
}


def _sizes() -> int:
    value = 0
    for structure in (Config, Location, BinStatistics, Statistics):
        value = value << 16 | ctypes.sizeof(structure)
    return value


@lru_cache(maxsize=1)
def load() -> ctypes.CDLL:
    """The library; raises `ToolLimit` if it is missing or of another version."""
    path = native_path(LIBRARY)
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ToolLimit(f"{path} cannot be loaded ({error}): {REMEDY}") from None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name, None)
        if function is None:
            raise ToolLimit(f"{path} is of another version, without {name}: {REMEDY}")
        function.restype, function.argtypes = result, arguments
    if library.kd_layout_of_structures() != _sizes():
        raise ToolLimit(f"{path} is of another version, with other structures: {REMEDY}")
    return library
