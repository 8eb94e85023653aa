"""Types of values that can have expressions, and the words in which helpers take them."""

from __future__ import annotations

from functools import lru_cache

from whence import ir
from whence.abi.symbolic import MOST_RESULTS
from whence.ir.types import FloatType, IntType, PointerType, StructType, Type, parse_type

_WIDEST = 64
_WORDS = (8, 16, 32, 64)
_FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}


@lru_cache(maxsize=4096)
def width_of(type_: str) -> int:
    """Bits of a value whose expression is followed; 0 for other types."""
    parsed = parse_type(type_)
    if isinstance(parsed, IntType):
        return parsed.bits if parsed.bits <= _WIDEST else 0
    if isinstance(parsed, PointerType):
        return 0 if parsed.address_space else 64
    return _FLOATS.get(parsed.kind, 0) if isinstance(parsed, FloatType) else 0


def parts_of(type_: str, module: ir.Module) -> tuple[str, ...]:
    """The types of the parts of a struct whose expressions are followed; none for other types."""
    if not type_.startswith(("{", "<{", "%")):
        return ()
    parsed: Type = module.layout.resolve(type_)
    if not isinstance(parsed, StructType) or not 0 < len(parsed.elements) <= MOST_RESULTS:
        return ()
    parts = tuple(str(each) for each in parsed.elements)
    return parts if all(width_of(each) for each in parts) else ()


def stored_bits(width: int) -> int:
    """The bits in memory of a value of so many."""
    return next(each for each in _WORDS if each >= width)


def word(before: ir.Instruction, value: str, type_: str) -> tuple[str, str]:
    """A value as an argument of a helper, and the helper's suffix."""
    if type_ == "ptr":
        return f"ptr {value}", "p"
    width = width_of(type_)
    if not type_.startswith("i"):
        if value.startswith("%"):
            value = before.insert_before(f"bitcast {type_} {value} to i{width}").result or ""
        else:
            value = f"bitcast ({type_} {value} to i{width})"
        return f"i{width} {value}", str(width)
    if width == 1 or width in _WORDS:
        return f"{type_} {value}", str(width)
    bits = stored_bits(width)
    if value.startswith("%"):
        value = before.insert_before(f"zext {type_} {value} to i{bits}").result or ""
    elif value.lstrip("-").isdecimal():
        value = str(int(value) & ((1 << width) - 1))
    else:
        value = "0"
    return f"i{bits} {value}", str(bits)
