"""What a coordinator and those that explore for it tell each other. All of it can be pickled."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whence.engines.settings import Settings
from whence.exploring.inputs import Symbolic
from whence.exploring.loop import State
from whence.exploring.reasoning import Counts
from whence.exploring.store import Recorded

Place = tuple[int, int]
"""A decision: the number of a path that comes to it, and how many decisions that has before it."""


@dataclass(frozen=True)
class Mission:
    """What is explored, and how: the same for all shares.

    digest: of the program's file. settings: of a run under the rules that are evaluated. folder: the working
    directory. milliseconds: of one path; query: of one question to the solver. memory: bytes of one session
    with its paths, None for no limit. layout: of `whence.exploring.starting.Program.layout`.
    """

    program: Path
    digest: str
    words: tuple[str, ...]
    settings: Settings
    leaks: bool
    symbolic: Symbolic
    folder: str
    milliseconds: int
    query: int
    solver: str
    strategy: str
    ways: int
    memory: int | None
    cache_size: int | None
    layout: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """A decision that may have other ways, the unit of work: all paths that begin so and go none of the
    known ways, which are in nobody else's hands.

    place: in the numbers of the coordinator. before: the decisions that lead there, as text. ways: the
    decision itself, with each known way.
    """

    place: Place
    before: tuple[str, ...]
    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """Work for one session.

    seeds: inputs to begin with. repeats: paths whose findings are to be known again. inputs: of the paths
    that are named. seconds, paths: when to hand in what was found; paths is None for no limit. covered: what
    all have covered, `packed`.
    """

    seeds: tuple[Mapping[str, bytes], ...] = ()
    repeats: tuple[int, ...] = ()
    prefixes: tuple[Prefix, ...] = ()
    inputs: Mapping[int, Mapping[str, bytes]] = field(default_factory=dict)
    seconds: float = 1.0
    paths: int | None = None
    covered: bytes = b""


def packed(covered: int) -> bytes:
    """Bytes of a program, as `Ran.covered` has them, for a message."""
    return zlib.compress(covered.to_bytes((covered.bit_length() + 7) // 8, "little"), 1)


def unpacked(data: bytes) -> int:
    """What `packed` has packed."""
    return int.from_bytes(zlib.decompress(data), "little") if data else 0


@dataclass(slots=True)
class Gains:
    """What a session hands in. Its paths have numbers above those of its share's inputs.

    waiting: decisions that may have other ways still, of the share or of new paths; all others have been
    settled. closed: those that were shown to have none. seeds, repeats: of the share, not tried yet. state:
    counts of this share alone. stopped: why it cannot go on, in a sentence. full: its memory is; the next
    share needs a new session. moved: something was settled, or would be by a new session. lost: why nothing
    was handed in: the share is to be given out again.
    """

    paths: list[Recorded] = field(default_factory=list)
    waiting: list[Place] = field(default_factory=list)
    closed: list[Place] = field(default_factory=list)
    seeds: list[Mapping[str, bytes]] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)
    state: State = field(default_factory=State)
    counts: Counts = field(default_factory=Counts)
    solver: str = ""
    symbolic: bool = False
    stopped: str = ""
    full: bool = False
    moved: bool = True
    lost: str = ""
