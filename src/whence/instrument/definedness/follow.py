"""Shadows of the values of a function, after LLVM's pipeline: few in most functions, all in their twins.

What may be undefined is found first: values that come from memory, parameters and calls, and what depends
on them. Those get shadows (`whence.instrument.definedness.rules`); all others cost nothing. Undefined bits
are reported where they can be observed: at branches, addresses, targets of calls, arguments of library
functions, and the exit status. Calls pass them in a structure of the thread (``whence/values.h``), which
names the function that it is meant for, so that code without shadows may stand between.

The cost grows linearly with the number of instructions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from whence import ir
from whence.abi import library
from whence.abi.intercepts import PREFIX, RUNTIME_SYMBOLS, STORES
from whence.abi.layout import GRANULE
from whence.abi.optional import OPTIONAL
from whence.abi.undefined import (
    ARGUMENTS,
    IN_MEMORY,
    MEMORY,
    MOST_ARGUMENTS,
    MOST_RESULTS,
    PAIR_SIZE,
    PASSED,
    RESULTS,
    TWIN_SUFFIX,
    USES,
)
from whence.instrument.analysis.exposure import size_of
from whence.instrument.definedness import helpers
from whence.instrument.definedness.area import Area
from whence.instrument.definedness.assembly import is_transparent, tied, written
from whence.instrument.definedness.decisions import drop_decisions, is_decision
from whence.instrument.definedness.emitter import Emitter, Shadow, slots_of
from whence.instrument.definedness.filling import fill_granules
from whence.instrument.definedness.intrinsics import Intrinsics
from whence.instrument.definedness.joining import join_loads, join_stores
from whence.instrument.definedness.known import drop_known
from whence.instrument.definedness.padding import mark_padding
from whence.instrument.definedness.passing import START, Passing
from whence.instrument.definedness.points import Points, is_repeatable
from whence.instrument.definedness.rules import Propagation
from whence.instrument.definedness.shapes import all_of, bits_of, is_aggregate, leaves, none_of, shadow_of
from whence.instrument.definedness.speculation import DEFINED
from whence.instrument.definedness.twins import add_twin, begin_of, can_be_later, can_have_twin, known_in
from whence.instrument.definedness.unwritten import births_of, describe, late_variables, parts_of
from whence.instrument.definedness.web import unwritten_used, web_of
from whence.instrument.markers.prefixes import EDGES, LABELS, ORIGINS, RACES
from whence.instrument.passes.context import Context
from whence.instrument.passes.later import Later
from whence.instrument.passes.twin import Layout, Twin
from whence.instrument.variables.zones import exits_of

_CALLEE, _RETURNED = PASSED.offset("callee"), PASSED.offset("returned")
_TAIL, _NAME = MEMORY + IN_MEMORY.offset("tail"), MEMORY + IN_MEMORY.offset("name")

_LIBRARY = frozenset(RUNTIME_SYMBOLS.values())
_ENDS = library.having("status") - library.having("says")
_MEMSET = RUNTIME_SYMBOLS["memset"]
_STORED = {RUNTIME_SYMBOLS.get(name, name): byte for name, (byte,) in library.arguments("byte").items()}
"""Library functions that copy an argument and do not depend on it, and its position."""
_OPAQUE = (ir.MemoryAccess, ir.Alloca, ir.LandingPad, ir.VAArg, ir.FuncletPad, ir.CatchSwitch)
"""Instructions whose results do not depend on the shadows of operands."""
_VA_LIST = 24


def follow_values(context: Context) -> None:
    """Follows undefined bits, and reports them where they can be observed.

    A function whose twin can go on in its place (`whence.instrument.definedness.twins`) gets one, and
    computes few shadows itself; any other has shadows.

    Before::

        define i32 @f(ptr %p) {
          %v = load i32, ptr %p, align 4
          ret i32 %v
        }

    After::

        define internal i32 @f.whence.twin(ptr %p) {
          call void @__whence_values_point_if(i64 0, i1 false)
          %wh.0 = load i64, ptr @__whence_values, align 8
          %wh.1 = icmp eq i64 %wh.0, ptrtoint (ptr @f to i64)
          store i64 0, ptr @__whence_values, align 8
          %wh.2 = getelementptr i8, ptr @__whence_values, i64 16
          %wh.3 = load i64, ptr %wh.2, align 8
          %wh.4 = select i1 %wh.1, i64 %wh.3, i64 0
          %wh.5 = getelementptr i8, ptr @__whence_values, i64 24
          %wh.6 = load i64, ptr %wh.5, align 8
          %wh.7 = ptrtoint ptr %p to i64
          call void @__whence_values_use(i64 %wh.7, i64 %wh.4, i64 %wh.6, i64 2)
          %v = load i32, ptr %p, align 4
          %wh.8 = call { i64, i64 } @__whence_values_memory_load_4(ptr %p)
          %wh.9 = extractvalue { i64, i64 } %wh.8, 0
          %wh.10 = extractvalue { i64, i64 } %wh.8, 1
          %wh.11 = trunc i64 %wh.9 to i32
          %wh.12 = zext i32 %wh.11 to i64
          %wh.13 = getelementptr i8, ptr @__whence_values, i64 784
          store i64 %wh.12, ptr %wh.13, align 8
          %wh.14 = getelementptr i8, ptr @__whence_values, i64 792
          store i64 %wh.10, ptr %wh.14, align 8
          %wh.15 = getelementptr i8, ptr @__whence_values, i64 864
          %wh.16 = load i64, ptr %wh.15, align 8
          %wh.17 = icmp eq i64 %wh.16, ptrtoint (ptr @f to i64)
          %wh.18 = getelementptr i8, ptr @__whence_values, i64 872
          %wh.19 = load i64, ptr %wh.18, align 8
          %wh.20 = select i1 %wh.17, i64 %wh.19, i64 ptrtoint (ptr @f to i64)
          %wh.21 = icmp ne i64 %wh.12, 0
          %wh.22 = select i1 %wh.21, i64 %wh.20, i64 0
          %wh.23 = getelementptr i8, ptr @__whence_values, i64 8
          store i64 %wh.22, ptr %wh.23, align 8
          ret i32 %v
        }
        define i32 @f(ptr %p) {
          %wh.0 = load i64, ptr @__whence_values, align 8
          %wh.1 = icmp eq i64 %wh.0, ptrtoint (ptr @f to i64)
          call void @__whence_values_point_if(i64 0, i1 %wh.1)
          call void @__whence_values_point_load(i64 0, ptr %p, i64 4, i64 4)
          %v = load i32, ptr %p, align 4
          %wh.2 = getelementptr i8, ptr @__whence_values, i64 8
          store i64 0, ptr %wh.2, align 8
          ret i32 %v
        }
        @__whence_values = external thread_local(initialexec) global [2000 x i8]
        declare void @__whence_values_point_if(i64, i1)
        declare void @__whence_values_point_load(i64, ptr, i64, i64)
        declare void @__whence_values_use(i64, i64, i64, i64)
        declare { i64, i64 } @__whence_values_memory_load_4(ptr)
    """
    for function in list(context.functions()):
        mark_padding(function, context)
        fill_granules(function)
        follower = _Follower(function, context)
        if follower.sources and not context.alone and can_have_twin(function):
            if context.later is not None and can_be_later(function):
                _follow_until_twin(function, context, context.later, follower.sources)
            else:
                _follow_in_twin(function, context, follower.sources)
        else:
            follower.run()


def _follow_until_twin(function: ir.Function, context: Context, later: Later, sources: set[str]) -> None:
    """The function alone, whose twin is made when a run needs it."""
    twin = Twin(function.name, "", known_in(function), number=len(later.functions))
    later.add(function)
    fast = _Follower(function, context, Version.FAST, sources, web_of(function), later=True)
    fast.run()
    twin.kept = fast.targets
    for name in fast.web:
        shadow = fast.shadows.get(name)
        if shadow is not None:
            twin.web[name] = shadow.bits, shadow.origin, shadow.type
    context.twins.append(twin)


def follow_in_late_twin(function: ir.Function, context: Context, layout: Layout) -> None:
    """The twin alone, of a function that was followed before."""
    mark_padding(function, context)
    fill_granules(function)
    sources = _Follower(function, context).sources
    web = web_of(function)
    twin = add_twin(function)
    twin.layout = layout
    careful = _Follower(context.module.functions[twin.twin], context, Version.TWIN, sources, web)
    careful.run()
    for shadow in careful.shadows.values():
        if shadow is not None:
            twin.shadows.update((shadow.bits, shadow.origin))
    for name, words in layout.shadows.items():
        theirs = careful.shadows.get(name)
        if theirs is not None:
            twin.taken |= dict(zip((theirs.bits, theirs.origin), words, strict=True))
    context.twins.append(twin)


def _follow_in_twin(function: ir.Function, context: Context, sources: set[str]) -> None:
    twin = add_twin(function)
    web = web_of(function)
    fast = _Follower(function, context, Version.FAST, sources, web)
    careful = _Follower(context.module.functions[twin.twin], context, Version.TWIN, sources, web)
    fast.run()
    careful.run()
    for shadow in careful.shadows.values():
        if shadow is not None:
            twin.shadows.update((shadow.bits, shadow.origin))
    for name in fast.web:
        ours, theirs = fast.shadows.get(name), careful.shadows.get(name)
        if ours is not None and theirs is not None:
            twin.passed |= {theirs.bits: ours.bits, theirs.origin: ours.origin}
    context.twins.append(twin)


class Version(Enum):
    """How a function follows undefined values."""

    ALONE = "by shadows of all values that may be undefined"
    FAST = "by shadows of variables that were never written; where others come in, its twin goes on"
    TWIN = "as alone, from any of its points on"


class _Follower:
    """The shadows of one function.

    sources: values that may have undefined bits. web: those of variables that were never written, as long as
    they are not used. maybe: the values that have shadows. fills: those that are fill words.
    """

    def __init__(
        self,
        function: ir.Function,
        context: Context,
        version: Version = Version.ALONE,
        sources: set[str] | None = None,
        web: set[str] | None = None,
        later: bool = False,
    ) -> None:
        self.function = function
        self.context = context
        self.version = version
        self.blocks = _in_order(function)
        self.layout = function.module.layout
        self.shadows: dict[str, Shadow | None] = {}
        self.at = Emitter(function, function.entry.insertion_point)
        self.rules = Propagation(self.at, self.shadows.get)
        self.intrinsics = Intrinsics(self.rules)
        self.reported: set[str] = set()
        self.fills: set[str] = set()
        self.sources = self._possible(self.blocks) if sources is None else sources
        self.web = web or set[str]()
        self.maybe = self.web & self.sources if version is Version.FAST else self.sources
        self.points = Points(self.at, version is Version.FAST, marks=later)
        self.targets: dict[int, set[str]] = {}
        """What is called by pointers, by the numbers of the points where results come in."""
        self.area = Area(self.at, function.module)
        self.passing = Passing(self.at, function, self._used, self._address)

    def run(self) -> None:
        function, blocks = self.function, self.blocks
        listed = {block.ref: list(block.instructions) for block in blocks}
        variables = births_of(self.function)
        exits = list(exits_of(self.function))
        phis = self._name_phis(blocks)
        self.at.anchor = function.entry.insertion_point
        if self._has_points:
            self.at.anchor = function.entry.instructions[len(begin_of(function))]
        self._enter()
        self._begin_variables(variables)
        if self.version is not Version.TWIN:
            self.passing.enter()
        for block in blocks:
            self.reported = set()
            if block is not function.entry:
                self.points.leave()
            instructions = listed[block.ref]
            for at, instruction in enumerate(instructions):
                following = instructions[at + 1] if at + 1 < len(instructions) else None
                self._step(instruction, following)
                if not is_repeatable(instruction):
                    self.points.leave()
        drop_decisions(self.function)
        self._end_variables(variables, exits)
        for phi, names in phis:
            self._fill_phi(phi, names)
        if self.version is Version.FAST:
            drop_known(function)
        if self.version is not Version.TWIN:
            join_stores(function)
        if self.version is Version.FAST:
            join_loads(function)

    # What may be undefined.

    def _possible(self, blocks: list[ir.Block]) -> set[str]:
        """Values that may have undefined bits."""
        if self.function.attributes.has(DEFINED):
            return set()
        found = {each.name for each in self.function.parameters if each.name and self._is_passed(each)}
        users: dict[str, list[ir.Instruction]] = {}
        waiting = list(found)
        for block in blocks:
            for instruction in block.instructions:
                if instruction.result is None or self._type_of(instruction) is None:
                    continue
                if self._is_source(instruction):
                    found.add(instruction.result)
                    waiting.append(instruction.result)
                elif self._depends(instruction):
                    for operand in instruction.operands:
                        users.setdefault(operand.value, []).append(instruction)
        while waiting:
            for user in users.get(waiting.pop(), ()):
                if user.result is not None and user.result not in found:
                    found.add(user.result)
                    waiting.append(user.result)
        return found

    def _is_passed(self, parameter: ir.Parameter) -> bool:
        if self._called == "main" or shadow_of(self.layout, parameter.type) is None:
            return False
        return not any(parameter.attributes.has(each) for each in ("byval", "sret", "nest", "swiftself"))

    def _type_of(self, instruction: ir.Instruction) -> str | None:
        type_ = instruction.type
        return None if type_ in ("void", "token", "label", "metadata") else self.at.shadow_type(type_)

    def _is_source(self, instruction: ir.Instruction) -> bool:
        if isinstance(instruction, ir.Load):
            return not self._is_constant(instruction.pointer)
        if not isinstance(instruction, ir.Call) or instruction.is_assembly:
            return False
        name = instruction.callee or ""
        if name.startswith(PREFIX):
            return name.startswith(helpers.UNDEFINED)
        return not name.startswith("llvm.") and instruction.marker != "musttail"

    def _is_constant(self, pointer: str) -> bool:
        """Whether a pointer is derived from constant global variables alone, which are defined."""
        waiting, seen = [pointer], {pointer}
        while waiting:
            each = waiting.pop()
            made = self.function.definition_of(each)
            if isinstance(made, ir.GetElementPtr):
                origins = [made.base]
            elif isinstance(made, ir.Phi):
                origins = [value for value, _ in made.incoming]
            elif isinstance(made, ir.Select):
                origins = [operand.value for operand in made.operands[1:]]
            else:
                variable = self.function.module.globals.get(each[1:])
                if not (isinstance(variable, ir.GlobalVariable) and variable.is_constant):
                    return False
                origins = []
            waiting += [origin for origin in origins if origin not in seen]
            seen.update(origins)
        return True

    @staticmethod
    def _depends(instruction: ir.Instruction) -> bool:
        """Whether the shadow of a result is computed from those of operands."""
        if isinstance(instruction, ir.Call):
            return instruction.is_intrinsic or is_transparent(instruction)
        return not isinstance(instruction, _OPAQUE)

    # The way through a block.

    def _step(self, instruction: ir.Instruction, following: ir.Instruction | None) -> None:
        self.at.anchor = instruction
        if isinstance(instruction, ir.Phi):
            return
        used = unwritten_used(instruction, self.web) if self.web else []
        if used:
            self.points.when(lambda: self._any(used))
        if isinstance(instruction, ir.MemoryAccess):
            self._access(instruction, following)
        elif isinstance(instruction, ir.Call):
            self._call(instruction, following)
        elif isinstance(instruction, ir.Ret):
            self._return(instruction)
        elif isinstance(instruction, ir.LandingPad):
            self._land(following)
        elif isinstance(instruction, ir.Br | ir.Switch | ir.IndirectBr):
            first = instruction.operands[0]
            if first.type != "label":
                self._report(first.value, first.type, "BRANCH")
        elif instruction.result in self.maybe:
            self.shadows[instruction.result] = self.rules.shadow(instruction)

    def _land(self, following: ir.Instruction | None) -> None:
        """Control has come here past frames that were left without their ends."""
        if following is not None:
            self.at.anchor = following
            self._runtime(helpers.LANDED, "")

    def _comes_in(self, load: ir.Load) -> bool:
        return load.result in self.sources and load.result not in self.web

    @property
    def _has_points(self) -> bool:
        return self.version is not Version.ALONE

    def _any(self, names: list[str]) -> str:
        """Whether one of some values has an undefined bit."""
        found = [each for each in map(self.shadows.get, names) if each is not None]
        return self.at.either("i1", *(self.at.is_any(each.bits, each.type) for each in found))

    def _report(self, value: str, type_: str, kind: str, asked: str = "") -> None:
        """Reports a value with undefined bits; once in a block, unless the runtime is asked whether it is
        looked at (`helpers.USE_IF`)."""
        shadow = self._used(value)
        if shadow is None or shadow.bits in self.reported or shadow.bits == none_of(shadow.type):
            return
        if not asked:
            self.reported.add(shadow.bits)
        bits = self.at.either("i64", *self.at.words(shadow.bits, shadow.type))
        used = f"i64 {self._number(value, type_)}, i64 {bits}, i64 {shadow.origin}, i64 {USES[kind]}"
        self._runtime(helpers.USE_IF if asked else helpers.USE, used + asked)

    def _used(self, value: str) -> Shadow | None:
        """The shadow of a value that is about to be used; if there is a twin, the points came before."""
        return None if self.version is Version.FAST else self.shadows.get(value)

    def _number(self, value: str, type_: str) -> str:
        """A value as a word, 0 where it is larger."""
        if type_ == "ptr":
            return self.at.emit(f"ptrtoint ptr {value} to i64")
        if type_ == "i64":
            return value
        bits = int(type_[1:]) if type_[0] == "i" and type_[1:].isdecimal() else 65
        return self.at.emit(f"zext {type_} {value} to i64") if bits < 64 else "0"

    def _runtime(self, name: str, arguments: str) -> None:
        self.at.declare(helpers.declaration(name))
        self.at.emit(f"call void @{name}({arguments})")

    # Memory.

    def _access(self, access: ir.MemoryAccess, following: ir.Instruction | None) -> None:
        self._report(access.pointer, "ptr", "ADDRESS")
        if self._has_points and isinstance(access, ir.Load) and self._comes_in(access):
            size = self.layout.store_size_of(access.value_type)
            self.points.load(access.pointer, size, access.align or 1)
        assert following is not None
        self.at.anchor = following
        if isinstance(access, ir.Load):
            if access.result in self.maybe:
                self.shadows[access.result] = self._loaded(access)
        elif isinstance(access, ir.Store):
            value = access.operands[0]
            align = access.align or 1
            if value.value in self.fills and align % GRANULE == 0:
                self._runtime(helpers.MARK, f"ptr {access.pointer}")
                if isinstance(self.function.definition_of(access.pointer), ir.Alloca):
                    self._runtime(helpers.DEEPEN, f"ptr {access.pointer}")
            else:
                shadow = self.shadows.get(value.value)
                if not (access.atomic or access.volatile):
                    self.at.anchor = access
                    self._cleared(access.pointer, value.type, align, whole=shadow is None)
                    self.at.anchor = following
                elif shadow is None:
                    self._cleared(access.pointer, value.type, align)
                if shadow is not None:
                    self._stored(access.pointer, value.type, align, shadow)
        else:
            type_ = access.operands[-1].type
            self._cleared(access.pointer, type_, self.layout.size_of(type_))

    def _parts(self, pointer: str, offset: int, size: int, align: int) -> Iterator[tuple[str, int, int]]:
        """The granules' worth of a range of memory: pointer, size, alignment."""
        for at in range(offset, offset + size, GRANULE):
            count = min(GRANULE, offset + size - at)
            place = self.at.emit(f"getelementptr i8, ptr {pointer}, i64 {at}") if at else pointer
            yield place, count, min(align, at & -at) if at else align

    def _loaded(self, load: ir.Load) -> Shadow:
        shadow = self.at.shadow_type(load.type) or "i64"
        whole, origin = "zeroinitializer", ""
        for path, offset, type_ in leaves(self.layout, load.type):
            of = self.at.shadow_type(str(type_)) or "i64"
            words: list[str] = []
            for place, count, align in self._parts(load.pointer, offset, _bytes(of), load.align or 1):
                name = helpers.load(count, align)
                self.at.declare(helpers.declaration(name))
                pair = self.at.emit(f"call {helpers.PAIR} @{name}(ptr {place})")
                bits = self.at.emit(f"extractvalue {helpers.PAIR} {pair}, 0")
                found = self.at.emit(f"extractvalue {helpers.PAIR} {pair}, 1")
                words.append(bits)
                origin = self._latest(bits, found, origin)
            part = self.at.of_words(words, of)
            if not path:
                return Shadow(part, origin, shadow)
            indices = ", ".join(map(str, path))
            whole = self.at.emit(f"insertvalue {shadow} {whole}, {of} {part}, {indices}")
        return Shadow(whole, origin or "0", shadow)

    def _latest(self, bits: str, found: str, origin: str) -> str:
        if not origin:
            return found
        some = self.at.emit(f"icmp ne i64 {bits}, 0")
        return self.at.emit(f"select i1 {some}, i64 {found}, i64 {origin}")

    def _cleared(self, pointer: str, type_: str, align: int, *, whole: bool = True) -> None:
        """A value whose bits are all defined is stored, best in what comes next: then what it leaves of an
        undefined granule still stands beside the rest of the fill word, which names its origin. whole: also
        about granules of which it leaves nothing."""
        for _, offset, leaf in leaves(self.layout, type_):
            of = self.at.shadow_type(str(leaf))
            if of is None:
                continue
            for place, count, known in self._parts(pointer, offset, _bytes(of), align):
                if whole or count < GRANULE or known % GRANULE:
                    self._runtime(helpers.clear(count, known), f"ptr {place}")

    def _stored(self, pointer: str, type_: str, align: int, shadow: Shadow) -> None:
        """A value with this shadow has been stored."""
        for path, offset, leaf in leaves(self.layout, type_):
            of = self.at.shadow_type(str(leaf))
            if of is None:
                continue
            part = shadow.bits
            if path:
                indices = ", ".join(map(str, path))
                part = self.at.emit(f"extractvalue {shadow.type} {shadow.bits}, {indices}")
            words = self.at.words(part, of)
            for at, (place, count, known) in enumerate(self._parts(pointer, offset, _bytes(of), align)):
                name = helpers.store(count, known)
                self._runtime(name, f"ptr {place}, i64 {words[at]}, i64 {shadow.origin}")

    # Variables.

    def _begin_variables(self, variables: dict[ir.Alloca, list[ir.Instruction]]) -> None:
        for variable, places in variables.items():
            if not parts_of(variable):
                constant, size = describe(variable, self.context), size_of(variable)
                for place in places:
                    self.at.anchor = _after(place)
                    origin = self._origin(constant)
                    self._runtime(helpers.UNDEFINE, f"ptr {variable.result}, i64 {size}, i64 {origin}")
        for late in late_variables(self.function):
            if not parts_of(late):
                self._begin_late(late)

    def _begin_late(self, variable: ir.Alloca) -> None:
        """Its memory keeps marks when it is gone: they mean nothing once other code has written there."""
        self.at.anchor = _after(variable)
        known = size_of(variable)
        size = str(known)
        if known is None:
            count, each = variable.operands[0], self.layout.size_of(variable.allocated_type)
            size = self.at.emit(f"mul i64 {self._number(count.value, count.type)}, {each}")
        origin = self._origin(describe(variable, self.context))
        self._runtime(helpers.UNDEFINE, f"ptr {variable.result}, i64 {size}, i64 {origin}")

    def _origin(self, constant: str) -> str:
        """The origin that a constant is."""
        self.at.declare(helpers.declaration(helpers.ORIGIN))
        return self.at.emit(f"call i64 @{helpers.ORIGIN}(ptr {constant})")

    def _end_variables(
        self, variables: dict[ir.Alloca, list[ir.Instruction]], exits: list[ir.Instruction]
    ) -> None:
        """Variables leave no marks behind, because other code uses their memory next."""
        for exit_ in exits:
            self.at.anchor = exit_
            for variable in variables:
                self._define_variable(variable, size_of(variable) or 0)
            self.passing.leave()

    def _define_variable(self, variable: ir.Alloca, size: int) -> None:
        if not parts_of(variable):
            self._runtime(helpers.DEFINE, f"ptr {variable.result}, i64 {size}")
            return
        for place, count, align in self._parts(variable.result or "", 0, size, variable.align or 1):
            self._runtime(helpers.clear(count, align), f"ptr {place}")

    # Calls.

    def _enter(self) -> None:
        """Takes over the undefined bits of arguments."""
        if not any(self._is_passed(each) for each in self.function.parameters):
            return
        if self._has_points:
            self.points.when(self._is_meant)
        if self.version is Version.FAST:
            return
        meant = self._is_meant()
        self.area.store(_CALLEE, "0")
        number = 0
        for parameter in self.function.parameters:
            type_ = shadow_of(self.layout, parameter.type)
            count = slots_of(self.layout, type_) if type_ else 0
            if parameter.name in self.maybe and type_ and number + count <= MOST_ARGUMENTS:
                self.shadows[parameter.name] = self._taken(
                    ARGUMENTS + PAIR_SIZE * number, count, type_, meant
                )
            number += count

    def _is_meant(self) -> str:
        """Whether arguments are passed to this code."""
        return self.at.emit(f"icmp eq i64 {self.area.load(_CALLEE)}, {self._address}")

    @property
    def _called(self) -> str:
        """The name by which this code is called."""
        return self.function.name.removesuffix(TWIN_SUFFIX)

    @property
    def _address(self) -> str:
        return f"ptrtoint (ptr @{ir.quote(self._called)} to i64)"

    @property
    def _name(self) -> str:
        """The function in whose place this code returns: one that has called it by ``musttail``, or itself.

        The function that is called so cannot be followed by code that says whose results these are. If it
        has called others meanwhile, the word may be out of date: then the bits are lost.
        """
        tail = self.at.emit(f"icmp eq i64 {self.area.load(_TAIL)}, {self._address}")
        return self.at.emit(f"select i1 {tail}, i64 {self.area.load(_NAME)}, i64 {self._address}")

    def _return_in(self, call: ir.Call) -> None:
        """A function is called that returns in the place of this one."""
        name = self._name
        self.area.store(_TAIL, self.at.emit(f"ptrtoint ptr {call.callee_operand.value} to i64"))
        self.area.store(_NAME, name)
        self.area.store(_RETURNED, "0")

    def _taken(self, offset: int, count: int, type_: str, meant: str) -> Shadow:
        """The shadow whose words are passed from an offset on, if they are meant for this code."""
        words, origin = list[str](), ""
        for at in range(count):
            bits = self.area.load(offset + 16 * at)
            words.append(self.at.emit(f"select i1 {meant}, i64 {bits}, i64 0"))
            origin = self._latest(words[-1], self.area.load(offset + 16 * at + 8), origin)
        return Shadow(self.at.of_words(words, type_), origin or "0", type_)

    def _give(self, offset: int, shadow: Shadow) -> list[str]:
        """Passes a shadow; returns its words."""
        words = self.at.words(shadow.bits, shadow.type)
        for at, word in enumerate(words):
            self.area.store(offset + 16 * at, word)
            self.area.store(offset + 16 * at + 8, shadow.origin)
        return words

    def _name_for(self, offset: int, words: list[str], target: str) -> None:
        """Says for whom words are, if they have a bit."""
        some = self.at.emit(f"icmp ne i64 {self.at.either('i64', *words)}, 0")
        self.area.store(offset, self.at.emit(f"select i1 {some}, i64 {target}, i64 0"))

    def _return(self, instruction: ir.Ret) -> None:
        if instruction.value is None or self._follows_musttail(instruction):
            return
        operand = instruction.operands[0]
        if self._called == "main":
            self._report(operand.value, operand.type, "STATUS")
            return
        shadow = self._used(operand.value)
        type_ = self.at.shadow_type(operand.type)
        if type_ is None or slots_of(self.layout, type_) > MOST_RESULTS:
            return
        if shadow is None:
            self.area.store(_RETURNED, "0")
            return
        self._name_for(_RETURNED, self._give(RESULTS, shadow), self._name)

    @staticmethod
    def _follows_musttail(instruction: ir.Instruction) -> bool:
        return any(isinstance(each, ir.Call) and each.marker == "musttail" for each in instruction.owner)

    def _call(self, call: ir.Call, following: ir.Instruction | None) -> None:
        name = call.callee or ""
        if name.startswith(ORIGINS):
            return
        if call.is_assembly:
            self._assembly(call, following)
        elif name.startswith(helpers.UNDEFINED):
            self._undefined(call)
        elif name.startswith("llvm."):
            self._intrinsic(call, name, following)
        elif name in _LIBRARY:
            self._report_arguments(call, name)
            if following is not None and name == _MEMSET:
                to, value, size = call.arguments[:3]
                if shadow := self._used(value.value):
                    self.at.anchor = following
                    self._set(to.value, self._number(size.value, size.type), shadow)
        elif is_decision(call):
            self._report(call.arguments[0].value, call.arguments[0].type, "BRANCH")
        elif name.startswith((LABELS, RACES, EDGES)):
            pass
        elif name.startswith(PREFIX):
            for argument in call.arguments:
                if argument.type == "ptr":
                    self._report(argument.value, "ptr", "ADDRESS")
        else:
            self._pass_on(call, name)
            self._take_result(call, following)
            if name in STORES and name not in self.context.own:
                self._written(call, STORES[name], following)
            if call.returns_twice:
                self._land(following)

    def _report_arguments(self, call: ir.Call, name: str) -> None:
        """Reports what a library function looks at."""
        optional = OPTIONAL.get(name)
        for at, argument in enumerate(call.arguments):
            which = optional.which(at) if optional else None
            if optional and which is not None:
                by = call.arguments[optional.by]
                asked = f", i64 {which}, i64 {self._number(by.value, by.type)}"
                self._report(argument.value, argument.type, "ARGUMENT", asked)
            elif _STORED.get(name) != at:
                self._report(argument.value, argument.type, "ARGUMENT")

    def _written(self, call: ir.Call, stores: Mapping[int, int], following: ir.Instruction | None) -> None:
        """What a library function has stored is defined."""
        for at, size in stores.items():
            if following is not None and at < len(call.arguments):
                self.at.anchor = following
                self._runtime(helpers.DEFINE, f"ptr {call.arguments[at].value}, i64 {size}")

    def _undefined(self, call: ir.Call) -> None:
        type_ = self.at.shadow_type(call.type)
        if call.result in self.maybe and type_:
            origin = self._origin(call.arguments[0].value)
            self.shadows[call.result] = Shadow(all_of(type_), origin, type_)
            if self.layout.store_size_of(call.type) == GRANULE:
                self.fills.add(call.result)

    def _assembly(self, call: ir.Call, following: ir.Instruction | None) -> None:
        """What it computes and writes is defined; nothing changes where it has no instruction."""
        if is_transparent(call):
            if call.result in self.maybe:
                self.shadows[call.result] = self._unchanged(call)
            return
        if following is None:
            return
        self.at.anchor = following
        for argument in written(call):
            size = self.layout.size_of(_within(argument.attributes, "elementtype"))
            self._runtime(helpers.DEFINE, f"ptr {argument.value}, i64 {size}")

    def _unchanged(self, call: ir.Call) -> Shadow | None:
        """The shadow of the outputs of assembly without instructions: those of the inputs that they are."""
        type_ = self.at.shadow_type(call.type)
        found = [None if each is None else self.shadows.get(each.value) for each in tied(call)]
        known = [each for each in found if each is not None]
        if not known or type_ is None or any(each.type not in type_ for each in known):
            return None
        if not is_aggregate(type_):
            return known[0]
        whole = "zeroinitializer"
        for number, shadow in enumerate(found):
            if shadow is not None:
                whole = self.at.emit(f"insertvalue {type_} {whole}, {shadow.type} {shadow.bits}, {number}")
        return Shadow(whole, self.at.origin(*known), type_)

    def _pass_on(self, call: ir.Call, name: str) -> None:
        target = call.callee_operand
        self._report(target.value, "ptr", "TARGET")
        if name in _ENDS:
            self._report(call.arguments[0].value, call.arguments[0].type, "STATUS")
            return
        words: list[str] = []
        number = 0
        for argument in call.arguments:
            type_ = shadow_of(self.layout, argument.type) if argument.type != "metadata" else None
            count = slots_of(self.layout, type_) if type_ else 0
            if number + count > MOST_ARGUMENTS:
                break
            shadow = self._used(argument.value)
            if shadow is not None and type_:
                words += self._give(ARGUMENTS + PAIR_SIZE * number, shadow)
            elif type_ and self._gives_any(call):
                for at in range(count):
                    self.area.store(ARGUMENTS + PAIR_SIZE * (number + at), "0")
            number += count
        if words:
            self._name_for(_CALLEE, words, self.at.emit(f"ptrtoint ptr {target.value} to i64"))
        self.passing.give(call)
        if call.marker == "musttail":
            self._return_in(call)

    def _gives_any(self, call: ir.Call) -> bool:
        return any(self._used(each.value) is not None for each in call.arguments)

    def _take_result(self, call: ir.Call, following: ir.Instruction | None) -> None:
        if call.result not in self.sources:
            return
        type_ = self.at.shadow_type(call.type)
        if type_ is None or slots_of(self.layout, type_) > MOST_RESULTS:
            return
        anchor = following
        if isinstance(call, ir.Invoke):
            anchor = self._after_invoke(call)
        if anchor is None:
            return
        target = call.callee_operand.value
        self.at.anchor = anchor
        if self._has_points:
            number = self.points.when(lambda: self._is_from(target))
            if target.startswith("%"):
                self.targets[number] = {target}
        if self.version is Version.FAST:
            return
        meant = self._is_from(target)
        self.shadows[call.result or ""] = self._taken(RESULTS, slots_of(self.layout, type_), type_, meant)

    def _is_from(self, target: str) -> str:
        """Whether results are passed from a function."""
        address = self.at.emit(f"ptrtoint ptr {target} to i64")
        return self.at.emit(f"icmp eq i64 {self.area.load(_RETURNED)}, {address}")

    def _after_invoke(self, call: ir.Invoke) -> ir.Instruction:
        """Where control comes only from the invoke, after it has returned."""
        normal = self.function.block(call.normal)
        if len(normal.predecessors) > 1 or normal.phis:
            normal = self.function.split_edge(call.owner, normal)
            self.context.forget_flow(self.function)
        return normal.insertion_point

    def _intrinsic(self, call: ir.Call, name: str, following: ir.Instruction | None) -> None:
        arguments = call.arguments
        if name.startswith(("llvm.memcpy.", "llvm.memmove.")):
            to, from_, size = (self._reported(each) for each in arguments[:3])
            self._runtime(helpers.COPY, f"ptr {to}, ptr {from_}, i64 {self._number(size, arguments[2].type)}")
        elif following is not None and name.startswith("llvm.memset."):
            to, size = (self._reported(arguments[at]) for at in (0, 2))
            count = self._number(size, arguments[2].type)
            self._runtime(helpers.DEFINE, f"ptr {to}, i64 {count}")
            self.at.anchor = following
            if shadow := self.shadows.get(arguments[1].value):
                self._set(to, count, shadow)
        elif following is not None and name.startswith(START):
            self.at.anchor = following
            self.passing.start(arguments[0].value)
        elif following is not None and name.startswith("llvm.va_copy"):
            self.at.anchor = following
            self._runtime(helpers.DEFINE, f"ptr {arguments[0].value}, i64 {_VA_LIST}")
        elif call.result in self.maybe:
            self.shadows[call.result] = self.intrinsics.shadow(call, name)

    def _set(self, to: str, count: str, shadow: Shadow) -> None:
        """Bytes have been set to a value that may be undefined."""
        bits = self.at.binary("and", "i64", self.at.words(shadow.bits, shadow.type)[0], "255")
        self._runtime(helpers.SET, f"ptr {to}, i64 {count}, i64 {bits}, i64 {shadow.origin}")

    def _reported(self, argument: ir.Argument) -> str:
        self._report(argument.value, argument.type, "ADDRESS" if argument.type == "ptr" else "ARGUMENT")
        return argument.value

    # Where control flow joins.

    def _name_phis(self, blocks: list[ir.Block]) -> list[tuple[ir.Phi, Shadow]]:
        found = []
        for block in blocks:
            for phi in block.phis:
                if phi.result in self.maybe:
                    type_ = self.at.shadow_type(phi.type) or "i64"
                    shadow = Shadow(self.function.fresh_name(), self.function.fresh_name(), type_)
                    self.shadows[phi.result] = shadow
                    found.append((phi, shadow))
        return found

    def _fill_phi(self, phi: ir.Phi, names: Shadow) -> None:
        bits, origins = [], []
        for value, block in phi.incoming:
            shadow = self.shadows.get(value)
            bits.append(f"[ {none_of(names.type) if shadow is None else shadow.bits}, {block} ]")
            origins.append(f"[ {'0' if shadow is None else shadow.origin}, {block} ]")
        phi.insert_before(f"{names.bits} = phi {names.type} {', '.join(bits)}", dbg=False)
        phi.insert_before(f"{names.origin} = phi i64 {', '.join(origins)}", dbg=False)


def _within(attributes: ir.Attributes, name: str) -> str:
    """The type in an attribute's parentheses."""
    return (attributes.get(name) or "").removeprefix(f"{name}(").removesuffix(")")


def _bytes(shadow: str) -> int:
    return (bits_of(shadow) + 7) // 8


def _after(instruction: ir.Instruction) -> ir.Instruction:
    """The instruction that follows."""
    found = instruction.next
    while not isinstance(found, ir.Instruction):
        assert found is not None
        found = found.next
    return found


def _in_order(function: ir.Function) -> list[ir.Block]:
    """The blocks that control can reach, each after one of its predecessors that dominates it."""
    order: list[ir.Block] = []
    seen = {function.entry.ref}
    stack = [(function.entry, iter(function.entry.successors))]
    while stack:
        block, rest = stack[-1]
        for each in rest:
            if each.ref not in seen:
                seen.add(each.ref)
                stack.append((each, iter(each.successors)))
                break
        else:
            order.append(block)
            stack.pop()
    return order[::-1]
