"""The calculus: programs and expressions (figure 7 of the ISMM 2013 paper, with what engines add).

All nodes are frozen and compare by content; `place` takes no part in it.
Expressions may be nested as deeply as memory allows, so no function walks them
by recursion: `fold` and `walk` keep an explicit stack.

A value inside an expression, `Literal`, carries its origin: substitution would
otherwise separate the two, and the machine's single f would be the origin of
the last computed value instead (docs/machine.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from whence.abi.records import FAMILIES
from whence.machine.values import GLOBAL, LITERAL, WORD, BlockId, Origin, Value
from whence.rules.problems import NOWHERE, Place

MAIN = "main"
OPERATORS = ("+", "-", "*", "==", "<")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A value v and where it came from."""

    value: Value
    origin: Origin = LITERAL


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A variable bound by let or a parameter, or else a global symbol."""

    name: str


@dataclass(frozen=True, slots=True)
class Let(Node):
    """let x = e in e"""

    name: str
    bound: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class LetSalloc(Node):
    """let x = salloc n in e: a stack block of `size` bytes, dead when e has its value."""

    name: str
    size: int
    body: Expr


@dataclass(frozen=True, slots=True)
class Seq(Node):
    """e; e"""

    first: Expr
    second: Expr


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """e(e, …)"""

    function: Expr
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Ret(Node):
    """ret z e: what [CALL] wraps the body of z in. Not written in programs."""

    function: str
    body: Expr


@dataclass(frozen=True, slots=True)
class End(Node):
    """end bid e: the scope of a stack block. Not written in programs."""

    block: BlockId
    body: Expr


@dataclass(frozen=True, slots=True)
class If0(Node):
    """if0 e then e else e"""

    guard: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Alloc(Node):
    """malloc e, and the other functions of `ALLOCATORS`."""

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Free(Node):
    """free e, and the other functions of `FREES`; `given`: the size and alignment arguments."""

    function: str
    pointer: Expr
    given: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Read(Node):
    """*e, of `width` bytes"""

    pointer: Expr
    width: int = WORD


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """e := e, of `width` bytes"""

    pointer: Expr
    value: Expr
    width: int = WORD


@dataclass(frozen=True, slots=True)
class PtrAdd(Node):
    """e +& e, the paper's +p: a pointer moved by a number of bytes"""

    pointer: Expr
    offset: Expr


