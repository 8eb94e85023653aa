"""The filter module: the definitions of the check markers in instrumented code.

The instrumenter puts a call to a *marker* before each access; the optimiser
sees it as an opaque call. Later the module generated here, in which each
marker is a small `alwaysinline` function chosen by the `Plan`, is linked in.
Before and after, for a load of 4 bytes and the filter "state"::

    call void @__whence_check_r4(ptr %p)
    %x = load i32, ptr %p

    %a = ptrtoint ptr %p to i64
    %s = load i8, ptr inttoptr (%a >> 3 + STATE_OFFSET)
    br (%s != 0), %cold, %end           ; %cold is unlikely
  cold:
    call preserve_mostcc void @__whence_suspect_4(i64 %a, i64 %a, i32 4)
    br %end
  end:
    %x = load i32, ptr %p

An access of less than a granule may be in bounds though the state is not 0. A
*suspect* function, once in each module, makes the exact test and continues with
`__whence_access` by a tail call, so that it leaves no frame of its own: one
branch and one block for each access are all that is added to the program's code::

    define preserve_mostcc void @__whence_suspect_4(i64 %a, i64 %b, i32 %desc)
      br (%s != 0 and %s <=s (%a & 7) + 3), %bad, %fine
    bad:
      musttail call preserve_mostcc void @__whence_access(i64 %a, i64 %b, i32 %desc)

Names: `__whence_check_{r|w}{1|2|4|8|16}[u](ptr addr)` where nothing is known
of the pointer's origin and `__whence_checkp_…(ptr addr, ptr root)` where it is
visible; `u` when the access may not be aligned to its size (to 8 for 16). All
are `void`. `__whence_check_copy(ptr to, ptr from, i64 n, i32 desc)` is for copies.
`__whence_checkin_…(ptr addr, ptr root, i64 begin, i64 limit)` is a `checkp` where the bounds of the
root's block are known (`whence.instrument.accesses.bounds`): it passes an address less than
`limit` bytes behind `begin`, and leaves all others to the same tests.
`__whence_checkof_…(ptr addr, ptr root, i64 limit)` passes an address less than `limit` bytes behind
`root`, the begin of a variable, and leaves all others to the runtime. `__whence_checkat_…(ptr addr,
ptr root, i64 index, i64 count)` is the same where the index of the access is known.
The state test may say "maybe" for an access that is in bounds (8
bytes in a granule that has fewer): the cold path decides.

State bytes: 0 is addressable, 1..7 the first k bytes are, 0x40.. addressable
with undefined bytes, negative is poisoned (`whence.abi.layout.STATES`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from whence.abi.analyses import DEFINEDNESS, EDGES, LABELS, ORIGINS, RACES, SYMBOLIC, Analysis
from whence.abi.entered import FLAGS
from whence.abi.layout import GRANULE, GRANULE_SHIFT, REGION_COUNT, REGION_SHIFT, STATE_OFFSET
from whence.abi.rules import ARGUMENTS, DESC_COPY, DESC_WRITE
from whence.abi.widths import CHECKED_WIDTHS
from whence.instrument.definedness import helpers, slow
from whence.instrument.edges import helpers as edge_helpers
from whence.instrument.labels import helpers as label_helpers
from whence.instrument.markers import lookup, steps, thread_uses
from whence.instrument.markers.accesses import (
    copy_marker_name,
    indexed_name,
    inside_name,
    markers,
    within_name,
)
from whence.instrument.origins import helpers as origin_helpers
from whence.instrument.passes.policy import asked_by
from whence.instrument.races import helpers as race_helpers
from whence.instrument.symbolic import helpers as symbolic_helpers
from whence.rules.filters import Filter
from whence.rules.lowering import Plan

_JUDGED = Filter.STATE | Filter.SLOT
"""The filters of rules about the block that the pointer of an access was derived from."""

# The dynamic linker's lazy binding saves fewer registers than the calling convention requires.
_EPILOGUE = """
declare preserve_mostcc void @__whence_access(i64, i64, i32) nonlazybind #1
declare void @__whence_copy(i64, i64, i64, i32) #1

