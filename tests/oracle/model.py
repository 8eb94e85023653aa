"""The generator's model of the program it writes: blocks, their contents, and pointers to them.

The model steers the draws to steps that are correct or have one error; the abstract machine judges the
program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from whence.machine import syntax as s
from whence.machine.values import Int

Statement = tuple[str | None, s.Expr, int | None]
"""The name that a statement binds (or None), its expression, and the size of a salloc (or None)."""


@dataclass
class Block:
    """A block of the program. `words`: index -> the value of the word there, an integer or the variable whose
    pointer was stored; an index without a word is uninitialized unless the block is `zeroed`."""

    kind: str
    size: int
    family: int = 0
    align: int = 0
    live: bool = True
    zeroed: bool = False
    words: dict[int, int | Variable] = field(default_factory=dict)

    def readable(self, index: int) -> bool:
        return self.zeroed or index in self.words


@dataclass(frozen=True, eq=False)
class Variable:
    """A variable that holds a pointer: `index` bytes into `block`, or NULL where `block` is None."""

    name: str
    block: Block | None
    index: int = 0


def integer(number: int) -> s.Expr:
    return s.Literal(Int(number))


NULL = integer(0)


def at(variable: Variable, index: int) -> s.Expr:
    """The pointer to an index of the variable's block."""
    distance = index - variable.index
    return s.Name(variable.name) if distance == 0 else s.PtrAdd(s.Name(variable.name), integer(distance))


@dataclass
class Draft:
    """The statements so far, and the model of the state after them."""

    statements: list[Statement] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    functions: list[s.FunctionDefinition] = field(default_factory=list)
    globals: list[s.GlobalVariable] = field(default_factory=list)
    names: int = 0

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def do(self, expr: s.Expr) -> None:
        self.statements.append((None, expr, None))

    def bind(self, expr: s.Expr, block: Block | None, index: int = 0) -> Variable:
        """Adds `let p = expr`, where the value points to `index` of the block."""
        variable = Variable(self.fresh("p"), block, index)
        self.statements.append((variable.name, expr, None))
        return self.add_variable(variable)

    def add_variable(self, variable: Variable) -> Variable:
        if variable.block is not None and variable.block not in self.blocks:
            self.blocks.append(variable.block)
        self.variables.append(variable)
        return variable

    def salloc(self, size: int) -> Variable:
        block = Block("stack", size)
        variable = Variable(self.fresh("s"), block)
        self.statements.append((variable.name, integer(0), size))
        return self.add_variable(variable)

    def pointers(self, *, kind: str = "heap", live: bool = True) -> list[Variable]:
        """The variables that point into blocks of this kind, live or freed."""
        return [v for v in self.variables if v.block and v.block.kind == kind and v.block.live == live]

    def body(self, last: s.Expr) -> s.Expr:
        """The statements as one expression with the value of `last`."""
        for name, expr, size in reversed(self.statements):
            if size is not None and name is not None:
                last = s.LetSalloc(name, size, last)
            else:
                last = s.Seq(expr, last) if name is None else s.Let(name, expr, last)
        return last

    def program(self) -> s.Program:
        main = s.FunctionDefinition(s.MAIN, (), self.body(integer(0)))
        return s.Program(tuple(self.globals), (*self.functions, main))
