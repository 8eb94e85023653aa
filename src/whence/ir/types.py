"""The type system of LLVM IR: from text to objects and back.

Instructions store types as text, because new instructions need the text;
`parse_type` gives the object for code that needs the structure, and caches it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from whence.ir.errors import IRSyntaxError
from whence.ir.lexer import Cursor, skip_group, to_int, word_set

MAX_DEPTH = 64
"""The largest nesting of literal types; deeper ones are syntax errors."""

_INT = re.compile(r"i([1-9]\d*)\Z", re.ASCII)
_COUNT = re.compile(r"\s*(vscale\s+x\s+)?(\d+)\s+x\s+", re.ASCII)
_POINTER = re.compile(r"ptr(?:\s+addrspace\((\d+)\))?\Z", re.ASCII)
FLOAT_BITS = {
    "half": 16,
    "bfloat": 16,
    "float": 32,
    "double": 64,
    "x86_fp80": 80,
    "fp128": 128,
    "ppc_fp128": 128,
}
_OTHER = word_set("void label metadata token x86_amx opaque")


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types; `str` gives the IR text."""


@dataclass(frozen=True, slots=True)
class IntType(Type):
    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}"


@dataclass(frozen=True, slots=True)
class FloatType(Type):
    """`kind` is one of the keys of `FLOAT_BITS`."""

    kind: str

    def __str__(self) -> str:
        return self.kind

    @property
    def bits(self) -> int:
        return FLOAT_BITS[self.kind]


@dataclass(frozen=True, slots=True)
class PointerType(Type):
    address_space: int = 0

    def __str__(self) -> str:
        return f"ptr addrspace({self.address_space})" if self.address_space else "ptr"


@dataclass(frozen=True, slots=True)
class ArrayType(Type):
    count: int
    element: Type

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


@dataclass(frozen=True, slots=True)
class VectorType(Type):
    """`count` elements, or a run-time multiple of `count` when `scalable`."""

    count: int
    element: Type
    scalable: bool = False

    def __str__(self) -> str:
        return f"<{'vscale x ' if self.scalable else ''}{self.count} x {self.element}>"


@dataclass(frozen=True, slots=True)
class StructType(Type):
    elements: tuple[Type, ...]
    packed: bool = False

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.elements))
        body = f"{{ {inner} }}" if inner else "{}"
        return f"<{body}>" if self.packed else body


@dataclass(frozen=True, slots=True)
class NamedType(Type):
    """A struct defined in the module; `token` keeps sigil and quotes (``%"class.std::x"``)."""

    token: str

    def __str__(self) -> str:
        return self.token


@dataclass(frozen=True, slots=True)
class FunctionType(Type):
    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False

    def __str__(self) -> str:
        inner = [str(p) for p in self.parameters] + (["..."] if self.variadic else [])
        return f"{self.result} ({', '.join(inner)})"


@dataclass(frozen=True, slots=True)
class OtherType(Type):
    """``void``, ``label``, ``metadata``, ``token``, ``x86_amx``, ``opaque`` or ``target(…)``: no size."""

    text: str

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=16384)
def parse_type(text: str) -> Type:
    """The type of a text with nothing else in it; raises `IRSyntaxError`."""
    return _parse(text.strip(), 0)


def _parse(text: str, depth: int) -> Type:
    if depth > MAX_DEPTH:
        raise IRSyntaxError(f"a type nested at most {MAX_DEPTH} deep", text)
    if match := _INT.match(text):
        return IntType(to_int(match[1]))
    if text in FLOAT_BITS:
        return FloatType(text)
    if text in _OTHER:
        return OtherType(text)
    if match := _POINTER.match(text):
        return PointerType(to_int(match[1] or "0"))
    return _parse_compound(text, depth)


def _parse_compound(text: str, depth: int) -> Type:
    plain = Cursor(text).plain_type()
    if plain != text:
        return _parse_function(text, plain, depth)
    head = text[0]
    if head == "%":
        return NamedType(text)
    if head == "[":
        return ArrayType(*_counted(text[1:-1], depth)[:2])
    if text.startswith("<{"):
        if skip_group(text, 1) != len(text) - 1:
            raise IRSyntaxError("a packed struct type", text)
        return StructType(_list(text[2:-2], depth), packed=True)
    if head == "<":
        return VectorType(*_counted(text[1:-1], depth))
    if head == "{":
        return StructType(_list(text[1:-1], depth))
    return OtherType(text)


def _counted(inner: str, depth: int) -> tuple[int, Type, bool]:
    match = _COUNT.match(inner)
    if not match:
        raise IRSyntaxError("'N x type'", inner)
    return to_int(match[2]), _parse(inner[match.end() :].strip(), depth + 1), bool(match[1])


def _list(inner: str, depth: int) -> tuple[Type, ...]:
    cursor = Cursor(inner)
    found: list[Type] = []
    while not cursor.at_end():
        if found:
            cursor.expect(",")
        found.append(_parse(cursor.type(), depth + 1))
    return tuple(found)


def _parse_function(text: str, result: str, depth: int) -> Type:
    """``result (parameters)``; `result`: the text before the parenthesis."""
    cursor = Cursor(text, len(result))
    inner = cursor.group()[1:-1].rstrip()
    if not cursor.at_end():
        raise cursor.fail("the end of a function type")
    variadic = inner.endswith("...")
    if variadic:
        inner = inner[:-3].rstrip().removesuffix(",")
    return FunctionType(_parse(result, depth + 1), _list(inner, depth), variadic)


def like_vector(shape: str, element: str) -> str:
    """`element`, in a vector of the same length when `shape` is a vector type."""
    if not shape.startswith("<"):
        return element
    parsed = parse_type(shape)
    if not isinstance(parsed, VectorType):
        return element
    return str(VectorType(parsed.count, parse_type(element), parsed.scalable))
