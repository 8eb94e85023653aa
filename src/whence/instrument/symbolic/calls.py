"""Calls: what they pass and return, models of library functions, and intrinsics."""

from __future__ import annotations

from collections.abc import Iterable

from whence import ir
from whence.abi.symbolic import REASONS
from whence.instrument.passes.inserting import after
from whence.instrument.shadow.calls import by_value
from whence.instrument.symbolic import helpers, intrinsics, library
from whence.instrument.symbolic.accesses import Accesses
from whence.instrument.symbolic.comparisons import COMPARISONS
from whence.instrument.symbolic.emitting import DOMAIN, what_of
from whence.instrument.symbolic.expansions import expansion, is_expanded
from whence.instrument.symbolic.shapes import width_of
from whence.instrument.symbolic.varying import is_numbered

INLINE = "available_externally"
"""The linkage of definitions that another one may take the place of, which has no IR."""


class Calls(Accesses):
    """The handlers of calls."""

    _used: set[str] | None = None
    """Values that are operands."""

    def assembly(self, made: ir.Call) -> None:
        self.bind_all(made, "OPERATION")
        for argument in made.arguments:
            self._lend(made, "null", argument)

    def known(self, made: ir.Call) -> bool:
        """One that returns nothing with an expression, or that has a model; binds what others may not get."""
        name = made.callee or ""
        is_library = name not in self.own and self._may_be_unseen(name)
        for pointer, *factors in library.EXTENTS.get(name, ()) if is_library else ():
            if max(pointer, *factors) < len(made.arguments):
                self.extent(made, made.arguments[pointer], *(made.arguments[each] for each in factors))
        if name in library.FLAT and is_library:
            for index in library.FLAT[name]:
                self.bind(made, made.arguments[index].value, made.arguments[index].type, "SIZE")
        elif name in library.OUTPUT and not self._is_used(made):
            if name in library.ENDS:
                status = made.arguments[0]
                self.bind(made, status.value, status.type, "UNSEEN")
            self._output(made, name)
        else:
            return self._is_modelled(made, name)
        self.none(made)
        return True

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
        varying = [each for each in printed if each.type == "ptr" or each.value in self.shadows]
        if not varying or not self._may_be_unseen(name):
            return
        counts = self._counts(made, made.arguments[index])
        if counts is None:
            return
        for argument in varying:
            for index, number in enumerate(self.words(argument.value)):
                chosen = self.put(made, f"select i1 {counts}, i32 {number}, i32 0")
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

    def _is_modelled(self, made: ir.Call, name: str) -> bool:
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
        return model is not None

    def _may_be_unseen(self, name: str) -> bool:
        function = self.module.functions.get(name)
        return function is None or not function.is_definition or function.linkage == INLINE

    def lend_copy(self, made: ir.Call, index: int, argument: ir.Argument) -> None:
        size = self.layout.size_of(by_value(argument))
        self.emit(made, "bytes", f"ptr {argument.value}, i64 {size}, i32 {REASONS['OPERATION']}")

    def lend(self, made: ir.Call, target: str, passed: bool) -> None:
        """Code that follows no expressions may be called: it is given what is bound."""
        name = made.callee or ""
        if not self._may_be_unseen(name) or name.startswith(library.INTERFACE):
            return
        if passed:
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
            self.pass_arguments(made, name)
            made.insert_before(f"call void {name}({', '.join(given)})")
        self._bind_addresses(made, model)
        place, numbers = after(made), self.words(made.result or "")
        if not model.after:
            self.none(made)
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

    # -- what calls pass --

    def passed(self, made: ir.Call, index: int, argument: ir.Argument) -> str:
        number = self.word(argument.value)
        return number if number != DOMAIN.none and is_numbered(argument) else DOMAIN.none

    def pass_less(self, made: ir.Call, argument: ir.Argument) -> None:
        if argument.value in self.shadows and is_numbered(argument):
            self.bind(made, argument.value, argument.type, "UNSEEN")

    def give(self, made: ir.Call, target: str, words: list[str], copied: list[int]) -> bool:
        while words and words[-1] == DOMAIN.none:
            words.pop()
        if words:
            self.emit(made, f"pass_{len(words)}", f"ptr {target}, {_listed(words)}")
        return bool(words)

    def receive(self, made: ir.Call, target: str, passed: bool) -> None:
        results = self.words(made.result or "")
        if not passed and not results:
            return
        place = after(made)
        if passed:
            self.emit(place, "passed", f"ptr {target}")
        for index, result in enumerate(results):
            self.emit(place, "result", f"ptr {target}, i64 {index}", result)

    def meant(self, place: ir.Instruction) -> str:
        return self.emit(place, "enter", f"ptr {self.function.ref}")

    def take(self, place: ir.Instruction, meant: str, index: int, parameter: ir.Parameter) -> None:
        self.emit(place, "parameter", f"i1 {meant}, i64 {index}", self.word(parameter.name or ""))

    def leave(self, made: ir.Ret) -> None:
        words = self.words(made.value or "")
        if words:
            self.emit(made, f"return_{len(words)}", f"ptr {self.function.ref}, {_listed(words)}")

    # -- intrinsics --

    def intrinsic(self, made: ir.Call) -> None:
        name, arguments = made.callee or "", made.arguments
        if name.startswith(tuple(intrinsics.EXTREMES)) and made.result in self.shadows:
            self._extreme(made, name)
        elif name.startswith(tuple(intrinsics.UNARY)) and made.result in self.shadows:
            kind = intrinsics.find(intrinsics.UNARY, name)
            one = ir.Operand(made.type, arguments[0].value, 0, 0)
            self._derive(made, kind, one, ir.Operand(made.type, "0", 0, 0), self.own_number(made))
        elif name.startswith(tuple(intrinsics.OVERFLOWING)) and made.result in self.shadows:
            kinds = intrinsics.find(intrinsics.OVERFLOWING, name)
            one, other = (ir.Operand(each.type, each.value, 0, 0) for each in arguments)
            for kind, result in zip(kinds, self.shadows[made.result], strict=True):
                self._derive(made, kind, one, other, result)
        elif is_expanded(made) and made.result in self.shadows:
            names = {f"%{letter}": each.value for letter, each in zip("abc", arguments, strict=False)}
            self.same(made, self.expand(made, expansion(made), names, checked=False)["%r"])
        elif not name.startswith(intrinsics.SILENT):
            for argument in arguments:
                self.bind(made, argument.value, argument.type, "OPERATION")
        if name == "llvm.lifetime.start.p0":
            self.born(made)

    def _derive(self, made: ir.Call, kind: str, one: ir.Operand, other: ir.Operand, result: str) -> None:
        place = after(made)
        arguments, suffix = self.pair(place, one, other)
        self.emit(place, f"make_{suffix}", f"i32 {what_of(kind, one.type)}, {arguments}", result)

    def _extreme(self, made: ir.Call, name: str) -> None:
        predicate = intrinsics.find(intrinsics.EXTREMES, name)
        one, other = (ir.Operand(each.type, each.value, 0, 0) for each in made.arguments)
        place = after(made)
        wins = self.put(place, f"icmp {predicate} {one.type} {one.value}, {other.value}")
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


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"{DOMAIN.type} {each}" for each in words)
