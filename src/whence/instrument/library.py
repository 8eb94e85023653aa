"""References to the C library become references to the runtime.

Address-taken functions are renamed as well. A function that the program itself defines stays its own.

Renaming happens before any optimisation. The optimiser knows nothing of the new
names, so it neither removes a pair of malloc and free nor turns a bad
``strcpy`` into something else.
"""

from __future__ import annotations

from collections.abc import Collection

from whence import ir
from whence.abi.intercepts import RUNTIME_SYMBOLS
from whence.instrument.passes import Context

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
"""Of a returned block: the last stores to it would be deleted, and the leak search reads them."""


def redirect(context: Context) -> None:
    """Rename what the runtime provides, and withdraw the promises of the functions that are replaced.

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


def own_strings(context: Context) -> None:
    """Use the module's own copies of members of std::string: those of libstdc++ are not checked.

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
    """Rename what the runtime provides, but for the functions in `own`; returns the new names."""
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


def _free_calls(function: ir.Function, redirected: Collection[str]) -> None:
    """Take from the calls to redirected functions the promises of the function they replace.

    `nomerge` keeps two calls in two branches from becoming one without a line.
    """
    for instruction in function.instructions():
        if isinstance(instruction, ir.Call) and instruction.callee in redirected:
            instruction.attributes = instruction.attributes.without(*_PROMISES).with_("nomerge")
            instruction.return_attributes = instruction.return_attributes.without(_UNSHARED)
