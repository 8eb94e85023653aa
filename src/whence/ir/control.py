"""Terminators other than calls, and the exception pads."""

from __future__ import annotations

import re
from typing import NamedTuple

from whence.ir.instruction import Instruction
from whence.ir.lexer import Cursor, Operand

_FAST_BR = re.compile(
    r" (?:i1 ([%@][-\w$.]+), )?label (%[-\w$.]+)(?(1), label (%[-\w$.]+))(?=\Z|, !)", re.ASCII
)


class _Fields(NamedTuple):
    operands: list[Operand]
    type: str = "void"
    cases: list[tuple[str, str]] = []  # noqa: RUF012  (never changed)
    clauses: list[tuple[str, Operand]] = []  # noqa: RUF012
    cleanup: bool = False


class _Control(Instruction):
    __slots__ = ()
    _parsed: _Fields | None

    @property
    def type(self) -> str:
        fields: _Fields = self._fields()
        return fields.type


class Terminator(_Control):
    """Ends a block; the label operands are the successors."""

    __slots__ = ()
    is_terminator = True
    has_result = False

    @property
    def successors(self) -> tuple[str, ...]:
        """Labels in the order of the text, with duplicates."""
        return tuple(operand.value for operand in self.operands if operand.type == "label")


class Ret(Terminator):
    """``ret void`` or ``ret T value``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        if cursor.accept_word("void"):
            return _Fields([])
        return _Fields([cursor.operand()])

    @property
    def value(self) -> str | None:
        operands = self.operands
        return operands[0].value if operands else None


class Br(Terminator):
    """``br label %to`` or ``br i1 %c, label %true, label %false``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        match = _FAST_BR.match(self.text, self._at)
        if match:
            return _fast_br(match)
        cursor = self._cursor()
        first = cursor.operand()
        if first.type == "label":
            return _Fields([first])
        cursor.expect(",")
        yes = _label(cursor)
        cursor.expect(",")
        return _Fields([first, yes, _label(cursor)])

    @property
    def condition(self) -> str | None:
        first = self.operands[0]
        return None if first.type == "label" else first.value


def _fast_br(match: re.Match[str]) -> _Fields:
    operands = [Operand("label", match[each], *match.span(each)) for each in (2, 3) if match[each]]
    if match[1]:
        operands.insert(0, Operand("i1", match[1], *match.span(1)))
    return _Fields(operands)


class Switch(Terminator):
    """``switch T v, label %default [ T c, label %to … ]``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        value = cursor.operand()
        cursor.expect(",")
        operands = [value, _label(cursor)]
        cases = []
        cursor.expect("[")
        while not cursor.accept("]"):
            case = cursor.operand()
            cursor.expect(",")
            target = _label(cursor)
            operands += (case, target)
            cases.append((case.value, target.value))
        return _Fields(operands, "void", cases)

    @property
    def value(self) -> str:
        return self.operands[0].value

    @property
    def default(self) -> str:
        return self.operands[1].value

    @property
    def cases(self) -> list[tuple[str, str]]:
        """(constant, ``%label``) in order."""
        fields: _Fields = self._fields()
        return fields.cases


class IndirectBr(Terminator):
    """``indirectbr ptr address, [label %a, …]``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        operands = [cursor.operand()]
        cursor.expect(",")
        operands += label_list(cursor)
        return _Fields(operands)


class Resume(Terminator):
    """``resume T value``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        return _Fields([self._cursor().operand()])


class Unreachable(Terminator):
    __slots__ = ()

    def _read(self) -> _Fields:
        return _Fields([])


class LandingPad(_Control):
    """``landingpad T`` with its clauses, each on a line of its own."""

    __slots__ = ()
    leads = True

    def _read(self) -> _Fields:
        cursor = self._cursor()
        type_text = cursor.type()
        cleanup = False
        clauses: list[tuple[str, Operand]] = []
        while cursor.peek_word() in ("cleanup", "catch", "filter"):
            word = cursor.word()
            if word == "cleanup":
                cleanup = True
            else:
                clauses.append((word, cursor.operand()))
        return _Fields([operand for _, operand in clauses], type_text, [], clauses, cleanup)

    @property
    def cleanup(self) -> bool:
        fields: _Fields = self._fields()
        return fields.cleanup

    @property
    def clauses(self) -> list[tuple[str, Operand]]:
        """(``catch`` or ``filter``, operand) in order."""
        fields: _Fields = self._fields()
        return fields.clauses


class FuncletPad(_Control):
    """``catchpad`` and ``cleanuppad``: ``within %parent [arguments]``."""

    __slots__ = ()
    leads = True

    def _read(self) -> _Fields:
        cursor = self._cursor()
        cursor.expect_word("within")
        operands = [cursor.operand("token")]
        cursor.expect("[")
        while not cursor.accept("]"):
            operands.append(cursor.operand())
            cursor.accept(",")
        return _Fields(operands, "token")


class CatchSwitch(Terminator):
    """``catchswitch within %parent [label %handler, …] unwind to caller|label %next``."""

    __slots__ = ()
    has_result = True
    leads = True

    def _read(self) -> _Fields:
        cursor = self._cursor()
        cursor.expect_word("within")
        operands = [cursor.operand("token"), *label_list(cursor)]
        return _Fields(operands + _unwind(cursor), "token")


class CleanupRet(Terminator):
    """``cleanupret from %pad unwind to caller|label %next``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        cursor.expect_word("from")
        pad = cursor.operand("token")
        return _Fields([pad, *_unwind(cursor)])


class CatchRet(Terminator):
    """``catchret from %pad to label %next``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        cursor.expect_word("from")
        pad = cursor.operand("token")
        cursor.expect_word("to")
        return _Fields([pad, _label(cursor)])


def _label(cursor: Cursor) -> Operand:
    operand = cursor.operand()
    if operand.type != "label":
        raise cursor.fail("a label")
    return operand


def label_list(cursor: Cursor) -> list[Operand]:
    """``[label %a, label %b]``."""
    cursor.expect("[")
    found: list[Operand] = []
    while not cursor.accept("]"):
        if found:
            cursor.expect(",")
        found.append(_label(cursor))
    return found


def _unwind(cursor: Cursor) -> list[Operand]:
    cursor.expect_word("unwind")
    if cursor.accept_word("to"):
        cursor.expect_word("caller")
        return []
    return [_label(cursor)]
