"""Values and places of memory as the program writes them, for the texts of sites.

Names come from debug information, as far as it is there: `list->head`, `a[…]`, `*p`, `5`, `make()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from whence import ir
from whence.instrument.markers.prefixes import CHOSEN
from whence.instrument.naming import bits
from whence.instrument.naming.bits import is_word
from whence.instrument.naming.described import Described
from whence.instrument.naming.variable_names import ATTACHMENT, text_of
from whence.ir.constants import evaluate
from whence.ir.datalayout import constant_index
from whence.ir.lexer import decode_string

_MANGLED = re.compile(r"\b_Z[\w$]+")
"""Reports tell only the last part of such a name."""
_CHECKED = re.compile(r"llvm\.[su](add|sub|mul)\.with\.overflow")
_SUM = re.compile(r" [-+] ")
_CLOSED = re.compile(r"[\w.>-]*(\[[^][]*\])?")
"""A name with an index."""
_LONGEST = 60
_MOST_TEXT = 20
"""Letters of a literal."""
_TEXT = re.compile(r'c"(.*)"', re.DOTALL)
_DEEPEST = 12


class Names:
    """The names in one function."""

    def __init__(self, function: ir.Function, types: Described) -> None:
        self.function = function
        self._types = types
        self._parameters = _stored_parameters(function)
        self._stored = dict(self._find_stored())
        self._masked = {each.masked: each for each in self._stored.values() if each.masked}

    def variable(self, alloca: ir.Alloca) -> str:
        """The name of a local variable, empty if it has none."""
        return _name_of(alloca)

    def declared(self, alloca: ir.Alloca) -> str:
        """The line where a local variable is declared; empty if it is not known."""
        line = text_of(alloca).decode("utf-8", "replace").split("\t")[0]
        return line if line != "0" else ""

    def parameter(self, name: str) -> str:
        """The name of a parameter, by the variable that it is stored to."""
        place = self.function.definition_of(self._parameters.get(name, ""))
        return self.variable(place) if isinstance(place, ir.Alloca) else ""

    def conversion(self, value: str, into: bits.Stored | None = None) -> tuple[int, int] | None:
        """How many bits of an integer are left on its way from where it was loaded or computed, and of how
        many; or how many it had before its sign was extended, and then. None where it stays the number that
        it was.

        into: the bit-field that it is stored to.
        """
        last = least = into.size if into else 0
        first, extended = 0, False
        while True:
            made, given = self.function.definition_of(value), self.assigned(value)
            if given is not None:
                source, target, last = given.width, given.size, last or given.width
                value = given.value.value
            elif isinstance(made, ir.Cast) and made.opcode in ("trunc", "sext", "zext"):
                source, target = (_bits(str(each)) for each in (made.source_type, made.type))
                if not (source and target):
                    break
                last, value = last or target, made.operands[0].value
            else:
                break
            least, first = min(least or target, target), source
            extended = extended or (isinstance(made, ir.Cast) and made.opcode == "sext")
        if (part := self.loaded(value)) is not None:
            first, last = part.size, last or part.width
            least, extended = min(least or first, first), part.signed and last > first
        elif into is not None and made is not None:
            first = first or into.width
        if first > least:
            return first, least
        return (first, last) if extended else None

    def place(self, pointer: str, depth: int = 0) -> str:
        """The lvalue at an address; empty if it is not known."""
        if pointer.startswith("@"):
            return self._global(pointer)
        if depth > _DEEPEST:
            return ""
        if pointer.startswith("getelementptr"):
            return _short(self._in_global(pointer))
        made = self.function.definition_of(pointer)
        if (own := _of_thread(made)) is not None:
            return self.place(own, depth + 1)
        if isinstance(made, ir.Alloca):
            return self.variable(made)
        if isinstance(made, ir.GetElementPtr):
            return _short(self._element(made, depth))
        if _is_result(made):
            return self._result[0]
        value = self.value(pointer, depth + 1)
        return _short(value if self._is_reference(made) else f"*{value}") if value else ""

    def accessed(self, pointer: str, type_: str, depth: int = 0) -> str:
        """The lvalue of an access of a type: it may tell the first member of a global variable, whose address
        is that of the whole, and the member of a union."""
        whole = self.place(pointer, depth)
        if whole and pointer.startswith("@"):
            path = self._types.first(self._type(pointer, depth), type_)
            whole = _short(f"{whole}{path}")
        member = self._types.alternative(self._type(pointer, depth), type_) if whole else ""
        if not member:
            return whole
        return _short(f"{whole[1:]}->{member}" if whole.startswith("*") else f"{whole}.{member}")

    def type_at(self, pointer: str) -> str:
        """The type of what a pointer leads to; empty if debug information does not tell it."""
        return self._type(pointer, 0)

    def arguments(self, call: ir.Call) -> str:
        """Those of a call, with commas between; unknown ones are "…"."""
        return ", ".join(self.value(each.value) or "…" for each in call.arguments)

    def callee(self, value: str) -> str:
        """A called pointer: of a virtual function, that of the class by which it is called; of one that a
        resolver chooses, the function's own name."""
        load = self.function.definition_of(value)
        if isinstance(load, ir.Load) and load.pointer.startswith("@"):
            name = ir.unquote(load.pointer)
            return name.removeprefix(CHOSEN) if name.startswith(CHOSEN) else self.value(value)
        slot = self.function.definition_of(load.pointer) if isinstance(load, ir.Load) else None
        if isinstance(slot, ir.GetElementPtr) and slot.source_type == "ptr" and len(slot.indices) == 1:
            table, index = self.function.definition_of(slot.base), constant_index(slot.indices[0][1])
            if isinstance(table, ir.Load) and index is not None:
                return self._types.virtual(self._type(table.pointer, 0), index) or self.value(value)
        return self.value(value)

    @cached_property
    def _result(self) -> tuple[str, str]:
        """The name and the type of the variable that lies where the function's result belongs, which is in
        memory: the only one without memory of its own."""
        allocas = [each for each in self.function.entry if isinstance(each, ir.Alloca)]
        placed = {(self.variable(each), self.declared(each) or "0") for each in allocas}
        found = self._types.without_place(self.function.name, placed)
        return found[0] if len(found) == 1 else ("", "")

    # Bit-fields.

    def _find_stored(self) -> Iterator[tuple[ir.Store, bits.Stored]]:
        for each in self.function.instructions():
            part = bits.stored(each) if isinstance(each, ir.Store) else None
            if isinstance(each, ir.Store) and part is not None and (part.masked or not self._is_whole(part)):
                yield each, part

    def stored(self, store: ir.Store) -> bits.Stored | None:
        """The bit-field that is stored to."""
        return self._stored.get(store)

    def loaded(self, value: str) -> bits.Loaded | None:
        """The bit-field whose value this is."""
        part = bits.loaded(self.function, value)
        return None if part is None or self._is_whole(part) else part

    def assigned(self, value: str) -> bits.Stored | None:
        """The store to a bit-field, of which this is the value that it has then."""
        if (found := self._masked.get(value)) is not None:
            return None if found.value.value == value else found
        made = self.function.definition_of(value)
        if not isinstance(made, ir.Binary) or made.opcode != "ashr":
            return None
        inner = self.function.definition_of(made.operands[0].value)
        if not isinstance(inner, ir.Binary) or inner.opcode != "shl":
            return None
        found = self._masked.get(inner.operands[0].value)
        by = {inner.operands[1].value, made.operands[1].value}
        return found if found is not None and by == {str(found.width - found.size)} else None

    def field(self, part: bits.Part) -> str:
        """The name of a bit-field; that of the whole where it is not known, or may be one of several."""
        base, paths, is_whole = self._fields(part)
        is_whole = is_whole and not (isinstance(part, bits.Stored) and part.masked)
        whole = self._base(base, 0) if len(paths) == 1 and not is_whole else None
        if whole is None:
            return self.place(part.pointer)
        (name, arrow), (path, _) = whole, paths[0]
        return _short(f"{name}->{path[1:]}" if arrow and path[:1] == "." else f"{name}{path}")

    def given(self, part: bits.Stored) -> str:
        """What is stored to a bit-field, a constant as the number that it is there."""
        number = constant_index(part.value.value)
        if number is not None and number >> part.size - 1 and any(sign for _, sign in self._fields(part)[1]):
            number -= 1 << part.size
        return part.value.value if number is None else str(number)

    def is_described(self, part: bits.Part) -> bool:
        """Whether debug information knows a bit-field there."""
        return bool(self._fields(part)[1])

    def _is_whole(self, part: bits.Part) -> bool:
        """Whether the unit is a number of the program, from which it takes bits by itself."""
        _, paths, is_whole = self._fields(part)
        return is_whole and not paths

    def _fields(self, part: bits.Part) -> tuple[str, list[tuple[str, bool]], bool]:
        """The variable or pointer that leads to a unit, the paths from there to the bit-fields at these bits,
        and whether the unit is an integer of the program."""
        at, offset = part.pointer, 0
        if at.startswith("getelementptr"):
            constant = evaluate(self.function.module.layout, "ptr", at)
            if constant is None:
                return at, [], False
            at, offset = constant.symbol, constant.signed
        outer = ""
        for _ in range(_DEEPEST):
            made = self.function.definition_of(at)
            if isinstance(made, ir.GetElementPtr) and len(made.indices) == 1:
                outer = made.source_type
            type_ = self._type(at, 0) or self._types.struct(outer)
            found = self._types.bit_fields(type_, 8 * offset, part.width, part.low, part.size)
            if any(found):
                return at, *found
            if not isinstance(made, ir.GetElementPtr):
                return at, [], isinstance(made, ir.Alloca) and is_word(str(made.allocated_type))
            outer = made.source_type
            if len(made.indices) == 1 or not outer.startswith("%") or made.constant_offset is None:
                return at, [], not outer.startswith("%")
            at, offset = made.base, offset + made.constant_offset
        return at, [], False

    def _is_reference(self, made: ir.Instruction | ir.Parameter | None) -> bool:
        """Whether a value is what a reference of the source refers to."""
        return isinstance(made, ir.Load) and self._types.is_reference(self._type(made.pointer, 0))

    def _type(self, pointer: str, depth: int) -> str:
        """The type of what is at an address, as debug information describes it; empty if it is not known."""
        made = self.function.definition_of(pointer)
        variable = self._types.variable(pointer) if pointer.startswith("@") else made
        if isinstance(variable, ir.Alloca | ir.GlobalVariable):
            return self._types.of_variable(variable)
        if depth > _DEEPEST:
            return ""
        if _is_result(made):
            return self._result[1]
        if (own := _of_thread(made)) is not None:
            return self._type(own, depth + 1)
        if isinstance(made, ir.Load):
            return self._types.pointee(self._type(made.pointer, depth + 1))
        if not isinstance(made, ir.GetElementPtr) or len(made.indices) != 2:
            return ""
        whole = self._type(made.base, depth + 1)
        if made.source_type.startswith("["):
            return self._types.element(whole)
        return "" if made.constant_offset is None else self._types.member(whole, made.constant_offset)[1]

    def _in_global(self, pointer: str) -> str:
        """A member or an element of a global variable, at a constant address."""
        found = evaluate(self.function.module.layout, "ptr", pointer)
        variable = None if found is None else self._types.variable(found.symbol)
        if found is None or variable is None:
            return ""
        path = self._types.path(self._types.of_variable(variable), found.signed)
        return f"{_name_of(variable) or variable.name}{path}" if path else ""

    def _global(self, pointer: str) -> str:
        if literal := self._literal(pointer):
            return literal
        name = ir.unquote(pointer)
        variable = self._types.variable(pointer)
        is_plain = not name.startswith("_Z")  # others say their scopes, too
        if variable is not None and is_plain and variable.attachments.get(ATTACHMENT):
            return _name_of(variable) or name
        return name

    def is_literal(self, value: str) -> bool:
        return bool(self._literal(value))

    def _literal(self, value: str) -> str:
        """A literal as the program writes it, as far as it is short; empty if it is none."""
        if not value.startswith("@") or not ir.unquote(value).startswith(".str"):
            return ""
        variable = self._types.variable(value)
        text = _TEXT.fullmatch(variable.initializer or "") if variable is not None else None
        return '"…"' if text is None else _quoted(decode_string(text[1]))

    def _element(self, made: ir.GetElementPtr, depth: int) -> str:
        base = self._base(made.base, depth)
        if not base:
            return ""
        indices = made.indices
        if made.source_type.startswith("%") and len(indices) == 2 and made.constant_offset is not None:
            member, inner = self._types.member_of(made.source_type, made.constant_offset), ""
            if not member:
                whole_type = self._type(made.base, depth + 1)
                member, inner = self._types.member(whole_type, made.constant_offset)
            whole, arrow = base
            if whole == "this" and self._types.is_unnamed(self._type(made.base, depth + 1)):
                return member  # what a lambda has captured
            if not member and (made.constant_offset == 0 or inner):  # a union or a struct without a name
                return f"*{whole}" if arrow else whole
            return f"{whole}{'->' if arrow else '.'}{member}" if member else ""
        whole, _ = base if len(indices) > 1 else self._base(self._array(made.base), depth) or base
        return f"{whole}[{self._index(indices[-1][1])}]"

    def _base(self, pointer: str, depth: int) -> tuple[str, bool] | None:
        """A struct or an array by its name, or by that of a pointer to it: then the second is true."""
        made = self.function.definition_of(pointer)
        is_place = pointer.startswith("@") or isinstance(made, ir.Alloca | ir.GetElementPtr)
        if is_place or _is_result(made) or _of_thread(made) is not None:
            name = self.place(pointer, depth + 1)
            return (name, False) if name else None
        name = self.value(pointer, depth + 1)
        return (name, not self._is_reference(made)) if name else None

    def _array(self, pointer: str) -> str:
        """The array whose first element a pointer leads to, or the pointer."""
        made = self.function.definition_of(pointer)
        if not isinstance(made, ir.GetElementPtr) or not made.source_type.startswith("["):
            return pointer
        return made.base if made.constant_offset == 0 and len(made.indices) == 2 else pointer

    def _index(self, value: str) -> str:
        return self.value(value, _DEEPEST - 1) or "…"

    def value(self, value: str, depth: int = 0) -> str:
        """A value; empty if it has no short name."""
        if not value.startswith("%"):
            return self._literal(value) or _constant(value)
        if depth > _DEEPEST:
            return ""
        if (part := self.loaded(value)) is not None:
            return self.field(part)
        if (given := self.assigned(value)) is not None:
            return self.value(given.value.value, depth + 1)
        made = self.function.definition_of(value)
        if isinstance(made, ir.Parameter):
            return self.parameter(value)
        if isinstance(made, ir.Load):
            return self.accessed(made.pointer, made.type, depth + 1)
        if (own := _of_thread(made)) is not None:
            name = self.place(own, depth + 1)
            return f"&{name}" if name else ""
        if isinstance(made, ir.Call):
            if (made.callee or "").startswith("__cxa_"):
                return ""  # what only the compiler calls
            return f"{ir.unquote('@' + made.callee) if made.callee else '(…)'}()"
        if isinstance(made, ir.Cast):
            return self.value(made.operands[0].value, depth + 1)
        if isinstance(made, ir.Alloca):
            name = self.variable(made)
            return f"&{name}" if name else ""
        if isinstance(made, ir.GetElementPtr):
            name = self.place(value, depth + 1)
            return f"&{name}" if name else ""
        return self._sum(made, depth)

    def product(self, value: str, factor: int) -> str:
        """A value times a constant; empty if the value has no short name."""
        name = self.value(value)
        return _short(f"{_as_operand(name)} * {factor}") if name else ""

    def _sum(self, made: ir.Instruction | None, depth: int) -> str:
        if isinstance(made, ir.Select):  # the compiler's -1 for a size that is too large
            names = [self.value(each.value, depth + 1) for each in made.operands[1:]]
            return names[1] if made.operands[1].value == "-1" else ""
        if isinstance(made, ir.ExtractValue):
            checked = self.function.definition_of(made.operands[0].value)
            if not isinstance(checked, ir.Call) or made.indices != (0,):
                return ""
            match = _CHECKED.match(checked.callee or "")
            return self._signed(match[1], checked, depth) if match else ""
        return self._signed(made.opcode, made, depth) if isinstance(made, ir.Binary) else ""

    def _signed(self, opcode: str, made: ir.Instruction, depth: int) -> str:
        """A sum, a difference, a product or another operation with a sign."""
        if opcode not in _SIGNS:
            return ""
        sign, order = _SIGNS[opcode]
        left, right = (self.value(each.value, depth + 1) for each in made.operands[:2])
        if not left or not right:
            return ""
        first, second = (self._order(each.value) for each in made.operands[:2])
        if first < order:
            left = f"({left})"
        if second < order or (second == order and opcode not in ("add", "mul", "and", "or", "xor")):
            right = f"({right})"
        if opcode == "add" and re.fullmatch(r"-\d+", right):
            sign, right = "-", right[1:]  # as front ends write `i--`
        return _short(f"{left} {sign} {right}")

    def _order(self, value: str) -> int:
        """How closely the operator of a value binds its operands; the most if it has none."""
        made = self.function.definition_of(value) if value.startswith("%") else None
        while isinstance(made, ir.Cast) and self.loaded(value) is None:
            value = made.operands[0].value
            made = self.function.definition_of(value)
        if self.loaded(value) is not None or self.assigned(value) is not None:
            return _CLOSEST
        if isinstance(made, ir.ExtractValue):
            checked = self.function.definition_of(made.operands[0].value)
            match = _CHECKED.match(checked.callee or "") if isinstance(checked, ir.Call) else None
            return _SIGNS[match[1]][1] if match else _CLOSEST
        return _SIGNS.get(made.opcode, ("", _CLOSEST))[1] if isinstance(made, ir.Binary) else _CLOSEST


