"""Accesses of loops that the runtime looks at once, behind the loop.

A loop in which the thread releases nothing to others has one epoch. What it accesses in each of its rounds,
at addresses that are apart by a constant, is a range, which is known where the loop is left::

    loop:                                                         ; for (i = b; i < n; i++) p[i] = 0;
      %i = phi i64 [ %b, %entry ], [ %j, %loop ]
      %q = getelementptr i32, ptr %p, i64 %i
      store i32 0, ptr %q
      …
    end:
      %1 = sub i64 %i, %b
      %2 = mul i64 %1, 4
      %3 = add i64 %2, 4                                          ; the store is made in the last round, too
      …
      call void @__whence_race_write_stride(ptr %first, i64 %3, i64 4, i32 4)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from whence import ir
from whence.instrument.analysis.facts import reverse_postorder
from whence.instrument.analysis.loops import Dominance, Loop, loops_of
from whence.instrument.races import helpers
from whence.instrument.races.plain import Access, may_release

_MOST_EXITS = 4
_MOST_TERMS = 3
_MOST_STEPS = 8
_TYPES = ("i64", "ptr", "i32", "i16", "i8")
_COMMUTING = (("nsw", "sext"), ("nuw", "zext"))


@dataclass(frozen=True)
class _Counter:
    """A loop's variable that is `first` in the first round and changes by `step` in each.

    casts: those to 64 bits that commute with the step.
    """

    phi: ir.Phi
    first: str
    step: int
    casts: frozenset[str]

    @property
    def name(self) -> str:
        return self.phi.result or ""


@dataclass(frozen=True)
class _Walk:
    """In round k an access is at base + offset + terms + k * step.

    scale: of the counter among the terms; 0 if `base` is its first value. cast: of the counter to 64 bits.
    """

    counter: _Counter
    base: str
    offset: int
    terms: tuple[tuple[int, str], ...]
    step: int
    scale: int
    cast: str


_Exits = list[tuple[ir.Block, ir.Block, bool]]
"""Edges that leave a loop, and whether the access is made in the round that ends there."""


def stride(function: ir.Function, accesses: Iterable[Access]) -> list[Access]:
    """Inserts looks at ranges behind loops; returns the accesses that they are not for."""
    within: dict[str, list[Access]] = {}
    for access in accesses:
        within.setdefault(access.made.owner.ref, []).append(access)
    order = reverse_postorder(function)
    loops = loops_of(order) if within else []
    if not loops:
        return list(accesses)
    dominance = Dominance(order)
    taken: set[int] = set()
    splits: dict[tuple[str, str], ir.Block] = {}
    for loop in loops:
        if any(each is not loop and each.blocks < loop.blocks for each in loops):
            continue
        inside = [access for ref in sorted(loop.blocks) for access in within.get(ref, ())]
        if not inside or _releases(loop):
            continue
        counters = _counters(loop)
        for access in inside if counters else ():
            exits = _exits(loop, access, dominance)
            walk = _walk(loop, access, counters) if exits else None
            if walk is not None:
                for source, target, is_made in exits:
                    place = _behind(function, source, target, splits)
                    _insert(place, access, walk, is_made)
                taken.add(id(access))
    return [access for access in accesses if id(access) not in taken]


def _releases(loop: Loop) -> bool:
    function = loop.head.function
    return any(may_release(made) for ref in loop.blocks for made in function.block(ref).instructions)


def _counters(loop: Loop) -> dict[str, _Counter]:
    found: dict[str, _Counter] = {}
    for phi in loop.head.phis:
        inside = [value for value, source in phi.incoming if source in loop.blocks]
        outside = [value for value, source in phi.incoming if source not in loop.blocks]
        if len(inside) == len(outside) == 1 and phi.result and phi.type in _TYPES:
            step = _step(phi, inside[0])
            casts = _casts(phi, inside[0])
            if step and casts and (phi.type == "ptr" or _is_amount(outside[0])):
                found[phi.result] = _Counter(phi, outside[0], step, casts)
    return found


def _casts(phi: ir.Phi, following: str) -> frozenset[str]:
    """The casts to 64 bits that a counter may have: those that its step does not wrap around for."""
    if phi.type in ("i64", "ptr"):
        return frozenset(("",))
    definition = phi.function.definition_of(following)
    flags = definition.flags if isinstance(definition, ir.Binary) else []
    return frozenset(cast for flag, cast in _COMMUTING if flag in flags)


def _is_amount(value: str) -> bool:
    """Whether it is a number or an instruction's result, and no other constant."""
    return value.startswith("%") or value.removeprefix("-").isdecimal()


def _step(phi: ir.Phi, value: str) -> int:
    """By how much one of the values is more than the phi; 0: that is not constant."""
    definition = phi.function.definition_of(value) if value.startswith("%") else None
    if isinstance(definition, ir.Binary) and definition.opcode in ("add", "sub"):
        left, right = (operand.value for operand in definition.operands)
        if left == phi.result and right.lstrip("-").isdigit():
            return int(right) if definition.opcode == "add" else -int(right)
    if isinstance(definition, ir.GetElementPtr) and definition.base == phi.result:
        return definition.constant_offset or 0
    return 0


