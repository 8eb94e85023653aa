"""Instructions that touch memory or compute addresses."""

from __future__ import annotations

import re
from typing import NamedTuple

from whence.ir.datalayout import Offset
from whence.ir.errors import IRSyntaxError
from whence.ir.instruction import Instruction
from whence.ir.lexer import Cursor, Operand, word_set
from whence.ir.types import like_vector

ORDERINGS = word_set("unordered monotonic acquire release acq_rel seq_cst")

_TYPE = r"(ptr|i\d{1,9}|float|double|%[-\w$.]+|\[\d{1,9} x (?:ptr|i\d{1,9}|%[-\w$.]+)\])"
_VALUE = r"([%@][-\w$.]+)"
_ALIGN = r"(?:, align (\d{1,18}))?(?=\Z|, !)"
_FAST_LOAD = re.compile(rf" (volatile )?{_TYPE}, ptr {_VALUE}{_ALIGN}", re.ASCII)
_FAST_STORE = re.compile(rf" (volatile )?{_TYPE} ([%@][-\w$.]+|-?\d+|null), ptr {_VALUE}{_ALIGN}", re.ASCII)
_FAST_GEP = re.compile(
    rf" ((?:(?:inbounds|nuw|nusw) )*){_TYPE}, ptr {_VALUE}, (i\d+) (%[-\w$.]+|-?\d+)"
    r"(?:, (i\d+) (%[-\w$.]+|-?\d+))?(?=\Z|, !)",
    re.ASCII,
)


class _Access(NamedTuple):
    operands: tuple[Operand, ...]
    value_type: str
    pointer: Operand
    align: int | None
    volatile: bool
    ordering: str | None
    scope: str | None
    flags: tuple[str, ...] = ()


class MemoryAccess(Instruction):
    """Load, store, atomicrmw or cmpxchg: `pointer` is accessed as one `value_type`."""

    __slots__ = ()
    _parsed: _Access | None

    @property
    def pointer(self) -> str:
        """The address operand, as text (``%5``, ``@x``, or a constant expression)."""
        fields: _Access = self._parsed or self._fields()
        return fields.pointer.value

    @property
    def pointer_type(self) -> str:
        fields: _Access = self._parsed or self._fields()
        return fields.pointer.type

    @property
    def value_type(self) -> str:
        """The type of the accessed value."""
        fields: _Access = self._parsed or self._fields()
        return fields.value_type

    @property
    def align(self) -> int | None:
        """Alignment in bytes, None if the text has none."""
        fields: _Access = self._parsed or self._fields()
        return fields.align

    @property
    def volatile(self) -> bool:
        fields: _Access = self._parsed or self._fields()
        return fields.volatile

    @property
    def ordering(self) -> str | None:
        """Atomic ordering, None for plain accesses; that of success for cmpxchg."""
        fields: _Access = self._parsed or self._fields()
        return fields.ordering

    @property
    def atomic(self) -> bool:
        return self.ordering is not None

    @property
    def scope(self) -> str | None:
        """``syncscope`` in quotes, None for the whole system."""
        fields: _Access = self._parsed or self._fields()
        return fields.scope

    @property
    def operands(self) -> tuple[Operand, ...]:
        fields: _Access = self._parsed or self._fields()
        return fields.operands


class Load(MemoryAccess):
    """``load [atomic] [volatile] T, ptr p [syncscope(…)] [ordering] [, align N]``."""

    __slots__ = ()

    @property
    def type(self) -> str:
        return self.value_type

    def _read(self) -> _Access:
        match = _FAST_LOAD.match(self.text, self._at)
        if match:
            volatile, type_text, pointer, align = match.groups()
            place = Operand("ptr", pointer, match.start(3), match.end(3))
            number = int(align) if align else None
            return _Access((place,), type_text, place, number, volatile is not None, None, None)
        cursor = self._cursor()
        atomic = cursor.accept_word("atomic")
        is_volatile = cursor.accept_word("volatile")
        type_text = cursor.type()
        cursor.expect(",")
        place = cursor.operand()
        scope, ordering = _atomic_tail(cursor) if atomic else (None, None)
        return _Access((place,), type_text, place, _align(cursor), is_volatile, ordering, scope)


