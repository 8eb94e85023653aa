"""A finding is data: one detected bug as a head and typed facts (`whence.findings.facts`), all frozen.

Engines make findings, renderers (`whence.report`) show them, and neither knows
the other. Units: sizes, offsets and distances are bytes; addresses are those of
the checked process; columns and lines count from 1, and 0 means unknown.
"""

from __future__ import annotations

import hashlib
import os.path
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from whence.abi import points
from whence.findings.chains import Chain
from whence.findings.fact import Fact
from whence.findings.facts import Block, Message, Relation, Signal, Value
from whence.findings.frames import Frame
from whence.findings.leaks import Leak
from whence.findings.plain import ADDRESS, KNOWN, OWN, POINTER, SPARSE

F = TypeVar("F", bound=Fact)


def _add_members(body: dict[str, object], values: Iterable[str]) -> None:
    """Adds what an enumeration's body does not name yet."""
    for value in values:
        if value.upper() not in body:
            body[value.upper()] = value


class Point(StrEnum):
    """The detection point at which a rule fired, named as in the rule language.

    Members that code names are written here; all others are those of `whence.abi.points`.
    """

    DEREF_R = "deref_r"
    DEREF_W = "deref_w"
    FREE = "free"
    CALL = "call"
    RET = "ret"
    DESCRIPTOR = "descriptor"
    READ = "read"
    SIGNAL = "signal"
    UNKNOWN = "unknown"
    _add_members(vars(), (row.name for row in points.POINTS))


class AccessKind(StrEnum):
    """What the program was about to do with the address; further members as in `Point`."""

    READ = "read"
    WRITE = "write"
    FREE = "free"
    CALL = "call"
    REQUEST = "request"
    COPY = "copy"
    PASS = "pass"
    EXTEND = "extend"
    TRAP = "trap"
    UNKNOWN = "unknown"
    _add_members(vars(), (row.access for row in points.POINTS))


ACCESS_OF_POINT = {
    **{Point(row.name): AccessKind(row.access) for row in points.POINTS},
    Point.SIGNAL: AccessKind.TRAP,
}


