"""Red zones around local variables while their function runs.

The entry of the function poisons the zones and writes a header that describes the variable
(`whence.abi.zones`); its exits unpoison them. The entry writes all state bytes of the variable, because a
frame that was left without its exit code may have left zones inside of it. Between the end of its scope and
the next begin, the bytes of a variable are closed.

If variables die with their scopes, the exits close the variables with their zones, and list them for the
runtime. What the function's callers then put there without knowing of the state plane is opened: arguments
that are passed by value, and the registers that a variadic function saves.

Variables whose address may outlive the call (`whence.instrument.variables.captures`) lie below the rest of
their frame then, behind a gap (`whence.instrument.variables.gaps`): functions that are called later do not
reach them. Those of the main function do not outlive it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from whence import ir
from whence.abi.layout import GRANULE, GRANULE_SHIFT, RED_ZONE, STATE_OFFSET, STATES
from whence.abi.zones import LOCAL, RETURNED, RETURNED_HEAD, RETURNED_ROWS, RETURNED_SIZE, VARIABLE
from whence.instrument.analysis.exposure import (
    Uses,
    checks_of,
    is_exposed,
    moves_frames,
    switches_stack,
    uses_of,
    variables_of,
)
from whence.instrument.markers.declarations import SCOPE_END
from whence.instrument.naming.variable_names import text_of
from whence.instrument.passes.context import Context
from whence.instrument.variables import gaps
from whence.instrument.variables.captures import Captures
from whence.instrument.variables.safe_checks import drop_safe_checks
from whence.instrument.variables.scopes import AtCalls, ended_at, scope_calls
from whence.ir.datalayout import align_up

_VALUES = {state.name: state.value for state in STATES}
_BEGIN, _RED_ZONE, _FREED, _RETURNED = (
    _VALUES[f"STACK_{name}"] for name in ("BEGIN", "RED_ZONE", "FREED", "RETURNED")
)
_LINE = 32
"""The size of a variable with its zones is a multiple of it: of four state bytes."""
_RUN = 64
"""The number of equal state bytes from which on memset writes them."""
_RING = "__whence_returned"
_RING_TYPE = f"external thread_local(initialexec) global [{RETURNED_SIZE} x i8]"
_START = "llvm.va_start"
_MOVES = "__whence_frames_move"
_SAVED = 16
"""The offset in a `va_list` of the pointer to the saved registers (System V ABI for x86-64, 3.5.7)."""
_SAVED_BYTES = 176
EXEMPT = "disable_sanitizer_instrumentation"
FRAME = "declare ptr @llvm.frameaddress.p0(i32 immarg)"
_RETURNS = "declare ptr @llvm.returnaddress(i32 immarg)"
_MAIN = "main"
_MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
OWN = "%wh."
"""The begin of names of variables that passes have inserted."""


@dataclass(frozen=True)
class Room:
    """The layout of a variable of `size` bytes: `before` bytes, the variable, `after` bytes."""

    before: int
    size: int
    after: int

    @property
    def total(self) -> int:
        return self.before + self.size + self.after

    @property
    def behind(self) -> int:
        """Bytes from the variable's last granule to the end of the zone after it."""
        return self.total - self.before - align_up(self.size, GRANULE)

    def states(self) -> bytes:
        """The state bytes while the function runs."""
        whole, part = divmod(self.size, GRANULE)
        inside = bytes(whole) + (bytes([part]) if part else b"")
        head = bytes([_BEGIN]) * (self.before // GRANULE)
        return (head + inside).ljust(self.total // GRANULE, bytes([_RED_ZONE]))


def room_of(size: int, align: int) -> Room:
    """The zones grow with the variable, because a wrong index into a large object jumps far."""
    before = max(LOCAL.size, align)
    least = RED_ZONE if size <= 4 * _LINE else 64 if size <= 1024 else 256
    total = align_up(before + align_up(size, GRANULE) + least, _LINE)
    return Room(before, size, total - before - size)


def guard_variables(context: Context) -> None:
    """Puts zones around exposed variables (here without a gap); a twin has the zones of its function.

    Before::

        declare void @g(ptr)
        define void @f() {
          %x = alloca i32, align 4, !whence.place !{}
          call void @g(ptr %x)
          ret void
        }

    After::

        declare void @g(ptr)
        define void @f() {
          %wh.0 = alloca [64 x i8], align 8
          %x = getelementptr inbounds i8, ptr %wh.0, i64 32
          %wh.1 = getelementptr i8, ptr %x, i64 -32
          store ptr @whence.variable.0, ptr %wh.1, align 8
          %wh.2 = getelementptr i8, ptr %x, i64 -24
          %wh.3 = call ptr @llvm.frameaddress.p0(i32 0)
          store ptr %wh.3, ptr %wh.2, align 8
          %wh.4 = getelementptr i8, ptr %x, i64 -16
          %wh.5 = call ptr @llvm.returnaddress(i32 0)
          store ptr %wh.5, ptr %wh.4, align 8
          %wh.6 = ptrtoint ptr %wh.0 to i64
          %wh.7 = lshr i64 %wh.6, 3
          %wh.8 = add i64 %wh.7, 2147450880
          %wh.9 = inttoptr i64 %wh.8 to ptr
          store i64 -940423269114056207, ptr %wh.9, align 1
          call void @g(ptr %x)
          store i64 -651061555542690058, ptr %wh.9, align 1
          %wh.10 = load i64, ptr @__whence_returned, align 8
          %wh.11 = and i64 %wh.10, 255
          %wh.12 = mul i64 %wh.11, 16
          %wh.13 = add i64 %wh.12, 16
          %wh.14 = getelementptr i8, ptr @__whence_returned, i64 %wh.13
          store ptr %x, ptr %wh.14, align 8
          %wh.15 = getelementptr i8, ptr %wh.14, i64 8
          store ptr @whence.variable.0, ptr %wh.15, align 8
          %wh.16 = add i64 %wh.10, 1
          store i64 %wh.16, ptr @__whence_returned, align 8
          ret void
        }
        @whence.variable.0 = private constant { i64, i32, i32, [14 x i8] } { i64 4, i32 32, i32 24, [14 x i8] c"0\\09variable\\09\\09\\09\\00" }, align 8
        declare ptr @llvm.frameaddress.p0(i32 immarg)
        declare ptr @llvm.returnaddress(i32 immarg)
        @__whence_returned = external thread_local(initialexec) global [4112 x i8]
    """  # noqa: E501
    moving = moves_frames(context.module)
    if moving:
        _announce_moves(context.module)
    twins = {each.twin for each in context.twins}
    captures = Captures(context.module)
    for function in sorted(context.functions(), key=lambda each: each.name in twins):
        if not (moving or function.attributes.has(EXEMPT)):
            _guard_in(function, context, captures)
        for call, _ in list(scope_calls(function)):
            call.remove()


def _announce_moves(module: ir.Module) -> None:
    """Tells the runtime, at the start of the image, that frames are not where their variables were made."""
    module.add_declaration(f"declare void @{_MOVES}()")
    module.add_global(f'@whence.moves = private global ptr @{_MOVES}, section ".init_array.00001", align 8')


@dataclass(frozen=True)
class _Guarded:
    """A variable with zones: its name and description, the pointer to its state bytes, its layout, and the
    markers of its scope."""

    name: str
    described: str
    plane: str
    room: Room
    scope: list[ir.Call]


@dataclass(frozen=True)
class _Apart:
    """Memory below a gap: where in it each variable has its room, and where the first variable lies."""

    memory: str
    before: int
    offsets: dict[str, int]

    @classmethod
    def of(
        cls, function: ir.Function, variables: list[tuple[ir.Alloca, int]], described: dict[str, str]
    ) -> _Apart:
        offsets, total = dict[str, int](), 0
        for variable, size in variables:
            offsets[variable.result or ""] = total
            total += _room(variable, size).total
        before = _room(*variables[0]).before
        first = described[variables[0][0].result or ""]
        return cls(gaps.make(next(iter(function.entry)), total, before, first), before, offsets)


def _guard_in(function: ir.Function, context: Context, captures: Captures) -> None:
    if context.policy.scopes:
        _open_what_callers_wrote(function)
    context.zoned[function.name], context.apart[function.name] = frozenset(), frozenset()
    variables = variables_of(function)
    if not variables or switches_stack(function):
        return
    uses = uses_of(function)
    scopes: dict[str, list[ir.Call]] = {}
    for call, name in scope_calls(function):
        scopes.setdefault(name, []).append(call)
    judged: list[tuple[ir.Alloca, int]] = []
    safe, ended = dict[str, int](), cache(partial(ended_at, function))
    twin = next((each for each in context.twins if each.twin == function.name), None)
    for variable, size in variables:
        name = variable.result or ""
        if name.startswith(OWN):
            continue
        if twin is not None:
            if name not in context.zoned[twin.name]:
                continue
            context.repeated_variables += 1
        elif not _is_judged(variable, size, uses, ended if name in scopes else None):
            context.safe_variables += 1
            safe[name] = size
            continue
        judged.append((variable, size))
    exits = list(exits_of(function))
    if twin is not None:
        outliving = [each for each in judged if each[0].result in context.apart[twin.name]]
    elif context.policy.scopes and exits and function.name != _MAIN and gaps.fits(function):
        outliving = _that_fit([each for each in judged if captures.may_outlive(each[0], uses)])
    else:
        outliving = []
    context.apart[function.name] = frozenset(each.result or "" for each, _ in outliving)
    described = {each.result or "": _describe(each, size, context) for each, size in judged}
    apart = _Apart.of(function, outliving, described) if outliving else None
    guarded: list[_Guarded] = []
    for variable, size in judged:
        name = variable.result or ""
        for use in uses.get(name, ()):
            if "@llvm.lifetime." in use.text:
                use.remove()
        guarded.append(_guard(variable, size, described[name], scopes.get(name, []), apart))
    context.zoned[function.name] = frozenset(each.name for each in guarded)
    if context.policy.merge:
        drop_safe_checks(safe, uses)
    for each in guarded:
        _change_at_scopes(each)
    for exit_ in exits if guarded else ():
        for each in guarded:
            if context.policy.scopes:
                _write(exit_, each.plane, 0, bytes([_RETURNED]) * (each.room.total // GRANULE))
            else:
                _open(exit_, each)
        if context.policy.scopes:
            _list(exit_, guarded)
        if apart is not None:
            gaps.leave(exit_, apart.memory, apart.before)


def _that_fit(variables: list[tuple[ir.Alloca, int]]) -> list[tuple[ir.Alloca, int]]:
    """The variables that can lie below a gap; without the largest if not all can."""
    found = [each for each in variables if _align(each[0]) <= gaps.ALIGN]
    total = sum(_room(*each).total for each in found)
    while total > gaps.MOST:
        largest = max(found, key=lambda each: each[1])
        found.remove(largest)
        total -= _room(*largest).total
    return found


def _is_judged(variable: ir.Alloca, size: int, uses: Uses, ended: Callable[[], AtCalls] | None) -> bool:
    """Whether a check of the variable may fail: out of its bounds, or where its scope may have ended.

    ended: computes where which scopes may have; None for a variable without markers of its scope.
    """
    if is_exposed(variable, size, uses):
        return True
    return ended is not None and any(
        ended().may_have_ended(variable.result or "", each) for each in checks_of(variable, uses)
    )


def _change_at_scopes(guarded: _Guarded) -> None:
    """Closes the bytes of the variable where its scope ends, and opens them where it begins."""
    room = guarded.room
    first = room.before // GRANULE
    inside = room.states()[first : first + align_up(room.size, GRANULE) // GRANULE]
    for call in guarded.scope:
        if call.callee == SCOPE_END:
            if not _is_at_exit(call):
                _write(call, guarded.plane, first, bytes([_FREED]) * len(inside))
        else:
            _write(call, guarded.plane, first, inside)


def _is_at_exit(call: ir.Call) -> bool:
    """Whether nothing but ends of scopes stands between the call and the end of the function."""
    rest = itertools.dropwhile(lambda each: each is not call, call.owner.instructions)
    others = [each for each in rest if not (isinstance(each, ir.Call) and each.callee == SCOPE_END)]
    return len(others) == 1 and isinstance(others[0], ir.Ret | ir.Resume)


def _write(before: ir.Instruction, plane: str, at: int, states: bytes) -> None:
    """Writes state bytes, from an offset in the variable's, in front of an instruction."""
    for offset, store in _stores(states):
        where = plane
        if at + offset:
            text = f"getelementptr i8, ptr {plane}, i64 {at + offset}"
            where = before.insert_before(text, dbg=False).result or ""
        before.insert_before(store.format(where), dbg=False)


def _align(variable: ir.Alloca) -> int:
    return max(variable.align or 1, GRANULE)


def _room(variable: ir.Alloca, size: int) -> Room:
    return room_of(size, _align(variable))


def _describe(variable: ir.Alloca, size: int, context: Context) -> str:
    room = _room(variable, size)
    return describe(variable, size, room.before, room.behind, context)


def _guard(
    variable: ir.Alloca,
    size: int,
    described: str,
    scope: list[ir.Call],
    apart: _Apart | None,
) -> _Guarded:
    """Gives a variable its zones."""
    module = variable.function.module
    room = _room(variable, size)
    offset = apart.offsets.get(variable.result or "") if apart is not None else None
    if apart is None or offset is None:
        memory = f"alloca [{room.total} x i8], align {_align(variable)}"
    else:
        memory = f"getelementptr inbounds i8, ptr {apart.memory}, i64 {offset}"
    memory = variable.insert_before(memory, dbg=False).result or ""
    moved = variable.replace(f"getelementptr inbounds i8, ptr {memory}, i64 {room.before}", dbg=False)
    name, at = moved.result, After(moved)
    for declaration in (FRAME, _RETURNS):
        module.add_declaration(declaration)
    words = (described, "call ptr @llvm.frameaddress.p0(i32 0)", "call ptr @llvm.returnaddress(i32 0)")
    for number, word in enumerate(words):
        where = at.put(f"getelementptr i8, ptr {name}, i64 {number * 8 - LOCAL.size}")
        value = word if word.startswith("@") else at.put(word)
        at.put(f"store ptr {value}, ptr {where}, align 8")
    plane = _put_states(at, memory, room.states())
    module.add_declaration(_MEMSET)
    return _Guarded(name or "", described, plane, room, scope)


def _put_states(at: After, memory: str, states: bytes) -> str:
    """Writes the state bytes from an address on; returns the pointer to the first."""
    address = at.put(f"ptrtoint ptr {memory} to i64")
    granule = at.put(f"lshr i64 {address}, {GRANULE_SHIFT}")
    state = at.put(f"add i64 {granule}, {STATE_OFFSET}")
    plane = at.put(f"inttoptr i64 {state} to ptr")
    for offset, store in _stores(states):
        where = at.put(f"getelementptr i8, ptr {plane}, i64 {offset}") if offset else plane
        at.put(store.format(where))
    return plane


class After:
    """Inserts instructions one after the other."""

    def __init__(self, anchor: ir.Instruction) -> None:
        self.anchor = anchor

    def put(self, text: str) -> str:
        self.anchor = self.anchor.insert_after(text, dbg=False)
        return self.anchor.result or ""


def _stores(states: bytes) -> Iterator[tuple[int, str]]:
    """Offsets in the plane, and the instructions that write there, with {} for the address."""
    at = 0
    while at < len(states):
        run = len(states) - at - len(states[at:].lstrip(states[at : at + 1]))
        if run >= _RUN:
            fill = f"i8 {states[at]}, i64 {run}, i1 false"
            yield at, "call void @llvm.memset.p0.i64(ptr {}, " + fill + ")"
            at += run
            continue
        width = next(each for each in (8, 4, 2, 1) if at + each <= len(states))
        value = int.from_bytes(states[at : at + width], "little", signed=True)
        yield at, f"store i{8 * width} {value}, ptr {{}}, align 1"
        at += width


def exits_of(function: ir.Function) -> Iterator[ir.Instruction]:
    """The instructions that leave the function."""
    for block in function.blocks:
        if isinstance(block.terminator, ir.Ret | ir.Resume):
            calls = [each for each in block.instructions if isinstance(each, ir.Call)]
            musttail = calls and calls[-1].marker == "musttail"
            yield calls[-1] if musttail else block.terminator


def _open(exit_: ir.Instruction, guarded: _Guarded) -> None:
    """Makes the zones addressable again, and the variable, whose scope may have ended."""
    states = guarded.room.states()
    closed = [i for i, state in enumerate(states) if state]
    last = next(i for i in closed if i * GRANULE >= guarded.room.before)
    parts = [(0, guarded.room.before // GRANULE), (last, len(states))]
    if guarded.scope or len(states) * GRANULE <= 4 * _LINE:
        parts = [(0, len(states))]
    for begin, end in parts:
        _write(exit_, guarded.plane, begin, bytes(end - begin))


def _list(exit_: ir.Instruction, guarded: list[_Guarded]) -> None:
    """Puts the variables into the ring of those whose functions have returned."""
    module = exit_.function.module
    if _RING not in module.globals:
        module.add_global(f"@{_RING} = {_RING_TYPE}")

    def put(text: str) -> str:
        return exit_.insert_before(text, dbg=False).result or ""

    count = put(f"load i64, ptr @{_RING}, align 8")
    for number, each in enumerate(guarded):
        place = put(f"add i64 {count}, {number}") if number else count
        index = put(f"and i64 {place}, {RETURNED_ROWS - 1}")
        offset = put(f"mul i64 {index}, {RETURNED.size}")
        from_head = put(f"add i64 {offset}, {RETURNED_HEAD}")
        row = put(f"getelementptr i8, ptr @{_RING}, i64 {from_head}")
        put(f"store ptr {each.name}, ptr {row}, align 8")
        second = put(f"getelementptr i8, ptr {row}, i64 {RETURNED.offset('variable')}")
        put(f"store ptr {each.described}, ptr {second}, align 8")
    later = put(f"add i64 {count}, {len(guarded)}")
    put(f"store i64 {later}, ptr @{_RING}, align 8")


def _open_what_callers_wrote(function: ir.Function) -> None:
    """Opens the memory of arguments that are passed by value, and of the registers that va_start saves."""
    layout = function.module.layout
    first = next(iter(function.entry))
    for parameter in function.parameters:
        passed = parameter.attributes.get("byval")
        if passed is not None and parameter.name is not None:
            size = layout.size_of(passed[len("byval(") : -1])
            begin = After(first.insert_before(f"getelementptr i8, ptr {parameter.name}, i64 0", dbg=False))
            _put_states(begin, parameter.name, bytes(align_up(size, GRANULE) // GRANULE))
    for instruction in list(function.instructions()):
        if isinstance(instruction, ir.Call) and (instruction.callee or "").startswith(_START):
            list_ = instruction.arguments[0].value
            at = After(instruction)
            word = at.put(f"getelementptr i8, ptr {list_}, i64 {_SAVED}")
            _put_states(at, at.put(f"load ptr, ptr {word}, align 8"), bytes(_SAVED_BYTES // GRANULE))


def describe(
    variable: ir.Alloca | ir.GlobalVariable, size: int, before: int, after: int, context: Context
) -> str:
    """The name of the constant that describes the variable (`whence.abi.zones.VARIABLE`)."""
    text = text_of(variable)
    body = "".join(chr(c) if chr(c).isalnum() and c < 128 else f"\\{c:02X}" for c in text + b"\0")
    type_ = f"[{len(text) + 1} x i8]"
    fields = ", ".join(each.llvm for each in VARIABLE.fields)
    value = f'i64 {size}, i32 {before}, i32 {after}, {type_} c"{body}"'
    name = f"@whence.variable.{context.guarded_variables}"
    context.guarded_variables += 1
    context.module.add_global(f"{name} = private constant {{ {fields}, {type_} }} {{ {value} }}, align 8")
    return name
