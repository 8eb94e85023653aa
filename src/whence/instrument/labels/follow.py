"""Labels of values, a byte of up to eight for each, and of memory, which the runtime keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from whence import ir
from whence.abi.analyses import DEFINEDNESS
from whence.abi.labels import FROM_LIBRARY, PASSED
from whence.abi.points import BY_CODE
from whence.instrument.definedness.decisions import drop_decisions
from whence.instrument.labels import helpers
from whence.instrument.labels.classes import GIVING, class_of, is_source, operands_of
from whence.instrument.labels.domain import DOMAIN, Followed, followed_of
from whence.instrument.labels.reach import compared, depends_on, judged, wanted
from whence.instrument.passes.context import Context
from whence.instrument.passes.inserting import after
from whence.instrument.shadow.calls import by_value, library_name
from whence.instrument.shadow.walker import Walker

_CALLEE, _RETURNED, _RESULT = (PASSED.offset(each) for each in ("callee", "returned", "result"))
_BITS = {"float": 32, "double": 64, "half": 16, "bfloat": 16}
_Exchange: TypeAlias = ir.AtomicRMW | ir.CmpXchg


def follow_labels(context: Context) -> None:
    """Follows the labels of values, in code that is as optimised as the user's.

    Before::

        define i32 @f(ptr %p, i32 %x) {
          %v = load i32, ptr %p, align 4
          %y = add i32 %v, %x
          ret i32 %y
        }

    After::

        define i32 @f(ptr %p, i32 %x) {
          %wh.3 = load ptr, ptr @__whence_labels, align 8
          %wh.4 = icmp eq ptr %wh.3, @f
          store ptr null, ptr @__whence_labels, align 8
          %wh.5 = getelementptr i8, ptr @__whence_labels, i64 32
          %wh.6 = load i8, ptr %wh.5, align 8
          %wh.7 = select i1 %wh.4, i8 %wh.6, i8 0
          %wh.0 = or i8 %wh.7, 0
          %v = load i32, ptr %p, align 4
          %wh.8 = call i8 @__whence_labels_read_4(ptr %p)
          %wh.1 = or i8 %wh.8, 0
          %y = add i32 %v, %x
          %wh.9 = or i8 %wh.1, %wh.0
          %wh.2 = or i8 %wh.9, 0
          %wh.10 = getelementptr i8, ptr @__whence_labels, i64 8
          store ptr @f, ptr %wh.10, align 8
          %wh.11 = zext i8 %wh.2 to i64
          %wh.12 = getelementptr i8, ptr @__whence_labels, i64 16
          store i64 %wh.11, ptr %wh.12, align 8
          ret i32 %y
        }
        @__whence_labels = external thread_local(initialexec) global [152 x i8]
        declare i8 @__whence_labels_read_4(ptr) nounwind
    """
    labels = context.policy.labels
    assert labels is not None
    followed = followed_of(labels, context.policy.labelled, context.unoptimised)
    for function in list(context.functions()):
        _Follower(function, followed).run()
        if not context.policy.follows(DEFINEDNESS):
            drop_decisions(function)
    context.keep_for_late_twins()


class _Follower(Walker):
    """Follows the labels of the values of one function.

    cleared: values that lose some bits, because the function compares them. returns: whether some result may
    have labels: then each return says which, since the caller may have those of an earlier one.
    """

    def __init__(self, function: ir.Function, followed: Followed) -> None:
        super().__init__(function, DOMAIN)
        self.labels = followed
        self.cleared: set[str] = set()
        self.returns = False

    # -- which values have labels --

    def starts(self, parameter: ir.Parameter) -> bool:
        return True

    def is_source(self, made: ir.Instruction) -> bool:
        return is_source(made)

    def depends_on(self, made: ir.Instruction) -> list[str]:
        return depends_on(made, self.labels)

    def followed(self, instructions: list[ir.Instruction]) -> set[str]:
        if self.labels.cleared:
            self.cleared = compared(instructions)
        varying = super().followed(instructions)
        names = varying & wanted(instructions, varying, self.labels)
        self.returns = any(isinstance(each, ir.Ret) and each.value in names for each in instructions)
        return names

    # -- words --

    def join(self, place: ir.Instruction, words: Sequence[str]) -> str:
        """Those that are none by their text cost nothing."""
        used = list(dict.fromkeys(each for each in words if each != DOMAIN.none))
        result = used[0] if used else DOMAIN.none
        for each in used[1:]:
            result = self.put(place, f"or {DOMAIN.type} {result}, {each}")
        return result

    def _masked(self, place: ir.Instruction, word: str, kept: int) -> str:
        """The bits of a word that are kept."""
        if word == DOMAIN.none or not kept:
            return DOMAIN.none
        if kept == self.labels.all:
            return word
        return self.put(place, f"and {DOMAIN.type} {word}, {_signed(kept)}")

    def define(self, place: ir.Instruction, value: str | None, words: Sequence[str] = ()) -> None:
        if value in self.cleared:
            words = [self._masked(place, each, self.labels.all & ~self.labels.cleared) for each in words]
        super().define(place, value, words)

    def _widened(self, place: ir.Instruction, word: str) -> str:
        return "0" if word == DOMAIN.none else self.put(place, f"zext {DOMAIN.type} {word} to i64")

    # -- memory --

    def load(self, made: ir.Load) -> None:
        if made.result not in self.shadows:
            return
        place = after(made)
        found = self._read(place, made.pointer, made.value_type, made.align)
        if made.result in self.cleared and not made.atomic:
            lost = self.put(place, f"and {DOMAIN.type} {found}, {_signed(self.labels.cleared)}")
            size = self.layout.store_size_of(made.value_type)
            self.tell(place, helpers.COMPARED, f"ptr {made.pointer}, i64 {size}, {DOMAIN.type} {lost}")
        through = self._masked(place, self.word(made.pointer), self.labels.keeps("index"))
        self.define(place, made.result, [self.join(place, [found, through])])

    def _read(self, place: ir.Instruction, pointer: str, type_: str, align: int | None) -> str:
        size = self.layout.store_size_of(type_)
        if size in helpers.WIDTHS and (align or 1) >= size:
            return self.tell(place, f"{helpers.READ}_{size}", f"ptr {pointer}")
        return self.tell(place, helpers.READ, f"ptr {pointer}, i64 {size}")

    def store(self, made: ir.Store) -> None:
        size, word = self.layout.store_size_of(made.value_type), f"{DOMAIN.type} {self.word(made.value)}"
        if size in helpers.WIDTHS and (made.align or 1) >= size:
            self.tell(after(made), f"{helpers.WRITE}_{size}", f"ptr {made.pointer}, {word}")
        elif size:
            self.tell(after(made), helpers.WRITE, f"ptr {made.pointer}, i64 {size}, {word}")

    def exchange(self, made: _Exchange) -> None:
        """What was there is read before, and joined to what is written: which of them stays is not known."""
        before = self._read(made, made.pointer, made.value_type, made.align)
        place = after(made)
        if made.result in self.shadows:
            self.define(place, made.result, [before])
        new = [self.word(each.value) for each in made.operands[1:]]
        is_swap = isinstance(made, ir.AtomicRMW) and made.operation == "xchg"
        joined = self.join(place, new if is_swap else [before, *new])
        size = self.layout.store_size_of(made.value_type)
        self.tell(place, helpers.WRITE, f"ptr {made.pointer}, i64 {size}, {DOMAIN.type} {joined}")

    def copy(self, made: ir.Call, to: ir.Argument, source: ir.Argument, size: ir.Argument) -> None:
        self.tell(made, helpers.COPY, f"ptr {to.value}, ptr {source.value}, i64 {self._wide(made, size)}")

    def fill(self, made: ir.Call, to: ir.Argument, byte: ir.Argument, size: ir.Argument) -> None:
        place = after(made)
        wide = self._widened(place, self.word(byte.value))
        self.tell(place, helpers.FILL, f"ptr {to.value}, i64 {self._wide(place, size)}, i64 {wide}")

    def _wide(self, place: ir.Instruction, size: ir.Argument) -> str:
        return size.value if size.type == "i64" else self.put(place, f"zext {size.type} {size.value} to i64")

    # -- operations --

    def compute(self, made: ir.Instruction) -> None:
        operation, place = class_of(made), after(made)
        words = [] if operation is None else [self.word(each.value) for each in operands_of(made)]
        kept = self.labels.all if operation is None else self.labels.keeps(operation)
        self.define(place, made.result, [self._masked(place, self.join(place, words), kept)])

    def select(self, made: ir.Select) -> None:
        """The labels of the operand that is chosen; of both where elements are chosen one by one."""
        condition, *sides = made.operands
        place, (one, other) = after(made), [self.word(each.value) for each in sides]
        if one == other or condition.type != "i1":
            chosen = self.join(place, [one, other])
        else:
            words = f"{DOMAIN.type} {one}, {DOMAIN.type} {other}"
            chosen = self.put(place, f"select i1 {condition.value}, {words}")
        by_condition = self._masked(place, self.word(condition.value), self.labels.keeps("select"))
        self.define(place, made.result, [self.join(place, [chosen, by_condition])])

    def assembly(self, made: ir.Call) -> None:
        self.intrinsic(made)

    def intrinsic(self, made: ir.Call) -> None:
        if made.result in self.shadows:
            self.compute(made)

    # -- what calls pass --

    def _place(self, place: ir.Instruction, offset: int) -> str:
        if DOMAIN.area.variable not in self.module.globals:
            self.module.add_global(DOMAIN.area.declared)
        variable = f"@{DOMAIN.area.variable}"
        return self.put(place, f"getelementptr i8, ptr {variable}, i64 {offset}") if offset else variable

    def _load(self, place: ir.Instruction, offset: int, type_: str) -> str:
        return self.put(place, f"load {type_}, ptr {self._place(place, offset)}, align 8")

    def _store(self, place: ir.Instruction, offset: int, type_: str, value: str) -> None:
        place.insert_before(f"store {type_} {value}, ptr {self._place(place, offset)}, align 8")

    def takes(self, parameter: ir.Parameter) -> bool:
        return super().takes(parameter) or bool(by_value(parameter))

    def meant(self, place: ir.Instruction) -> str:
        callee = self._load(place, _CALLEE, "ptr")
        meant = self.put(place, f"icmp eq ptr {callee}, {self.function.ref}")
        self._store(place, _CALLEE, "ptr", "null")
        return meant

    def take(self, place: ir.Instruction, meant: str, index: int, parameter: ir.Parameter) -> None:
        offset, type_ = DOMAIN.area.argument(index), by_value(parameter)
        if not type_:
            self._choose(place, parameter.name, meant, self._load(place, offset, DOMAIN.type))
            return
        word, size = self._load(place, offset, "ptr"), self.layout.size_of(type_)
        source = self.put(place, f"select i1 {meant}, ptr {word}, ptr {parameter.name}")
        self.tell(place, helpers.COPY, f"ptr {parameter.name}, ptr {source}, i64 {size}")
        self.define(place, parameter.name)

    def _choose(self, place: ir.Instruction, value: str | None, meant: str, word: str) -> None:
        """Gives a value the labels that were passed, if it is meant for it."""
        chosen = f"i1 {meant}, {DOMAIN.type} {word}, {DOMAIN.type} {DOMAIN.none}"
        self.define(place, value, [self.put(place, f"select {chosen}")])

    def give(self, made: ir.Call, target: str, words: list[str], copied: list[int]) -> bool:
        if not copied and all(each == DOMAIN.none for each in words):
            return False
        for index, word in enumerate(words):
            offset = DOMAIN.area.argument(index)
            if index in copied:
                self._store(made, offset, "ptr", made.arguments[index].value)
            else:
                self._store(made, offset, "i64", self._widened(made, word))
        if not copied:
            some = self.put(made, f"icmp ne {DOMAIN.type} {self.join(made, words)}, {DOMAIN.none}")
            target = self.put(made, f"select i1 {some}, ptr {target}, ptr null")
        self._store(made, _CALLEE, "ptr", target)
        return True

    def leave(self, made: ir.Ret) -> None:
        if self.returns:
            self._store(made, _RETURNED, "ptr", self.function.ref)
            self._store(made, _RESULT, "i64", self._widened(made, self.word(made.value or "")))

    def receive(self, made: ir.Call, target: str, passed: bool) -> None:
        if made.result not in self.shadows:
            return
        place = after(made)
        known = self.put(place, f"icmp eq ptr {self._load(place, _RETURNED, 'ptr')}, {target}")
        self._choose(place, made.result, known, self._load(place, _RESULT, DOMAIN.type))

    def known(self, made: ir.Call) -> bool:
        name = library_name(made)
        if name in GIVING and made.result in self.shadows:
            self._store(made, _RETURNED, "i64", "0")
            self.receive(made, f"inttoptr (i64 {FROM_LIBRARY} to ptr)", False)
        elif name:
            self.intrinsic(made)
        return bool(name)

    def begin_program(self, place: ir.Instruction) -> None:
        if len(self.function.parameters) > 1:
            self.tell(place, helpers.MAIN, f"ptr {self.function.parameters[1].name}")

    # -- uses --

    def use(self, made: ir.Instruction) -> None:
        for code, value in judged(made, self.labels):
            if value in self.shadows:
                number = self._number(made, value, self._type_of(made, value))
                arguments = f"i64 {BY_CODE[code].number}, i64 {number}, {DOMAIN.type} {self.word(value)}"
                self.tell(made, helpers.USED, arguments)

    def _type_of(self, made: ir.Instruction, value: str) -> str:
        operands = operands_of(made) if isinstance(made, ir.Call) else made.operands
        return next((each.type for each in operands if each.value == value), "i1")

    def _number(self, place: ir.Instruction, value: str, type_: str) -> str:
        """A value as a word that a rule can read; 0 for one that is no number."""
        if type_ == "ptr":
            return self.put(place, f"ptrtoint ptr {value} to i64")
        if type_ in _BITS:
            value = self.put(place, f"bitcast {type_} {value} to i{_BITS[type_]}")
            type_ = f"i{_BITS[type_]}"
        bits = type_[1:]
        if not (type_.startswith("i") and bits.isdecimal()):
            return "0"
        if bits == "64":
            return value
        return self.put(place, f"{'zext' if int(bits) < 64 else 'trunc'} {type_} {value} to i64")


def _signed(bits: int) -> int:
    """A set of bits as the text of an i8 has it."""
    return bits - 256 if bits > 127 else bits
