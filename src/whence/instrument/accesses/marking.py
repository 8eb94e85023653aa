"""A marker before every access to memory.

Stack slots and globals need no marker where the rules are about heap blocks, because such
an access is derived from another object (`Policy.judged`). A length that may be absurd is
looked at there, too.

A copy by memcpy gets a third marker where its two ranges might overlap::

    call void @__whence_check_copy(ptr %to, ptr %from, i64 %n, i32 %desc)
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from whence import ir
from whence.abi.intercepts import STORES
from whence.abi.layout import RED_ZONE
from whence.abi.rules import DESC_FUNCTION_SHIFT, DESC_FUNCTIONS, DESC_WRITE
from whence.abi.widths import CHECKED_WIDTHS
from whence.instrument.analysis.exposure import (
    is_plain_global,
    is_plain_thread_variable,
    size_of,
    thread_variable_of,
)
from whence.instrument.analysis.facts import Facts, Flow
from whence.instrument.analysis.lifetimes import may_free
from whence.instrument.analysis.provenance import OBJECTS, Derivation, Kind, Place, Provenance
from whence.instrument.markers.accesses import copy_marker_name, inside_name, marker_name
from whence.instrument.markers.declarations import EXEMPT, RANGE, is_unchecked
from whence.instrument.passes.context import Context
from whence.instrument.passes.policy import Policy
from whence.instrument.variables.scopes import Ended
from whence.ir.constants import evaluate
from whence.ir.lexer import unquote


@dataclass(frozen=True)
class Access:
    """`size` bytes at `pointer`, about to be read or written by `anchor`."""

    anchor: ir.Instruction
    pointer: str
    size: int | str  # bytes; or an i64 value
    align: int
    write: bool
    desc: int = 0  # the library function that the program certainly called, 0 for none


_LARGEST_OBJECT = 1 << 30
"""The size in bytes above which an assignment of an object is taken for a call by the program."""

_CLOSING = ("__asan_poison_memory_region", "__sanitizer_annotate_")
"""Functions that make memory inaccessible which they are given."""

_MEMORY_INTRINSICS = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")


def mark_accesses(context: Context) -> None:
    """Inserts a marker before every access whose check no earlier check implies.

    Before::

        define void @f(ptr %a, i64 %i, i32 %v) {
          %5 = getelementptr inbounds i32, ptr %a, i64 %i
          store i32 %v, ptr %5, align 4
          store i32 0, ptr %5, align 4
          ret void
        }

    After::

        define void @f(ptr %a, i64 %i, i32 %v) {
          %5 = getelementptr inbounds i32, ptr %a, i64 %i
          call void @__whence_checkp_w4(ptr %5, ptr %a) nomerge
          store i32 %v, ptr %5, align 4
          store i32 0, ptr %5, align 4
          ret void
        }
    """
    closed = _closed_globals(context.module) if context.policy.holes else frozenset()
    for function in context.functions():
        if not function.attributes.has(EXEMPT):
            _mark(function, context, closed)
            context.checked += 1


def _mark(function: ir.Function, context: Context, closed: frozenset[str]) -> None:
    policy, keepers, used = context.policy, context.keepers, context.used
    provenance = Provenance(function)
    if policy.holes:
        closed |= {provenance.of(each).root for each in _closed_pointers(function)}
    flow = Flow(function, keepers, policy.holes)
    scopes = Ended(function, policy.scopes)
    for block in flow.order:
        facts = flow.enter(block) if policy.merge else Facts()
        scopes.enter(block)
        for instruction in block.instructions:
            accesses = accesses_of(instruction, context.own)
            for access in accesses:
                _check(access, provenance, policy, facts, used, scopes, closed)
            if policy.lengths:
                _check_length(accesses, provenance, policy, used)
            if policy.copies and _is_copy(instruction) and accesses:
                _check_copy(accesses[1], accesses[0], provenance, used)
            scopes.step(instruction)
            if not policy.merge:
                facts = Facts()
            elif may_free(instruction, keepers):
                facts.forget()
        flow.leave(block, facts)


def _closed_pointers(function: ir.Function) -> Iterator[str]:
    """Pointers to memory that the function makes inaccessible."""
    for each in function.instructions():
        if isinstance(each, ir.Call) and (each.callee or "").startswith(_CLOSING):
            yield from (argument.value for argument in each.arguments if argument.type == "ptr")


def _closed_globals(module: ir.Module) -> frozenset[str]:
    """Global variables that functions of the module make inaccessible by their names."""
    pointers = {each for function in module.definitions for each in _closed_pointers(function)}
    addresses = (evaluate(module.layout, "ptr", each) for each in pointers)
    return frozenset(each.symbol for each in addresses if each is not None and each.symbol)


def accesses_of(instruction: ir.Instruction, own: Container[str] = ()) -> list[Access]:
    """The accesses of an instruction that its text shows; those in `own` are no library functions."""
    if isinstance(instruction, ir.MemoryAccess):
        return _plain_access(instruction)
    if isinstance(instruction, ir.Call):
        callee = instruction.callee
        if callee is not None and callee.startswith(_MEMORY_INTRINSICS):
            return _intrinsic_accesses(instruction, callee)
        if callee is not None and callee in STORES and callee not in own:
            return _library_accesses(instruction, STORES[callee])
        return _byval_accesses(instruction)
    return []


def _plain_access(instruction: ir.MemoryAccess) -> list[Access]:
    if instruction.pointer_type != "ptr" or is_unchecked(instruction):
        return []  # another address space: %fs and %gs
    size = instruction.function.module.layout.store_size_of(instruction.value_type)
    if not size:
        return []
    write = not isinstance(instruction, ir.Load)
    return [Access(instruction, instruction.pointer, size, instruction.align or 1, write)]


def _intrinsic_accesses(call: ir.Call, callee: str) -> list[Access]:
    arguments = call.arguments
    if any(argument.type != "ptr" for argument in arguments[: 1 if "memset" in callee else 2]):
        return []
    if is_unchecked(call):
        return []
    length = arguments[2]
    size: int | str = length.value
    if isinstance(size, str) and size.isdigit():
        size = int(size)
        if size == 0:
            return []
    elif length.type != "i64":
        size = call.insert_before(f"zext {length.type} {length.value} to i64").result or "0"
    desc = _written_call(callee) if isinstance(size, str) or size > _LARGEST_OBJECT else 0
    found = [Access(call, arguments[0].value, size, _align(arguments[0]), True, desc)]
    if "memset" not in callee:
        found.insert(0, Access(call, arguments[1].value, size, _align(arguments[1]), False, desc))
    return found


def _library_accesses(call: ir.Call, stores: Mapping[int, int]) -> list[Access]:
    """What a library function stores through its arguments."""
    arguments = call.arguments
    return [
        Access(call, arguments[at].value, size, 1, True)
        for at, size in stores.items()
        if at < len(arguments) and arguments[at].type == "ptr"
    ]


def _written_call(callee: str) -> int:
    """Whether the program itself wrote the call: its length is variable or absurd, so it is no assignment."""
    return DESC_FUNCTIONS[callee.split(".")[1]] << DESC_FUNCTION_SHIFT


def _is_copy(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Call) and (instruction.callee or "").startswith("llvm.memcpy.")


def _check_copy(to: Access, source: Access, provenance: Provenance, used: set[str]) -> None:
    """Inserts the marker of a copy unless its ranges cannot overlap or are equal."""
    if _certainly_apart(to, source, provenance):
        return
    size = to.size if isinstance(to.size, int) and to.size in CHECKED_WIDTHS else None
    name = copy_marker_name(size)
    used.add(name)
    operands = f"ptr {to.pointer}, ptr {source.pointer}"
    if size is None:
        operands += f", i64 {to.size}, i32 {to.desc}"
    to.anchor.insert_before(f"call void @{name}({operands}) nomerge")


def _certainly_apart(to: Access, source: Access, provenance: Provenance) -> bool:
    """Whether the ranges certainly do not overlap, or are equal.

    This includes all copies of constant size between an object of this function and memory behind a
    pointer, because unaligned words are read so; and copies of at most the alignment of both pointers,
    whose distance is a multiple of it.
    """
    if isinstance(to.size, int) and to.size <= min(to.align, source.align):
        return True
    first, second = provenance.of(to.pointer), provenance.of(source.pointer)
    if first.root == second.root:
        if first.offset is None or second.offset is None or isinstance(to.size, str):
            return to.pointer == source.pointer
        distance = abs(first.offset - second.offset)
        return distance == 0 or distance >= to.size
    objects = sum(each.kind in OBJECTS for each in (first, second))
    return objects == 2 or (objects == 1 and isinstance(to.size, int))


def _byval_accesses(call: ir.Call) -> list[Access]:
    """The accesses of a call to structs that it passes by value."""
    if "byval(" not in call.text:
        return []
    layout = call.function.module.layout
    found = []
    for argument in call.arguments:
        passed = argument.attributes.get("byval")
        if passed:
            size = layout.store_size_of(passed[len("byval(") : -1])
            found.append(Access(call, argument.value, size, _align(argument), False))
    return found


def _align(argument: ir.Argument) -> int:
    text = argument.attributes.get("align")
    return int(text.split()[-1]) if text else 1


def _check(
    access: Access,
    provenance: Provenance,
    policy: Policy,
    facts: Facts,
    used: set[str],
    ended: Container[str],
    closed: Container[str],
) -> None:
    """Inserts the marker of one access unless it is superfluous.

    ended: variables whose scope may have ended. closed: those that may be inaccessible for another reason.
    """
    if not (policy.writes if access.write else policy.reads):
        return
    derived = provenance.of(access.pointer)
    if derived.kind not in policy.judged:
        return
    size = access.size if isinstance(access.size, int) else 0
    place = provenance.place(access.pointer)
    if size and facts.is_checked(place, size):
        return
    root, judged = access.pointer, provenance.place(derived.root)
    target = None if derived.root in ended else _target(derived, provenance, policy)
    if target is not None and target.root in closed:
        target = None
    if target is not None and (target.holds(size) or (target.exact and size in CHECKED_WIDTHS)):
        if not target.holds(size):
            _check_inside(access, target, used)
        facts.add(place, size, judged)
        return
    if policy.provenance and not _stays_near(access, place, judged, derived, provenance, facts):
        root = derived.root
    text, name = _marker_call(access, root)
    used.add(name)
    access.anchor.insert_before(text)
    if size:
        facts.add(place, size, judged)


@dataclass(frozen=True)
class _Target:
    """The variable that an access is visibly about: `size` bytes at `root`, accessed from `offset` on.

    exact: the variable is defined here, and has no more bytes.
    """

    root: str
    offset: int | None
    size: int
    exact: bool

    def holds(self, size: int) -> bool:
        """Whether an access of so many bytes is certainly in bounds; 0: of an unknown number."""
        return size > 0 and self.offset is not None and 0 <= self.offset <= self.size - size


def _target(derived: Derivation, provenance: Provenance, policy: Policy) -> _Target | None:
    if derived.kind is Kind.GLOBAL:
        return _global_target(derived, provenance) if policy.globals else None
    threads_own = thread_variable_of(provenance.definition(derived))
    if threads_own is not None:
        return _thread_target(threads_own, derived) if policy.globals and not policy.holes else None
    variable = provenance.variable(derived) if policy.locals else None
    size = None if variable is None else size_of(variable)
    return None if size is None else _Target(derived.root, derived.offset, size, True)


def _thread_target(variable: ir.GlobalVariable, derived: Derivation) -> _Target:
    return _Target(derived.root, derived.offset, _size_of(variable), is_plain_thread_variable(variable))


def _global_target(derived: Derivation, provenance: Provenance) -> _Target | None:
    module = provenance.module
    address = evaluate(module.layout, "ptr", derived.root)
    if address is None or not address.symbol:
        return None
    variable = module.globals.get(unquote(address.symbol))
    if not isinstance(variable, ir.GlobalVariable):
        return None
    offset = None if derived.offset is None else derived.offset + address.signed
    return _Target(address.symbol, offset, _size_of(variable), is_plain_global(variable))


def _size_of(variable: ir.GlobalVariable) -> int:
    """Bytes of a variable; 0 if its declaration does not tell."""
    try:
        return variable.size
    except ir.IRSyntaxError:
        return 0


def _check_inside(access: Access, target: _Target, used: set[str]) -> None:
    """Inserts the marker of an access to a variable of known size."""
    assert isinstance(access.size, int)
    limit = max(target.size - access.size + 1, 0)
    name = inside_name(access.write, access.size)
    used.add(name)
    operands = f"ptr {access.pointer}, ptr {target.root}, i64 {limit}"
    access.anchor.insert_before(f"call void @{name}({operands}) nomerge")


def _check_length(accesses: list[Access], provenance: Provenance, policy: Policy, used: set[str]) -> None:
    """Inserts a marker for the length of a copy or fill of variables, whose accesses have no marker."""
    if not accesses or not accesses[-1].desc:
        return
    if any(provenance.of(access.pointer).kind in policy.judged for access in accesses):
        return
    text, name = _marker_call(accesses[-1], accesses[-1].pointer)
    used.add(name)
    accesses[-1].anchor.insert_before(text)


def _stays_near(
    access: Access,
    place: Place,
    root: Place,
    derived: Derivation,
    provenance: Provenance,
    facts: Facts,
) -> bool:
    """Whether the access certainly cannot jump over the red zone of the block it was derived from."""
    if derived.root == access.pointer:
        return True
    if derived.offset is not None and abs(derived.offset) <= RED_ZONE:
        return True
    return facts.stays_in_slot(place, root) or provenance.walks(access.pointer, access.anchor.owner)


def _marker_call(access: Access, root: str) -> tuple[str, str]:
    pointer, size = access.pointer, access.size
    if size in CHECKED_WIDTHS:
        assert isinstance(size, int)
        aligned = access.align >= min(size, 8)
        name = marker_name(access.write, size, root != pointer, not aligned)
        operands = f"ptr {pointer}" if root == pointer else f"ptr {pointer}, ptr {root}"
        return f"call void @{name}({operands}) nomerge", name
    desc = access.desc | (DESC_WRITE if access.write else 0)
    return f"call void @{RANGE}(ptr {pointer}, i64 {size}, ptr {root}, i32 {desc}) nomerge", RANGE