def _exits(loop: Loop, access: Access, dominance: Dominance) -> _Exits:
    """Empty where the access is not made in each round, or may be made in the last one or not."""
    function, owner = loop.head.function, access.made.owner.ref
    found: _Exits = []
    for ref in sorted(loop.blocks):
        block = function.block(ref)
        if loop.head in block.successors and not dominance.dominates(owner, ref):
            return []
        for target in block.successors:
            if target.ref in loop.blocks:
                continue
            is_made = dominance.dominates(owner, ref)
            if not is_made and not dominance.dominates(ref, owner):
                return []
            if not isinstance(block.terminator, ir.Br | ir.Switch):
                return []
            found.append((block, target, is_made))
    return found if len(found) <= _MOST_EXITS else []


def _walk(loop: Loop, access: Access, counters: dict[str, _Counter]) -> _Walk | None:
    base, offset, terms = _linear(loop, access.pointer)
    counter, step, others = counters.get(base), 0, list[tuple[int, str]]()
    of_counter, cast = 0, ""
    if counter is not None:
        base, step = counter.first, counter.step
    elif not _is_outside(loop, base):
        return None
    for scale, value in terms:
        counted, more, how = _counted(loop, value, counters)
        if counted is not None:
            if counter is not None or how not in counted.casts:
                return None
            counter, step, offset = counted, scale * counted.step, offset + scale * more
            of_counter, cast = scale, how
        elif _is_outside(loop, value) and _is_amount(value):
            others.append((scale, value))
        else:
            return None
    if counter is None or len(others) > _MOST_TERMS:
        return None
    return _Walk(counter, base, offset, tuple(others), step, of_counter, cast)


def _linear(loop: Loop, pointer: str) -> tuple[str, int, list[tuple[int, str]]]:
    """A base, a constant, and scaled indices of 64 bits, of what the loop adds to the base."""
    constant, terms = 0, list[tuple[int, str]]()
    for _ in range(_MOST_STEPS):
        definition = loop.head.function.definition_of(pointer) if pointer.startswith("%") else None
        if not isinstance(definition, ir.GetElementPtr) or _is_outside(loop, pointer):
            break
        offset = definition.offset
        if offset is None or _has_short_index(definition):
            break
        constant += offset.constant
        terms += offset.terms
        pointer = definition.base
    return pointer, constant, terms


def _has_short_index(gep: ir.GetElementPtr) -> bool:
    return any(kind != "i64" for kind, index in gep.indices if index.startswith("%"))


def _counted(loop: Loop, value: str, counters: dict[str, _Counter]) -> tuple[_Counter | None, int, str]:
    """The counter that an index is, but for a constant, and its cast to 64 bits."""
    definition = loop.head.function.definition_of(value) if value.startswith("%") else None
    cast = ""
    if isinstance(definition, ir.Cast) and definition.opcode in ("sext", "zext"):
        cast = "sext" if "nneg" in definition.flags else definition.opcode
        value = definition.operands[0].value
    if value in counters:
        return counters[value], 0, cast
    for counter in counters.values():
        # Of short ones, the value for the next round alone is known not to wrap around.
        if not cast or value in [each for each, _ in counter.phi.incoming]:
            step = _step(counter.phi, value)
            if step:
                return counter, step, cast
    return None, 0, cast


def _is_outside(loop: Loop, value: str) -> bool:
    definition = loop.head.function.definition_of(value) if value.startswith("%") else None
    return not isinstance(definition, ir.Instruction) or definition.owner.ref not in loop.blocks


def _behind(
    function: ir.Function, source: ir.Block, target: ir.Block, splits: dict[tuple[str, str], ir.Block]
) -> ir.Instruction:
    """Where something can be inserted that is executed on the edge only."""
    key = (source.ref, target.ref)
    if key not in splits:
        is_only = {each.ref for each in target.predecessors} == {source.ref}
        splits[key] = target if is_only else function.split_edge(source, target)
    return splits[key].insertion_point


def _insert(place: ir.Instruction, access: Access, walk: _Walk, is_made: bool) -> None:
    """`is_made`: the access is made in the last round, too."""
    where = access.made.debug_suffix

    def put(text: str) -> str:
        return place.insert_before(f"{text}{where}", dbg=False).result or ""

    def wide(value: str) -> str:
        """A value of the counter, of 64 bits."""
        bits = int(counter.phi.type[1:])
        if not walk.cast:
            return value
        if value.startswith("%"):
            return put(f"{walk.cast} {counter.phi.type} {value} to i64")
        return str(int(value) % (1 << bits)) if walk.cast == "zext" else value

    counter, first = walk.counter, walk.base
    begin = wide(counter.first) if walk.scale else "0"
    for scale, value in (*walk.terms, (walk.scale, begin), (1, str(walk.offset))):
        if value.startswith("%") and scale != 1:
            value, scale = put(f"mul i64 {value}, {scale}"), 1
        amount = value if value.startswith("%") else str(int(value) * scale)
        if amount != "0":
            first = put(f"getelementptr i8, ptr {first}, i64 {amount}")
    if counter.phi.type == "ptr":
        ends = [put(f"ptrtoint ptr {value} to i64") for value in (counter.name, counter.first)]
        span = put(f"sub i64 {ends[0]}, {ends[1]}")
    else:
        span = put(f"sub i64 {wide(counter.name)}, {begin}")
        if walk.step != counter.step:
            span = put(f"mul i64 {span}, {walk.step // counter.step}")
    if is_made:
        span = put(f"add i64 {span}, {walk.step}")
    name = helpers.WRITE_STRIDE if access.writes else helpers.READ_STRIDE
    place.function.module.add_declaration(helpers.declaration(name))
    put(f"call void @{name}(ptr {first}, i64 {span}, i64 {walk.step}, i32 {access.size})")
