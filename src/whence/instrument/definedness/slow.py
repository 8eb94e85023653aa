"""What code with shadows calls where the definedness plane says something else than that bytes are defined.

These functions leave the caller's registers as they are, answer what the plane says by itself, and ask the
runtime for the rest. All others are in `whence.instrument.definedness.helpers`.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.later import REFUSED
from whence.abi.layout import GRANULE
from whence.abi.undefined import FILL, FILL_SHIFT, FILLED, FILLED_AT, SPECIAL, SPECIAL_MASK, STATES
from whence.instrument.definedness.helpers import (
    LATER,
    LATER_ANY,
    LATER_BYTE,
    LATER_BYTES,
    PAIR,
    PASSING,
    SLOW,
    SLOW_ANY,
    SLOW_BYTE,
    SLOW_BYTES,
)
from whence.instrument.markers.planes import plane

_ASK_STORE, _ASK_CLEAR = f"{SLOW}_ask_store", f"{SLOW}_ask_clear"
_ASK_ANY, _ASK_LATER_ANY = f"{SLOW}_ask_any", f"{SLOW}_ask_later_any"
_ALONE = "__libc_single_threaded"
"""The C library's flag, since 2.32."""
_EXCHANGE = "cmpxchgb $2, $1"
_OPERANDS = "={ax},*m,q,0,~{memory},~{dirflag},~{fpsr},~{flags}"


def definitions() -> Iterator[str]:
    """The definitions of all."""
    yield f"""define linkonce_odr hidden preserve_mostcc {PAIR} @{SLOW}_load(i64 %a, i64 %n) #2 {{
  %x = call {PAIR} @__whence_value_load(i64 %a, i64 %n)
  ret {PAIR} %x
}}"""
    yield f"""define linkonce_odr hidden preserve_mostcc i64 @{SLOW_BYTES}(i64 %a, i64 %bytes) #2 {{
  %x = call i64 @__whence_value_any_of(i64 %a, i64 %bytes)
  ret i64 %x
}}"""
    yield _stored()
    yield from _any()
    yield from _later()
    yield from _cleared()
    yield _cleared_granules()


def _stored() -> str:
    """A value with undefined bits has been stored. Where it is a fill word, the plane has to say so and no
    more, but on the stack: there the runtime keeps the lowest address as well."""
    undefined = STATES["UNDEFINED"] - 256
    first = "\n  ".join(plane("%a", "first")[:-1])
    return f"""define linkonce_odr hidden preserve_mostcc void @{SLOW}_store(
    i64 %a, i64 %n, i64 %bits, i64 %origin) #2 {{
  %here = alloca i8
  %frame = ptrtoint ptr %here to i64
  %below = icmp ult i64 %a, %frame
  %all = icmp eq i64 %bits, -1
  %offset = and i64 %a, {GRANULE - 1}
  %whole = icmp eq i64 %offset, 0
  %likely = and i1 %all, %whole
  %known = icmp ne i64 %origin, 0
  %other = and i1 %likely, %known
  %candidate = and i1 %other, %below
  br i1 %candidate, label %look, label %ask
look:
  %place = inttoptr i64 %a to ptr
  %word = load i64, ptr %place, align {GRANULE}
  %fill = or i64 %origin, {FILL << FILL_SHIFT}
  %filled = icmp eq i64 %word, %fill
  br i1 %filled, label %mark, label %ask
mark:
  {first}
  store atomic i8 {undefined}, ptr %first.plane release, align 1
  ret void
ask:
  call void @__whence_value_store(i64 %a, i64 %n, i64 %bits, i64 %origin)
  ret void
}}"""


def _any() -> Iterator[str]:
    """Whether bytes, or one, have undefined bits: those of mixed granules that the plane names.

    The code that looks calls nothing but as its last step, since it would have to save registers otherwise,
    at each byte of a text whose end lies in the granule.
    """
    first, only = ("\n  ".join(plane("%a", *each)) for each in (("first", "i16"), ("only", "i8")))
    yield f"""define linkonce_odr hidden preserve_mostcc i64 @{_ASK_ANY}(i64 %a, i64 %n) #2 {{
  %x = call i64 @__whence_value_any(i64 %a, i64 %n)
  ret i64 %x
}}"""
    any_ = f"""  %short = icmp ule i64 %n, {GRANULE}
  br i1 %short, label %look, label %ask
look:
  {first}
  %offset = and i64 %a, {GRANULE - 1}
  %state = zext i16 %first to i64
  %moved = lshr i64 %state, %offset
  %power = shl i64 1, %n
  %bytes = sub i64 %power, 1
  %named = and i64 %moved, %bytes
  %some.named = icmp ne i64 %named, 0
  %low = and i16 %first, {SPECIAL_MASK}
  %low.special = icmp eq i16 %low, {SPECIAL}
  %high = and i16 %first, {SPECIAL_MASK << 8}
  %high.special = icmp eq i16 %high, {SPECIAL << 8}
  %special = or i1 %low.special, %high.special
  %some = or i1 %special, %some.named"""
    byte = f"""  {only}
  %address = trunc i64 %a to i32
  %offset = and i32 %address, {GRANULE - 1}
  %state = zext i8 %only to i32
  %moved = lshr i32 %state, %offset
  %named = and i32 %moved, 1
  %some.named = icmp ne i32 %named, 0
  br i1 %some.named, label %ask, label %unnamed
unnamed:
  %part = and i32 %state, {SPECIAL_MASK}
  %some = icmp eq i32 %part, {SPECIAL}"""
    for name, look, cell, asked in (
        (SLOW_ANY, any_, "", _ASK_ANY),
        (SLOW_BYTE, byte, "", _ASK_ANY),
        (LATER_ANY, any_, ", ptr %cell", _ASK_LATER_ANY),
        (LATER_BYTE, byte, ", ptr %cell", _ASK_LATER_ANY),
    ):
        parameters = f"i64 %a, i64 %n{cell}"
        yield f"""define linkonce_odr hidden preserve_mostcc i64 @{name}({parameters}) #2 {{
{look}
  br i1 %some, label %ask, label %none
none:
  ret i64 0
ask:
  %x = musttail call preserve_mostcc i64 @{asked}({parameters})
  ret i64 %x
}}"""


