"""Functions that are there to be inlined alone, as C99's ``inline`` without ``extern`` makes them."""

from __future__ import annotations

import re
from collections import Counter

from whence import ir
from whence.abi.analyses import ORIGINS
from whence.abi.intercepts import CXX_READERS, CXX_STREAMS, CXX_TEXTS, CXX_WRITERS, RUNTIME_SYMBOLS
from whence.abi.origins import TOLD
from whence.instrument.passes.context import Context

_REFERENCE = re.compile(r'@(?:"[^"]*"|[-\w.$]+)', re.ASCII)
_COPY = "available_externally"
_LED_TO = frozenset((*TOLD, *CXX_READERS, *CXX_STREAMS, *CXX_TEXTS, *CXX_WRITERS))


def keep_copies(context: Context) -> None:
    """Makes functions that are there to be inlined the module's own.

    The program may lack another definition of them, and checks keep LLVM from inlining what it would inline
    without. One whose address is taken has another, and its address has to be the same in all modules. The C
    library has those that whence knows, which are copied only where little is inlined. This is the first
    pass: later ones refer to functions without calling them.

    Before::

        define i32 @f() {
          %1 = call i32 @one()
          %2 = call i32 @atoi(ptr null)
          ret i32 %1
        }
        define available_externally i32 @one() {
          ret i32 1
        }
        define available_externally i32 @atoi(ptr %0) {
          ret i32 1
        }

    After::

        define i32 @f() {
          %1 = call i32 @one()
          %2 = call i32 @atoi(ptr null)
          ret i32 %1
        }
        define internal i32 @one() {
          ret i32 1
        }
        define available_externally i32 @atoi(ptr %0) {
          ret i32 1
        }
    """
    if context.policy.follows(ORIGINS):
        _leave_to_library(context.module)
    copies = {each.ref: each for each in context.module.definitions if each.linkage == _COPY}
    if not copies:
        return
    uses = Counter(_REFERENCE.findall(str(context.module)))
    calls = Counter(
        f"@{ir.quote(each.callee)}"
        for function in context.module.definitions
        for each in function.instructions()
        if isinstance(each, ir.Call) and each.callee is not None
    )
    policy = context.policy
    spared = () if policy.quick and not policy.follows(ORIGINS) else RUNTIME_SYMBOLS
    for ref, function in copies.items():
        if uses[ref] == calls[ref] + 1 and function.name not in spared:
            function.linkage = "internal"


def _leave_to_library(module: ir.Module) -> None:
    """Removes copies of functions that the runtime has and that chains lead to, as `atoi`: the runtime knows
    what comes from them and what goes through them."""
    for function in module.definitions:
        if function.linkage == _COPY and function.name in _LED_TO:
            types = ", ".join(each.type for each in function.parameters)
            module.remove(function)
            module.add_declaration(f"declare {function.return_type} {function.ref}({types})")
