"""Origins of values, followed through registers, variables, memory and calls.

This happens to the IR as the front end wrote it: each assignment is a store there, whose place and names
debug information knows. The origin of a variable that only this function accesses is a variable beside it,
which LLVM promotes with it; all other memory has cells (`whence.abi.origins`). Only integers of 32 and 64
bits and pointers are followed through memory.
"""

from __future__ import annotations

from whence import ir
from whence.abi import library
from whence.abi.hops import HopKind
from whence.abi.origins import AWAY, MOST_ARGUMENTS
from whence.instrument.markers.declarations import PREFIX as CHECK
from whence.instrument.naming import bits
from whence.instrument.naming.bits import is_word
from whence.instrument.naming.described import Described
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import CELLED, DOMAIN, IN_MEMORY, after
from whence.instrument.origins.library import FREES
from whence.instrument.origins.nodes import Nodes
from whence.instrument.origins.sites import Sites
from whence.instrument.origins.variables import BEGIN, lifetimes
from whence.instrument.passes.context import Context
from whence.instrument.shadow.calls import first_of

_LEAVES = library.having("leaves")
"""Functions that leave the one that calls them, unless they return to it."""
_LIFETIMES = "llvm.lifetime."
_UNUSUAL = ("byval", "sret", "nest")
"""Attributes of arguments that have no node."""


def follow_origins(context: Context) -> None:
    """Follows where values come from.

    Before::

        @g = global ptr null
        define void @f(ptr %p) {
          store ptr %p, ptr @g, align 8
          ret void
        }

    After::

        @g = global ptr null
        define void @f(ptr %p) {
          %wh.0 = call i32 @__whence_origin_parameter_p(ptr @f, ptr @whence.sites, i64 0, ptr %p)
          %wh.1 = call i32 @__whence_origin_step(ptr getelementptr (i8, ptr @whence.sites, i64 32), i32 %wh.0)
          store ptr %p, ptr @g, align 8
          call void @__whence_origin_store_p(ptr @g, ptr %p, i32 %wh.1)
          ret void
        }
        declare i32 @__whence_origin_parameter_p(ptr, ptr, i64, ptr) nounwind willreturn memory(inaccessiblemem: read)
        declare i32 @__whence_origin_step(ptr, i32) nounwind willreturn memory(none)
        declare void @__whence_origin_store_p(ptr captures(address), ptr, i32) nounwind willreturn memory(inaccessiblemem: readwrite)
        @whence.site_texts = private unnamed_addr constant [38 x i8] c"parameter\\090\\090\\09\\09\\00f\\09\\00stored away\\090\\090\\09g\\09\\00", align 1
        @whence.sites = internal global [2 x { i64, i64, ptr, ptr }] [{ i64, i64, ptr, ptr } { i64 -4294967296, i64 0, ptr @whence.site_texts, ptr getelementptr (i8, ptr @whence.site_texts, i64 16) }, { i64, i64, ptr, ptr } { i64 -4294967296, i64 0, ptr getelementptr (i8, ptr @whence.site_texts, i64 19), ptr getelementptr (i8, ptr @whence.site_texts, i64 16) }], section "whence_origin_sites", align 8
    """  # noqa: E501
    sites, types = Sites(context.module), Described(context.module)
    for function in list(context.functions()):
        _Follower(function, sites, types, context.policy).run()
    sites.add_table()


