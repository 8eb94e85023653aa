"""Spaces and the allocators in them."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from whence.alloc import library
from whence.alloc.config import Config, Kind, Region, RegionConfig, Status
from whence.errors import ToolLimit, UserMistake, WhenceError

_WORD = 1 << 64


class AllocatorError(WhenceError):
    """A request that the allocator refuses; `status` says why."""

    def __init__(self, status: Status, request: str) -> None:
        self.status = status
        super().__init__(f"{request}: {library.load().kd_sentence(status).decode()}")


class AllocationFailed(AllocatorError):
    """There is no block for the request: a program would get NULL and ENOMEM."""


class BadAddress(AllocatorError):
    """The address is not the begin of a live block."""


@dataclass(frozen=True)
class Location:
    """What an address is: its slot, and the block in it, live or freed.

    index: n of the slot in its bin; of a large block its serial number. slot: the slot's first
    address; room: bytes from there to the next slot's place in the layout. begin, size: the block,
    in bytes as requested; both 0 where none was. tag: see `Allocator.set_tag`. Of blocks that an
    unlimited quarantine has forgotten size and tag are 0.
    """

    kind: Kind
    region: Region | None
    bin: int
    inside: bool
    index: int
    slot: int
    room: int
    begin: int
    size: int
    tag: int


@dataclass(frozen=True)
class BinStatistics:
    """One bin. slot: bytes of its largest block, 0 for the bin of large blocks; cut: slots ever begun."""

    slot: int
    begin: int
    size: int
    cut: int
    live: int
    held: int
    free: int
    live_bytes: int


@dataclass(frozen=True)
class SpaceStatistics:
    """book_bytes: memory of the books of all states; pages are physical ones, see `Space.use`."""

    book_bytes: int
    states: int
    releases: int
    average_pages: int
    backed_pages: int


def _fields(structure: ctypes.Structure) -> dict[str, Any]:
    return {name: getattr(structure, name) for name, *_ in structure._fields_}


def _location(at: library.Location) -> Location:
    fields = _fields(at)
    fields["kind"] = Kind(at.kind)
    fields["region"] = None if at.kind == Kind.OUTSIDE else Region(at.region)
    fields["inside"] = bool(at.inside)
    return Location(**fields)


def _native(config: Config) -> library.Config:
    if len(config.bins) > library.BINS_MOST:
        raise UserMistake(f"{len(config.bins)} bins are too many (at most {library.BINS_MOST})")
    native = library.Config(
        layout=config.layout,
        access=config.access,
        red_zone=config.red_zone,
        release_pages=config.release_pages,
        release_factor=config.release_factor,
        bins=len(config.bins),
        bin_sizes=config.bins,
    )
    for index, region in config.regions.items():
        native.regions[index] = library.RegionConfig(region.begin, region.size, region.quarantine)
    return native


class Space:
    """A configuration and its address ranges; raises `UserMistake` if it cannot be had.

    They are given back when neither the space nor an allocator in it is used any more, or by `close`.
    """

    def __init__(self, config: Config) -> None:
        self.library = library.load()
        why = ctypes.create_string_buffer(256)
        self.handle = self.library.kd_open(ctypes.byref(_native(config)), why, len(why))
        if not self.handle:
            raise UserMistake(f"the deterministic allocator: {why.value.decode()}")
        self._finalizer = weakref.finalize(self, self.library.kd_close, self.handle)
        self.config = self._in_effect(config)

    def _in_effect(self, config: Config) -> Config:
        native = library.Config()
        self.library.kd_configuration(self.handle, ctypes.byref(native))
        regions = {
            index: RegionConfig(region.size, native.regions[index].begin, region.quarantine)
            for index, region in config.regions.items()
        }
        return replace(config, regions=regions)

    def close(self) -> None:
        """Give the address ranges back; allocators of the space cannot be used any more."""
        self._finalizer()
        self.handle = None

    def opened(self) -> Any:
        """The handle; raises `UserMistake` after `close`."""
        if self.handle is None:
            raise UserMistake("the allocator's address space has been closed")
        return self.handle

    def describe(self) -> list[str]:
        """A line for each region: its name, start address and size."""
        lines = []
        for region in (Region.GLOBALS, Region.CONSTANTS, Region.HEAP, Region.STACK):
            if region not in self.config.regions:
                continue
            line = ctypes.create_string_buffer(160)
            self.library.kd_describe(self.opened(), region, line, len(line))
            lines.append(f"deterministic allocator: {line.value.decode()}")
        return lines

    def statistics(self) -> SpaceStatistics:
        """Books, states and physical pages."""
        native = library.Statistics()
        self.library.kd_space_statistics(self.opened(), ctypes.byref(native))
        return SpaceStatistics(**_fields(native))

    @contextmanager
    def use(self, pages: int) -> Iterator[None]:
        """Around code that touches `pages` pages of the regions, whose contents are kept elsewhere.

        Afterwards all physical pages are given back, under the release policies that do so.
        """
        self.library.kd_use_begins(self.opened())
        try:
            yield
        finally:
            self.library.kd_use_ends(self.opened(), pages)


class Allocator:
    """Which blocks live where, in one state of a program. Made by `Allocator(config)` or `clone`."""

    def __init__(self, space: Space | Config) -> None:
        self.space = Space(space) if isinstance(space, Config) else space
        self._adopt(self.space.library.kd_new(self.space.opened()))

    def _adopt(self, handle: int | None) -> None:
        if not handle:
            raise ToolLimit("the system has no memory for the books of the allocator")
        self._handle: int | None = handle
        self._finalizer = weakref.finalize(self, _drop, self.space, handle)

    def clone(self) -> Allocator:
        """An allocator in the same state, at a cost that does not depend on the number of blocks."""
        copy = Allocator.__new__(Allocator)
        copy.space = self.space
        copy._adopt(self.space.library.kd_clone(self._state()))
        return copy

    def _state(self) -> int:
        self.space.opened()
        if self._handle is None:
            raise UserMistake("the allocator has been closed")
        return self._handle

    def allocate(self, size: int, alignment: int = 1, region: Region = Region.HEAP) -> int:
        """The begin of a new block; raises `AllocationFailed`."""
        request = f"a block of {size} bytes at a multiple of {alignment} in the {region.name.lower()}"
        return self._address("kd_allocate", request, region, *_words(request, size, alignment))

    def reallocate(self, address: int, size: int, alignment: int = 1, count: int = 1) -> int:
        """A new block of count * size bytes, always elsewhere, instead of a live one.

        The caller copies the contents. Raises `AllocationFailed` or `BadAddress`; the block is then
        what it was.
        """
        request = f"{count} * {size} bytes instead of the block at {address:#x}"
        return self._address("kd_reallocate", request, *_words(request, address, count, size, alignment))

    def _address(self, function: str, request: str, *arguments: int) -> int:
        begin = ctypes.c_uint64()
        call = getattr(self.space.library, function)
        _check(call(self._state(), *arguments, ctypes.byref(begin)), request)
        return begin.value

    def free(self, address: int) -> None:
        """End a live block; raises `BadAddress`."""
        request = f"free of {address:#x}"
        _check(self.space.library.kd_free(self._state(), *_words(request, address)), request)

    def size(self, address: int) -> int:
        """Bytes of the live block that begins here; 0 if there is none."""
        return int(self.space.library.kd_size(self._state(), *_words("size", address)))

    def set_tag(self, address: int, tag: int) -> None:
        """Keep a 64-bit number of the caller's own with a live block; raises `BadAddress`."""
        request = f"tag of {address:#x}"
        _check(self.space.library.kd_set_tag(self._state(), *_words(request, address, tag)), request)

    def locate(self, address: int) -> Location:
        """What an address is."""
        return self._locate("kd_locate", address)

    def nearest(self, address: int) -> Location:
        """The block in the bin of the address that holds it or is nearest to it."""
        return self._locate("kd_nearest", address)

    def _locate(self, function: str, address: int) -> Location:
        at = library.Location()
        getattr(self.space.library, function)(self._state(), *_words("address", address), ctypes.byref(at))
        return _location(at)

    def blocks(self, region: Region = Region.HEAP, kind: Kind = Kind.LIVE) -> Iterator[Location]:
        """Blocks of one kind, by bin and index; `Kind.UNUSED` for all kinds."""
        cursor, at = ctypes.c_uint64(), library.Location()
        advance = self.space.library.kd_next
        while advance(self._state(), region, kind, ctypes.byref(cursor), ctypes.byref(at)):
            yield _location(at)

    def statistics(self, region: Region = Region.HEAP) -> list[BinStatistics]:
        """Every bin of a region, ascending; in the spread layout the last is that of large blocks."""
        if region not in self.space.config.regions:
            return []
        bins = []
        for number in range(self.space.library.kd_bins(self.space.opened())):
            native = library.BinStatistics()
            self.space.library.kd_bin_statistics(self._state(), region, number, ctypes.byref(native))
            bins.append(BinStatistics(**_fields(native)))
        return bins

    def close(self) -> None:
        """Drop the state's books at once; the allocator cannot be used any more."""
        self._finalizer()
        self._handle = None


def _drop(space: Space, handle: int) -> None:
    if space.handle is not None:
        space.library.kd_drop(handle)


def _words(request: str, *values: int) -> tuple[int, ...]:
    """ctypes would cut larger numbers silently; raises `UserMistake`."""
    for value in values:
        if not 0 <= value < _WORD:
            raise UserMistake(f"{request}: {value} is not a number of 64 bits")
    return values


def _check(status: int, request: str) -> None:
    if status == Status.OK:
        return
    bad = status in (Status.NOT_A_BLOCK, Status.NOT_BEGIN, Status.NOT_LIVE)
    raise (BadAddress if bad else AllocationFailed)(Status(status), request)
