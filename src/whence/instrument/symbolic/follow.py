"""Expressions of symbolic values, followed through registers, memory and calls.

Each value that may depend on symbolic bytes has the number of its expression beside it, 0 where it is concrete.
This happens to promoted IR before anything is optimised, so a path's decisions are the branches of the source.
"""

from __future__ import annotations

from collections.abc import Collection

from whence import ir
from whence.abi.symbolic import (
    ACCESSES,
    MADE_FROM_SHIFT,
    MADE_NEGATED,
    MADE_SWAPPED,
    MADE_WIDTH_SHIFT,
    MOST_ARGUMENTS,
    OPERATORS,
    REASONS,
)
from whence.instrument.passes import Context
from whence.instrument.symbolic import helpers, intrinsics, library
from whence.instrument.symbolic.shapes import parts_of, width_of, word
from whence.instrument.symbolic.varying import CASTS, is_numbered, varying

_OURS = "__whence_"
_INLINE = "available_externally"
"""The linkage of definitions that another one may take the place of, which has no IR."""
_COMPARISONS = {
    "eq": ("EQ", 0),
    "ne": ("EQ", MADE_NEGATED),
    "ult": ("ULT", 0),
    "ule": ("ULE", 0),
    "ugt": ("ULT", MADE_SWAPPED),
    "uge": ("ULE", MADE_SWAPPED),
    "slt": ("SLT", 0),
    "sle": ("SLE", 0),
    "sgt": ("SLT", MADE_SWAPPED),
    "sge": ("SLE", MADE_SWAPPED),
}
_CHECKED = ("udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr")


def follow_symbolic(context: Context) -> None:
    """Follows the expressions of values.

    Before::

        define i32 @f(i32 %x) {
        entry:
          %y = add i32 %x, 1
          ret i32 %y
        }

    After::

        define i32 @f(i32 %x) {
        entry:
          %wh.2 = call i1 @__whence_symbolic_enter(ptr @f)
          %wh.0 = call i32 @__whence_symbolic_parameter(i1 %wh.2, i64 0)
          %y = add i32 %x, 1
          %wh.1 = call i32 @__whence_symbolic_make_32(i32 8193, i32 %wh.0, i32 %x, i32 0, i32 1)
          call void @__whence_symbolic_return_1(ptr @f, i32 %wh.1)
          ret i32 %y
        }
        declare i1 @__whence_symbolic_enter(ptr captures(address)) nounwind memory(inaccessiblemem: readwrite)
        declare i32 @__whence_symbolic_parameter(i1, i64) nounwind willreturn memory(inaccessiblemem: read)
        declare i32 @__whence_symbolic_make_32(i32, i32, i32, i32, i32) nounwind willreturn memory(none)
        declare void @__whence_symbolic_return_1(ptr captures(address), i32) nounwind memory(inaccessiblemem: readwrite)
    """  # noqa: E501
    for function in _followed(context):
        _Follower(function, context.own).run()


def _followed(context: Context) -> list[ir.Function]:
    """The definitions whose code may run here: those that only inlining uses, too, but not library functions
    that have a model."""
    return [
        each
        for each in context.module.definitions
        if not each.attributes.has("naked")
        and not (each.linkage == _INLINE and each.name in library.MODELS and each.name not in context.own)
    ]