class Store(MemoryAccess):
    """``store [atomic] [volatile] T v, ptr p …``; the operands are value and pointer."""

    __slots__ = ()
    has_result = False

    @property
    def value(self) -> str:
        """The stored value."""
        return self.operands[0].value

    def _read(self) -> _Access:
        match = _FAST_STORE.match(self.text, self._at)
        if match:
            volatile, type_text, value, pointer, align = match.groups()
            stored = Operand(type_text, value, match.start(3), match.end(3))
            place = Operand("ptr", pointer, match.start(4), match.end(4))
            number = int(align) if align else None
            return _Access((stored, place), type_text, place, number, volatile is not None, None, None)
        cursor = self._cursor()
        atomic = cursor.accept_word("atomic")
        is_volatile = cursor.accept_word("volatile")
        stored = cursor.operand()
        cursor.expect(",")
        place = cursor.operand()
        scope, ordering = _atomic_tail(cursor) if atomic else (None, None)
        return _Access((stored, place), stored.type, place, _align(cursor), is_volatile, ordering, scope)


class AtomicRMW(MemoryAccess):
    """``atomicrmw [volatile] op ptr p, T v [syncscope(…)] ordering [, align N]``."""

    __slots__ = ()

    @property
    def type(self) -> str:
        return self.value_type

    @property
    def operation(self) -> str:
        """``add``, ``xchg``, ``umax``, …"""
        fields: _Access = self._fields()
        return fields.flags[0]

    def _read(self) -> _Access:
        cursor = self._cursor()
        is_volatile = cursor.accept_word("volatile")
        words = []
        while not cursor.starts_type():
            words.append(cursor.word())
        if not words:
            raise cursor.fail("an atomic operation")
        place = cursor.operand()
        cursor.expect(",")
        value = cursor.operand()
        scope, ordering = _atomic_tail(cursor)
        flags = (words[-1],)
        return _Access((place, value), value.type, place, _align(cursor), is_volatile, ordering, scope, flags)


class CmpXchg(MemoryAccess):
    """``cmpxchg [weak] [volatile] ptr p, T expected, T new [syncscope(…)] success failure [, align N]``."""

    __slots__ = ()

    @property
    def type(self) -> str:
        return f"{{ {self.value_type}, i1 }}"

    @property
    def weak(self) -> bool:
        fields: _Access = self._fields()
        return fields.flags[0] == "weak"

    @property
    def failure_ordering(self) -> str:
        fields: _Access = self._fields()
        return fields.flags[1]

    def _read(self) -> _Access:
        cursor = self._cursor()
        weak = "weak" if cursor.accept_word("weak") else ""
        is_volatile = cursor.accept_word("volatile")
        place = cursor.operand()
        cursor.expect(",")
        expected = cursor.operand()
        cursor.expect(",")
        new = cursor.operand()
        scope, ordering = _atomic_tail(cursor)
        flags = (weak, _ordering(cursor))
        operands = (place, expected, new)
        return _Access(operands, new.type, place, _align(cursor), is_volatile, ordering, scope, flags)


class Fence(Instruction):
    """``fence [syncscope(…)] ordering``."""

    __slots__ = ()
    has_result = False
    _parsed: tuple[str | None, str] | None

    def _read(self) -> tuple[str | None, str]:
        return _atomic_tail(self._cursor())

    @property
    def ordering(self) -> str:
        fields: tuple[str | None, str] = self._fields()
        return fields[1]

    @property
    def operands(self) -> tuple[Operand, ...]:
        self._fields()
        return ()


class _Alloca(NamedTuple):
    operands: tuple[Operand, ...]
    allocated: str
    align: int | None
    address_space: int


class Alloca(Instruction):
    """``alloca [inalloca] T [, T count] [, align N] [, addrspace(N)]``."""

    __slots__ = ()
    _parsed: _Alloca | None

    def _read(self) -> _Alloca:
        cursor = self._cursor()
        while cursor.peek_word() in ("inalloca", "swifterror"):
            cursor.word()
        allocated = cursor.type()
        operands: list[Operand] = []
        align, space = None, 0
        while cursor.accept(","):
            if cursor.peek() == "!":
                break
            if cursor.accept_word("align"):
                align = cursor.integer()
            elif cursor.accept_word("addrspace"):
                cursor.expect("(")
                space = cursor.integer()
                cursor.expect(")")
            else:
                operands.append(cursor.operand())
        return _Alloca(tuple(operands), allocated, align, space)

    @property
    def allocated_type(self) -> str:
        fields: _Alloca = self._fields()
        return fields.allocated

    @property
    def count(self) -> str | None:
        """Number of elements as a value, None for one."""
        operands = self.operands
        return operands[0].value if operands else None

    @property
    def align(self) -> int | None:
        fields: _Alloca = self._fields()
        return fields.align

    @property
    def type(self) -> str:
        fields: _Alloca = self._fields()
        return f"ptr addrspace({fields.address_space})" if fields.address_space else "ptr"


