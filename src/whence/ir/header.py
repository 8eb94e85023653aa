"""The first line of a function: ``define … {`` and ``declare …``."""

from __future__ import annotations

import re
from typing import NamedTuple

from whence.ir.attributes import Attributes
from whence.ir.lexer import (
    ADDRESS_SPACE,
    ATTACHMENT,
    COMDAT,
    CONVENTION,
    GLOBAL,
    GROUP,
    LINKAGES,
    LOCAL,
    PREEMPTION,
    SIMPLE_ATTRIBUTE,
    STORAGE_CLASSES,
    UNNAMED_ADDR,
    VISIBILITIES,
    Cursor,
    Operand,
    to_int,
    unquote,
    words_of_attributes,
)

_LOCAL = re.compile(LOCAL)
FAST_NAME = re.compile(rf'(?:define|declare) [^@"]*({GLOBAL})\(')
"""The name of a function in its first line, when no quoted text comes before."""


_FAST_PARAMETER = re.compile(
    rf"(ptr|i\d{{1,9}}|float|double)((?: {SIMPLE_ATTRIBUTE})*)(?: (%[-\w$.]+))?(?=,|\Z)", re.ASCII
)
_NO_ATTRIBUTES = Attributes()


class Parameter(NamedTuple):
    """A parameter; `name` is None in declarations. ``text[start:end]`` of the header is all of it."""

    type: str
    attributes: Attributes
    name: str | None
    start: int
    end: int

    def __str__(self) -> str:
        return " ".join(filter(None, (self.type, str(self.attributes), self.name)))


class Header(NamedTuple):
    """The fields of the first line; the spans are places in it."""

    linkage: str
    linkage_span: tuple[int, int]
    preemption: str
    visibility: str
    convention: str
    return_attributes: Attributes
    return_span: tuple[int, int]
    return_type: str
    name: str
    parameters: tuple[Parameter, ...]
    variadic: bool
    unnamed_addr: str
    groups: tuple[int, ...]
    inline_attributes: Attributes
    attributes_span: tuple[int, int]
    section: str | None
    comdat: str | None
    comdat_span: tuple[int, int]
    align: int | None
    gc: str | None
    constants: dict[str, Operand]
    attachments: dict[str, str]


def read_header(text: str) -> Header:
    """Read the first line of a function; raises `IRSyntaxError`."""
    cursor = Cursor(text)
    definition = cursor.accept_word("define")
    if not definition:
        cursor.expect_word("declare")
    attachments = _attachments(cursor)
    start = cursor.skip_space()
    linkage = _one_of(cursor, LINKAGES)
    linkage_span = (start, cursor.skip_space())
    preemption = _one_of(cursor, PREEMPTION)
    visibility = _one_of(cursor, VISIBILITIES)
    _one_of(cursor, STORAGE_CLASSES)
    convention = cursor.match(CONVENTION)
    start = cursor.skip_space()
    return_attributes = Attributes.read(cursor)
    return_span = (start, cursor.skip_space())
    return_type = cursor.type()
    name = cursor.global_name()
    if cursor.peek() != "(":
        raise cursor.fail("'(' and the parameters")
    start = cursor.pos + 1
    cursor.group()
    parameters, variadic = _parameters(text, start, cursor.pos - 1)
    tail = _Tail(cursor, attachments)
    if definition:
        cursor.expect("{")
    if not cursor.at_end():
        raise cursor.fail("the end of the line")
    return Header(
        linkage=linkage,
        linkage_span=linkage_span,
        preemption=preemption,
        visibility=visibility,
        convention=convention.group() if convention else "",
        return_attributes=return_attributes,
        return_span=return_span,
        return_type=return_type,
        name=name,
        parameters=parameters,
        variadic=variadic,
        unnamed_addr=tail.unnamed_addr,
        groups=tuple(tail.groups),
        inline_attributes=Attributes(tail.inline),
        attributes_span=tail.attributes_span,
        section=tail.section,
        comdat=tail.comdat,
        comdat_span=tail.comdat_span,
        align=tail.align,
        gc=tail.gc,
        constants=tail.constants,
        attachments=attachments,
    )


def _one_of(cursor: Cursor, words: frozenset[str]) -> str:
    return cursor.word() if cursor.peek_word() in words else ""


def _attachments(cursor: Cursor) -> dict[str, str]:
    found = {}
    while match := cursor.match(ATTACHMENT):
        found[match[1]] = match[2]
    return found


def _parameters(text: str, start: int, end: int) -> tuple[tuple[Parameter, ...], bool]:
    cursor = Cursor(text, start, end)
    found: list[Parameter] = []
    variadic = False
    while not cursor.at_end():
        if found:
            cursor.expect(",")
            cursor.skip_space()
        if cursor.accept("..."):
            variadic = True
            break
        begin = cursor.pos
        if fast := cursor.match(_FAST_PARAMETER):
            words = Attributes(words_of_attributes(fast[2])) if fast[2] else _NO_ATTRIBUTES
            found.append(Parameter(fast[1], words, fast[3], begin, cursor.pos))
            continue
        type_text = cursor.type()
        attributes = Attributes.read(cursor)
        after = cursor.pos
        name = cursor.match(_LOCAL)
        last = cursor.pos if name else len(text[:after].rstrip())
        found.append(Parameter(type_text, attributes, name.group() if name else None, begin, last))
    if not cursor.at_end():
        raise cursor.fail("')'")
    return tuple(found), variadic


class _Tail:
    """What follows the parameters."""

    def __init__(self, cursor: Cursor, attachments: dict[str, str]) -> None:
        self.unnamed_addr = ""
        self.groups: list[int] = []
        self.inline: list[str] = []
        self.section: str | None = None
        self.comdat: str | None = None
        self.comdat_span = (0, 0)
        self.align: int | None = None
        self.gc: str | None = None
        self.constants: dict[str, Operand] = {}
        self.unnamed_addr = _one_of(cursor, UNNAMED_ADDR)
        cursor.match(ADDRESS_SPACE)
        self.attributes_span = self._read_attributes(cursor)
        while self._read_clause(cursor):
            pass
        attachments.update(_attachments(cursor))

    def _read_attributes(self, cursor: Cursor) -> tuple[int, int]:
        start = end = len(cursor.text[: cursor.pos].rstrip())
        while True:
            if match := cursor.match(GROUP):
                self.groups.append(to_int(match[1]))
            elif cursor.peek_word() == "align" or cursor.peek() == "{":
                break
            elif (attribute := cursor.attribute()) is not None:
                self.inline.append(attribute)
            else:
                break
            end = cursor.pos
        return start, end

    def _read_clause(self, cursor: Cursor) -> bool:
        word = cursor.peek_word()
        start = cursor.pos
        if word == "comdat":
            match = cursor.match(COMDAT)
            if not match:
                raise cursor.fail("a comdat")
            self.comdat, self.comdat_span = unquote(match[1]) if match[1] else "", (start, cursor.pos)
        elif word in ("section", "partition", "gc"):
            cursor.word()
            name = cursor.string()[1:-1]
            self.section = name if word == "section" else self.section
            self.gc = name if word == "gc" else self.gc
        elif word == "align":
            cursor.word()
            self.align = cursor.integer()
        elif word in ("prefix", "prologue", "personality"):
            cursor.word()
            self.constants[word] = cursor.operand()
        else:
            return False
        return True


def find_name(text: str) -> str:
    """The name token in a function's first line; raises `IRSyntaxError`."""
    fast = FAST_NAME.match(text)
    return fast[1] if fast else read_header(text).name
