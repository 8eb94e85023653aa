"""What calls pass of a shadow domain: shadows of arguments and results, in a variable of the thread.

The caller names the function that arguments are for, and a function the one that a result is from, so code
that is not checked may stand between: there values have no shadow. What is passed by value is memory, which
the function copies the shadows of as it begins.
"""

from __future__ import annotations

from whence import ir
from whence.abi.labels import ARGUMENTS_OFFSET, FROM_LIBRARY, MOST_ARGUMENTS, PASSED
from whence.instrument.passes.inserting import after
from whence.instrument.shadow import helpers
from whence.instrument.shadow.classes import GIVING, class_of, is_marker, library_name
from whence.instrument.shadow.domain import Domain

_CALLEE, _RETURNED, _RESULT = (PASSED.offset(each) for each in ("callee", "returned", "result"))


class Passing:
    """Inserts instructions into one function.

    shadows: by the name of a value that has one, the name of its shadow. cleared: values that lose some bits
    of it, because the function compares them.
    """

    def __init__(self, function: ir.Function, domain: Domain) -> None:
        self.function = function
        self.domain = domain
        self.module = function.module
        self.layout = function.module.layout
        self.shadows: dict[str, str] = {}
        self.cleared: set[str] = set()

    # -- instructions --

    def emit(self, place: ir.Instruction, text: str) -> str:
        """The result of a new instruction."""
        return place.insert_before(text).result or ""

    def call(self, place: ir.Instruction, name: str, arguments: str, result: str = "void") -> str:
        """Calls a helper: its result, if it has one."""
        self.module.add_declaration(helpers.declaration(name))
        return self.emit(place, f"call {result} @{name}({arguments})")

    def shadow(self, value: str) -> str:
        """The shadow of an operand; that of constants if it has none."""
        return self.shadows.get(value, self.domain.none)

    def join(self, place: ir.Instruction, parts: list[str]) -> str:
        """The shadows together; those that are none by their text cost nothing."""
        used = list(dict.fromkeys(each for each in parts if each != self.domain.none))
        result = used[0] if used else self.domain.none
        for each in used[1:]:
            result = self.emit(place, f"{self.domain.join} {self.domain.type} {result}, {each}")
        return result

    def masked(self, place: ir.Instruction, shadow: str, kept: int) -> str:
        """The bits of a shadow that are kept."""
        if shadow == self.domain.none or not kept:
            return self.domain.none
        if kept == self.domain.all:
            return shadow
        return self.emit(place, f"and {self.domain.type} {shadow}, {signed(kept)}")

    def define(self, place: ir.Instruction, value: str | None, parts: list[str]) -> None:
        """Gives a value's shadow its name."""
        joined = self.join(place, parts)
        if value in self.cleared:
            joined = self.masked(place, joined, self.domain.all & ~self.domain.cleared)
        place.insert_before(f"{self.shadows[value or '']} = or {self.domain.type} {joined}, 0")

    def first(self) -> ir.Instruction:
        """Where a function begins, behind its variables."""
        return next(each for each in self.function.entry if not isinstance(each, ir.Alloca))

    # -- the variable --

    def _place(self, place: ir.Instruction, offset: int) -> str:
        if self.domain.passed not in self.module.globals:
            self.module.add_global(helpers.variable())
        if not offset:
            return f"@{self.domain.passed}"
        return self.emit(place, f"getelementptr i8, ptr @{self.domain.passed}, i64 {offset}")

    def _get(self, place: ir.Instruction, offset: int, type_: str) -> str:
        return self.emit(place, f"load {type_}, ptr {self._place(place, offset)}, align 8")

    def _put(self, place: ir.Instruction, offset: int, type_: str, value: str) -> None:
        place.insert_before(f"store {type_} {value}, ptr {self._place(place, offset)}, align 8")

    def _widened(self, place: ir.Instruction, shadow: str) -> str:
        """A shadow as a word."""
        if shadow == self.domain.none:
            return "0"
        return self.emit(place, f"zext {self.domain.type} {shadow} to i64")

    # -- entry and return --

    def enter(self) -> None:
        """Takes the shadows of parameters, if they are for this function."""
        taken = [
            (index, each)
            for index, each in enumerate(self.function.parameters)
            if each.name in self.shadows or _copied(each)
        ]
        if not taken:
            return
        place = self.first()
        if all(index >= MOST_ARGUMENTS for index, _ in taken):
            for _, each in taken:
                self._none(place, each)
            return
        callee = self._get(place, _CALLEE, "ptr")
        meant = self.emit(place, f"icmp eq ptr {callee}, {self.function.ref}")
        self._put(place, _CALLEE, "ptr", "null")
        for index, each in taken:
            if index >= MOST_ARGUMENTS:
                self._none(place, each)
            elif _copied(each):
                self._take_copy(place, meant, index, each)
            else:
                word = self._get(place, ARGUMENTS_OFFSET + 8 * index, self.domain.type)
                self._choose(place, each.name, meant, word)
        for _, each in taken:
            if _copied(each) and each.name in self.shadows:
                self._none(place, each)

    def _choose(self, place: ir.Instruction, value: str | None, meant: str, word: str) -> None:
        """Gives a value the shadow that was passed, if it is meant for it."""
        chosen = f"i1 {meant}, {self.domain.type} {word}, {self.domain.type} {self.domain.none}"
        self.define(place, value, [self.emit(place, f"select {chosen}")])

    def _none(self, place: ir.Instruction, each: ir.Parameter) -> None:
        if each.name in self.shadows:
            self.define(place, each.name, [])

    def _take_copy(self, place: ir.Instruction, meant: str, index: int, each: ir.Parameter) -> None:
        word = self._get(place, ARGUMENTS_OFFSET + 8 * index, "ptr")
        size = self.layout.size_of(_copied(each))
        source = self.emit(place, f"select i1 {meant}, ptr {word}, ptr {each.name}")
        self.call(place, self.domain.copy, f"ptr {each.name}, ptr {source}, i64 {size}")

    def leave(self, instructions: list[ir.Instruction]) -> None:
        """Says which shadow each result has, in a function some result of which may have one."""
        ends = [each for each in instructions if isinstance(each, ir.Ret) and each.value is not None]
        if not any(each.value in self.shadows for each in ends):
            return
        for each in ends:
            if any(isinstance(call, ir.Call) and call.marker == "musttail" for call in each.owner):
                continue
            self._put(each, _RETURNED, "ptr", self.function.ref)
            self._put(each, _RESULT, "i64", self._widened(each, self.shadow(each.value or "")))

    # -- calls --

    def pass_on(self, made: ir.Call) -> None:
        """A call of the program's: its arguments, and its result."""
        if made.is_assembly or is_marker(made):
            self._clean(made)
            return
        name = library_name(made)
        if name:
            self._library(made, name)
            return
        target = made.callee_operand.value
        self._arguments(made, target)
        if made.result in self.shadows and made.marker != "musttail":
            self._result(after(made), made, target)

    def _clean(self, made: ir.Call) -> None:
        """A result that depends on operands alone, or on nothing that is followed."""
        if made.result not in self.shadows:
            return
        place, operation = after(made), class_of(made)
        parts = [] if operation is None else [self.shadow(each.value) for each in made.arguments]
        kept = self.domain.all if operation is None else self.domain.keeps(operation)
        self.define(place, made.result, [self.masked(place, self.join(place, parts), kept)])

    def _library(self, made: ir.Call, name: str) -> None:
        if made.result not in self.shadows:
            return
        if name not in GIVING:
            self._clean(made)
            return
        self._put(made, _RETURNED, "i64", "0")
        self._result(after(made), made, f"inttoptr (i64 {FROM_LIBRARY} to ptr)")

    def _result(self, place: ir.Instruction, made: ir.Call, target: str) -> None:
        returned = self._get(place, _RETURNED, "ptr")
        known = self.emit(place, f"icmp eq ptr {returned}, {target}")
        word = self._get(place, _RESULT, self.domain.type)
        self._choose(place, made.result, known, word)

    def _arguments(self, made: ir.Call, target: str) -> None:
        numbered = list(enumerate(made.arguments))[:MOST_ARGUMENTS]
        copied = [(at, each.value) for at, each in numbered if each.attributes.has("byval")]
        words = [(at, self.shadow(each.value)) for at, each in numbered]
        shadowed = [each for each in words if each[1] != self.domain.none]
        if not copied and not shadowed:
            return
        for at, shadow in words:
            if at not in dict(copied):
                self._put(made, ARGUMENTS_OFFSET + 8 * at, "i64", self._widened(made, shadow))
        for at, value in copied:
            self._put(made, ARGUMENTS_OFFSET + 8 * at, "ptr", value)
        if copied:
            self._put(made, _CALLEE, "ptr", target)
            return
        some = self.join(made, [shadow for _, shadow in shadowed])
        is_any = self.emit(made, f"icmp ne {self.domain.type} {some}, {self.domain.none}")
        self._put(made, _CALLEE, "ptr", self.emit(made, f"select i1 {is_any}, ptr {target}, ptr null"))


def signed(bits: int) -> int:
    """A set of bits as the text of an i8 has it."""
    return bits - 256 if bits > 127 else bits


def _copied(parameter: ir.Parameter) -> str:
    """The type of what is passed by value; empty for other parameters."""
    text = parameter.attributes.get("byval")
    return "" if text is None else text.removeprefix("byval(").removesuffix(")")
