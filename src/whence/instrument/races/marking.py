"""Tells the runtime of accesses that threads may share, and of what orders the steps of threads."""

from __future__ import annotations

import re

from whence import ir
from whence.abi import library
from whence.abi.intercepts import called
from whence.abi.races import HOW, ORDERINGS
from whence.instrument.markers.declarations import EXEMPT, is_unchecked
from whence.instrument.passes.context import Context
from whence.instrument.passes.inserting import after
from whence.instrument.races import helpers
from whence.instrument.races.plain import Access, telling
from whence.instrument.races.private import private_of
from whence.instrument.races.strides import stride
from whence.instrument.shadow.calls import COPIES, FILLS, first_of, returns_by_call

_CLASSES = re.compile(r"@\"?_ZTV")
"""Tables of functions of classes."""
_STANDARD = re.compile(
    r"_Z(?:N[KVO]*|)S[tabsiod]|_Zn[wa]|_Zd[la]|__cxa_|__gxx_|_Unwind_|__clang_|__dynamic_cast"
)
"""Functions of C++ that order nothing, but for those that count who refers to an exception."""
_SIGNALLING = called(library.having("signals"))
_NOWHERE = ("null", "undef", "poison")
_EXCEPTIONS = "exception_ptr"


def mark_races(context: Context) -> None:
    """Has the runtime look at accesses in code that is as optimised as the user's.

    Before::

        @shared = global i32 0
        define void @f(i32 %x) {
          store i32 %x, ptr @shared, align 4
          ret void
        }

    After::

        @shared = global i32 0
        define void @f(i32 %x) {
          call void @__whence_race_write_4(ptr @shared)
          store i32 %x, ptr @shared, align 4
          ret void
        }
        declare void @__whence_race_write_4(ptr) nounwind
    """
    handed = _handed_out(context.module)
    for function in list(context.functions()):
        _Marking(function, function.name in handed).run()
    context.keep_for_late_twins()


def _handed_out(module: ir.Module) -> set[str]:
    """Functions whose address calls pass to code that may not be checked, and that may call them anywhere."""
    found: set[str] = set()
    for function in module.definitions:
        for call in function.instructions():
            if not isinstance(call, ir.Call) or not is_foreign(call, module):
                continue
            for argument in call.arguments:
                name = argument.value.removeprefix("@").strip('"')
                if argument.value.startswith("@") and name in module.functions:
                    found.add(name)
    return found


def is_foreign(call: ir.Call, module: ir.Module) -> bool:
    """Whether the called function may be one that is not checked, and may order what threads do."""
    name = call.callee
    if call.is_assembly:
        return False
    if name is None:
        return True  # a pointer, as far as can be seen
    if name.startswith(("llvm.", "__whence_")) or name in library.WRAPPED:
        return False
    called = module.functions.get(name)
    if called is not None and called.is_definition:
        return False
    return not _STANDARD.match(name) or _EXCEPTIONS in name