attributes #0 = { alwaysinline nounwind "frame-pointer"="all" }
attributes #1 = { cold nounwind "frame-pointer"="all" }
attributes #3 = { cold nomerge nounwind }
attributes #2 = { cold noinline nounwind "frame-pointer"="non-leaf" }
attributes #4 = { noinline nounwind "frame-pointer"="non-leaf" }
!0 = !{!"branch_weights", i32 1, i32 1000000}
!1 = !{!"branch_weights", i32 1000000, i32 1}
"""


def asks_for_block(plan: Plan) -> bool:
    """Whether the filters pass every access inside of the live block that its pointer was derived from."""
    return plan.reads == plan.writes == _JUDGED


def generate(plan: Plan, asked: frozenset[Analysis] = frozenset(), *, logged: bool = False) -> str:
    """IR text that defines every marker for this plan, and what the code of analyses calls.

    asked: the analyses that the run asks for. logged: whether debuggers see the memory of variables.

    Definitions are `linkonce_odr hidden`: linking takes those that the
    instrumented module declares, and inlining removes them.
    """
    functions = [
        _function(name, plan.writes if write else plan.reads, write, size, provenance, unaligned)
        for name, write, size, provenance, unaligned in markers()
    ]
    suspects = [
        _suspect(filter_, size, unaligned)
        for filter_ in _EXACT
        for size, unaligned in ((1, False), (2, False), (2, True), (4, False), (4, True))
    ]
    if asks_for_block(plan):
        wide = [_suspect(_JUDGED, size, unaligned) for size in (8, 16) for unaligned in (False, True)]
        known = [_within(write, size, unaligned) for _, write, size, judged, unaligned in markers() if judged]
        inside = [
            define(write, size)
            for define in (_inside, _indexed)
            for write in (False, True)
            for size in CHECKED_WIDTHS
        ]
        suspects += [*wide, *known, *inside, lookup.define("#4")]
    copies = [_copy(size, "COPY" in plan.points) for size in (None, *CHECKED_WIDTHS)]
    analyses = asked_by(plan) | asked
    followed = [
        text
        for analysis, definitions in _definitions(logged)
        if analysis in analyses
        for text in definitions()
    ]
    arithmetic = list(steps.definitions(plan.points))
    if arithmetic:
        arithmetic.append(steps.RUNTIME)
    watched = events_through() if any(name != "main" for name in plan.functions) else ()
    others = (*arithmetic, *followed, *watched, thread_uses.definition(), _entered())
    return "\n\n".join([*functions, *suspects, *copies, *others]) + "\n" + _EPILOGUE


def _definitions(logged: bool) -> Iterator[tuple[Analysis, Callable[[], Iterable[str]]]]:
    """What the code of each analysis calls."""
    yield DEFINEDNESS, helpers.definitions
    yield DEFINEDNESS, slow.definitions
    yield ORIGINS, partial(origin_helpers.definitions, logged=logged)
    yield SYMBOLIC, symbolic_helpers.definitions
    yield LABELS, label_helpers.definitions
    yield RACES, race_helpers.definitions
    yield EDGES, edge_helpers.definitions


def _entered() -> str:
    """The marker of a function's begin, which sets the lowest bit of its word."""
    return f"""define linkonce_odr hidden void @__whence_check_entered(ptr %word) #0 {{
  %low = load i8, ptr %word, align 8
  %begun = or i8 %low, {FLAGS["BEGUN"]}
  store i8 %begun, ptr %word, align 8
  ret void
}}"""


def events_through() -> Iterator[str]:
    """The events of calls through pointers: of functions without IR whose address the program has."""
    words = [f"i64 %{at}" for at in range(3 + len(ARGUMENTS))]
    yield "@__whence_watched_bits = external global i64"
    for event in ("__whence_call", "__whence_ret"):
        yield f"declare void @{event}({', '.join(['i64'] * len(words))}) #1"
        yield f"""\
define linkonce_odr hidden void @{event}_through({", ".join(words)}) #0 {{
entry:
  %bits = load i64, ptr @__whence_watched_bits
  %unit = lshr i64 %1, 4
  %place = and i64 %unit, 63
  %shifted = lshr i64 %bits, %place
  %maybe = trunc i64 %shifted to i1
  br i1 %maybe, label %cold, label %end, !prof !0
cold:
  call void @{event}({", ".join(words)}) #3
  br label %end
end:
  ret void
}}"""


def _function(name: str, filter_: Filter, write: bool, size: int, provenance: bool, unaligned: bool) -> str:
    parameters = "ptr %addr, ptr %root" if provenance else "ptr %addr"
    if not provenance:
        # the address is its own root: always in one slot
        filter_ = filter_ if filter_ is Filter.ALWAYS else filter_ & Filter.STATE
    body = _body(filter_, write, size, provenance, unaligned)
    return f"define linkonce_odr hidden void @{name}({parameters}) #0 {{\n{body}\n}}"


def _body(filter_: Filter, write: bool, size: int, provenance: bool, unaligned: bool) -> str:
    if filter_ is Filter.NEVER:
        return "  ret void"
    lines = ["  %a = ptrtoint ptr %addr to i64"]
    root = "%a"
    if provenance:
        lines.append("  %b = ptrtoint ptr %root to i64")
        root = "%b"
    if filter_ is Filter.ALWAYS:
        lines.append("  br label %cold")
    else:
        lines += _tests(filter_, size, unaligned)
    desc = size | (DESC_WRITE if write else 0)
    exact = filter_ in _EXACT and size < GRANULE
    callee = _suspect_name(filter_, size, unaligned) if exact else "__whence_access"
    lines += [
        "cold:",
        f"  call preserve_mostcc void @{callee}(i64 %a, i64 {root}, i32 {desc}) #3",
        "  br label %end",
        "end:",
        "  ret void",
    ]
    return "\n".join(lines)


