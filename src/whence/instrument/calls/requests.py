"""Translation of Valgrind's client requests to calls of the runtime.

The macros of ``valgrind/valgrind.h`` insert a sequence of rotations without
effect, which Valgrind recognises in the machine code; whence recognises it in
the IR.
"""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.markers.declarations import REQUEST
from whence.instrument.passes.context import Context

CLOSES = "closes-memory"
"""A pseudo name among those that a module defines: it may make memory inaccessible (`may_close`)."""
_CLOSING = (b"__asan_poison_memory_region", b"__sanitizer_annotate_", b"_zzq_args")

_SPACE = re.compile(r"(?:\\0[9ADad]|[\s;])+")
_SEQUENCE = "rolq$$3,%rdirolq$$13,%rdirolq$$61,%rdirolq$$51,%rdixchgq%rbx,%rbx"


def may_close(bitcode: bytes) -> bool:
    """Whether a module may make memory inaccessible, judging by the names in it.

    The last name is the variable that every client request fills, as debug information has it.
    """
    return any(name in bitcode for name in _CLOSING)


def redirect_requests(context: Context) -> None:
    """Replace every client request by a call of the runtime.

    Before::

        define i64 @f(ptr %a) {
          %2 = call i64 asm sideeffect "rolq $$3,  %rdi ; rolq $$13, %rdi\\0A\\09rolq $$61, %rdi ; rolq $$51, %rdi\\0A\\09xchgq %rbx,%rbx", "={dx},{ax},0"(ptr %a, i64 0)
          ret i64 %2
        }

    After::

        define i64 @f(ptr %a) {
          %2 = call i64 @__whence_client_request(ptr %a, i64 0) nomerge
          ret i64 %2
        }
    """  # noqa: E501
    for function in context.module.definitions:
        if _redirect_in(function):
            context.used.add(REQUEST)


def _redirect_in(function: ir.Function) -> bool:
    if not any("xchgq" in line for line in function.lines()):
        return False
    found = [each for each in function.instructions() if isinstance(each, ir.Call) and _is_request(each)]
    for request in found:
        arguments = ", ".join(map(str, request.arguments))
        request.replace(f"call i64 @{REQUEST}({arguments}) nomerge")
    return bool(found)


def _is_request(call: ir.Call) -> bool:
    if "xchgq" not in call.text or not call.is_assembly:
        return False
    template = call.callee_operand.value.split('"')[1]
    return _SPACE.sub("", template) == _SEQUENCE and len(call.arguments) == 2
