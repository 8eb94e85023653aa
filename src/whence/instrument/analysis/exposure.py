"""The variables that must be blocks.

A variable is safe if the function shows every access to it, and each is at a constant offset in bounds:
no rule can fire for it, so it needs no checks. A variable whose address is passed, stored, or indexed is
exposed. So is one whose pointer meets another one's in a comparison or difference that a rule judges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from whence import ir
from whence.abi.intercepts import PREFIX as INSERTED
from whence.instrument.markers import steps
from whence.instrument.markers.declarations import PREFIX, RANGE, SCOPE, checked_range, reads_memory
from whence.instrument.markers.lookup import LOOKUP
from whence.instrument.markers.prefixes import EDGES, ORIGINS, RACES, SYMBOLIC
from whence.ir.constants import evaluate
from whence.ir.lexer import GLOBAL, LOCAL, unquote

_LOCAL = re.compile(LOCAL)
_GLOBAL = re.compile(GLOBAL)
BENIGN = (
    "llvm.lifetime.",
    "llvm.objectsize.",
    "llvm.assume",
    PREFIX,
    RANGE,
    LOOKUP,
    SCOPE,
    "__whence_value",
    ORIGINS,
    SYMBOLIC,
    RACES,
    EDGES,
)
"""Calls that neither access nor store their arguments."""
_PAIRS = (steps.COMPARE, steps.DIFFERENCE)
_SAME = ("llvm.launder.invariant.group", "llvm.strip.invariant.group")
MEMORY = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
WRITTEN = 'asm sideeffect "", "=*m"('
"""The statement that `whence.instrument.definedness.definite` inserts."""
KNOWN = 'call void asm sideeffect "", "r"(ptr {}) nounwind'
"""The statement that makes LLVM believe that something else knows a variable's address."""

Uses = dict[str, list[ir.Instruction]]


def uses_of(function: ir.Function) -> Uses:
    """The instructions in which each local value is an operand."""
    found: Uses = {}
    for instruction in function.instructions():
        for name in dict.fromkeys(_LOCAL.findall(instruction.text)):
            if name != instruction.result:
                found.setdefault(name, []).append(instruction)
    return found


def is_inserted(use: ir.Instruction) -> bool:
    """Whether it is a call that a pass has inserted."""
    return isinstance(use, ir.Call) and (use.callee or "").startswith(INSERTED)


def size_of(variable: ir.Alloca) -> int | None:
    """Bytes of a variable; None if its size is not constant."""
    count = variable.count or "1"
    if not count.isdecimal():
        return None
    return variable.function.module.layout.size_of(variable.allocated_type) * int(count)


def is_exposed(variable: ir.Instruction, size: int, uses: Uses) -> bool:
    """Whether an access through a pointer to the variable may be out of bounds."""
    return any(not _is_safe(*each, size) for each in _ends(variable, uses))


def checks_of(variable: ir.Alloca, uses: Uses) -> Iterator[ir.Call]:
    """The checks of accesses through pointers that may lead to the variable."""
    for use, _, _ in _ends(variable, uses):
        if isinstance(use, ir.Call) and (use.callee or "").startswith((PREFIX, RANGE)):
            yield use


def is_overrun(variable: ir.Alloca, size: int, uses: Uses) -> bool:
    """Whether the function accesses the variable at a constant offset out of its bounds."""
    return any(
        offset is not None and is_access(use, pointer) and not _is_safe(use, pointer, offset, size)
        for use, pointer, offset in _ends(variable, uses)
    )


def is_read(variable: ir.Alloca, offsets: Collection[int], uses: Uses) -> bool:
    """Whether something may read one of these bytes of a variable: by its address, or by an access."""
    return any(_may_read(use, pointer, at, offsets) for use, pointer, at in _ends(variable, uses))


def is_written(variable: ir.Alloca, uses: Uses) -> bool:
    """Whether something may write to a variable: an access, or whatever has its address."""
    return any(_may_write(use, pointer) for use, pointer, _ in _ends(variable, uses))


def _may_write(use: ir.Instruction, pointer: str) -> bool:
    if isinstance(use, ir.Call):
        callee = use.callee or ""
        if callee.startswith(MEMORY):
            return use.arguments[0].value == pointer
        return not callee.startswith(BENIGN)
    return not (isinstance(use, ir.Load) or use.opcode == "icmp")


