"""Calls: what they pass and return, models of library functions, and intrinsics."""

from __future__ import annotations

from collections.abc import Iterable

from whence import ir
from whence.abi.intercepts import PREFIX
from whence.abi.symbolic import MOST_ARGUMENTS, REASONS
from whence.instrument.passes.inserting import after
from whence.instrument.symbolic import helpers, intrinsics, library
from whence.instrument.symbolic.comparisons import COMPARISONS
from whence.instrument.symbolic.emitting import Emitter, what_of
from whence.instrument.symbolic.expansions import expansion, is_expanded
from whence.instrument.symbolic.shapes import width_of
from whence.instrument.symbolic.varying import is_numbered

INLINE = "available_externally"
"""The linkage of definitions that another one may take the place of, which has no IR."""


class Calls(Emitter):
    """The handlers of calls."""

    _used: set[str] | None = None
    """Values that are operands."""

    def call(self, made: ir.Instruction) -> None:
        assert isinstance(made, ir.Call)
        name = made.callee or ""
        is_library = name not in self.own and self._may_be_unseen(name)
        for pointer, *factors in library.EXTENTS.get(name, ()) if is_library else ():
            if max(pointer, *factors) < len(made.arguments):
                self._extent(made, made.arguments[pointer], *(made.arguments[each] for each in factors))
        if name.startswith(PREFIX):
            self.nothing_of(made)
        elif made.is_assembly:
            self.bind_all(made, "OPERATION")
            for argument in made.arguments:
                self._lend(made, "null", argument)
        elif name.startswith("llvm."):
            self._intrinsic(made, name)
        elif name in library.FLAT and is_library:
            for index in library.FLAT[name]:
                self.bind(made, made.arguments[index].value, made.arguments[index].type, "SIZE")
            self.nothing_of(made)
        elif name in library.OUTPUT and not self._is_used(made):
            if name in library.ENDS:
                status = made.arguments[0]
                self.bind(made, status.value, status.type, "UNSEEN")
            self._output(made, name)
            self.nothing_of(made)
        else:
            self._plain_call(made, name)

    def expand(
        self, place: ir.Instruction, lines: Iterable[str], names: dict[str, str], *, checked: bool
    ) -> dict[str, str]:
        """Writes instructions before `place`, and follows them: names of all results, with those given.

        names: what stands for those of the lines. checked: the solver is asked about divisions and shifts.
        """
        raise NotImplementedError

    def _is_used(self, made: ir.Instruction) -> bool:
        if self._used is None:
            instructions = self.function.instructions()
            self._used = {operand.value for each in instructions for operand in each.operands}
        return made.result in self._used

    def _output(self, made: ir.Call, name: str) -> None:
        """Binds what a format prints if it has a %n, which stores how long that is."""
        index = library.FORMATS.get(name, len(made.arguments))
        printed = made.arguments[index + 1 :]
        varying = [each for each in printed if each.type == "ptr" or each.value in self.numbers]
        if not varying or not self._may_be_unseen(name):
            return
        counts = self._counts(made, made.arguments[index])
        if counts is None:
            return
        for argument in varying:
            for index, number in enumerate(self.numbers.get(argument.value, ())):
                chosen = made.insert_before(f"select i1 {counts}, i32 {number}, i32 0").result or ""
                self.bind_part(made, argument.value, argument.type, index, chosen, "UNSEEN")
            if argument.type == "ptr" and not self._is_text(argument.value):
                lent = made.insert_before(f"select i1 {counts}, ptr {argument.value}, ptr null").result
                self.emit(made, "lend", f"ptr {made.callee_operand.value}, ptr {lent}")

    def _counts(self, made: ir.Call, format_: ir.Argument) -> str | None:
        """Whether a format has a %n, as an operand; None where it visibly has none."""
        if self._is_text(format_.value):
            variable = self.module.globals.get(ir.unquote(format_.value))
            text = variable.initializer if isinstance(variable, ir.GlobalVariable) else None
            if text is not None and not library.COUNTS.search(text.replace("%%", "")):
                return None
        name = f"@{helpers.MODEL}format"
        self.module.add_declaration(f"declare i32 {name}(ptr) nounwind")
        answer = made.insert_before(f"call i32 {name}(ptr {format_.value})").result
        return made.insert_before(f"icmp ne i32 {answer}, 0").result

    def _plain_call(self, made: ir.Call, name: str) -> None:
        if made.callee is None:
            self.bind(made, made.callee_operand.value, "ptr", "TARGET")
        for index in library.SIZES.get(name, ()):
            argument = made.arguments[index]
            self.bind(made, argument.value, argument.type, "SIZE")
        if name in library.FREES:
            self.reach(made, made.arguments[0].value, 0, "FREE")
        model = self._model(made, name)
        if model:
            self._modelled(made, model)
            return
        for argument in made.arguments:
            self._copied(made, argument)
        target = made.callee_operand.value
        passes = self._pass(made, target)
        if self._may_be_unseen(name):
            self._leave(made, name, target, passes)
        if made.marker == "musttail":
            return
        place = after(made)
        if passes:
            self.emit(place, "passed", f"ptr {target}")
        for index, result in enumerate(self.numbers.get(made.result or "", ())):
            self.emit(place, "result", f"ptr {target}, i64 {index}", result)

    def _may_be_unseen(self, name: str) -> bool:
        function = self.module.functions.get(name)
        return function is None or not function.is_definition or function.linkage == INLINE

    def _copied(self, made: ir.Call, argument: ir.Argument) -> None:
        """What an argument by value points to is copied by the call, which has no instruction."""
        text = argument.attributes.get("byval")
        if text is not None:
            size = self.module.layout.size_of(text.removeprefix("byval(").removesuffix(")"))
            self.emit(made, "bytes", f"ptr {argument.value}, i64 {size}, i32 {REASONS['OPERATION']}")

    def _leave(self, made: ir.Call, name: str, target: str, passes: bool) -> None:
        """Code that follows no expressions may be called: it is given what is bound."""
        if name.startswith(library.INTERFACE):
            return
        if passes:
            self.emit(made, "leave", f"ptr {target}")
        if name in library.UNTOUCHED:
            return
        for argument in made.arguments:
            self._lend(made, target, argument)

    def _lend(self, made: ir.Call, target: str, argument: ir.Argument) -> None:
        """Code that follows no expressions may read what an argument points to."""
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
        given = [each.type for each in made.arguments[: len(model.parameters)]]
        if len(given) < len(model.parameters) or (model.after in library.POINTERS and made.type == "i32"):
            return None
        return model if all(map(_takes, model.parameters, given)) else None

    def _modelled(self, made: ir.Call, model: library.Model) -> None:
        """Calls the models of a library function before and after it."""
        types = ", ".join(model.parameters)
        given = [
            f"{type_} {_widened(made, each.type, each.value, type_, 'zext')}"
            for type_, each in zip(model.parameters, made.arguments, strict=False)
        ]
        for argument in made.arguments[len(model.parameters) :]:
            self.bind(made, argument.value, argument.type, "UNSEEN")
        if model.before:
            name = f"@{helpers.MODEL}{model.before}"
            self.module.add_declaration(f"declare void {name}({types}) nounwind")
            self._pass(made, name)
            made.insert_before(f"call void {name}({', '.join(given)})")
        self._bind_addresses(made, model)
        place, numbers = after(made), self.numbers.get(made.result or "", ())
        if not model.after:
            self.nothing_of(made)
            return
        if made.type != "void":
            type_ = "i64" if model.after in library.WIDE else made.type
            types = f"{types}, {type_}" if types else type_
            given.append(f"{type_} {_widened(place, made.type, made.result or 'poison', type_, 'sext')}")
        name = f"@{helpers.AFTER}{model.after}"
        self.module.add_declaration(f"declare i32 {name}({types}) nounwind")
        head = f"{numbers[0]} = " if numbers else ""
        place.insert_before(f"{head}call i32 {name}({', '.join(given)})")

    def _bind_addresses(self, made: ir.Call, model: library.Model) -> None:
        """A library function gets concrete addresses, lengths and descriptors; characters may be symbolic."""
        for argument in made.arguments:
            if argument.type == "ptr":
                self.reach(made, argument.value, 0, "READ")
            elif argument.type == "i64" or model.before not in library.CHARACTERS:
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
            self.same(made, arguments[0].value)
        elif name.startswith(tuple(intrinsics.EXTREMES)) and made.result in self.numbers:
            self._extreme(made, name)
        elif name.startswith(tuple(intrinsics.UNARY)) and made.result in self.numbers:
            kind = intrinsics.find(intrinsics.UNARY, name)
            one = ir.Operand(made.type, arguments[0].value, 0, 0)
            self._derive(made, kind, one, ir.Operand(made.type, "0", 0, 0), self.own_number(made))
        elif name.startswith(tuple(intrinsics.OVERFLOWING)) and made.result in self.numbers:
            kinds = intrinsics.find(intrinsics.OVERFLOWING, name)
            one, other = (ir.Operand(each.type, each.value, 0, 0) for each in arguments)
            for kind, result in zip(kinds, self.numbers[made.result], strict=True):
                self._derive(made, kind, one, other, result)
        elif is_expanded(made) and made.result in self.numbers:
            names = {f"%{letter}": each.value for letter, each in zip("abc", arguments, strict=False)}
            self.same(made, self.expand(made, expansion(made), names, checked=False)["%r"])
        elif name.startswith(intrinsics.COPIES):
            to, source, size = arguments[:3]
            self._bind_range(made, (to, "WRITE"), (source, "READ"), size=size)
            self.emit(after(made), "copy", f"ptr {to.value}, ptr {source.value}, i64 {size.value}")
        elif name.startswith(intrinsics.SETS):
            to, byte, size = arguments[:3]
            self._bind_range(made, (to, "WRITE"), size=size)
            self.emit(after(made), "set", f"ptr {to.value}, i32 {self.number(byte.value)}, i64 {size.value}")
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
            self.emit(after(made), "clear", f"ptr {pointer}, i64 {size}")

    def _extent(self, made: ir.Call, at: ir.Argument, *factors: ir.Argument) -> None:
        """The bytes that a function is told to access, a number or the product of two, may leave their block
        under another input."""
        if at.type != "ptr" or any(each.type != "i64" for each in factors):
            return
        if all(each.value not in self.numbers for each in (at, *factors)):
            return
        numbers = [f"i32 {self.number(each.value)}, i64 {each.value}" for each in factors]
        numbers += ["i32 0, i64 1"] * (2 - len(factors))
        self.emit(made, "extent", f"i32 {self.number(at.value)}, ptr {at.value}, {', '.join(numbers)}")

    def _bind_range(self, made: ir.Call, *sides: tuple[ir.Argument, str], size: ir.Argument) -> None:
        for pointer, _ in sides:
            self._extent(made, pointer, size)
        self.bind(made, size.value, size.type, "SIZE")
        for pointer, how in sides:
            self.reach(made, pointer.value, 0, how)

    def _derive(
        self, made: ir.Call, kind: str, one: ir.Operand, other: ir.Operand, result: str
    ) -> None:
        place = after(made)
        arguments, suffix = self.pair(place, one, other)
        self.emit(place, f"make_{suffix}", f"i32 {what_of(kind, one.type)}, {arguments}", result)

    def _extreme(self, made: ir.Call, name: str) -> None:
        predicate = intrinsics.find(intrinsics.EXTREMES, name)
        one, other = (ir.Operand(each.type, each.value, 0, 0) for each in made.arguments)
        place = after(made)
        wins = place.insert_before(f"icmp {predicate} {one.type} {one.value}, {other.value}").result or ""
        arguments, suffix = self.pair(place, one, other)
        kind, flags = COMPARISONS[predicate]
        condition = self.function.fresh_name()
        self.emit(place, f"make_{suffix}", f"i32 {what_of(kind, one.type) | flags}, {arguments}", condition)
        arguments = f"i32 {condition}, i1 {wins}, i32 {width_of(made.type)}, {arguments}"
        self.emit(place, f"choose_{suffix}", arguments, self.own_number(made))


def _takes(wanted: str, given: str) -> bool:
    """Whether a parameter gets an argument: calls without a prototype pass an int where a long is wanted."""
    return given == wanted or (given, wanted) == ("i32", "i64")


def _widened(before: ir.Instruction, type_: str, value: str, wanted: str, how: str) -> str:
    """The value as a `wanted`, which is its type or a wider integer."""
    if type_ == wanted or value == "poison":
        return value
    return before.insert_before(f"{how} {type_} {value} to {wanted}").result or ""


def _fixed(call: ir.Call) -> int:
    """How many arguments are not variable ones. A function with variable arguments has others, too, so a type
    without any is that of a call without a prototype."""
    named = call.function_type[call.function_type.index("(") :].count(",") if call.variadic else 0
    return named or len(call.arguments)
