"""Programs, expressions and states as text: reading it gives an equal object.

Expressions are printed from an explicit stack of pieces, so they may be nested
as deeply as memory allows.
"""

from __future__ import annotations

from whence.abi.records import FAMILIES
from whence.machine.context import expression, substitute
from whence.machine.memory import Block, Byte, Fragment, Mixed, Ranges, whole
from whence.machine.state import (
    CallEvent,
    CopyEvent,
    Event,
    FreeEvent,
    IfEvent,
    MallocEvent,
    RetEvent,
    State,
    WriteEvent,
)
from whence.machine.syntax import (
    Alloc,
    Apply,
    Assign,
    Copy,
    End,
    Expr,
    Free,
    FunctionDefinition,
    GlobalVariable,
    If0,
    IntOp,
    Let,
    LetSalloc,
    Literal,
    Name,
    Poison,
    Program,
    PtrAdd,
    Read,
    Ret,
    Seq,
    Use,
)
from whence.machine.values import (
    LITERAL,
    WORD,
    BlockId,
    FromGlobal,
    FromMemory,
    Function,
    Gen,
    Int,
    Origin,
    Pointer,
    Value,
    begin_of,
    wrap,
)

_EXPR, _ITEM, _COMPARE, _SUM, _PRODUCT, _UNARY, _PRIMARY = range(7)
_OPERATOR_LEVEL = {"==": _COMPARE, "<": _COMPARE, "+": _SUM, "-": _SUM, "*": _PRODUCT}
_Piece = str | tuple[Expr, int]
FAMILY_NAMES = {number: name.lower() for name, number in FAMILIES.items()}


# ---- values ----


def print_value(value: Value) -> str:
    """5, -5, &1H+8, &NULL-1, &f"""
    match value:
        case Int(number=number, undefined=undefined):
            return f"{number}?{undefined:#x}" if undefined else str(number)
        case Pointer(block=block, index=index):
            return f"&{block}{index:+}"
        case Function(name=name):
            return f"&{name}"


def print_origin(origin: Origin) -> str:
    """gen, gen 3, global g, &1H+0[8] @ 3"""
    match origin:
        case Gen(time=time):
            return "gen" if time is None else f"gen {time}"
        case FromGlobal(name=name):
            return f"global {name}"
        case FromMemory(pointer=pointer, width=width, time=time):
            return f"{print_value(pointer)}[{width}] @ {time}"


def print_literal(literal: Literal) -> str:
    """A value, with its origin in braces unless it was written in the program."""
    origin = "" if literal.origin == LITERAL else f"{{{print_origin(literal.origin)}}}"
    return print_value(literal.value) + origin


# ---- expressions ----


def print_expr(expr: Expr, indent: str | None = None) -> str:
    """An expression; with `indent`, each statement of its outermost sequence on a line of its own."""
    out: list[str] = []
    line = " " if indent is None else "\n" + indent
    waiting: list[_Piece] = [(expr, _EXPR)]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            out.append(piece)
            continue
        node, level = piece
        own, pieces = _pieces(node, line)
        if own < level:
            _, pieces = _pieces(node, " ")
            pieces = ["(", *pieces, ")"]
        waiting.extend(reversed(pieces))
    return "".join(out)


def print_redex(state: State) -> str:
    """The redex of a state, closed."""
    return print_expr(substitute(state.focus, state.env))


def _pieces(node: Expr, line: str) -> tuple[int, list[_Piece]]:
    """How tightly an expression binds, and what it is made of."""
    match node:
        case Literal(value=value):
            level = _UNARY if isinstance(value, Int) and value.number < 0 else _PRIMARY
            return level, [print_literal(node)]
        case Name(name=name):
            return _PRIMARY, [name]
        case Let(name=name, bound=bound, body=body):
            return _EXPR, [f"let {name} = ", (bound, _ITEM), f" in{line}", (body, _EXPR)]
        case LetSalloc(name=name, size=size, body=body):
            return _EXPR, [f"let {name} = salloc {size} in{line}", (body, _EXPR)]
        case Seq(first=first, second=second):
            return _EXPR, [(first, _ITEM), f";{line}", (second, _EXPR)]
        case Apply(function=function, arguments=arguments):
            return _PRIMARY, [(function, _PRIMARY), *_arguments(arguments)]
        case Ret(function=name, body=body):
            return _PRIMARY, [f"ret {name} (", (body, _EXPR), ")"]
        case End(block=block, body=body):
            return _PRIMARY, [f"end {block} (", (body, _EXPR), ")"]
        case If0():
            return _ITEM, [
                *("if0 ", (node.guard, _ITEM), " then ", (node.then, _ITEM)),
                *(" else ", (node.otherwise, _ITEM)),
            ]
        case Read(pointer=pointer, width=width):
            return _UNARY, ["*" if width == WORD else f"*{_width(width)} ", (pointer, _UNARY)]
        case Assign(pointer=pointer, value=value, width=width):
            return _ITEM, [(pointer, _COMPARE), f" :={_width(width)} ", (value, _ITEM)]
        case PtrAdd(pointer=pointer, offset=offset):
            return _SUM, [(pointer, _SUM), " +& ", (offset, _PRODUCT)]
        case IntOp(operator=operator, left=left, right=right):
            own = _OPERATOR_LEVEL[operator]
            return own, [(left, own + (own == _COMPARE)), f" {operator} ", (right, own + 1)]
        case Alloc(function=name, arguments=arguments):
            return _PRIMARY, [name, *_arguments(arguments)]
        case Free(function=name, pointer=pointer, given=given):
            return _PRIMARY, [name, *_arguments((pointer, *given))]
        case Copy(function=name, to=to, source=source, count=count):
            return _PRIMARY, [name, *_arguments((to, source, count))]
        case Use(pointer=pointer):
            return _PRIMARY, ["use", *_arguments((pointer,))]
        case Poison(function=name, pointer=pointer, count=count):
            return _PRIMARY, [name, *_arguments((pointer, count))]


