"""Redirection of references to the C library to the runtime.

This includes functions whose address is taken, and excludes functions that the program defines itself.

Renaming happens before any optimisation. The optimiser knows nothing of the new
names, so it neither removes a pair of malloc and free nor turns a bad
``strcpy`` into something else.
"""

from __future__ import annotations

from collections.abc import Collection

from whence import ir
from whence.abi.intercepts import PREFIX, RUNTIME_SYMBOLS
from whence.instrument.passes.context import Context
from whence.ir.lexer import decode_string

_PROMISES = (
    "memory",
    "willreturn",
    "mustprogress",
    "nofree",
    "nosync",
    "nocallback",
    "speculatable",
    "builtin",
    "nobuiltin",
    "allockind",
    "allocsize",
    "alloc-family",
    '"alloc-family"',
    "norecurse",
)
"""Attributes that let the optimiser delete, merge or move a call."""

_CXX_STRING = ("_ZNSt7__cxx1112basic_stringI", "_ZNKSt7__cxx1112basic_stringI")
"""Member functions of std::string."""

_UNSHARED = "noalias"
"""Attributes of a returned block: with them, LLVM deletes last stores, which the leak search reads."""


def redirect(context: Context) -> None:
    """Redirects functions to the runtime, and withdraws the promises of the replaced functions.

    Before::

        declare noalias ptr @malloc(i64) #0
        define ptr @f() {
          %p = call noalias ptr @malloc(i64 8) #0
          ret ptr %p
        }
        attributes #0 = { nounwind willreturn }

    After::

        declare ptr @__whence_malloc(i64) #1
        define ptr @f() {
          %p = call ptr @__whence_malloc(i64 8) #2
          ret ptr %p
        }
        attributes #0 = { nounwind willreturn }
        attributes #1 = { nounwind }
        attributes #2 = { nomerge nounwind }
    """
    redirected = _rename(context.module, context.own)
    for function in context.functions():
        _free_calls(function, redirected)


def redirect_left(context: Context) -> None:
    """Redirects functions of which LLVM has inlined no copy, and dropped the one that was there for that.

    Before::

        declare i32 @atoi(ptr)
        define i32 @f(ptr %p) {
          %n = call i32 @atoi(ptr %p)
          ret i32 %n
        }

    After::

        declare i32 @__whence_atoi(ptr)
        define i32 @f(ptr %p) {
          %n = call i32 @__whence_atoi(ptr %p)
          ret i32 %n
        }
    """
    _rename(context.module, context.own)


def own_strings(context: Context) -> None:
    """Uses the module's copies of members of std::string, because those of libstdc++ have no checks.

    There are none at -O0 before C++20: the front end leaves them to the library.

    Before::

        define available_externally i64 @_ZNKSt7__cxx1112basic_stringIcE4sizeEv(ptr %0) {
          ret i64 0
        }

    After::

        define linkonce_odr i64 @_ZNKSt7__cxx1112basic_stringIcE4sizeEv(ptr %0) {
          ret i64 0
        }
    """
    for function in context.module.definitions:
        if function.name.startswith(_CXX_STRING) and function.linkage == "available_externally":
            function.linkage = "linkonce_odr"


def _rename(module: ir.Module, own: Collection[str]) -> set[str]:
    """Renames the functions of the runtime, except those in `own`; returns the new names."""
    renames = {
        function.name: RUNTIME_SYMBOLS[function.name]
        for function in module.declarations
        if function.name in RUNTIME_SYMBOLS and function.name not in own
    }
    module.rename(renames)
    renamed = set(renames.values())
    for function in module.declarations:
        if function.name in renamed:
            function.remove_attributes(*_PROMISES)
            function.return_attributes = function.return_attributes.without(_UNSHARED)
    return renamed


_PLAIN_FORMATS = {
    f"{PREFIX}printf": (0, "%s\n", f"{PREFIX}puts"),
    f"{PREFIX}fprintf": (1, "%s", f"{PREFIX}fputs"),
    f"{PREFIX}sprintf": (1, "%s", f"{PREFIX}strcpy"),
}
"""Functions that compilers call through another one if the format, at this position, is this. It takes no
null pointer for a text, for which a format has ``(null)``."""
_RESULTS = {f"{PREFIX}strcpy": "ptr"}


def call_plainly(context: Context) -> None:
    """Calls the functions that the compiler puts in place of others, where native code is optimised.

    Before::

        @.str = private constant [4 x i8] c"%s\\0A\\00"
        declare i32 @__whence_printf(ptr, ...)
        define void @f(ptr %p) {
          %n = call i32 (ptr, ...) @__whence_printf(ptr @.str, ptr %p)
          ret void
        }

    After::

        @.str = private constant [4 x i8] c"%s\\0A\\00"
        declare i32 @__whence_printf(ptr, ...)
        define void @f(ptr %p) {
          %wh.0 = call i32 @__whence_puts(ptr %p) nomerge
          ret void
        }
        declare i32 @__whence_puts(ptr)
    """
    if context.unoptimised or not any(each in context.module.functions for each in _PLAIN_FORMATS):
        return
    for function in context.functions():
        if not _takes_builtins(function):
            continue
        instructions = list(function.instructions())
        calls = (each for each in instructions if isinstance(each, ir.Call))
        found = [each for each in calls if each.callee in _PLAIN_FORMATS and each.opcode == "call"]
        used = {operand.value for each in instructions for operand in each.operands} if found else set()
        for call in found:
            if call.result not in used:
                _call_plainly(call, context)


def _takes_builtins(function: ir.Function) -> bool:
    return not any(function.attributes.has(each) for each in ('"no-builtins"', '"no-builtin-printf"'))


def _call_plainly(call: ir.Call, context: Context) -> None:
    at, format_, name = _PLAIN_FORMATS[call.callee or ""]
    if name.removeprefix(PREFIX) in context.own:
        return
    values = [f"{each.type} {each.value}" for each in call.arguments]
    text = call.arguments[-1]
    if len(values) != at + 2 or text.type != "ptr" or call.attributes.has("nobuiltin"):
        return
    if _string(call.arguments[at].value, context) != format_:
        return
    arguments = [values[-1], *values[:at]] if name.endswith("puts") else [*values[:at], values[-1]]
    type_ = _RESULTS.get(name, "i32")
    types = ", ".join(each.partition(" ")[0] for each in arguments)
    context.module.add_declaration(f"declare {type_} @{name}({types})")
    call.insert_before(f"call {type_} @{name}({', '.join(arguments)}) nomerge")
    call.remove()


def _string(operand: str, context: Context) -> str | None:
    """The text of a constant, None if it is none."""
    made = context.module.globals.get(operand.removeprefix("@"))
    if not isinstance(made, ir.GlobalVariable) or not made.is_constant or made.initializer is None:
        return None
    body = made.initializer.partition('c"')[2].rpartition('"')[0]
    return decode_string(body).removesuffix("\0")


def _free_calls(function: ir.Function, redirected: Collection[str]) -> None:
    """Removes the promises of the replaced functions from calls to redirected functions.

    `nomerge` keeps two calls in two branches from becoming one without a line.
    """
    for instruction in function.instructions():
        if isinstance(instruction, ir.Call) and instruction.callee in redirected:
            instruction.attributes = instruction.attributes.without(*_PROMISES).with_("nomerge")
            instruction.return_attributes = instruction.return_attributes.without(_UNSHARED)
