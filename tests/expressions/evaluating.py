"""Evaluates the expressions of a trace under the input of its run, by the meaning of SMT-LIB."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.expressions.serving import OPERATORS, REASONS, Record

_Words = tuple[int, int, int]


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _divided(a: int, b: int) -> int:
    return -1 if b == 0 else a // b


def _left_over(a: int, b: int) -> int:
    return a if b == 0 else a % b


def _signed_division(a: int, b: int) -> int:
    if b == 0:
        return 1 if a < 0 else -1
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def _signed_rest(a: int, b: int) -> int:
    return a if b == 0 else a - b * _signed_division(a, b)


def _shift(a: int, b: int, width: int, right: bool) -> int:
    return (a >> min(b, width)) if right else (a << b if b < width else 0)


_BINARY: Mapping[str, Callable[[int, int, int], int]] = {
    "ADD": lambda a, b, w: a + b,
    "SUB": lambda a, b, w: a - b,
    "MUL": lambda a, b, w: a * b,
    "UDIV": lambda a, b, w: _divided(a, b),
    "UREM": lambda a, b, w: _left_over(a, b),
    "SDIV": lambda a, b, w: _signed_division(_signed(a, w), _signed(b, w)),
    "SREM": lambda a, b, w: _signed_rest(_signed(a, w), _signed(b, w)),
    "SHL": lambda a, b, w: _shift(a, b, w, False),
    "LSHR": lambda a, b, w: _shift(a, b, w, True),
    "ASHR": lambda a, b, w: _shift(_signed(a, w), b, w, True),
    "AND": lambda a, b, w: a & b,
    "OR": lambda a, b, w: a | b,
    "XOR": lambda a, b, w: a ^ b,
    "EQ": lambda a, b, w: a == b,
    "ULT": lambda a, b, w: a < b,
    "ULE": lambda a, b, w: a <= b,
    "SLT": lambda a, b, w: _signed(a, w) < _signed(b, w),
    "SLE": lambda a, b, w: _signed(a, w) <= _signed(b, w),
}


_DECISIONS = ("BRANCH", "SWITCH", "ASSUME", "CONCRETE", "ACCESS")


class Evaluation:
    """The values of all expressions under an input.

    broken: records that do not agree with them, as all do under the input of the run. decisions: the path's,
    with what this input decides: kind, place in the code, outcome.
    """

    def __init__(self, records: tuple[Record, ...], inputs: Mapping[str, bytes]) -> None:
        self.inputs = inputs
        self.objects: dict[int, bytes] = {}
        self.values: dict[int, int] = {0: 0}
        self.widths: dict[int, int] = {0: 0}
        self.broken: list[Record] = []
        self.decisions: list[tuple[str, tuple[int, ...], int]] = []
        self.tables: dict[int, Record] = {}
        self._parted: list[bool] = []
        self._sites: dict[int, tuple[int, ...]] = {}
        for record in records:
            self._take(record)

    def _take(self, record: Record) -> None:
        kind, id_ = record.kind, record.id
        if kind == "OBJECT":
            data = self.inputs.get(record.name, b"")
            self.objects[id_] = data.ljust(record.words[0], b"\0")
        elif kind in ("INPUT", "CONSTANT", "NODE"):
            assert id_ not in self.values, "an expression is defined twice"
            self.widths[id_] = record.width
            self.values[id_] = self._value(record) & ((1 << record.width) - 1)
        elif kind == "TABLE":
            self.tables[id_] = record
        elif kind == "SITE":
            self._sites[id_] = record.words
        else:
            if not self._agrees(record):
                self.broken.append(record)
            if kind in _DECISIONS:
                self._parted.append(kind != "ACCESS" and not self._agrees(record))
                self.decisions.append((kind, self._sites[id_], self._decided(record)))

    def _decided(self, record: Record) -> int:
        """What the code decides: a branch may be on the opposite of its expression."""
        return self.values[record.halves(0)[0]] ^ (record.operator if record.kind == "BRANCH" else 0)

    def parts_at(self, at: int) -> bool:
        """Whether this input decides otherwise than the run's."""
        return self._parted[at]

    def _value(self, record: Record) -> int:
        if record.kind == "CONSTANT":
            return record.words[0]
        if record.kind == "INPUT":
            number, offset = record.halves(0)
            return self.objects[number][offset]
        a, b = record.halves(0)
        c, parameter = record.halves(1)
        return self._computed(OPERATORS[record.operator], (a, b, c), parameter)

    def _computed(self, operator: str, ids: _Words, parameter: int) -> int:
        if operator == "LOOKUP":
            return self._element(self.values[ids[0]], self.tables[parameter])
        a, b, c = (self.values[each] for each in ids)
        width = self.widths[ids[0]]
        if operator in _BINARY:
            assert width == self.widths[ids[1]], operator
            return int(_BINARY[operator](a, b, width))
        if operator == "ITE":
            assert width == 1 and self.widths[ids[1]] == self.widths[ids[2]]
            return b if a else c
        if operator == "CONCAT":
            return a << self.widths[ids[1]] | b
        return {"NOT": ~a, "EXTRACT": a >> parameter, "ZEXT": a, "SEXT": _signed(a, width)}[operator]

    def _element(self, address: int, table: Record) -> int:
        size, count = table.halves(1)
        at = min(max((address - table.words[0]) // size, 0), count - 1)
        return int.from_bytes(table.data[at * size : (at + 1) * size], "little")

    def _agrees(self, record: Record) -> bool:
        if record.kind in ("BRANCH", "ASSUME"):
            condition, outcome = record.halves(0)
            return self.widths[condition] == 1 and self._decided(record) == outcome
        if record.kind == "CONCRETE" and REASONS[record.operator] == "INCONSISTENT":
            return False
        if record.kind in ("SWITCH", "CONCRETE"):
            return self.values[record.words[0]] == record.words[1]
        if record.kind == "ACCESS":
            return self.values[record.halves(0)[0]] == record.words[1]
        if record.kind == "CHECK":
            return self.values[record.words[0]] == 0
        return True


def diverged(first: Evaluation, second: Evaluation) -> str:
    """Why a path is not what another one's trace says of its input; empty if it is.

    first: the trace of one input under another. second: the other input's own trace under it. Both have the
    same decisions up to the first one where the paths part, that one included.
    """
    for at, (said, came) in enumerate(zip(first.decisions, second.decisions, strict=False)):
        if said != came:
            return f"decision {at}: {said} was predicted, and {came} made"
        if first.parts_at(at):
            return ""
    if len(first.decisions) != len(second.decisions):
        return "one path has more decisions, and they did not part"
    return ""
