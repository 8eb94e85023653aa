"""Random programs of the calculus: mostly right, often with one mistake, sometimes anything.

`programs()` draws steps one after the other. Each is right as far as the generator knows (`model`), or is
one of `MISTAKES`, or has an operand that is any pointer there is. What a program really does wrong the
machine says. Where the engine and the calculus mean different things by design (docs/oracle.md), nothing is
drawn: bytes that were never written are not read, stack blocks are not used out of bounds, and a pointer
that goes through memory is moved by less than a red zone.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from tests.oracle.model import NULL, Block, Draft, Variable, at, integer

from whence.machine import syntax as s

Draw = st.DrawFn
Step = Callable[[Draw, Draft], None]

SIZES = (1, 7, 8, 16, 24, 40, 64, 200, 5000)
WIDTHS = (8, 8, 8, 4, 2, 1)
NEAR = (0, 1, 3, 7, -1, -8)
"""Distances from the end or begin of a block at which it is still the nearest, within its red zones."""
FAR = (*NEAR, 100, 4096, 1 << 20, -4096)
FREE_OF = {s.FREES[name].family: name for name in ("free", "delete", "delete_array")}
FAMILY = s.FREES["free"].family
"""malloc's."""


# ---- choosing ----


def heap_pointer(draw: Draw, draft: Draft) -> Variable:
    """A pointer to a live heap block, allocated now if there is none."""
    found = draft.of()
    if not found:
        allocate(draw, draft)
        found = draft.of()
    return draw(st.sampled_from(found))