class _Follower:
    """The expressions of the values of one function.

    own: library functions that the program defines itself. numbers: by the name of a value that may have an expression, the names of the numbers of its parts.
    """

    def __init__(self, function: ir.Function, own: Collection[str]) -> None:
        self.function = function
        self.own = own
        self.module = function.module
        self.numbers: dict[str, tuple[str, ...]] = {}

    def run(self) -> None:
        instructions = list(self.function.instructions())
        names = varying(self.function)
        for each in (*self.function.parameters, *instructions):
            name = each.name if isinstance(each, ir.Parameter) else each.result
            if name in names:
                count = len(parts_of(each.type, self.module)) or 1
                self.numbers[name] = tuple(self.function.fresh_name() for _ in range(count))
        self._enter()
        for each in instructions:
            handler = _HANDLERS.get(type(each))
            if handler is None:
                self._bind_all(each, "OPERATION")
            else:
                handler(self, each)
        if self.function.name == "main":
            self._main()

    # Text.

    def emit(self, before: ir.Instruction, kind: str, arguments: str, result: str = "", dbg: bool = True) -> None:
        """Inserts a call of a helper; `result`: the name of what it returns."""
        name = helpers.PREFIX + kind
        declared = self.module.add_declaration(helpers.declaration(name))
        type_ = declared.return_type
        head = f"{result} = " if result else ""
        before.insert_before(f"{head}call {type_} @{name}({arguments})", dbg=dbg)

    def number(self, value: str) -> str:
        """The number of a value's expression, as an operand; "0" if it can have none."""
        return self.numbers.get(value, ("0",))[0]

    def _pair(self, before: ir.Instruction, one: ir.Operand, other: ir.Operand) -> tuple[str, str]:
        """Two operands with their numbers as arguments, and the suffix."""
        first, suffix = word(before, one.value, one.type)
        second, _ = word(before, other.value, other.type)
        return f"i32 {self.number(one.value)}, {first}, i32 {self.number(other.value)}, {second}", suffix

    def _may_vary(self, *operands: ir.Operand) -> bool:
        return any(each.value in self.numbers for each in operands)

    # The begin.

    def _enter(self) -> None:
        first = next(i for i in self.function.entry if not isinstance(i, ir.Alloca))
        numbered = [
            (index, each)
            for index, each in enumerate(self.function.parameters)
            if each.name in self.numbers
        ]
        if not numbered:
            return
        meant = self.function.fresh_name()
        self.emit(first, "enter", f"ptr {self.function.ref}", meant)
        for index, each in numbered:
            result = self.numbers[each.name or ""][0]
            if index < MOST_ARGUMENTS:
                self.emit(first, "parameter", f"i1 {meant}, i64 {index}", result)
            else:
                first.insert_before(f"{result} = add i32 0, 0")

    def _main(self) -> None:
        first = next(i for i in self.function.entry if not isinstance(i, ir.Alloca))
        names = [each.name for each in self.function.parameters]
        vector = names[1] if len(names) > 1 else "null"
        self.emit(first, "main", f"i64 0, ptr {vector}")

    # Values.

    def binary(self, made: ir.Instruction) -> None:
        if made.opcode.startswith("f") or not width_of(made.type):
            self._bind_all(made, "FLOATING" if made.opcode.startswith("f") else "WIDTH")
            return
        if not self._may_vary(*made.operands):
            return
        one, other = made.operands
        if made.opcode in _CHECKED and (other.value in self.numbers or made.opcode in ("sdiv", "srem")):
            arguments, suffix = self._pair(made, one, other)
            self.emit(made, f"check_{suffix}", f"i32 {_what(made.opcode.upper(), made.type)}, {arguments}")
        self._make(made, _what(made.opcode.upper(), made.type))

    def compare(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Compare)
        type_ = made.operands[0].type
        if made.opcode == "fcmp" or not width_of(type_):
            self._bind_all(made, "FLOATING" if made.opcode == "fcmp" else "WIDTH")
        elif self._may_vary(*made.operands):
            name, flags = _COMPARISONS[made.predicate]
            self._make(made, _what(name, type_) | flags)

    def _make(self, made: ir.Instruction, what: int) -> None:
        place = _after(made)
        arguments, suffix = self._pair(place, *made.operands)
        self.emit(place, f"make_{suffix}", f"i32 {what}, {arguments}", self._own(made))

    def _own(self, made: ir.Instruction) -> str:
        return self.numbers[made.result or ""][0]

    def cast(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Cast)
        source = made.operands[0]
        if made.opcode not in CASTS:
            self._bind_all(made, "FLOATING")
        elif made.result not in self.numbers:
            self._bind_all(made, "WIDTH")
        elif self._may_vary(source):
            name = "SEXT" if made.opcode == "sext" else "ZEXT"
            self._resize(_after(made), name, source, made.type, self._own(made))
        else:
            self._nothing(made)

    def _resize(self, place: ir.Instruction, name: str, source: ir.Operand, type_: str, result: str) -> None:
        what = _what(name, type_) | width_of(source.type) << MADE_FROM_SHIFT
        self.emit(place, "cast", f"i32 {what}, i32 {self.number(source.value)}", result)

    def _nothing(self, made: ir.Instruction) -> None:
        """The value has no expression after all."""
        for name in self.numbers.get(made.result or "", ()):
            _after(made).insert_before(f"{name} = add i32 0, 0")

    def unary(self, made: ir.Instruction) -> None:
        if made.opcode == "freeze" and made.result in self.numbers:
            self._same(made, made.operands[0].value)
        else:
            self._bind_all(made, "FLOATING")

    def _same(self, made: ir.Instruction, value: str) -> None:
        """The numbers of another value of the same type."""
        place = _after(made)
        sources = self.numbers.get(value, ("0",) * len(self.numbers[made.result or ""]))
        for name, source in zip(self.numbers[made.result or ""], sources, strict=True):
            place.insert_before(f"{name} = add i32 {source}, 0")

    def select(self, made: ir.Instruction) -> None:
        condition, one, other = made.operands
        if made.result not in self.numbers or condition.type != "i1" or not width_of(made.type):
            self._bind_all(made, "WIDTH")
            self._nothing(made)
            return
        self._choose(made, condition.value, self.number(condition.value), one, other)

    def _choose(
        self, made: ir.Instruction, condition: str, number: str, one: ir.Operand, other: ir.Operand
    ) -> None:
        place = _after(made)
        arguments, suffix = self._pair(place, one, other)
        arguments = f"i32 {number}, i1 {condition}, i32 {width_of(made.type)}, {arguments}"
        self.emit(place, f"choose_{suffix}", arguments, self._own(made))

    def phi(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Phi)
        for part, name in enumerate(self.numbers.get(made.result or "", ())):
            incoming = ", ".join(
                f"[ {self.numbers[value][part] if value in self.numbers else '0'}, {block} ]"
                for value, block in made.incoming
            )
            made.insert_before(f"{name} = phi i32 {incoming}", dbg=False)

    def address(self, made: ir.Instruction) -> None:
        """An address is the sum of its base and the products of its indices and sizes."""
        assert isinstance(made, ir.GetElementPtr)
        if made.result not in self.numbers:
            if self._may_vary(*made.operands):
                self._bind_all(made, "WIDTH")
            return
        place = _after(made)
        offset = made.offset
        if offset is None:
            self._bind_all(made, "OPERATION")
            self._nothing(made)
            return
        number, value = self.number(made.base), place.insert_before(f"ptrtoint ptr {made.base} to i64").result or ""
        for type_, index, scale in _terms(made):
            number, value = self._plus(place, number, value, type_, index, scale)
        if offset.constant:
            number, value = self._sum(place, number, value, "0", str(offset.constant))
        place.insert_before(f"{self._own(made)} = add i32 {number}, 0")

    def _plus(
        self, place: ir.Instruction, number: str, value: str, type_: str, index: str, scale: int
    ) -> tuple[str, str]:
        """An address and a scaled index."""
        own = self.number(index)
        if type_ != "i64":
            opcode = "trunc" if width_of(type_) > 64 else "sext"
            wide = place.insert_before(f"{opcode} {type_} {index} to i64").result or ""
            if own != "0":
                name = self.function.fresh_name()
                self._resize(place, "SEXT", ir.Operand(type_, index, 0, 0), "i64", name)
                own = name
            index = wide
        if scale != 1:
            product = place.insert_before(f"mul i64 {index}, {scale}").result or ""
            if own != "0":
                name = self.function.fresh_name()
                self.emit(place, "make_64", f"i32 {_what('MUL', 'i64')}, i32 {own}, i64 {index}, i32 0, i64 {scale}", name)
                own = name
            index = product
        return self._sum(place, number, value, own, index)

    def _sum(self, place: ir.Instruction, number: str, value: str, own: str, index: str) -> tuple[str, str]:
        total = place.insert_before(f"add i64 {value}, {index}").result or ""
        if number == own == "0":
            return "0", total
        name = self.function.fresh_name()
        self.emit(
            place, "make_64", f"i32 {_what('ADD', 'i64')}, i32 {number}, i64 {value}, i32 {own}, i64 {index}", name
        )
        return name, total

    # Parts of structs.

    def extract(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.ExtractValue)
        whole = self.numbers.get(made.operands[0].value)
        if made.result in self.numbers:
            number = whole[made.indices[0]] if whole and len(made.indices) == 1 else "0"
            _after(made).insert_before(f"{self._own(made)} = add i32 {number}, 0")

    def insert(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.InsertValue)
        whole, value = made.operands
        own = self.numbers.get(made.result or "")
        if own is None or len(made.indices) != 1:
            self._bind_all(made, "WIDTH")
            return
        parts = list(self.numbers.get(whole.value, ("0",) * len(own)))
        parts[made.indices[0]] = self.number(value.value)
        place = _after(made)
        for name, number in zip(own, parts, strict=True):
            place.insert_before(f"{name} = add i32 {number}, 0")

    # Memory.

    def load(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Load)
        parts = parts_of(made.type, self.module)
        stays = width_of(made.type) and not made.atomic
        size = self.module.layout.store_size_of(made.type)
        self._reach(made, made.pointer, size, "READ", "tell" if stays else "reach")
        place = _after(made)
        if parts and made.result in self.numbers:
            for index, (name, type_) in enumerate(zip(self.numbers[made.result], parts, strict=True)):
                value = place.insert_before(f"extractvalue {made.type} {made.result}, {index}").result or ""
                offset = self.module.layout.field_offset(made.type, index)
                pointer = place.insert_before(f"getelementptr i8, ptr {made.pointer}, i64 {offset}").result or ""
                self._load_part(place, pointer, value, type_, name)
        elif made.result in self.numbers:
            self._load_part(place, made.pointer, made.result or "", made.type, self._own(made))
        else:
            self.emit(made, "bytes", f"ptr {made.pointer}, i64 {size}, i32 {REASONS['WIDTH']}")

    def _load_part(self, place: ir.Instruction, pointer: str, value: str, type_: str, result: str) -> None:
        width, bits = width_of(type_), 8 * self.module.layout.store_size_of(type_)
        loaded = self._bits(place, value, type_)
        name = result if width == bits else self.function.fresh_name()
        if self.number(pointer) == "0":
            self.emit(place, f"load_{bits}", f"ptr {pointer}, {loaded}", name)
        else:
            self.emit(place, f"seek_{bits}", f"{self._place(pointer)}, {loaded}", name)
        if width != bits:
            self.emit(place, "cast", f"i32 {_what('ZEXT', type_)}, i32 {name}", result)

    def _bits(self, place: ir.Instruction, value: str, type_: str) -> str:
        """A value as the integer that memory holds."""
        bits = 8 * self.module.layout.store_size_of(type_)
        opcode = "ptrtoint" if type_ == "ptr" else "zext" if type_.startswith("i") else "bitcast"
        if type_ == f"i{bits}":
            return f"{type_} {value}"
        return f"i{bits} {place.insert_before(f'{opcode} {type_} {value} to i{bits}').result}"

    def store(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Store)
        layout, type_ = self.module.layout, made.value_type
        size = layout.store_size_of(type_)
        place = _after(made)
        parts = parts_of(type_, self.module)
        stays = width_of(type_) and not made.atomic
        self._reach(made, made.pointer, size, "WRITE", "tell" if stays else "reach")
        if stays and self.number(made.pointer) != "0":
            value = self._bits(made, made.value, type_)
            self.emit(made, f"put_{8 * size}", f"{self._place(made.pointer)}, i32 {self.number(made.value)}, {value}")
        elif parts:
            numbers = self.numbers.get(made.value, ("0",) * len(parts))
            for index, (number, part) in enumerate(zip(numbers, parts, strict=True)):
                offset = layout.field_offset(type_, index)
                pointer = place.insert_before(f"getelementptr i8, ptr {made.pointer}, i64 {offset}").result or ""
                self._store_part(place, pointer, number, part)
        elif width_of(type_):
            self._store_part(place, made.pointer, self.number(made.value), type_)
        else:
            self.emit(place, "clear", f"ptr {made.pointer}, i64 {size}")

    def _store_part(self, place: ir.Instruction, pointer: str, number: str, type_: str) -> None:
        bits = 8 * self.module.layout.store_size_of(type_)
        self.emit(place, f"store_{bits}", f"ptr {pointer}, i32 {number}")

    def atomic(self, made: ir.Instruction) -> None:
        """What an atomic operation reads is bound, and what it writes is concrete."""
        assert isinstance(made, ir.MemoryAccess)
        size = self.module.layout.store_size_of(made.value_type)
        self._reach(made, made.pointer, size, "WRITE")
        self._bind_all(made, "OPERATION")
        self.emit(made, "bytes", f"ptr {made.pointer}, i64 {size}, i32 {REASONS['OPERATION']}")

    def _reach(self, access: ir.Instruction, pointer: str, size: int, how: str, kind: str = "reach") -> None:
        """An access through an address that may be symbolic; `reach` binds it, `tell` does not."""
        if self.number(pointer) != "0":
            self.emit(access, kind, f"{self._place(pointer)}, i64 {size}, i32 {ACCESSES[how]}")

    def _place(self, pointer: str) -> str:
        """An address as arguments: its number, itself, the object that the code names and its size."""
        root, extent = self._object(pointer)
        return f"i32 {self.number(pointer)}, ptr {pointer}, ptr {root}, i64 {extent}"

    def _object(self, pointer: str) -> tuple[str, int]:
        """The variable that an address is visibly computed from, and its size; 0 if that is not known."""
        made = self.function.definition_of(pointer)
        while isinstance(made, ir.GetElementPtr):
            pointer = made.base
            made = self.function.definition_of(pointer)
        if isinstance(made, ir.Alloca) and made.count in (None, "1"):
            return pointer, self.module.layout.size_of(made.allocated_type)
        variable = self.module.globals.get(ir.unquote(pointer)) if pointer.startswith("@") else None
        if isinstance(variable, ir.GlobalVariable) and variable.is_definition:
            return pointer, self.module.layout.size_of(variable.value_type)
        return "null", 0

    # Control.

    def branch(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Br)
        condition = made.condition
        if condition in self.numbers:
            self.emit(made, "decide", f"i32 {self.number(condition or '')}, i1 {condition}")

    def switch(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Switch)
        operand = made.operands[0]
        if operand.value not in self.numbers:
            return
        value, suffix = word(made, operand.value, operand.type)
        self.emit(made, f"select_{suffix}", f"i32 {self.number(operand.value)}, {value}")

    def nothing(self, made: ir.Instruction) -> None:
        """The instruction looks at no value."""

    def finish(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Ret)
        if made.value is None or made.value not in self.numbers or _ends_with_musttail(made):
            return
        numbers = self.numbers[made.value]
        listed = ", ".join(f"i32 {each}" for each in numbers)
        self.emit(made, f"return_{len(numbers)}", f"ptr {self.function.ref}, {listed}")

    def allocate(self, made: ir.Instruction) -> None:
        self._bind_all(made, "SIZE")

    # Binding.

    def _bind_all(self, made: ir.Instruction, reason: str) -> None:
        """Binds all operands that have expressions."""
        for operand in made.operands:
            self.bind(made, operand.value, operand.type, reason)

    def bind(self, before: ir.Instruction, value: str, type_: str, reason: str) -> None:
        """The value is what it is from here on."""
        if value not in self.numbers:
            return
        parts = parts_of(type_, self.module)
        for index, number in enumerate(self.numbers[value]):
            part, part_type = value, type_
            if parts:
                part = before.insert_before(f"extractvalue {type_} {value}, {index}").result or ""
                part_type = parts[index]
            said, suffix = word(before, part, part_type)
            self.emit(before, f"bind_{suffix}", f"i32 {number}, {said}, i32 {REASONS[reason]}")

    # Calls.

    def call(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Call)
        name = made.callee or ""
        if name.startswith(_OURS):
            self._nothing(made)
        elif made.is_assembly:
            self._bind_all(made, "OPERATION")
        elif name.startswith("llvm."):
            self._intrinsic(made, name)
        elif name in library.OUTPUT and not self._is_used(made):
            self._nothing(made)
        else:
            self._plain_call(made, name)

    def _is_used(self, made: ir.Instruction) -> bool:
        name = made.result
        return name is not None and any(
            operand.value == name for each in self.function.instructions() for operand in each.operands
        )

    def _plain_call(self, made: ir.Call, name: str) -> None:
        if made.callee is None:
            self.bind(made, made.callee_operand.value, "ptr", "TARGET")
        for index in library.SIZES.get(name, ()):
            argument = made.arguments[index]
            self.bind(made, argument.value, argument.type, "SIZE")
        if name in library.FREES:
            self._reach(made, made.arguments[library.FREES[name]].value, 0, "FREE")
        model = self._model(made, name)
        if model:
            self._modelled(made, model)
            return
        target = made.callee_operand.value
        passes = self._pass(made, target)
        if self._may_be_unseen(name):
            self._leave(made, name, target, passes)
        if made.marker == "musttail":
            return
        place = _after(made)
        if passes:
            self.emit(place, "passed", f"ptr {target}")
        for index, result in enumerate(self.numbers.get(made.result or "", ())):
            self.emit(place, "result", f"ptr {target}, i64 {index}", result)

    def _may_be_unseen(self, name: str) -> bool:
        function = self.module.functions.get(name)
        return function is None or not function.is_definition or function.linkage == _INLINE

    def _leave(self, made: ir.Call, name: str, target: str, passes: bool) -> None:
        """Code that follows no expressions may be called: it is given what is bound."""
        if name.startswith(library.INTERFACE):
            return
        if passes:
            self.emit(made, "leave", f"ptr {target}")
        if name in library.UNTOUCHED:
            return
        for argument in made.arguments:
            if argument.type == "ptr" and not self._is_text(argument.value):
                self.emit(made, "lend", f"ptr {target}, ptr {argument.value}")

    def _is_text(self, value: str) -> bool:
        """Whether it is a constant of this module, or no memory."""
        if value in ("null", "poison", "undef"):
            return True
        variable = self.module.globals.get(ir.unquote(value)) if value.startswith("@") else None
        return isinstance(variable, ir.GlobalVariable) and variable.is_constant

    def _model(self, made: ir.Call, name: str) -> library.Model | None:
        model = library.MODELS.get(name)
        if model is None or name in self.own or not self._may_be_unseen(name) or made.marker == "musttail":
            return None
        given = tuple(each.type for each in made.arguments[: len(model.parameters)])
        return model if given == model.parameters else None

    def _modelled(self, made: ir.Call, model: library.Model) -> None:
        """Calls the models of a library function before and after it."""
        types = ", ".join(model.parameters)
        given = [f"{each.type} {each.value}" for each in made.arguments[: len(model.parameters)]]
        for argument in made.arguments[len(model.parameters) :]:
            self.bind(made, argument.value, argument.type, "UNSEEN")
        if model.before:
            name = f"@{helpers.MODEL}{model.before}"
            self.module.add_declaration(f"declare void {name}({types}) nounwind")
            self._pass(made, name)
            made.insert_before(f"call void {name}({', '.join(given)})")
        self._bind_addresses(made)
        place, numbers = _after(made), self.numbers.get(made.result or "", ())
        if not model.after:
            self._nothing(made)
            return
        if made.type != "void":
            types = f"{types}, {made.type}" if types else made.type
            given.append(f"{made.type} {made.result or 'poison'}")
        name = f"@{helpers.AFTER}{model.after}"
        self.module.add_declaration(f"declare i32 {name}({types}) nounwind")
        head = f"{numbers[0]} = " if numbers else ""
        place.insert_before(f"{head}call i32 {name}({', '.join(given)})")

    def _bind_addresses(self, made: ir.Call) -> None:
        """A library function gets addresses, and lengths, that are concrete."""
        for argument in made.arguments:
            if argument.type == "ptr":
                self._reach(made, argument.value, 0, "READ")
            elif argument.type == "i64":
                self.bind(made, argument.value, argument.type, "SIZE")

    def _pass(self, made: ir.Call, target: str) -> bool:
        """Passes the numbers of arguments; whether there may be some."""
        numbers = []
        for index, argument in enumerate(made.arguments):
            number = self.number(argument.value) if is_numbered(argument) else "0"
            if number != "0" and (index >= MOST_ARGUMENTS or index >= _fixed(made)):
                self.bind(made, argument.value, argument.type, "UNSEEN")
                number = "0"
            numbers.append(number)
        numbers = numbers[:MOST_ARGUMENTS]
        while numbers and numbers[-1] == "0":
            numbers.pop()
        if not numbers:
            return False
        listed = ", ".join(f"i32 {each}" for each in numbers)
        self.emit(made, f"pass_{len(numbers)}", f"ptr {target}, {listed}")
        return True

    def _intrinsic(self, made: ir.Call, name: str) -> None:
        arguments = made.arguments
        if name.startswith(intrinsics.SAME) and made.result in self.numbers:
            self._same(made, arguments[0].value)
        elif name.startswith(tuple(intrinsics.EXTREMES)) and made.result in self.numbers:
            self._extreme(made, name)
        elif name.startswith(intrinsics.COPIES):
            to, source, size = arguments[:3]
            self._bind_range(made, (to, "WRITE"), (source, "READ"), size=size)
            self.emit(_after(made), "copy", f"ptr {to.value}, ptr {source.value}, {_wide(made, size)}")
        elif name.startswith(intrinsics.SETS):
            to, byte, size = arguments[:3]
            self._bind_range(made, (to, "WRITE"), size=size)
            self.emit(_after(made), "set", f"ptr {to.value}, i32 {self.number(byte.value)}, {_wide(made, size)}")
        elif not name.startswith(intrinsics.SILENT):
            for argument in arguments:
                self.bind(made, argument.value, argument.type, "OPERATION")
        if name == "llvm.lifetime.start.p0":
            self._born(made)

    def _born(self, made: ir.Call) -> None:
        """A variable's memory has no expressions of earlier ones."""
        pointer = made.arguments[-1].value
        variable = self.function.definition_of(pointer)
        if isinstance(variable, ir.Alloca) and variable.count in (None, "1"):
            size = self.module.layout.size_of(variable.allocated_type)
            self.emit(_after(made), "clear", f"ptr {pointer}, i64 {size}")

    def _bind_range(self, made: ir.Call, *sides: tuple[ir.Argument, str], size: ir.Argument) -> None:
        self.bind(made, size.value, size.type, "SIZE")
        for pointer, how in sides:
            self._reach(made, pointer.value, 0, how)

    def _extreme(self, made: ir.Call, name: str) -> None:
        predicate = next(each for key, each in intrinsics.EXTREMES.items() if name.startswith(key))
        one, other = (ir.Operand(each.type, each.value, 0, 0) for each in made.arguments)
        place = _after(made)
        wins = place.insert_before(f"icmp {predicate} {one.type} {one.value}, {other.value}").result or ""
        arguments, suffix = self._pair(place, one, other)
        kind, flags = _COMPARISONS[predicate]
        condition = self.function.fresh_name()
        self.emit(place, f"make_{suffix}", f"i32 {_what(kind, one.type) | flags}, {arguments}", condition)
        arguments = f"i32 {condition}, i1 {wins}, i32 {width_of(made.type)}, {arguments}"
        self.emit(place, f"choose_{suffix}", arguments, self._own(made))