_BY_ORDER = (
    {"or": "|"},
    {"xor": "^"},
    {"and": "&"},
    {"shl": "<<", "ashr": ">>", "lshr": ">>"},
    {"add": "+", "sub": "-"},
    {"mul": "*", "sdiv": "/", "udiv": "/", "srem": "%", "urem": "%"},
)
_CLOSEST = len(_BY_ORDER)
_SIGNS = {opcode: (sign, order) for order, signs in enumerate(_BY_ORDER) for opcode, sign in signs.items()}
"""The sign of an operation in C, and how closely it binds its operands."""


def _stored_parameters(function: ir.Function) -> dict[str, str]:
    """The variable to which the begin of a function stores each parameter."""
    known = {each.name for each in function.parameters if each.name}
    return {
        each.operands[0].value: each.pointer
        for each in function.entry
        if isinstance(each, ir.Store) and each.operands[0].value in known
    }


def _constant(value: str) -> str:
    if value.startswith("@"):
        return f"&{ir.unquote(value)}"
    return "NULL" if value == "null" else value if re.fullmatch(r"-?\d+|true|false", value) else ""


def _quoted(text: str) -> str:
    """The begin of a text without its final 0, as C writes it."""
    text = text.removesuffix("\0")
    shown = "".join(_ESCAPES.get(each, each if each.isprintable() else "?") for each in text[:_MOST_TEXT])
    return f'"{shown}…"' if len(text) > _MOST_TEXT else f'"{shown}"'


_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def _short(text: str) -> str:
    return text if len(_MANGLED.sub("", text)) <= _LONGEST else ""


def _as_operand(text: str) -> str:
    """A sum in parentheses."""
    return f"({text})" if _SUM.search(text) and not _CLOSED.fullmatch(text) else text


def _name_of(variable: ir.Alloca | ir.GlobalVariable) -> str:
    fields = text_of(variable).decode("utf-8", "replace").split("\t")
    return fields[2] if len(fields) > 2 else ""


def _is_result(made: ir.Instruction | ir.Parameter | None) -> bool:
    """Whether a value is where the result of its function belongs."""
    return isinstance(made, ir.Parameter) and made.attributes.has("sret")


def _of_thread(made: ir.Instruction | ir.Parameter | None) -> str | None:
    """The variable of threads whose address in this one a value is."""
    if isinstance(made, ir.Call) and (made.callee or "").startswith("llvm.threadlocal.address"):
        return made.arguments[0].value
    return None


def _bits(type_: str) -> int:
    """Of an integer type; 0: it is none, or a truth value."""
    bits = int(type_[1:]) if type_[:1] == "i" and type_[1:].isdecimal() else 0
    return bits if bits > 1 else 0
