"""The allocator once more, in few and slow lines: what each request has to answer."""

from __future__ import annotations

import heapq
from bisect import bisect, insort
from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise

from whence.alloc import Config, Layout, Region

PAGE = 4096


def halving_order(layers: int) -> list[float]:
    """Positions in (0, 1) in the order in which slots are handed out."""
    order: list[float] = []
    for layer in range(layers):
        points = [(2 * i + 1) / 2 ** (layer + 1) for i in range(2**layer)]
        while points:
            order.append(points.pop(0))
            if points:
                order.append(points.pop())
    return order


@dataclass
class Quarantine:
    """The last `depth` freed blocks; -1 keeps them all."""

    depth: int
    held: deque[int] = field(default_factory=deque)

    def put(self, freed: int) -> int | None:
        """What may be used again because of it."""
        if self.depth < 0:
            return None
        self.held.append(freed)
        return self.held.popleft() if len(self.held) > self.depth else None


class BinModel:
    def __init__(self, begin: int, size: int, slot: int, red_zone: int, quarantine: int) -> None:
        pitch = 1
        while pitch < slot + red_zone:
            pitch *= 2
        self.begin, self.size, self.slot, self.pitch = begin, size, slot, pitch
        self.cut = 0
        self.free: list[int] = []
        self.quarantine = Quarantine(quarantine)

    def address(self, n: int) -> int:
        layer = (n + 1).bit_length() - 1
        count, i = 1 << layer, n + 1 - (1 << layer)
        position = count - 1 - i // 2 if i % 2 else i // 2
        return self.begin + (2 * position + 1) * self.size // (2 * count)

    def take(self) -> int:
        if self.free:
            return self.address(heapq.heappop(self.free))
        self.cut += 1
        return self.address(self.cut - 1)

    def give(self, n: int) -> None:
        out = self.quarantine.put(n)
        if out is not None:
            heapq.heappush(self.free, out)


KLEE_FACTOR = 0x8080808080808081
"""Of gaps that are equally large KLEE takes the one whose begin, times this, is largest."""


class LargeModel:
    def __init__(self, begin: int, end: int, red_zone: int, quarantine: int) -> None:
        self.zone = (red_zone + PAGE - 1) // PAGE * PAGE
        self.spans = [(begin, begin), (end, end)]  # begin and end of pages, with both ends as stops
        self.quarantine = Quarantine(quarantine)

    def take(self, size: int, alignment: int) -> int:
        span = (max(size, 1) + PAGE - 1) // PAGE * PAGE
        alignment = max(alignment, PAGE)
        gaps = [(b[0] - a[1], a[1]) for a, b in pairwise(self.spans)]
        gap, begin = max(gaps, key=lambda each: (each[0], each[1] * KLEE_FACTOR % (1 << 64)))
        place = -(-(begin + (gap - span) // 2) // alignment) * alignment
        if place + span + self.zone > begin + gap:
            place = (begin + gap - self.zone - span) // alignment * alignment
        assert place >= begin + self.zone
        insort(self.spans, (place, place + span), 1)
        return place

    def give(self, begin: int) -> None:
        out = self.quarantine.put(begin)
        if out is not None:
            del self.spans[bisect(self.spans, (out, 0))]


class Model:
    """The spread layout of one region, one state."""

    def __init__(self, config: Config, region: Region = Region.HEAP) -> None:
        assert config.layout is Layout.SPREAD
        range_ = config.regions[region]
        each = 1 << (range_.size // (len(config.bins) + 1)).bit_length() - 1
        self.bins = [
            BinModel(range_.begin + i * each, each, slot, config.red_zone, range_.quarantine)
            for i, slot in enumerate(config.bins)
        ]
        end = range_.begin + range_.size
        first = range_.begin + len(self.bins) * each
        self.large = LargeModel(first, end, config.red_zone, range_.quarantine)
        self.live: dict[int, int] = {}  # begin -> size

    def bin_of(self, address: int) -> BinModel | None:
        return next((b for b in self.bins if b.begin <= address < b.begin + b.size), None)

    def allocate(self, size: int, alignment: int) -> int:
        for bin_ in self.bins:
            if size <= bin_.slot and alignment <= min(PAGE, bin_.pitch):
                begin = bin_.take()
                break
        else:
            begin = self.large.take(size, alignment)
        self.live[begin] = size
        return begin

    def free(self, begin: int) -> None:
        del self.live[begin]
        bin_ = self.bin_of(begin)
        if bin_ is None:
            self.large.give(begin)
        else:
            bin_.give(self._index(bin_, begin))

    @staticmethod
    def _index(bin_: BinModel, begin: int) -> int:
        offset = begin - bin_.begin
        low = (offset & -offset).bit_length() - 1
        layer = bin_.size.bit_length() - 2 - low
        position = offset >> (low + 1)
        half = 2 * position < 1 << layer
        return (1 << layer) - 1 + (2 * position if half else 2 * ((1 << layer) - 1 - position) + 1)
