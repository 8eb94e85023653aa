"""From which value was a pointer derived, as far as the function shows?

`Bid(r)` in a rule is the block that the pointer was derived *from*. Within a
function the derivation is visible: a chain of address computations back to a
*root*, which is a parameter, a loaded value, a call's result, a phi or select,
a stack slot or a global. The check of an access then compares the slot of the
accessed address with the slot of the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from whence import ir


class Kind(Enum):
    """What a root can point to."""

    UNKNOWN = "unknown"  # anything: heap blocks included
    OBJECT = "object"  # a stack slot or a global of this program: never a heap block
    UNDEFINED = "undefined"  # undef or poison: no address at all


@dataclass(frozen=True)
class Derivation:
    """`pointer = root + offset`; `offset` in bytes, None when it is not constant."""

    root: str
    offset: int | None
    kind: Kind


_DEPTH = 64
"""Longest chain of address computations that is followed."""

_DIFFERENCE_DEPTH = 8

_PASS_THROUGH = frozenset(
    ("llvm.launder.invariant.group.p0", "llvm.strip.invariant.group.p0", "llvm.ptrmask.p0.i64")
)


class Provenance:
    """Derivations of the pointers of one function."""

    def __init__(self, function: ir.Function) -> None:
        self._function = function
        self._known: dict[str, Derivation] = {}
        self._kinds: dict[str, Kind] = {}

    def of(self, pointer: str) -> Derivation:
        """Derivation of a pointer operand (``%5``, ``@x``, a constant expression)."""
        found = self._known.get(pointer)
        if found is None:
            found = self._known[pointer] = self._trace(pointer)
        return found

    def _definition(self, value: str) -> ir.Instruction | None:
        """The instruction that makes a local value; None for parameters and everything global."""
        found = self._function.definition_of(value) if value.startswith("%") else None
        return found if isinstance(found, ir.Instruction) else None

    def _trace(self, pointer: str) -> Derivation:
        value, offset = pointer, 0
        constant = True
        for _ in range(_DEPTH):
            step = self._step(value)
            if step is None:
                break
            value, more = step
            if more is None:
                constant = False
            elif constant:
                offset += more
        return Derivation(value, offset if constant else None, self._kind(value))

    def _step(self, value: str) -> tuple[str, int | None] | None:
        """One address computation back: (base, constant offset), or None at a root."""
        definition = self._definition(value)
        if isinstance(definition, ir.GetElementPtr):
            if any(self._is_difference(index) for _, index in definition.indices):
                return None
            return definition.base, definition.constant_offset
        if isinstance(definition, ir.Call) and definition.callee in _PASS_THROUGH:
            return definition.arguments[0].value, 0
        if definition is not None and definition.opcode == "freeze":
            return definition.operands[0].value, 0
        return None

    def _is_difference(self, index: str, depth: int = _DIFFERENCE_DEPTH) -> bool:
        """Is the index computed from addresses?

        ``p + (q - old)`` moves a pointer from one block to another on purpose
        (after a realloc, say), so its result is not judged against the block
        of ``p``.
        """
        if depth == 0 or not index.startswith("%"):
            return "ptrtoint" in index
        definition = self._definition(index)
        if definition is None:
            return False
        if definition.opcode in ("ptrtoint", "ptrtoaddr"):
            return True
        if definition.opcode not in _ARITHMETIC:
            return False
        return any(self._is_difference(operand.value, depth - 1) for operand in definition.operands)

    def _kind(self, root: str) -> Kind:
        found = self._kinds.get(root)
        if found is None:
            self._kinds[root] = Kind.OBJECT  # neutral while a cycle of phi nodes is followed
            found = self._kinds[root] = self._classify(root)
        return found

    def _classify(self, root: str) -> Kind:
        if root in ("undef", "poison"):
            return Kind.UNDEFINED
        if not root.startswith("%"):
            return Kind.OBJECT if _names_global(root) else Kind.UNKNOWN
        definition = self._definition(root)
        if isinstance(definition, ir.Alloca):
            return Kind.OBJECT
        if isinstance(definition, ir.Phi):
            return self._join([value for value, _ in definition.incoming])
        if isinstance(definition, ir.Select):
            return self._join([operand.value for operand in definition.operands[1:]])
        return Kind.UNKNOWN

    def _join(self, values: list[str]) -> Kind:
        for value in values:
            base = value
            for _ in range(_DEPTH):
                step = self._step(base)
                if step is None:
                    break
                base = step[0]
            if self._kind(base) is not Kind.OBJECT:
                return Kind.UNKNOWN
        return Kind.OBJECT


_ARITHMETIC = frozenset(
    (
        "add",
        "sub",
        "mul",
        "shl",
        "ashr",
        "lshr",
        "sdiv",
        "udiv",
        "and",
        "or",
        "sext",
        "zext",
        "trunc",
        "select",
        "phi",
    )
)


def _names_global(value: str) -> bool:
    return value.startswith(("@", "getelementptr", "blockaddress", "dso_local_equivalent")) and "@" in value