def _arguments(arguments: tuple[Expr, ...]) -> list[_Piece]:
    pieces: list[_Piece] = ["("]
    for argument in arguments:
        pieces += [(argument, _EXPR), ", "]
    return [*pieces[: max(1, len(pieces) - 1)], ")"]


def _width(width: int) -> str:
    return "" if width == WORD else f"[{width}]"


# ---- programs ----


def print_program(program: Program) -> str:
    """The text of a program: global variables first, then functions."""
    items = [*map(_global, program.globals), *map(_function, program.functions)]
    return "\n".join(items) + "\n" if items else ""


def _global(variable: GlobalVariable) -> str:
    values = ", ".join(print_expr(value) for value in variable.values)
    return f"global {variable.name}[{variable.size}]" + (f" = {values}" if values else "")


def _function(function: FunctionDefinition) -> str:
    head = f"fun {function.name}({', '.join(function.parameters)}) ="
    return f"{head}\n  {print_expr(function.body, '  ')}"


# ---- states ----


def print_state(state: State) -> str:
    """The program of a state and the state itself; reading it gives `context.close(state)`."""
    return print_program(state.program) + print_state_only(state)


def print_state_only(state: State) -> str:
    """The `state { … }` part."""
    lines = ["state {", f"  time {state.time}", f"  origin {{{print_origin(state.origin)}}}"]
    lines += _section("globals", state.globals.items())
    lines += _section("heap", state.heap.items())
    lines += _section("freed", state.freed.items())
    for frame in reversed(list(state.frames)):
        lines += _section("frame", [(bid, state.stack_blocks[bid]) for bid in frame], in_order=True)
    pointers = sorted(state.pointers, key=lambda each: (each.block, each.index))
    lines.append("  pointers" + ",".join(f" {print_value(each)}" for each in pointers))
    lines += ["  trace", *(f"    {print_event(event)}" for event in reversed(list(state.trace)))]
    lines.append(f"  expression {print_expr(expression(state))}")
    return "\n".join([*lines, "}"]) + "\n"


def _section(name: str, blocks: object, in_order: bool = False) -> list[str]:
    found: list[tuple[BlockId, Block]] = list(blocks)  # type: ignore[call-overload]
    if not in_order:
        found.sort(key=lambda each: each[0])
    return [f"  {name}", *(f"    {bid}: {print_block(bid, block)}" for bid, block in found)]


def print_block(bid: BlockId, block: Block) -> str:
    """size 16, since 3, holds [0: word 5]"""
    parts = [f"size {block.size}"]
    if block.begin != begin_of(bid):
        parts.append(f"begin {block.begin:#x}")
    parts.append(f"since {block.time}")
    if block.family:
        parts.append(f"family {FAMILY_NAMES[block.family]}")
    if block.align:
        parts.append(f"align {block.align}")
    if block.zeroed:
        parts.append("zeroed" if block.zeroed == whole(block.size) else f"zeroed [{_ranges(block.zeroed)}]")
    if len(block.contents):
        parts.append(f"holds [{', '.join(_cells(block))}]")
    if len(block.closed):
        parts.append(f"closed [{_ranges(block.closed)}]")
    return ", ".join(parts)


def _ranges(ranges: Ranges) -> str:
    return ", ".join(f"{first} to {last}" for first, last in ranges)


def _cells(block: Block) -> list[str]:
    """The contents, eight bytes at a time where they are one value."""
    cells = []
    waiting = sorted(block.contents.items(), reverse=True)
    while waiting:
        index, first = waiting[-1]
        word = [byte for at, (i, byte) in enumerate(reversed(waiting[-WORD:])) if i == index + at]
        whole = _whole(word) if len(word) == WORD else None
        cells.append(f"{index}: {whole or _cell(first)}")
        del waiting[-(WORD if whole else 1) :]
    return cells


def _whole(word: list[Byte | None]) -> str | None:
    first = word[0]
    if all(isinstance(byte, int) for byte in word):
        return f"word {wrap(int.from_bytes(bytes(word), 'little'))}"  # type: ignore[arg-type]
    if isinstance(first, Fragment) and word == [Fragment(first.value, at) for at in range(WORD)]:
        return print_value(first.value)
    return None


def _cell(byte: Byte | None) -> str:
    if byte is None:
        return "junk"
    if isinstance(byte, int):
        return f"byte {byte}"
    if isinstance(byte, Mixed):
        return f"byte {byte.number}?{byte.undefined:#x}"
    return f"byte {byte.at} of {print_value(byte.value)}"


def print_event(event: Event) -> str:
    """(3, malloc, 16, 1H), …"""
    match event:
        case MallocEvent():
            content = f"malloc, {event.size}, {event.block}"
        case FreeEvent():
            content = f"free, {print_literal(event.pointer)}, {event.block}"
        case CallEvent():
            content = f"call, {event.function}, {print_literal(event.value)}"
        case RetEvent():
            content = f"ret, {event.function}, {print_literal(event.value)}"
        case WriteEvent():
            values = f"{print_literal(event.pointer)}, {print_literal(event.value)}"
            content = f"write{_width(event.width)}, {values}"
        case IfEvent():
            content = f"if0, {event.number}"
        case CopyEvent():
            ends = f"{print_literal(event.pointer)}, {print_literal(event.source)}"
            content = f"copy, {ends}, {event.count}"
        case _:
            raise TypeError(type(event).__name__)
    return f"({event.time}, {content})"


__all__ = ["print_event", "print_expr", "print_literal", "print_program", "print_redex", "print_state"]
