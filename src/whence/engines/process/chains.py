"""Chains from the text in a FINDING record, which the runtime makes (``runtime/origins/chains.h``)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from whence.abi import points
from whence.abi.hops import HopKind
from whence.abi.origins import (
    AWAY,
    BY,
    INPUT_FIELDS,
    INPUT_KINDS,
    INPUT_NOWHERE,
    MOST_HOPS,
    NODE_FLAGS,
    ROLES,
    SCOPE_FIELDS,
    SITE_FIELDS,
    TAG_INPUT,
    TAG_UNKNOWN,
)
from whence.findings import Frame, Value
from whence.findings.chains import Chain, Content, FileKind, Holder, Hop, Input, InputKind, handed, parted
from whence.symbols.demangle import demangle

_SYMBOL = re.compile(r"_Z[\w$]+")
_ROLES = {number: name for name, number in ROLES.items()}
_INPUTS = {number: InputKind[name] for name, number in INPUT_KINDS.items()}
_CONTENT = ("device", "inode", "first", "count", "digest")
_OPERANDS = ("FIRST", "SECOND")
_SIZES = {
    "SIZE": "{0}",
    "COUNT": "the count in {0}",
    "EACH": "the size of an element in {0}",
    "LEFT": "the first operand of {1}",
    "RIGHT": "the second operand of {1}",
}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_OF_INDEX = {f"OPERAND_{number}": ordinal for number, ordinal in enumerate(_ORDINALS, 1)}
_LENGTHS = {"LENGTH": "the length", "MEMBER": "the size of an element", "MEMBERS": "the number of elements"}
Stacks = Callable[[Sequence[int]], Sequence[Frame]]
"""Names the frames of a stack, without those of the runtime."""
_COLUMNS = 2 + len(SITE_FIELDS) + len(SCOPE_FIELDS)


def chains(
    text: str, values: Sequence[Value], row: points.Point | None, line: int, stacks: Stacks
) -> tuple[Chain, ...]:
    """The chains of a finding. values: those that its rule traces. row: of its detection point. line: of the
    step that it is about."""
    found, places = list[Chain](), dict[str, int]()
    numbered = list[Chain | None]()
    for head, lines in _parts(text):
        numbered.append(None)
        role = _ROLES.get(int(head[1:].partition("\t")[0]))
        if any(each.startswith("!") and each.split("\t")[1] != str(line) for each in lines):
            continue  # it is about another step
        chain = _chain(head, lines, values, row, stacks)
        if role in _SIZES:
            computed = _computed((found[places[each]] for each in _SIZES if each in places), "the size")
            chain = replace(chain, term=_SIZES[role].format(_size(values), computed), is_number=True)
        elif role in _OF_INDEX:
            whole = found[places["INDEX"]] if "INDEX" in places else None
            if parent := head.split("\t")[2:]:
                whole = numbered[int(parent[0])]
                if whole is None:
                    continue  # of a chain that the rule does not ask for
            computed = _computed((whole,) if whole else (), whole.term if whole and parent else "the index")
            chain = replace(chain, term=f"the {_OF_INDEX[role]} operand of {computed}", is_number=True)
        elif role in _LENGTHS:
            chain = replace(chain, term=_LENGTHS[role], is_number=True)
        elif role == "ARGUMENT":
            term = _of_argument(chain, found, values)
            if not term:
                continue
            chain = replace(chain, term=term, is_number=row is not None and _is_number(term, row))
        if not (chain.is_number and chain.value and (chain.value < 0 or chain.value >> 63)):
            chain = replace(chain, hops=tuple(map(_without_sign, chain.hops)))
        if role == "LOST":
            chain = handed(chain)
        if role in _OF_INDEX and chain in found:
            numbered[-1] = chain  # an index and a size may be one number
            continue
        if role not in (*_SIZES, *_LENGTHS) or _size(values):
            places.setdefault(role or "", len(found))
            found.append(chain)
            numbered[-1] = chain
    pair = [places[role] for role in ("POINTER", "FREED") if role in places]
    if len(pair) == 2:
        found[pair[0]], found[pair[1]] = parted(*(found[at] for at in pair))
    return tuple(found if row is None or row.name != "use" else _undefined(found))


def _without_sign(hop: Hop) -> Hop:
    """Of a number that is not negative, or not known, an extension of the sign says nothing."""
    return hop if hop.is_cut else replace(hop, conversion=None)


def _undefined(found: list[Chain]) -> list[Chain]:
    """Of the chains of a use those that begin with an undefined value, if there are any, of several of equal
    terms."""
    begin = [each for each in found if each.hops and each.hops[-1].kind is HopKind.UNDEFINED]
    terms = {each.term for each in begin}
    return [each for each in found if each.term not in terms or each in begin]


def chain_of(text: str, term: str) -> Chain:
    """The only chain of a text."""
    ((head, lines),) = _parts(text)
    chain = _chain(head, lines, (), None, lambda pcs: ())
    return replace(chain, term=term, value=None, hops=tuple(map(_without_sign, chain.hops)))


def _parts(text: str) -> Iterator[tuple[str, list[str]]]:
    """The first line of each chain, and its hops. A record may be cut off within a line."""
    head, lines = "", list[str]()
    for line in text[: text.rfind("\n") + 1].split("\n"):
        if line.startswith("="):
            if head:
                yield head, lines
            head, lines = line, []
        elif line:
            lines.append(line)
    if head:
        yield head, lines


def _chain(
    head: str, lines: list[str], values: Sequence[Value], row: points.Point | None, stacks: Stacks
) -> Chain:
    number, word = head[1:].split("\t")[:2]
    role, value = _ROLES.get(int(number), ""), int(word)
    holders = [line for line in lines if line.startswith("@")]
    results = [line for line in lines if line.startswith("~")]
    placed = [line for line in lines if line.startswith("^")]
    lines = [line for line in lines if not line.startswith(("@", "!", "~", "^"))]
    hops = _all_hops(lines)
    if results and hops and (wrapped := _result(results[0])):
        hops = (*hops[:-1], replace(hops[-1], wrapped=wrapped))
    lines = [line for line in lines if not line.startswith("<")]
    if not lines and placed:
        hops = _placed(placed[0], stacks)
    if holders and hops:
        hops = (replace(hops[0], holder=_holder(holders[0], stacks)), *hops[1:])
    cut = len(lines) >= MOST_HOPS or not hops or not hops[-1].kind.is_birth
    if role in _OPERANDS and row is not None:
        return _of_operand(role, value, hops, cut, values, row)
    term = _term(role, value, values)
    if role == "POINTER" and row is not None and row.name == "use" and values and value != values[0].value:
        term = f"the pointer to {term}"
    return Chain(term, None if role == "USED" else value, hops, cut, is_number=role == "INDEX")


def _placed(line: str, stacks: Stacks) -> tuple[Hop, ...]:
    """The hop of a store by its place in the code, or of the argument that it stored by that of the call."""
    stored, called = ([pc] if pc else [] for pc in map(int, line[1:].split("\t")))
    function = next((frame.function for frame in stacks(stored)), None)
    kind = HopKind.ARGUMENT if called and function else HopKind.STORED
    for frame in stacks(called if kind is HopKind.ARGUMENT else stored):
        name = function if kind is HopKind.ARGUMENT else ""
        return (Hop(kind, frame.function, frame.file, frame.line, frame.column, name or ""),)
    return ()


def _result(line: str) -> tuple[int, int] | None:
    """How many bits a number has, and the result that had more; None if the record is cut off in the line."""
    words = line[1:].split("\t")
    if len(words) != 3 or not all(word.isdecimal() for word in words):
        return None
    bits, upper, lower = map(int, words)
    result = upper << 64 | lower
    return bits, result - (result >> 127 << 128)


def _size(values: Sequence[Value]) -> str:
    """The rule's term for the size of the block; empty if the rule does not trace it."""
    return next((each.name for each in values if each.name.startswith("Size(")), "")


