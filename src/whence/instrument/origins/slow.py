"""What code with origins calls where the quick way does not do: it leaves registers as they are.

A node that the site has not made last, and a pointer that is lost, are still settled without the runtime
where the thread's own tables have room for them (`whence.abi.origins.LATELY`, `LOST`).
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.origins import (
    LATELY,
    LATELY_BITS,
    LATELY_HASH,
    LATELY_PARENT,
    LOST,
    NODES_BITS,
    ORIGIN_ARGUMENTS,
    ORIGIN_LATELY,
    ORIGIN_PASSED,
    ORIGINS_SIZE,
)
from whence.instrument.markers.prefixes import ORIGINS
from whence.instrument.shadow.area import Area

AREA = Area("__whence_origins", ORIGIN_PASSED, ORIGINS_SIZE, ORIGIN_ARGUMENTS, word=8)


def own_thread() -> str:
    """%thread is node 0 of this thread."""
    return f"{AREA.at('thread', 'thread.at')}\n  %thread = load i32, ptr %thread.at, align 8"


def is_own(node: str) -> str:
    """%own says whether this thread made a node."""
    return f"""{own_thread()}
  %threads = xor i32 %{node}, %thread
  %own = icmp ult i32 %threads, {1 << NODES_BITS}"""


def definitions(fresh: str) -> Iterator[str]:
    """The definitions. fresh: the function of the runtime that clears the cells of memory."""
    yield from _slow_step()
    yield from _slow_left()
    slow = "define linkonce_odr hidden preserve_mostcc"
    yield f"""{slow} i32 @{ORIGINS}slow_load(ptr %site, i64 %a, i64 %n, i64 %v) #2 {{
  %x = call i32 @__whence_origin_lost(ptr %site, i64 %a, i64 %n, i64 %v)
  ret i32 %x
}}"""
    yield f"""{slow} void @{ORIGINS}slow_store(i64 %a, i64 %n, i64 %v, i32 %node) #2 {{
  call void @__whence_origin_keep(i64 %a, i64 %n, i64 %v, i32 %node)
  ret void
}}"""
    yield f"""{slow} void @{ORIGINS}slow_over(i64 %a, i64 %v, i32 %node) #2 {{
  call void @__whence_origin_over(i64 %a, i64 %v, i32 %node)
  ret void
}}"""
    yield f"""{slow} void @{ORIGINS}slow_wrote(ptr %site, i64 %writing) #2 {{
  call void @__whence_origin_written(ptr %site, i64 %writing)
  ret void
}}"""
    yield f"""{slow} void @{ORIGINS}slow_fresh(ptr %p, i64 %n) #2 {{
  call void @{fresh}(ptr %p, i64 %n)
  ret void
}}"""


def _slow_step() -> Iterator[str]:
    """The node of a site for another parent than the last: as this thread was asked for lately, else the
    runtime is asked."""
    signature = "(ptr %site, i32 %parent) #2 {"
    yield f"""define linkonce_odr hidden preserve_mostcc i32 @{ORIGINS}new_step{signature}
  %x = call i32 @__whence_origin_make(ptr %site, i32 %parent)
  ret i32 %x
}}"""
    yield f"""define linkonce_odr hidden preserve_mostcc i32 @{ORIGINS}slow_step{signature}
  %s = ptrtoint ptr %site to i64
  %p = zext i32 %parent to i64
  %far = mul i64 %p, {LATELY_PARENT}
  %sum = add i64 %s, %far
  %hash = mul i64 %sum, {LATELY_HASH}
  %index = lshr i64 %hash, {64 - LATELY_BITS}
  %offset = mul i64 %index, {LATELY.size}
  %within = add i64 %offset, {ORIGIN_LATELY}
  %entry = getelementptr i8, ptr @__whence_origins, i64 %within
  %word.at = getelementptr i8, ptr %entry, i64 {LATELY.offset("word")}
  %word = load volatile i64, ptr %word.at, align 8
  %known = load volatile ptr, ptr %entry, align 8
  %again = load volatile i64, ptr %word.at, align 8
  %key = trunc i64 %word to i32
  %same = icmp eq i32 %key, %parent
  %here = icmp eq ptr %known, %site
  %kept = icmp eq i64 %again, %word
  %some = and i1 %same, %here
  %all = and i1 %some, %kept
  br i1 %all, label %found, label %cold, !prof !1
found:
  %node = lshr i64 %word, 32
  %upper = shl i64 %p, 32
  %cached = or i64 %upper, %node
  store atomic i64 %cached, ptr %site monotonic, align 8
  %number = trunc i64 %node to i32
  ret i32 %number
cold:
  %new = musttail call preserve_mostcc i32 @{ORIGINS}new_step(ptr %site, i32 %parent)
  ret i32 %new
}}"""


def _slow_left() -> Iterator[str]:
    """A pointer to the heap is lost: written down for the runtime where there is room."""
    signature = "(ptr %site, i64 %v, i32 %node) #2 {"
    yield f"""define linkonce_odr hidden preserve_mostcc void @{ORIGINS}new_left{signature}
  call void @__whence_origin_lose(ptr %site, i64 %v, i32 %node)
  ret void
}}"""
    stores = "\n".join(
        f"  %{name}.to = getelementptr i8, ptr %next, i64 {LOST.offset(name)}\n"
        f"  store {value}, ptr %{name}.to, align 4"
        for name, value in (
            ("inverted", "i64 %other"),
            ("site", "ptr %site"),
            ("clock", "i64 %clock"),
            ("node", "i32 %node"),
            ("tag", "i32 %tag"),
            ("holder", "i64 0"),
        )
    )
    yield f"""define linkonce_odr hidden preserve_mostcc void @{ORIGINS}slow_left{signature}
{AREA.at("lost_next", "next.at")}
  %next = load ptr, ptr %next.at, align 8
{AREA.at("lost_end", "end.at")}
  %end = load ptr, ptr %end.at, align 8
  %full = icmp eq ptr %next, %end
  br i1 %full, label %cold, label %put, !prof !0
put:
{AREA.at("lost_clock", "clock.at")}
  %clock.of = load ptr, ptr %clock.at, align 8
  %clock = load i64, ptr %clock.of, align 8
  %other = xor i64 %v, -1
{own_thread()}
  %tag = lshr i32 %thread, {NODES_BITS}
{stores}
  %more = getelementptr i8, ptr %next, i64 {LOST.size}
  store ptr %more, ptr %next.at, align 8
  ret void
cold:
  musttail call preserve_mostcc void @{ORIGINS}new_left(ptr %site, i64 %v, i32 %node)
  ret void
}}"""
