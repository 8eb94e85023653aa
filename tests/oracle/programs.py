"""A generator of random programs of the calculus, most of them with one memory error.

`programs()` draws steps one after the other. A step is correct by the generator's model (`model`), or is one
of `MISTAKES`, or uses an arbitrary pointer. The abstract machine decides which errors a program has. The
generator leaves out what the engine and the calculus judge differently by design (docs/oracle.md):
accesses outside of stack blocks, pointers that are loaded from memory and lie further outside of their block
than a red zone, and conditions on unwritten bytes that have one outcome for all values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st
from tests.oracle.model import NULL, Block, Draft, Variable, at, integer
from tests.oracle.outcomes import Values

from whence.machine import syntax as s

T = TypeVar("T")
Draw = st.DrawFn
Step = Callable[[Draw, Draft], None]

SIZES = (1, 7, 8, 16, 24, 40, 64, 200, 5000)
WIDTHS = (8, 8, 8, 4, 2, 1)
NEAR = (0, 1, 3, 7, -1, -8)
"""Distances from the begin (below 0) or the end of a block, in bytes, that stay inside its red zones."""
FAR = (*NEAR, 100, 4096, 1 << 20, -4096)
PLAIN_FREE = {s.FREES[name].family: name for name in ("free", "delete", "delete_array")}
FAMILY = s.FREES["free"].family
"""The family of malloc."""


# ---- choices ----


def choose(draw: Draw, among: Sequence[T]) -> T:
    """One of several. `sampled_from` is not used: it is labelled by the hashes of the elements, which differ
    from run to run, and Hypothesis varies what it drew by labels."""
    return among[draw(st.integers(0, len(among) - 1))]


def heap_pointer(draw: Draw, draft: Draft) -> Variable:
    """A pointer to a live heap block; allocates one if there is none."""
    found = draft.pointers()
    if not found:
        allocate(draw, draft)
        found = draft.pointers()
    return choose(draw, found)


def index_in_bounds(draw: Draw, block: Block, width: int) -> int | None:
    """An index, a multiple of `width`, at which an access of `width` bytes is in bounds; None if none is."""
    if block.size < width:
        return None
    return width * draw(st.integers(0, min(block.size // width, 8) - 1))


def number(draw: Draw, value: int) -> s.Expr:
    """An expression with the value `value`: a literal, or for one draw in six an operation."""
    if draw(st.integers(0, 5)) < 5:
        return integer(value)
    operator = choose(draw, ["+", "-", "*"])
    left, right = {"+": (value - 3, 3), "-": (value + 5, 5), "*": (value, 1)}[operator]
    return s.IntOp(operator, integer(left), integer(right))


def deallocation(block: Block, pointer: s.Expr, sized: bool) -> s.Expr:
    """The correct deallocation of the block; with its size if `sized` and its family has a sized function."""
    name, given = PLAIN_FREE[block.family], []
    if sized and block.family != FAMILY:
        name, given = f"{name}_sized", [integer(block.size)]
    if block.align:
        name, given = f"{name}_aligned", [*given, integer(block.align)]
    return s.Free(name, pointer, tuple(given))


def any_deallocation(draw: Draw, block: Block, pointer: s.Expr) -> s.Expr:
    return deallocation(block, pointer, draw(st.booleans()))


def any_free(draw: Draw, pointer: s.Expr) -> s.Expr:
    """A deallocation by any function, with any size and alignment."""
    name = choose(draw, sorted(s.FREES))
    choices = {"size": [8, 16, 0], "align": [16, 64]}
    given = (integer(choose(draw, choices[each])) for each in s.FREES[name].parameters)
    return s.Free(name, pointer, tuple(given))


# ---- correct steps ----


def allocate(draw: Draw, draft: Draft) -> None:
    name = choose(draw, ["malloc", "malloc", "malloc", "calloc", "new", "new_array", *s.ALLOCATORS])
    size = choose(draw, SIZES)
    given = {"size": size, "count": 1, "align": choose(draw, [16, 64])}
    count = choose(draw, [1, 1, 3]) if name == "calloc" else 1
    allocator = s.ALLOCATORS[name]
    arguments = tuple(number(draw, {**given, "count": count}[each]) for each in allocator.parameters)
    align = given["align"] if allocator.keeps_align else 0
    block = Block("heap", size * count, allocator.family, align, zeroed=allocator.zeroed)
    draft.bind(s.Alloc(name, arguments), block)


def alias(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    index = choose(draw, [0, 0, 8, 1, variable.block.size])
    index = min(index, variable.block.size)
    draft.bind(at(variable, index), variable.block, index)


def write(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    access(draw, draft, variable, True)


def access(draw: Draw, draft: Draft, variable: Variable, writes: bool) -> None:
    """An access in bounds."""
    block, width = variable.block, choose(draw, WIDTHS)
    assert block is not None
    index = index_in_bounds(draw, block, width)
    if index is None:
        width, index = 1, 0
    if writes:
        number = draw(st.integers(0, 3))
        draft.do(s.Assign(at(variable, index), integer(number), width))
        record_write(block, index, width, number)
    elif all(block.readable(each) for each in range(index, index + width)):
        draft.do(s.Read(at(variable, index), width))


def record_write(block: Block, index: int, width: int, value: int | Variable) -> None:
    """Enters a write into the model; pointers that it overwrites in part become plain bytes."""
    for each in range(index, index + width):
        block.words[each] = 0
    for each in range(index - 7, index + width):
        if isinstance(block.words.get(each), Variable):
            block.words[each] = 0
    block.words[index] = value if width == 8 else 0


def read(draw: Draw, draft: Draft) -> None:
    access(draw, draft, heap_pointer(draw, draft), False)


def store(draw: Draw, draft: Draft) -> None:
    """A store of a pointer into a heap block, a global variable or a stack block."""
    destinations = [v for v in draft.variables if v.block and v.block.live and v.block.size >= 8]
    stored = choose(draw, draft.pointers(live=True) or [heap_pointer(draw, draft)])
    if not destinations:
        return
    to = choose(draw, destinations)
    assert to.block is not None
    index = index_in_bounds(draw, to.block, 8)
    if index is not None and to.block is not stored.block:
        draft.do(s.Assign(at(to, index), s.Name(stored.name)))
        record_write(to.block, index, 8, stored)


def load(draw: Draw, draft: Draft) -> None:
    """A load of a pointer from memory."""
    found = [
        (source, index, stored)
        for source in draft.variables
        if source.block is not None and source.block.live
        for index, stored in source.block.words.items()
        if isinstance(stored, Variable)
    ]
    if found:
        source, index, stored = choose(draw, found)
        draft.bind(s.Read(at(source, index)), stored.block, stored.index)


def release(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    draft.do(any_deallocation(draw, variable.block, at(variable, 0)))
    variable.block.live = False


def add_local(draw: Draw, draft: Draft) -> None:
    """An initialized local variable."""
    variable = draft.salloc(choose(draw, [8, 16]))
    draft.do(s.Assign(s.Name(variable.name), integer(1)))
    assert variable.block is not None
    record_write(variable.block, 0, 8, 1)


def add_global(draw: Draw, draft: Draft) -> None:
    name = draft.fresh("g")
    draft.globals.append(s.GlobalVariable(name, choose(draw, [8, 16])))
    draft.add_variable(Variable(name, Block("global", draft.globals[-1].size, zeroed=True)))


def copy(draw: Draw, draft: Draft) -> None:
    """memcpy or memmove between blocks, or within one where they do not overlap."""
    source, to = heap_pointer(draw, draft), heap_pointer(draw, draft)
    assert source.block is not None and to.block is not None
    count = min(choose(draw, [8, 1, 16]), source.block.size, to.block.size)
    name = choose(draw, s.COPIES)
    if name == "memcpy" and source.block is to.block:
        return
    draft.do(s.Copy(name, at(to, 0), at(source, 0), integer(count)))
    moved = dict(source.block.words)
    for index in range(count):
        to.block.words.pop(index, None)
        if source.block.readable(index):
            to.block.words[index] = moved.get(index, 0) if index + 8 <= count else 0


def use(draw: Draw, draft: Draft) -> None:
    """The library's function looks at the first byte; the machine's does not."""
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    if variable.block.readable(0):
        draft.do(s.Use(at(variable, 0)))


def poison(draw: Draw, draft: Draft) -> None:
    """Poisons bytes of a block; half of the draws unpoison them again."""
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    if variable.block.size >= 16:
        draft.do(s.Poison("poison", at(variable, 8), integer(8)))
        if draw(st.booleans()):
            draft.do(s.Read(at(variable, 0), 1)) if variable.block.readable(0) else None
            draft.do(s.Poison("unpoison", at(variable, 8), integer(8)))


def call(draw: Draw, draft: Draft) -> None:
    """A call of a function that reads, writes, frees, allocates or returns a pointer."""
    kind = choose(draw, ["read", "write", "free", "make", "same", "local"])
    if kind == "make":
        name = called(draw, draft, ("n",), s.Alloc("malloc", (s.Read(s.Name("n")),)))
        size = choose(draw, SIZES)
        draft.bind(s.Apply(s.Name(name), (integer(size),)), Block("heap", size, FAMILY))
        return
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    block, given = variable.block, s.Read(s.Name("x"))
    argument = (at(variable, 0),)
    if kind == "free":
        name = called(draw, draft, ("x",), any_deallocation(draw, block, given))
        draft.do(s.Apply(s.Name(name), argument))
        block.live = False
    elif kind == "same":
        draft.bind(s.Apply(s.Name(called(draw, draft, ("x",), given)), argument), block)
    elif kind == "local":
        body = s.LetSalloc("s", 8, s.Seq(s.Assign(s.Name("s"), given), s.Read(s.Name("s"))))
        draft.bind(s.Apply(s.Name(called(draw, draft, ("x",), body)), argument), block)
    elif kind == "write":
        name = called(draw, draft, ("x", "v"), s.Assign(given, s.Read(s.Name("v")), 1))
        draft.do(s.Apply(s.Name(name), (*argument, integer(7))))
        record_write(block, 0, 1, 0)
    elif block.readable(0):
        draft.do(s.Apply(s.Name(called(draw, draft, ("x",), s.Read(given, 1))), argument))


def called(draw: Draw, draft: Draft, parameters: tuple[str, ...], body: s.Expr) -> str:
    """The name of a function with this body, or of one that passes its arguments on to such a function."""
    name = function(draft, parameters, body)
    if draw(st.integers(0, 3)) < 3:
        return name
    passed = tuple(s.Read(s.Name(each)) for each in parameters)
    return function(draft, parameters, s.Apply(s.Name(name), passed))


def function(draft: Draft, parameters: tuple[str, ...], body: s.Expr) -> str:
    """The name of the program's function with this body; adds it if it is missing."""
    for known in draft.functions:
        if (known.parameters, known.body) == (parameters, body):
            return known.name
    name = draft.fresh("f")
    draft.functions.append(s.FunctionDefinition(name, parameters, body))
    return name


