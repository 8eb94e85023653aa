"""Control flow between a function and its twin: at the points of the function the twin goes on.

The function stores the values that are alive at a point into *slots* in its frame, calls the twin with the
number of the point, and returns what that returns. The twin begins with a branch to its points. A value that
is alive at a point has two definitions in the twin then, the point and its own, so it goes through memory,
the same slots: that is slower than registers, but the twin is seldom executed, and small so. The optimised
function stores on its way to the twin. That of the quick tier stores each value where it is defined: values
are fewer than those alive at each point, so there is less code to make.

Variables of the function are those of the twin: it gets their addresses, once for all points, and computes
what its code derives from them where that is used. Shadows are 0, because the function has seen that the
values are defined, except those of its web (`whence.instrument.definedness.web`).

The cost grows with the number of points times that of the other values alive there. Of variables there may be
thousands, each alive almost everywhere.
"""

from __future__ import annotations

import gc
import os
import re
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from whence import ir
from whence.abi.later import SECTION
from whence.abi.layout import DEFINED_OFFSET, GRANULE, GRANULE_SHIFT
from whence.instrument.definedness import helpers
from whence.instrument.definedness.addresses import PURE
from whence.instrument.definedness.alive import Alive, Slots
from whence.instrument.definedness.names import VALUE, locals_of
from whence.instrument.definedness.points import NEVER
from whence.instrument.definedness.twins import begin_of, header_of
from whence.instrument.markers.planes import named
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import PassError
from whence.instrument.passes.twin import Layout, Twin
from whence.instrument.variables.global_zones import hand_over
from whence.ir.lexer import LOCAL

_POINTS = (helpers.POINT_LOAD, helpers.POINT_IF, helpers.POINT_BYTES)
_AREA, _NUMBER = "%wh.alive", "%wh.point"
_SLOTS = "%wh.slots"
_MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
_ABSENT = "poison"
_FORCE = "WHENCE_FORCE_TWINS"
"""For tests of twins: they must do what their functions do."""
_OUT_OF_LINE = re.compile(rf"( @{helpers.PLANE}\w+\([^()]*\))")
"""Calls that the twin does not inline, because it is seldom executed."""
_LIFETIMES = "llvm.lifetime."
"""What LLVM knows of variables only; the twin has none."""
_AREA_ALIGN = 16
_WEIGHTS = '!{!"branch_weights", i32 1, i32 1048575}'
_PROMISES = (
    "memory",
    "alwaysinline",
    "inlinehint",
    "nofree",
    "nosync",
    "norecurse",
    "willreturn",
    "speculatable",
    "allocsize",
    "allockind",
    "alloc-family",
)
"""Attributes that are not true of a twin, or are about parameters that it does not have."""


def resume_in_twins(context: Context) -> None:
    """Connects the functions that have twins with those (here in the quick tier).

    Before::

        declare void @__whence_values_point_if(i64, i1)
        define i32 @f(i32 %a) {
          call void @__whence_values_point_if(i64 0, i1 true)
          %b = add i32 %a, 1
          ret i32 %b
        }
        define internal i32 @f.whence.twin(i32 %a) {
          call void @__whence_values_point_if(i64 0, i1 false)
          %b = add i32 %a, 1
          ret i32 %b
        }

    After::

        declare void @__whence_values_point_if(i64, i1)
        define i32 @f(i32 %a) {
          %wh.alive = alloca [8 x i8], align 16
          store i32 %a, ptr %wh.alive, align 8
          br i1 true, label %wh.leave, label %wh.go.1, !prof !0
        wh.go.1:
          %b = add i32 %a, 1
          ret i32 %b
        wh.leave:
          %wh.point = phi i64 [ 0, %0 ]
          %wh.result = call i32 @f.whence.twin(i64 %wh.point, ptr %wh.alive)
          ret i32 %wh.result
        }
        define internal i32 @f.whence.twin(i64 %wh.point, ptr %wh.alive) #0 {
        wh.begin:
          switch i64 %wh.point, label %wh.none [ i64 0, label %wh.go.0 ]
        wh.none:
          unreachable
        0:
          br label %wh.go.0
        wh.go.0:
          %wh.s1 = getelementptr i8, ptr %wh.alive, i64 0
          %wh.v1 = load i32, ptr %wh.s1, align 8
          %b = add i32 %wh.v1, 1
          ret i32 %b
        }
        declare void @__whence_use(i64, i64, i64, i64)
        attributes #0 = { cold noinline }
        !0 = !{!"branch_weights", i32 1, i32 1048575}
    """
    weights = context.module.metadata.add(_WEIGHTS) if context.twins else 0
    unlikely = f", !prof !{weights}"
    for twin in context.twins:
        if not twin.twin:
            _Alone(context, twin, unlikely).write()
        elif twin.layout is not None:
            _Late(context, twin, unlikely).write()
        else:
            _Pair(context, twin, unlikely).join()
    if context.later is not None and context.later.functions:
        context.later.write(context.module)
        hand_over(context.module, SECTION, ".later", end=f"{SECTION}_end")
    context.forget_flows()
    if gc.get_count()[0] > _MANY:
        gc.collect()


