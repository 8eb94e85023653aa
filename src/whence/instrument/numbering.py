"""Values that are computed alike are one value.

The front end computes the index of ``a[i]`` anew wherever it stands. Value
numbering gives equal computations one name, so that what is known of the first
holds for the second.
"""

from __future__ import annotations

from whence import ir

_PURE = frozenset(
    ("add", "sub", "mul", "shl", "ashr", "lshr", "and", "or", "xor", "sext", "zext", "trunc", "inttoptr")
)
"""Without memory and without effect; poison aside, the flags (nsw, inbounds, …) change nothing."""

_DEPTH = 12


class Numbering:
    """Names for the values of one function."""

    def __init__(self, function: ir.Function) -> None:
        self._function = function
        self._names: dict[str, str] = {}
        self._first: dict[tuple[str, ...], str] = {}

    def of(self, value: str, depth: int = _DEPTH) -> str:
        """The first value seen that is computed as `value` is; `value` itself if there is none."""
        if not value.startswith("%") or not depth:
            return value
        found = self._names.get(value)
        if found is None:
            computation = self._computation(value, depth - 1)
            found = value if computation is None else self._first.setdefault(computation, value)
            self._names[value] = found
        return found

    def _computation(self, value: str, depth: int) -> tuple[str, ...] | None:
        definition = self._function.definition_of(value)
        if isinstance(definition, ir.GetElementPtr):
            indices = [self.of(index, depth) for _, index in definition.indices]
            return ("gep", definition.source_type, self.of(definition.base, depth), *indices)
        if isinstance(definition, ir.Instruction) and definition.opcode in _PURE:
            operands = [self.of(operand.value, depth) for operand in definition.operands]
            return (definition.opcode, str(definition.type), *operands)
        return None