def branch(draw: Draw, draft: Draft) -> None:
    """A conditional: a correct step in the branch that runs, errors in the branch that does not."""
    taken, other = Draft(**vars(draft)), Draft(**vars(draft))
    taken.statements, other.statements = [], []
    other.variables, other.blocks = list(draft.variables), list(draft.blocks)
    variables = len(draft.variables)
    choose(draw, [write, read, release, copy])(draw, taken)
    draft.names = max(draft.names, taken.names)
    other.names = draft.names
    add_steps_never_run(draw, other)
    draft.names = max(draft.names, other.names)
    del draft.variables[variables:]
    zero = draw(st.booleans())
    yes, no = (taken, other) if zero else (other, taken)
    guard = choose(draw, [integer(int(not zero)), s.IntOp("<", integer(1), integer(1 if zero else 2))])
    draft.do(s.If0(guard, yes.body(integer(1)), no.body(integer(2))))


def add_steps_never_run(draw: Draw, draft: Draft) -> None:
    """Adds a free and a NULL access that never run; the model does not change."""
    found = draft.pointers() or draft.pointers(live=False)
    pointer: s.Expr = s.Name(choose(draw, found).name) if found else NULL
    draft.do(s.Free("free", pointer))
    draft.do(s.Read(NULL))


CORRECT: tuple[Step, ...] = (
    *(allocate, allocate, alias, write, write, read, store, load, release, add_local, add_global, copy, use),
    *(poison, call, call, branch),
)


