"""Uses of pointers leave what their nodes are made of, in place of the nodes, which only findings need.

Before an access generated code says which pointer and index it uses (`helpers.USE`). To know their nodes
takes looks at cells and at sites, for values that often go nowhere else. Where the cells are certainly the
same at the use as where the value was loaded, the runtime can look later: a *recipe*, a constant, says how
the nodes are made of a few words, which the use leaves beside it (``runtime/origins/recipes.c``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from whence import ir
from whence.abi.origins import MOST_OPERANDS, MOST_WORDS, RECIPE_BITS, RECIPES, SIGNS_SHIFT, SITE, USE_NEAR
from whence.instrument.analysis.provenance import Provenance
from whence.instrument.origins import helpers
from whence.instrument.origins.kept import LOADS, PARAMETERS, Kept, is_safe
from whence.instrument.origins.large import keep_calls
from whence.instrument.origins.sites import TABLE as SITES
from whence.instrument.passes.context import Context
from whence.ir.constants import evaluate
from whence.ir.lexer import LOCAL

_TABLE = "@whence.recipes"
_LOCAL = re.compile(LOCAL)
_NONE = "0"
_USES = frozenset((helpers.USE, helpers.TARGET, *map(helpers.used, range(MOST_OPERANDS + 1))))


def defer_uses(context: Context) -> None:
    """Defers what uses of pointers record, drops what no one needs then, and keeps the calls of large functions.

    Before::

        declare i32 @__whence_origin_load_p(ptr, ptr, ptr)
        declare void @__whence_origin_use(ptr, i32)
        @whence.sites = internal global [1 x { i64, i64, ptr, ptr }] zeroinitializer
        define i8 @f(ptr %a) {
          %p = load ptr, ptr %a, align 8
          %n = call i32 @__whence_origin_load_p(ptr @whence.sites, ptr %a, ptr %p)
          call void @__whence_origin_use(ptr %p, i32 %n)
          %v = load i8, ptr %p, align 1
          ret i8 %v
        }

    After::

        declare i32 @__whence_origin_load_p(ptr, ptr, ptr)
        declare void @__whence_origin_use(ptr, i32)
        @whence.sites = internal global [1 x { i64, i64, ptr, ptr }] zeroinitializer
        define i8 @f(ptr %a) {
          %p = load ptr, ptr %a, align 8
          %wh.0 = ptrtoint ptr %a to i64
          %wh.1 = ptrtoint ptr %p to i64
          call void @__whence_origin_defer_2(ptr %p, ptr getelementptr (i8, ptr @whence.recipes, i64 8), i64 %wh.0, i64 %wh.1)
          %v = load i8, ptr %p, align 1
          ret i8 %v
        }
        declare void @__whence_origin_defer_2(ptr captures(address), ptr, i64, i64) nounwind willreturn memory(inaccessiblemem: readwrite)
        @whence.recipes = private constant { ptr, [3 x i32] } { ptr @whence.sites, [3 x i32] [i32 2, i32 8, i32 0] }, align 8
    """  # noqa: E501
    recipes = _Recipes(context.module)
    for function in context.functions():
        uses = [each for each in function.instructions() if isinstance(each, ir.Call) and _is_use(each)]
        if uses:
            _Uses(function, uses, recipes).defer()
        keep_calls(function)
    recipes.add_table()


class _Recipes:
    """The recipes of a module: numbers of 32 bits, behind the address of the table of its sites."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self._numbers: list[int] = []
        self._known: dict[tuple[int, ...], int] = {}

    def recipe(self, steps: tuple[int, ...]) -> str:
        """A recipe as an operand."""
        begin = self._known.get(steps)
        if begin is None:
            begin = self._known[steps] = len(self._numbers)
            self._numbers += (begin + _HEAD, *steps)
        return f"getelementptr (i8, ptr {_TABLE}, i64 {4 * (begin + _HEAD)})"

    def site(self, operand: str) -> int | None:
        """The number of a site, None for what is no constant."""
        found = evaluate(self.module.layout, "ptr", operand)
        return found.signed // SITE.size if found is not None and found.symbol == SITES else None

    def add_table(self) -> None:
        if not self._numbers:
            return
        count = len(self._numbers)
        numbers = ", ".join(f"i32 {each}" for each in self._numbers)
        type_ = f"{{ ptr, [{count} x i32] }}"
        content = f"{{ ptr {SITES}, [{count} x i32] [{numbers}] }}"
        self.module.add_global(f"{_TABLE} = private constant {type_} {content}, align 8")


