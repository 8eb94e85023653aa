"""Value propagation chains: the way of a value from its birth to a finding, newest hop first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from whence.abi.hops import HopKind
from whence.findings.fact import Fact
from whence.findings.frames import Frame, place
from whence.findings.plain import ADDRESS, KNOWN, OWN, SPARSE, plain, shown


@dataclass(frozen=True, slots=True)
class Holder:
    """A heap block in which a pointer lay: its size in bytes, and the stack that allocated it."""

    size: int
    stack: tuple[Frame, ...] = ()

    def document(self) -> dict[str, Any]:
        shown = plain(place(self.stack) or Frame(0))
        return {"size": self.size, **{name: shown[name] for name in ("function", "file", "line")}}


class InputKind(StrEnum):
    """What a value from outside of the process was a part of."""

    DESCRIPTOR = "descriptor"
    ARGUMENT = "argument"
    VARIABLE = "variable"


class FileKind(StrEnum):
    """What a descriptor led to."""

    FILE = "file"
    PIPE = "pipe"
    SOCKET = "socket"
    DEVICE = "device"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Content:
    """By what the sender of an input is recognised: the file, and the digest of `count` bytes from `first`
    on, as they were read (`whence.abi.origins.INPUT_FIELDS`)."""

    device: int
    inode: int
    first: int
    count: int
    digest: int


@dataclass(frozen=True, slots=True)
class Input:
    """What a value from outside was there.

    number: of the descriptor, or of the argument in `argv`; of a variable of the environment 0. name: the
    path of the file, where it has one, or the variable's name. offset: of the value in the file, the argument
    or the variable's value, in bytes; None where it is not known. Of a pipe or a socket, it is what the
    process had read before. size: in bytes; 0 if the value is the address of the argument or variable, at the
    offset. file: None unless it is a descriptor. content: None where it is not known.
    """

    kind: InputKind
    number: int = 0
    name: str = field(default="", metadata=KNOWN)
    offset: int | None = None
    size: int = 0
    file: FileKind | None = None
    content: Content | None = field(default=None, metadata=OWN)

    def document(self) -> dict[str, Any]:
        return shown(self) | ({"number": None} if self.kind is InputKind.VARIABLE else {})


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a chain.

    name: what the value was stored to, the called function, the variable, the constant. source: what was
    stored or passed, as the program writes it. repeated: the value came here before, and the hops between are
    left out. skipped: hops between this one and the one before are left out, because values came
    here by too many ways. thread: its number, None where it is not known. note: what a debugger knows of this
    moment. holder: the block in which the lost pointer lay. conversion: how many bits the number had, and
    how many of them it has from here on, or, if these are more, that its sign was extended. computed: in
    folded chains, what the same statement computed first. input: of a birth outside, what is known
    of it. process, program: the number and the name of the process in which this happened, where it is
    another than the finding's. copied: two pointers to the block come from here (`parted`). away: the
    pointer was stored elsewhere than in a variable of the function. handed: another took the block over here
    (`handed`). wrapped: how many bits a computed number has, and the result, which has more.
    """

    kind: HopKind
    function: str | None = None
    file: str | None = None
    line: int = field(default=0, metadata=KNOWN)
    column: int = field(default=0, metadata=KNOWN)
    name: str = field(default="", metadata=KNOWN)
    source: str = field(default="", metadata=KNOWN)
    repeated: bool = False
    thread: int | None = None
    note: str = field(default="", metadata=OWN)
    holder: Holder | None = field(default=None, metadata=SPARSE)
    skipped: bool = field(default=False, metadata=SPARSE)
    conversion: tuple[int, int] | None = field(default=None, metadata=OWN)
    computed: str = field(default="", metadata=OWN)
    input: Input | None = field(default=None, metadata=SPARSE)
    process: int | None = field(default=None, metadata=OWN)
    program: str = field(default="", metadata=OWN)
    copied: bool = field(default=False, metadata=SPARSE)
    away: bool = field(default=False, metadata=OWN)
    handed: bool = field(default=False, metadata=OWN)
    wrapped: tuple[int, int] | None = field(default=None, metadata=OWN)

    def document(self) -> dict[str, Any]:
        made = shown(self)
        if self.handed:
            made["handed_over"] = True
        if self.conversion is not None:
            made["bits"] = [*self.conversion]
        if self.wrapped is not None:
            made["wrapped"] = {"bits": self.wrapped[0], "result": str(self.wrapped[1])}
        if self.process is not None:
            made["process"] = {"pid": self.process, "program": plain(self.program) or None}
        return made

    @property
    def is_cut(self) -> bool:
        """Whether upper bits of the number are lost here."""
        return self.conversion is not None and self.conversion[1] < self.conversion[0]