def place_in(draw: Draw, block: Block, width: int) -> int | None:
    """An index at which an access is in bounds, of whole words if the width is one; None: there is none."""
    if block.size < width:
        return None
    return width * draw(st.integers(0, min(block.size // width, 8) - 1))


def number(draw: Draw, value: int) -> s.Expr:
    """A number, now and then computed."""
    if draw(st.integers(0, 5)) < 5:
        return integer(value)
    operator = draw(st.sampled_from(["+", "-", "*"]))
    left, right = {"+": (value - 3, 3), "-": (value + 5, 5), "*": (value, 1)}[operator]
    return s.IntOp(operator, integer(left), integer(right))


def deallocation(block: Block, pointer: s.Expr, sized: bool) -> s.Expr:
    """The free that the block wants, told the size or not."""
    name, told = FREE_OF[block.family], []
    if sized and block.family != FAMILY:
        name, told = f"{name}_sized", [integer(block.size)]
    if block.align:
        name, told = f"{name}_aligned", [*told, integer(block.align)]
    return s.Free(name, pointer, tuple(told))


def freeing(draw: Draw, block: Block, pointer: s.Expr) -> s.Expr:
    return deallocation(block, pointer, draw(st.booleans()))


def any_free(draw: Draw, pointer: s.Expr) -> s.Expr:
    """By any function, which is told anything."""
    name = draw(st.sampled_from(sorted(s.FREES)))
    told = {"size": [8, 16, 0], "align": [16, 64]}
    given = (integer(draw(st.sampled_from(told[each]))) for each in s.FREES[name].parameters)
    return s.Free(name, pointer, tuple(given))


# ---- right steps ----


def allocate(draw: Draw, draft: Draft) -> None:
    name = draw(st.sampled_from(["malloc", "malloc", "malloc", "calloc", "new", "new_array", *s.ALLOCATORS]))
    size = draw(st.sampled_from(SIZES))
    given = {"size": size, "count": 1, "align": draw(st.sampled_from([16, 64]))}
    count = draw(st.sampled_from([1, 1, 3])) if name == "calloc" else 1
    allocator = s.ALLOCATORS[name]
    arguments = tuple(number(draw, {**given, "count": count}[each]) for each in allocator.parameters)
    align = given["align"] if allocator.tells_align else 0
    block = Block("heap", size * count, allocator.family, align, zeroed=allocator.zeroed)
    draft.bind(s.Alloc(name, arguments), block)


def alias(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    index = draw(st.sampled_from([0, 0, 8, 1, variable.block.size]))
    index = min(index, variable.block.size)
    draft.bind(at(variable, index), variable.block, index)


def write(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    access(draw, draft, variable, True)


def access(draw: Draw, draft: Draft, variable: Variable, writes: bool) -> None:
    """An access in bounds."""
    block, width = variable.block, draw(st.sampled_from(WIDTHS))
    assert block is not None
    index = place_in(draw, block, width)
    if index is None:
        width, index = 1, 0
    if writes:
        number = draw(st.integers(0, 3))
        draft.do(s.Assign(at(variable, index), integer(number), width))
        written(block, index, width, number)
    elif all(block.readable(each) for each in range(index, index + width)):
        draft.do(s.Read(at(variable, index), width))


def written(block: Block, index: int, width: int, what: int | Variable) -> None:
    for each in range(index, index + width):
        block.words[each] = 0
    for each in range(index - 7, index + width):
        if isinstance(block.words.get(each), Variable):
            block.words[each] = 0
    block.words[index] = what if width == 8 else 0


def read(draw: Draw, draft: Draft) -> None:
    access(draw, draft, heap_pointer(draw, draft), False)


def store(draw: Draw, draft: Draft) -> None:
    """A pointer is put into memory: of the heap, of a global variable or of the stack."""
    homes = [v for v in draft.variables if v.block and v.block.live and v.block.size >= 8]
    what = draw(st.sampled_from(draft.of(live=True) or [heap_pointer(draw, draft)]))
    if not homes:
        return
    home = draw(st.sampled_from(homes))
    assert home.block is not None
    index = place_in(draw, home.block, 8)
    if index is not None and home.block is not what.block:
        draft.do(s.Assign(at(home, index), s.Name(what.name)))
        written(home.block, index, 8, what)


def load(draw: Draw, draft: Draft) -> None:
    """A pointer is read from memory."""
    found = [
        (home, index, what)
        for home in draft.variables
        if home.block is not None and home.block.live
        for index, what in home.block.words.items()
        if isinstance(what, Variable)
    ]
    if found:
        home, index, what = draw(st.sampled_from(found))
        draft.bind(s.Read(at(home, index)), what.block, what.index)


def release(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    draft.do(freeing(draw, variable.block, at(variable, 0)))
    variable.block.live = False


def local(draw: Draw, draft: Draft) -> None:
    """A local variable, filled."""
    variable = draft.salloc(draw(st.sampled_from([8, 16])))
    draft.do(s.Assign(s.Name(variable.name), integer(1)))
    assert variable.block is not None
    written(variable.block, 0, 8, 1)


def global_(draw: Draw, draft: Draft) -> None:
    name = draft.fresh("g")
    draft.globals.append(s.GlobalVariable(name, draw(st.sampled_from([8, 16]))))
    draft.know(Variable(name, Block("global", draft.globals[-1].size, zeroed=True)))


def copy(draw: Draw, draft: Draft) -> None:
    """memcpy or memmove between blocks, or within one where they do not overlap."""
    source, to = heap_pointer(draw, draft), heap_pointer(draw, draft)
    assert source.block is not None and to.block is not None
    count = min(draw(st.sampled_from([8, 1, 16])), source.block.size, to.block.size)
    name = draw(st.sampled_from(s.COPIES))
    if name == "memcpy" and source.block is to.block:
        return
    draft.do(s.Copy(name, at(to, 0), at(source, 0), integer(count)))
    moved = dict(source.block.words)
    for index in range(count):
        to.block.words.pop(index, None)
        if source.block.readable(index):
            to.block.words[index] = moved.get(index, 0) if index + 8 <= count else 0


def use(draw: Draw, draft: Draft) -> None:
    draft.do(s.Use(at(heap_pointer(draw, draft), 0)))


def close(draw: Draw, draft: Draft) -> None:
    """Bytes are made inaccessible, and accessible again."""
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    if variable.block.size >= 16:
        draft.do(s.Poison("poison", at(variable, 8), integer(8)))
        if draw(st.booleans()):
            draft.do(s.Read(at(variable, 0), 1)) if variable.block.readable(0) else None
            draft.do(s.Poison("unpoison", at(variable, 8), integer(8)))
        else:
            variable.block.closed = (8, 16)


def call(draw: Draw, draft: Draft) -> None:
    """A call of a function that reads, writes, frees, allocates or returns a pointer."""
    kind = draw(st.sampled_from(["read", "write", "free", "make", "same", "local"]))
    if kind == "make":
        name = called(draw, draft, ("n",), s.Alloc("malloc", (s.Read(s.Name("n")),)))
        size = draw(st.sampled_from(SIZES))
        draft.bind(s.Apply(s.Name(name), (integer(size),)), Block("heap", size, FAMILY))
        return
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    block, given = variable.block, s.Read(s.Name("x"))
    argument = (at(variable, 0),)
    if kind == "free":
        name = called(draw, draft, ("x",), freeing(draw, block, given))
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
        written(block, 0, 1, 0)
    elif block.readable(0):
        draft.do(s.Apply(s.Name(called(draw, draft, ("x",), s.Read(given, 1))), argument))


def called(draw: Draw, draft: Draft, parameters: tuple[str, ...], body: s.Expr) -> str:
    """The name of a function with this definition, or of one that calls it."""
    name = function(draft, parameters, body)
    if draw(st.integers(0, 3)) < 3:
        return name
    passed = tuple(s.Read(s.Name(each)) for each in parameters)
    return function(draft, parameters, s.Apply(s.Name(name), passed))


def function(draft: Draft, parameters: tuple[str, ...], body: s.Expr) -> str:
    """The name of a function of the program with this definition."""
    for known in draft.functions:
        if (known.parameters, known.body) == (parameters, body):
            return known.name
    name = draft.fresh("f")
    draft.functions.append(s.FunctionDefinition(name, parameters, body))
    return name


def branch(draw: Draw, draft: Draft) -> None:
    """One step in a branch that is taken; any mistake in the other one does nothing."""
    taken, other = Draft(**vars(draft)), Draft(**vars(draft))
    taken.statements, other.statements = [], []
    other.variables, other.blocks = list(draft.variables), list(draft.blocks)
    variables = len(draft.variables)
    draw(st.sampled_from([write, read, release, copy]))(draw, taken)
    draft.names = max(draft.names, taken.names)
    other.names = draft.names
    double_free_text(draw, other)
    draft.names = max(draft.names, other.names)
    del draft.variables[variables:]
    zero = draw(st.booleans())
    yes, no = (taken, other) if zero else (other, taken)
    guard = draw(
        st.sampled_from([integer(int(not zero)), s.IntOp("<", integer(1), integer(1 if zero else 2))])
    )
    draft.do(s.If0(guard, yes.body(integer(1)), no.body(integer(2))))


def double_free_text(draw: Draw, draft: Draft) -> None:
    """Steps that are wrong wherever they run, without a trace in the model."""
    found = draft.of() or draft.of(live=False)
    pointer: s.Expr = s.Name(draw(st.sampled_from(found)).name) if found else NULL
    draft.do(s.Free("free", pointer))
    draft.do(s.Read(NULL))


RIGHT: tuple[Step, ...] = (
    *(allocate, allocate, alias, write, write, read, store, load, release, local, global_, copy, use),
    *(close, call, call, branch),
)


# ---- mistakes ----


def free_again(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    name = FREE_OF[variable.block.family]
    for _ in range(2):
        draft.do(s.Free(name, at(variable, 0)))
    variable.block.live = False


def use_after_free(draw: Draw, draft: Draft) -> None:
    dead = draft.of(live=False)
    if not dead:
        release(draw, draft)
        dead = draft.of(live=False)
    touch(draw, draft, draw(st.sampled_from(dead)), draw(st.sampled_from([0, 8, 1])))


def touch(draw: Draw, draft: Draft, variable: Variable, index: int) -> None:
    """A read or a write at an index, here or in a function."""
    width = draw(st.sampled_from(WIDTHS))
    how = draw(st.sampled_from(["write", "read", "call"]))
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
    distance = draw(st.sampled_from(FAR))
    touch(draw, draft, variable, distance if distance < 0 else variable.block.size + distance)


def overflow_elsewhere(draw: Draw, draft: Draft) -> None:
    """The pointer comes from memory, and has left its block, by less than a red zone, before."""
    variable, home = heap_pointer(draw, draft), draft.salloc(8)
    assert variable.block is not None
    distance = draw(st.sampled_from(NEAR))
    index = distance if distance < 0 else variable.block.size + distance
    draft.do(s.Assign(s.Name(home.name), at(variable, index)))
    draft.do(s.Read(s.Read(s.Name(home.name)), draw(st.sampled_from([1, 1, 8]))))


FAR_AWAY = 1 << 37
"""From any block to memory of the heap that no block uses, in the machine and in the engine."""


def wild_access(draw: Draw, draft: Draft) -> None:
    """A function writes to a number, the address of a block and a large distance."""
    variable, width = heap_pointer(draw, draft), draw(st.sampled_from(WIDTHS))
    begin = s.IntOp("-", s.Name(variable.name), integer(0))
    name = function(draft, ("x",), s.Assign(s.Read(s.Name("x")), integer(1), width))
    draft.do(s.Apply(s.Name(name), (s.IntOp("+", begin, integer(FAR_AWAY)),)))


def null_access(draw: Draw, draft: Draft) -> None:
    index = draw(st.sampled_from([0, 8, 4000]))
    null = draft.bind(NULL, None)
    pointer = s.Name(null.name) if index == 0 else s.PtrAdd(s.Name(null.name), integer(index))
    accesses: list[s.Expr] = [s.Read(pointer), s.Assign(pointer, integer(1), 1)]
    draft.do(draw(st.sampled_from(accesses)))


def free_inside(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    index = draw(st.sampled_from([1, 8, variable.block.size]))
    draft.do(freeing(draw, variable.block, at(variable, min(index, variable.block.size))))


def free_outside(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    index = draw(st.sampled_from([-1, -8, variable.block.size + 8]))
    draft.do(freeing(draw, variable.block, at(variable, index)))


def free_local(draw: Draw, draft: Draft) -> None:
    local(draw, draft)
    draft.do(any_free(draw, s.Name(draft.variables[-1].name)))


def free_global(draw: Draw, draft: Draft) -> None:
    global_(draw, draft)
    draft.do(any_free(draw, s.Name(draft.variables[-1].name)))


def free_of_other_family(draw: Draw, draft: Draft) -> None:
    variable = heap_pointer(draw, draft)
    assert variable.block is not None
    others = [name for family, name in FREE_OF.items() if family != variable.block.family]
    draft.do(s.Free(draw(st.sampled_from(others)), at(variable, 0)))
    variable.block.live = False


def free_with_wrong_words(draw: Draw, draft: Draft) -> None:
    """A delete that is told another size, another alignment, one too many, or none."""
    names = [name for name, allocator in s.ALLOCATORS.items() if allocator.family != FAMILY]
    name = draw(st.sampled_from(sorted(names)))
    parameters = s.ALLOCATORS[name].parameters
    size, align = draw(st.sampled_from([8, 24])), draw(st.sampled_from([16, 64]))
    block = Block("heap", size, s.ALLOCATORS[name].family, align if "align" in parameters else 0)
    given = {"size": integer(size), "align": integer(align)}
    variable = draft.bind(s.Alloc(name, tuple(given[each] for each in parameters)), block)
    block.live = False
    wrong = {"size": draw(st.sampled_from([0, 8, 16, 24])), "align": draw(st.sampled_from([0, 16, 32, 64]))}
    frees = [each for each, function in s.FREES.items() if function.family == block.family]
    free = draw(st.sampled_from(sorted(frees)))
    told = tuple(integer(wrong[each]) for each in s.FREES[free].parameters)
    draft.do(s.Free(free, at(variable, 0), told))


def use_closed(draw: Draw, draft: Draft) -> None:
    block = Block("heap", 24, FAMILY, zeroed=True, closed=(8, 16))
    variable = draft.bind(s.Alloc("calloc", (integer(1), integer(24))), block)
    draft.do(s.Poison("poison", at(variable, 8), integer(8)))
    touch(draw, draft, variable, draw(st.sampled_from([8, 8, 15, 4])))


def copy_onto_itself(draw: Draw, draft: Draft) -> None:
    block = Block("heap", 32, FAMILY, zeroed=True)
    variable = draft.bind(s.Alloc("calloc", (integer(1), integer(32))), block)
    indexes = draw(st.sampled_from([(0, 8), (8, 0), (1, 0), (0, 0), (0, 16)]))
    draft.do(s.Copy("memcpy", at(variable, indexes[0]), at(variable, indexes[1]), integer(16)))


def use_null(draw: Draw, draft: Draft) -> None:
    draft.do(s.Use(NULL))


def align_wrongly(draw: Draw, draft: Draft) -> None:
    """An invalid alignment."""
    names = [name for name, allocator in s.ALLOCATORS.items() if "align" in allocator.parameters]
    align = integer(draw(st.sampled_from([3, 0, 24, 2])))
    draft.bind(s.Alloc(draw(st.sampled_from(names)), (align, integer(16))), None)


def ask_for_too_much(draw: Draw, draft: Draft) -> None:
    """A size above that of any object."""
    size = integer(draw(st.sampled_from([-1, -8, -(1 << 63)])))
    name = draw(st.sampled_from(["malloc", "calloc", "new", "new_array"]))
    count = integer(draw(st.sampled_from([1, 1 << 62])))
    draft.bind(s.Alloc(name, (count, size) if name == "calloc" else (size,)), None)


def lose(draw: Draw, draft: Draft) -> None:
    """A block without a free: lost, or held by a global variable or another block, at its begin or
    inside."""
    size = draw(st.sampled_from([8, 24]))
    block = Block("heap", size, FAMILY, zeroed=True)
    variable = draft.bind(s.Alloc("calloc", (integer(1), integer(size))), block)
    draft.variables.pop()
    how = draw(st.sampled_from(["lost", "global", "inside", "indirect"]))
    if how in ("global", "inside"):
        global_(draw, draft)
        holder = s.Name(draft.variables[-1].name)
        draft.do(s.Assign(holder, at(variable, 1 if how == "inside" else 0)))
    elif how == "indirect":
        other = Block("heap", 16, FAMILY, zeroed=True)
        holder_ = draft.bind(s.Alloc("calloc", (integer(1), integer(16))), other)
        draft.variables.pop()
        draft.do(s.Assign(at(holder_, 8), s.Name(variable.name)))


def anything(draw: Draw, draft: Draft) -> None:
    """A free or a write through any pointer there is."""
    variable = draw(st.sampled_from(draft.variables)) if draft.variables else heap_pointer(draw, draft)
    heap = variable.block is not None and variable.block.kind == "heap"
    if heap and draw(st.booleans()):
        draft.do(s.Assign(s.Name(variable.name), integer(1), draw(st.sampled_from(WIDTHS))))
    else:
        draft.do(any_free(draw, s.Name(variable.name)))
        if variable.block is not None:
            variable.block.live = False


MISTAKES: tuple[Step, ...] = (
    *(free_again, use_after_free, use_after_free, overflow, overflow, overflow_elsewhere, null_access),
    *(free_inside, free_outside, free_local, free_global, free_of_other_family, use_closed),
    *(free_with_wrong_words, free_with_wrong_words),
    *(wild_access, copy_onto_itself, use_null, align_wrongly, ask_for_too_much, lose, lose),
    *(anything, anything),
)


def tidy(draft: Draft) -> None:
    """Frees the blocks that the model has as live."""
    for block in draft.blocks:
        if block.kind != "heap" or not block.live:
            continue
        variable = next((v for v in draft.variables if v.block is block), None)
        if variable is not None:
            draft.do(deallocation(block, at(variable, 0), sized=False))
            block.live = False


@st.composite
def programs(draw: Draw) -> s.Program:
    """Some right steps, in two programs of three a mistake, some more steps; mostly all is freed in the
    end."""
    draft = Draft()
    for _ in range(draw(st.integers(0, 7))):
        draw(st.sampled_from(RIGHT))(draw, draft)
    if draw(st.integers(0, 2)):
        draw(st.sampled_from(MISTAKES))(draw, draft)
        for _ in range(draw(st.integers(0, 2))):
            draw(st.sampled_from(RIGHT))(draw, draft)
    if draw(st.integers(0, 9)) < 8:
        tidy(draft)
    return draft.program()