_HEAD = 2
"""Numbers of 32 bits that the address of the sites takes."""


@dataclass
class _Made:
    """How a use's nodes are made: the steps of its recipe, and the words, with their types."""

    steps: list[int] = field(default_factory=list)
    words: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        return all(step in (RECIPES["NONE"], RECIPES["WORD"]) for step in self.steps)


class _Uses:
    """The uses of one function."""

    def __init__(self, function: ir.Function, uses: list[ir.Call], recipes: _Recipes) -> None:
        self._function = function
        self._uses = uses
        self._recipes = recipes
        self._provenance = Provenance(function)
        self._makers: dict[str, ir.Call] = {}
        self._needed: set[str] = set()

    def defer(self) -> None:
        self._drop_known()
        self._drop_repeated()
        self._find_makers()
        self._need_changed()
        for use in self._uses:
            made = self._recipe(use)
            if not made.is_plain:
                self._replace(use, made)
        self._drop_unused()

    # What is needed in any case.

    def _find_makers(self) -> None:
        """Finds the calls that make nodes, and which nodes the function needs itself."""
        others: set[str] = set()
        for each in self._function.instructions():
            if _is_maker(each):
                self._makers[each.result or ""] = each  # type: ignore[assignment]
            elif not _is_use(each):
                others.update(_LOCAL.findall(each.text))
        self._needed = self._with_parents(others)

    def _with_parents(self, names: Collection[str]) -> set[str]:
        """The nodes among some names, and those that they are made of."""
        waiting, found = [name for name in self._makers if name in names], set[str]()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += (each for each in self._parents(name) if each in self._makers)
        return found

    def _parents(self, name: str) -> tuple[str, ...]:
        """The nodes that a node is made of."""
        call = self._makers[name]
        if _is_step(call):
            return (call.arguments[1].value,)
        return tuple(each.value for each in call.arguments[2:]) if call.callee == helpers.JOIN else ()

    def _need_changed(self) -> None:
        """Nodes are needed at once that would be others at a use."""
        leaves = {leaf for use in self._uses for leaf in self._leaves(use)}
        self._needed.update(leaf for leaf in leaves if self._site(leaf) is None)
        waiting = [leaf for leaf in leaves if leaf not in self._needed and not _is_born(self._makers[leaf])]
        if not waiting:
            return
        kept = Kept(self._function, [self._makers[name] for name in waiting], self._provenance)
        for use, known in kept.at(self._uses):
            for leaf in self._leaves(use):
                if leaf in kept.bits and not known >> kept.bits[leaf] & 1:
                    self._needed.add(leaf)

    def _leaves(self, use: ir.Call) -> Iterator[str]:
        """What stands at the ends of the steps of a use's nodes, if it is not needed in any case."""
        for name in _nodes(use):
            while name in self._makers and name not in self._needed and _is_step(self._makers[name]):
                (name,) = self._parents(name)
            if name in self._makers and name not in self._needed:
                yield name

    def _site(self, name: str) -> int | None:
        call = self._makers[name]
        if call.callee == helpers.JOIN:
            return None
        return self._recipes.site(call.arguments[1 if call.callee in PARAMETERS else 0].value)

    # Recipes.

    def _recipe(self, use: ir.Call) -> _Made:
        """How all nodes of a use are made, and which values its index and its operands have."""
        made = _Made()
        pointer, *numbers = _nodes(use)
        self._make(pointer, made)
        if _is_call(use):
            made.steps.append(RECIPES["TARGET"])
            return made
        if not numbers:
            offset = self._provenance.place(use.arguments[0].value).offset
            made.steps.append(_step("NONE", offset if abs(offset) < USE_NEAR else 0))
            return made
        made.steps.append(_step("VALUES", len(numbers) - 1 | int(use.arguments[2].value) << SIGNS_SHIFT))
        for node, number in zip(numbers, use.arguments[4::2], strict=True):
            self._make(node, made)
            made.words.append((number.type, number.value))
        return made

    def _make(self, node: str, made: _Made) -> None:
        """Adds the recipe of a node."""
        call = self._makers.get(node)
        site = None if call is None or node in self._needed else self._site(node)
        if node == _NONE:
            made.steps.append(RECIPES["NONE"])
        elif call is None or site is None:
            made.steps.append(RECIPES["WORD"])
            made.words.append(("i32", node))
        elif _is_step(call):
            made.steps.append(_step("STEP", site))
            self._make(call.arguments[1].value, made)
        elif _is_born(call):
            made.steps.append(_step("BORN", site))
        elif call.callee in PARAMETERS:
            function, _, index, value = call.arguments
            made.steps += (_step("ARGUMENT", site), int(index.value))
            made.words += ((function.type, function.value), (value.type, value.value))
        else:
            _, address, value = call.arguments
            made.steps.append(_step(f"LOAD_{LOADS[call.callee or '']}", site))
            made.words += ((address.type, address.value), (value.type, value.value))

    def _replace(self, use: ir.Call, made: _Made) -> None:
        assert len(made.words) <= MOST_WORDS
        words = "".join(f", i64 {self._word(use, *each)}" for each in made.words)
        name = helpers.deferred(len(made.words))
        self._recipes.module.add_declaration(helpers.declaration(name))
        recipe = self._recipes.recipe(tuple(made.steps))
        use.insert_before(f"call void @{name}(ptr {use.arguments[0].value}, ptr {recipe}{words})")
        use.remove()

    def _word(self, use: ir.Call, type_: str, value: str) -> str:
        if type_ == "i64":
            return value
        if not value.startswith("%") and type_ != "ptr":
            return str(_unsigned(value, type_))
        how = "ptrtoint" if type_ == "ptr" else "zext"
        return use.insert_before(f"{how} {type_} {value} to i64").result or ""

    # What is not needed any more.

    def _drop_known(self) -> None:
        """LLVM has found out which function is called."""
        known = [each for each in self._uses if _is_call(each) and each.arguments[0].value.startswith("@")]
        for each in known:
            each.remove()
            self._uses.remove(each)

    def _drop_repeated(self) -> None:
        """A use of the same nodes at an address near the last one says nothing new."""
        kept: list[ir.Call] = []
        last: tuple[list[str], str, int] | None = None
        block: ir.Block | None = None
        for each in self._function.instructions():
            if each.owner is not block:
                block, last = each.owner, None
            if not isinstance(each, ir.Call) or (is_safe(each) and not _is_use(each)):
                continue
            if not _is_use(each):
                last = None
                continue
            place = self._provenance.place(each.arguments[0].value)
            here = (_nodes(each), place.base, place.offset)
            if _is_call(each):
                last = None
                kept.append(each)
            elif last and last[:2] == here[:2] and abs(last[2] - here[2]) < USE_NEAR:
                each.remove()
            else:
                last = here
                kept.append(each)
        self._uses = kept

    def _drop_unused(self) -> None:
        """Drops the makers of nodes that nobody uses now, latest first."""
        used: set[str] = set()
        for each in self._function.instructions():
            if not _is_maker(each):
                used.update(_LOCAL.findall(each.text))
        keep = self._with_parents(used)
        for name, call in self._makers.items():
            if name not in keep:
                call.remove()


