"""What calls and functions are made of, as every domain sees them."""

from __future__ import annotations

from whence import ir
from whence.abi import library
from whence.abi.intercepts import PREFIX

COPIES = ("llvm.memcpy.", "llvm.memmove.")
FILLS = ("llvm.memset.",)
SAME = (
    "llvm.launder.",
    "llvm.strip.",
    "llvm.expect",
    "llvm.ssa.copy",
    "llvm.ptr.annotation",
    "llvm.annotation.",
)
"""Intrinsics whose result is their first argument."""


def library_name(call: ir.Call) -> str:
    """The library function that a call of its wrapper, or of itself, stands for; empty for others."""
    name = call.callee or ""
    plain = name.removeprefix(PREFIX)
    return plain if plain in library.FUNCTIONS else ""


def is_marker(call: ir.Call) -> bool:
    """Whether a call is whence's own: no code of the program."""
    return (call.callee or "").startswith(PREFIX) and not library_name(call)


def by_value(passed: ir.Parameter | ir.Argument) -> str:
    """The type of what is passed by value; empty for others."""
    text = passed.attributes.get("byval")
    return "" if text is None else text.removeprefix("byval(").removesuffix(")")


def named_arguments(call: ir.Call) -> int:
    """How many arguments belong to parameters. A function with variable arguments has named ones, too, so a
    type without any is that of a call without a prototype."""
    return call.fixed or len(call.arguments)


def first_of(function: ir.Function) -> ir.Instruction:
    """Where a function begins, behind its variables."""
    return next(each for each in function.entry if not isinstance(each, ir.Alloca))


def returns_by_call(made: ir.Ret) -> bool:
    """Whether the function that is called last returns in this one's place: nothing may stand between."""
    return any(isinstance(each, ir.Call) and each.marker == "musttail" for each in made.owner)
