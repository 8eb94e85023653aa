"""Origins of values, followed through registers, variables, memory and calls.

This happens to the IR as the front end wrote it: each assignment is a store there, whose place and names
debug information knows. The origin of a variable that only this function accesses is a variable beside it,
which LLVM promotes with it; all other memory has cells (`whence.abi.origins`). Only integers of 32 and 64
bits and pointers are followed through memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from whence import ir
from whence.abi import library
from whence.abi.analyses import DEFINEDNESS
from whence.abi.hops import HopKind
from whence.abi.intercepts import PREFIX
from whence.abi.origins import AWAY, MOST_ARGUMENTS, RETURNING
from whence.instrument.markers.declarations import PREFIX as CHECK
from whence.instrument.naming import bits
from whence.instrument.naming.bits import is_word
from whence.instrument.naming.described import Described
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.deaths import Deaths
from whence.instrument.origins.emitter import CELLED, IN_MEMORY, Emitter, after
from whence.instrument.origins.indexes import Indexes
from whence.instrument.origins.library import FREES, Effects, is_allocation
from whence.instrument.origins.lists import Lists
from whence.instrument.origins.numbers import Numbers
from whence.instrument.origins.operands import Operands
from whence.instrument.origins.results import Results
from whence.instrument.origins.sites import Sites
from whence.instrument.origins.sizes import Sizes, checked_arithmetic
from whence.instrument.origins.uses import Uses
from whence.instrument.origins.variables import BEGIN, Variables, lifetimes
from whence.instrument.origins.wholes import Copies
from whence.instrument.passes.context import Context
from whence.instrument.passes.policy import Policy

_SAME = ("llvm.launder.", "llvm.strip.", "llvm.expect", "llvm.ptrmask")
_LEAVES = library.having("leaves")
"""Functions that leave the one that calls them, unless they return to it."""
_OF_ONE = ("llvm.abs.", "llvm.bitreverse.", "llvm.bswap.")
_LIBRARY_OF_ONE = library.having("computes")
"""Functions that compute a number from one other."""
_JOINS, _SHIFTS = ("or", "add", "xor"), ("shl", "lshr", "ashr")
_DEEPEST = 100
"""Operations within each other that are looked through; what is further inside is said to be computed."""
_LIFETIMES = "llvm.lifetime."
_UNUSUAL = ("byval", "sret", "nest")
"""Attributes of arguments that have no node."""
_OF_MAIN = ("number of the program's arguments", "program's arguments", "program's environment")
"""What `main` is called with."""
_UNFOLLOWED = "of an uncommon size, which is not followed"


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


class _Follower:
    """The origins of the values of one function.

    nodes: of values that have some, as operands. computed: the sites of arithmetic. apart: whether scalar
    variables have their nodes in variables beside them, shadows, and not in cells, where debuggers find them.
    scalars: those variables.
    """

    def __init__(self, function: ir.Function, sites: Sites, types: Described, policy: Policy) -> None:
        self.function = function
        self.module = function.module
        self.sites = sites
        self.names = Names(function, types)
        self.nodes: dict[str, str] = {}
        self.computed: dict[str, str] = {}
        self.depth = 0
        self.apart = not policy.described
        self.scalars: frozenset[str] = frozenset()
        self.shadows: dict[str, str] = {}
        self.used: set[str] = set()
        strict = policy.follows(DEFINEDNESS)
        out = Emitter(function.module, sites, strict=strict)
        self._emit, self._runtime, self._stored = out.call, out.behind, out.stored
        self._step, self._born, self._word = out.step, out.born, out.word
        self.results = Results(function, sites, self.names, out, self._node)
        self.effects = Effects(out, self.names)
        self.lists = Lists(function, out)
        self.copies = Copies(function, sites, self.names, out, self._node, self._pass)
        self.deaths = Deaths(function, sites, self.names, self.shadows, self._emit)
        self.variables = Variables(function, self.shadows, IN_MEMORY, self._emit)
        uses = Uses(function, sites, self.names, out, self._node)
        self.uses = uses if strict else None
        self.operands = Operands(policy.steps, out, self._node)
        self.indexes = Indexes(function, out, self._node, self._arithmetic_site)
        self.numbers = Numbers(function, out, self.indexes)
        self.sizes = Sizes(function, sites, self.names, out, self._node)

    def run(self) -> None:
        self.results.split_stores()
        instructions = list(self.function.instructions())
        self.used = {operand.value for each in instructions for operand in each.operands}
        self._shadow_variables(instructions)
        self.variables.begin(instructions, self.deaths.cleared)
        self.lists.begin(instructions)
        self.indexes.begin(instructions, self.scalars)
        self.numbers.begin(instructions, self.scalars)
        self.results.find(instructions, self.scalars, self.shadows)
        for instruction in instructions:
            self.operands.of(instruction)
            self.indexes.leaving(instruction)
            if self.uses is not None:
                self.uses.of(instruction)
            if isinstance(instruction, ir.MemoryAccess):
                self._access(instruction)
            elif isinstance(instruction, ir.Call):
                self._call(instruction)
            elif isinstance(instruction, ir.Alloca):
                self.sizes.of_variable(instruction)
            elif isinstance(instruction, ir.Ret):
                self._return(instruction)
            elif isinstance(instruction, ir.Resume):
                self._leave(instruction)

    # Variables.

    def _shadow_variables(self, instructions: list[ir.Instruction]) -> None:
        """Gives each scalar variable that only loads and stores access a variable for its node."""
        scalars = {
            each.result: each
            for each in self.function.entry
            if isinstance(each, ir.Alloca)
            and each.count in (None, "1")
            and is_word(str(each.allocated_type))
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
            self.shadows[name or ""] = made.result or ""
        first = next((i for i in self.function.entry if not isinstance(i, ir.Alloca)), None)
        assert first is not None
        begun = lifetimes(instructions, BEGIN)
        for name, shadow in self.shadows.items():
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

    def _access(self, access: ir.MemoryAccess) -> None:
        if access.pointer not in self.scalars:
            self._use(access)
        if isinstance(access, ir.Store):
            self._store(access)

    def _use(self, access: ir.MemoryAccess) -> None:
        """The pointer of an access, and the index by which it was computed, may be asked for."""
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
        shadow = self.shadows.get(store.pointer)
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

    # Nodes of values.

    def _node(self, value: str, type_: str, user: ir.Instruction) -> str:
        """The node of a value, made where the value is, or before its user for constants; "0" without one."""
        if not is_word(type_):
            return "0"
        if not value.startswith("%"):
            return self._of_constant(value, user)
        known = self.nodes.get(value)
        if known is None:
            self.depth += 1
            known = self.nodes[value] = self._made(value, type_)
            self.depth -= 1
        return known

    def _of_constant(self, value: str, user: ir.Instruction) -> str:
        name = self.names.value(value)
        if self.names.is_literal(value):
            return self._born(user, user, HopKind.CONSTANT, name)
        if value.startswith(("@", "getelementptr")):
            return self._born(user, user, HopKind.ADDRESS, name.removeprefix("&"))
        return self._born(user, user, HopKind.CONSTANT, name)

    def _made(self, value: str, type_: str) -> str:
        made = self.function.definition_of(value)
        if made is None:
            return "0"
        if isinstance(made, ir.Parameter):
            return self._parameter(made)
        place = after(made)
        if place is None:
            return "0"
        if self.depth > _DEEPEST:
            return self._born(place, made, HopKind.COMPUTED, self.names.value(value))
        if isinstance(made, ir.Phi):
            return self._phi(made)
        if isinstance(made, ir.Load):
            return self._loaded(made, place)
        if isinstance(made, ir.Binary) and (given := self.names.assigned(value)) is not None:
            return self._node(given.value.value, given.value.type, made)
        if isinstance(made, ir.Binary) and (part := self.names.loaded(value)) is not None:
            node = self._loaded_field(part)
            return node if self.names.is_described(part) else self._arithmetic(made, place, node)
        if isinstance(made, ir.Call):
            return self._result(made, place)
        if isinstance(made, ir.Alloca):
            return self._born(place, made, HopKind.ADDRESS, self.names.variable(made))
        if isinstance(made, ir.GetElementPtr):
            node = self._node(made.base, "ptr", made)
            if made.constant_offset == 0:
                return node
            site = self._arithmetic_site(made)
            self.indexes.computed(made, place, site)
            return self._step(place, site, node)
        if isinstance(made, ir.Cast) and is_word(made.source_type):
            return self._node(made.operands[0].value, made.source_type, made)
        if isinstance(made, ir.Unary):
            return self._node(made.operands[0].value, made.operands[0].type, made)
        if isinstance(made, ir.Select):
            return self._select(made, place)
        if isinstance(made, ir.ExtractValue) and (checked := checked_arithmetic(made)):
            return self._computed(made, checked.operands[:2], place, checked.arguments[0].type)
        if isinstance(made, ir.ExtractValue) and (call := self.results.call_of(made)):
            helper = (helpers.RETURNED, helpers.SECOND_OF)[made.indices[0]]
            return self.results.received(call, place, helper, made.result or "", made.type)
        return self._computed(made, made.operands if isinstance(made, ir.Binary) else (), place, type_)

    def _arithmetic(self, made: ir.Instruction, place: ir.Instruction, node: str) -> str:
        return self._step(place, self._arithmetic_site(made), node)

    def _arithmetic_site(self, made: ir.Instruction) -> str:
        value = made.result or ""
        if value not in self.computed:
            self.computed[value] = self.sites.site(made, HopKind.ARITHMETIC, self.names.value(value))
        return self.computed[value]

    def _computed(
        self, made: ir.Instruction, operands: Sequence[ir.Operand], place: ir.Instruction, type_: str
    ) -> str:
        """Arithmetic with a constant keeps the value; all other arithmetic bears another."""
        varying = [each for each in operands if each.value.startswith("%")]
        if len(varying) == 1:
            return self._arithmetic(made, place, self._node(varying[0].value, type_, made))
        if len(varying) == 2 and self._is_joined(made, varying):
            return self._joined(made, varying, place, type_)
        site = self.sites.site(made, HopKind.COMPUTED, self.names.value(made.result or ""))
        node = self._step(place, site)
        if made.result and self.depth < _DEEPEST // 2:
            self.nodes[made.result] = node  # before those of its operands, which may lead back to it
            self.numbers.computed(made, place, site)
        return node

    def _is_joined(self, made: ir.Instruction, operands: Sequence[ir.Operand]) -> bool:
        """Whether the parts of a number are put together: one of two operands is moved to other bits, or is
        put together itself."""
        if made.opcode not in _JOINS:
            return False
        waiting = list(operands)
        for _ in range(_DEEPEST):
            if not waiting:
                break
            part = self.function.definition_of(waiting.pop().value)
            if isinstance(part, ir.Cast):
                waiting.append(part.operands[0])
            elif isinstance(part, ir.Binary) and part.opcode in _JOINS:
                waiting += part.operands[:2]
            elif isinstance(part, ir.Binary) and part.opcode in _SHIFTS and _is_constant(part.operands[1]):
                return True
        return False

    def _joined(
        self, made: ir.Instruction, operands: Sequence[ir.Operand], place: ir.Instruction, type_: str
    ) -> str:
        """The parts may come from one value, or from neighbouring bytes of an input; then the number does."""
        name = self.names.value(made.result or "")
        one, other = [self._node(each.value, type_, made) for each in operands]
        moved, born = (self.sites.site(made, kind, name) for kind in (HopKind.ARITHMETIC, HopKind.COMPUTED))
        return self._emit(place, helpers.JOIN, "i32", f"ptr {moved}, ptr {born}, i32 {one}, i32 {other}")

    def _select(self, made: ir.Select, place: ir.Instruction) -> str:
        condition, one, other = made.operands
        if condition.type != "i1":
            return "0"
        first, second = (self._node(each.value, each.type, made) for each in (one, other))
        return place.insert_before(f"select i1 {condition.value}, i32 {first}, i32 {second}").result or ""

    def _phi(self, phi: ir.Phi) -> str:
        name = self.function.fresh_name()
        self.nodes[phi.result or ""] = name
        incoming = []
        for value, block in phi.incoming:
            user = self.function.block(block).terminator
            incoming.append(f"[ {self._node(value, phi.type, user)}, {block} ]")
        phi.insert_before(f"{name} = phi i32 {', '.join(incoming)}", dbg=False)
        return name

    def _parameter(self, parameter: ir.Parameter) -> str:
        index = [each.name for each in self.function.parameters].index(parameter.name)
        first = next(i for i in self.function.entry if not isinstance(i, ir.Alloca))
        said = _OF_MAIN[index] if self.function.name == "main" and index < len(_OF_MAIN) else ""
        site = self.sites.site(first, HopKind.PARAMETER, self.names.parameter(parameter.name or ""), said)
        if index >= MOST_ARGUMENTS or any(
            parameter.attributes.has(each) for each in ("byval", "sret", "inreg", "nest")
        ):
            return self._step(first, site)
        word, suffix = self._word(first, parameter.name or "", parameter.type)
        arguments = f"ptr {self.function.ref}, ptr {site}, i64 {index}, {word}"
        return self._emit(first, f"{helpers.PARAMETER}_{suffix}", "i32", arguments)

    def _loaded(self, load: ir.Load, place: ir.Instruction) -> str:
        shadow = self.shadows.get(load.pointer)
        if shadow is not None:
            return place.insert_before(f"load i32, ptr {shadow}, align 4").result or ""
        name = self.names.accessed(load.pointer, load.type)
        if load.type not in IN_MEMORY:
            born = self._born(place, load, HopKind.UNSEEN, name or _UNFOLLOWED)
            undefined = self.sites.site(load, HopKind.UNDEFINED, name)
            return self.uses.loaded(load, place, undefined, born) if self.uses else born
        site = self.sites.site(load, HopKind.UNSEEN, name)
        arguments = f"ptr {site}, ptr {load.pointer}, {load.type} {load.result}"
        return self._emit(place, f"{helpers.LOAD}_{helpers.suffix_of(load.type)}", "i32", arguments)

    def _loaded_field(self, part: bits.Loaded) -> str:
        place = after(part.load)
        assert place is not None
        site = self.sites.site(part.load, HopKind.UNSEEN, self.names.field(part))
        unit, _ = self._word(place, part.load.result or "", part.load.type)
        arguments = f"ptr {site}, ptr {part.pointer}, i64 {part.mask}, {unit}"
        return self._emit(place, helpers.FIELD, "i32", arguments)

    # Calls.

    def _call(self, call: ir.Call) -> None:
        name = call.callee or ""
        if call.is_assembly or name.startswith(PREFIX):
            return
        if call.marker == "musttail":
            self._target_of(call)
            return
        if name.startswith("llvm."):
            self.deaths.lifetime(call, name)
            self.copies.of(call, name)
            return
        nodes = self._pass(call, name)
        self.effects.tell_input(call, name, self.sites)
        self._drop(call, name)
        if name in _LEAVES and not call.is_terminator:
            self.deaths.end(call)
        if name in FREES and nodes:
            freed = call.arguments[0].value
            site = self.sites.site(call, HopKind.FREED, name, self.names.value(freed))
            self._emit(call, helpers.FREEING, "void", f"ptr {site}, ptr {freed}")
            self._runtime(call, helpers.FREED, f"i32 {nodes[0]}, ptr {call.arguments[0].value}")
        self.sizes.of_call(call, name, nodes)
        self.effects.of(call, name, nodes, lambda *said, **more: self.sites.site(call, *said, **more))
        self._target_of(call)

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

    def _pass(self, call: ir.Call, name: str) -> list[str]:
        """Passes the nodes of the arguments; returns those of pointers and integers, in order."""
        nodes: list[str] = []
        said = name or self.names.callee(call.callee_operand.value) or "a function pointer"
        for index, argument in enumerate(call.arguments[:MOST_ARGUMENTS]):
            if argument.attributes.has("byval"):
                original, site = argument.value, self.sites.site(call, HopKind.ARGUMENT, said)
                places = f"ptr {self._callee(call)}, i64 {index}, ptr {original}"
                self._emit(call, helpers.BY_VALUE, "void", f"ptr {site}, {places}")
                used = self._node(original, "ptr", call)
                self._emit(call, helpers.USE, "void", f"ptr {original}, i32 {used}")
            if not is_word(argument.type) or any(map(argument.attributes.has, _UNUSUAL)):
                nodes.append("0")
                continue
            nodes.append(self._argument(call, index, argument, said))
        self.lists.pass_others(call)
        if nodes or not name.startswith("llvm."):
            self._emit(call, helpers.CALL, "void", f"ptr {self._callee(call)}, i64 {len(nodes)}")
        return nodes

    def _callee(self, call: ir.Call) -> str:
        return "null" if call.is_intrinsic else call.callee_operand.value

    def _argument(self, call: ir.Call, index: int, argument: ir.Argument, said: str) -> str:
        source = self.names.value(argument.value)
        node = self._node(argument.value, argument.type, call)
        if not call.is_intrinsic:
            converted = self.names.conversion(argument.value)
            site = self.sites.site(call, HopKind.ARGUMENT, said, source, conversion=converted)
            node = self._step(call, site, node)
        word, suffix = self._word(call, argument.value, argument.type)
        self._emit(call, f"{helpers.PASS}_{suffix}", "void", f"i64 {index}, i32 {node}, {word}")
        return node

    def _result(self, call: ir.Call, place: ir.Instruction) -> str:
        name = call.callee or ""
        if call.is_assembly:
            return self._born(place, call, HopKind.OUTSIDE, "inline assembly")
        if name.startswith(_SAME):
            return self._node(call.arguments[0].value, call.arguments[0].type, call)
        if name.startswith(_OF_ONE) or name in _LIBRARY_OF_ONE:
            return self._of_one(call, place, name)
        if name.startswith("llvm."):
            return self._born(place, call, HopKind.COMPUTED, name)
        if is_allocation(name):
            return self._born(place, call, HopKind.ALLOCATION, name)
        if name in RETURNING and call.type == "ptr" and len(call.arguments) > RETURNING[name]:
            return self._argument_returned(call, place, name)
        return self.results.received(call, place, helpers.RETURNED, call.result or "", call.type)

    def _argument_returned(self, call: ir.Call, place: ir.Instruction, name: str) -> str:
        """The result is the argument, moved, or null."""
        argument = call.arguments[RETURNING[name]]
        said = f"{name}({self.names.arguments(call)})"
        moved = self._step(
            place,
            self.sites.site(call, HopKind.ARITHMETIC, said),
            self._node(argument.value, argument.type, call),
        )
        born = self._born(place, call, HopKind.OUTSIDE, name)
        is_null = place.insert_before(f"icmp eq ptr {call.result}, null").result
        return place.insert_before(f"select i1 {is_null}, i32 {born}, i32 {moved}").result or ""

    def _of_one(self, call: ir.Call, place: ir.Instruction, name: str) -> str:
        argument = call.arguments[0]
        said = f"{name.removeprefix('llvm.').partition('.')[0]}({self.names.value(argument.value) or '…'})"
        node = self._node(argument.value, argument.type, call)
        return self._step(place, self.sites.site(call, HopKind.ARITHMETIC, said), node)

    def _leave(self, last: ir.Instruction) -> None:
        self.deaths.end(last)
        self.variables.end(last)
        self.lists.end(last)

    def _return(self, instruction: ir.Ret) -> None:
        if any(isinstance(each, ir.Call) and each.marker == "musttail" for each in instruction.owner):
            return
        if instruction.value is not None:
            self.results.pass_value(instruction, instruction.operands[0])
        self._leave(instruction)


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


def _is_constant(operand: ir.Operand) -> bool:
    return not operand.value.startswith("%")