_HANDLERS = {
    ir.Binary: _Follower.binary,
    ir.Compare: _Follower.compare,
    ir.Cast: _Follower.cast,
    ir.Unary: _Follower.unary,
    ir.Select: _Follower.select,
    ir.Phi: _Follower.phi,
    ir.GetElementPtr: _Follower.address,
    ir.ExtractValue: _Follower.extract,
    ir.InsertValue: _Follower.insert,
    ir.Load: _Follower.load,
    ir.Store: _Follower.store,
    ir.AtomicRMW: _Follower.atomic,
    ir.CmpXchg: _Follower.atomic,
    ir.Br: _Follower.branch,
    ir.Switch: _Follower.switch,
    ir.Ret: _Follower.finish,
    ir.Alloca: _Follower.allocate,
    ir.Call: _Follower.call,
    ir.Invoke: _Follower.call,
    ir.LandingPad: _Follower.nothing,
    ir.Unreachable: _Follower.nothing,
}


def _what(operator: str, type_: str) -> int:
    """The word that asks for an expression."""
    return OPERATORS[operator].number | width_of(type_) << MADE_WIDTH_SHIFT


def _fixed(call: ir.Call) -> int:
    """How many arguments are not variable ones."""
    if not call.variadic:
        return len(call.arguments)
    return call.function_type[call.function_type.index("(") :].count(",")


def _wide(made: ir.Call, size: ir.Argument) -> str:
    return f"i64 {size.value}" if size.type == "i64" else f"i64 {size.value}"


def _terms(made: ir.GetElementPtr) -> list[tuple[str, str, int]]:
    """The indices that are not constant, with their types and the sizes that they count."""
    offset = made.offset
    assert offset is not None
    types = {value: type_ for type_, value in made.indices}
    return [(types[name], name, scale) for scale, name in offset.terms]


def _ends_with_musttail(made: ir.Ret) -> bool:
    return any(isinstance(each, ir.Call) and each.marker == "musttail" for each in made.owner)


def _after(made: ir.Instruction) -> ir.Instruction:
    """Where something can be inserted as soon as a result is there."""
    if isinstance(made, ir.Invoke):
        normal = made.function.block(made.normal)
        if len(normal.predecessors) > 1:
            normal = made.function.split_edge(made.owner, normal)
        return normal.insertion_point
    found = made.next
    while found is not None and not isinstance(found, ir.Instruction):
        found = found.next
    assert isinstance(found, ir.Instruction)
    return made.owner.insertion_point if found.leads else found
