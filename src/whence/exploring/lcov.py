"""Branch coverage in lcov's format: the branches on symbolic values that paths came to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whence.exploring.loop import Loop

SITES = "coverage.info"


def lines(explorer: Loop[Any, Any]) -> Iterator[str]:
    """A record for each source file. A line counts how often paths came to its branches."""
    files: dict[str, dict[int, dict[int, tuple[int, int]]]] = {}
    passed = explorer.state.passed
    for site in {site for site, way in passed if way >= 0}:
        found = explorer.executor.source(site)
        if found is not None:
            file, line = found
            files.setdefault(file, {}).setdefault(line, {})[site] = (passed[site, 0], passed[site, 1])
    for file, by_line in sorted(files.items()):
        yield f"TN:\nSF:{file}\n"
        yield from _records(by_line)
        yield "end_of_record\n"


def _records(by_line: dict[int, dict[int, tuple[int, int]]]) -> Iterator[str]:
    known = taken = 0
    for line, sites in sorted(by_line.items()):
        for block, site in enumerate(sorted(sites)):
            for branch, count in enumerate(sites[site]):
                yield f"BRDA:{line},{block},{branch},{count or '-'}\n"
                known += 1
                taken += count > 0
    yield f"BRF:{known}\nBRH:{taken}\n"
    for line, sites in sorted(by_line.items()):
        yield f"DA:{line},{sum(map(sum, sites.values()))}\n"
    yield f"LF:{len(by_line)}\nLH:{len(by_line)}\n"