def _is_use(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Call) and (instruction.callee or "") in _USES


def _is_call(use: ir.Call) -> bool:
    """Whether its pointer is called."""
    return use.callee == helpers.TARGET


def _nodes(use: ir.Call) -> list[str]:
    """The nodes of the pointer, of its index if it has one, and of what that was computed from."""
    return [argument.value for argument in (use.arguments[1], *use.arguments[3::2])]


def _is_step(call: ir.Call) -> bool:
    return call.callee == helpers.STEP


def _is_born(call: ir.Call) -> bool:
    return call.callee == helpers.BORN


def _is_maker(instruction: ir.Instruction) -> bool:
    """Whether it is a call that only gives a node, but for what a call returns."""
    if not isinstance(instruction, ir.Call) or instruction.is_terminator:
        return False
    callee = instruction.callee or ""
    known = callee in (helpers.STEP, helpers.BORN, helpers.JOIN) or callee in LOADS or callee in PARAMETERS
    return known and instruction.result is not None


def _step(name: str, site: int) -> int:
    return RECIPES[name] | site << RECIPE_BITS


def _unsigned(value: str, type_: str) -> int:
    number = {"true": 1, "false": 0}.get(value)
    if number is None:
        number = int(value) if value.lstrip("-").isdecimal() else 0
    return number & ((1 << int(type_[1:])) - 1)
