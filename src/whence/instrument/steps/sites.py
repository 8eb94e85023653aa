"""The places where the front end has written a check: what its handler is told, as markers and constants.

A handler gets a description of the types, and the operands. A marker gets the operands, and a site
(`whence.abi.rules.SITE`) with the words of a report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from whence.abi.rules import SITE_TRAITS
from whence.instrument.markers import steps
from whence.instrument.markers.declarations import declarations
from whence.instrument.naming.nodes import first_free
from whence.instrument.passes.context import Context
from whence.instrument.steps.function_types import FunctionTypes
from whence.ir.lexer import NAME

CONVERSIONS = {
    (False, False): "CONVERT_UNSIGNED",
    (True, True): "CONVERT_SIGNED",
    (False, True): "TO_SIGNED",
    (True, False): "TO_UNSIGNED",
}
"""The detection points of conversions, by whether the types before and after are signed."""
ENUMERATION, RETURN, CALLEE, OBJECT = "ENUMERATION", "MISSING_RETURN", "CALLEE", "OBJECT"
SHIFTS = {True: "SHIFT_SIGNED", False: "SHIFT_UNSIGNED"}
"""The detection points of shifts to the left, by whether the type is signed."""
NONNULL = "NONNULL"
POINTS = frozenset((*CONVERSIONS.values(), *SHIFTS.values(), ENUMERATION, RETURN, CALLEE, OBJECT))
"""The detection points that these places alone have."""

SECTION = ".data.whence"
"""Of the sites: variables in a section of their own get no zones."""

_CALL = re.compile(rf"call void @__ubsan_handle_(\w+)\(ptr (@{NAME})(.*?)\)(?: #\d+)?(?:, !|$)")
_DEBUG = re.compile(r", !dbg !\d+")
_DATA = re.compile(rf"^(@{NAME}) = private unnamed_addr (?:constant|global) (.*)\n?", re.MULTILINE)
_LINE = re.compile(r"i32 (\d+), i32 (\d+) \}")
_NAMES = re.compile(rf'\bc"[^"]*"|(@{NAME})')
"""A text, which may have the look of a name in it, or a name."""
# Names of source files: the front end gives these to handlers alone.
_TEXT = re.compile(r"^(@\.src(?:\.\d+)?) = private unnamed_addr constant .*\n", re.MULTILINE)
_OF_HANDLERS = re.compile(
    r"^(?:; Function Attrs:[^\n]*\n)?declare [^\n]*@__ubsan_handle_[^\n]*\n", re.MULTILINE
)
_CACHE = re.compile(r"^@__ubsan_vptr_type_cache = .*\n", re.MULTILINE)
_FIELDS = re.compile(r"(?:i32 \d+ \}|zeroinitializer), (.*?) \}(?:, align \d+)?$")
_TYPE = re.compile(r'\{ i16 (-?\d+), i16 (\d+), \[\d+ x i8\] c"(.*)\\00" \}')
_ESCAPE = re.compile(r"\\(?:[0-9A-F]{2}|\\)")
_EXTENSION = re.compile(r"  (%\S+) = zext i\d+ (\S+) to i64")
_BOUND = re.compile(r"icmp (ule|sle) i\d+ [^,]+, (-?\d+)")
_POINTER = re.compile(r"icmp ne ptr ([^,]+), null")
_VARIADIC = re.compile(r"\b(?:call|invoke) .*?\(([^()]*)\.\.\.\) [^()]*\((.*)\)")
"""A call with the types of its named parameters, and its arguments."""
_ARGUMENT = re.compile(r"(?:[^,(){}<>]|\([^()]*\)|\{[^{}]*\}|<[^<>]*>)+")
_HASH = re.compile(r"icmp eq i32 [^,]+, (-?\d+)")
_CLASS = "_ZTI"
_USES = (
    *("load", "store", "reference", "member access", "member call", "construction", "downcast", "downcast"),
    *("upcast", "upcast to a virtual base", "assignment", "dynamic cast"),
)
"""What is done with an object, by the number that the handler is told."""
_NONE_SEEN = -0x61C8864680B583EB
"""What a site has seen at first: no vtable, nor what memory is likely to hold where one is missing."""
_MOST_BITS = 64
_INT_BITS = 32


class _Integer(NamedTuple):
    """An integer type of the program: its words in quotes, its bits, and whether it is signed."""

    words: str
    bits: int
    signed: bool


class Sites:
    """The sites of a module, whose text is `text`. `function`: the first line of the present one."""

    def __init__(self, text: str, context: Context, types: FunctionTypes) -> None:
        head = text[: text.index("\ndefine ")]
        self._first_free = first_free(text)
        self._places: list[str] = []
        self.function = ""
        self._context = context
        self._types = types
        self._steps = context.policy.steps
        self._traps = context.unoptimised
        self._data = dict(_DATA.findall(head))
        self._dropped: set[str] = set()
        self._lines: list[str] = []
        self._used: set[str] = set()
        self._count = 0
        self._trapped = False

    def marker(
        self, handler: str, lines: list[str], holds: str, before: list[str], behind: Iterator[str]
    ) -> list[str]:
        """The lines that take the place of a check, none if no rule asks for it.

        `handler`: the line of its call, among the `lines` of its block; `holds`: the value that says
        whether all is well; `before`: the lines that compute it; `behind`: those that follow where it holds.
        """
        call = _CALL.search(handler)
        if call is None:
            return []
        self._dropped.add(call[2])
        debug = _DEBUG.search(handler)
        suffix = debug[0] if debug else ""
        operands = [each.strip().removeprefix("i64 ") for each in call[3].split(",")[1:]]
        fields_ = _FIELDS.search(self._data.get(call[2], ""))
        fields = [each.partition(" ")[2] for each in fields_[1].split(", ")] if fields_ else []
        self._dropped.update(each for each in fields if each in self._data)
        own = [line for line in lines if line is not handler and " = " in line]
        match call[1]:
            case "implicit_conversion":
                return self._conversion(fields, operands, own, suffix)
            case "load_invalid_value":
                return self._enumeration(fields, operands, own, holds, before, suffix)
            case "missing_return":
                return self._return(call[2], suffix)
            case "function_type_mismatch":
                return self._callee(fields, operands, own, before, suffix)
            case "dynamic_type_cache_miss":
                return self._object(fields, operands, own, suffix)
            case "shift_out_of_bounds":
                return self._shift(fields, operands, own, holds, suffix)
            case "nonnull_arg":
                return self._nonnull(holds, before, behind, suffix)
        return []

    def number(self, handler: str, lines: list[str]) -> str:
        """The `int` that a check of a conversion is about; none for other checks, types and constants.

        The arguments are those of `marker`.
        """
        call = _CALL.search(handler)
        if call is None or call[1] != "implicit_conversion":
            return ""
        described = _FIELDS.search(self._data.get(call[2], ""))
        source = self._integer(described[1].split(", ")[0].split(" ", 1)[1]) if described else None
        if source is None or not source.signed or source.bits != _INT_BITS:
            return ""
        operand = call[3].split(",")[1].strip().removeprefix("i64 ")
        found = (_EXTENSION.match(line) for line in lines)
        return next((each[2] for each in found if each and each[1] == operand), "")

    def written(self, text: str) -> str:
        """The module with its sites, and without what handlers needed."""
        first = text.index("\ndefine ")
        kept = self._kept()
        head = _DATA.sub(lambda match: match[0] if match[1] in kept else "", text[: first + 1])
        head = _CACHE.sub("", head)
        rest = text[first + 1 :]
        for name in _TEXT.findall(head):
            # The front end gives equal texts of the program the same name.
            uses = re.compile(rf"{re.escape(name)}(?![\w.])")
            if len(uses.findall(head)) == 1 and not uses.search(rest):
                head = re.sub(rf"^{re.escape(name)} = .*\n", "", head, count=1, flags=re.MULTILINE)
        lines = [*self._lines, *declarations(self._used)]
        if self._trapped and "declare void @llvm.trap()" not in text:
            lines.append("declare void @llvm.trap()")
        text = head + "".join(f"{line}\n" for line in lines) + rest
        return _OF_HANDLERS.sub("", text) + "".join(f"{line}\n" for line in self._places)

    def _kept(self) -> set[str]:
        """The data that something besides the checks refers to."""
        kept = set[str]()
        waiting = [name for name in self._data if name not in self._dropped]
        while waiting:
            name = waiting.pop()
            if name in self._data and name not in kept:
                kept.add(name)
                waiting += _NAMES.findall(self._data[name])
        return kept

    # ---- the kinds of checks --------------------------------------------------------------------

    def _conversion(self, fields: list[str], operands: list[str], own: list[str], debug: str) -> list[str]:
        source, target = (self._integer(name) for name in fields[:2])
        if source is None or target is None or len(operands) != 2:
            return []
        point = CONVERSIONS[source.signed, target.signed]
        if point not in self._steps:
            return []
        field = int(fields[3]) if len(fields) > 3 else 0
        bits = field or target.bits
        words = f"converts {source.words} to {target.words}" + (f", a field of {bits} bits" if field else "")
        traits = SITE_TRAITS["SIGNED"] * target.signed | SITE_TRAITS["NARROW"] * (bits < source.bits)
        site = self._site(words, bits=bits, traits=traits)
        wide = [_wide(operands[0], own, source), _wide(operands[1], own, target)]
        return [*own, self._call(point, f"i64 {wide[0]}, i64 {wide[1]}, ptr {site}", debug)]

    def _enumeration(
        self,
        fields: list[str],
        operands: list[str],
        own: list[str],
        holds: str,
        before: list[str],
        debug: str,
    ) -> list[str]:
        type_ = self._integer(fields[0]) if fields else None
        found = next((match for line in reversed(before) if (match := _BOUND.search(line))), None)
        if ENUMERATION not in self._steps or type_ is None or found is None:
            return []
        signed = found[1] == "sle"
        bits = int(found[2]).bit_length() + signed
        traits = SITE_TRAITS["SIGNED"] * signed
        site = self._site(f"the enumeration is {type_.words}", bits=bits, traits=traits)
        value = _wide(operands[0], own, type_)
        return [*own, self._call(ENUMERATION, f"i64 {value}, i1 {holds}, ptr {site}", debug)]

    def _return(self, data: str, debug: str) -> list[str]:
        wanted = RETURN in self._steps
        if not wanted and not self._traps:
            return []
        self._trapped = True
        debug = self._place(data) or debug
        marker = [self._call(RETURN, "", debug)] if wanted else []
        return [*marker, f"  call void @llvm.trap(){debug}"]

    def _place(self, data: str) -> str:
        """The function's own place: the end of a function has none in the IR."""
        scope = _DEBUG.search(self.function.replace(" !dbg", ", !dbg"))
        found = _LINE.search(self._data.get(data, ""))
        if scope is None or found is None:
            return ""
        place = f"!DILocation(line: {found[1]}, column: {found[2]}, scope: {scope[0].split()[-1]})"
        number = self._first_free + len(self._places)
        self._places.append(f"!{number} = {place}")
        return f", !dbg !{number}"

    def _callee(
        self, fields: list[str], operands: list[str], own: list[str], before: list[str], debug: str
    ) -> list[str]:
        found = next((match for line in reversed(before) if (match := _HASH.search(line))), None)
        if CALLEE not in self._steps or found is None or not fields:
            return []
        hash_, words = int(found[1]), self._words(fields[0])
        if self._types.names_enumeration(words):
            return []
        site = self._site(f"the pointer is {words}", hash_=hash_)
        return [*own, self._call(CALLEE, f"i64 {operands[0]}, i32 {hash_}, ptr {site}", debug)]

    def _object(self, fields: list[str], operands: list[str], own: list[str], debug: str) -> list[str]:
        if OBJECT not in self._steps or len(fields) < 3:
            return []
        name = fields[1].removeprefix("@").strip('"')
        if not name.startswith(_CLASS):
            return []  # the class was compiled without descriptions of types
        use = int(fields[2])
        words = f"{_USES[use] if use < len(_USES) else 'use'} as {self._words(fields[0])}"
        site = self._site(words, name=name.removeprefix(_CLASS))
        return [*own, self._call(OBJECT, f"i64 {operands[0]}, ptr {site}", debug)]

    def _shift(
        self, fields: list[str], operands: list[str], own: list[str], holds: str, debug: str
    ) -> list[str]:
        types = [self._integer(name) for name in fields[:2]]
        if len(types) != 2 or len(operands) != 2 or types[0] is None or types[1] is None:
            return []
        point = SHIFTS[types[0].signed]
        if point not in self._steps:
            return []
        value, by = (_wide(each, own, type_) for each, type_ in zip(operands, types, strict=True) if type_)
        return [*own, self._call(point, f"i64 {value}, i64 {by}, i1 {holds}", debug)]

    def _nonnull(self, holds: str, before: list[str], behind: Iterator[str], debug: str) -> list[str]:
        """Of an argument behind the named ones, whose attribute no IR has."""
        if NONNULL not in self._steps or holds == "true":
            return []
        tested = next((found[1] for each in reversed(before) if (found := _POINTER.search(each))), "")
        pointer = "null" if holds == "false" else tested
        if not _is_variable_argument(pointer, behind):
            return []
        name = steps.nonnull(False)
        self._used.add(name)
        self._context.used.add(name)
        return [f"  call void @{name}(ptr {pointer}) nomerge{debug}"]

    # ---- lines ----------------------------------------------------------------------------------

    def _call(self, point: str, operands: str, debug: str) -> str:
        name = steps.checked(point)
        self._used.add(name)
        self._context.used.add(name)
        return f"  call void @{name}({operands}) nomerge{debug}"

    def _words(self, name: str) -> str:
        found = _TYPE.search(self._data.get(name, ""))
        return found[3] if found else "an unknown type"

    def _integer(self, name: str) -> _Integer | None:
        """The type of a description; None if it is no integer type, or has too many bits."""
        found = _TYPE.search(self._data.get(name, ""))
        if found is None or found[1] != "0" or 1 << (int(found[2]) >> 1) > _MOST_BITS:
            return None
        return _Integer(found[3], 1 << (int(found[2]) >> 1), bool(int(found[2]) & 1))

    def _site(self, words: str, name: str = "", bits: int = 0, traits: int = 0, hash_: int = 0) -> str:
        number, self._count = self._count, self._count + 1
        types = self._constant(f"@__whence_types.{number}", words)
        class_ = self._constant(f"@__whence_class.{number}", name) if name else "null"
        site = f"@__whence_site.{number}"
        values = f"ptr {types}, ptr {class_}, i64 {_NONE_SEEN}, i32 {hash_}, i32 {bits}, i32 {traits}, i32 0"
        layout = "{ ptr, ptr, i64, i32, i32, i32, i32 }"
        self._lines.append(f'{site} = private global {layout} {{ {values} }}, section "{SECTION}"')
        return site

    def _constant(self, name: str, escaped: str) -> str:
        size = len(_ESCAPE.sub("x", escaped)) + 1
        self._lines.append(f'{name} = private unnamed_addr constant [{size} x i8] c"{escaped}\\00"')
        return name


def _is_variable_argument(pointer: str, lines: Iterator[str]) -> bool:
    """Whether the call that comes next with this argument has it behind the named parameters.

    Its number says nothing: the parts of a struct may be several arguments.
    """
    for line in lines:
        call = _VARIADIC.search(line)
        arguments = [each[0].split()[-1] for each in _ARGUMENT.finditer(call[2])] if call else []
        if call and pointer in arguments:
            return pointer in arguments[call[1].count(",") :]
    return False


def _wide(operand: str, own: list[str], type_: _Integer) -> str:
    """The operand as a number of 64 bits: the front end extends with zeros, whatever the type."""
    if not type_.signed:
        return operand
    for index, line in enumerate(own):
        found = _EXTENSION.match(line)
        if found and found[1] == operand:
            own[index] = line.replace(" = zext ", " = sext ", 1)
    if operand.lstrip("-").isdigit() and type_.bits < _MOST_BITS and int(operand) >> type_.bits - 1 & 1:
        return str(int(operand) - (1 << type_.bits))
    return operand
