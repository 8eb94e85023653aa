"""Chains in words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from os.path import basename

from whence.abi.hops import HopKind
from whence.findings import Frame, thread_name
from whence.findings.chains import Chain, FileKind, Holder, Hop, Input, InputKind
from whence.report import words
from whence.report.frames import is_system, place, position


def hop_words(hop: Hop) -> str:
    """What happened to the value, in one phrase."""
    return "".join(hop_parts(hop))


def hop_parts(hop: Hop) -> tuple[str, str]:
    """What happened to the value, with the names of the program, which may be long; and what became of it."""
    again = ", repeatedly" if hop.repeated else ""
    again += ", after hops that are left out" if hop.skipped else ""
    computed = f", computed as {hop.computed}" if hop.computed else ""
    changed = _wrapped(hop) + _converted(hop) + again + (f": {hop.note}" if hop.note else "")
    return _words(hop) + computed, changed


def _wrapped(hop: Hop) -> str:
    return f", wrapped in {hop.wrapped[0]} bits ({hop.wrapped[1]:,})" if hop.wrapped is not None else ""


def _converted(hop: Hop) -> str:
    if hop.conversion is None:
        return ""
    before, behind = hop.conversion
    return f", cut from {before} to {behind} bits" if hop.is_cut else f", negative in {before} bits"


def _words(hop: Hop) -> str:
    name, source = hop.name, hop.source
    match hop.kind:
        case HopKind.STORED:
            return f"stored to {name or 'memory'}"
        case HopKind.ARGUMENT:
            return f"passed to {name}"
        case HopKind.RETURN:
            return f"returned by {name}"
        case HopKind.COPY:
            return _copy_words(name, source)
        case HopKind.LOADED:
            return f"read from {name or 'memory'}"
        case HopKind.ARITHMETIC:
            return f"computed as {_plain(name)}" if name else "moved by arithmetic"
        case HopKind.ALLOCATION:
            return f"allocated by {name}"
        case HopKind.CONSTANT:
            return f"the constant {name}" if name else "a constant"
        case HopKind.COMPUTED:
            return f"computed as {name}" if name else "computed"
        case HopKind.ADDRESS:
            return f"the address of {name}" if name else "the address of a variable"
        case HopKind.INITIAL:
            return name if name.startswith("zero ") else f"initial value of {name or 'the memory'}"
        case HopKind.PARAMETER:
            return _parameter_words(name, source)
        case HopKind.SENT:
            return f"sent by {_plain(name)}"
        case HopKind.OUTSIDE:
            return _outside_words(hop)
        case HopKind.WRITTEN:
            return f"written by {_plain(name)}"
        case HopKind.UNSEEN:
            return f"{name or 'memory'}, written in a way that is not followed"
        case HopKind.UNDEFINED:
            return f"undefined value of {name or 'the memory'}"
        case HopKind.OVERWRITTEN:
            return f"overwritten{f' in {name}' if name else ''}"
        case HopKind.LEFT:
            return f"{name or 'its variable'} went out of scope"
        case HopKind.FREED:
            return f"the block that it lay in was freed by {name}"
        case HopKind.DROPPED:
            return f"the result of {name} was not used"


def _parameter_words(name: str, source: str) -> str:
    """source: what `main` is called with."""
    if source:
        return f"{name}, the {source}" if name else f"the {source}"
    return f"argument {name} from code that is not followed" if name else "argument from other code"


def _outside_words(hop: Hop) -> str:
    name = _plain(hop.name)
    if hop.input is None:
        return f"{hop.source} by {name}" if hop.source else f"returned by {name}, which is not followed"
    said = input_words(hop.input)
    return f"read from {said} by {name}" if hop.input.kind is InputKind.DESCRIPTOR else said


def _plain(name: str) -> str:
    """A function's name as programs write it, without what headers make of it."""
    return _DRESSED.sub(r"\1", name)


_DRESSED = re.compile(r"^__(?:isoc\d\d_)?(\w+?)(?:_chk)?(?=\(|$)")


def input_words(given: Input) -> str:
    """What a value from outside was there, as "standard input at offset 4" or "bytes 0 to 3 of argv[1]"."""
    if given.kind is InputKind.DESCRIPTOR:
        at, end = given.offset, (given.offset or 0) + given.size - 1
        place = "" if at is None else f" at offset {at}" if end <= at else f" at offsets {at} to {end}"
        return _descriptor(given) + place
    of = f"argv[{given.number}]" if given.kind is InputKind.ARGUMENT else f"the variable {given.name}"
    first = given.offset or 0
    if not given.size:
        return f"the address of {of}" if not first else f"the address of byte {first} of {of}"
    last = first + given.size - 1
    return f"bytes {first} to {last} of {of}" if last > first else f"byte {first} of {of}"


def _descriptor(given: Input) -> str:
    has_name = given.name and given.file in (FileKind.FILE, FileKind.DEVICE)
    if given.number == 0:
        return "standard input" if given.file is not FileKind.FILE or not has_name else basename(given.name)
    if has_name:
        return basename(given.name)
    kind = f"{given.file} " if given.file in (FileKind.PIPE, FileKind.SOCKET) else ""
    return f"{kind}descriptor {given.number}"


