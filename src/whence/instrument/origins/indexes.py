"""The index of an access, and what it was computed from: `a[row * columns + column]` has three operands.

Where a pointer that is computed with an index is kept in a scalar variable of the function, variables
beside it keep the index for its accesses, which LLVM promotes with it. The runtime is told of one that
goes elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from whence import ir
from whence.abi.origins import MOST_OPERANDS, SIGNS_SHIFT
from whence.instrument.naming.bits import is_word
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import Emitter, Node, after
from whence.instrument.shadow.calls import COPIES, FILLS, first_of

_DEEPEST = 10
_CASTS = ("sext", "zext", "trunc")
_WIDE = 64
_MOVES = (*COPIES, *FILLS)
"""What is asked for its pointers as functions are."""
Site = Callable[[ir.Instruction], str]
"""The site of arithmetic."""
Typed = tuple[str, str, bool]
"""A value, its type, and whether that has a sign."""


@dataclass(frozen=True)
class _Shadow:
    """The variables beside a pointer: of its index and each of the operands, the value and the node.

    site: the variable with the site that has computed the pointer; null if there is none.
    """

    words: tuple[str, ...]
    nodes: tuple[str, ...]
    signs: int
    site: str


class Indexes:
    """The indexes in one function."""

    def __init__(self, function: ir.Function, out: Emitter, node: Node, site: Site) -> None:
        self._site = site
        self._function = function
        self._out = out
        self._node = node
        self._kept: set[str] = set()
        self._variables: Collection[str] = ()
        self._shadows: dict[str, _Shadow] = {}
        self._loaded: dict[str, list[tuple[str, str]]] = {}

    def begin(self, instructions: Sequence[ir.Instruction], variables: Collection[str]) -> None:
        """variables: the scalar ones of the function, which only loads and stores access."""
        self._variables = variables
        self._kept = {value for each in instructions for value in kept(each, variables)}
        stored: dict[str, list[ir.Store]] = {}
        for each in instructions:
            if isinstance(each, ir.Store) and each.pointer in variables and self._indexed(each):
                stored.setdefault(each.pointer, []).append(each)
        first = first_of(self._function)
        for variable, stores in stored.items():
            values = self._indexed(stores[0])
            count = len(values) if len(stores) == 1 else 1
            words = (self._function.add_alloca("i64", 8).result or "" for _ in range(count))
            nodes = (self._function.add_alloca("i32", 4).result or "" for _ in range(count))
            site = self._function.add_alloca("ptr", 8).result or ""
            self._shadows[variable] = shadow = _Shadow((*words,), (*nodes,), signs_of(values[1:count]), site)
            _clear(first, shadow)

    def stored(self, store: ir.Store) -> None:
        """A variable gets a value."""
        shadow = self._shadows.get(store.pointer)
        if shadow is None:
            return
        values = self._indexed(store)
        if not values:
            _clear(store, shadow)
            return
        words = self.words(store, values)
        for (word, node), beside, of in zip(words, shadow.words, shadow.nodes, strict=False):
            store.insert_before(f"store {word}, ptr {beside}, align 8", dbg=False)
            store.insert_before(f"store i32 {node}, ptr {of}, align 4", dbg=False)
        made = self._function.definition_of(store.operands[0].value)
        if isinstance(made, ir.GetElementPtr):
            store.insert_before(f"store ptr {self._site(made)}, ptr {shadow.site}, align 8", dbg=False)

    def use_of_variable(self, place: ir.Instruction, pointer: str, node: str, root: object) -> bool:
        """Whether a pointer is used that a variable has kept, whose index is known."""
        if not isinstance(root, ir.Load) or (shadow := self._shadows.get(root.pointer)) is None:
            return False
        known = self._known(root, shadow)
        words = ", ".join(f"i32 {each}, {word}" for word, each in known)
        arguments = f"ptr {pointer}, i32 {node}, i64 {shadow.signs}, {words}"
        self._out.call(place, helpers.used(len(known) - 1), "void", arguments)
        return True

    def leaving(self, user: ir.Instruction) -> None:
        """An instruction may keep pointers that variables have kept."""
        for value in kept(user, self._variables):
            made = self._function.definition_of(value)
            shadow = self._shadows.get(made.pointer) if isinstance(made, ir.Load) else None
            if shadow is not None and isinstance(made, ir.Load) and (known := self._known(made, shadow)):
                site = made.insert_before(f"load ptr, ptr {shadow.site}, align 8").result or ""
                self._tell(user, site, value, known, shadow.signs)

    def _known(self, load: ir.Load, shadow: _Shadow) -> list[tuple[str, str]]:
        """The values and nodes beside a pointer that a variable has kept, as they are where it is loaded."""
        known = self._loaded.get(load.result or "")
        behind = after(load)
        if known is None and behind is not None:
            known = self._loaded[load.result or ""] = [
                (
                    f"i64 {behind.insert_before(f'load i64, ptr {word}, align 8').result}",
                    behind.insert_before(f"load i32, ptr {node}, align 4").result or "",
                )
                for word, node in zip(shadow.words, shadow.nodes, strict=True)
            ]
        return known or []

    def _indexed(self, store: ir.Store) -> list[Typed]:
        """The index of a pointer that is stored, and its operands; nothing if it has none."""
        made = self._function.definition_of(store.operands[0].value)
        index = _index_of(made) if isinstance(made, ir.GetElementPtr) else None
        return [] if index is None else [(*index, True), *self.operands(*index)]

    def use(self, place: ir.Instruction, pointer: str, node: str, index: tuple[str, str]) -> None:
        """A pointer with a node is used with an index."""
        values = [(*index, True), *self.operands(*index)]
        words = [f"i32 {each}, {word}" for word, each in self.words(place, values)]
        arguments = f"ptr {pointer}, i32 {node}, i64 {signs_of(values[1:])}, {', '.join(words)}"
        self._out.call(place, helpers.used(len(values) - 1), "void", arguments)

    def computed(self, made: ir.GetElementPtr, place: ir.Instruction, site: str) -> None:
        """A pointer is computed at a site, and perhaps kept, so that the access does not know the index."""
        index = _index_of(made)
        if index is None or made.result not in self._kept:
            return
        values = [(*index, True), *self.operands(*index)]
        self._tell(place, site, made.result or "", self.words(place, values), signs_of(values[1:]))

    def _tell(
        self, place: ir.Instruction, site: str, pointer: str, values: list[tuple[str, str]], signs: int
    ) -> None:
        (index, node), *words = values
        said = len(words) | signs << SIGNS_SHIFT
        more = "".join(f", {word}, i32 {each}" for word, each in words)
        arguments = f"ptr {site}, ptr {pointer}, {index}, i32 {node}, i32 {said}{more}"
        self._out.call(place, helpers.INDEXED, "void (ptr, ptr, i64, i32, i32, ...)", arguments)

    def words(self, place: ir.Instruction, values: Sequence[Typed]) -> list[tuple[str, str]]:
        """Each value as an argument of 64 bits, and its node."""
        return [
            (self.widened(place, value, type_, has_sign=has_sign), self._node(value, type_, place))
            for value, type_, has_sign in values
        ]

    def operands(self, value: str, type_: str) -> list[Typed]:
        """What a value was computed from, if there are several: all, or, if that is much, its two sides."""
        value, type_, _ = self._stripped(value, type_)
        made = self._function.definition_of(value)
        if not isinstance(made, ir.Binary):
            return []
        found = [*dict.fromkeys(self._leaves(made, _DEEPEST))]
        if len(found) > MOST_OPERANDS:
            found = [*dict.fromkeys(self._sides(made))]
        return found

    def _sides(self, made: ir.Binary) -> Iterator[Typed]:
        for side in made.operands:
            value, type_, has_sign = self._stripped(side.value, made.type)
            yield value, type_, has_sign or "nsw" in made.flags

    def _leaves(self, made: ir.Binary, depth: int) -> Iterator[Typed]:
        for value, type_, has_sign in self._sides(made):
            inner = self._function.definition_of(value)
            if depth and isinstance(inner, ir.Binary):
                yield from self._leaves(inner, depth - 1)
            else:
                yield value, type_, has_sign

    def _stripped(self, value: str, type_: str) -> Typed:
        """A value before casts and arithmetic with constants; whether an extension copies its sign."""
        has_sign = False
        while True:
            made = self._function.definition_of(value)
            if isinstance(made, ir.Cast) and made.opcode in _CASTS and is_word(made.source_type):
                has_sign = has_sign or made.opcode == "sext"
                value, type_ = made.operands[0].value, made.source_type
            elif isinstance(made, ir.Binary) and len(varying := _varying(made)) == 1:
                has_sign = has_sign or "nsw" in made.flags
                value = varying[0].value
            else:
                return value, type_, has_sign

    def widened(self, before: ir.Instruction, value: str, type_: str, *, has_sign: bool) -> str:
        width = int(type_[1:])
        if width == _WIDE:
            return f"i64 {value}"
        cast = "sext" if has_sign else "zext"
        return f"i64 {before.insert_before(f'{cast} {type_} {value} to i64').result}"


def signs_of(values: Sequence[Typed]) -> int:
    """Which of some values have a sign: a bit for each."""
    return sum(has_sign << number for number, (_, _, has_sign) in enumerate(values))


def _index_of(made: ir.GetElementPtr) -> tuple[str, str] | None:
    """The last index that is not constant, with its type."""
    varying = [(value, type_) for type_, value in made.indices if value.startswith("%")]
    return varying[-1] if varying and is_word(varying[-1][1]) else None


def _clear(before: ir.Instruction, shadow: _Shadow) -> None:
    """The pointer of a variable has no index that is known."""
    before.insert_before(f"store ptr null, ptr {shadow.site}, align 8", dbg=False)
    for node in shadow.nodes:
        before.insert_before(f"store i32 0, ptr {node}, align 4", dbg=False)


def kept(user: ir.Instruction, variables: Collection[str]) -> Iterator[str]:
    """What an instruction stores elsewhere than in a variable, passes or returns."""
    if isinstance(user, ir.Store):
        values = [] if user.pointer in variables else [user.operands[0].value]
    elif isinstance(user, ir.Call):
        callee = user.callee or ""
        is_ours = callee.startswith(("llvm.", "__whence_")) and not callee.startswith(_MOVES)
        values = [] if is_ours else [each.value for each in user.arguments]
    else:
        values = [each.value for each in user.operands] if isinstance(user, ir.Ret) else []
    yield from (each for each in values if each.startswith("%"))


def _varying(made: ir.Binary) -> list[ir.Operand]:
    return [each for each in made.operands if each.value.startswith("%")]
