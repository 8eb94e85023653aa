"""The symbols of the markers of accesses (`whence.instrument.detectors.filters` says what each is for)."""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.widths import CHECKED_WIDTHS


def marker_name(write: bool, size: int, provenance: bool, unaligned: bool = False) -> str:
    """The symbol of a marker; raises `ValueError` for a size without a marker."""
    if size not in CHECKED_WIDTHS:
        raise ValueError(f"no check marker for an access of {size} bytes")
    access, suffix = "w" if write else "r", "u" if unaligned and size > 1 else ""
    return f"__whence_check{'p' if provenance else ''}_{access}{size}{suffix}"


def within_name(write: bool, size: int, unaligned: bool = False) -> str:
    """The symbol of the marker of an access whose block's bounds are known before a loop."""
    return marker_name(write, size, True, unaligned).replace("_checkp_", "_checkin_")


def inside_name(write: bool, size: int) -> str:
    """The symbol of the marker of an access to a variable of known size."""
    return marker_name(write, size, True).replace("_checkp_", "_checkof_")


def indexed_name(write: bool, size: int) -> str:
    """The symbol of the marker of an access to a variable of known size at a known index."""
    return marker_name(write, size, True).replace("_checkp_", "_checkat_")


def copy_marker_name(size: int | None) -> str:
    """The symbol of the marker of a copy of `size` bytes, one of CHECKED_WIDTHS, or of any number of them."""
    return "__whence_check_copy" if size is None else f"__whence_check_copy_{size}"


def markers() -> Iterator[tuple[str, bool, int, bool, bool]]:
    """(name, write, size, provenance, unaligned) of every marker."""
    for provenance in (False, True):
        for write in (False, True):
            for size in CHECKED_WIDTHS:
                for unaligned in (False, True) if size > 1 else (False,):
                    name = marker_name(write, size, provenance, unaligned)
                    yield name, write, size, provenance, unaligned
