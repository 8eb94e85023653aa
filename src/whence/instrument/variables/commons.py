"""Red zones behind tentative definitions (``-fcommon``).

The linker merges the tentative definitions of a name in all objects into one symbol of the largest size, and
drops them where an object has a proper definition. So such a variable cannot move into a room. It grows by a
zone at its end, and what was linked tells the runtime whether the zone is there: a row of
`whence.abi.zones.COMMONS_SECTION` has the size of the symbol, which only an assembler can request. Before the
variable is the zone of another one, or whatever the linker puts there.
"""

from __future__ import annotations

from whence import ir
from whence.abi.layout import GRANULE
from whence.abi.zones import COMMON_MARK, COMMONS_SECTION
from whence.instrument.analysis.exposure import common_globals
from whence.instrument.passes.context import Context
from whence.instrument.variables.global_zones import hand_over
from whence.instrument.variables.zones import describe, room_of

_SUFFIX = ".common"


def guard_commons(context: Context) -> None:
    """Adds a zone to each tentative definition.

    Before::

        @x = common global i32 0, align 4

    After::

        @x = common global <{ i32, [31 x i8] }> zeroinitializer, align 8
        @whence.variable.0 = private constant { i64, i32, i32, [15 x i8] } { i64 4, i32 0, i32 24, [15 x i8] c"0\\09variable\\09x\\09\\09\\00" }, align 8
        module asm ".pushsection whence_commons, \\22aw\\22"
        module asm ".balign 8; .quad .Lwhence.variable.0, x, x@SIZE; .popsection"
        @__start_whence_commons = external hidden global [0 x i8]
        @__stop_whence_commons = external hidden global [0 x i8]

        declare void @__whence_commons(ptr, ptr)

        define private void @whence.init.common() nounwind {
          call void @__whence_commons(ptr @__start_whence_commons, ptr @__stop_whence_commons)
          ret void
        }
        @whence.init.common.entry = private global ptr @whence.init.common, section ".init_array.00001", align 8

        declare void @__whence_globals_end(ptr)

        define private void @whence.fini.common() nounwind {
          call void @__whence_globals_end(ptr @__start_whence_commons)
          ret void
        }
        @whence.fini.common.entry = private global ptr @whence.fini.common, section ".fini_array.00001", align 8
    """  # noqa: E501
    variables = common_globals(context.module)
    for variable in variables:
        _guard(variable, context)
    if variables:
        hand_over(context.module, COMMONS_SECTION, _SUFFIX)


def _guard(variable: ir.GlobalVariable, context: Context) -> None:
    module, size, type_ = variable.module, variable.size, variable.value_type
    align = max(variable.align or module.layout.alignment_of(type_), GRANULE)
    room = room_of(size, align)
    described = describe(variable, size, 0, room.behind, context)
    behind = room.after + COMMON_MARK
    words = " ".join(("common", *variable.fields.qualifiers, "global"))
    variable.text = (
        f"{variable.ref} = {words} <{{ {type_}, [{behind} x i8] }}> zeroinitializer, align {align}"
    )
    name = described.removeprefix("@")
    module.add_assembly(f".pushsection {COMMONS_SECTION}, \\22aw\\22")
    module.add_assembly(f".balign 8; .quad .L{name}, {variable.name}, {variable.name}@SIZE; .popsection")
