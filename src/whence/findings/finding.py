"""A finding is data: one detected bug as a typed, frozen record.

Engines make findings, renderers (`whence.report`) show them, and neither knows
the other. Units: sizes, offsets and distances are bytes; addresses are those of
the checked process; columns and lines count from 1, and 0 means unknown.
"""

from __future__ import annotations

import hashlib
import os.path
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from whence.abi import points
from whence.abi.layout import GRANULE, GRANULE_SHIFT, STATES
from whence.findings.chains import Chain
from whence.findings.frames import Frame as Frame
from whence.findings.leaks import Leak

_ADDRESSABLE = {s.value for s in STATES if s.name in ("ADDRESSABLE", "UNDEFINED", "MIXED")}


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


class BlockState(StrEnum):
    LIVE = "live"
    FREED = "freed"
    UNKNOWN = "unknown"


class BlockKind(StrEnum):
    """The kind of memory that a block is made of."""

    HEAP = "heap"
    STACK = "stack"
    GLOBAL = "global"
    UNKNOWN = "unknown"


class Family(StrEnum):
    """The functions that allocated a block."""

    MALLOC = "malloc"
    NEW = "new"
    NEW_ARRAY = "new[]"
    UNKNOWN = "unknown"


class Where(StrEnum):
    """Where an address lies, seen from a block."""

    BEFORE = "before"
    INSIDE = "inside"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What a finding needs to know of its rule.

    `title` says the bug in plain words, `values` are the traced terms as they
    are written, `severity` is ``error``, ``warning`` or ``note``, `cwe` the numbers of
    the Common Weakness Enumeration it may stand for. Notes do not fail a run.
    """

    name: str
    title: str
    values: tuple[str, ...] = ()
    severity: str = "error"
    advice: str = ""
    cwe: tuple[int, ...] = ()

    @property
    def is_note(self) -> bool:
        return self.severity == "note"


@dataclass(frozen=True, slots=True)
class Event:
    """An allocation or a free: when, by which thread (number, main is 0), from where."""

    time: int
    thread: int
    stack: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """An access to a block: when, its address, and the code that made it (one frame, unless inlined)."""

    time: int
    address: int
    stack: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """Where an access of `size` bytes at an address lies relative to a block.

    `distance`: bytes from the address to the begin of the block (before), from
    the begin to the address (inside), or from the end to the address (after, 0
    is the first byte behind the block). `overrun`: bytes of the access that
    lie behind the end when it starts inside.
    """

    where: Where
    distance: int
    overrun: int = 0


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that is a block, as the source declares it; what is not known is empty, a line 0."""

    name: str
    is_array: bool = False
    function: str = ""
    file: str | None = None
    line: int = 0
    is_thread_local: bool = False

    @property
    def place(self) -> Frame:
        """Where it is declared, as a frame without an address; a global variable stands for a function."""
        return Frame(0, function=self.function or self.name or None, file=self.file, line=self.line)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where undefined bits, or if `labelled` labels, were born: `stack` is that of an allocation, empty for a
    variable, or that of a call by which labelled bytes came."""

    variable: Variable | None = None
    stack: tuple[Frame, ...] = ()
    labelled: bool = False


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A descriptor that was used after it was closed; `opened` is None where unseen code opened it."""

    number: int
    opened: Event | None = None
    closed: Event | None = None