def _may_read(use: ir.Instruction, pointer: str, offset: int | None, offsets: Collection[int]) -> bool:
    if isinstance(use, ir.Store):
        return _is_stored(use, pointer)
    size: int | None = None
    if isinstance(use, ir.Call):
        callee = use.callee or ""
        if callee.startswith(BENIGN) and not reads_memory(callee):
            return False
        if callee.startswith(MEMORY):
            if callee.startswith(MEMORY[-1]) or use.arguments[1].value != pointer:
                return False
            size = int(length) if (length := use.arguments[2].value).isdecimal() else None
    elif isinstance(use, ir.Load):
        size = use.function.module.layout.store_size_of(use.value_type)
    elif use.opcode == "icmp":
        return False
    if size is None or offset is None:
        return True
    return any(offset <= each < offset + size for each in offsets)


def _ends(variable: ir.Instruction, uses: Uses) -> Iterator[tuple[ir.Instruction, str, int | None]]:
    """Uses of pointers into the variable that derive no further ones: the use, the pointer, its offset."""
    offsets: dict[str, int | None] = {variable.result or "": 0}
    waiting = list(offsets)
    while waiting:
        pointer = waiting.pop()
        for use in uses.get(pointer, ()):
            found = derived(use, pointer, offsets[pointer])
            if found is None:
                yield use, pointer, offsets[pointer]
                continue
            result = use.result or ""
            offset: int | None = found[0]
            if result in offsets:
                if offsets[result] == offset or offsets[result] is None:
                    continue
                offset = None
            offsets[result] = offset
            waiting.append(result)


def is_access(use: ir.Instruction, pointer: str) -> bool:
    """Whether the instruction does nothing with the pointer but access a known number of bytes there."""
    if isinstance(use, ir.MemoryAccess):
        return not _is_stored(use, pointer)
    if isinstance(use, ir.Call) and (use.callee or "").startswith(MEMORY):
        return use.arguments[2].value.isdecimal()
    return False


def _is_stored(access: ir.MemoryAccess, pointer: str) -> bool:
    """Whether the pointer is a value that the access writes or compares."""
    return access.pointer != pointer or [each.value for each in access.operands].count(pointer) > 1


def derived(use: ir.Instruction, pointer: str, offset: int | None) -> tuple[int | None] | None:
    """The offset of the instruction's result, if that is a pointer derived from this one."""
    if isinstance(use, ir.GetElementPtr) and use.base == pointer:
        more = use.constant_offset
        return (None if offset is None or more is None else offset + more,)
    if isinstance(use, ir.Phi | ir.Select):
        return (offset,)
    if use.opcode == "freeze" or (isinstance(use, ir.Call) and (use.callee or "").startswith(_SAME)):
        return (offset,)
    return None


def _is_safe(use: ir.Instruction, pointer: str, offset: int | None, size: int) -> bool:
    layout = use.function.module.layout
    if isinstance(use, ir.MemoryAccess):
        return not _is_stored(use, pointer) and _fits(offset, layout.store_size_of(use.value_type), size)
    if isinstance(use, ir.Call):
        return _is_safe_call(use, pointer, offset, size)
    return use.opcode == "icmp"


def _is_safe_call(call: ir.Call, pointer: str, offset: int | None, size: int) -> bool:
    callee = call.callee or ""
    checked = checked_range(call)
    if checked is not None and checked[0] == pointer:  # LLVM may have deleted the access itself
        return checked[1] is not None and _fits(offset, checked[1], size)
    if callee in _PAIRS:  # only blocks can be told apart
        return call.arguments[2].value == call.arguments[3].value
    if callee.startswith(BENIGN):
        return True
    if callee.startswith(MEMORY):
        length = call.arguments[2].value
        return length.isdecimal() and _fits(offset, int(length), size)
    if WRITTEN in call.text:
        return True
    return _all_byval(call, pointer) and _fits(offset, _byval_size(call, pointer), size)


def _all_byval(call: ir.Call, pointer: str) -> bool:
    given = [each for each in call.arguments if each.value == pointer]
    return bool(given) and all(each.attributes.get("byval") for each in given)


def _byval_size(call: ir.Call, pointer: str) -> int:
    layout = call.function.module.layout
    passed = (each.attributes.get("byval") or "" for each in call.arguments if each.value == pointer)
    return max(layout.size_of(each[len("byval(") : -1]) for each in passed)


def _fits(offset: int | None, width: int, size: int) -> bool:
    return offset is not None and offset >= 0 and offset + width <= size


