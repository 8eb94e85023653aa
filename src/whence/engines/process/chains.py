"""Chains from the text in a FINDING record, which the runtime makes (``runtime/origins/chains.h``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from whence.abi.origins import MOST_HOPS, NODE_FLAGS, ROLES, SCOPE_FIELDS, SITE_FIELDS, TAG_LATE, TAG_UNKNOWN
from whence.chains import Chain, Hop, HopKind
from whence.findings import Value
from whence.symbols.demangle import demangle

_ROLES = {number: name for name, number in ROLES.items()}
_COLUMNS = 2 + len(SITE_FIELDS) + len(SCOPE_FIELDS)


def chains(text: str, values: Sequence[Value], point_value: str) -> tuple[Chain, ...]:
    """The chains of a finding. values: those that its rule traces. point_value: the name of the step's own
    pointer where the rule traces none."""
    return tuple(_chain(head, lines, values, point_value) for head, lines in _parts(text))


def chain_of(text: str, term: str) -> Chain:
    """The only chain of a text."""
    ((head, lines),) = _parts(text)
    return replace(_chain(head, lines, (), term), value=None)


def _parts(text: str) -> Iterator[tuple[str, list[str]]]:
    """The first line of each chain, and its hops."""
    head, lines = "", list[str]()
    for line in text.split("\n"):
        if line.startswith("="):
            if head:
                yield head, lines
            head, lines = line, []
        elif line:
            lines.append(line)
    if head:
        yield head, lines


def _chain(head: str, lines: list[str], values: Sequence[Value], point_value: str) -> Chain:
    role, _, number = head[1:].partition("\t")
    value = int(number)
    hops = tuple(hop for line in lines if (hop := _hop(line)) is not None)
    cut = len(lines) >= MOST_HOPS or not hops or not hops[-1].kind.is_birth
    said = _ROLES.get(int(role), "")
    term = _term(said, value, values, point_value)
    return Chain(term, None if said == "INDEX" else value, hops, cut)


def _term(role: str, value: int, values: Sequence[Value], point_value: str) -> str:
    """The rule's term for a value. The freed pointer is the last traced value that is equal to it."""
    if role == "INDEX":
        return f"the index of {point_value}"
    same = [each.name for each in values if each.value == value]
    if role == "FREED":
        return same[-1] if len(same) > 1 or (same and same[0] != point_value) else "the freed pointer"
    return same[0] if same else point_value


def _hop(line: str) -> Hop | None:
    """A hop of one line; None if the record is cut off in it."""
    fields = line.split("\t")
    if len(fields) != _COLUMNS:
        return None
    flags, tag, kind, place, column, name, source, function, file = fields
    bits = int(flags)
    return Hop(
        _kind(kind, bits),
        demangle(function) or None,
        file or None,
        int(place),
        int(column),
        demangle(name) if name.startswith("_Z") else name,
        source,
        bool(bits & NODE_FLAGS["REPEATED"]),
        thread_of(int(tag)),
    )


def _kind(kind: str, flags: int) -> HopKind:
    """The kind, of which the site of a load knows only that it is none of a store."""
    if flags & NODE_FLAGS["INITIAL"]:
        return HopKind.INITIAL
    found = HopKind(kind)
    return HopKind.LOADED if found is HopKind.UNSEEN and flags & NODE_FLAGS["CROSSED"] else found


def thread_of(tag: int) -> int | None:
    """The number of the thread with this tag."""
    return None if tag in (TAG_UNKNOWN, TAG_LATE) else tag - 1