_MANY = 1_000_000
"""New objects after which the old ones of functions and twins are not left: later passes need the memory."""


class _Function:
    """A function that leaves for its twin at its points.

    later: the operand that is the address of its twin's cell; empty if the twin is there.
    """

    def __init__(self, context: Context, twin: Twin, unlikely: str) -> None:
        self.context = context
        self.unlikely = unlikely
        self.module = context.module
        self.names = twin
        self.fast = self.module.functions[twin.name]
        self.later = ""

    def _place_of(self, ours: str, owner: str | None) -> ir.Instruction | ir.Block | None:
        """Where the function stores a value once: behind an instruction, or at the begin of a block.

        owner: the block in which the twin has the value, None if it is a parameter there. The result is None
        if the twin has the value elsewhere, since it may use the slot for another one here.
        """
        found = self.fast.definition_of(ours)
        if isinstance(found, ir.Parameter):
            return self.fast.entry if owner is None else None
        if found is None or found.owner.ref != owner:
            return None
        if isinstance(found, ir.Invoke):
            normal = self.fast.block(found.normal)
            return normal if len(normal.predecessors) == 1 else None
        return found.owner if found.leads else found

    # The function itself.

    def _write_fast(self, stores: _Stores, variables: dict[str, int], size: int) -> None:
        """The function tests at its points. variables: those that the twin needs, by places in the area."""
        function = self.fast
        lines: list[str] = [f"  {_AREA} = alloca [{max(size, 1)} x i8], align {_AREA_ALIGN}"]
        cold: list[str] = []
        last: dict[str, str] = {}
        body: list[tuple[bool, str]] = []
        nowhere, tests, left = "", 0, list[tuple[int, str]]()
        reached = set[int]()
        if function.dbg is not None:
            nowhere = f", !dbg !{self.module.metadata.add(f'!DILocation(line: 0, scope: !{function.dbg})')}"
        begin = begin_of(function)
        for block in function.blocks:
            ref = block.ref
            body.append((False, block.header or f"{ref[1:]}:"))
            waiting = [*stores.behind.get(block, ())]
            for item in block.items:
                if waiting and isinstance(item, ir.Instruction) and not (item.leads or item in begin):
                    body += [(False, text) for text in stores.texts(waiting)]
                    waiting = []
                number = _point_number(item) if isinstance(item, ir.Instruction) else None
                if number is None or not isinstance(item, ir.Call):
                    body.append((isinstance(item, ir.Phi), item.text))
                    if isinstance(item, ir.Instruction) and item in stores.behind:
                        waiting += stores.behind[item]
                    continue
                if self.later and _is_mark(item):
                    continue
                tests += 1
                onward, leave = f"wh.go.{tests}", "wh.leave"
                if number in stores.at:
                    leave = f"wh.leave.{number}"
                    if number not in reached:
                        reached.add(number)
                        cold += [f"{leave}:", *stores.texts(stores.at[number]), "  br label %wh.leave"]
                        left.append((number, f"%{leave}"))
                forced = _is_forced(self.fast.name, number)
                body += [(False, text) for text in self._test(item, tests, leave, forced)]
                if self.later or (item.callee != helpers.POINT_IF and not forced):
                    ref = f"%wh.{'find' if self._is_sought(item) else 'look'}.{tests}"
                    cold += self._look(item, tests, leave, item.debug_suffix or nowhere, forced)
                if number not in stores.at:
                    left.append((number, ref))
                body.append((False, f"{onward}:"))
                ref = f"%{onward}"
            last[block.ref] = ref
        if left:
            cold += self._go_on(left, variables, nowhere)
        entry = function.blocks[0]
        sources = _Sources(last)
        texts = [sources.changed(text, "") if is_phi else text for is_phi, text in body]
        if entry.header is None:
            texts = texts[1:]
            function.set_body([*lines, *texts, *cold])
        else:
            function.set_body([texts[0], *lines, *texts[1:], *cold])

    def _test(self, item: ir.Call, test: int, leave: str, forced: bool) -> Iterator[str]:
        """A test without a line is part of what is around it."""
        onward, debug = f"wh.go.{test}", item.debug_suffix
        if self.later and (forced or item.callee == helpers.POINT_IF):
            leave = f"wh.look.{test}"
        if forced:
            # Where LLVM sees that the code behind is never reached, the addresses of its blocks are lost.
            yield f"  %wh.f{test} = load volatile i64, ptr {_AREA}, align {GRANULE}"
            yield f"  %wh.g{test} = icmp ne i64 %wh.f{test}, {1 << 40 | test}"
            yield f"  br i1 %wh.g{test}, label %{leave}, label %{onward}{debug}"
            return
        if item.callee == helpers.POINT_IF:
            branch = f"br i1 {item.arguments[1].value}, label %{leave}, label %{onward}"
            yield f"  {branch}{self.unlikely}{debug}"
            return
        of, states, covers = f"%wh.p{test}", 0, True
        yield f"  {of}.a = ptrtoint ptr {item.arguments[1].value} to i64"
        size = int(item.arguments[2].value)
        if item.callee == helpers.POINT_BYTES:
            type_, states = helpers.states_of(size)
        else:
            align = int(item.arguments[3].value)
            type_, covers = _plane_type(size, align)
            if helpers.place_of(min(size, GRANULE), align) is helpers.Place.BEGIN:
                states = (1 << size) - 1
        if not covers:
            yield f"  br label %wh.look.{test}{debug}"
            return
        yield f"  {of}.g = lshr i64 {of}.a, {GRANULE_SHIFT}"
        yield f"  {of}.s = add i64 {of}.g, {DEFINED_OFFSET}"
        yield f"  {of}.p = inttoptr i64 {of}.s to ptr"
        yield f"  {of}.b = load {type_}, ptr {of}.p, align 1"
        tested = f"{of}.b"
        if states:
            tested = f"{of}.t"
            yield f"  {tested} = and {type_} {of}.b, {states}"
        yield f"  {of}.c = icmp ne {type_} {tested}, 0"
        yield f"  br i1 {of}.c, label %wh.look.{test}, label %{onward}{self.unlikely}{debug}"

    def _is_sought(self, item: ir.Call) -> bool:
        """Whether a point looks for the bytes that are loaded in their granule. The quick tier has a function
        look at once."""
        if self.context.policy.quick or item.callee == helpers.POINT_BYTES:
            return False
        size = int(item.arguments[2].value)
        return size < GRANULE and int(item.arguments[3].value) >= size

    def _look(self, item: ir.Call, test: int, leave: str, debug: str, forced: bool) -> Iterator[str]:
        """Whether the bits that are loaded are undefined."""
        of, onward = f"%wh.p{test}", f"wh.go.{test}"
        yield f"wh.look.{test}:"
        if self.later and (forced or item.callee == helpers.POINT_IF):
            self.module.add_declaration(helpers.declaration(helpers.LATER))
            yield f"  {of}.n = call preserve_mostcc i64 @{helpers.LATER}({self.later}){debug}"
            yield f"  {of}.d = icmp eq i64 {of}.n, 0"
            yield f"  br i1 {of}.d, label %{onward}, label %{leave}{debug}"
            return
        size = int(item.arguments[2].value)
        joined = item.callee == helpers.POINT_BYTES
        which = 2 if joined else int(size == 1)
        ask, cell = (helpers.SLOW_ANY, helpers.SLOW_BYTE, helpers.SLOW_BYTES)[which], ""
        if self.later:
            ask = (helpers.LATER_ANY, helpers.LATER_BYTE, helpers.LATER_BYTES)[which]
            cell = f", {self.later}"
        self.module.add_declaration(helpers.declaration(ask))
        if self._is_sought(item):
            yield from (f"  {line}" for line in named(f"{of}.b", f"{of}.a", size, f"{of}."))
            yield f"  br i1 {of}.named, label %wh.find.{test}, label %{onward}{debug}"
            yield f"wh.find.{test}:"
        yield f"  {of}.n = call preserve_mostcc i64 @{ask}(i64 {of}.a, i64 {size}{cell}){debug}"
        yield f"  {of}.d = icmp eq i64 {of}.n, 0"
        yield f"  br i1 {of}.d, label %{onward}, label %{leave}{debug}"

    def _go_on(self, left: list[tuple[int, str]], variables: dict[str, int], debug: str) -> Iterator[str]:
        """The twin goes on, at one of the points. A stack has its frame in place of the function's.

        left: the points, and the blocks in which control comes from them.
        """
        result = self.fast.return_type
        promises = "".join(each + " " for each in self.fast.return_attributes)
        sources = ", ".join(f"[ {number}, {block} ]" for number, block in left)
        yield "wh.leave:"
        yield f"  {_NUMBER} = phi i64 {sources}"
        for at, (name, offset) in enumerate(variables.items()):
            yield from _stored("ptr", name, offset, f"%wh.l.{at}")
        twin = f"@{ir.quote(self.names.twin)}"
        if self.later:
            twin = "%wh.twin"
            yield f"  {twin} = load ptr, {self.later}, align {GRANULE}"
        call = f"call {promises}{result} {twin}(i64 {_NUMBER}, ptr {_AREA}){debug}"
        if result == "void":
            yield f"  {call}"
            yield f"  ret void{debug}"
        else:
            yield f"  %wh.result = {call}"
            yield f"  ret {result} %wh.result{debug}"