class UseKind(StrEnum):
    """What depends on an undefined value."""

    BRANCH = "branch"
    ADDRESS = "address"
    ARGUMENT = "argument"
    TARGET = "target"
    MEMORY = "memory"
    STATUS = "status"


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What a finding needs to know of its rule.

    `title` says the bug in plain words, `values` are the traced terms as they
    are written, `severity` is ``error``, ``warning`` or ``note``, `cwe` the numbers of
    the Common Weakness Enumeration it may stand for. Notes do not fail a run.
    """

    name: str
    title: str
    values: tuple[str, ...] = field(default=(), metadata=OWN)
    severity: str = "error"
    advice: str = field(default="", metadata=KNOWN)
    cwe: tuple[int, ...] = ()

    @property
    def is_note(self) -> bool:
        return self.severity == "note"


@dataclass(frozen=True, slots=True)
class Access:
    """What was about to happen: `size` bytes at `address`; size 0 when it is not an access.

    `first_bad` is the first byte that must not be touched, None when unknown.
    `root` is the pointer that `address` was visibly derived from, 0 if there is none.
    `late`: it happened before; its traces were found when the finding was made.
    `use`: what depends on the value, at uses of undefined values.
    """

    kind: AccessKind
    address: int = field(metadata=ADDRESS)
    size: int = 0
    first_bad: int | None = field(default=None, metadata=ADDRESS)
    root: int = field(default=0, metadata=POINTER)
    late: bool = field(default=False, metadata=SPARSE)
    use: UseKind | None = field(default=None, metadata=SPARSE)

    @property
    def end(self) -> int:
        return self.address + self.size

    @property
    def touches(self) -> bool:
        """A read or write, by the program or by a library function for it."""
        return self.kind in (AccessKind.READ, AccessKind.WRITE)


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the run: its number, that of its parent, and its command line (empty when unknown)."""

    pid: int
    parent: int = 0
    command: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The program's name without its folder."""
        return os.path.basename(self.command[0]) if self.command else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One detected bug: what, where, and what else is known (`facts`).

    occurrences: how often it was met, 1 for a leak. twins: which frames are of functions' twins, which repeat
    checks where they go on, with a bit for each.
    """

    rule: RuleInfo = field(metadata=OWN)
    point: Point
    access: Access
    stack: tuple[Frame, ...] = ()
    facts: tuple[Fact, ...] = field(default=(), metadata=OWN)
    library_function: str | None = None
    thread: int = field(default=0, metadata=OWN)
    tid: int = field(default=0, metadata=OWN)
    pid: int = field(default=0, metadata=OWN)
    time: int = 0
    halted: bool = False
    occurrences: int = 1
    twins: int = field(default=0, metadata=OWN)
    process: Process | None = field(default=None, metadata=OWN)

    def fact(self, kind: type[F]) -> F | None:
        """The only fact of a kind, or the first."""
        return next((each for each in self.facts if isinstance(each, kind)), None)

    def every(self, kind: type[F]) -> tuple[F, ...]:
        """All facts of a kind, in their order."""
        return tuple(each for each in self.facts if isinstance(each, kind))

    def without(self, *kinds: type[Fact]) -> Finding:
        """The finding without facts of some kinds."""
        return replace(self, facts=tuple(each for each in self.facts if not isinstance(each, kinds)))

    def having(self, *facts: Fact) -> Finding:
        """The finding with these in the place of its facts of the same kinds."""
        rest = self.without(*map(type, facts))
        return replace(rest, facts=(*rest.facts, *facts))

    @property
    def block(self) -> Block | None:
        """The block that the pointer was derived from, or the nearest one."""
        return self.fact(Block)

    @property
    def leak(self) -> Leak | None:
        return self.fact(Leak)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that the rule traces, in its order."""
        return self.every(Value)

    @property
    def chains(self) -> tuple[Chain, ...]:
        return self.every(Chain)

    @property
    def signal(self) -> int:
        """The number of the signal; 0 without one."""
        known = self.fact(Signal)
        return known.number if known else 0

    @property
    def relation(self) -> Relation | None:
        """Where the address lies relative to the block; None when there is nothing to relate."""
        if self.block is None or not self.access.address:
            return None
        return self.block.relation(self.access.address, self.access.size)

    @property
    def key(self) -> str:
        """Stable identity: 16 hex digits of a hash without addresses, values, offsets or lines.

        Equal for the same bug at every run and after edits elsewhere in the
        files; suppressions and de-duplication depend on it.
        """
        return stable_key(self)


KEY_FRAMES = 6
"""Frames of each stack that take part in the key."""


def stable_key(finding: Finding) -> str:
    """See `Finding.key`. Leaks are told apart by their allocation, everything else by its stack."""
    stack = telling_stack(finding)[:KEY_FRAMES]
    parts = [finding.rule.name, finding.library_function or "", *map(_frame_identity, stack)]
    if said := finding.fact(Message):
        parts.append(_message_identity(said.text))
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]


def _message_identity(message: str) -> str:
    """What was said, without anything that moves: of an assertion the condition, else all but numbers."""
    assertion = re.search(r"Assertion .* failed", message)
    return assertion[0] if assertion else re.sub(r"[0-9]+", "", message)


def _frame_identity(frame: Frame) -> str:
    """A frame without anything that moves: function, and the base name of its file or module. An instrumented
    image is named by its contents, which change with the program and with whence: it has none here."""
    place = os.path.basename(frame.file or frame.module or "")
    return f"{frame.function or ''}@{'' if _IMAGE.fullmatch(place) else place}"


_IMAGE = re.compile("[0-9a-f]{64}")


def thread_name(number: int) -> str:
    """The name of a thread; threads are numbered in order of creation, main is 0."""
    return f"thread {number}" if number else "the main thread"


def telling_stack(finding: Finding) -> tuple[Frame, ...]:
    """The stack that tells findings apart: that of the allocation for leaks, else the finding's own."""
    allocated = finding.block.allocated if finding.leak and finding.block else None
    return allocated.stack if allocated else finding.stack


_RUNTIME_LIBRARIES = ("libwhence", "whence-alloc")


def is_runtime(frame: Frame) -> bool:
    """The frame lies in our own runtime library."""
    return os.path.basename(frame.module or "").startswith(_RUNTIME_LIBRARIES)
