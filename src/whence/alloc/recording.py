"""What has to be known of a run so that another one gets the same heap addresses.

A recording is a folder with a text file of `name = value` lines; see docs/replay.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from whence.abi import layout as address_map
from whence.abi import options
from whence.alloc.config import Access, Config, Layout, Region, RegionConfig
from whence.errors import UserMistake

FILE = "replay.conf"
_HEAD = "# Heap addresses of a run, for whence replay; see docs/replay.md."
_STARTS = 1 << 14
"""Different begins of the compact heap, one page apart."""
_DEFAULTS = {option.name: option.default for option in options.OPTIONS}


@dataclass(frozen=True)
class CompactHeap:
    """The heap of checked processes.

    start_kib: KiB at the begin of each region that stay unused. quarantine_kib: bytes of freed blocks
    held back, in KiB; quarantine_depth: blocks of each size held back at least. seed: what start_kib
    was made from, for the reader.
    """

    start_kib: int = 0
    quarantine_kib: int = _DEFAULTS["quarantine_kib"]
    quarantine_depth: int = _DEFAULTS["quarantine_depth"]
    seed: int = 0

    @classmethod
    def seeded(cls, seed: int) -> CompactHeap:
        """The heap of a seed; 0 is the usual one, equal seeds give equal addresses."""
        return cls(start_kib=start_of(seed), seed=seed)

    def options(self) -> dict[str, int]:
        """Options of the runtime that differ from its defaults."""
        return {
            "heap_start_kib": self.start_kib,
            "quarantine_kib": self.quarantine_kib,
            "quarantine_depth": self.quarantine_depth,
        }


def start_of(seed: int) -> int:
    """KiB, a multiple of 4 below 64 MiB; 0 for seed 0 alone."""
    if seed == 0:
        return 0
    mixed = (seed * 0x9E3779B97F4A7C15) % (1 << 64)
    mixed = ((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9) % (1 << 64)
    return 4 * (1 + (mixed >> 32) % (_STARTS - 1))


@dataclass(frozen=True)
class Recording:
    """A layout and what it needs: `heap` for the compact one, `space` for the spread one."""

    heap: CompactHeap = field(default_factory=CompactHeap)
    space: Config | None = None

    @property
    def layout(self) -> Layout:
        return Layout.COMPACT if self.space is None else Layout.SPREAD

    def write(self, folder: Path) -> Path:
        """Write the file, making the folder if need be; raises `UserMistake`."""
        path = folder / FILE
        lines = [_HEAD, *(f"{name} = {value}" for name, value in self._items())]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
        except OSError as error:
            raise UserMistake(f"{path}: cannot be written: {error.strerror}") from error
        return path

    def _items(self) -> list[tuple[str, object]]:
        if self.space is None:
            return [
                ("layout", "compact"),
                ("heap", f"{address_map.HEAP_BASE:#x} {address_map.HEAP_SIZE}"),
                ("red-zone", address_map.RED_ZONE),
                ("heap-start-kib", self.heap.start_kib),
                ("quarantine-kib", self.heap.quarantine_kib),
                ("quarantine-depth", self.heap.quarantine_depth),
                ("seed", self.heap.seed),
            ]
        regions = self.space.regions.items()
        return [
            ("layout", "spread"),
            ("red-zone", self.space.red_zone),
            ("bins", " ".join(map(str, self.space.bins))),
            *((region.name.lower(), f"{each.begin:#x} {each.size}") for region, each in regions),
            *((f"{region.name.lower()}-quarantine", each.quarantine) for region, each in regions),
        ]

    @classmethod
    def read(cls, folder: Path) -> Recording:
        """The recording in a folder; raises `UserMistake` with the line that is wrong."""
        path = folder / FILE
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise UserMistake(f"{path}: cannot be read: {why}; whence run --record makes it") from error
        return _Reader(path, text).recording()


class _Reader:
    """The lines of one file."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.values: dict[str, tuple[int, str]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                self._line(number, line)

    def _line(self, number: int, line: str) -> None:
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not name or not value:
            raise self._mistake(number, f"expected 'name = value', found '{line.strip()}'")
        if name in self.values:
            raise self._mistake(number, f"'{name}' stands here a second time")
        self.values[name] = (number, value)

    def _mistake(self, number: int, sentence: str) -> UserMistake:
        return UserMistake(f"{self.path}:{number}: {sentence}")

    def recording(self) -> Recording:
        layout = self._take("layout")
        if layout[1] == "compact":
            made = self._compact()
        elif layout[1] == "spread":
            made = self._spread()
        else:
            raise self._mistake(layout[0], f"unknown layout '{layout[1]}' (expected compact or spread)")
        for name, (number, _) in self.values.items():
            raise self._mistake(number, f"unknown name '{name}' for this layout")
        return made

    def _take(self, name: str) -> tuple[int, str]:
        if name not in self.values:
            raise UserMistake(f"{self.path}: the line '{name} = …' is missing")
        return self.values.pop(name)

    def _numbers(self, name: str, count: int | None = None) -> tuple[int, list[int]]:
        number, text = self._take(name)
        try:
            values = [int(word, 0) for word in text.split()]
        except ValueError:
            raise self._mistake(number, f"{name}: '{text}' is not a number") from None
        if count is not None and len(values) != count:
            raise self._mistake(number, f"{name}: expected {count} numbers, found {len(values)}")
        return number, values

    def _within(self, name: str, low: int, high: int) -> int:
        number, (value,) = self._numbers(name, 1)
        if not low <= value <= high:
            raise self._mistake(number, f"{name} is {value}: expected {low} to {high}")
        return value

    def _option(self, name: str) -> int:
        option = next(o for o in options.OPTIONS if o.name == name.replace("-", "_"))
        return self._within(name, option.low, option.high)

    def _exactly(self, name: str, expected: list[int], what: Callable[[int], str] = str) -> None:
        number, values = self._numbers(name)
        if values != expected:
            words = " ".join(map(what, expected))
            raise self._mistake(number, f"{name}: this version of whence has {words} there")

    def _compact(self) -> Recording:
        self._exactly("heap", [address_map.HEAP_BASE, address_map.HEAP_SIZE], hex)
        self._exactly("red-zone", [address_map.RED_ZONE])
        start = self._option("heap-start-kib")
        heap = CompactHeap(
            start,
            self._option("quarantine-kib"),
            self._option("quarantine-depth"),
            self._within("seed", 0, (1 << 64) - 1),
        )
        return Recording(heap)

    def _spread(self) -> Recording:
        red_zone = self._within("red-zone", 0, 1 << 40)
        bins = tuple(self._numbers("bins")[1])
        regions: dict[Region, RegionConfig] = {}
        for region in Region:
            name = region.name.lower()
            if name not in self.values:
                continue
            number, (begin, size) = self._numbers(name, 2)
            if begin <= 0 or size <= 0:
                raise self._mistake(number, f"{name}: begin and size must be above 0")
            regions[region] = RegionConfig(size, begin, self._within(f"{name}-quarantine", -1, 1 << 20))
        if Region.HEAP not in regions:
            raise UserMistake(f"{self.path}: the line 'heap = …' is missing")
        return Recording(space=Config(Layout.SPREAD, Access.READ_WRITE, regions, bins, red_zone))


def of_space(config: Config) -> Recording:
    """The recording of a spread space; `config` is the one in effect, `Space.config`."""
    regions: Mapping[Region, RegionConfig] = config.regions
    if config.layout is not Layout.SPREAD or any(not each.begin for each in regions.values()):
        raise UserMistake("only a spread space whose begins are known can be recorded")
    return Recording(space=replace(config, access=Access.READ_WRITE))