# ---- mistakes ----


def free_again(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    name = PLAIN_FREE[variable.block.family]
    for _ in range(2):
        draft.do(s.Free(name, at(variable, 0)))
    variable.block.live = False


def use_after_free(draw: Draw, draft: Draft) -> None:
    dead = draft.pointers(live=False)
    if not dead:
        release(draw, draft)
        dead = draft.pointers(live=False)
    access_at(draw, draft, choose(draw, dead), choose(draw, [0, 8, 1]))


def access_at(draw: Draw, draft: Draft, variable: Variable, index: int) -> None:
    """An access at an index of the variable's block: a read or a write, or a write by a function."""
    width = choose(draw, WIDTHS)
    how = choose(draw, ["write", "read", "call"])
    pointer = at(variable, index)
    if how == "write":
        draft.do(s.Assign(pointer, integer(1), width))
    elif how == "read":
        draft.do(s.Read(pointer, width))
    else:
        distance = index - variable.index
        moved = s.PtrAdd(s.Read(s.Name("x")), integer(distance)) if distance else s.Read(s.Name("x"))
        name = function(draft, ("x",), s.Assign(moved, integer(1), width))
        draft.do(s.Apply(s.Name(name), (s.Name(variable.name),)))


def overflow(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    distance = choose(draw, FAR)
    access_at(draw, draft, variable, distance if distance < 0 else variable.block.size + distance)


def overflow_through_memory(draw: Draw, draft: Draft) -> None:
    """An access outside of a block through a pointer that was stored and loaded again, within a red zone."""
    variable, slot = heap_pointer(draw, draft), draft.salloc(8)
    assert variable.block is not None
    distance = choose(draw, NEAR)
    index = distance if distance < 0 else variable.block.size + distance
    draft.do(s.Assign(s.Name(slot.name), at(variable, index)))
    draft.do(s.Read(s.Read(s.Name(slot.name)), choose(draw, [1, 1, 8])))


FAR_AWAY = 1 << 37
"""Distance in bytes from any block to heap memory without blocks, in the machine and in the engine."""


def wild_access(draw: Draw, draft: Draft) -> None:
    """A write by a function to an integer: the address of a block plus a large distance."""
    variable, width = heap_pointer(draw, draft), choose(draw, WIDTHS)
    begin = s.IntOp("-", s.Name(variable.name), integer(0))
    name = function(draft, ("x",), s.Assign(s.Read(s.Name("x")), integer(1), width))
    draft.do(s.Apply(s.Name(name), (s.IntOp("+", begin, integer(FAR_AWAY)),)))


def null_access(draw: Draw, draft: Draft) -> None:
    index = choose(draw, [0, 8, 4000])
    null = draft.bind(NULL, None)
    pointer = s.Name(null.name) if index == 0 else s.PtrAdd(s.Name(null.name), integer(index))
    accesses: list[s.Expr] = [s.Read(pointer), s.Assign(pointer, integer(1), 1)]
    draft.do(choose(draw, accesses))


def free_inside(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    index = choose(draw, [1, 8, variable.block.size])
    draft.do(any_deallocation(draw, variable.block, at(variable, min(index, variable.block.size))))


def free_outside(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    index = choose(draw, [-1, -8, variable.block.size + 7])
    draft.do(any_deallocation(draw, variable.block, at(variable, index)))


def free_local(draw: Draw, draft: Draft) -> None:
    add_local(draw, draft)
    draft.do(any_free(draw, s.Name(draft.variables[-1].name)))


def free_global(draw: Draw, draft: Draft) -> None:
    add_global(draw, draft)
    draft.do(any_free(draw, s.Name(draft.variables[-1].name)))


def free_of_other_family(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    others = [name for family, name in PLAIN_FREE.items() if family != variable.block.family]
    draft.do(s.Free(choose(draw, others), at(variable, 0)))
    variable.block.live = False


def free_with_wrong_arguments(draw: Draw, draft: Draft) -> None:
    """An operator delete whose size or alignment may be wrong, missing, or given without need."""
    names = [name for name, allocator in s.ALLOCATORS.items() if allocator.family != FAMILY]
    name = choose(draw, sorted(names))
    parameters = s.ALLOCATORS[name].parameters
    size, align = choose(draw, [8, 24]), choose(draw, [16, 64])
    block = Block("heap", size, s.ALLOCATORS[name].family, align if "align" in parameters else 0)
    given = {"size": integer(size), "align": integer(align)}
    variable = draft.bind(s.Alloc(name, tuple(given[each] for each in parameters)), block)
    block.live = False
    wrong = {"size": choose(draw, [0, 8, 16, 24]), "align": choose(draw, [0, 16, 32, 64])}
    frees = [each for each, function in s.FREES.items() if function.family == block.family]
    free = choose(draw, sorted(frees))
    arguments = tuple(integer(wrong[each]) for each in s.FREES[free].parameters)
    draft.do(s.Free(free, at(variable, 0), arguments))


def use_poisoned(draw: Draw, draft: Draft) -> None:
    block = Block("heap", 24, FAMILY, zeroed=True)
    variable = draft.bind(s.Alloc("calloc", (integer(1), integer(24))), block)
    draft.do(s.Poison("poison", at(variable, 8), integer(8)))
    access_at(draw, draft, variable, choose(draw, [8, 8, 15, 4]))


def copy_within_block(draw: Draw, draft: Draft) -> None:
    block = Block("heap", 32, FAMILY, zeroed=True)
    variable = draft.bind(s.Alloc("calloc", (integer(1), integer(32))), block)
    indexes = choose(draw, [(0, 8), (8, 0), (1, 0), (0, 0), (0, 16)])
    draft.do(s.Copy("memcpy", at(variable, indexes[0]), at(variable, indexes[1]), integer(16)))


def use_null(draw: Draw, draft: Draft) -> None:
    draft.do(s.Use(NULL))


def align_wrongly(draw: Draw, draft: Draft) -> None:
    """An allocation with an alignment that is invalid for some functions."""
    names = [name for name, allocator in s.ALLOCATORS.items() if "align" in allocator.parameters]
    align = integer(choose(draw, [3, 0, 24, 2]))
    draft.bind(s.Alloc(choose(draw, names), (align, integer(16))), None)


def request_too_much(draw: Draw, draft: Draft) -> None:
    """An allocation of more bytes than any object can have."""
    size = integer(choose(draw, [-1, -8, -(1 << 63)]))
    name = choose(draw, ["malloc", "calloc", "new", "new_array"])
    count = integer(choose(draw, [1, 1 << 62]))
    draft.bind(s.Alloc(name, (count, size) if name == "calloc" else (size,)), None)


def leak(draw: Draw, draft: Draft) -> None:
    """A block that is never freed: unreachable, or reachable from a global variable by its begin or an
    interior pointer, or pointed to by another leaked block."""
    size = choose(draw, [8, 24])
    block = Block("heap", size, FAMILY, zeroed=True)
    variable = draft.bind(s.Alloc("calloc", (integer(1), integer(size))), block)
    draft.variables.pop()
    how = choose(draw, ["lost", "global", "inside", "indirect"])
    if how in ("global", "inside"):
        add_global(draw, draft)
        holder = s.Name(draft.variables[-1].name)
        draft.do(s.Assign(holder, at(variable, 1 if how == "inside" else 0)))
    elif how == "indirect":
        other = Block("heap", 16, FAMILY, zeroed=True)
        block_holder = draft.bind(s.Alloc("calloc", (integer(1), integer(16))), other)
        draft.variables.pop()
        draft.do(s.Assign(at(block_holder, 8), s.Name(variable.name)))


def read_unwritten(draw: Draw, draft: Draft) -> None:
    """A read of bytes in bounds of which some were perhaps never written: of a new block, or of a copy."""
    variable = heap_pointer(draw, draft)
    if draw(st.booleans()):
        copy(draw, draft)
    block, width = variable.block, choose(draw, WIDTHS)
    assert block is not None
    index = index_in_bounds(draw, block, width)
    if index is not None:
        draft.do(s.Read(at(variable, index), width))


def use_unwritten(draw: Draw, draft: Draft) -> None:
    """A step that depends on a value which perhaps was never written, or only in part."""
    size = choose(draw, [8, 16])
    block = Block("heap", size, FAMILY)
    variable = draft.bind(s.Alloc("malloc", (integer(size),)), block)
    written = first = 0
    if draw(st.booleans()):
        written, first = choose(draw, [1, 2, 4, 8]), choose(draw, [0, 1, 3])
        draft.do(s.Assign(at(variable, 0), integer(first), written))
        record_write(block, 0, written, 0)
    for _ in range(draw(st.integers(0, 2))):
        variable = pass_on(draw, draft, variable, size)
    width = choose(draw, WIDTHS)
    value: s.Expr = s.Read(at(variable, 0), width)
    values = Values.unwritten(width, written, first)
    for _ in range(draw(st.integers(0, 2))):
        operator, operand = choose(draw, s.OPERATORS), choose(draw, [0, 1, 3, 256])
        if not values.then(operator, operand).is_decided:
            value, values = s.IntOp(operator, value, integer(operand)), values.then(operator, operand)
    known = draft.bind(s.Alloc("calloc", (integer(1), integer(8))), Block("heap", 8, FAMILY, zeroed=True))
    value = s.Name(draft.bind(value, None).name)
    how = choose(draw, ["branch", "branch", "called", "write", "free"])
    if how == "branch":
        draft.do(s.If0(value, s.Use(s.Name(known.name)), integer(1)))
    elif how == "called":
        body = s.If0(s.Read(s.Name("x")), s.Use(s.Read(s.Name("y"))), integer(1))
        draft.do(s.Apply(s.Name(called(draw, draft, ("x", "y"), body)), (value, s.Name(known.name))))
    elif how == "write":
        draft.do(s.Assign(value, integer(1), 1))  # one byte: numbers are no aligned addresses
    else:
        draft.do(s.Free("free", value))


def pass_on(draw: Draw, draft: Draft, source: Variable, size: int) -> Variable:
    """A new block to which the contents of another one are copied, by bytes or as a word."""
    block = Block("heap", size, FAMILY)
    to = draft.bind(s.Alloc("malloc", (integer(size),)), block)
    if draw(st.booleans()):
        draft.do(s.Copy(choose(draw, s.COPIES), at(to, 0), at(source, 0), integer(size)))
    else:
        draft.do(s.Assign(at(to, 0), s.Read(at(source, 0))))
    return to


def use_any_pointer(draw: Draw, draft: Draft) -> None:
    """A deallocation or a write through an arbitrary pointer."""
    variable = choose(draw, draft.variables) if draft.variables else heap_pointer(draw, draft)
    heap = variable.block is not None and variable.block.kind == "heap"
    if heap and draw(st.booleans()):
        draft.do(s.Assign(s.Name(variable.name), integer(1), choose(draw, WIDTHS)))
    else:
        draft.do(any_free(draw, s.Name(variable.name)))
        if variable.block is not None:
            variable.block.live = False


MISTAKES: tuple[Step, ...] = (
    *(free_again, use_after_free, use_after_free, overflow, overflow, overflow_through_memory, null_access),
    *(free_inside, free_outside, free_local, free_global, free_of_other_family, use_poisoned),
    *(free_with_wrong_arguments, free_with_wrong_arguments),
    *(wild_access, copy_within_block, use_null, align_wrongly, request_too_much, leak, leak),
    *(use_any_pointer, use_any_pointer, read_unwritten, read_unwritten),
    *(use_unwritten, use_unwritten, use_unwritten),
)


def free_all(draft: Draft) -> None:
    """Frees the heap blocks that are live in the model."""
    for block in draft.blocks:
        if block.kind != "heap" or not block.live:
            continue
        variable = next((v for v in draft.variables if v.block is block), None)
        if variable is not None:
            draft.do(deallocation(block, at(variable, 0), sized=False))
            block.live = False


@st.composite
def programs(draw: Draw) -> s.Program:
    """Correct steps, in two of three programs followed by a mistake and up to two more steps; eight of ten
    programs free their blocks at the end."""
    draft = Draft()
    for _ in range(draw(st.integers(0, 7))):
        choose(draw, CORRECT)(draw, draft)
    if draw(st.integers(0, 2)):
        choose(draw, MISTAKES)(draw, draft)
        for _ in range(draw(st.integers(0, 2))):
            choose(draw, CORRECT)(draw, draft)
    if draw(st.integers(0, 9)) < 8:
        free_all(draft)
    return draft.program()