def variables_of(function: ir.Function) -> list[tuple[ir.Alloca, int]]:
    """The variables of the frame with their sizes: those that are there from its begin, of a size that is
    known."""
    return [
        (each, size)
        for each in function.entry
        if isinstance(each, ir.Alloca) and is_plain(each) and (size := size_of(each))
    ]


_MOVES_STACK = re.compile(r"%[re]sp\s*(?:\\0A|\\09|[;\"])|\b(?<!%)[re]sp\s*,")
"""The stack pointer as the destination of an instruction, as AT&T and Intel write it."""


_MOVES_FRAMES = re.compile(r"\badd[lq]?\s+\$\{?\d[^,;\\]*,\s*%[re]sp\b")
"""A distance that is no constant is added to the stack pointer."""


def moves_frames(module: ir.Module) -> bool:
    """Whether inline assembly of the module goes on with copies of frames, elsewhere on the stack."""
    return any(
        isinstance(each, ir.Call) and " asm " in each.text and _MOVES_FRAMES.search(each.text)
        for function in module.definitions
        for each in function.instructions()
    )


def switches_stack(function: ir.Function) -> bool:
    """Whether inline assembly of the function sets the stack pointer.

    Such a function goes on in another place of the stack than it began in, and what it keeps in registers,
    such as addresses of state bytes, belongs to the old one.
    """
    return any(
        isinstance(each, ir.Call) and " asm " in each.text and _MOVES_STACK.search(each.text)
        for each in function.instructions()
    )


def is_plain(variable: ir.Alloca) -> bool:
    """Whether the variable lies on the stack and is no argument of a call or register."""
    if variable.type != "ptr":
        return False
    return "inalloca" not in variable.text and "swifterror" not in variable.text


# Global variables.

_FIXED_LINKAGES = ("common", "appending", "available_externally", "extern_weak", "external")
_NOT_DATA = re.compile(r"llvm\.|\.?whence\.|__whence|_ZT[VTISC]|_ZGV")
"""Names of variables that belong to compilers: tables of classes, guards of initialisation."""
_FIXED_CLAUSE = re.compile(r", (?:partition|code_model) \"|, (?:no_)?sanitize_| #\d+$")
_LABEL = "blockaddress("
"""Text with the address of a numbered block must stand before its function."""
_FIXED_QUALIFIERS = frozenset(("externally_initialized", "dllimport", "dllexport"))
_ATTACHMENTS = frozenset(("dbg", "whence.variable"))
_KEPT = "llvm.used"
_LISTS = ("llvm.compiler.used", _KEPT)
_SIMPLE = re.compile(r"[\w.$]+", re.ASCII)
"""Names that assemblers take without quotes."""
_DATA_SECTION = re.compile(r"\.(?:data|data\.rel\.ro|bss|rodata)\.")
_LOCAL_LINKAGES = ("private", "internal")
_ROOMY_MODELS = ("generaldynamic", "localdynamic", "localexec")
THREAD_ADDRESS = "llvm.threadlocal.address.p0"
"""The intrinsic that has the address of a thread-local variable in the calling thread for result."""


def is_plain_global(variable: ir.GlobalVariable) -> bool:
    """Whether only the program's own code determines where the variable lies and how it is laid out."""
    return (
        variable.linkage not in _FIXED_LINKAGES and variable.thread_local is None and _is_changeable(variable)
    )


def is_plain_thread_variable(variable: ir.GlobalVariable) -> bool:
    """The same for variables of which each thread has its own.

    Those of the model for static blocks stay as they are: the room for them in a program that runs is small
    where a library is loaded.
    """
    return (
        variable.linkage not in _FIXED_LINKAGES
        and variable.thread_local in _ROOMY_MODELS
        and _is_changeable(variable)
    )


def _is_changeable(variable: ir.GlobalVariable) -> bool:
    fields = variable.fields
    return (
        variable.is_definition
        and not fields.address_space
        and (variable.section is None or _is_placed_alone(variable))
        and not _FIXED_QUALIFIERS.intersection(fields.qualifiers)
        and variable.attachments.keys() <= _ATTACHMENTS
        and not _FIXED_CLAUSE.search(variable.text)
        and _LABEL not in variable.text
        and not _NOT_DATA.match(variable.name)
        and variable.size > 0
    )


