"""Value numbering.

The front end computes the index of ``a[i]`` anew at each use. Value numbering
gives equal computations one name, so that facts about the first hold for the
second. Integers are split into such a name and a constant, so that the distance
of ``a[i + 1]`` from ``a[i]`` is known::

    %1 = add nsw i32 %i, 1      ; (%i, 1)
    %2 = sext i32 %1 to i64     ; (sext %i, 1)

Where unsigned numbers may wrap (``zext`` of an ``add`` without ``nuw``) the
distance is one *up to wrapping*: see `Sum`.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence import ir

_PURE = frozenset(
    ("add", "sub", "mul", "shl", "ashr", "lshr", "and", "or", "xor", "sext", "zext", "trunc", "inttoptr")
)
"""Opcodes without memory access or effect; apart from poison, flags (nsw, inbounds, …) do not matter."""

_DEPTH = 12
_STEPS = 16


@dataclass(frozen=True)
class Sum:
    """``value + constant``.

    With `wraps` the sum was computed with fewer bits and zero-extended, so it may have wrapped; the
    constant is positive then.
    """

    value: str
    constant: int
    wraps: bool = False


class Numbering:
    """Names for the values of one function."""

    def __init__(self, function: ir.Function) -> None:
        self._function = function
        self._names: dict[str, str] = {}
        self._first: dict[tuple[str, ...], str] = {}

    def of(self, value: str, depth: int = _DEPTH) -> str:
        """The first value with the same computation as `value`, which may be `value` itself."""
        if not value.startswith("%") or not depth:
            return value
        found = self._names.get(value)
        if found is None:
            computation = self._computation(value, depth - 1)
            found = value if computation is None else self._first.setdefault(computation, value)
            self._names[value] = found
        return found

    def sum(self, value: str) -> Sum:
        """The sum of a 64-bit integer."""
        value, constant = self._take_constants(value, "", 0)
        definition = self._definition(value)
        if definition is None or definition.opcode not in ("sext", "zext"):
            return Sum(self.of(value), constant)
        extended = definition.operands[0]
        value, inner = self._take_constants(extended.value, definition.opcode, 0)
        wraps = False
        if definition.opcode == "zext" and inner == 0:
            value, inner = self._take_constants(value, "", 0)
            wraps = inner != 0
            if inner < 0 or (wraps and constant):
                return Sum(self.of(definition.result or ""), constant)
        return Sum(f"{definition.opcode} {extended.type} {self.of(value)}", constant + inner, wraps)

    def _take_constants(self, value: str, conversion: str, constant: int) -> tuple[str, int]:
        """(rest, constant) of a chain of additions whose flags allow the conversion."""
        for _ in range(_STEPS):
            definition = self._definition(value)
            if not isinstance(definition, ir.Binary) or definition.opcode not in ("add", "sub", "or"):
                break
            left, right = (operand.value for operand in definition.operands)
            if not _is_integer(right) or not _promises(definition, int(right), conversion):
                break
            value = left
            constant += -int(right) if definition.opcode == "sub" else int(right)
        return value, constant

    def _definition(self, value: str) -> ir.Instruction | None:
        found = self._function.definition_of(value) if value.startswith("%") else None
        return found if isinstance(found, ir.Instruction) else None

    def _computation(self, value: str, depth: int) -> tuple[str, ...] | None:
        definition = self._function.definition_of(value)
        if isinstance(definition, ir.GetElementPtr):
            indices = [self.of(index, depth) for _, index in definition.indices]
            return ("gep", definition.source_type, self.of(definition.base, depth), *indices)
        if isinstance(definition, ir.Instruction) and definition.opcode in _PURE:
            operands = [self.of(operand.value, depth) for operand in definition.operands]
            return (definition.opcode, str(definition.type), *operands)
        return None


def _is_integer(value: str) -> bool:
    return value.removeprefix("-").isdigit()


def _promises(addition: ir.Binary, constant: int, conversion: str) -> bool:
    """Whether the addition commutes with the conversion; an `or` is an addition only with `disjoint`."""
    if addition.opcode == "or" and "disjoint" not in addition.flags:
        return False
    if conversion == "zext":  # a negative constant is a large unsigned one
        return constant >= 0 and (addition.opcode == "or" or "nuw" in addition.flags)
    return conversion == "" or addition.opcode == "or" or "nsw" in addition.flags