class _Follower(Nodes):
    """The walk through one function: what it asks nodes for, and where they go."""

    def run(self) -> None:
        self.results.split_stores()
        super().run()

    def begin(self, instructions: list[ir.Instruction]) -> None:
        self.used = {operand.value for each in instructions for operand in each.operands}
        self._shadow_variables(instructions)
        self.variables.begin(instructions, self.deaths.cleared)
        self.lists.begin(instructions)
        self.indexes.begin(instructions, self.scalars)
        self.numbers.begin(instructions, self.scalars)
        self.results.find(instructions, self.scalars, self.beside)

    def followed(self, instructions: list[ir.Instruction]) -> set[str]:
        """None: a node is made where the value is once something asks for it (`Nodes`)."""
        return set()

    def use(self, made: ir.Instruction) -> None:
        self.operands.of(made)
        self.indexes.leaving(made)
        if self.uses is not None:
            self.uses.of(made)

    # Variables.

    def _shadow_variables(self, instructions: list[ir.Instruction]) -> None:
        """Gives each scalar variable that only loads and stores access a variable for its node."""
        scalars = {
            each.result: each
            for each in self.function.entry
            if isinstance(each, ir.Alloca) and each.count in (None, "1") and is_word(str(each.allocated_type))
        }
        for each in instructions:
            for operand in each.operands:
                variable = scalars.get(operand.value)
                if variable is not None and not _is_plain_use(each, variable):
                    del scalars[operand.value]
        self.scalars = frozenset(name or "" for name in scalars)
        for name, variable in scalars.items():
            if not self.apart and str(variable.allocated_type) in CELLED:
                continue
            made = self.function.add_alloca("i32", 4)
            self.beside[name or ""] = made.result or ""
        first = first_of(self.function)
        begun = lifetimes(instructions, BEGIN)
        for name, shadow in self.beside.items():
            places = [*filter(None, (after(call) for call in begun.get(name, ())))]
            self._begin(scalars[name], shadow, places or [first])
            if places:
                first.insert_before(f"store i32 0, ptr {shadow}, align 4", dbg=False)
        for held in self.deaths.find_variables():
            first.insert_before(f"store ptr null, ptr {held}, align 8", dbg=False)

    def _begin(self, variable: ir.Alloca, shadow: str, places: list[ir.Instruction]) -> None:
        """A variable has no value until something is stored to it, in each of its lives.

        Between them it has no node, lest those of all variables live where their scopes meet.
        """
        name, node = self.names.variable(variable), "0"
        if name:
            site = self.sites.site(places[0], HopKind.UNDEFINED, name, line=self.names.declared(variable))
            node = self._step(places[0], site)
        for place in places:
            place.insert_before(f"store i32 {node}, ptr {shadow}, align 4", dbg=False)

    # Memory.

    def load(self, made: ir.Load) -> None:
        self._use(made)

    def store(self, made: ir.Store) -> None:
        self._use(made)
        self._store(made)

    def exchange(self, made: ir.AtomicRMW | ir.CmpXchg) -> None:
        self._use(made)

    def allocate(self, made: ir.Alloca) -> None:
        self.sizes.of_variable(made)

    def copy(self, made: ir.Call, to: ir.Argument, source: ir.Argument, size: ir.Argument) -> None:
        self.copies.copy(made, to, source, size)

    def fill(self, made: ir.Call, to: ir.Argument, byte: ir.Argument, size: ir.Argument) -> None:
        self.copies.fill(made, to, byte, size)

    def _use(self, access: ir.MemoryAccess) -> None:
        """The pointer of an access, and the index by which it was computed, may be asked for."""
        if access.pointer in self.scalars:
            return
        root, index = self._root(access.pointer)
        made = self.function.definition_of(root)
        if index is None and (isinstance(made, ir.Alloca) or not root.startswith("%")):
            return
        place = _before_checks(access)
        node = self._node(root, "ptr", place)
        if index is None and self.indexes.use_of_variable(place, access.pointer, node, made):
            return
        if index is None or not is_word(index[1]):
            self._emit(place, helpers.USE, "void", f"ptr {access.pointer}, i32 {node}")
        else:
            self.indexes.use(place, access.pointer, node, index)

    def _root(self, pointer: str) -> tuple[str, tuple[str, str] | None]:
        """The pointer that an address is computed from, and the last index that is not constant."""
        index: tuple[str, str] | None = None
        made = self.function.definition_of(pointer)
        while isinstance(made, ir.GetElementPtr) and not made.type.startswith("<"):
            varying = [(value, type_) for type_, value in made.indices if value.startswith("%")]
            if index is None and varying:
                index = varying[-1]
            pointer = made.base
            made = self.function.definition_of(pointer)
        return pointer, index

    def _store(self, store: ir.Store) -> None:
        value = store.operands[0]
        if not is_word(value.type):
            return
        if (part := self.names.stored(store)) is not None:
            self._store_field(store, part)
            return
        node = self._node(value.value, value.type, store)
        self.indexes.stored(store)
        shadow = self.beside.get(store.pointer)
        silent = self._is_silent(store, value.value)
        self.deaths.store(store, silent=silent)
        if not silent:
            node = self._moved(store, value, node)
        elif store.pointer in self.results.variables:
            node = self.results.returning(store, value, node)
        if shadow is not None:
            store.insert_before(f"store i32 {node}, ptr {shadow}, align 4")
        elif value.type in IN_MEMORY:
            name = f"{helpers.STORE}_{helpers.suffix_of(value.type)}"
            self._stored(store, name, f"ptr {store.pointer}, {value.type} {value.value}, i32 {node}")

    def _store_field(self, store: ir.Store, part: bits.Stored) -> None:
        """A store to a bit-field: the rest of the unit stays what it was, with its nodes."""
        type_, value = part.value.type, self.names.given(part)
        node = self._node(value, type_, store)
        converted = self.names.conversion(value, part)
        name, source = self.names.field(part), self.names.value(value)
        site = self.sites.site(store, HopKind.STORED, name, source, conversion=converted)
        node = self._step(store, site, node)
        unit, _ = self._word(store, store.operands[0].value, type_)
        self._stored(store, helpers.KEEP_FIELD, f"ptr {part.pointer}, i64 {part.mask}, {unit}, i32 {node}")

    def _is_silent(self, store: ir.Store, value: str) -> bool:
        """Whether the source has no such assignment: of a parameter, of a result before its return, and of
        the parts of both where they are structs in registers."""
        place, made = self.function.definition_of(store.pointer), self.function.definition_of(value)
        if store.pointer in self.scalars:
            is_named = isinstance(place, ir.Alloca) and self.names.variable(place)
            return not is_named or isinstance(made, ir.Parameter)
        whole = self.function.definition_of(self._root(store.pointer)[0])
        is_part = isinstance(made, ir.ExtractValue) and self.results.call_of(made) is not None
        return isinstance(whole, ir.Alloca) and (isinstance(made, ir.Parameter) or is_part)

    def _moved(self, store: ir.Store, value: ir.Operand, node: str) -> str:
        to, source = self.names.accessed(store.pointer, value.type), self.names.value(value.value)
        converted = self.names.conversion(value.value)
        root = self.function.definition_of(self._root(store.pointer)[0])
        word = AWAY if value.type == "ptr" and not isinstance(root, ir.Alloca) else ""
        site = self.sites.site(store, HopKind.STORED, to, source, conversion=converted, word=word)
        return self._step(store, site, node)

    # Calls.

    def assembly(self, made: ir.Call) -> None:
        """What it takes goes no further."""

    def intrinsic(self, made: ir.Call) -> None:
        self.deaths.lifetime(made, made.callee or "")

    def known(self, made: ir.Call) -> bool:
        """One that returns in this function's place: nothing is passed to it."""
        if made.marker == "musttail":
            self._target_of(made)
        return made.marker == "musttail"

    def lend(self, made: ir.Call, target: str, passed: bool) -> None:
        self.effects.tell_input(made, made.callee or "", self.sites)

    def receive(self, made: ir.Call, target: str, passed: bool) -> None:
        """What a call does beside its result, whose node is made once something asks for it."""
        name, nodes = made.callee or "", self.given
        self._drop(made, name)
        if name in _LEAVES and not made.is_terminator:
            self.deaths.end(made)
        if name in FREES and nodes:
            freed = made.arguments[0].value
            site = self.sites.site(made, HopKind.FREED, name, self.names.value(freed))
            self._emit(made, helpers.FREEING, "void", f"ptr {site}, ptr {freed}")
            self._runtime(made, helpers.FREED, f"i32 {nodes[0]}, ptr {made.arguments[0].value}")
        self.sizes.of_call(made, name, nodes)
        self.effects.of(made, name, nodes, lambda *said, **more: self.sites.site(made, *said, **more))
        self._target_of(made)

    def _target_of(self, call: ir.Call) -> None:
        """The pointer that is called may be asked for: last, since it comes after what is passed."""
        pointer = call.callee_operand.value
        if pointer.startswith("%"):
            self._emit(call, helpers.TARGET, "void", f"ptr {pointer}, i32 {self._node(pointer, 'ptr', call)}")

    def _drop(self, call: ir.Call, name: str) -> None:
        """A pointer that is returned and not used is lost."""
        if call.type != "ptr" or call.result is None or call.result in self.used:
            return
        place = after(call)
        if place is not None:
            node = self._node(call.result, "ptr", call)
            site = self.sites.site(call, HopKind.DROPPED, name or self.names.value(call.callee_operand.value))
            self._emit(place, helpers.LEFT, "void", f"ptr {site}, ptr {call.result}, i32 {node}")

    def lend_copy(self, made: ir.Call, index: int, argument: ir.Argument) -> None:
        if index >= MOST_ARGUMENTS:
            return
        original, site = argument.value, self.sites.site(made, HopKind.ARGUMENT, self._said(made))
        places = f"ptr {made.callee_operand.value}, i64 {index}, ptr {original}"
        self._emit(made, helpers.BY_VALUE, "void", f"ptr {site}, {places}")
        used = self._node(original, "ptr", made)
        self._emit(made, helpers.USE, "void", f"ptr {original}, i32 {used}")

    def passed(self, made: ir.Call, index: int, argument: ir.Argument) -> str:
        """The node of a pointer or an integer."""
        if not is_word(argument.type) or any(map(argument.attributes.has, _UNUSUAL)):
            return DOMAIN.none
        source = self.names.value(argument.value)
        node = self._node(argument.value, argument.type, made)
        if not made.is_intrinsic:
            converted = self.names.conversion(argument.value)
            site = self.sites.site(made, HopKind.ARGUMENT, self._said(made), source, conversion=converted)
            node = self._step(made, site, node)
        word, suffix = self._word(made, argument.value, argument.type)
        self._emit(made, f"{helpers.PASS}_{suffix}", "void", f"i64 {index}, i32 {node}, {word}")
        return node

    def give(self, made: ir.Call, target: str, words: list[str], copied: list[int]) -> bool:
        self.given = words
        self.lists.pass_others(made)
        self._emit(made, helpers.CALL, "void", f"ptr {target}, i64 {len(words)}")
        return True

    def _said(self, call: ir.Call) -> str:
        return call.callee or self.names.callee(call.callee_operand.value) or "a function pointer"

    def leave(self, made: ir.Ret) -> None:
        if made.value is not None:
            self.results.pass_value(made, made.operands[0])
        self._end(made)

    def resume(self, made: ir.Resume) -> None:
        self._end(made)

    def _end(self, last: ir.Instruction) -> None:
        self.deaths.end(last)
        self.variables.end(last)
        self.lists.end(last)


def _before_checks(access: ir.MemoryAccess) -> ir.Instruction:
    """The first of the checks in front of an access, which may ask for the chain of its pointer."""
    first: ir.Instruction = access
    while isinstance(first.prev, ir.Call) and (first.prev.callee or "").startswith(CHECK):
        first = first.prev
    return first


def _is_plain_use(use: ir.Instruction, variable: ir.Alloca) -> bool:
    """Whether a use of a scalar variable loads or stores all of it, or marks its lifetime."""
    if isinstance(use, ir.Call):
        return (use.callee or "").startswith(_LIFETIMES)
    type_ = str(variable.allocated_type)
    if isinstance(use, ir.Store):
        return use.operands[0].type == type_ and use.operands[0].value != variable.result and not use.atomic
    return isinstance(use, ir.Load) and use.type == type_ and not use.atomic
