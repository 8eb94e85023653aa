"""Follows a shadow domain through one function: the same walk for every domain.

A domain is a row (`whence.instrument.shadow.domain`) and a subclass of `Walker`, which says what the walk
cannot know: what a value may have a shadow from, how operations join shadows, what memory does, how calls
pass words. Instructions are only inserted, never moved, and control flow changes nowhere but at the edges of
invokes, behind which a result is first there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from whence import ir
from whence.instrument.analysis.closure import closure
from whence.instrument.passes.inserting import after
from whence.instrument.shadow.calls import (
    COPIES,
    FILLS,
    SAME,
    first_of,
    is_marker,
    named_arguments,
    returns_by_call,
)
from whence.instrument.shadow.domain import Domain

Words = tuple[str, ...]


class Walker:
    """The walk over one function.

    shadows: by the name of a value that has one, the names of its words. They are known before the walk
    begins, so a phi can name what comes later; whoever is asked to define a value defines all of them.
    """

    def __init__(self, function: ir.Function, domain: Domain) -> None:
        self.function = function
        self.domain = domain
        self.module = function.module
        self.layout = function.module.layout
        self.shadows: dict[str, Words] = {}
        self._handlers: Mapping[type, Callable[[Any], None]] = {
            ir.Load: self.load,
            ir.Store: self.store,
            ir.AtomicRMW: self.exchange,
            ir.CmpXchg: self.exchange,
            ir.Phi: self._phi,
            ir.Call: self.call,
            ir.Invoke: self.call,
            ir.CallBr: self.call,
            ir.Br: self.branch,
            ir.Switch: self.switch,
            ir.Alloca: self.allocate,
            ir.LandingPad: self.nothing,
            ir.Unreachable: self.nothing,
            ir.Ret: self._return,
            ir.Resume: self.resume,
        }
        self._operations: Mapping[type, Callable[[Any], None]] = {
            ir.ExtractValue: self._extract,
            ir.InsertValue: self._insert,
            ir.Unary: self._unary,
            ir.Binary: self.binary,
            ir.Compare: self.compare,
            ir.Cast: self.cast,
            ir.Select: self.select,
            ir.GetElementPtr: self.address,
        }

    def run(self) -> None:
        instructions = list(self.function.instructions())
        self.begin(instructions)
        self._name(instructions)
        self._enter()
        for each in instructions:
            self.use(each)
            self.follow(each)
        if self.function.name == "main":
            self.begin_program(first_of(self.function))

    def begin(self, instructions: list[ir.Instruction]) -> None:
        """The walk through these instructions begins."""

    # -- which values have shadows --

    def starts(self, parameter: ir.Parameter) -> bool:
        """Whether calls pass the shadow of a parameter."""
        raise NotImplementedError

    def is_source(self, made: ir.Instruction) -> bool:
        """Whether a result may have a shadow that comes from elsewhere: from memory, or out of a call."""
        raise NotImplementedError

    def depends_on(self, made: ir.Instruction) -> Iterable[str]:
        """The values whose shadows come through to the result."""
        raise NotImplementedError

    def words_of(self, type_: str) -> int:
        """How many words the shadow of a value has."""
        return 1

    def followed(self, instructions: list[ir.Instruction]) -> set[str]:
        """The names of the values that have shadows: others need no code. Linear in the function's size.

        Assembly that jumps has no place behind it which all of its ways share, so its result has none.
        """
        found = {each.name for each in self.function.parameters if each.name and self.starts(each)}
        users: dict[str, list[str]] = {}
        for each in instructions:
            if each.result is None or isinstance(each, ir.CallBr):
                continue
            if self.is_source(each):
                found.add(each.result)
            for name in self.depends_on(each):
                users.setdefault(name, []).append(each.result)
        return closure(found, lambda name: users.get(name, ()))

    def _name(self, instructions: list[ir.Instruction]) -> None:
        names = self.followed(instructions)
        values: list[ir.Parameter | ir.Instruction] = [*self.function.parameters, *instructions]
        for each in values:
            name = each.name if isinstance(each, ir.Parameter) else each.result
            if name and name in names:
                self.add(name, each.type)

    def add(self, name: str, type_: str) -> None:
        """One more value has a shadow."""
        self.shadows[name] = tuple(self.function.fresh_name() for _ in range(self.words_of(type_)))

    # -- words --

    def put(self, place: ir.Instruction, text: str) -> str:
        """The result of a new instruction."""
        return place.insert_before(text).result or ""

    def tell(self, place: ir.Instruction, name: str, arguments: str, result: str = "") -> str:
        """Calls a function of the domain; result: the name of what it returns, fresh without."""
        declared = self.module.add_declaration(self.domain.declaration(name))
        head = f"{result} = " if result else ""
        return self.put(place, f"{head}call {declared.return_type} @{name}({arguments})")

    def words(self, value: str) -> Words:
        """The words of an operand; none for one that has no shadow."""
        return self.shadows.get(value, ())

    def word(self, value: str) -> str:
        """The first word of an operand, or that of constants."""
        return self.shadows[value][0] if value in self.shadows else self.domain.none

    def has_shadow(self, *operands: ir.Operand) -> bool:
        return any(each.value in self.shadows for each in operands)

    def define(self, place: ir.Instruction, value: str | None, words: Sequence[str] = ()) -> None:
        """Gives the words of a value their names; without words, they are those of constants."""
        names = self.words(value or "")
        for name, word in zip(names, words or [self.domain.none] * len(names), strict=True):
            place.insert_before(f"{name} = or {self.domain.type} {word}, 0")

    def none(self, made: ir.Instruction) -> None:
        """A result has no shadow after all."""
        if made.result in self.shadows:
            self.define(after(made), made.result)

    def same(self, made: ir.Instruction, value: str) -> None:
        """A result has the shadow of another value of its type."""
        if made.result in self.shadows:
            self.define(after(made), made.result, self.words(value))

    # -- entry and return --

    def _enter(self) -> None:
        """Takes the words of parameters, if they are for this function."""
        taken = [each for each in enumerate(self.function.parameters) if self.takes(each[1])]
        if not taken:
            return
        place = first_of(self.function)
        passed = [each for each in taken if each[0] < self.domain.arguments]
        meant = self.meant(place) if passed else ""
        for index, each in passed:
            self.take(place, meant, index, each)
        for _, each in taken[len(passed) :]:
            self.define(place, each.name)

    def takes(self, parameter: ir.Parameter) -> bool:
        """Whether a function takes something over for a parameter."""
        return parameter.name in self.shadows

    def meant(self, place: ir.Instruction) -> str:
        """Whether what is passed is for this function, as a value; it is taken."""
        raise NotImplementedError

    def take(self, place: ir.Instruction, meant: str, index: int, parameter: ir.Parameter) -> None:
        """Defines the shadow of a parameter."""
        raise NotImplementedError

    def _return(self, made: ir.Ret) -> None:
        if not returns_by_call(made):
            self.leave(made)

    def leave(self, made: ir.Ret) -> None:
        """Passes the words of a result to the caller, if there is one."""
        raise NotImplementedError

    def resume(self, made: ir.Resume) -> None:
        """An exception goes on to the caller."""

    def begin_program(self, place: ir.Instruction) -> None:
        """`main` begins here."""

    # -- instructions --

    def use(self, made: ir.Instruction) -> None:
        """What is done with values that an instruction uses, before it."""

    def follow(self, made: ir.Instruction) -> None:
        """One instruction; what defines a value defines its shadow."""
        handler = self._handlers.get(type(made))
        if handler is None and made.result in self.shadows:
            handler = self._operations.get(type(made), self.compute)
        (handler or self.unfollowed)(made)

    def unfollowed(self, made: ir.Instruction) -> None:
        """An operation whose result has no shadow, whatever its operands have."""

    def compute(self, made: ir.Instruction) -> None:
        """An operation whose result has a shadow."""
        raise NotImplementedError

    def binary(self, made: ir.Binary) -> None:
        self.compute(made)

    def compare(self, made: ir.Compare) -> None:
        self.compute(made)

    def cast(self, made: ir.Cast) -> None:
        self.compute(made)

    def select(self, made: ir.Select) -> None:
        self.compute(made)

    def address(self, made: ir.GetElementPtr) -> None:
        self.compute(made)

    def branch(self, made: ir.Br) -> None:
        """Control goes one of two ways, or the only one."""

    def switch(self, made: ir.Switch) -> None:
        """Control goes one of several ways."""

    def allocate(self, made: ir.Alloca) -> None:
        """A variable begins."""

    def nothing(self, made: ir.Instruction) -> None:
        """The instruction uses no value that is followed, or the walk looks at it elsewhere."""

    def _phi(self, made: ir.Phi) -> None:
        for part, name in enumerate(self.words(made.result or "")):
            incoming = ", ".join(
                f"[ {self.shadows[value][part] if value in self.shadows else self.domain.none}, {block} ]"
                for value, block in made.incoming
            )
            made.insert_before(f"{name} = phi {self.domain.type} {incoming}", dbg=False)

    def _unary(self, made: ir.Unary) -> None:
        if made.opcode == "freeze":
            self.same(made, made.operands[0].value)
        else:
            self.compute(made)

    def _extract(self, made: ir.ExtractValue) -> None:
        """A part of a value with a word for each, or one word for all."""
        whole = self.words(made.operands[0].value)
        self.define(after(made), made.result, whole if len(whole) < 2 else (whole[made.indices[0]],))

    def _insert(self, made: ir.InsertValue) -> None:
        whole, value = (each.value for each in made.operands)
        count, place = len(self.shadows[made.result or ""]), after(made)
        words = list(self.words(whole) or [self.domain.none] * count)
        part = made.indices[0] if count > 1 else 0
        words[part] = self.word(value) if count > 1 else self.join(place, [words[0], self.word(value)])
        self.define(place, made.result, words)

    def join(self, place: ir.Instruction, words: Sequence[str]) -> str:
        """The word of what is made of values with these."""
        raise NotImplementedError

    # -- memory --

    def load(self, made: ir.Load) -> None:
        raise NotImplementedError

    def store(self, made: ir.Store) -> None:
        raise NotImplementedError

    def exchange(self, made: ir.AtomicRMW | ir.CmpXchg) -> None:
        """An operation that reads memory and writes to it at once."""
        raise NotImplementedError

    def copy(self, made: ir.Call, to: ir.Argument, source: ir.Argument, size: ir.Argument) -> None:
        """A range of memory is copied."""
        raise NotImplementedError

    def fill(self, made: ir.Call, to: ir.Argument, byte: ir.Argument, size: ir.Argument) -> None:
        """All bytes of a range become one value."""
        raise NotImplementedError

    # -- calls --

    def call(self, made: ir.Call) -> None:
        if is_marker(made):
            self.none(made)
        elif made.is_intrinsic:
            self._intrinsic(made, made.callee or "")
        elif made.is_assembly:
            self.assembly(made)
        elif not self.known(made):
            self._pass_on(made)

    def assembly(self, made: ir.Call) -> None:
        """Inline assembly, which uses its operands."""
        raise NotImplementedError

    def known(self, made: ir.Call) -> bool:
        """Follows a call of a library function whose effects the domain knows; False for others."""
        return False

    def intrinsic(self, made: ir.Call) -> None:
        """One that neither copies nor fills memory, nor returns its argument."""
        raise NotImplementedError

    def _intrinsic(self, made: ir.Call, name: str) -> None:
        if name.startswith(COPIES):
            self.copy(made, *made.arguments[:3])
        elif name.startswith(FILLS):
            self.fill(made, *made.arguments[:3])
        elif name.startswith(SAME):
            self.same(made, made.arguments[0].value)
        else:
            self.intrinsic(made)

    def _pass_on(self, made: ir.Call) -> None:
        """A call whose code may follow the domain, too: its arguments, and its result."""
        target = made.callee_operand.value
        passes = self.pass_arguments(made, target)
        self.lend(made, target, passes)
        if made.marker != "musttail":
            self.receive(made, target, passes)

    def pass_arguments(self, made: ir.Call, target: str) -> bool:
        """Passes the words of arguments to a function; whether there may be some.

        Those that are too many have none. Nor have variable ones, which are memory for the function, if the
        row does not say otherwise.
        """
        words: list[str] = []
        copied: list[int] = []
        most = self.domain.arguments
        if not self.domain.variable:
            most = min(most, named_arguments(made))
        for index, each in enumerate(made.arguments):
            if each.attributes.has("byval"):
                self.lend_copy(made, index, each)
                copied.append(index)
            if index < most:
                words.append(self.passed(made, index, each))
            else:
                self.pass_less(made, each)
        return self.give(made, target, words, [each for each in copied if each < most])

    def passed(self, made: ir.Call, index: int, argument: ir.Argument) -> str:
        """The word of an argument that is passed."""
        return self.domain.none if argument.attributes.has("byval") else self.word(argument.value)

    def lend_copy(self, made: ir.Call, index: int, argument: ir.Argument) -> None:
        """A call copies the memory of an argument by value, which no instruction says."""

    def pass_less(self, made: ir.Call, argument: ir.Argument) -> None:
        """An argument whose shadow is not passed."""

    def give(self, made: ir.Call, target: str, words: list[str], copied: list[int]) -> bool:
        """Passes words to a function, in the order of arguments; whether there may be others than that of
        constants. copied: the arguments by value."""
        raise NotImplementedError

    def lend(self, made: ir.Call, target: str, passed: bool) -> None:
        """Code that does not follow the domain may be called, with what has a shadow."""

    def receive(self, made: ir.Call, target: str, passed: bool) -> None:
        """A function has returned; defines the shadow of the result, if it has one."""
        raise NotImplementedError
