"""Module-level entities other than functions: variables, aliases, ifuncs, comdats."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from whence.ir.errors import IRSyntaxError
from whence.ir.lexer import (
    ADDRESS_SPACE,
    ATTACHMENT,
    COMDAT,
    GLOBAL,
    LINKAGES,
    PREEMPTION,
    STORAGE_CLASSES,
    UNNAMED_ADDR,
    VISIBILITIES,
    Cursor,
    to_int,
    unquote,
)

if TYPE_CHECKING:
    from whence.ir.module import Module

_NAME = re.compile(rf"({GLOBAL}) = ")
_QUALIFIERS = PREEMPTION | VISIBILITIES | STORAGE_CLASSES | UNNAMED_ADDR | {"externally_initialized"}
_UNINITIALISED = frozenset(("external", "extern_weak"))
_THREAD_LOCAL = re.compile(r"thread_local(?:\((\w+)\))?", re.ASCII)


class _Fields(NamedTuple):
    kind: str
    linkage: str
    qualifiers: tuple[str, ...]
    thread_local: str | None
    address_space: int
    value_type: str
    initializer: str | None
    section: str | None
    comdat: str | None
    comdat_span: tuple[int, int]
    align: int | None
    attachments: dict[str, str]


class GlobalValue:
    """``@name = … global|constant|alias|ifunc …``, one line; parsed on demand."""

    def __init__(self, module: Module, text: str, line: int = 0) -> None:
        self.module = module
        self.line = line
        self._text = text
        self._parsed: _Fields | None = None
        match = _NAME.match(text)
        if not match:
            raise IRSyntaxError("a global", text, module.name, line)
        self.ref = match[1]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.ref}>"

    @property
    def name(self) -> str:
        """Plain name."""
        return unquote(self.ref)

    @property
    def text(self) -> str:
        """The whole line; set it to change anything."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        match = _NAME.match(text)
        if not match:
            raise IRSyntaxError("a global", text, self.module.name, self.line)
        self.ref = match[1]
        self._text = text
        self._parsed = None

    @property
    def fields(self) -> _Fields:
        if self._parsed is None:
            try:
                self._parsed = _read(Cursor(self._text, len(self.ref) + 3))
            except IRSyntaxError as error:
                raise error.located(self.module.name, self.line) from None
        return self._parsed

    @property
    def linkage(self) -> str:
        """Empty for external linkage of a definition; a declaration says ``external``."""
        return self.fields.linkage

    @property
    def thread_local(self) -> str | None:
        """The model (``generaldynamic``, ``initialexec``, …), None if not thread-local."""
        return self.fields.thread_local

    def keep_comdat(self) -> None:
        """Add the name to a ``comdat`` without one, so that renaming the symbol keeps its comdat."""
        if self.fields.comdat == "":
            start, end = self.fields.comdat_span
            self.text = f"{self._text[:start]}comdat(${self.ref[1:]}){self._text[end:]}"

    @property
    def value_type(self) -> str:
        """The type of the variable, the aliasee or the resolved function."""
        return self.fields.value_type

    @property
    def attachments(self) -> dict[str, str]:
        return self.fields.attachments


class GlobalVariable(GlobalValue):
    """``global`` or ``constant``."""

    @property
    def is_constant(self) -> bool:
        return self.fields.kind == "constant"

    @property
    def is_definition(self) -> bool:
        return self.fields.initializer is not None

    @property
    def initializer(self) -> str | None:
        """The constant as text; None for a declaration."""
        return self.fields.initializer

    @property
    def section(self) -> str | None:
        return self.fields.section

    @property
    def comdat(self) -> str | None:
        """Name of the comdat, or None."""
        comdat = self.fields.comdat
        return self.name if comdat == "" else comdat

    @property
    def align(self) -> int | None:
        return self.fields.align

    @property
    def size(self) -> int:
        """Bytes; raises `IRSyntaxError` for types without a size."""
        return self.module.layout.size_of(self.value_type)


