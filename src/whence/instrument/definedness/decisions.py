"""Branches that unoptimised native code makes, and LLVM's pipeline would not leave.

What only chooses between two constants becomes a `select`, and what nobody needs goes, before values are
followed. A program that is compiled without optimisation branches there.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.markers.declarations import ATTRIBUTES, PREFIX
from whence.instrument.passes.context import Context

DECIDES = f"{PREFIX}_decides_"
"""Of the value by which a branch is taken, with its type behind."""
_TYPES = ("i1", "i8", "i16", "i32", "i64")


def mark_decisions(context: Context) -> None:
    """Puts a marker before each branch of code that is compiled without optimisation.

    Before::

        define void @f(i1 %a) {
          br i1 %a, label %b, label %c
        b:
          ret void
        c:
          ret void
        }

    After::

        define void @f(i1 %a) {
          call void @__whence_check_decides_i1(i1 %a) nomerge
          br i1 %a, label %b, label %c
        b:
          ret void
        c:
          ret void
        }
        declare void @__whence_check_decides_i1(i1) willreturn nounwind memory(inaccessiblemem: readwrite)
    """
    if not context.unoptimised:
        return
    for function in context.functions():
        for block in function.blocks:
            last = block.instructions[-1]
            decides = last.operands[0] if isinstance(last, ir.Br | ir.Switch) else None
            if decides is not None and decides.type in _TYPES and decides.value.startswith("%"):
                _mark(last, decides, context)


def _mark(branch: ir.Instruction, decides: ir.Operand, context: Context) -> None:
    name = DECIDES + decides.type
    context.module.add_declaration(f"declare void @{name}({decides.type}) willreturn {ATTRIBUTES}")
    branch.insert_before(f"call void @{name}({decides.type} {decides.value}) nomerge")


def drop_decisions(function: ir.Function) -> None:
    """Removes the markers of a function."""
    for each in filter(is_decision, list(function.instructions())):
        each.remove()


def is_decision(instruction: ir.Instruction) -> bool:
    """Whether it is such a marker."""
    return isinstance(instruction, ir.Call) and (instruction.callee or "").startswith(DECIDES)