@dataclass(frozen=True, slots=True)
class IntOp(Node):
    """Arithmetic of words; == and < give 1 or 0 and compare signed. A pointer counts as its address."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Copy(Node):
    """memcpy(to, from, n), which forbids overlap, or memmove(to, from, n); its value is `to`."""

    function: str
    to: Expr
    source: Expr
    count: Expr


@dataclass(frozen=True, slots=True)
class Use(Node):
    """use(e): a library function gets a pointer that must not be NULL; its value is e."""

    pointer: Expr


@dataclass(frozen=True, slots=True)
class Poison(Node):
    """poison(p, n): the program makes n bytes inaccessible; unpoison(p, n) takes it back. Value 0."""

    function: str
    pointer: Expr
    count: Expr


Expr = (
    Literal
    | Name
    | Let
    | LetSalloc
    | Seq
    | Apply
    | Ret
    | End
    | If0
    | Alloc
    | Free
    | Read
    | Assign
    | PtrAdd
    | IntOp
    | Copy
    | Use
    | Poison
)


@dataclass(frozen=True)
class Request:
    """The arguments of an allocation: the slots of the detection point `alloc`.

    `count` objects of `size` bytes each, at a multiple of `align`; `least`: the smallest valid alignment.
    """

    count: int
    size: int
    align: int
    least: int = 1


@dataclass(frozen=True)
class Allocator:
    """A function that allocates: its family and the names of its parameters.

    `least`: the smallest alignment that it accepts; `zeroed`: new bytes are 0; `rounds`: it rounds an
    alignment that is no power of two up.
    """

    family: int
    parameters: tuple[str, ...]
    least: int = 1
    zeroed: bool = False
    rounds: bool = False

    @property
    def keeps_align(self) -> bool:
        """Whether the block records the alignment, because the function that frees it must get the same."""
        return "align" in self.parameters and self.family != FAMILIES["MALLOC"]

    def request(self, arguments: tuple[int, ...]) -> Request:
        """The request of a call with these arguments, unsigned words in the order of `parameters`."""
        given = dict(zip(self.parameters, arguments, strict=True))
        return Request(given.get("count", 1), given["size"], given.get("align", 16), self.least)


_MALLOC, _NEW, _NEW_ARRAY = FAMILIES["MALLOC"], FAMILIES["NEW"], FAMILIES["NEW_ARRAY"]

ALLOCATORS = {
    "malloc": Allocator(_MALLOC, ("size",)),
    "calloc": Allocator(_MALLOC, ("count", "size"), zeroed=True),
    "memalign": Allocator(_MALLOC, ("align", "size"), rounds=True),
    "posix_memalign": Allocator(_MALLOC, ("align", "size"), least=8),
    "new": Allocator(_NEW, ("size",)),
    "new_aligned": Allocator(_NEW, ("align", "size")),
    "new_array": Allocator(_NEW_ARRAY, ("size",)),
    "new_array_aligned": Allocator(_NEW_ARRAY, ("align", "size")),
}


@dataclass(frozen=True)
class Deallocator:
    """A function that frees: the family of its blocks, and the names of its parameters after the pointer."""

    family: int
    parameters: tuple[str, ...] = ()


FREES = {
    "free": Deallocator(_MALLOC),
    "delete": Deallocator(_NEW),
    "delete_sized": Deallocator(_NEW, ("size",)),
    "delete_aligned": Deallocator(_NEW, ("align",)),
    "delete_sized_aligned": Deallocator(_NEW, ("size", "align")),
    "delete_array": Deallocator(_NEW_ARRAY),
    "delete_array_sized": Deallocator(_NEW_ARRAY, ("size",)),
    "delete_array_aligned": Deallocator(_NEW_ARRAY, ("align",)),
    "delete_array_sized_aligned": Deallocator(_NEW_ARRAY, ("size", "align")),
}
COPIES = ("memcpy", "memmove")
POISONS = ("poison", "unpoison")
BUILTINS = {
    **{name: len(allocator.parameters) for name, allocator in ALLOCATORS.items()},
    **{name: 1 + len(each.parameters) for name, each in FREES.items()},
    **dict.fromkeys(COPIES, 3),
    **dict.fromkeys(POISONS, 2),
    "use": 1,
}
"""Reserved names -> number of arguments."""


@dataclass(frozen=True)
class GlobalVariable(Node):
    """global z[size] = v, …: words from the begin on, then zeros. All symbols are written &z there."""

    name: str
    size: int
    values: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class FunctionDefinition(Node):
    """fun z(x, …) = e. A parameter is the pointer to the block its argument is in."""

    name: str
    parameters: tuple[str, ...]
    body: Expr


@dataclass(frozen=True)
class Program:
    """Definitions in the order of the text; `main` is the function of that name."""

    globals: tuple[GlobalVariable, ...] = ()
    functions: tuple[FunctionDefinition, ...] = ()

    @cached_property
    def by_name(self) -> Mapping[str, FunctionDefinition]:
        return {function.name: function for function in self.functions}

    @cached_property
    def global_blocks(self) -> Mapping[str, BlockId]:
        """Global variable -> its block: 1G, 2G, … in the order of the text."""
        return {each.name: BlockId(GLOBAL, number) for number, each in enumerate(self.globals, 1)}


# ---- walking ----


@dataclass(frozen=True)
class Form:
    """The fields of a kind of expression that are expressions, or tuples of expressions.

    `evaluated`: the operands, in the order of evaluation: the expression is a
    redex when they are values (the contexts E of figure 8); `unevaluated`: the
    fields that the reduction of the expression selects or binds.
    """

    evaluated: tuple[str, ...] = ()
    unevaluated: tuple[str, ...] = ()


FORMS: Mapping[type[Expr], Form] = {
    Literal: Form(),
    Name: Form(),
    Let: Form(("bound",), ("body",)),
    LetSalloc: Form((), ("body",)),
    Seq: Form(("first",), ("second",)),
    Apply: Form(("function", "arguments")),
    Ret: Form(("body",)),
    End: Form(("body",)),
    If0: Form(("guard",), ("then", "otherwise")),
    Alloc: Form(("arguments",)),
    Free: Form(("pointer", "given")),
    Read: Form(("pointer",)),
    Assign: Form(("pointer", "value")),
    PtrAdd: Form(("pointer", "offset")),
    IntOp: Form(("left", "right")),
    Copy: Form(("to", "source", "count")),
    Use: Form(("pointer",)),
    Poison: Form(("pointer", "count")),
}


def _in(expr: Expr, fields: tuple[str, ...]) -> tuple[Expr, ...]:
    found: list[Expr] = []
    for name in fields:
        part = getattr(expr, name)
        if isinstance(part, tuple):
            found.extend(part)
        else:
            found.append(part)
    return tuple(found)


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The parts that are evaluated before the expression is reduced, in the order of evaluation."""
    return _in(expr, FORMS[type(expr)].evaluated)


def parts(expr: Expr) -> tuple[Expr, ...]:
    """The direct subexpressions: the operands, then the unevaluated ones."""
    form = FORMS[type(expr)]
    return _in(expr, form.evaluated + form.unevaluated)


def with_parts(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    """The expression with other parts, in the order of `parts`; `new` may also have the operands only."""
    form = FORMS[type(expr)]
    changes: dict[str, Expr | tuple[Expr, ...]] = {}
    at = 0
    for name in form.evaluated + form.unevaluated:
        if at >= len(new):
            break
        part = getattr(expr, name)
        if isinstance(part, tuple):
            changes[name] = new[at : at + len(part)]
            at += len(part)
        else:
            changes[name] = new[at]
            at += 1
    return replace(expr, **changes) if changes else expr  # type: ignore[arg-type]


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all in it, outermost first, in the order of the text."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(parts(node)))


T = TypeVar("T")


def fold(expr: Expr, make: Callable[[Expr, tuple[T, ...]], T]) -> T:
    """The result of `make` for the expression, given the results for its parts; innermost first."""
    results: list[T] = []
    waiting: list[tuple[Expr, int]] = [(expr, -1)]
    while waiting:
        node, count = waiting.pop()
        if count < 0:
            inside = parts(node)
            waiting.append((node, len(inside)))
            waiting.extend((part, -1) for part in reversed(inside))
        else:
            made = tuple(results[len(results) - count :])
            del results[len(results) - count :]
            results.append(make(node, made))
    return results[0]