class _Transfers(_Function):
    """A function and its twin: how the twin gets the values that are alive at points."""

    def __init__(self, context: Context, twin: Twin, unlikely: str) -> None:
        super().__init__(context, twin, unlikely)
        self.slow = self.module.functions[twin.twin]
        self._drop_unreached()
        self.alive = Alive(self.slow, _point_number, [each.result or "" for each in _variables(self.slow)])
        self.nowhere: int | None = None
        if self.slow.dbg is not None:
            self.nowhere = self.module.metadata.add(f"!DILocation(line: 0, scope: !{self.slow.dbg})")

    def _numbers(self) -> Collection[int | None]:
        """The points that the function has."""
        return {_point_number(each) for each in self.fast.instructions()}

    def _drop_unreached(self) -> None:
        """The twin need not go on at points that the function does not have."""
        numbers = self._numbers()
        for each in list(self.slow.instructions()):
            number = _point_number(each)
            if number is not None and number not in numbers:
                each.remove()

    def _transfer(self, number: int, names: list[str]) -> _Transfer:
        """How the twin gets the values that are alive at a point."""
        transfer = _Transfer()
        for name in names:
            self._add(number, name, transfer)
        return transfer

    def _passed(self, number: int, name: str) -> str | None:
        """The function's name for a value that it passes."""
        return self.names.passed.get(name, name if name in self.names.known else None)

    def _add(self, number: int, name: str, transfer: _Transfer) -> None:
        if name in transfer.given or name in transfer.computed or name in transfer.empty:
            return
        if name in self.alive.addresses:
            return
        ours = self._passed(number, name)
        if ours is None and name in self.names.shadows:
            transfer.empty.add(name)
            return
        if ours is not None:
            transfer.given[name] = (ours, self.alive.type_of(name))
            return
        definition = self.alive.definitions[name]
        if definition.opcode not in PURE:
            raise PassError(
                f"{self.context.name}: {self.slow.ref} cannot take over {definition.text.strip()}"
            )
        for operand in locals_of(definition.text):
            if operand != name and self.alive.is_value(operand):
                self._add(number, operand, transfer)
        transfer.computed[name] = definition.text


