"""The facts of findings, beside leaks (`leaks`) and chains (`chains`), and what they are made of.

Units: sizes, offsets and distances are bytes; addresses are those of the checked process; times are of the
event clock; lines count from 1, and 0 means unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from whence.abi.layout import GRANULE, GRANULE_SHIFT, STATES
from whence.findings.fact import Fact
from whence.findings.frames import Frame
from whence.findings.plain import ADDRESS, KNOWN, OWN, POINTER, SPARSE, plain, shown

_ADDRESSABLE = {s.value for s in STATES if s.name in ("ADDRESSABLE", "UNDEFINED", "MIXED")}


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
class Event:
    """An allocation or a free: when, by which thread (number, main is 0), from where."""

    time: int
    thread: int
    stack: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """An access to a block: when, its address, and the code that made it (one frame, unless inlined)."""

    time: int
    address: int = field(metadata=ADDRESS)
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

    name: str = field(metadata=KNOWN)
    is_array: bool = False
    function: str = field(default="", metadata=KNOWN)
    file: str | None = None
    line: int = field(default=0, metadata=KNOWN)
    is_thread_local: bool = False

    @property
    def place(self) -> Frame:
        """Where it is declared, as a frame without an address; a global variable stands for a function."""
        return Frame(0, function=self.function or self.name or None, file=self.file, line=self.line)


@dataclass(frozen=True, slots=True)
class Origin(Fact, key="origin"):
    """Where undefined bits, or if `labelled` labels, were born: `stack` is that of an allocation, empty for a
    variable, or that of a call by which labelled bytes came."""

    variable: Variable | None = None
    stack: tuple[Frame, ...] = ()
    labelled: bool = field(default=False, metadata=OWN)


@dataclass(frozen=True, slots=True)
class Descriptor(Fact, key="descriptor"):
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
    NEXT = "next"
    """The thread wants the next lock there, while it holds the one before."""


@dataclass(frozen=True, slots=True)
class Earlier(Fact, key="earlier", many=True):
    """One step of that kind, with when (event clock), by which thread and where it happened. `subject`: the
    number of the thread that was created, joined or detached."""

    kind: EarlierKind
    time: int
    thread: int
    stack: tuple[Frame, ...] = ()
    subject: int = 0


@dataclass(frozen=True, slots=True)
class Types(Fact, key="types"):
    """The types of a step that the front end has written a check for, in the words of the source.

    `found`: the class that an object has instead, or the type that a called function has; empty where it
    is not known. `function`: the one that is called, where it begins.
    """

    expected: str
    found: str = field(default="", metadata=KNOWN)
    function: Frame | None = field(default=None, metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Block(Fact, key="block"):
    """The block a pointer was derived from, or the nearest one.

    `moved`: it was freed by realloc. `variable`: which one it is, if it was not allocated.
    `last_use`: where accesses were seen, the last one before the finding. `cookie`: bytes before
    `begin` in which new[] keeps the number of elements, 0 for none. `returned`: the function of the
    variable has returned.
    """

    id: int
    begin: int = field(metadata=ADDRESS)
    size: int
    state: BlockState = BlockState.UNKNOWN
    family: Family = Family.UNKNOWN
    allocated: Event | None = None
    freed: Event | None = None
    moved: bool = field(default=False, metadata=SPARSE)
    last_use: Use | None = field(default=None, metadata=SPARSE)
    kind: BlockKind = BlockKind.HEAP
    variable: Variable | None = field(default=None, metadata=SPARSE)
    cookie: int = field(default=0, metadata=SPARSE)
    returned: bool = field(default=False, metadata=SPARSE)

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
class HitBlock(Fact, key="hit_block"):
    """The live block that really lies at the address, when it is not the block derived from."""

    id: int
    begin: int = field(metadata=ADDRESS)
    size: int

    @property
    def end(self) -> int:
        return self.begin + self.size


@dataclass(frozen=True, slots=True)
class Pointer(Fact, key="second"):
    """The second of two pointers that a step takes: its address, what it was derived from, its block.

    `root` and `hit_block` are as those of the first one, in `Access` and `HitBlock`.
    """

    address: int = field(metadata=ADDRESS)
    root: int = field(default=0, metadata=POINTER)
    block: Block | None = None
    hit_block: HitBlock | None = None

    @property
    def relation(self) -> Relation | None:
        return None if self.block is None else self.block.relation(self.address)

    def document(self) -> dict[str, Any]:
        return shown(self) | {"relation": plain(self.relation)}


@dataclass(frozen=True, slots=True)
class UndefinedRun:
    """Undefined bytes in a row: their offset in what was read, and what lies there as far as that is known:
    members and elements, and `padding` with what is before it."""

    offset: int
    size: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undefined(Fact, key="undefined"):
    """Memory that was read as a whole, and its undefined bytes; `more`: there are others behind these.

    `block`: the one that has the first of them, if it is known.
    """

    begin: int = field(metadata=ADDRESS)
    size: int
    runs: tuple[UndefinedRun, ...]
    more: bool = False
    block: Block | None = None


@dataclass(frozen=True, slots=True)
class Described(Fact, key="described"):
    """A range of addresses that the program has described, and where it did so."""

    text: str
    begin: int = field(metadata=ADDRESS)
    size: int
    stack: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Value(Fact, key="values", many=True):
    """A value to trace: the term of the rule and what it was."""

    name: str
    value: int = field(metadata=ADDRESS)


@dataclass(frozen=True, slots=True)
class States(Fact, key="states"):
    """State bytes around the address (`whence.abi.layout.STATES`), one for each granule.

    `begin` is the address that the first byte describes.
    """

    begin: int = field(metadata=ADDRESS)
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
class Signal(Fact, key="signal"):
    """The number of the signal, when the processor trapped or the program raised it."""

    number: int

    def document(self) -> int:
        return self.number


@dataclass(frozen=True, slots=True)
class Message(Fact, key="message"):
    """What the C library said before it aborted, in one line."""

    text: str

    def document(self) -> str:
        return str(plain(self.text))
