"""Variables with accesses out of their bounds at constant offsets stay in memory.

Promotion to registers assumes that such accesses do not happen: it truncates copies to the size of the
variable, and deletes other accesses.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.analysis.exposure import KNOWN, is_overrun, uses_of, variables_of
from whence.instrument.passes.context import Context


def keep_overruns(context: Context) -> None:
    """Prevents the promotion of such variables, so that the program makes the access.

    Before::

        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        define void @f() {
          %x = alloca [4 x i8], align 1
          call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 5, i1 false)
          ret void
        }

    After::

        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        define void @f() {
          %x = alloca [4 x i8], align 1
          call void asm sideeffect "", "r"(ptr %x) nounwind
          call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 5, i1 false)
          ret void
        }
    """
    for function in context.functions():
        variables = variables_of(function)
        if not variables:
            continue
        uses = uses_of(function)
        for variable, size in variables:
            if is_overrun(variable, size, uses):
                keep_in_memory(variable)


def keep_in_memory(variable: ir.Alloca) -> None:
    """Has LLVM assume that something else knows the variable's address."""
    variable.insert_after(KNOWN.format(variable.result), dbg=False)