class _Gep(NamedTuple):
    operands: tuple[Operand, ...]
    source_type: str
    flags: tuple[str, ...]


class GetElementPtr(Instruction):
    """``getelementptr [inbounds] [nusw] [nuw] T, ptr base, index…``."""

    __slots__ = ("_offset",)
    _parsed: _Gep | None
    _offset: Offset | None

    def __init__(self, text: str, result: str | None, opcode: str, at: int) -> None:
        super().__init__(text, result, opcode, at)
        self._offset = None

    def rewrite(self, text: str) -> None:
        super().rewrite(text)
        self._offset = None

    def _read(self) -> _Gep:
        match = _FAST_GEP.match(self.text, self._at)
        if match:
            return _fast_gep(match)
        cursor = self._cursor()
        flags = []
        while cursor.peek_word() in ("inbounds", "nuw", "nusw", "inrange"):
            flags.append(cursor.word())
            if flags[-1] == "inrange":
                cursor.group()
        source = cursor.type()
        operands = []
        while cursor.accept(","):
            if cursor.peek() == "!":
                break
            operands.append(cursor.operand())
        if not operands:
            raise cursor.fail("',' and a base pointer")
        return _Gep(tuple(operands), source, tuple(flags))

    @property
    def source_type(self) -> str:
        """The type that the indices apply to."""
        fields: _Gep = self._parsed or self._fields()
        return fields.source_type

    @property
    def flags(self) -> tuple[str, ...]:
        fields: _Gep = self._parsed or self._fields()
        return fields.flags

    @property
    def base(self) -> str:
        """The base pointer."""
        fields: _Gep = self._parsed or self._fields()
        return fields.operands[0].value

    @property
    def indices(self) -> list[tuple[str, str]]:
        """(type, value) of each index."""
        fields: _Gep = self._parsed or self._fields()
        return [(operand.type, operand.value) for operand in fields.operands[1:]]

    @property
    def operands(self) -> tuple[Operand, ...]:
        fields: _Gep = self._parsed or self._fields()
        return fields.operands

    @property
    def type(self) -> str:
        operands = self.operands
        pointer = operands[0].type
        shape = next((o.type for o in operands if o.type.startswith("<")), pointer)
        if shape == pointer:
            return pointer
        try:
            return like_vector(shape, pointer)
        except IRSyntaxError as error:
            raise self.locate(error) from None

    @property
    def offset(self) -> Offset | None:
        """Bytes added to `base`: a constant and scaled indices; None for vectors and scalable types."""
        if self._offset is None and not self.type.startswith("<"):
            self._offset = self.function.module.layout.index_offset(self.source_type, self.indices)
        return self._offset

    @property
    def constant_offset(self) -> int | None:
        """Bytes added to `base` when all indices are constant, else None."""
        offset = self.offset
        return offset.constant if offset is not None and not offset.terms else None


def _fast_gep(match: re.Match[str]) -> _Gep:
    flags, source, base, first_type, first, second_type, second = match.groups()
    operands = [
        Operand("ptr", base, match.start(3), match.end(3)),
        Operand(first_type, first, match.start(5), match.end(5)),
    ]
    if second is not None:
        operands.append(Operand(second_type, second, match.start(7), match.end(7)))
    return _Gep(tuple(operands), source, tuple(flags.split()))


def _align(cursor: Cursor) -> int | None:
    """``, align N`` if it comes next."""
    start = cursor.pos
    if cursor.accept(",") and cursor.accept_word("align"):
        return cursor.integer()
    cursor.pos = start
    return None


def _ordering(cursor: Cursor) -> str:
    word = cursor.peek_word()
    if word not in ORDERINGS:
        raise cursor.fail("an atomic ordering")
    return cursor.word()


def _atomic_tail(cursor: Cursor) -> tuple[str | None, str]:
    """Synchronisation scope and ordering."""
    scope = None
    if cursor.accept_word("syncscope"):
        scope = cursor.group()[1:-1]
    return scope, _ordering(cursor)