class _Pair(_Transfers):
    """A function and the twin that is made with it."""

    def join(self) -> None:
        alive = self.alive.at_points
        ours = _variables(self.fast)
        theirs = _variables(self.slow)
        if len(ours) != len(theirs):
            raise PassError(f"{self.context.name}: {self.fast.ref} and its twin have different variables")
        places = {their.result or "": our.result or "" for our, their in zip(ours, theirs, strict=True)}
        transfers = {number: self._transfer(number, names) for number, names in alive.items()}
        kept = self._slots(transfers)
        stores = self._stores(transfers, kept)
        twin = _TwinText(self, transfers, alive, kept)
        twin.write()
        variables = {places[name]: offset for name, offset in twin.offsets.items()}
        self._write_fast(stores, variables, GRANULE * (kept.words + len(variables)))

    def _slots(self, transfers: dict[int, _Transfer]) -> Slots:
        demoted = {name for names in self.alive.at_points.values() for name in names}
        passed, elsewhere = set[str](), set[str]()
        for number, transfer in transfers.items():
            passed.update(transfer.given)
            elsewhere.update(transfer.given.keys() - self.alive.at_points[number])
        return self.alive.slots(demoted | passed, self.names.shadows - passed, elsewhere)

    def _stores(self, transfers: dict[int, _Transfer], kept: Slots) -> _Stores:
        """Where the function stores what it passes."""
        stores = _Stores()
        places: dict[str, ir.Instruction | ir.Block | None] = {}
        for number, transfer in transfers.items():
            for name, (ours, type_) in transfer.given.items():
                if name not in places:
                    places[name] = self._place(ours, name) if self.context.policy.quick else None
                    if (place := places[name]) is not None:
                        stores.behind.setdefault(place, []).append(_Store(type_, ours, kept.of[name]))
                if places[name] is None:
                    stores.at.setdefault(number, []).append(_Store(type_, ours, kept.of[name]))
        return stores

    def _place(self, ours: str, theirs: str) -> ir.Instruction | ir.Block | None:
        definition = self.alive.definitions.get(theirs)
        return self._place_of(ours, None if definition is None else definition.owner.ref)