def _later() -> Iterator[str]:
    """Whether a twin can go on, whose cell is filled or can be."""
    yield f"""define linkonce_odr hidden preserve_mostcc i64 @{LATER}(ptr %cell) #2 {{
  %twin = load atomic ptr, ptr %cell acquire, align 8
  %missing = icmp eq ptr %twin, null
  br i1 %missing, label %ask, label %there
ask:
  %x = call i64 @__whence_value_later(ptr %cell)
  ret i64 %x
there:
  %has = icmp ne ptr %twin, inttoptr (i64 {REFUSED} to ptr)
  %known = zext i1 %has to i64
  ret i64 %known
}}"""
    for name, slow in ((_ASK_LATER_ANY, _ASK_ANY), (LATER_BYTES, SLOW_BYTES)):
        yield f"""define linkonce_odr hidden preserve_mostcc i64 @{name}(i64 %a, i64 %n, ptr %cell) #2 {{
  %some = call preserve_mostcc i64 @{slow}(i64 %a, i64 %n)
  %none = icmp eq i64 %some, 0
  br i1 %none, label %end, label %ask
ask:
  %x = call preserve_mostcc i64 @{LATER}(ptr %cell)
  ret i64 %x
end:
  ret i64 0
}}"""


def _cleared() -> Iterator[str]:
    """Bytes become defined of which the plane says something else: where it names them, it need not.

    Of an undefined granule of the block that was filled last the plane names the bytes that are left, if its
    word is whole. As with `_any`, the runtime is called as the last step alone.

    While the C library knows of one thread, the exchange is an instruction without `lock`: a signal handler
    does not divide it either, and it takes a fifth of the time.
    """
    undefined = STATES["UNDEFINED"] - 256
    filled = "\n  ".join(_filled())
    yield f"@{_ALONE} = extern_weak global i8"
    yield f"""define linkonce_odr hidden preserve_mostcc void @{_ASK_STORE}(i64 %a, i64 %n) #2 {{
  call void @__whence_value_store(i64 %a, i64 %n, i64 0, i64 0)
  ret void
}}
define linkonce_odr hidden preserve_mostcc void @{_ASK_CLEAR}(i64 %a, i64 %bytes) #2 {{
  call void @__whence_value_clear(i64 %a, i64 %bytes)
  ret void
}}"""
    yield f"""define linkonce_odr hidden i1 @{SLOW}_part(ptr %p, i8 %state, i8 %bytes, i64 %granule) #0 {{
  %unused = icmp eq i8 %bytes, 0
  br i1 %unused, label %done, label %look
look:
  %named = and i8 %state, %bytes
  %unnamed = icmp eq i8 %named, 0
  %part = and i8 %state, {SPECIAL_MASK}
  %plain = icmp ne i8 %part, {SPECIAL}
  %none = and i1 %unnamed, %plain
  br i1 %none, label %done, label %change
change:
  %kept = xor i8 %bytes, -1
  %rest = and i8 %state, %kept
  %all = icmp eq i8 %rest, 0
  %is.undefined = icmp eq i8 %state, {undefined}
  %from = and i8 %state, {SPECIAL_MASK}
  %is.special = icmp eq i8 %from, {SPECIAL}
  %to = and i8 %rest, {SPECIAL_MASK}
  %to.special = icmp eq i8 %to, {SPECIAL}
  br i1 %all, label %defined, label %some
defined:
  store atomic i8 0, ptr %p release, align 1
  br label %done
some:
  %hard = or i1 %is.special, %to.special
  br i1 %hard, label %failed, label %easy
easy:
  br i1 %is.undefined, label %fresh, label %exchange
fresh:
  {filled}
  br i1 %is.filled, label %exchange, label %failed
exchange:
  %unknown = icmp eq ptr @{_ALONE}, null
  br i1 %unknown, label %shared, label %library
library:
  %single = load i8, ptr @{_ALONE}, align 1
  %is.single = icmp ne i8 %single, 0
  br i1 %is.single, label %alone, label %shared
alone:
  %found = call i8 asm sideeffect "{_EXCHANGE}", "{_OPERANDS}"(ptr elementtype(i8) %p, i8 %rest, i8 %state)
  %is.same = icmp eq i8 %found, %state
  ret i1 %is.same
shared:
  %pair = cmpxchg ptr %p, i8 %state, i8 %rest release monotonic
  %is.done = extractvalue {{ i8, i1 }} %pair, 1
  ret i1 %is.done
failed:
  ret i1 false
done:
  ret i1 true
}}"""
    first = "\n  ".join(plane("%a", "first", "i16"))
    yield f"""define linkonce_odr hidden preserve_mostcc void @{SLOW}_clear(i64 %a, i64 %n) #2 {{
  {first}
  %offset = and i64 %a, {GRANULE - 1}
  %power = shl i64 1, %n
  %bytes = sub i64 %power, 1
  %moved = shl i64 %bytes, %offset
  %mask = trunc i64 %moved to i16
  %state.0 = trunc i16 %first to i8
  %mask.0 = trunc i16 %mask to i8
  %granule = sub i64 %a, %offset
  %ok.0 = call i1 @{SLOW}_part(ptr %first.plane, i8 %state.0, i8 %mask.0, i64 %granule)
  %high.state = lshr i16 %first, 8
  %state.1 = trunc i16 %high.state to i8
  %high.mask = lshr i16 %mask, 8
  %mask.1 = trunc i16 %high.mask to i8
  %next = getelementptr i8, ptr %first.plane, i64 1
  %behind = add i64 %granule, {GRANULE}
  %ok.1 = call i1 @{SLOW}_part(ptr %next, i8 %state.1, i8 %mask.1, i64 %behind)
  %ok = and i1 %ok.0, %ok.1
  br i1 %ok, label %end, label %ask
ask:
  musttail call preserve_mostcc void @{_ASK_STORE}(i64 %a, i64 %n)
  ret void
end:
  ret void
}}"""


