"""The derivation of pointers, as far as a function shows it.

`Bid(r)` in a rule is the block that the pointer was derived *from*. Within a
function the derivation is visible: address computations begin at a *root*, which
is a parameter, a loaded value, a call's result, a stack slot or a global.
The check of an access then compares the slot of the accessed address with the
slot of the root.

Where derivations meet (phi, select) the root is the common one if there is
one: in ``for (p = a; …; p += n) use(*p)`` the root of ``p`` is ``a``. Otherwise
a phi of the roots is put beside the phi of the pointers::

    %p = phi ptr [ %x, %then ], [ %y, %else ]      ; %x = gep %a…, %y = gep %b…
    %wh.1 = phi ptr [ %a, %then ], [ %b, %else ]

A pointer that is moved by the distance from its own block to another pointer, ``p + (b - a)`` with `p` and
`a` derived from one value, is such a meeting, too. Its root is itself if it arrives in the slot of `b`, else
that of `p`: what misses both blocks is judged against its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from whence import ir
from whence.abi.layout import RED_ZONE, REGION_COUNT, REGION_SHIFT
from whence.instrument.analysis.carried import carried
from whence.instrument.analysis.numbering import Numbering


class Kind(Enum):
    """The kind of memory that a root can point to."""

    UNKNOWN = "unknown"  # anything: heap blocks included
    STACK = "stack"  # a stack slot of this function
    GLOBAL = "global"  # a global of this program
    OBJECT = "object"  # one of several stack slots and globals, depending on the path
    UNDEFINED = "undefined"  # undef or poison: no address at all


OBJECTS = frozenset((Kind.STACK, Kind.GLOBAL, Kind.OBJECT))
"""Kinds of roots that never point to a heap block."""


@dataclass(frozen=True)
class Derivation:
    """`pointer = root + offset`; `offset` in bytes, None when it is not constant."""

    root: str
    offset: int | None
    kind: Kind


@dataclass(frozen=True)
class Place:
    """An address as a value and a constant: equal computations have equal places.

    Where the address is ``start + scale * index`` with an unsigned index that is extended, `upward`
    names the family of addresses that differ in a constant which is added to the index before it is
    extended, and `distance` is that constant in bytes. From one member of a family to a higher one
    it is the difference of their distances, or the index wraps and it is less than that from `start`.
    """

    base: str
    offset: int
    start: str = ""
    upward: str = ""
    distance: int = 0


_DEPTH = 64
"""The largest number of address computations to follow."""

_DIFFERENCE_DEPTH = 8

_BITS = 64
"""Of an address: what is shifted by more has no meaning."""

_LOW_SHIFT = 21
"""How near two addresses of images are to each other."""

_PASS_THROUGH = frozenset(
    ("llvm.launder.invariant.group.p0", "llvm.strip.invariant.group.p0", "llvm.ptrmask.p0.i64")
)

_ARITHMETIC = frozenset(
    ("add", "sub", "mul", "shl", "ashr", "lshr", "sdiv", "udiv", "and", "or", "sext", "zext", "trunc")
)

_PARTS = ("sdiv", "udiv", "ashr", "lshr")
_CASTS = ("sext", "zext", "trunc", "freeze")
_ADDRESS = ("ptrtoint", "ptrtoaddr")

_Merge = ir.Phi | ir.Select


class Provenance:
    """Derivations of the pointers of one function."""

    def __init__(self, function: ir.Function) -> None:
        self.module = function.module
        self._function = function
        self._known: dict[str, Derivation] = {}
        self._places: dict[str, Place] = {}
        self._bases: dict[str, tuple[str, int | None]] = {}
        self._moves: dict[str, tuple[str, ...]] = {}
        self._has_addresses: bool | None = None
        self._objects: frozenset[str] | None = None
        self._common: dict[str, str] | None = None
        self._beside: dict[str, str] = {}
        self._numbers = Numbering(function)

    def of(self, pointer: str) -> Derivation:
        """Derivation of a pointer operand (``%5``, ``@x``, a constant expression)."""
        found = self._known.get(pointer)
        if found is None:
            base, offset = self._base(pointer)
            root = base
            kind = self._kind(base)
            if kind is Kind.UNKNOWN and self._meeting(base):
                root = self._root_value(self._roots()[base])
                offset = offset if root == base else None
            found = self._known[pointer] = Derivation(root, offset, kind)
        return found

    def variable(self, derived: Derivation) -> ir.Alloca | None:
        """The local variable that a pointer was derived from."""
        found = self._definition(derived.root) if derived.kind is Kind.STACK else None
        return found if isinstance(found, ir.Alloca) else None

    def definition(self, derived: Derivation) -> ir.Instruction | None:
        """The instruction that a pointer was derived from."""
        return self._definition(derived.root)

    def place(self, pointer: str) -> Place:
        """The place of an address."""
        found = self._places.get(pointer)
        if found is None:
            found = self._places[pointer] = self._locate(pointer)
        return found

    def _locate(self, pointer: str) -> Place:
        base, offset, terms = self.linear(pointer)
        start = self._numbers.of(base)
        if not terms:
            return Place(start, offset)
        sums = [(scale, self._numbers.sum(value)) for scale, value in terms]
        key = start + "".join(f"+{scale}*{each.value}" for scale, each in sums)
        distance = sum(scale * each.constant for scale, each in sums)
        is_family = len(sums) == 1 and not offset and sums[0][1].value.startswith("zext ")
        upward = key if is_family else ""
        if any(each.wraps for _, each in sums):
            return Place(self._numbers.of(pointer), 0, start, upward, distance)
        return Place(key, offset + distance, start, upward, distance)

    def linear(self, pointer: str) -> tuple[str, int, list[tuple[int, str]]]:
        """Base, constant offset and (scale, index) of the chain of address computations that ends here."""
        offset, terms = 0, list[tuple[int, str]]()
        for _ in range(_DEPTH):
            step = self._step(pointer)
            if step is None:
                break
            definition = self._definition(pointer)
            if isinstance(definition, ir.GetElementPtr):
                distance = definition.offset
                if distance is None or _has_short_index(definition):
                    break
                offset += distance.constant
                terms += distance.terms
            pointer = step[0]
        return pointer, offset, terms

    def walks(self, pointer: str, block: ir.Block) -> bool:
        """Whether the pointer of the access steps through its block.

        It does if the pointer is a loop's variable that starts at a root,
        moves by no more than a red zone, and is accessed here in every round:
        it cannot leave its block without stepping into the red zone.
        """
        base, offset = self._base(pointer)
        phi = self._definition(base)
        if not isinstance(phi, ir.Phi) or offset is None or abs(offset) > RED_ZONE:
            return False
        for value, source in phi.incoming:
            start, step = self._base(value)
            if step is None or abs(step) > RED_ZONE:
                return False
            if start == base and not self._always_before(block, source, phi.owner):
                return False
            if start != base and self._meeting(start):
                return False
        return True

    def _always_before(self, block: ir.Block, source: str, head: ir.Block) -> bool:
        """Whether every path from the loop's head to the back edge at `source` contains `block`."""
        if block is head:
            return True
        at = self._function.block(source)
        for _ in range(_DEPTH):
            if at is block:
                return True
            before = at.predecessors
            if at is head or len(before) != 1:
                return False
            at = before[0]
        return False

    def _definition(self, value: str) -> ir.Instruction | None:
        """The instruction that defines a local value; None for parameters and globals."""
        found = self._function.definition_of(value) if value.startswith("%") else None
        return found if isinstance(found, ir.Instruction) else None

    # Straight derivations.

    def _base(self, pointer: str) -> tuple[str, int | None]:
        """The begin of the chain of address computations, and the constant offset from it."""
        found = self._bases.get(pointer)
        if found is None:
            found = self._bases[pointer] = self._trace(pointer)
        return found

    def _trace(self, pointer: str) -> tuple[str, int | None]:
        return self._follow(pointer, self._step)

    def _written_base(self, pointer: str) -> tuple[str, int | None]:
        """As `_base`, but through relocations, too."""
        return self._follow(pointer, self._written_step)

    def _follow(
        self, pointer: str, back: Callable[[str], tuple[str, int | None] | None]
    ) -> tuple[str, int | None]:
        value, offset = pointer, 0
        constant = True
        for _ in range(_DEPTH):
            step = back(value)
            if step is None:
                break
            value, more = step
            if more is None:
                constant = False
            else:
                offset += more
        return value, offset if constant else None

    def _step(self, value: str) -> tuple[str, int | None] | None:
        """One address computation back: (base, constant offset), or None at a root."""
        definition = self._definition(value)
        if isinstance(definition, ir.GetElementPtr) and (
            self._relocates(definition) or self._moved(definition)
        ):
            return None
        return _step_of(definition)

    def _written_step(self, value: str) -> tuple[str, int | None] | None:
        """One address computation back, also through a relocation; None at a root."""
        return _step_of(self._definition(value))

    def _relocates(self, gep: ir.GetElementPtr) -> bool:
        """Whether the step moves a pointer from one block to another on purpose.

        ``p + (new - old)`` moves what pointed into ``old`` to its place in
        ``new``, so its result is not judged against the block of ``p``. If ``p``
        itself takes part in the difference, see `_moved`.
        """
        indices = [each.value for each in gep.operands[1:] if not each.value.isdecimal()]
        addresses = {a for index in indices for a in self._addresses_in(index, _DIFFERENCE_DEPTH)}
        if not addresses:
            return False
        origins = self._origins(gep.base, moves=False)
        return all(origins.isdisjoint(self._origins(address, moves=False)) for address in addresses)

    def _origins(self, pointer: str, moves: bool = True) -> frozenset[str]:
        """The values from which a pointer may be derived, through all merges; loads of one place are equal.

        moves: also the pointers to whose blocks distances lead. In a loop with ``p += new - old`` these would
        make `new` an origin of `p`, and the relocation an index.

        The place of a load does not depend on what relocates: a load can have its own result, or the
        result of another, in its address, so the answers would need each other.
        """
        found, seen, waiting = set(), {pointer}, [pointer]
        while waiting and len(seen) < _DEPTH:
            definition = self._definition(value := waiting.pop())
            if isinstance(definition, ir.GetElementPtr):
                following = [definition.base, *(self._signed_addresses(definition)[0] if moves else ())]
            elif isinstance(definition, _Merge):
                following = _values(definition)
            else:
                following = []
                origin: object = value
                if isinstance(definition, ir.Load):
                    origin = self._written_base(definition.pointer)
                found.add(str(origin))
            waiting += [each for each in following if each not in seen]
            seen.update(following)
        return frozenset(found)

    def _moved(self, gep: ir.GetElementPtr) -> tuple[str, ...]:
        """The pointers to whose blocks the step may move a pointer by its distance from them.

        In ``p + (b - a)`` that is `b`, if `p` and `a` may be derived from one value, or if a relocation is
        one of several distances (``grown ? new - old : 0``). A distance may be one of several, but is whole:
        ``a[(b - a) / 2]`` is an index. So is a distance from a variable to where nobody knows: what lies in
        variables is judged strictly.
        """
        name = gep.result or ""
        found = self._moves.get(name)
        if found is None:
            found = self._moves[name] = tuple(self._find_moved(gep))
        return found

    def _find_moved(self, gep: ir.GetElementPtr) -> list[str]:
        ends, begins = self._signed_addresses(gep)
        if not ends or not begins:
            return []
        own = self._origins(gep.base)
        if all(own.isdisjoint(self._origins(each)) for each in begins):
            ends = self._ends_elsewhere(gep, ends)
        if all(map(self._is_object, own)):
            return [each for each in ends if all(map(self._is_object, self._origins(each)))]
        return ends

    def _ends_elsewhere(self, gep: ir.GetElementPtr, ends: list[str]) -> list[str]:
        """The ends that the own pointer is not derived from: with begins like that they make a relocation."""
        own = self._origins(gep.base, moves=False)
        return [each for each in ends if own.isdisjoint(self._origins(each, moves=False))]

    def _is_object(self, origin: str) -> bool:
        return origin.startswith("@") or isinstance(self._definition(origin), ir.Alloca)

    def _signed_addresses(self, gep: ir.GetElementPtr) -> tuple[list[str], list[str]]:
        """Pointers whose addresses an offset has as they are, and those that are subtracted."""
        if self._has_addresses is None:
            self._has_addresses = any(each.opcode in _ADDRESS for each in self._function.instructions())
        if not self._has_addresses or gep.constant_offset is not None or gep.offset is None:
            return [], []
        found: dict[tuple[str, Fraction], None] = {}
        seen: set[tuple[str, Fraction]] = set()
        for scale, index in gep.offset.terms:
            self._weigh(index, Fraction(scale), seen, found)
        return [a for a, weight in found if weight == 1], [a for a, weight in found if weight == -1]

    def _weigh(
        self,
        value: str,
        weight: Fraction,
        seen: set[tuple[str, Fraction]],
        found: dict[tuple[str, Fraction], None],
    ) -> None:
        """Adds the addresses in a sum with their weights, those of all values where several meet."""
        definition = self._definition(value)
        if definition is None or (value, weight) in seen or len(seen) > _DEPTH:
            return
        seen.add((value, weight))
        opcode = definition.opcode
        if opcode in _ADDRESS:
            found[definition.operands[0].value, weight] = None
        elif isinstance(definition, _Merge):
            for each in _values(definition):
                self._weigh(each, weight, seen, found)
        elif opcode in _CASTS:
            self._weigh(definition.operands[0].value, weight, seen, found)
        elif opcode in ("add", "sub"):
            left, right = (each.value for each in definition.operands)
            self._weigh(left, weight, seen, found)
            self._weigh(right, weight if opcode == "add" else -weight, seen, found)
        elif opcode in ("mul", "shl", *_PARTS):
            left, right = (each.value for each in definition.operands)
            number = int(right) if right.isdecimal() else 0
            factor = number if opcode in ("mul", "sdiv", "udiv") else 1 << min(number, _BITS)
            if right.isdecimal() and factor:
                self._weigh(left, weight / factor if opcode in _PARTS else weight * factor, seen, found)

    def _addresses_in(self, index: str, depth: int) -> set[str]:
        """Pointers whose addresses an index is computed from."""
        definition = self._definition(index)
        if definition is None or depth == 0:
            return {index} if "ptrtoint" in index else set()
        if definition.opcode in ("ptrtoint", "ptrtoaddr"):
            return {definition.operands[0].value}
        if definition.opcode not in _ARITHMETIC:
            return set()
        return {a for operand in definition.operands for a in self._addresses_in(operand.value, depth - 1)}

    # Derivations that merge.

    def _roots(self) -> dict[str, str]:
        """For each merge of pointers its root: a value, or its own name if several roots meet there.

        An optimistic fixed point: a merge has no root until a value arrives,
        one root while all that arrive agree, and its own from then on.
        """
        if self._common is not None:
            return self._common
        arriving = {name: [self._base(value)[0] for value in values] for name, values in self._merges()}
        roots: dict[str, str] = {}
        changed = True
        while changed:
            changed = False
            for name, bases in arriving.items():
                if roots.get(name) == name:
                    continue
                found = {roots[b] if b in arriving else b for b in bases if b not in arriving or b in roots}
                new = found.pop() if len(found) == 1 else name if found else None
                if new is not None and roots.get(name) != new:
                    roots[name] = new if name not in roots else name
                    changed = True
        self._common = {name: roots.get(name, name) for name in arriving}
        return self._common

    def _merges(self) -> list[tuple[str, list[str]]]:
        """Phi nodes and selects of pointers, and moved pointers, with the values that meet there."""
        return [
            (instruction.result, values)
            for instruction in self._function.instructions()
            if instruction.result and (values := self._meeting_at(instruction))
        ]

    def _meeting(self, value: str) -> list[str]:
        """The pointers of which one is what a pointer is derived from; empty if it is no such meeting."""
        return self._meeting_at(self._definition(value))

    def _meeting_at(self, definition: ir.Instruction | None) -> list[str]:
        if isinstance(definition, _Merge):
            return _values(definition) if definition.type == "ptr" else []
        if isinstance(definition, ir.GetElementPtr):
            ends = self._moved(definition)
            return [definition.base, *ends] if ends and not self._relocates(definition) else []
        return []

    def _root_value(self, root: str) -> str:
        """The value of a root; for several roots, a phi or select beside the merge."""
        waiting: list[ir.Instruction] = []
        found = self._named_root(root, waiting)
        while waiting:
            self._put_beside(waiting.pop(), waiting)
        return found

    def _named_root(self, root: str, waiting: list[ir.Instruction]) -> str:
        """The name of the value that holds a root; a merge beside which it is yet to be put is `waiting`."""
        merge = self._definition(root)
        values = self._meeting(root)
        if root in self._beside or merge is None or not values or self._roots().get(root) != root:
            return self._beside.get(root, root)
        if isinstance(merge, _Merge) and all(self._base_root(value) == value for value in values):
            return root
        name = self._beside[root] = self._function.fresh_name()
        waiting.append(merge)
        return name

    def _put_beside(self, merge: ir.Instruction, waiting: list[ir.Instruction]) -> None:
        values = self._meeting(merge.result or "")
        if isinstance(merge, ir.GetElementPtr):
            self._put_choice(merge, values[1:], self._named_root(self._base_root(values[0]), waiting))
            return
        roots = [self._named_root(self._base_root(value), waiting) for value in values]
        if isinstance(merge, ir.Phi):
            pairs = zip(roots, (source for _, source in merge.incoming), strict=True)
            text = "phi ptr " + ", ".join(f"[ {value}, {source} ]" for value, source in pairs)
        else:
            condition = merge.operands[0]
            text = f"select {condition.type} {condition.value}, ptr {roots[0]}, ptr {roots[1]}"
        merge.insert_before(f"{self._beside[merge.result or '']} = {text}")

    def _put_choice(self, gep: ir.GetElementPtr, ends: list[str], root: str) -> None:
        """A moved pointer is its own root if it arrives in the slot of its end (see `whence.abi.layout`).

        Addresses outside of the heap count as in one slot if they are near each other: in one image, one
        stack. What lies below the regions is an image.
        """
        fresh = self._function.fresh_name
        at = fresh()
        last = gep.insert_after(f"{at} = ptrtoint ptr {gep.result} to i64")
        for number, end in enumerate(ends, 1):
            there, differ, high, region, low, shift, slot, half, apart, same = (fresh() for _ in range(10))
            chosen = self._beside[gep.result or ""] if number == len(ends) else fresh()
            for text in (
                f"{there} = ptrtoint ptr {carried(end, gep)} to i64",
                f"{differ} = xor i64 {at}, {there}",
                f"{high} = lshr i64 {there}, {REGION_SHIFT}",
                f"{region} = and i64 {high}, {REGION_COUNT - 1}",
                f"{low} = icmp eq i64 {region}, 0",
                f"{shift} = select i1 {low}, i64 {_LOW_SHIFT}, i64 {region}",
                f"{slot} = lshr i64 {differ}, {shift}",
                f"{half} = lshr i64 {differ}, {REGION_SHIFT}",
                f"{apart} = or i64 {slot}, {half}",
                f"{same} = icmp eq i64 {apart}, 0",
                f"{chosen} = select i1 {same}, ptr {gep.result}, ptr {root}",
            ):
                last = last.insert_after(text)
            root = chosen

    def _base_root(self, value: str) -> str:
        base, _ = self._base(value)
        return self._roots().get(base, base)

    # Kinds.

    def _kind(self, root: str) -> Kind:
        if root in ("undef", "poison"):
            return Kind.UNDEFINED
        if not root.startswith("%"):
            return Kind.GLOBAL if _names_global(root) else Kind.UNKNOWN
        definition = self._definition(root)
        if isinstance(definition, ir.Alloca):
            return Kind.STACK
        if self._meeting(root):
            return Kind.OBJECT if root in self._object_merges() else Kind.UNKNOWN
        return Kind.UNKNOWN

    def _object_merges(self) -> frozenset[str]:
        """Merges of stack slots and globals only, directly or through other merges."""
        if self._objects is None:
            merges = self._merges()
            further: dict[str, list[str]] = {}
            mixed = []
            for name, values in merges:
                for base, _ in map(self._base, values):
                    if self._meeting(base):
                        further.setdefault(base, []).append(name)
                    elif self._kind(base) not in OBJECTS:
                        mixed.append(name)
            found = {name for name, _ in merges}
            while mixed:
                if (name := mixed.pop()) in found:
                    found.discard(name)
                    mixed += further.get(name, ())
            self._objects = frozenset(found)
        return self._objects


def _step_of(definition: ir.Instruction | None) -> tuple[str, int | None] | None:
    """The base and the constant offset of what an instruction derives; None at a root."""
    if isinstance(definition, ir.GetElementPtr):
        return definition.base, definition.constant_offset
    if isinstance(definition, ir.Call) and definition.callee in _PASS_THROUGH:
        return definition.arguments[0].value, 0
    if definition is not None and definition.opcode == "freeze":
        return definition.operands[0].value, 0
    return None


def _has_short_index(gep: ir.GetElementPtr) -> bool:
    """Whether a variable index has less than 64 bits, so that its use extends it."""
    return any(type_ != "i64" for type_, index in gep.indices if index.startswith("%"))


def _values(merge: _Merge) -> list[str]:
    """The incoming pointers."""
    if isinstance(merge, ir.Phi):
        return [value for value, _ in merge.incoming]
    return [operand.value for operand in merge.operands[1:]]


def _names_global(value: str) -> bool:
    return value.startswith(("@", "getelementptr", "blockaddress", "dso_local_equivalent")) and "@" in value
