"""Red zones around memory of the stack whose size is not constant: `alloca`, and arrays of variable length.

It is made anywhere in a function, many times by one activation, and released where the stack pointer is
restored. So the runtime writes the zones and the header (`whence.abi.zones.VARYING`), and opens what is
released, or closes it if variables die with their scopes. A word of the frame leads to what the activation
has made and not yet released, so that what longjmp or an exception leaves behind is not mistaken for it.
"""

from __future__ import annotations

from whence import ir
from whence.abi.layout import GRANULE
from whence.abi.zones import LOCAL, SIZE_VARIES, VARYING
from whence.instrument.analysis.exposure import Uses, is_exposed, is_plain, size_of, switches_stack, uses_of
from whence.instrument.passes.context import Context
from whence.instrument.variables.zones import EXEMPT, FRAME, OWN, After, describe, exits_of

_AFTER = 32
"""Bytes of the zone after the memory, from its last granule."""
_MADE, _JUMPED = "__whence_made", "__whence_jumped"
_RELEASED, _ENDED = "__whence_released", "__whence_ended"
_DECLARATIONS = (
    f"declare void @{_MADE}(ptr, i64, ptr, ptr) nounwind",
    f"declare void @{_RELEASED}(ptr, ptr) nounwind",
    f"declare void @{_ENDED}(ptr, ptr) nounwind",
    f"declare void @{_JUMPED}(ptr) nounwind",
    "declare i64 @llvm.uadd.sat.i64(i64, i64)",
    FRAME,
)
_RESTORES = "llvm.stackrestore"


def guard_allocas(context: Context) -> None:
    """Puts zones around exposed memory of a size that is not constant, or that is made in a branch.

    Before::

        declare void @g(ptr)
        define void @f(i64 %n) {
          %x = alloca i32, i64 %n, align 16
          call void @g(ptr %x)
          ret void
        }

    After::

        declare void @g(ptr)
        define void @f(i64 %n) {
          %wh.0 = alloca ptr, align 8
          store ptr null, ptr %wh.0, align 8
          %wh.1 = mul i64 %n, 4
          %wh.2 = call i64 @llvm.uadd.sat.i64(i64 %wh.1, i64 103)
          %wh.3 = and i64 %wh.2, -8
          %wh.4 = alloca i8, i64 %wh.3, align 16
          %x = getelementptr i8, ptr %wh.4, i64 64
          call void @__whence_made(ptr %x, i64 %wh.1, ptr @whence.variable.0, ptr %wh.0)
          call void @g(ptr %x)
          %wh.5 = call ptr @llvm.frameaddress.p0(i32 0)
          call void @__whence_ended(ptr %wh.5, ptr %wh.0)
          ret void
        }
        declare void @__whence_made(ptr, i64, ptr, ptr) nounwind
        declare void @__whence_released(ptr, ptr) nounwind
        declare void @__whence_ended(ptr, ptr) nounwind
        declare void @__whence_jumped(ptr) nounwind
        declare i64 @llvm.uadd.sat.i64(i64, i64)
        declare ptr @llvm.frameaddress.p0(i32 immarg)
        @whence.variable.0 = private constant { i64, i32, i32, [11 x i8] } { i64 18446744073709551615, i32 64, i32 32, [11 x i8] c"0\\09array\\09\\09\\09\\00" }, align 8
    """  # noqa: E501
    for function in context.functions():
        if not function.attributes.has(EXEMPT):
            _guard_in(function, context)


def _guard_in(function: ir.Function, context: Context) -> None:
    made = [each for each in function.instructions() if _is_made(each)]
    if not made or switches_stack(function):
        return
    uses = uses_of(function)
    exposed = [each for each in made if isinstance(each, ir.Alloca) and _is_exposed(each, uses)]
    if not exposed:
        return
    for declaration in _DECLARATIONS:
        function.module.add_declaration(declaration)
    chain = next(iter(function.entry)).insert_before("alloca ptr, align 8", dbg=False)
    word = chain.result or ""
    chain.insert_after(f"store ptr null, ptr {word}, align 8", dbg=False)
    for variable in exposed:
        _guard(variable, word, context)
    _release_in(function, word, _ENDED if context.policy.scopes else _RELEASED)


def _is_made(instruction: ir.Instruction) -> bool:
    """Whether the instruction makes memory that is no part of the frame's fixed layout."""
    if not isinstance(instruction, ir.Alloca) or not is_plain(instruction):
        return False
    if (instruction.result or "").startswith(OWN):
        return False
    return instruction.owner is not instruction.function.entry or size_of(instruction) is None


def _is_exposed(variable: ir.Alloca, uses: Uses) -> bool:
    return is_exposed(variable, size_of(variable) or 0, uses)


def _guard(variable: ir.Alloca, chain: str, context: Context) -> None:
    """Gives the memory its zones."""
    align = max(variable.align or 1, GRANULE)
    before = max(VARYING.size + LOCAL.size, align)
    described = describe(variable, SIZE_VARIES, before, _AFTER, context)
    size = _bytes_of(variable)
    most = f"call i64 @llvm.uadd.sat.i64(i64 {size}, i64 {before + _AFTER + GRANULE - 1})"
    room = variable.insert_before(most, dbg=False).result
    whole = variable.insert_before(f"and i64 {room}, {-GRANULE}", dbg=False).result
    memory = variable.insert_before(f"alloca i8, i64 {whole}, align {align}", dbg=False).result
    moved = variable.replace(f"getelementptr i8, ptr {memory}, i64 {before}", dbg=False)
    After(moved).put(f"call void @{_MADE}(ptr {moved.result}, i64 {size}, ptr {described}, ptr {chain})")


def _bytes_of(variable: ir.Alloca) -> str:
    """The size of the memory as a value of type i64, computed before it is made."""
    known = size_of(variable)
    if known is not None:
        return str(known)
    count = variable.operands[0]
    value = count.value
    if count.type != "i64":
        value = variable.insert_before(f"zext {count.type} {value} to i64", dbg=False).result or ""
    unit = variable.function.module.layout.size_of(variable.allocated_type)
    return variable.insert_before(f"mul i64 {value}, {unit}", dbg=False).result or ""


def _release_in(function: ir.Function, chain: str, release: str) -> None:
    """Opens or closes released memory where the stack pointer is restored, where the function ends, and where
    `longjmp` may return to it."""
    for instruction in list(function.instructions()):
        if not isinstance(instruction, ir.Call):
            continue
        if (instruction.callee or "").startswith(_RESTORES):
            to = instruction.arguments[0].value
            instruction.insert_before(f"call void @{release}(ptr {to}, ptr {chain})", dbg=False)
        elif instruction.returns_twice:
            instruction.insert_after(f"call void @{_JUMPED}(ptr {chain})", dbg=False)
    for exit_ in exits_of(function):
        frame = exit_.insert_before("call ptr @llvm.frameaddress.p0(i32 0)", dbg=False).result
        exit_.insert_before(f"call void @{release}(ptr {frame}, ptr {chain})", dbg=False)
