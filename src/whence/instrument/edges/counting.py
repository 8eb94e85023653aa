"""Counts the edges of the control flow that are taken, and shows what is compared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whence import ir
from whence.abi.fuzz import COUNTERS_PAGE, COUNTERS_SECTION
from whence.instrument.edges import helpers
from whence.instrument.passes.context import Context
from whence.instrument.shadow.calls import first_of

COUNTERS = "@whence.counters"
_INTEGER = re.compile(r"-?\d+\Z")
_WIDTHS = {f"i{bits}": bits for bits in helpers.WIDTHS}
_TRUTH = {"true": 1, "false": 0}


def count_edges(context: Context) -> None:
    """Counts the begins of functions and the ways of branches and switches, in bytes of the module.

    Before::

        define i32 @f(i32 %x) {
          %c = icmp eq i32 %x, 77
          br i1 %c, label %yes, label %no
        yes:
          ret i32 1
        no:
          ret i32 0
        }

    After::

        define i32 @f(i32 %x) {
          call void @__whence_edges_reach(ptr @whence.counters)
          call void @__whence_edges_compare_32(i32 %x, i32 77)
          %c = icmp eq i32 %x, 77
          call void @__whence_edges_branch(i1 %c, ptr getelementptr (i8, ptr @whence.counters, i64 1), ptr getelementptr (i8, ptr @whence.counters, i64 2))
          br i1 %c, label %yes, label %no
        yes:
          ret i32 1
        no:
          ret i32 0
        }
        declare void @__whence_edges_reach(ptr) nounwind
        declare void @__whence_edges_compare_32(i32, i32) nounwind
        declare void @__whence_edges_branch(i1, ptr, ptr) nounwind
        @whence.counters = internal global [4096 x i8] zeroinitializer, section "whence_counters", align 4096
    """  # noqa: E501
    counting = _Counting(context.module)
    for function in list(context.functions()):
        counting.function(function)
        context.forget_flow(function)
    counting.end()


class _Counting:
    """The counters of a module."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.count = 0

    def function(self, function: ir.Function) -> None:
        instructions = list(function.instructions())
        begin = first_of(function)
        if function.name == "main":
            self._begin_program(begin)
        self._call(begin, helpers.REACH, f"ptr {self._counter()}")
        pads = dict.fromkeys(each.unwind for each in instructions if isinstance(each, ir.Invoke))
        for made in instructions:
            match made:
                case ir.Compare() if made.opcode == "icmp":
                    self._compare(made)
                case ir.Br() if made.condition is not None:
                    ways = f"ptr {self._counter()}, ptr {self._counter()}"
                    self._call(made, helpers.BRANCH, f"i1 {made.condition}, {ways}")
                case ir.Select():
                    self._decide(made, made.operands[:1])
                case ir.Binary() if made.opcode in ("and", "or"):
                    self._decide(made, made.operands)
                case ir.Switch():
                    self._switch(function, made)
                case _:
                    pass
        for pad in pads:
            self._reach(function.block(pad))

    def end(self) -> None:
        """Makes room for the counters."""
        if self.count:
            size = -(-self.count // COUNTERS_PAGE) * COUNTERS_PAGE
            self.module.add_global(
                f"{COUNTERS} = internal global [{size} x i8] zeroinitializer, "
                f'section "{COUNTERS_SECTION}", align {COUNTERS_PAGE}'
            )

    def _call(self, place: ir.Instruction, name: str, arguments: str) -> None:
        self.module.add_declaration(helpers.declaration(name))
        place.insert_before(f"call void @{name}({arguments})")

    def _counter(self) -> str:
        number, self.count = self.count, self.count + 1
        return f"getelementptr (i8, ptr {COUNTERS}, i64 {number})" if number else COUNTERS

    def _begin_program(self, begin: ir.Instruction) -> None:
        bounds = [f"@__{end}_{COUNTERS_SECTION}" for end in ("start", "stop")]
        for bound in bounds:
            self.module.add_global(f"{bound} = extern_weak hidden global [0 x i8]")
        self._call(begin, helpers.BEGIN, ", ".join(f"ptr {each}" for each in bounds))

    def _compare(self, made: ir.Compare) -> None:
        one, other = made.operands
        bits = _WIDTHS.get(one.type)
        if bits and not (_INTEGER.match(one.value) and _INTEGER.match(other.value)):
            arguments = f"{one.type} {one.value}, {one.type} {other.value}"
            self._call(made, f"{helpers.COMPARE}{bits}", arguments)

    def _decide(self, made: ir.Instruction, operands: Sequence[ir.Operand]) -> None:
        """Counts both truth values of what LLVM has made of branches: choices, and truth values that are
        joined."""
        for operand in operands:
            if operand.type == "i1" and operand.value.startswith("%"):
                ways = f"ptr {self._counter()}, ptr {self._counter()}"
                self._call(made, helpers.BRANCH, f"i1 {operand.value}, {ways}")

    def _reach(self, block: ir.Block) -> None:
        """Counts how often a block begins; some of those for exceptions can have no code before their end."""
        try:
            place = block.insertion_point
        except ValueError:
            return
        self._call(place, helpers.REACH, f"ptr {self._counter()}")

    def _switch(self, function: ir.Function, made: ir.Switch) -> None:
        """A block to which several switches or branches lead has a count of each of them."""
        for target in dict.fromkeys(made.successors):
            block = function.block(target)
            if len(block.predecessors) > 1:
                block = function.split_edge(made.owner, block)
            self._reach(block)
        scrutinee = made.operands[0]
        bits = _WIDTHS.get(scrutinee.type)
        if bits:
            table = self._cases(made, bits)
            self._call(made, f"{helpers.SWITCH}{bits}", f"{scrutinee.type} {scrutinee.value}, ptr {table}")

    def _cases(self, made: ir.Switch, bits: int) -> str:
        """A constant with the number of cases and their values."""
        values = [int(_TRUTH.get(value, value)) & ((1 << bits) - 1) for value, _ in made.cases]
        words = ", ".join(f"i64 {each}" for each in (len(values), *values))
        name = f"@whence.cases.{len(self.module.globals)}"
        self.module.add_global(
            f"{name} = private unnamed_addr constant [{len(values) + 1} x i64] [{words}], align 8"
        )
        return name
