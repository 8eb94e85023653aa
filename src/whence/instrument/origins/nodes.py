"""Nodes of values, each made where the value is once something asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from whence import ir
from whence.abi import library
from whence.abi.analyses import DEFINEDNESS
from whence.abi.hops import HopKind
from whence.abi.origins import MOST_ARGUMENTS, RETURNING
from whence.instrument.naming import bits
from whence.instrument.naming.bits import is_word
from whence.instrument.naming.described import Described
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.deaths import Deaths
from whence.instrument.origins.emitter import DOMAIN, IN_MEMORY, Emitter, after
from whence.instrument.origins.indexes import Indexes
from whence.instrument.origins.library import Effects, is_allocation
from whence.instrument.origins.lists import Lists
from whence.instrument.origins.numbers import Numbers
from whence.instrument.origins.operands import Operands
from whence.instrument.origins.results import Results
from whence.instrument.origins.sites import Sites
from whence.instrument.origins.sizes import Sizes, checked_arithmetic
from whence.instrument.origins.uses import Uses
from whence.instrument.origins.variables import Variables
from whence.instrument.origins.wholes import Copies
from whence.instrument.passes.policy import Policy
from whence.instrument.shadow.calls import SAME, first_of
from whence.instrument.shadow.walker import Walker

_SAME = (*SAME, "llvm.ptrmask")
_OF_ONE = ("llvm.abs.", "llvm.bitreverse.", "llvm.bswap.")
_LIBRARY_OF_ONE = library.having("computes")
"""Functions that compute a number from one other."""
_JOINS, _SHIFTS = ("or", "add", "xor"), ("shl", "lshr", "ashr")
_DEEPEST = 100
"""Operations within each other that are looked through; what is further inside is said to be computed."""
_OF_MAIN = ("number of the program's arguments", "program's arguments", "program's environment")
"""What `main` is called with."""
_UNFOLLOWED = "of an uncommon size, which is not followed"


class Nodes(Walker):
    """The origins of the values of one function.

    nodes: of values that have some, as operands. computed: the sites of arithmetic. apart: whether scalar
    variables have their nodes in variables beside them, and not in cells, where debuggers find them. scalars:
    those variables. given: the nodes of the arguments of the last call.
    """

    def __init__(self, function: ir.Function, sites: Sites, types: Described, policy: Policy) -> None:
        super().__init__(function, DOMAIN)
        self.sites = sites
        self.names = Names(function, types)
        self.nodes: dict[str, str] = {}
        self.computed: dict[str, str] = {}
        self.depth = 0
        self.apart = not policy.described
        self.scalars: frozenset[str] = frozenset()
        self.beside: dict[str, str] = {}
        self.used: set[str] = set()
        self.given: list[str] = []
        strict = policy.follows(DEFINEDNESS)
        out = Emitter(function.module, sites, strict=strict)
        self._emit, self._runtime, self._stored = out.call, out.behind, out.stored
        self._step, self._born, self._word = out.step, out.born, out.word
        self.results = Results(function, sites, self.names, out, self._node)
        self.effects = Effects(out, self.names)
        self.lists = Lists(function, out)
        self.copies = Copies(function, sites, self.names, out, self._node, self.pass_arguments)
        self.deaths = Deaths(function, sites, self.names, self.beside, self._emit)
        self.variables = Variables(function, self.beside, IN_MEMORY, self._emit)
        uses = Uses(function, sites, self.names, out, self._node)
        self.uses = uses if strict else None
        self.operands = Operands(policy.steps, out, self._node)
        self.indexes = Indexes(function, out, self._node, self._arithmetic_site)
        self.numbers = Numbers(function, out, self.indexes)
        self.sizes = Sizes(function, sites, self.names, out, self._node)

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
            return self._merged(made)
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

    def _merged(self, phi: ir.Phi) -> str:
        name = self.function.fresh_name()
        self.nodes[phi.result or ""] = name
        for value, _ in phi.incoming:
            if isinstance(self.function.definition_of(value), ir.Invoke):
                self._node(value, phi.type, phi)  # this may split its edge to here, which gets another name
        incoming = []
        for value, block in phi.incoming:
            user = self.function.block(block).terminator
            incoming.append(f"[ {self._node(value, phi.type, user)}, {block} ]")
        phi.insert_before(f"{name} = phi i32 {', '.join(incoming)}", dbg=False)
        return name

    def _parameter(self, parameter: ir.Parameter) -> str:
        index = [each.name for each in self.function.parameters].index(parameter.name)
        first = first_of(self.function)
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
        shadow = self.beside.get(load.pointer)
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


def _is_constant(operand: ir.Operand) -> bool:
    return not operand.value.startswith("%")
