"""Variables are made before anything else is done: memory for them may come from code that branches.

Numbers of LLVM's values grow through a function, so that a value gets a name if it moves in front of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from whence import ir
from whence.instrument.passes import Context

_NUMBERED = "%variable."


def gather_variables(context: Context) -> None:
    """Moves what makes variables of constant size to the begin of the entry block.

    Before::

        declare void @g(ptr)
        define void @f() {
          %1 = alloca i32, align 4
          %2 = getelementptr i8, ptr %1, i64 2
          %3 = alloca i32, align 4
          call void @g(ptr %3)
          ret void
        }

    After::

        declare void @g(ptr)
        define void @f() {
          %1 = alloca i32, align 4
          %variable.3 = alloca i32, align 4
          %2 = getelementptr i8, ptr %1, i64 2
          call void @g(ptr %variable.3)
          ret void
        }
    """
    for function in context.functions():
        _gather(function, first_behind(function))


def is_made_at_entry(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Alloca) and (instruction.count or "1").isdecimal()


def first_behind(function: ir.Function) -> ir.Instruction:
    """The first instruction that makes no variable of constant size; those that do stand in front of it, but
    for what was not gathered yet."""
    return next(each for each in function.entry if not is_made_at_entry(each))


def _gather(function: ir.Function, first: ir.Instruction) -> None:
    items = function.entry.instructions
    late = [each for each in items[items.index(first) :] if is_made_at_entry(each)]
    for each in late:
        name = each.result or ""
        each.remove()
        if name[1:].isdecimal():
            text = each.text.split(" = ", 1)[1]
            first.insert_before(f"{_NUMBERED}{name[1:]} = {text}", dbg=False)
            rename(function, name, f"{_NUMBERED}{name[1:]}", function.instructions())
        else:
            function.entry.link(each, first.prev, first)


def rename(function: ir.Function, old: str, new: str, uses: Iterable[ir.Instruction]) -> None:
    """Gives the instructions, and the descriptions of variables, another name of a value."""
    pattern = re.compile(rf"{re.escape(old)}(?![-\w.$])")
    for each in uses:
        if old in each.text and each.result != old:
            each.rewrite(pattern.sub(new, each.text))
    for block in function.blocks:
        for item in block.items:
            if isinstance(item, ir.DebugRecord) and old in item.text:
                item.rewrite(pattern.sub(new, item.text))
