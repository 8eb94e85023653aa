"""Types of variables, as debug information describes them: for names that the IR's own types do not tell.

A type is the number of its node, empty where it is not known.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from whence import ir
from whence.instrument.variable_names import text_of

_NODE = re.compile(
    r"!(\d+) = (?:distinct )?"
    r"!(DI(?:(?:Composite|Derived|Basic)Type|(?:Local|Global)Variable|Subrange))\((.*)\)\Z",
    re.DOTALL,
)
_LIST = re.compile(r"!(\d+) = !\{([^\"]*)\}\Z")
_NUMBER = re.compile(r"!(\d+)")
_TAG = re.compile(r"\btag: (DW_TAG_\w+)")
_WORD = re.compile(r'\bname: "([^"]*)"')
_FIELD = re.compile(r"\b(type|baseType|elements|offset|size|line|count): !?(\d+)")
_VARIABLES = ("DILocalVariable", "DIGlobalVariable")
_SAME = (
    "DW_TAG_typedef",
    "DW_TAG_const_type",
    "DW_TAG_volatile_type",
    "DW_TAG_atomic_type",
    "DW_TAG_restrict_type",
)
_POINTERS = ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
_STRUCTS = ("DW_TAG_structure_type", "DW_TAG_class_type")
_UNNAMED = ("DW_TAG_array_type", "DW_TAG_enumeration_type")
"""What has elements, and no members."""
_BASIC = "DW_TAG_base_type"
_DEEPEST = 20
_OF_IR = re.compile(r'%"?(?:struct|class|union)\.(.+?)(?:\.\d+)?"?\Z')
"""A struct, by the name that the IR gives it."""


class _Node(NamedTuple):
    """A node: its kind, the text of its fields, and those of them that are numbers."""

    kind: str
    text: str
    fields: dict[str, str]


_NONE = _Node("", "", {})


class Described:
    """The types of one module's variables."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module

    def of_variable(self, variable: ir.Alloca | ir.GlobalVariable) -> str:
        """The type of a variable, by the name and the line that are attached to it."""
        fields = text_of(variable).decode("utf-8", "replace").split("\t")
        found = self._variables.get((fields[2], fields[0]), set()) if len(fields) > 2 else set()
        return self._plain(next(iter(found))) if len(found) == 1 else ""

    def is_reference(self, type_: str) -> bool:
        return "reference" in self._tag(type_)

    def pointee(self, type_: str) -> str:
        """What a pointer or a reference leads to."""
        return self._plain(self._fields(type_).get("baseType", "")) if self._tag(type_) in _POINTERS else ""

    def element(self, type_: str) -> str:
        """What an array has; the type of rows where it has several dimensions is not known."""
        if self._tag(type_) != "DW_TAG_array_type" or len(self._listed(type_)) != 1:
            return ""
        return self._plain(self._fields(type_).get("baseType", ""))

    def member(self, type_: str, offset: int) -> tuple[str, str]:
        """The name and the type of the member of a struct that begins at an offset in bytes."""
        found = [each for each in self._members(type_) if self._begin(each) == offset]
        if len(found) != 1 or self._tag(type_) not in _STRUCTS:
            return "", ""
        return self._name(found[0]), self._plain(self._fields(found[0]).get("baseType", ""))

    def member_of(self, struct: str, offset: int) -> str:
        """The member at an offset in bytes of a struct as the IR names it; empty if that is not known."""
        match = _OF_IR.match(struct)
        return self._members_by_name.get(match[1].rpartition("::")[2], {}).get(offset, "") if match else ""

    def alternative(self, type_: str, accessed: str) -> str:
        """The member of a union that an access of a type of the IR means; empty if it may mean several."""
        if self._tag(type_) != "DW_TAG_union_type":
            return ""
        types = {each: self._plain(self._fields(each).get("baseType", "")) for each in self._members(type_)}
        found = [each for each, inner in types.items() if self._may_be(inner, accessed, 0)]
        is_whole = len(found) == 1 and self._tag(types[found[0]]) in (*_POINTERS, _BASIC)
        return self._name(found[0]) if is_whole else ""

    def _may_be(self, type_: str, accessed: str, depth: int) -> bool:
        """Whether an access at the begin of a value of a type may be of a type of the IR."""
        tag = self._tag(type_)
        if tag in _POINTERS:
            return accessed == "ptr"
        if tag == "DW_TAG_array_type":
            return depth < _DEEPEST and self._may_be(self._rows(type_)[0], accessed, depth + 1)
        if tag in _STRUCTS:
            first = [each for each in self._members(type_) if self._begin(each) == 0]
            inner = [self._plain(self._fields(each).get("baseType", "")) for each in first]
            return depth >= _DEEPEST or any(self._may_be(each, accessed, depth + 1) for each in inner)
        if tag != _BASIC:
            return True
        is_float = "DW_ATE_float" in self._nodes[type_].text
        return not is_float and accessed == f"i{8 * self._size(type_)}"

    def path(self, type_: str, offset: int) -> str:
        """What leads from a variable to an offset in it, as `.in[1].it`; empty if that is not known."""
        found = ""
        for _ in range(_DEEPEST):
            if not offset:
                return found
            if self._tag(type_) == "DW_TAG_array_type":
                type_, strides = self._rows(type_)
                if not strides:
                    return ""
                for stride in strides:
                    found += f"[{offset // stride}]"
                    offset %= stride
                continue
            known = self._members(type_)
            within = [each for each in known if 0 <= offset - self._begin(each) < self._size(each)]
            if len(within) != 1 or not self._name(within[0]):
                return ""
            found += f".{self._name(within[0])}"
            offset -= self._begin(within[0])
            type_ = self._plain(self._fields(within[0]).get("baseType", ""))
        return ""

    def _rows(self, array: str) -> tuple[str, list[int]]:
        """The type of an array's elements, and by how many bytes one index more leads further, for each
        dimension; none if that is not known."""
        inner = self._plain(self._fields(array).get("baseType", ""))
        counts = [self._fields(each).get("count", "0") for each in self._listed(array)]
        strides = [self._size(inner)]
        for count in reversed(counts[1:]):
            strides.insert(0, strides[0] * int(count))
        return inner, strides if all(strides) else []

    def variable(self, name: str) -> ir.GlobalVariable | None:
        """The global variable of a name with its sigil."""
        return self._globals.get(name)

    @cached_property
    def _globals(self) -> dict[str, ir.GlobalVariable]:
        return {each.ref: each for each in self._module.variables}

    @cached_property
    def _nodes(self) -> dict[str, _Node]:
        """The nodes by their numbers."""
        matches = (_NODE.match(line) for line in self._module.metadata.lines)
        found = (match.groups() for match in matches if match)
        return {number: _Node(kind, text, dict(_FIELD.findall(text))) for number, kind, text in found}

    @cached_property
    def _lists(self) -> dict[str, str]:
        found = (_LIST.match(line) for line in self._module.metadata.lines)
        return {match[1]: match[2] for match in found if match}

    @cached_property
    def _variables(self) -> dict[tuple[str, str], set[str]]:
        """Types of the variables of a name and a line."""
        found: dict[tuple[str, str], set[str]] = {}
        for number, node in self._nodes.items():
            if node.kind in _VARIABLES and (name := self._name(number)):
                known = found.setdefault((name, node.fields.get("line", "0")), set())
                known.add(node.fields.get("type", ""))
        return found

    @cached_property
    def _members_by_name(self) -> dict[str, dict[int, str]]:
        """The members of structs by their offsets, by the structs' own names or those that typedefs give."""
        given: dict[str, list[str]] = {}
        for number, node in self._nodes.items():
            if self._tag(number) == "DW_TAG_typedef":
                given.setdefault(node.fields.get("baseType", ""), []).append(self._name(number))
        found: dict[str, dict[int, str]] = {}
        for number, node in self._nodes.items():
            if "elements" in node.fields and self._tag(number) not in _UNNAMED:
                named = ((self._begin(each), self._name(each)) for each in self._members(number))
                known, own = {begin: name for begin, name in named if name}, self._name(number)
                found.update((name, known) for name in ([own] if own else given.get(number, ())))
        return found

    def _fields(self, number: str) -> dict[str, str]:
        return self._nodes.get(number, _NONE).fields

    def _tag(self, number: str) -> str:
        node = self._nodes.get(number, _NONE)
        if node.kind == "DIBasicType":
            return _BASIC
        match = _TAG.search(node.text)
        return match[1] if match else ""

    def _name(self, number: str) -> str:
        match = _WORD.search(self._nodes.get(number, _NONE).text)
        return match[1] if match else ""

    def _begin(self, member: str) -> int:
        return int(self._fields(member).get("offset", "0")) // 8

    def _size(self, number: str) -> int:
        """Bytes of a type or a member."""
        return int(self._fields(self._plain(number)).get("size", "0")) // 8

    def _members(self, number: str) -> list[str]:
        """The members of a struct that have a place of their own: no static ones."""
        found = [each for each in self._listed(number) if self._tag(each) == "DW_TAG_member"]
        return [each for each in found if "DIFlagStaticMember" not in self._nodes[each].text]

    def _listed(self, number: str) -> list[str]:
        return _NUMBER.findall(self._lists.get(self._fields(number).get("elements", ""), ""))

    def _plain(self, number: str) -> str:
        """A type without what does not change its layout."""
        for _ in range(_DEEPEST):
            if self._tag(number) not in _SAME:
                break
            number = self._fields(number).get("baseType", "")
        return number