class _Alone(_Function):
    """A function whose twin is made later, of the `Layout` that this leaves.

    What the twin needs behind a point is what the function uses there, the bits and origins that it has of
    that, and the target of a call whose result comes in.
    """

    def write(self) -> None:
        later = self.context.later
        assert later is not None
        self.later = later.cell(self.names.number)
        variables = [each.result or "" for each in _variables(self.fast)]
        alive = Alive(self.fast, _point_number, variables)
        known, web, addresses = self.names.known, self.names.web, alive.addresses
        reached = {_point_number(each) for each in self.fast.instructions() if not _is_mark(each)}
        points = {
            number: sorted(({*names} & known) | self.names.kept.get(number, set()))
            for number, names in alive.at_points.items()
            if number in reached
        }
        passed = {name for names in points.values() for name in names if name not in addresses}
        kept = {name for names in self.names.kept.values() for name in names} & passed
        slots = alive.slots(passed, set(), kept)
        words = slots.words
        shadows = dict[str, tuple[int, int]]()
        for name in sorted(passed & web.keys()):
            size = alive.words_of_type(web[name][2])
            shadows[name] = words, words + size
            words += size + 1
        stores = self._stores(points, slots, shadows, alive)
        places = {name: GRANULE * (words + at) for at, name in enumerate(variables)}
        blocks = len(self.fast.blocks)
        zoned, apart = (
            tuple(sorted(each.get(self.names.name, ()))) for each in (self.context.zoned, self.context.apart)
        )
        later.layouts[self.names.name] = Layout(
            slots.of,
            {name: alive.span(name) for name in slots.of},
            shadows,
            {number: tuple(each for each in names if each in slots.of) for number, names in points.items()},
            words,
            len(variables),
            blocks,
            zoned,
            apart,
        )
        self._write_fast(stores, places, GRANULE * (words + len(variables)))

    def _stores(
        self,
        points: dict[int, list[str]],
        slots: Slots,
        shadows: dict[str, tuple[int, int]],
        alive: Alive,
    ) -> _Stores:
        stores, seen = _Stores(), set[tuple[str, int]]()
        for number, names in points.items():
            for name in names:
                if name not in slots.of:
                    continue
                passed = [(name, alive.type_of(name), slots.of[name])]
                if name in shadows:
                    bits, origin, type_ = self.names.web[name]
                    passed += zip((bits, origin), (type_, "i64"), shadows[name], strict=True)
                for ours, type_, slot in passed:
                    place = self._once(ours)
                    if place is None:
                        stores.at.setdefault(number, []).append(_Store(type_, ours, slot))
                    elif (ours, slot) not in seen:
                        seen.add((ours, slot))
                        stores.behind.setdefault(place, []).append(_Store(type_, ours, slot))
        return stores

    def _once(self, ours: str) -> ir.Instruction | ir.Block | None:
        found = self.fast.definition_of(ours)
        if found is None or isinstance(found, ir.Parameter):
            return self.fast.entry
        return self._place_of(ours, found.owner.ref)


class _Late(_Transfers):
    """A twin that is made later than its function."""

    def __init__(self, context: Context, twin: Twin, unlikely: str) -> None:
        super().__init__(context, twin, unlikely)
        assert twin.layout is not None
        self.layout = twin.layout

    def write(self) -> None:
        layout, alive = self.layout, self.alive.at_points
        if len(_variables(self.slow)) != layout.variables or len(self.slow.blocks) != layout.blocks:
            raise PassError(f"{self.context.name}: {self.slow.ref} is another one than that of its function")
        transfers = {number: self._transfer(number, names) for number, names in alive.items()}
        demoted = {name for names in alive.values() for name in names}
        given = {name for transfer in transfers.values() for name in transfer.given}
        of = dict[str, int]()
        for name in demoted | given:
            if name in self.names.taken:
                of[name] = self.names.taken[name]
            elif name in layout.slots and self.alive.is_within(name, layout.spans[name]):
                of[name] = layout.slots[name]
        others = (demoted | given) - of.keys()
        own = self.alive.slots(others, others, set())
        kept = Slots(own.empty, own.zeroed, of, layout.words)
        variables = [each.result or "" for each in _variables(self.slow)]
        places = {name: GRANULE * (layout.words + at) for at, name in enumerate(variables)}
        _TwinText(self, transfers, alive, kept, places, layout).write()

    def _numbers(self) -> Collection[int | None]:
        assert self.names.layout is not None
        return self.names.layout.points.keys()

    def _passed(self, number: int, name: str) -> str | None:
        if name in self.names.taken:
            return name
        return name if name in self.layout.points.get(number, ()) else None


def _stored(type_: str, value: str, offset: int, place: str) -> Iterator[str]:
    """A store into the area; `place`: a name for the address, if it needs one."""
    if not offset:
        place = _AREA
    else:
        yield f"  {place} = getelementptr i8, ptr {_AREA}, i64 {offset}"
    yield f"  store {type_} {value}, ptr {place}, align {GRANULE}"


class _Store(NamedTuple):
    """What a function stores into a slot: a type, and its name for the value."""

    type: str
    value: str
    slot: int