def _is_placed_alone(variable: ir.GlobalVariable) -> bool:
    """Whether a variable in a section of the user's is certainly no element of a table.

    Programs iterate over sections whose names are identifiers by the symbols that linkers define for them,
    and over others by those of a linker script. So the section is one that linkers put among the program's
    data, the variable is seen by this module alone and not kept for others to find, and no other variable of
    its type is there.
    """
    section, module = variable.section or "", variable.module
    if variable.linkage not in _LOCAL_LINKAGES or not _DATA_SECTION.match(section):
        return False
    lists = (module.globals.get(name) for name in _LISTS)
    if any(each is not None and variable.ref in _GLOBAL.findall(each.text) for each in lists):
        return False
    beside = (each for each in module.variables if each.section == section and each is not variable)
    return all(each.value_type != variable.value_type for each in beside)


def common_globals(module: ir.Module) -> list[ir.GlobalVariable]:
    """The tentative definitions whose layout no other text of the module determines."""
    fixed = _fixed_names(module)
    return [
        each
        for each in module.variables
        if each.linkage == "common"
        and each.thread_local is None
        and _is_changeable(each)
        and each.ref not in fixed
        and _SIMPLE.fullmatch(each.name)
    ]


def exposed_globals(module: ir.Module) -> tuple[list[ir.GlobalVariable], int]:
    """The plain global variables that the module does not show to be accessed in their bounds alone.

    Also returns the number of the others.
    """
    return _exposed(module, is_plain_global)


def exposed_thread_variables(module: ir.Module) -> tuple[list[ir.GlobalVariable], int]:
    """As `exposed_globals`, of the thread-local variables."""
    return _exposed(module, is_plain_thread_variable)


def _exposed(
    module: ir.Module, is_plain: Callable[[ir.GlobalVariable], bool]
) -> tuple[list[ir.GlobalVariable], int]:
    fixed = _fixed_names(module)
    plain = [each for each in module.variables if is_plain(each) and each.ref not in fixed]
    local = {each.ref: each for each in plain if each.linkage in _LOCAL_LINKAGES}
    exposed = _exposed_names(module, local) if local else frozenset()
    found = [each for each in plain if each.ref not in local or each.ref in exposed]
    return found, len(plain) - len(found)


def thread_variable_of(instruction: object) -> ir.GlobalVariable | None:
    """The thread-local variable whose address is the result of an instruction."""
    if not isinstance(instruction, ir.Call) or instruction.callee != THREAD_ADDRESS:
        return None
    found = instruction.function.module.globals.get(unquote(instruction.arguments[0].value))
    return found if isinstance(found, ir.GlobalVariable) else None


def _fixed_names(module: ir.Module) -> frozenset[str]:
    """Variables that aliases, inline assembly of the module or its list of kept symbols name."""
    texts = [each.text for each in (*module.aliases, *module.ifuncs)]
    kept = module.globals.get(_KEPT)
    texts += [kept.text] if kept is not None else []
    found = {name for text in texts for name in _GLOBAL.findall(text)}
    assembly = " ".join(each for each in module.entities if isinstance(each, str) and "module asm" in each)
    words = frozenset(re.findall(r"[\w.$]+", assembly))
    return frozenset(found | {each.ref for each in module.variables if each.name in words})


def _exposed_names(module: ir.Module, local: dict[str, ir.GlobalVariable]) -> frozenset[str]:
    found = {
        name
        for each in module.globals.values()
        if each.name not in _LISTS
        for name in _GLOBAL.findall(each.text)
        if name != each.ref
    }
    for function in module.definitions:
        uses: Uses | None = None
        for use in function.instructions():
            if "@" in use.text:
                variable = thread_variable_of(use)
                if variable is not None and variable.ref in local:
                    uses = uses_of(function) if uses is None else uses
                    if is_exposed(use, variable.size, uses):
                        found.add(variable.ref)
                    continue
                names = _GLOBAL.findall(use.text)
                found.update(name for name in names if not _is_safe_use(use, local.get(name)))
    return frozenset(found)


def _is_safe_use(use: ir.Instruction, variable: ir.GlobalVariable | None) -> bool:
    if variable is None or not isinstance(use, ir.MemoryAccess):
        return variable is None
    layout = variable.module.layout
    address = evaluate(layout, "ptr", use.pointer)
    if address is None or address.symbol != variable.ref or use.text.count(variable.ref) > 1:
        return False
    return _fits(address.signed, layout.store_size_of(use.value_type), variable.size)