def _of_argument(chain: Chain, earlier: Sequence[Chain], values: Sequence[Value]) -> str:
    """The rule's next term for the value of an argument; empty if the rule does not trace it."""
    taken = {each.term for each in earlier}
    return next((each.name for each in values if each.value == chain.value and each.name not in taken), "")


def _is_number(term: str, row: points.Point) -> bool:
    return any(slot.name == term and slot.type == "INT" for slot in row.slots)


def _computed(earlier: Iterable[Chain], otherwise: str) -> str:
    """What was computed last where the chain of a number begins, as the program writes it."""
    births = (chain.hops[-1] for chain in earlier if chain.hops)
    return next((hop.name for hop in births if hop.kind is HopKind.COMPUTED and hop.name), otherwise)


def _of_operand(
    role: str, value: int, hops: tuple[Hop, ...], cut: bool, values: Sequence[Value], row: points.Point
) -> Chain:
    """The chain of an operand, which is a number as its type has it, or a pointer."""
    slot = row.slots[min(_OPERANDS.index(role), len(row.slots) - 1)] if row.slots else None
    same = [each.name for each in values if each.value == value]
    term = same[-_OPERANDS.index(role)] if same else slot.name if slot else "the operand"
    if slot is None or slot.type == "POINTER":
        return Chain(term, value, hops, cut)
    negative = slot.signed and value >> 63
    return Chain(term, value - (negative << 64), hops, cut, is_number=True)