class Alias(GlobalValue):
    """``alias T, ptr @target``."""

    @property
    def target(self) -> str:
        """The aliasee as text: ``@f`` or a constant expression."""
        return self.fields.initializer or ""


class IFunc(Alias):
    """``ifunc T, ptr @resolver``."""


def make_global(module: Module, text: str, line: int = 0) -> GlobalValue:
    """A global of the right class, from its line."""
    match = _NAME.match(text)
    words = Cursor(text, match.end()) if match else Cursor(text)
    kind = ""
    while word := words.peek_word():
        words.word()
        if word in ("global", "constant", "alias", "ifunc"):
            kind = word
            break
        if words.text.startswith("(", words.pos):
            words.group()
    cls = {"alias": Alias, "ifunc": IFunc, "global": GlobalVariable, "constant": GlobalVariable}.get(kind)
    if cls is None:
        raise IRSyntaxError("'global', 'constant', 'alias' or 'ifunc'", text, module.name, line)
    return cls(module, text, line)


def _read(cursor: Cursor) -> _Fields:
    cursor.skip_space()
    linkage = cursor.word() if cursor.peek_word() in LINKAGES else ""
    cursor.skip_space()
    qualifiers = []
    thread_local, space = None, 0
    while True:
        if match := cursor.match(_THREAD_LOCAL):
            thread_local = match[1] or "generaldynamic"
        elif match := cursor.match(ADDRESS_SPACE):
            space = to_int(match[1])
        elif cursor.peek_word() in _QUALIFIERS:
            qualifiers.append(cursor.word())
        else:
            break
    kind = cursor.word()
    value_type = cursor.type()
    initializer = _initializer(cursor, kind, linkage, value_type)
    trailing = _Trailing(cursor)
    return _Fields(
        kind=kind,
        linkage=linkage,
        qualifiers=tuple(qualifiers),
        thread_local=thread_local,
        address_space=space,
        value_type=value_type,
        initializer=initializer,
        section=trailing.section,
        comdat=trailing.comdat,
        comdat_span=trailing.comdat_span,
        align=trailing.align,
        attachments=trailing.attachments,
    )


def _initializer(cursor: Cursor, kind: str, linkage: str, value_type: str) -> str | None:
    if kind in ("alias", "ifunc"):
        cursor.expect(",")
        if cursor.starts_type():
            cursor.type()
        start, end = cursor.value()
    elif linkage in _UNINITIALISED:
        return None
    else:
        start, end = cursor.value(value_type)
    return cursor.text[start:end]


class _Trailing:
    """``, section "x", comdat, align 8, !dbg !5`` in any order; unknown clauses are skipped."""

    def __init__(self, cursor: Cursor) -> None:
        self.section: str | None = None
        self.comdat: str | None = None
        self.comdat_span = (0, 0)
        self.align: int | None = None
        self.attachments: dict[str, str] = {}
        while cursor.accept(","):
            self._clause(cursor)
        self._skip_attributes(cursor)
        if not cursor.at_end():
            raise cursor.fail("',' or the end of the line")

    def _clause(self, cursor: Cursor) -> None:
        if match := cursor.match(ATTACHMENT):
            self.attachments[match[1]] = match[2]
        elif match := cursor.match(COMDAT):
            self.comdat = unquote(match[1]) if match[1] else ""
            self.comdat_span = match.span()
        elif cursor.accept_word("align"):
            self.align = cursor.integer()
        else:
            word = cursor.word()
            value = cursor.string()[1:-1] if cursor.peek() == '"' else ""
            if word == "section":
                self.section = value

    @staticmethod
    def _skip_attributes(cursor: Cursor) -> None:
        while cursor.peek() in ("#", '"'):
            if cursor.accept("#"):
                cursor.integer()
            else:
                cursor.attribute()
