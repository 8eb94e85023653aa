"""How far it is from a place in the program to code to which no path has come yet.

Distances count blocks. They go down into functions that are called, and through calls of functions that
return. What stands above the function of a place is not known: from its end they go on behind any call of
it to which a path came. They are kept up to date: where a target is lost only those change that led there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

from whence.exploring.flow import NEVER, OVER, Graph
from whence.exploring.lines import ones

_NOWHERE = -1


class Distances:
    """Those of one program, whose graph `load` gives when the first one is asked for; None: not known."""

    def __init__(self, load: Callable[[], Graph | None]) -> None:
        self._load = load
        self._map: Map | None = None
        self._loaded = False
        self._lines: dict[int, int] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._pending = self._covered = 0

    def cover(self, covered: int) -> None:
        """Paths came there, by the program's bytes (`Ran.covered`)."""
        self._pending |= covered

    @property
    def covered(self) -> int:
        """All of that."""
        return self._covered | self._pending

    def meet(self, lines: dict[int, int]) -> None:
        """The last lines of the blocks that end at some sites (`Trace.lines`)."""
        self._lines.update(lines)

    def line(self, site: int) -> int:
        """The last line of the block that ends at a site, by its byte; negative if that is not known."""
        return self._lines.get(site, _NOWHERE)

    def current(self) -> int:
        """Takes in what is covered now. A number that differs from the last one if distances do."""
        if not self._loaded:
            self._loaded, graph = True, self._load()
            if graph is not None:
                self._map = Map(graph)
        if self._map is None:
            return 0
        new, self._pending = self._pending & ~self._covered, 0
        if new:
            self._covered |= new
            self._map.cover(ones(new))
        return self._map.version

    def place(self, site: int, way: int) -> int:
        """Where a decision leads, as `to` takes it; negative if that is not known."""
        found = self._places.get((site, way), _NOWHERE)
        if found < 0 and self._map is not None and site in self._lines:
            found = self._places[site, way] = self._map.graph.behind(self._lines[site], way)
        return found

    def to(self, place: int) -> int:
        """From a place; `NEVER` if no code is left that control may come to, or the place is not known."""
        return NEVER if place < 0 or self._map is None else self._map.length[place]


class Map:
    """Distances in a graph, from nothing covered on.

    A point is a part as it is under some callers, the same without a return from its function, and the
    begin and the end of each function. version: counts changes.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.version = 1
        self._down, parts, functions = len(graph.ways), len(graph.ways), len(graph.entry)
        self._begin, self._end = 2 * parts, 2 * parts + functions
        self._entries: dict[int, list[int]] = {}
        for function, part in enumerate(graph.entry):
            if part >= 0:
                self._entries.setdefault(part, []).append(function)
        self._returns: list[list[int]] = [[] for _ in range(functions)]
        for part, function in enumerate(graph.returns):
            if function >= 0:
                self._returns[function].append(part)
        self._targets = {byte: part for part, byte in enumerate(graph.target) if byte >= 0}
        self._uncalled: dict[int, list[int]] = {}
        """By the byte before them, the calls to which no path came."""
        for part, function in enumerate(graph.call):
            if function >= 0 and graph.came[part] >= 0:
                self._uncalled.setdefault(graph.came[part], []).append(part)
        self._called = [graph.came[part] < 0 for part in range(parts)]
        self.length = [NEVER] * (self._end + functions)
        """From each point; the first ones are parts under their callers."""
        self._next = [_NOWHERE] * len(self.length)
        self._spread([(0, self._down + part, _NOWHERE) for part in self._targets.values()])

    def cover(self, covered: Iterable[int]) -> None:
        """Paths came to these bytes for the first time."""
        lost: list[int] = []
        called: list[int] = []
        for each in covered:
            byte = self.graph.byte(each)
            if (part := self._targets.pop(byte, None)) is not None:
                lost.append(self._down + part)
            called += self._uncalled.pop(byte, ())
        for part in called:
            self._called[part] = True
        self._withdraw([each for each in lost if self._next[each] == _NOWHERE])
        self._spread(
            [
                (self.length[part + 1], self._end + self.graph.call[part], part + 1)
                for part in called
                if self.length[part + 1] < NEVER
            ]
        )
        if lost or called:
            self.version += 1

    def _withdraw(self, points: list[int]) -> None:
        """These are targets no more: all that led to them is looked for again."""
        length, following = self.length, self._next
        changed = dict.fromkeys(points)
        for point in points:
            for other, _ in self._before(point):
                if following[other] == point and other not in changed:
                    changed[other] = None
                    points.append(other)
        for point in changed:
            length[point] = NEVER
        heap = []
        for point in changed:
            best = min(((length[other] + cost, other) for other, cost in self._after(point)), default=None)
            if best is not None and best[0] < NEVER:
                heap.append((best[0], point, best[1]))
        self._spread(heap)

    def _spread(self, heap: list[tuple[int, int, int]]) -> None:
        """Takes in what is known: (length, point, the next one), and what follows for others."""
        heapify(heap)
        length, following = self.length, self._next
        while heap:
            way, point, behind = heappop(heap)
            if way >= length[point]:
                continue
            length[point], following[point] = way, behind
            for other, cost in self._before(point):
                if way + cost < length[other]:
                    heappush(heap, (way + cost, other, point))

    def _after(self, point: int) -> list[tuple[int, int]]:
        """Where control goes from a point, and how far that is."""
        graph, down, begin, end = self.graph, self._down, self._begin, self._end
        if point >= end:
            function = point - end
            found = [(end + group, 0) for group in graph.groups.get(function, ())]
            return found + [(part + 1, 0) for part in graph.callers[function] if self._called[part]]
        if point >= begin:
            function = point - begin
            found = [(begin + member, 0) for member in graph.members.get(function, ())]
            part = graph.entry[function]
            return found if part < 0 else [(down + part, 0)]
        layer = down if point >= down else 0
        part = point - layer
        found = [(layer + way, 1) for way in graph.ways[part]]
        function = graph.call[part]
        if function >= 0 and graph.through[function] < NEVER:
            found.append((point + 1, OVER + graph.through[function]))
        if layer:
            if function >= 0:
                found.append((begin + function, 1))
        else:
            found.append((down + part, 0))
            if graph.returns[part] >= 0:
                found.append((end + graph.returns[part], 1))
        return found

    def _before(self, point: int) -> list[tuple[int, int]]:
        """From where control comes to a point, and how far that is."""
        graph, down, begin, end = self.graph, self._down, self._begin, self._end
        if point >= end:
            function = point - end
            found = [(part, 1) for part in self._returns[function]]
            return found + [(end + member, 0) for member in graph.members.get(function, ())]
        if point >= begin:
            function = point - begin
            found = [(begin + group, 0) for group in graph.groups.get(function, ())]
            return found + [(down + part, 1) for part in graph.callers[function]]
        layer = down if point >= down else 0
        part = point - layer
        found = [(layer + other, 1) for other in graph.before[part]]
        function = graph.call[part - 1] if part else _NOWHERE
        if function >= 0:
            if graph.through[function] < NEVER:
                found.append((point - 1, OVER + graph.through[function]))
            if not layer and self._called[part - 1]:
                found.append((end + function, 0))
        if layer:
            found.append((part, 0))
            found += [(begin + function, 0) for function in self._entries.get(part, ())]
        return found