class _Marking:
    """The accesses and calls of one function; is_handed: code that is not checked may call it."""

    def __init__(self, function: ir.Function, is_handed: bool) -> None:
        self.function = function
        self.module = function.module
        self.layout = function.module.layout
        self.is_handed = is_handed
        self.private = private_of(function)
        self.is_exempt = function.attributes.has(EXEMPT)
        self.plain: list[Access] = []

    def run(self) -> None:
        """Inserts the calls."""
        for made in list(self.function.instructions()):
            self._mark(made)
        for access in stride(self.function, telling(self.function, self.plain)):
            name = helpers.WRITE if access.writes else helpers.READ
            self._call(access.made, f"{name}{access.size}", f"ptr {access.pointer}")
        if self.is_handed:
            self._call(first_of(self.function), helpers.RETURN, "ptr null")
            for block in self.function.blocks:
                end = block.terminator
                if isinstance(end, ir.Resume) or (isinstance(end, ir.Ret) and not returns_by_call(end)):
                    self._call(end, helpers.LEAVE, "ptr null")

    def _call(self, place: ir.Instruction, name: str, arguments: str) -> None:
        self.module.add_declaration(helpers.declaration(name))
        place.insert_before(f"call void @{name}({arguments})")

    def _mark(self, made: ir.Instruction) -> None:
        match made:
            case ir.Load() | ir.Store() if is_unchecked(made):
                pass
            case ir.Load() | ir.Store() if not made.atomic:
                self._access(made, isinstance(made, ir.Store))
            case ir.MemoryAccess():
                self._atomic(made)
            case ir.Fence():
                how = ORDERINGS[made.ordering]
                self._call(after(made) if how & HOW["ACQUIRES"] else made, helpers.FENCE, f"i32 {how}")
            case ir.Call() if (made.callee or "").startswith(COPIES):
                size = self._wide(made, made.arguments[2])
                for at, name in ((1, helpers.READ_RANGE), (0, helpers.WRITE_RANGE)):
                    self._range(made, name, made.arguments[at].value, size)
            case ir.Call() if (made.callee or "").startswith(FILLS):
                size = self._wide(made, made.arguments[2])
                self._range(made, helpers.WRITE_RANGE, made.arguments[0].value, size)
            case ir.Call() if made.callee in _SIGNALLING:
                self._call(made, helpers.LEAVE, "ptr null")
            case ir.Call() if is_foreign(made, self.module):
                self._leave(made)
            case _:
                pass

    def _is_shared(self, pointer: str) -> bool:
        if self.is_exempt or pointer in self.private or pointer in _NOWHERE:
            return False
        variable = self.module.globals.get(pointer.removeprefix("@").strip('"'))
        if not isinstance(variable, ir.GlobalVariable):
            return True
        return not variable.is_constant and variable.thread_local is None

    def _access(self, made: ir.Load | ir.Store, writes: bool) -> None:
        if not self._is_shared(made.pointer):
            return
        size = self.layout.store_size_of(made.value_type)
        if isinstance(made, ir.Store) and _CLASSES.search(made.value):
            self._call(made, helpers.CLASS, f"ptr {made.pointer}, ptr {made.value}")
        elif size in helpers.WIDTHS:
            self.plain.append(Access(made, size))
        elif size:
            name = helpers.WRITE_RANGE if writes else helpers.READ_RANGE
            self._call(made, name, f"ptr {made.pointer}, i64 {size}")

    def _range(self, made: ir.Call, name: str, pointer: str, size: str) -> None:
        if self._is_shared(pointer):
            self._call(made, name, f"ptr {pointer}, i64 {size}")

    def _atomic(self, made: ir.MemoryAccess) -> None:
        how = ORDERINGS[made.ordering or "unordered"]
        if isinstance(made, ir.CmpXchg):
            how |= ORDERINGS[made.failure_ordering]
        writes = 0 if isinstance(made, ir.Load) else HOW["WRITES"]
        size = self.layout.store_size_of(made.value_type)
        before = (how & HOW["RELEASES"] if writes else 0) | writes
        self._call(made, helpers.BEFORE, f"ptr {made.pointer}, i64 {size}, i32 {before}")
        if not isinstance(made, ir.Store):
            self._call(after(made), helpers.AFTER, f"ptr {made.pointer}, i32 {how & HOW['ACQUIRES']}")

    def _leave(self, made: ir.Call) -> None:
        target = made.callee_operand.value
        self._call(made, helpers.LEAVE, f"ptr {target}")
        if made.marker != "musttail" and not isinstance(made, ir.CallBr):
            self._call(after(made), helpers.RETURN, f"ptr {target}")

    def _wide(self, place: ir.Instruction, size: ir.Argument) -> str:
        if size.type == "i64":
            return size.value
        return place.insert_before(f"zext {size.type} {size.value} to i64").result or "0"