def _filled() -> Iterator[str]:
    """%is.filled: the undefined %granule is as the block that was filled last."""
    for name in ("not_begin", "size", "word"):
        at = FILLED_AT + FILLED.offset(name)
        yield f"%{name}.at = getelementptr i8, ptr @{PASSING}, i64 {at}"
        yield f"%{name} = load i64, ptr %{name}.at, align 8"
    yield "%begin = xor i64 %not_begin, -1"
    yield "%distance = sub i64 %granule, %begin"
    yield "%is.inside = icmp ult i64 %distance, %size"
    yield "%place = inttoptr i64 %granule to ptr"
    yield f"%found.word = load i64, ptr %place, align {GRANULE}"
    yield "%is.same.word = icmp eq i64 %found.word, %word"
    yield "%is.filled = and i1 %is.inside, %is.same.word"


def _cleared_granules() -> str:
    """Bytes of several granules become defined. Most have all bytes of their granules, or of a granule of
    which the plane names the undefined bytes; the runtime gets the others."""
    first = "\n  ".join(plane("%a", "first")[:-1])
    return f"""define linkonce_odr hidden preserve_mostcc void @{SLOW}_clears(i64 %a, i64 %bytes) #2 {{
begin:
  {first}
  %before = and i64 %a, {GRANULE - 1}
  %misplaced = icmp ne i64 %before, 0
  br i1 %misplaced, label %ask, label %look
look:
  %rest = phi i64 [ %bytes, %begin ], [ %next.rest, %next ]
  %at = phi ptr [ %first.plane, %begin ], [ %next.at, %next ]
  %shift = phi i64 [ 0, %begin ], [ %next.shift, %next ]
  %left = phi i64 [ 0, %begin ], [ %next.left, %next ]
  %granule = add i64 %a, %shift
  %part = trunc i64 %rest to i8
  %whole = icmp eq i8 %part, -1
  br i1 %whole, label %define, label %some
define:
  store atomic i8 0, ptr %at release, align 1
  br label %next
some:
  %state = load atomic i8, ptr %at acquire, align 1
  %done = call i1 @{SLOW}_part(ptr %at, i8 %state, i8 %part, i64 %granule)
  br i1 %done, label %next, label %keep
keep:
  %kept = and i64 %rest, 255
  %kept.here = shl i64 %kept, %shift
  %more.left = or i64 %left, %kept.here
  br label %next
next:
  %next.left = phi i64 [ %left, %define ], [ %left, %some ], [ %more.left, %keep ]
  %next.rest = lshr i64 %rest, {GRANULE}
  %next.at = getelementptr i8, ptr %at, i64 1
  %next.shift = add i64 %shift, {GRANULE}
  %more = icmp ne i64 %next.rest, 0
  br i1 %more, label %look, label %end
end:
  %all = icmp eq i64 %next.left, 0
  br i1 %all, label %return, label %ask
ask:
  %asked = phi i64 [ %bytes, %begin ], [ %next.left, %end ]
  musttail call preserve_mostcc void @{_ASK_CLEAR}(i64 %a, i64 %asked)
  ret void
return:
  ret void
}}"""