def _copy_words(name: str, source: str) -> str:
    if source:
        return f"copied to {name or 'memory'} from {source}"
    return f"copied by {name}" if name else "copied as bytes"


def chain_heading(chain: Chain, directory: str = "") -> str:
    """The value whose chain follows; of the last pointer to a leaked block, how it was lost.

    directory: positions below it are relative to it.
    """
    if chain.hops and chain.hops[0].kind.is_loss:
        return _loss(chain, directory)
    if chain.value is None:
        return f"whence {chain.term}"
    return f"whence {chain.term} = {chain.value if chain.is_number else hex(chain.value)}"


def _loss(chain: Chain, directory: str) -> str:
    """A sentence without its point: which pointer was lost, and what happened to it."""
    loss = chain.hops[0]
    name = loss.name
    if loss.kind is HopKind.DROPPED:
        name = f"the result of {name}"
    elif loss.kind is not HopKind.OVERWRITTEN or not name:
        stored = _last_name(chain.hops[1:])
        name = stored if loss.kind is HopKind.FREED or stored.startswith(name) else name
    named = "the last pointer to it" + (f", {name}" if name else "")
    if loss.holder is not None:
        named += f" (in {words.bytes_(loss.holder.size)}{_made_at(loss.holder, directory)})"
    comma = "," if name or loss.holder is not None else ""
    at = f" at {position(frame_of(loss), directory)}" if loss.file else ""
    return f"{named}{comma} {_LOSSES[loss.kind]}{at}"


_LOSSES = {
    HopKind.OVERWRITTEN: "was overwritten",
    HopKind.LEFT: "went out of scope",
    HopKind.FREED: "was in a block that was freed",
    HopKind.DROPPED: "was not kept",
}


def _last_name(hops: tuple[Hop, ...]) -> str:
    """What the value was stored to last."""
    return next((hop.name for hop in hops if hop.kind is HopKind.STORED), "")


def _made_at(holder: Holder, directory: str) -> str:
    """The file and the line that allocated a block, to follow its size."""
    frame = place(holder.stack)
    return f" of {position(replace(frame, column=0), directory)}" if frame is not None else ""


def hop_threads(chain: Chain, thread: int) -> list[str]:
    """The thread of each hop, or its process where that is another; "" for all of the finding's own."""
    if not chain.is_shared(thread):
        return [_process(hop) for hop in chain.hops]
    return [_process(hop) or _thread(hop) for hop in chain.hops]


def _thread(hop: Hop) -> str:
    return "a thread" if hop.thread is None else thread_name(hop.thread)


def _process(hop: Hop) -> str:
    named = f", {hop.program}" if hop.program else ""
    return "" if hop.process is None else f"process {hop.process}{named}"


_COPIED = "both pointers come from here: it was copied"
_HANDED = "the block was handed over here"


def mark(hop: Hop) -> str:
    """What is said of a hop that counts more than others; empty for these."""
    return _COPIED if hop.copied else _HANDED if hop.handed else ""


def hop_sentences(chain: Chain, thread: int) -> list[str]:
    """What happened, and in which thread, where the finding's own has not made the whole chain."""
    pairs = zip(chain.hops, hop_threads(chain, thread), strict=True)
    said = [f"{hop_words(hop)} in {by}" if by else hop_words(hop) for hop, by in pairs]
    marks = map(mark, chain.hops)
    return [f"{text}; {marked}" if marked else text for text, marked in zip(said, marks, strict=True)]


def frame_of(hop: Hop) -> Frame:
    """The place of a hop, as a frame without an address."""
    return Frame(0, function=hop.function, file=hop.file, line=hop.line, column=hop.column)


@dataclass(frozen=True, slots=True)
class Row:
    """A hop, or several in headers of the system; `number` is that of the newest, and `other` names the
    thread or process of all."""

    number: int
    hops: tuple[Hop, ...]
    other: str

    @property
    def is_system(self) -> bool:
        return is_system(self.hops[0].file or "")

    @property
    def said(self) -> str:
        """What is said of several hops at once; empty for a single one."""
        if len(self.hops) == 1:
            return ""
        library = all("/c++/" in (hop.file or "") for hop in self.hops)
        return f"{len(self.hops)} hops in {'the C++ library' if library else 'headers of the system'}"


def rows_of(chain: Chain, others: list[str]) -> list[Row]:
    """The hops, of which those that follow each other in headers of the system stand together. The birth of
    the value and hops that say more than others stand alone. others: `hop_threads`."""
    rows: list[Row] = []
    last = len(chain.hops) - 1
    for number, (hop, other) in enumerate(zip(chain.hops, others, strict=True)):
        row = Row(number, (hop,), other)
        if rows and number != last and _may_join(rows[-1], row):
            rows[-1] = replace(rows[-1], hops=(*rows[-1].hops, hop))
        else:
            rows.append(row)
    return rows


def _may_join(newer: Row, row: Row) -> bool:
    plain = not any(mark(hop) or hop.note or hop.kind.is_loss for hop in (newer.hops[-1], *row.hops))
    return plain and newer.is_system and row.is_system and newer.other == row.other