def _tests(filter_: Filter, size: int, unaligned: bool, maybe: str = "cold", fine: str = "end") -> list[str]:
    """The tests of an access, which branch to `maybe` or `fine`."""
    lines: list[str] = []
    quick: list[str] = []
    if filter_ & Filter.SLOT:
        lines += _slot()
        quick.append("%slot")
    offsets = _state_offsets(size, unaligned) if filter_ & Filter.STATE else []
    for i, offset in enumerate(offsets):
        lines += _load_state(i, offset, size == 16 and not unaligned)
        quick.append(f"%z{i}")
    lines += _any_nonzero(quick)
    lines.append(f"  br i1 %maybe, label %{maybe}, label %{fine}, !prof !0")
    return lines


_EXACT = (Filter.STATE, Filter.STATE | Filter.SLOT)
"""Filters of accesses with a suspect function."""


def _suspect_name(filter_: Filter, size: int, unaligned: bool) -> str:
    provenance = "p" if filter_ & Filter.SLOT else ""
    return f"__whence_suspect{provenance}_{size}{'u' if unaligned and size > 1 else ''}"


def _suspect(filter_: Filter, size: int, unaligned: bool) -> str:
    """The suspect function: the test of an access, which is exact for less than a granule."""
    if size < GRANULE:
        lines = _slot() if filter_ & Filter.SLOT else []
        for i, offset in enumerate(_state_offsets(size, unaligned)):
            lines += _load_state(i, offset, False)
        lines += _exact(filter_, size, unaligned)
    else:
        lines = _tests(filter_, size, unaligned, "bad", "fine")
    return "\n".join(
        [
            f"define linkonce_odr hidden preserve_mostcc void @{_suspect_name(filter_, size, unaligned)}"
            "(i64 %a, i64 %b, i32 %desc) #2 {",
            *lines,
            "bad:",
            "  musttail call preserve_mostcc void @__whence_access(i64 %a, i64 %b, i32 %desc)",
            "  ret void",
            "fine:",
            "  ret void",
            "}",
        ]
    )


def _within(write: bool, size: int, unaligned: bool) -> str:
    """The marker of an access with known bounds, which makes the usual tests outside of them."""
    name, closer = within_name(write, size, unaligned), _suspect_name(_JUDGED, size, unaligned)
    desc = size | (DESC_WRITE if write else 0)
    return f"""define linkonce_odr hidden void @{name}(ptr %addr, ptr %root, i64 %begin, i64 %limit) #0 {{
  %a = ptrtoint ptr %addr to i64
  %at = sub i64 %a, %begin
  %outside = icmp uge i64 %at, %limit
  br i1 %outside, label %cold, label %end, !prof !0
cold:
  %b = ptrtoint ptr %root to i64
  call preserve_mostcc void @{closer}(i64 %a, i64 %b, i32 {desc}) #3
  br label %end
end:
  ret void
}}"""


def _inside(write: bool, size: int) -> str:
    """The marker of an access to a variable, which reports accesses outside of it to the runtime."""
    name = inside_name(write, size)
    return f"""define linkonce_odr hidden void @{name}(ptr %addr, ptr %root, i64 %limit) #0 {{
  %a = ptrtoint ptr %addr to i64
  %b = ptrtoint ptr %root to i64
  %at = sub i64 %a, %b
  %outside = icmp uge i64 %at, %limit
  br i1 %outside, label %cold, label %end, !prof !0
cold:
{_leaving(write, size)}"""


def _indexed(write: bool, size: int) -> str:
    """The same for an access whose index is known."""
    name = indexed_name(write, size)
    return f"""define linkonce_odr hidden void @{name}(ptr %addr, ptr %root, i64 %index, i64 %count) #0 {{
  %outside = icmp uge i64 %index, %count
  br i1 %outside, label %cold, label %end, !prof !0
cold:
  %a = ptrtoint ptr %addr to i64
  %b = ptrtoint ptr %root to i64
{_leaving(write, size)}"""


def _leaving(write: bool, size: int) -> str:
    """The end of the marker of an access to a variable, which begins where it may be outside."""
    desc = size | (DESC_WRITE if write else 0)
    return f"""\
  call preserve_mostcc void @__whence_access(i64 %a, i64 %b, i32 {desc}) #3
  br label %end
end:
  ret void
}}"""


