"""Values and places of memory as the program writes them, for the texts of sites.

Names come from debug information, as far as it is there: `list->head`, `a[…]`, `*p`, `5`, `make()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence import ir
from whence.instrument.variable_names import text_of

_ENTRY = re.compile(r"!(\d+) = (?:distinct )?!(DICompositeType|DIDerivedType)\((.*)\)\Z", re.DOTALL)
_LIST = re.compile(r"!(\d+) = !\{([^\"]*)\}\Z")
_NUMBER = re.compile(r"!(\d+)")
_MEMBER_OF = re.compile(r'\bname: "([^"]*)"')
_OFFSET = re.compile(r"\boffset: (\d+)")
_ELEMENTS = re.compile(r"\belements: !(\d+)")
_BASE = re.compile(r"\bbaseType: !(\d+)")
_STRUCT = re.compile(r'%"?(?:struct|class|union)\.(.+?)(?:\.\d+)?"?\Z')
_LONGEST = 60
_DEEPEST = 6
_MANY = 4096
"""Members of all types; modules with more of them have no names of members."""


class Members:
    """The names of members of structs, by the struct's name and the offset in bytes."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._names: dict[str, dict[int, str]] | None = None

    def name(self, type_: str, offset: int) -> str:
        """The member at an offset of a type as the IR names it; empty if that is not known."""
        match = _STRUCT.match(type_)
        if match is None:
            return ""
        if self._names is None:
            self._names = dict(self._read())
        return self._names.get(match[1].rpartition("::")[2], {}).get(offset, "")

    def _read(self) -> Iterator[tuple[str, dict[int, str]]]:
        entries: dict[str, str] = {}
        lists: dict[str, str] = {}
        for line in self._module.metadata.lines:
            if match := _ENTRY.match(line):
                entries[match[1]] = match[3]
            elif match := _LIST.match(line):
                lists[match[1]] = match[2]
        for number, text in entries.items():
            elements = _ELEMENTS.search(text)
            if elements is None or "DW_TAG_array_type" in text or "DW_TAG_enumeration" in text:
                continue
            members = dict(_members(lists.get(elements[1], ""), entries))
            name = _MEMBER_OF.search(text)
            names = [name[1]] if name else list(_typedefs(number, entries))
            yield from ((each, members) for each in names)


def _members(listed: str, entries: dict[str, str]) -> Iterator[tuple[int, str]]:
    for number in _NUMBER.findall(listed):
        text = entries.get(number, "")
        name = _MEMBER_OF.search(text)
        if "DW_TAG_member" in text and name:
            offset = _OFFSET.search(text)
            yield (int(offset[1]) // 8 if offset else 0), name[1]


def _typedefs(number: str, entries: dict[str, str]) -> Iterator[str]:
    """The names that typedefs give a struct without one."""
    if len(entries) > _MANY:
        return
    for text in entries.values():
        base, name = _BASE.search(text), _MEMBER_OF.search(text)
        if "DW_TAG_typedef" in text and base and name and base[1] == number:
            yield name[1]


class Names:
    """The names in one function."""

    def __init__(self, function: ir.Function, members: Members) -> None:
        self.function = function
        self._members = members
        self._parameters = _stored_parameters(function)

    def variable(self, alloca: ir.Alloca) -> str:
        """The name of a local variable, empty if it has none."""
        fields = text_of(alloca).decode("utf-8", "replace").split("\t")
        return fields[2] if len(fields) > 2 else ""

    def parameter(self, name: str) -> str:
        """The name of a parameter, by the variable that it is stored to."""
        place = self.function.definition_of(self._parameters.get(name, ""))
        return self.variable(place) if isinstance(place, ir.Alloca) else ""

    def place(self, pointer: str, depth: int = 0) -> str:
        """The lvalue at an address; empty if it is not known."""
        if pointer.startswith("@"):
            return self._global(pointer)
        if pointer.startswith("getelementptr") or depth > _DEEPEST:
            return ""
        made = self.function.definition_of(pointer)
        if isinstance(made, ir.Alloca):
            return self.variable(made)
        if isinstance(made, ir.GetElementPtr):
            return _short(self._element(made, depth))
        value = self.value(pointer, depth + 1)
        return _short(f"*{value}") if value else ""

    def _global(self, pointer: str) -> str:
        name = ir.unquote(pointer)
        return '"…"' if name.startswith(".str") else name

    def _element(self, made: ir.GetElementPtr, depth: int) -> str:
        base = self._base(made.base, depth)
        if not base:
            return ""
        indices = made.indices
        if made.source_type.startswith("%") and len(indices) == 2 and made.constant_offset is not None:
            member = self._members.name(made.source_type, made.constant_offset)
            whole, arrow = base
            return f"{whole}{'->' if arrow else '.'}{member}" if member else ""
        whole, _ = base
        return f"{whole}[{self._index(indices[-1][1])}]"

    def _base(self, pointer: str, depth: int) -> tuple[str, bool] | None:
        """A struct or an array by its name, or by that of a pointer to it: then the second is true."""
        made = self.function.definition_of(pointer)
        if pointer.startswith("@") or isinstance(made, ir.Alloca | ir.GetElementPtr):
            name = self.place(pointer, depth + 1)
            return (name, False) if name else None
        name = self.value(pointer, depth + 1)
        return (name, True) if name else None

    def _index(self, value: str) -> str:
        return self.value(value, _DEEPEST - 1) or "…"

    def value(self, value: str, depth: int = 0) -> str:
        """A value; empty if it has no short name."""
        if not value.startswith("%"):
            return _constant(value)
        if depth > _DEEPEST:
            return ""
        made = self.function.definition_of(value)
        if isinstance(made, ir.Parameter):
            return self.parameter(value)
        if isinstance(made, ir.Load):
            return self.place(made.pointer, depth + 1)
        if isinstance(made, ir.Call):
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

    def _sum(self, made: ir.Instruction | None, depth: int) -> str:
        signs = {"add": "+", "sub": "-", "mul": "*"}
        if not isinstance(made, ir.Binary) or made.opcode not in signs:
            return ""
        left, right = (self.value(each.value, depth + 1) for each in made.operands)
        return f"{left} {signs[made.opcode]} {right}" if left and right else ""


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
        name = ir.unquote(value)
        return '"…"' if name.startswith(".str") else f"&{name}"
    return "NULL" if value == "null" else value if re.fullmatch(r"-?\d+|true|false", value) else ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else ""