def _term(role: str, value: int, values: Sequence[Value]) -> str:
    """The rule's term for a value. The freed pointer is the last traced value that is equal to it."""
    point_value = values[0].name if values else "r"
    if role == "INDEX":
        return f"the index of {point_value}"
    if role == "LOST":
        return "the last pointer"
    same = [each.name for each in values if each.value == value]
    if role == "FREED":
        return same[-1] if len(same) > 1 or (same and same[0] != point_value) else "the freed pointer"
    return same[0] if same else point_value


def _holder(line: str, stacks: Stacks) -> Holder | None:
    size, *pcs = map(int, line[1:].split("\t"))
    stack = stacks(pcs)
    return Holder(size, tuple(stack)) if stack else None


def _named(text: str) -> str:
    """A text with the functions in it by their names alone, as `operator[]()`."""
    return _SYMBOL.sub(lambda match: _last_part(demangle(match[0])), text)


def _last_part(name: str) -> str:
    """A demangled name without parameters, arguments of templates and scopes."""
    depth = 0
    plain: list[str] = []
    for letter in name:
        if letter == "<" and not "".join(plain).endswith("operator"):
            depth += 1
        elif letter == ">" and depth:
            depth -= 1
        elif letter == "(" and not depth and not "".join(plain).endswith("operator"):
            break
        elif not depth:
            plain.append(letter)
    return "".join(plain).rpartition("::")[2].rpartition(" ")[2] or name


def _all_hops(lines: Sequence[str]) -> tuple[Hop, ...]:
    """The hops, with what the lines behind them say of inputs."""
    hops = list[Hop]()
    for line in lines:
        if not line.startswith("<"):
            hops += _hops(line)
        elif hops and (given := _input(line[1:])):
            hops[-1] = replace(hops[-1], input=given, name=_name_of(given) or hops[-1].name)
    return tuple(hops)


def _name_of(given: Input) -> str:
    """The argument's or the variable's name; empty for a file."""
    if given.kind is InputKind.ARGUMENT:
        return f"argv[{given.number}]"
    return given.name if given.kind is InputKind.VARIABLE else ""