def _copy(size: int | None, wanted: bool) -> str:
    """The marker of a copy: its ranges overlap if their distance is less than their length, and not 0."""
    parameters = "ptr %to, ptr %from" + (", i64 %n, i32 %desc" if size is None else "")
    head = f"define linkonce_odr hidden void @{copy_marker_name(size)}({parameters}) #0 {{"
    if not wanted:
        return f"{head}\n  ret void\n}}"
    length = "%n" if size is None else str(size)
    cold = "call void @__whence_copy(i64 %a, i64 %b, i64 %n, i32 %desc) #3"
    if size is not None:
        cold = f"call preserve_mostcc void @__whence_access(i64 %a, i64 %b, i32 {size | DESC_COPY}) #3"
    return f"""{head}
  %a = ptrtoint ptr %to to i64
  %b = ptrtoint ptr %from to i64
  %up = sub i64 %a, %b
  %down = sub i64 %b, %a
  %above = icmp ult i64 %up, {length}
  %below = icmp ult i64 %down, {length}
  %near = or i1 %above, %below
  %differ = icmp ne i64 %a, %b
  %maybe = and i1 %near, %differ
  br i1 %maybe, label %cold, label %end, !prof !0
cold:
  {cold}
  br label %end
end:
  ret void
}}"""


def _slot() -> list[str]:
    """%slot is nonzero when %a and %b lie in different slots (see `whence.abi.layout`)."""
    return [
        "  %differ = xor i64 %a, %b",
        f"  %region = lshr i64 %b, {REGION_SHIFT}",
        f"  %shift = and i64 %region, {REGION_COUNT - 1}",
        "  %slot = lshr i64 %differ, %shift",
    ]


def _state_offsets(size: int, unaligned: bool) -> list[int]:
    """Offsets from the address whose granules' state bytes are loaded."""
    if not unaligned or size == 1:
        return [0]
    return [0, size - 1] if size <= GRANULE else [0, GRANULE, size - 1]


def _load_state(i: int, offset: int, pair: bool) -> list[str]:
    """%s<i> is the state of the granule at `offset`, %z<i> the same in 64 bits; `pair`: of two granules."""
    address, lines = "%a", []
    if offset:
        address = f"%a{i}"
        lines.append(f"  {address} = add i64 %a, {offset}")
    type_ = "i16" if pair else "i8"
    return [
        *lines,
        f"  %g{i} = lshr i64 {address}, {GRANULE_SHIFT}",
        f"  %n{i} = add i64 %g{i}, {STATE_OFFSET}",
        f"  %p{i} = inttoptr i64 %n{i} to ptr",
        f"  %s{i} = load {type_}, ptr %p{i}, align 1",
        f"  %z{i} = zext {type_} %s{i} to i64",
    ]


def _any_nonzero(values: list[str]) -> list[str]:
    """%maybe: some value is not 0."""
    lines, so_far = [], values[0]
    for i, value in enumerate(values[1:]):
        lines.append(f"  %any{i} = or i64 {so_far}, {value}")
        so_far = f"%any{i}"
    return [*lines, f"  %maybe = icmp ne i64 {so_far}, 0"]


def _exact(filter_: Filter, size: int, unaligned: bool) -> list[str]:
    """Compares the last accessed byte with the number of addressable bytes of its granule."""
    lines = [f"  %low = and i64 %a, {GRANULE - 1}", f"  %last = add i64 %low, {size - 1}"]
    checks = []
    if unaligned and size > 1:
        lines += [
            f"  %over = icmp ugt i64 %last, {GRANULE - 1}",
            f"  %last0 = select i1 %over, i64 {GRANULE - 1}, i64 %last",
            f"  %last1 = and i64 %last, {GRANULE - 1}",
            *_beyond(0, "%last0"),
            *_beyond(1, "%last1"),
        ]
        # in one granule the first state is also the last: comparing it with %last0 is enough
        checks = ["%bad0", "%bad1"]
    else:
        lines += _beyond(0, "%last")
        checks = ["%bad0"]
    if filter_ & Filter.SLOT:
        lines.append("  %elsewhere = icmp ne i64 %slot, 0")
        checks.append("%elsewhere")
    so_far = checks[0]
    for i, check in enumerate(checks[1:]):
        lines.append(f"  %worse{i} = or i1 {so_far}, {check}")
        so_far = f"%worse{i}"
    return [*lines, f"  br i1 {so_far}, label %bad, label %fine, !prof !0"]


def _beyond(i: int, last: str) -> list[str]:
    """%bad<i>: the state is not 0, and the byte at offset `last` of the granule is not addressable."""
    return [
        f"  %t{i} = trunc i64 {last} to i8",
        f"  %few{i} = icmp sle i8 %s{i}, %t{i}",
        f"  %some{i} = icmp ne i8 %s{i}, 0",
        f"  %bad{i} = and i1 %few{i}, %some{i}",
    ]
