"""Coverage in lcov's format: the program's lines, and the branches on symbolic values that paths came to."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whence.exploring.loop import Loop

SITES = "coverage.info"


@dataclass
class _File:
    """Of a file: whether paths came to its lines; how often to each side of branches, by line and site."""

    lines: dict[int, bool] = field(default_factory=dict)
    branches: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)


def covered_lines(explorer: Loop[Any, Any]) -> tuple[int, int]:
    """How many lines paths came to, and how many there are."""
    counts = [each.lines.values() for each in _files(explorer).values()]
    return sum(map(sum, counts)), sum(map(len, counts))


def lines(explorer: Loop[Any, Any]) -> Iterator[str]:
    """A record for each source file. A line with branches counts how often paths came to these."""
    for name, file in sorted(_files(explorer).items()):
        yield f"TN:\nSF:{name}\n"
        yield from _records(file)
        yield "end_of_record\n"


def _files(explorer: Loop[Any, Any]) -> dict[str, _File]:
    files: dict[str, _File] = {}
    for known, came in ((explorer.executor.lines(), False), (explorer.state.lines, True)):
        for name, numbers in known.items():
            files.setdefault(name, _File()).lines.update(dict.fromkeys(numbers, came))
    passed = explorer.state.passed
    for site in {site for site, way in passed if way >= 0}:
        found = explorer.source(site)
        if found is not None:
            name, line = os.path.normpath(found[0]), found[1]
            file = files.setdefault(name, _File())
            file.lines[line] = True
            file.branches.setdefault(line, {})[site] = (passed[site, 0], passed[site, 1])
    return files


def _records(file: _File) -> Iterator[str]:
    known = taken = 0
    for line, sites in sorted(file.branches.items()):
        for block, site in enumerate(sorted(sites)):
            for branch, count in enumerate(sites[site]):
                yield f"BRDA:{line},{block},{branch},{count or '-'}\n"
                known += 1
                taken += count > 0
    yield f"BRF:{known}\nBRH:{taken}\n"
    for line, came in sorted(file.lines.items()):
        yield f"DA:{line},{sum(map(sum, file.branches.get(line, {}).values())) or int(came)}\n"
    yield f"LF:{len(file.lines)}\nLH:{sum(file.lines.values())}\n"