@dataclass(frozen=True, slots=True)
class Chain(Fact, key="chains", many=True):
    """The chain of a value.

    term: the rule's, "the index of" it, or "the last pointer" to a leaked block. value: None where it was
    not kept. cut: older hops are missing. is_number: the value is no address, and has the sign
    of its type.
    """

    term: str
    value: int | None = field(metadata=ADDRESS)
    hops: tuple[Hop, ...] = ()
    cut: bool = False
    is_number: bool = field(default=False, metadata=OWN)

    def folded(self) -> Chain:
        """The chain with one hop for what a statement computes and then stores, passes or returns."""
        hops: list[Hop] = []
        for hop in self.hops:
            if hops and _is_of_statement(hops[-1], hop):
                last = hops[-1]
                hops[-1] = replace(
                    last,
                    computed=last.computed or hop.name,
                    repeated=last.repeated or hop.repeated,
                    skipped=last.skipped or hop.skipped,
                )
            else:
                hops.append(hop)
        return replace(self, hops=tuple(hops))

    def is_shared(self, thread: int) -> bool:
        """Whether other threads than this one have made some of the hops."""
        return any(hop.thread not in (None, thread) for hop in self.hops)


def _is_of_statement(newer: Hop, hop: Hop) -> bool:
    """Whether arithmetic was done in the statement of the newer hop, for the value that was moved there."""
    if hop.kind is not HopKind.ARITHMETIC or newer.kind not in _ENDS or not hop.name or hop.note:
        return False
    if hop.copied or hop.handed:
        return False
    place, end = ((each.function, each.file, each.line, each.thread) for each in (hop, newer))
    if place != end:
        return False
    return hop.name in newer.computed if newer.computed else hop.name == newer.source


def parted(one: Chain, other: Chain) -> tuple[Chain, Chain]:
    """The chains of two pointers to one block, with a mark at the newest hop that both have, if the pointer
    was copied there: from then on it lay in two places.

    None is marked where the chains do not meet in a birth as a new pointer, or nothing behind that hop has
    stored the pointer again, so that both were read from one place.
    """
    common = _common(one, other)
    if not common or one.hops[-1].kind not in (HopKind.ALLOCATION, HopKind.OUTSIDE):
        return one, other
    newer = [*one.hops[: len(one.hops) - common], *other.hops[: len(other.hops) - common]]
    if not any(hop.kind in (HopKind.STORED, HopKind.COPY) for hop in newer):
        return one, other
    return _marked(one, common), _marked(other, common)


def _common(one: Chain, other: Chain) -> int:
    """How many hops, from the birth on, are those of both."""
    if one.cut or other.cut:
        return 0
    count = 0
    for hop, same in zip(reversed(one.hops), reversed(other.hops), strict=False):
        if hop != same:
            break
        count += 1
    return count


def _marked(chain: Chain, common: int) -> Chain:
    return _with(chain, len(chain.hops) - common, copied=True)


def _with(chain: Chain, at: int, *, copied: bool = False, handed: bool = False) -> Chain:
    hop = replace(chain.hops[at], copied=copied, handed=handed)
    return replace(chain, hops=(*chain.hops[:at], hop, *chain.hops[at + 1 :]))


def handed(chain: Chain) -> Chain:
    """The chain of the last pointer to a leaked block, with a mark at the newest hop at which another took
    the block over from whoever held it: a member, an element, a global variable, a copy, or a caller.

    None is marked where the pointer was only passed on to functions and among variables, nor where it was
    stored as it was made.
    """
    taken = [at for at, hop in enumerate(chain.hops) if _takes_over(hop)]
    if not taken:
        return chain
    older = chain.hops[taken[0] + 1 :]
    if not any(hop.kind in (HopKind.STORED, HopKind.RETURN, HopKind.COPY) for hop in older):
        return chain
    return _with(chain, taken[0], handed=True)


def _takes_over(hop: Hop) -> bool:
    if hop.kind is HopKind.COPY:
        return hop.name not in _SHIFTS
    return hop.kind is HopKind.RETURN or (hop.kind is HopKind.STORED and hop.away)


_SHIFTS = ("realloc", "reallocarray", "memmove")
"""What moves elements within one container."""


_ENDS = (HopKind.STORED, HopKind.ARGUMENT, HopKind.RETURN)