class EarlierKind(StrEnum):
    """What happened before to a lock or a thread."""

    LOCKED = "locked"
    """By the thread that holds the lock."""
    DESTROYED = "destroyed"
    CREATED = "created"
    JOINED = "joined"
    DETACHED = "detached"
    WAITS = "waits"
    """The thread is there, and waits."""
    READ = "read"
    WROTE = "wrote"
    """The thread accessed the same bytes."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """One step of that kind. `thread`: the number of the thread that was created, joined or detached."""

    kind: EarlierKind
    event: Event
    thread: int = 0


@dataclass(frozen=True, slots=True)
class Types:
    """The types of a step that the front end has written a check for, in the words of the source.

    `found`: the class that an object has instead, or the type that a called function has; empty where it
    is not known. `function`: the one that is called, where it begins.
    """

    expected: str
    found: str = ""
    function: Frame | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """The block a pointer was derived from, or the nearest one.

    `moved`: it was freed by realloc. `variable`: which one it is, if it was not allocated.
    `last_use`: where accesses were seen, the last one before the finding. `cookie`: bytes before
    `begin` in which new[] keeps the number of elements, 0 for none. `returned`: the function of the
    variable has returned.
    """

    id: int
    begin: int
    size: int
    state: BlockState = BlockState.UNKNOWN
    family: Family = Family.UNKNOWN
    allocated: Event | None = None
    freed: Event | None = None
    moved: bool = False
    last_use: Use | None = None
    kind: BlockKind = BlockKind.HEAP
    variable: Variable | None = None
    cookie: int = 0
    returned: bool = False

    @property
    def end(self) -> int:
        """First address behind the block."""
        return self.begin + self.size

    def relation(self, address: int, size: int = 0) -> Relation:
        """Where `size` bytes at `address` lie relative to this block."""
        if address < self.begin:
            return Relation(Where.BEFORE, self.begin - address)
        if address >= self.end:
            return Relation(Where.AFTER, address - self.end)
        return Relation(Where.INSIDE, address - self.begin, max(0, address + size - self.end))


@dataclass(frozen=True, slots=True)
class HitBlock:
    """The live block that really lies at the address, when it is not the block derived from."""

    id: int
    begin: int
    size: int

    @property
    def end(self) -> int:
        return self.begin + self.size


@dataclass(frozen=True, slots=True)
class Pointer:
    """The second of two pointers that a step takes: its address, what it was derived from, its block.

    `root` and `hit_block` are as those of the first one, in `Access` and `Finding`.
    """

    address: int
    root: int = 0
    block: Block | None = None
    hit_block: HitBlock | None = None

    @property
    def relation(self) -> Relation | None:
        return None if self.block is None else self.block.relation(self.address)


@dataclass(frozen=True, slots=True)
class UndefinedRun:
    """Undefined bytes in a row: their offset in what was read, and what lies there as far as that is known:
    members and elements, and `padding` with what is before it."""

    offset: int
    size: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undefined:
    """Memory that was read as a whole, and its undefined bytes; `more`: there are others behind these.

    `block`: the one that has the first of them, if it is known.
    """

    begin: int
    size: int
    runs: tuple[UndefinedRun, ...]
    more: bool = False
    block: Block | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """A range of addresses that the program has described, and where it did so."""

    text: str
    begin: int
    size: int
    stack: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """What was about to happen: `size` bytes at `address`; size 0 when it is not an access.

    `first_bad` is the first byte that must not be touched, None when unknown.
    `root` is the pointer that `address` was visibly derived from, 0 if there is none.
    `late`: it happened before; its traces were found when the finding was made.
    `use`: what depends on the value, at uses of undefined values.
    """

    kind: AccessKind
    address: int
    size: int = 0
    first_bad: int | None = None
    root: int = 0
    late: bool = False
    use: UseKind | None = None

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(frozen=True, slots=True)
class Value:
    """A value to trace: the term of the rule and what it was."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class States:
    """State bytes around the address (`whence.abi.layout.STATES`), one for each granule.

    `begin` is the address that the first byte describes.
    """

    begin: int
    bytes: bytes = b""

    @property
    def end(self) -> int:
        """First address that is not described."""
        return self.begin + GRANULE * len(self.bytes)

    def at(self, address: int) -> int | None:
        """The state byte of the granule that holds the address, None when it was not recorded."""
        index = (address - self.begin) >> GRANULE_SHIFT
        return self.bytes[index] if 0 <= index < len(self.bytes) else None

    def addressable(self, address: int) -> bool | None:
        """Whether the byte at the address may be accessed, None when its state was not recorded."""
        state = self.at(address)
        if state is None:
            return None
        if 0 < state < GRANULE:
            return address % GRANULE < state
        return state in _ADDRESSABLE


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
    """One detected bug: what, where, which block, whence.

    earlier: what happened before to the lock or the thread that it is about. occurrences: how often it was
    met, 1 for a leak. message: what was said before an abort. twins: which
    frames are of functions' twins, which repeat checks where they go on, with a bit for each.
    """

    rule: RuleInfo
    point: Point
    access: Access
    stack: tuple[Frame, ...] = ()
    block: Block | None = None
    hit_block: HitBlock | None = None
    values: tuple[Value, ...] = ()
    library_function: str | None = None
    thread: int = 0
    tid: int = 0
    pid: int = 0
    time: int = 0
    leak: Leak | None = None
    signal: int = 0
    states: States | None = None
    halted: bool = False
    occurrences: int = 1
    twins: int = 0
    process: Process | None = None
    origin: Origin | None = None
    descriptor: Descriptor | None = None
    earlier: tuple[Earlier, ...] = ()
    types: Types | None = None
    message: str = ""
    chains: tuple[Chain, ...] = ()
    described: Described | None = None
    second: Pointer | None = None
    undefined: Undefined | None = None

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
    if finding.message:
        parts.append(_message_identity(finding.message))
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
    allocated = finding.block.allocated if finding.block else None
    return allocated.stack if finding.leak and allocated else finding.stack


_RUNTIME_LIBRARIES = ("libwhence", "whence-alloc")


def is_runtime(frame: Frame) -> bool:
    """The frame lies in our own runtime library."""
    return os.path.basename(frame.module or "").startswith(_RUNTIME_LIBRARIES)
