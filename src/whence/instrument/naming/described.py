"""Types of variables, as debug information describes them: for names that the IR's own types do not tell.

A type is the number of its node, empty where it is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from whence import ir
from whence.instrument.naming.variable_names import text_of
from whence.symbols.demangle import demangle

_NODE = re.compile(
    r"!(\d+) = (?:distinct )?"
    r"!(DI(?:(?:Composite|Derived|Basic|Subroutine)Type|(?:Local|Global)Variable|Subrange|Subprogram"
    r"|LexicalBlock(?:File)?))\((.*)\)\Z",
    re.DOTALL,
)
_TYPES = re.compile(r"\btypes: !(\d+)")
_CLASS = re.compile(r'\bidentifier: "(_ZTS[^"]*)"')
"""The symbol of the name of a class of C++, which says its scopes."""
_TYPE_OF = "typeinfo name for "
_KEYWORDS = {
    "DW_TAG_structure_type": "struct",
    "DW_TAG_class_type": "struct",
    "DW_TAG_union_type": "union",
    "DW_TAG_enumeration_type": "enum",
}
_SIGNS = {
    "DW_TAG_pointer_type": "*",
    "DW_TAG_reference_type": "&",
    "DW_TAG_rvalue_reference_type": "&&",
}
_QUALIFIERS = {
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict",
    "DW_TAG_atomic_type": "_Atomic",
}
_LIST = re.compile(r"!(\d+) = !\{([^\"]*)\}\Z")
_NUMBER = re.compile(r"!(\d+)")
_TAG = re.compile(r"\btag: (DW_TAG_\w+)")
_WORD = re.compile(r'\bname: "([^"]*)"')
_SYMBOL = re.compile(r'\blinkageName: "([^"]*)"')
_FIELD = re.compile(r"\b(type|baseType|elements|offset|size|line|count|scope|virtualIndex|arg): !?(\d+)")
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
_UNION, _MEMBER, _BASE = "DW_TAG_union_type", "DW_TAG_member", "DW_TAG_inheritance"
_BIT_FIELD = "DIFlagBitField"
_UNNAMED = ("DW_TAG_array_type", "DW_TAG_enumeration_type")
"""What has elements, and no members."""
_BASIC = "DW_TAG_base_type"
_INTEGERS = (8, 16, 32, 64)
_DEEPEST = 20
_OF_IR = re.compile(r'%"?(?:struct|class|union)\.(.+?)(?:\.\d+)?"?\Z')
"""A struct, by the name that the IR gives it."""


class _Node(NamedTuple):
    """A node: its kind, the text of its fields, and those of them that are numbers."""

    kind: str
    text: str
    fields: dict[str, str]


_NONE = _Node("", "", {})


def _symbol(node: _Node) -> str:
    return (_SYMBOL.search(node.text) or _WORD.search(node.text) or ("", ""))[1]


PADDING = "padding after "
"""Precedes the name of the member that it follows."""


def _subscripts(strides: list[int], offset: int) -> tuple[str, int]:
    """What leads from an array to an element of it, as `[1][2]`, and the offset in that."""
    found = ""
    for stride in strides:
        found += f"[{offset // stride}]"
        offset %= stride
    return found, offset


def _padding(before: str) -> str:
    return f"{PADDING}{before.removeprefix('.')}" if before else PADDING.split(maxsplit=1)[0]


class Described:
    """The types of one module's variables."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._declarations: dict[tuple[str, str], tuple[set[str], dict[str, set[str]]]] = {}

    def of_variable(self, variable: ir.Alloca | ir.GlobalVariable) -> str:
        """The type of a variable, by the name and the line that are attached to it."""
        fields = text_of(variable).decode("utf-8", "replace").split("\t")
        return self._declared(fields[2], fields[0], fields[3]) if len(fields) > 3 else ""

    def declared(self, name: str, line: int, function: str) -> str:
        """The type of the variable of a name that is declared in a line; function: the symbol of a local
        one's function."""
        return self._declared(name, str(line), function)

    def _declared(self, name: str, line: str, function: str) -> str:
        found, of_functions = self._types_of(name, line)
        if len(found) > 1:  # as `this` of several functions
            found = of_functions.get(function, set())
        return self._plain(next(iter(found))) if len(found) == 1 else ""

    def _types_of(self, name: str, line: str) -> tuple[set[str], dict[str, set[str]]]:
        """The types of the variables of that name and line: all, and those of each function.

        Each function has a `this` of line 0: the table is made once for all of them.
        """
        known = self._declarations.get((name, line))
        if known is None:
            of_functions: dict[str, set[str]] = {}
            for each in self._variables.get((name, line), []):
                own = of_functions.setdefault(self._function_of(each), set())
                own.add(self._fields(each).get("type", ""))
            known = self._declarations[name, line] = set().union(*of_functions.values()), of_functions
        return known

    def _function_of(self, variable: str) -> str:
        """The symbol of the function that a local variable is in."""
        at = self._fields(variable).get("scope", "")
        for _ in range(_DEEPEST):
            node = self._nodes.get(at, _NONE)
            if node.kind == "DISubprogram":
                return _symbol(node)
            at = node.fields.get("scope", "")
        return ""

    def is_reference(self, type_: str) -> bool:
        return "reference" in self._tag(type_)

    def without_place(self, function: str, placed: set[tuple[str, str]]) -> list[tuple[str, str]]:
        """Names and types of the structs among a function's variables that are none of `placed`, names with
        lines."""
        found = []
        for number in self._locals.get(function, ()):
            key = self._name(number), self._fields(number).get("line", "0")
            type_ = self._plain(self._fields(number).get("type", ""))
            if key not in placed and self._tag(type_) in (*_STRUCTS, _UNION):
                found.append((key[0], type_))
        return found

    def is_unnamed(self, type_: str) -> bool:
        """Whether a type is a class without a name, as that of a lambda."""
        return self._tag(type_) == "DW_TAG_class_type" and not self._name(type_)

    def virtual(self, type_: str, index: int) -> str:
        """The symbol of the function at an index of a class's table of virtual functions; empty if that is
        not known."""
        for _ in range(_DEEPEST):
            bases = []
            for each in self._listed(type_):
                fields, text = self._fields(each), self._nodes.get(each, _NONE).text
                if fields.get("virtualIndex", "0") == str(index) and "DISPFlagVirtual" in text:
                    return _symbol(self._nodes[each])
                if self._tag(each) == _BASE and not int(fields.get("offset", "0")):
                    bases.append(self._plain(fields.get("baseType", "")))
            if len(bases) != 1:
                return ""
            type_ = bases[0]
        return ""

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
        found = [each for each in self._places(type_) if self._begin(each) == offset]
        if len(found) != 1 or self._tag(type_) not in _STRUCTS:
            return "", ""
        return self._name(found[0]), self._plain(self._fields(found[0]).get("baseType", ""))

    def member_of(self, struct: str, offset: int) -> str:
        """The member at an offset in bytes of a struct as the IR names it; empty if that is not known."""
        match = _OF_IR.match(struct)
        return self._members_by_name.get(match[1].rpartition("::")[2], {}).get(offset, "") if match else ""

    def alternative(self, type_: str, accessed: str) -> str:
        """The member of a union that an access of a type of the IR means, as `text` or `pair.first`; empty if
        it may mean several."""
        if self._tag(type_) != _UNION:
            return ""
        types = {each: self._plain(self._fields(each).get("baseType", "")) for each in self._members(type_)}
        found = [each for each, inner in types.items() if self._may_be(inner, accessed, 0)]
        if len(found) != 1:
            return ""
        name, inner = self._name(found[0]), types[found[0]]
        if self._tag(inner) in (*_POINTERS, _BASIC):
            return name
        path = self.first(inner, accessed)
        return f"{name}{path}" if name and path else ""

    def first(self, type_: str, accessed: str) -> str:
        """What leads from a struct or an array to the value at its begin that an access of a type of the IR
        means, as `.in[0].it`; empty if that is not known."""
        found = ""
        for _ in range(_DEEPEST):
            tag = self._tag(type_)
            if tag == "DW_TAG_array_type":
                type_, strides = self._rows(type_)
                found += "[0]" * len(strides)
            elif tag in _STRUCTS:
                name, type_ = self.member(type_, 0)
                if not name:
                    return ""
                found += f".{name}"
            else:
                return found if tag in (*_POINTERS, _BASIC) and self._may_be(type_, accessed, 0) else ""
        return ""

    def _may_be(self, type_: str, accessed: str, depth: int) -> bool:
        """Whether an access at the begin of a value of a type may be of a type of the IR."""
        tag = self._tag(type_)
        if tag in _POINTERS:
            return accessed == "ptr"
        if tag == "DW_TAG_array_type":
            return depth < _DEEPEST and self._may_be(self._rows(type_)[0], accessed, depth + 1)
        if tag in _STRUCTS:
            first = [each for each in self._places(type_) if self._begin(each) == 0]
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
                subscripts, offset = _subscripts(strides, offset)
                found += subscripts
                continue
            known = self._places(type_)
            within = [each for each in known if 0 <= offset - self._begin(each) < self._size(each)]
            if len(within) != 1 or not self._name(within[0]):
                return ""
            found += f".{self._name(within[0])}"
            offset -= self._begin(within[0])
            type_ = self._plain(self._fields(within[0]).get("baseType", ""))
        return ""

    def function(self, symbol: str) -> str:
        """The type of a function, by its symbol; empty if it is not known, or there are several."""
        found = {
            node.fields.get("type", "")
            for node in self._nodes.values()
            if node.kind == "DISubprogram" and "DISPFlagDefinition" in node.text and _symbol(node) == symbol
        }
        return next(iter(found)) if len(found) == 1 else ""

    def spelled(self, type_: str, inner: str = "", depth: int = 0) -> str:
        """A type in the words of the source, as `int (struct der *)`; empty if it is not known. inner: what
        stands where a name would, as `*`."""
        node, tag = self._nodes.get(type_, _NONE), self._tag(type_)
        base = node.fields.get("baseType", "")
        if depth > _DEEPEST:
            return ""
        if not type_ or node.kind == "DIBasicType" or tag == "DW_TAG_typedef":
            return f"{self._name(type_) if type_ else 'void'} {inner}".rstrip()
        if tag in _KEYWORDS:
            name = self._scoped(type_)
            return f"{name} {inner}".rstrip() if name else ""
        if tag in _QUALIFIERS:
            if self._tag(base) in _SIGNS:
                return self.spelled(base, f"{_QUALIFIERS[tag]} {inner}".rstrip(), depth + 1)
            outer = self.spelled(base, inner, depth + 1)
            return f"{_QUALIFIERS[tag]} {outer}" if outer else ""
        if tag in _SIGNS:
            sign = f"{_SIGNS[tag]}{inner}"
            is_open = self._nodes.get(base, _NONE).kind == "DISubroutineType"
            is_open = is_open or self._tag(base) == "DW_TAG_array_type"
            return self.spelled(base, f"({sign})" if is_open else sign, depth + 1)
        if tag == "DW_TAG_array_type":
            counts = [self._fields(each).get("count", "") for each in self._listed(type_)]
            return self.spelled(base, inner + "".join(f"[{count}]" for count in counts), depth + 1)
        if node.kind == "DISubroutineType":
            return self._spelled_function(node, inner, depth)
        return ""

    def _spelled_function(self, node: _Node, inner: str, depth: int) -> str:
        types = _TYPES.search(node.text)
        listed = self._lists.get(types[1], "").split(", ") if types else []
        if not listed or listed == [""]:
            return ""
        numbers = ["" if each == "null" else each.removeprefix("!") for each in listed]
        result = self.spelled(numbers[0], inner, depth + 1)
        given = [self.spelled(each, "", depth + 1) for each in numbers[1:]]
        if not result or not all(given):
            return ""
        if listed[-1] == "null" and len(listed) > 1:
            given[-1] = "..."
        return f"{result}{'' if inner else ' '}({', '.join(given) or 'void'})"

    def _scoped(self, type_: str) -> str:
        """A struct, a class, a union or an enumeration as C or C++ names it."""
        if symbol := _CLASS.search(self._nodes[type_].text):
            return demangle(symbol[1]).removeprefix(_TYPE_OF)
        name = self._name(type_)
        return f"{_KEYWORDS[self._tag(type_)]} {name}" if name else ""

    def size(self, type_: str) -> int:
        """Bytes of a type, 0 where they are not known."""
        return self._size(type_)

    def has_members(self, type_: str) -> bool:
        """Whether a type is a struct, a class or a union, or an array of some."""
        if self._tag(type_) == "DW_TAG_array_type":
            type_ = self._rows(type_)[0]
        return self._tag(type_) in (*_STRUCTS, _UNION) and bool(self._size(type_))

    def within(self, type_: str, begin: int, end: int, path: str = "", depth: int = 0) -> Iterator[str]:
        """The names of what a value of a type has from one offset to another, as `.in[1].it`, and `padding
        after .in` or the like; of unions and of simple types the whole."""
        tag = self._tag(type_)
        if tag == "DW_TAG_array_type" and depth < _DEEPEST:
            yield from self._elements(type_, begin, end, path, depth)
            return
        if tag not in _STRUCTS or depth == _DEEPEST:
            yield path
            return
        last, at = "", begin
        for member in sorted(self._parts(type_), key=self._first_bit):
            first = self._first_bit(member)
            low, high = first // 8, -(-(first + self._bits_of(member)) // 8)
            name = f"{path}.{self._name(member)}" if self._name(member) else path
            if low >= end:
                break
            if low > at:
                yield _padding(last)
            if high > begin and low < end:
                inner = self._plain(self._fields(member).get("baseType", ""))
                is_bits = _BIT_FIELD in self._nodes[member].text
                inside = (max(begin, low) - low, min(end, high) - low)
                yield from [name] if is_bits else self.within(inner, *inside, name, depth + 1)
            last, at = name, max(at, high)
        if at < end:
            yield _padding(last)

    def _parts(self, type_: str) -> list[str]:
        """The members and bases of a struct that take room in it."""
        listed = [each for each in self._listed(type_) if self._tag(each) in (_MEMBER, _BASE)]
        return [each for each in listed if "Static" not in self._nodes[each].text and self._bits_of(each)]

    def _bits_of(self, member: str) -> int:
        return self._bits(member) or 8 * self._size(self._fields(member).get("baseType", ""))

    def _first_bit(self, member: str) -> int:
        return int(self._fields(member).get("offset", "0"))

    def _elements(self, array: str, begin: int, end: int, path: str, depth: int) -> Iterator[str]:
        inner, strides = self._rows(array)
        if not strides or not self.has_members(inner):
            yield path
            return
        stride = self._size(inner)
        for index in range(begin // stride, -(-end // stride)):
            shift = index * stride
            name = f"{path}{_subscripts(strides, shift)[0]}"
            yield from self.within(inner, max(0, begin - shift), min(stride, end - shift), name, depth + 1)

    def struct(self, name: str) -> str:
        """The struct, class or union that the IR names so; empty if there are several of that name."""
        match = _OF_IR.match(name)
        found = self._structs.get(match[1].rpartition("::")[2], set()) if match else set()
        return next(iter(found)) if len(found) == 1 else ""

    def bit_fields(
        self, type_: str, unit: int, width: int, low: int, size: int
    ) -> tuple[list[tuple[str, bool]], bool]:
        """The bit-fields at some bits of an integer in a value of a type, as `.in[1].it`, and whether each
        has a sign; and whether that integer is a value of the program, or may be one.

        unit, width: at which bit of the value the integer begins, and how many it has. low, size: the bits.
        """
        found, is_whole = list[tuple[str, bool]](), False
        waiting = [(self._plain(type_), unit, "", 0)]
        while waiting:
            type_, at, path, depth = waiting.pop()
            tag = self._tag(type_)
            if tag == "DW_TAG_array_type":
                inner, strides = self._rows(type_)
                if at < 0 or not strides or depth == _DEEPEST:
                    continue
                subscripts, rest = _subscripts(strides, at // 8)
                waiting.append((inner, 8 * rest + at % 8, path + subscripts, depth + 1))
            elif tag not in (*_STRUCTS, _UNION):
                is_whole = is_whole or (at == 0 and self._bits(type_) == width)
            elif depth < _DEEPEST:
                members = [each for each in self._listed(type_) if self._tag(each) in (_MEMBER, _BASE)]
                for member in members:
                    within = at - self._first_bit(member)
                    name = f"{path}.{self._name(member)}" if self._name(member) else path
                    text = self._nodes.get(member, _NONE).text
                    inner = self._plain(self._fields(member).get("baseType", ""))
                    if _BIT_FIELD in text:
                        if within == -low and self._bits(member) == size:
                            found.append((name, "DW_ATE_signed" in self._nodes.get(inner, _NONE).text))
                    elif "DIFlagStatic" not in text and 0 <= within + low <= self._bits(inner) - size:
                        named = path if self._tag(member) == _BASE else name
                        waiting.append((inner, within, named, depth + 1))
        return found, is_whole

    def _bits(self, number: str) -> int:
        return int(self._fields(number).get("size", "0"))

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
    def _variables(self) -> dict[tuple[str, str], list[str]]:
        """The variables of a name and a line."""
        found: dict[tuple[str, str], list[str]] = {}
        for number, node in self._nodes.items():
            if node.kind in _VARIABLES and (name := self._name(number)):
                found.setdefault((name, node.fields.get("line", "0")), []).append(number)
        return found

    @cached_property
    def _locals(self) -> dict[str, list[str]]:
        """The variables of functions, by their symbols, without parameters."""
        found: dict[str, list[str]] = {}
        for number, node in self._nodes.items():
            if node.kind == "DILocalVariable" and "arg" not in node.fields:
                found.setdefault(self._function_of(number), []).append(number)
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
                named = ((self._begin(each), self._name(each)) for each in self._places(number))
                known, own = {begin: name for begin, name in named if name}, self._name(number)
                found.update((name, known) for name in ([own] if own else given.get(number, ())))
        return found

    @cached_property
    def _structs(self) -> dict[str, set[str]]:
        """Structs, classes and unions by their own names, or those that typedefs give them."""
        given: dict[str, list[str]] = {}
        for number, node in self._nodes.items():
            if self._tag(number) == "DW_TAG_typedef":
                given.setdefault(node.fields.get("baseType", ""), []).append(self._name(number))
        found: dict[str, set[str]] = {}
        for number in self._nodes:
            if self._tag(number) in (*_STRUCTS, _UNION) and self._bits(number):
                own = self._name(number)
                for name in [own] if own else given.get(number, ()):
                    found.setdefault(name, set()).add(number)
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
        return self._first_bit(member) // 8

    def _size(self, number: str) -> int:
        """Bytes of a type or a member."""
        return int(self._fields(self._plain(number)).get("size", "0")) // 8

    def _members(self, number: str) -> list[str]:
        """The members of a struct that have a place of their own: no static ones."""
        found = [each for each in self._listed(number) if self._tag(each) == _MEMBER]
        return [each for each in found if "DIFlagStaticMember" not in self._nodes[each].text]

    def _places(self, number: str) -> list[str]:
        """The members of a struct that have an address: of bit-fields those that are like integers."""
        return [each for each in self._members(number) if not self._is_inside(each)]

    def _is_inside(self, member: str) -> bool:
        """Whether a bit-field is a part of an integer."""
        begin, size = self._first_bit(member), self._bits(member)
        is_integer = size in _INTEGERS and begin % size == 0
        return _BIT_FIELD in self._nodes[member].text and not is_integer

    def _listed(self, number: str) -> list[str]:
        return _NUMBER.findall(self._lists.get(self._fields(number).get("elements", ""), ""))

    def _plain(self, number: str) -> str:
        """A type without what does not change its layout."""
        for _ in range(_DEEPEST):
            if self._tag(number) not in _SAME:
                break
            number = self._fields(number).get("baseType", "")
        return number