def _input(line: str) -> Input | None:
    """What came from outside; None if the record is cut off in the line."""
    fields = line.split("\t")
    if len(fields) != len(INPUT_FIELDS):
        return None
    number_of = dict(zip(INPUT_FIELDS[:-1], map(int, fields[:-1]), strict=True))
    kind, name, offset = _INPUTS[number_of["kind"]], fields[-1], number_of["offset"]
    if kind is InputKind.VARIABLE:
        offset = max(offset - len(os.fsencode(name)) - 1, 0)  # behind `NAME=`
    return Input(
        kind,
        0 if kind is InputKind.VARIABLE else number_of["number"],
        name,
        None if offset == INPUT_NOWHERE else offset,
        number_of["size"],
        _file_kind(number_of["mode"]) if kind is InputKind.DESCRIPTOR else None,
        Content(*(number_of[each] for each in _CONTENT)) if number_of["count"] else None,
    )


def _file_kind(mode: int) -> FileKind:
    kinds = {
        stat.S_IFREG: FileKind.FILE,
        stat.S_IFIFO: FileKind.PIPE,
        stat.S_IFSOCK: FileKind.SOCKET,
        stat.S_IFCHR: FileKind.DEVICE,
        stat.S_IFBLK: FileKind.DEVICE,
    }
    return kinds.get(stat.S_IFMT(mode), FileKind.OTHER)


def _hops(line: str) -> Iterator[Hop]:
    """The hops of one line: bytes that are undefined, or initial values, are copied and begin there."""
    hop = _hop(line)
    if hop is None:
        return
    flags, words = line.split("\t")[0], line.split("\t")[2].split(" ")
    copied = replace(hop, source="") if words[1:] == [BY] else hop
    yield copied
    for flag, kind in _OF_COPIED.items():
        if hop.kind is HopKind.COPY and int(flags) & NODE_FLAGS[flag]:
            yield replace(hop, kind=kind, name="" if hop.source == "memory" else hop.source, source="")


_OF_COPIED = {"UNDEFINED": HopKind.UNDEFINED, "INITIAL": HopKind.INITIAL}


def _hop(line: str) -> Hop | None:
    """A hop of one line; None if the record is cut off in it."""
    fields = line.split("\t")
    if len(fields) != _COLUMNS:
        return None
    flags, tag, kind, place, column, name, source, function, file = fields
    bits = int(flags)
    kind, *words = kind.split(" ")
    said = _kind(kind, bits)
    if said is HopKind.OVERWRITTEN and kind not in (HopKind.STORED, HopKind.OVERWRITTEN):
        name = ""  # that of what was copied or set
    named = demangle(name) if _SYMBOL.fullmatch(name) else _named(name)
    if bits & NODE_FLAGS["PARTLY"]:
        named = f"a part of {named or 'the memory'}"
    return Hop(
        said,
        demangle(function) or None,
        file or None,
        int(place),
        int(column),
        named,
        _named(source),
        bool(bits & NODE_FLAGS["REPEATED"]),
        thread_of(int(tag)),
        skipped=bool(bits & NODE_FLAGS["SKIPPED"]),
        conversion=(int(words[0]), int(words[1])) if len(words) == 2 else None,
        away=words == [AWAY],
    )


def _kind(kind: str, flags: int) -> HopKind:
    """The kind, of which the site of a load knows only that it is none of a store."""
    found = HopKind(kind)
    if flags & NODE_FLAGS["INITIAL"] and found is not HopKind.COPY:
        return HopKind.INITIAL
    if flags & NODE_FLAGS["INPUT"]:
        return HopKind.OUTSIDE
    if flags & NODE_FLAGS["WRITTEN"]:
        return HopKind.WRITTEN
    if flags & NODE_FLAGS["UNDEFINED"] and found is not HopKind.COPY:
        return HopKind.UNDEFINED
    if flags & NODE_FLAGS["LOST"] and not found.is_loss:
        return HopKind.OVERWRITTEN
    return HopKind.LOADED if found is HopKind.UNSEEN and flags & NODE_FLAGS["CROSSED"] else found


def thread_of(tag: int) -> int | None:
    """The number of the thread with this tag."""
    return None if tag == TAG_UNKNOWN or tag >= TAG_INPUT else tag - 1