@dataclass
class _Stores:
    """Where a function stores what it passes.

    behind: what is stored behind an instruction, or at the begin of a block. at: what is stored on the way
    from a point to the twin.
    """

    behind: dict[ir.Instruction | ir.Block, list[_Store]] = field(default_factory=dict)
    at: dict[int, list[_Store]] = field(default_factory=dict)
    count: int = 0

    def texts(self, stores: list[_Store]) -> Iterator[str]:
        for type_, value, slot in stores:
            self.count += 1
            yield from _stored(type_, value, GRANULE * slot, f"%wh.l{self.count}")


@dataclass
class _Transfer:
    """What happens to the values that are alive at a point.

    given: the function passes them: its name for the value, and the type. computed: the twin computes them.
    empty: they are 0.
    """

    given: dict[str, tuple[str, str]] = field(default_factory=dict)
    computed: dict[str, str] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)


class _TwinText:
    """Writes the twin: values that are alive at points go through slots.

    Those of shadows that no point passes are in the twin's own frame. Behind the others, the area has the
    variables, of which `offsets` has those that were used.
    """

    def __init__(
        self,
        pair: _Transfers,
        transfers: dict[int, _Transfer],
        alive: dict[int, list[str]],
        kept: Slots,
        places: dict[str, int] | None = None,
        layout: Layout | None = None,
    ) -> None:
        self.pair = pair
        self.layout = layout
        self.function = pair.slow
        self.transfers = transfers
        self.alive = alive
        self.demoted = {name for names in alive.values() for name in names}
        self.addresses = pair.alive.addresses
        self.offsets: dict[str, int] = dict(places or {})
        self.kept = kept
        parameters = {each.name or "" for each in pair.slow.parameters}
        self.absent = parameters - self.demoted
        """Parameters that only code in front of all points uses, which is never reached."""
        self.asks = pair.context.policy.quick
        """Whether the runtime is asked about each use, which is less code than a test."""
        self.lines: list[str] = []
        self.held: dict[str, str] = {}
        self.count = 0

    def write(self) -> None:
        function = self.function
        blocks = function.blocks
        wanted: dict[str, dict[str, str]] = {block.ref: {} for block in blocks}
        for block in blocks:
            for phi in block.phis:
                for value, source in phi.incoming:
                    if self._is_moved(value):
                        wanted[source][value] = value
                    elif value in self.absent:
                        wanted[source][value] = _ABSENT
        texts: list[tuple[str | None, str]] = []
        last: dict[str, str] = {}
        edges: dict[tuple[str, str], str] = {}
        tail: list[str] = []
        for block in blocks:
            self.lines, self.held = [], {}
            ref = block.ref
            self.lines.append(block.header or f"{ref[1:]}:")
            items = [each for each in block.items if isinstance(each, ir.Instruction)]
            leading = [each for each in items if each.leads]
            phis = sum(isinstance(each, ir.Phi) for each in leading)
            for each in leading:
                self.lines.append(each.text)
                if each.result in self.demoted:
                    self.held[each.result or ""] = each.result or ""
            for each in leading:
                self._keep(each.result)
            for each in items[len(leading) :]:
                number = _point_number(each)
                if number is not None:
                    onward = f"wh.go.{number}"
                    self.lines += [f"  br label %{onward}{each.debug_suffix}", f"{onward}:"]
                    ref, self.held = f"%{onward}", {}
                    continue
                if each.is_terminator:
                    for value in wanted[block.ref]:
                        if self._is_moved(value) and value != each.result:
                            wanted[block.ref][value] = self._value(value)
                    if isinstance(each, ir.IndirectBr):
                        self._compare(each, block.ref, edges)
                        continue
                    text = self._changed(each)
                    if isinstance(each, ir.Invoke) and each.result in self.demoted:
                        text = self._behind(each, text, block.ref, edges, tail)
                    self.lines.append(text)
                elif isinstance(each, ir.Call) and (each.callee or "").startswith(_LIFETIMES):
                    continue
                else:
                    self.lines.append(self._changed(each))
                    if self._is_moved(each.result):
                        self.held[each.result or ""] = each.result or ""
                        self._keep(each.result)
            last[block.ref] = ref
            texts += [(block.ref if 0 < at <= phis else None, line) for at, line in enumerate(self.lines)]
        sources = _Sources(last, edges, wanted)
        body = [text if ref is None else sources.changed(text, ref) for ref, text in texts]
        self._replace([*self._dispatch(), *body, *tail])

    def _slot(self, name: str, lines: list[str]) -> str:
        """A pointer to the slot of a value."""
        self.count += 1
        place = f"%wh.s{self.count}"
        own = self.kept.empty.get(name)
        base, word = (_AREA, self.kept.of[name]) if own is None else (_SLOTS, own)
        lines.append(f"  {place} = getelementptr i8, ptr {base}, i64 {GRANULE * word}")
        return place

    def _is_moved(self, name: str | None) -> bool:
        """Whether a value is not in a register wherever it is used."""
        return name in self.demoted or name in self.addresses

    def _value(self, name: str) -> str:
        """The name of a moved value here."""
        found = self.held.get(name)
        if found is None:
            found = self.held[name] = self._made(name, self.lines, self.held)
        return found

    def _made(self, name: str, lines: list[str], held: dict[str, str]) -> str:
        """Loads a value, or computes an address; `held` are the values that are there."""
        if name not in self.addresses:
            return self._loaded(name, lines)
        for each in self.addresses.operands[name]:
            if each not in held:
                held[each] = self._made(each, lines, held)
        self.count += 1
        made = f"%wh.v{self.count}"
        if self.addresses.operands[name]:
            text = self.pair.alive.definitions[name].text.partition(" = ")[2]
            body = VALUE.sub(lambda match: held.get(match[1] or "", match[0]), text)
            lines.append(f"  {made} = {body}")
        else:
            offset = self.offsets.setdefault(name, GRANULE * (self.kept.words + len(self.offsets)))
            place = f"%wh.s{self.count}"
            lines.append(f"  {place} = getelementptr i8, ptr {_AREA}, i64 {offset}")
            lines.append(f"  {made} = load ptr, ptr {place}, align {GRANULE}")
        return made

    def _loaded(self, name: str, lines: list[str]) -> str:
        place = self._slot(name, lines)
        found = f"%wh.v{self.count}"
        lines.append(f"  {found} = load {self.pair.alive.type_of(name)}, ptr {place}, align {GRANULE}")
        return found

    def _keep(self, name: str | None) -> None:
        if name is not None and name in self.demoted:
            self._store(name, name, self.lines)

    def _store(self, name: str, value: str, lines: list[str]) -> None:
        place = self._slot(name, lines)
        lines.append(f"  store {self.pair.alive.type_of(name)} {value}, ptr {place}, align {GRANULE}")

    def _changed(self, instruction: ir.Instruction) -> str:
        """The text with the values that are there."""

        def value(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.absent:
                return _ABSENT
            if name is None or not self._is_moved(name) or name == instruction.result:
                return match[0]
            return self._value(name)

        text = VALUE.sub(value, instruction.text)
        if helpers.PLANE in text:
            return _OUT_OF_LINE.sub(r"\1 noinline", text)
        return text.replace(f"@{helpers.USE}(", f"@{helpers.ASK_USE}(", 1) if self.asks else text

    def _compare(self, branch: ir.IndirectBr, source: str, edges: dict[tuple[str, str], str]) -> None:
        """A branch to an address, which is that of a block of the function."""
        address, *labels = branch.operands
        value = VALUE.sub(
            lambda match: self._value(match[1]) if self._is_moved(match[1]) else match[0], address.value
        )
        for label in dict.fromkeys(each.value for each in labels):
            self.count += 1
            test, here, following = f"%wh.q{self.count}", f"wh.i{self.count}", f"wh.j{self.count}"
            known = f"blockaddress({self.pair.fast.ref}, {label})"
            edges[source, label] = f"%{here}"
            self.lines += [
                f"  {test} = icmp eq ptr {value}, {known}",
                f"  br i1 {test}, label %{here}, label %{following}{branch.debug_suffix}",
                f"{here}:",
                f"  br label {label}{branch.debug_suffix}",
                f"{following}:",
            ]
        self.lines.append("  unreachable")

    def _behind(
        self, invoke: ir.Invoke, text: str, source: str, edges: dict[tuple[str, str], str], tail: list[str]
    ) -> str:
        """Keeps the result of an invoke on the way to where it returns."""
        self.count += 1
        label, name = f"wh.e{self.count}", invoke.result or ""
        edges[source, invoke.normal] = f"%{label}"
        tail.append(f"{label}:")
        self._store(name, name, tail)
        tail.append(f"  br label {invoke.normal}{invoke.debug_suffix}")
        head, to, rest = text.rpartition(f"label {invoke.normal} unwind")
        return (
            f"{head}label %{label} unwind{rest}"
            if to
            else text.replace(f"to label {invoke.normal}", f"to label %{label}", 1)
        )

    def _dispatch(self) -> Iterator[str]:
        """The begin: slots of shadows are 0, others have what the function has passed."""
        debug = f", !dbg !{self.pair.nowhere}" if self.pair.nowhere is not None else ""
        if self.asks:
            self.function.module.add_declaration(helpers.declaration(helpers.ASK_USE))
        yield "wh.begin:"
        if self.kept.zeroed:
            self.function.module.add_declaration(_MEMSET)
            size = GRANULE * self.kept.zeroed
            yield f"  {_SLOTS} = alloca [{size} x i8], align {_AREA_ALIGN}"
            zeroed = f"ptr align {_AREA_ALIGN} {_SLOTS}, i8 0, i64 {size}, i1 false"
            yield f"  call void @llvm.memset.p0.i64({zeroed}){debug}"
        ways = {number: self._arrive(number) for number in sorted(self.alive)}
        labels = {number: f"wh.at.{number}" if lines else f"wh.go.{number}" for number, lines in ways.items()}
        cases = " ".join(f"i64 {number}, label %{label}" for number, label in labels.items())
        yield f"  switch i64 {_NUMBER}, label %wh.none [ {cases} ]"
        yield "wh.none:"
        yield "  unreachable"
        for number, lines in ways.items():
            if lines:
                yield f"wh.at.{number}:"
                yield from lines
                yield f"  br label %wh.go.{number}"

    def _arrive(self, number: int) -> list[str]:
        """The code that computes what the point does not pass."""
        transfer = self.transfers[number]
        lines: list[str] = []
        names: dict[str, str] = {}

        def value(match: re.Match[str]) -> str:
            name = match[1]
            if name is None or not (name in self.kept or name in self.addresses):
                return names.get(name or "", match[0])
            if name not in names:
                names[name] = self._made(name, lines, names)
            return names[name]

        if self.layout is not None:
            for name, (_, type_) in transfer.given.items():
                if name in self.kept.empty:
                    self._take(name, type_, lines)
        for name, text in transfer.computed.items():
            body = VALUE.sub(value, text.partition(" = ")[2])
            self.count += 1
            names[name] = f"%wh.v{self.count}"
            lines.append(f"  {names[name]} = {body}")
            if name in self.demoted:
                self._store(name, names[name], lines)
        return lines

    def _take(self, name: str, type_: str, lines: list[str]) -> None:
        """Takes over a value for a slot of the twin's own."""
        assert self.layout is not None
        self.count += 1
        place, found = f"%wh.s{self.count}", f"%wh.v{self.count}"
        lines.append(f"  {place} = getelementptr i8, ptr {_AREA}, i64 {GRANULE * self.layout.slots[name]}")
        lines.append(f"  {found} = load {type_}, ptr {place}, align {GRANULE}")
        self._store(name, found, lines)

    def _replace(self, body: list[str]) -> None:
        """Makes the twin a function of its own signature."""
        function = self.function
        groups = [each for each in function.attributes if not each.startswith(_PROMISES)]
        function.attributes = dict.fromkeys([*groups, "noinline", "cold"])
        function.header_text = header_of(function, self.pair.fast, f"i64 {_NUMBER}, ptr {_AREA}")
        function.set_body(body)


def _is_forced(function: str, number: int) -> bool:
    """Whether the twin always goes on at a point; `_FORCE` is the share of such points in percent."""
    share = os.environ.get(_FORCE)
    return share is not None and zlib.crc32(f"{function} {number}".encode()) % 100 < int(share)


def _variables(function: ir.Function) -> list[ir.Alloca]:
    return [each for each in function.entry if isinstance(each, ir.Alloca)]


def _point_number(instruction: ir.Instruction) -> int | None:
    if isinstance(instruction, ir.Call) and instruction.callee in _POINTS:
        return int(instruction.arguments[0].value)
    return None


def _is_mark(instruction: ir.Instruction) -> bool:
    """Whether it is a point that is there for its place alone."""
    return (
        isinstance(instruction, ir.Call)
        and instruction.callee == helpers.POINT_IF
        and instruction.arguments[1].value == NEVER.split()[1]
    )


def _plane_type(size: int, align: int) -> tuple[str, bool]:
    """The type of the state bytes to look at for an access, and whether they cover it."""
    most = size if align % GRANULE == 0 or (align >= size and size <= GRANULE) else size + GRANULE - 1
    granules = max((most + GRANULE - 1) // GRANULE, 1)
    width = 1 << (granules - 1).bit_length()
    return f"i{8 * width}", width <= GRANULE


_INCOMING = re.compile(rf"\[ (.*?), ({LOCAL}) \]")


@dataclass(frozen=True)
class _Sources:
    """What has become of the blocks that phi nodes name.

    last: the last piece of each block. edges: blocks on edges. values: values at the ends of blocks.
    """

    last: dict[str, str]
    edges: dict[tuple[str, str], str] = field(default_factory=dict)
    values: dict[str, dict[str, str]] = field(default_factory=dict)

    def changed(self, text: str, block: str) -> str:
        """The text of a phi node of a block."""

        def incoming(match: re.Match[str]) -> str:
            value, source = match[1], match[2]
            value = self.values.get(source, {}).get(value, value)
            return f"[ {value}, {self.edges.get((source, block)) or self.last.get(source, source)} ]"

        return _INCOMING.sub(incoming, text)
