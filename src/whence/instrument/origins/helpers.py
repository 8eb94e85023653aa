"""The functions that code with origins calls: their names, declarations and definitions.

Passes insert only calls, whose definitions are inlined after LLVM's pipeline
(`whence.instrument.detectors.filters`). A node is a pure function of its site and its parent, or of its site
and the thread, so LLVM deletes the nodes that nobody needs.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.layout import HEAP_BASE, HEAP_SIZE
from whence.abi.origins import (
    CELL_SHIFT,
    CHUNK_SHIFT,
    MOST_WORDS,
    ORIGIN_ARGUMENTS,
    PARTS,
    TABLE_BASE,
    UNIT_SHIFT,
)
from whence.instrument.markers.planes import find_cell
from whence.instrument.markers.prefixes import ORIGINS
from whence.instrument.origins import copies, parts, slow
from whence.instrument.origins.copies import COPY
from whence.instrument.origins.slow import AREA, is_own, own_thread

STEP, BORN = f"{ORIGINS}step", f"{ORIGINS}born"
LOAD, STORE = f"{ORIGINS}load", f"{ORIGINS}store"
PASS, CALL, PARAMETER = f"{ORIGINS}pass", f"{ORIGINS}call", f"{ORIGINS}parameter"
RETURN, RETURNED = f"{ORIGINS}return", f"{ORIGINS}returned"
SECOND, SECOND_OF = f"{ORIGINS}second", f"{ORIGINS}second_of"
"""Of structs in registers, those for the second part."""
USE, OPERANDS = f"{ORIGINS}use", f"{ORIGINS}operands"
TARGET = f"{ORIGINS}target"
"""Of a pointer that is called: a recipe always takes its place."""
DEFER = f"{ORIGINS}defer"
SET, FILLED, FREED = f"{ORIGINS}set", f"{ORIGINS}filled", f"{ORIGINS}freed"
ZEROED = f"{ORIGINS}zeroed"
LEFT, GONE, FREEING = f"{ORIGINS}left", f"{ORIGINS}gone", f"{ORIGINS}freeing"
INDEXED, COMPUTED = f"{ORIGINS}indexed", f"{ORIGINS}computed"
SORTING, SORTED = f"{ORIGINS}sorting", f"{ORIGINS}sorted"
BY_VALUE, RECEIVED = f"{ORIGINS}by_value", f"{ORIGINS}received"
DECIDES, NARROW = f"{ORIGINS}decides", f"{ORIGINS}narrow"
FIELD, KEEP_FIELD = f"{ORIGINS}field", f"{ORIGINS}keep_field"
FRESH, SIZED = f"{ORIGINS}fresh", f"{ORIGINS}sized"
CALLING = f"{ORIGINS}calling"
COPIED = f"{ORIGINS}copied"
WRITING, WRITTEN, FILLING = f"{ORIGINS}writing", f"{ORIGINS}wrote", f"{ORIGINS}filling"
JOIN = f"{ORIGINS}join"
LISTING, LISTED, UNLISTED = f"{ORIGINS}listing", f"{ORIGINS}listed", f"{ORIGINS}unlisted"
"""Functions of the runtime."""

_PURE = "nounwind willreturn memory(none)"
_READS = "nounwind willreturn memory(inaccessiblemem: read)"
_LOOKS = "nounwind willreturn memory(argmem: read, inaccessiblemem: read)"
_WRITES = "nounwind willreturn memory(inaccessiblemem: readwrite)"
_READS_TEXT = "nounwind willreturn memory(argmem: read, inaccessiblemem: readwrite)"
_PLACES = "ptr captures(address), ptr captures(address)"
_COPY_OF_TEXT = f"ptr, {_PLACES}, i64, i64"
_READS_LIST = "nounwind willreturn memory(read, argmem: readwrite, inaccessiblemem: readwrite)"
_READS_ALL = "nounwind willreturn memory(read, inaccessiblemem: readwrite)"
_WORDS = {"4": "i32", "8": "i64", "p": "ptr"}
"""Suffixes of functions, and the types of the values that they take."""
_QUICKLY_FRESH = (4, 8, 12, 16, 24, 32, 40, 48, 64)
"""Bytes of variables whose cells generated code clears by itself."""


def fresh(size: int) -> tuple[str, bool]:
    """The function by which the memory of a variable of so many bytes begins anew, and whether it takes the
    size."""
    return (f"{FRESH}_{size}", False) if size in _QUICKLY_FRESH else (FRESH, True)


def deferred(words: int) -> str:
    """The function by which a use leaves a recipe and so many words in place of nodes."""
    return f"{DEFER}_{words}"


def used(operands: int) -> str:
    """The function of a use whose index has a value, and so many operands; a recipe takes its place."""
    return f"{USE}_{operands}"


def suffix_of(type_: str) -> str:
    """The suffix for values of a type that the plane follows; raises `KeyError` for other types."""
    return {type_: suffix for suffix, type_ in (_WORDS | parts.TYPES).items()}[type_]


def declaration(name: str, *, strict: bool = False) -> str:
    """What declares one of these functions; raises `KeyError` for other names.

    strict: a look at memory stays behind what happens to the memory before, and before what happens later.
    """
    looks = _LOOKS if strict else _READS
    word = (_WORDS | parts.TYPES).get(name[-1], "")
    by_kind = {
        STEP: f"declare i32 @{name}(ptr, i32) {_PURE}",
        BORN: f"declare i32 @{name}(ptr) {_PURE}",
        f"{LOAD}_": f"declare i32 @{name}(ptr, ptr captures(address), {word}) {looks}",
        f"{STORE}_": f"declare void @{name}(ptr captures(address), {word}, i32) {_WRITES}",
        f"{PASS}_": f"declare void @{name}(i64, i32, {word}) {_WRITES}",
        CALL: f"declare void @{name}(ptr, i64) {_WRITES}",
        JOIN: f"declare i32 @{name}(ptr, ptr, i32, i32) {_PURE}",
        CALLING: f"declare void @{name}(ptr) {_WRITES}",
        COPIED: f"declare void @{name}({_COPY_OF_TEXT}) {_READS_TEXT}",
        WRITING: f"declare void @{name}(ptr) {_WRITES}",
        WRITTEN: f"declare void @{name}(ptr) {_READS_ALL}",
        FILLING: f"declare void @{name}(ptr, ptr, i64) {_READS_ALL}",
        LISTING: f"declare void @{name}(ptr captures(none), ptr captures(address), i64) {_READS_LIST}",
        LISTED: f"declare void @{name}(ptr captures(none), ptr captures(none)) {_READS_LIST}",
        UNLISTED: f"declare void @{name}(ptr captures(none)) {_READS_LIST}",
        f"{PARAMETER}_": f"declare i32 @{name}(ptr, ptr, i64, {word}) {_READS}",
        f"{RETURN}_": f"declare void @{name}(ptr, i32, {word}) {_WRITES}",
        f"{RETURNED}_": f"declare i32 @{name}(ptr, {word}) {_READS}",
        f"{SECOND}_": f"declare void @{name}(i32, {word}) {_WRITES}",
        f"{SECOND_OF}_": f"declare i32 @{name}(ptr, {word}) {_READS}",
        USE: f"declare void @{name}(ptr captures(address), i32) {_WRITES}",
        TARGET: f"declare void @{name}(ptr captures(address), i32) {_WRITES}",
        f"{USE}_": f"declare void @{name}(ptr captures(address), i32{_used_values(name)}) {_WRITES}",
        BY_VALUE: f"declare void @{name}(ptr, ptr, i64, ptr captures(address)) {_WRITES}",
        RECEIVED: f"declare void @{name}(ptr, ptr, i64, {_PLACES}, i64) {_WRITES}",
        SORTING: f"declare ptr @{name}(ptr, ptr captures(address), i64, i64) {_READS_ALL}",
        SORTED: f"declare void @{name}(ptr, ptr captures(address), i64, i64, ptr) {_READS_ALL}",
        INDEXED: f"declare void @{name}(ptr, ptr captures(address), i64, i32, i32, ...) {_WRITES}",
        COMPUTED: f"declare void @{name}(ptr, i64, i64, i64, i32, i32, ...) {_WRITES}",
        f"{DEFER}_": f"declare void @{name}(ptr captures(address), ptr{_deferred_words(name)}) {_WRITES}",
        OPERANDS: f"declare void @{name}(i64, i64, i32, i32) {_WRITES}",
        COPY: f"declare void @{name}(ptr, ptr captures(address), ptr captures(address), i64) {_WRITES}",
        f"{COPY}_": f"declare void @{name}(ptr, ptr captures(address), ptr captures(address)) {_WRITES}",
        SET: f"declare void @{name}(ptr, ptr captures(address), i64) {_WRITES}",
        FILLED: f"declare void @{name}(ptr, ptr captures(address), i64, i32) {_WRITES}",
        ZEROED: f"declare void @{name}(ptr, ptr captures(address), i64, i64) {_WRITES}",
        FREED: f"declare void @{name}(i32, ptr captures(address)) {_WRITES}",
        LEFT: f"declare void @{name}(ptr, ptr captures(address), i32) {_WRITES}",
        GONE: f"declare void @{name}(ptr, ptr captures(address), i64) {_WRITES}",
        FREEING: f"declare void @{name}(ptr, ptr captures(address)) {_WRITES}",
        FRESH: f"declare void @{name}(ptr captures(address), i64) {_WRITES}",
        DECIDES: f"declare void @{name}(ptr, i32, i32) {_WRITES}",
        NARROW: f"declare i32 @{name}(ptr, ptr captures(address), i64, i32) {_LOOKS}",
        FIELD: f"declare i32 @{name}(ptr, ptr captures(address), i64, i64) {looks}",
        KEEP_FIELD: f"declare void @{name}(ptr captures(address), i64, i64, i32) {_WRITES}",
        SIZED: f"declare void @{name}(ptr captures(address), i64, i64, i64, i32) {_WRITES}",
        f"{FRESH}_": f"declare void @{name}(ptr captures(address)) {_WRITES}",
    }
    return by_kind[name if name in by_kind else name.rstrip("0123456789p")]


def definitions(*, logged: bool = False) -> Iterator[str]:
    """The definitions of all, and declarations of the runtime's functions.

    logged: whether the runtime is called for each store, because it logs them.
    """
    yield AREA.declared
    yield "declare i32 @__whence_origin_make(ptr, i32) #1"
    yield f"declare i32 @{JOIN}(ptr, ptr, i32, i32) #1"
    yield "declare i32 @__whence_origin_lost(ptr, i64, i64, i64) #1"
    yield "declare void @__whence_origin_keep(i64, i64, i64, i32) #1"
    yield "declare void @__whence_origin_over(i64, i64, i32) #1"
    yield "declare void @__whence_origin_lose(ptr, i64, i32) #1"
    yield f"declare void @{COPIED}(ptr, ptr, ptr, i64, i64) #1"
    yield f"declare ptr @{SORTING}(ptr, ptr, i64, i64) #1"
    yield f"declare void @{SORTED}(ptr, ptr, i64, i64, ptr) #1"
    yield f"declare void @{BY_VALUE}(ptr, ptr, i64, ptr) #1"
    yield f"declare void @{RECEIVED}(ptr, ptr, i64, ptr, ptr, i64) #1"
    yield f"declare void @{INDEXED}(ptr, ptr, i64, i32, i32, ...) #1"
    yield f"declare void @{COMPUTED}(ptr, i64, i64, i64, i32, i32, ...) #1"
    yield f"declare void @{FILLING}(ptr, ptr, i64) #1"
    yield "declare void @__whence_origin_written(ptr, i64) #1"
    yield f"declare void @{FRESH}(ptr, i64) #1"
    yield f"declare void @{LISTING}(ptr, ptr, i64) #1"
    yield f"declare void @{LISTED}(ptr, ptr) #1"
    yield f"declare void @{UNLISTED}(ptr) #1"
    yield from slow.definitions(FRESH)
    yield from copies.definitions(logged=logged)
    yield _step()
    yield _born()
    for suffix in _WORDS:
        yield _load(suffix)
        yield _logged_store(suffix) if logged else _store(suffix)
    yield from parts.definitions(LOAD, STORE, logged=logged)
    for suffix in "8p":
        yield from (_pass(suffix), _parameter(suffix), _return(suffix), _returned(suffix))
        yield from (_second(suffix), _returned(suffix, SECOND_OF, "second"))
    yield _call()
    yield _told(CALLING, "calling")
    yield _told(WRITING, "writing")
    yield _written()
    yield _use()
    for words in range(MOST_WORDS + 1):
        yield _defer(words)
    yield _operands()
    yield _decides()
    yield _left()
    for size in _QUICKLY_FRESH:
        yield _fresh(size)


def _define(result: str, name: str, parameters: str, body: str) -> str:
    return f"define linkonce_odr hidden {result} @{name}({parameters}) #0 {{\n{body.strip()}\n}}"


def _step() -> str:
    return _define(
        "i32",
        STEP,
        "ptr %site, i32 %parent",
        f"""
  %cached = load atomic i64, ptr %site monotonic, align 8
  %upper = lshr i64 %cached, 32
  %key = trunc i64 %upper to i32
  %hit = icmp eq i32 %key, %parent
  br i1 %hit, label %known, label %cold, !prof !1
known:
  %node = trunc i64 %cached to i32
  ret i32 %node
cold:
  %new = call preserve_mostcc i32 @{ORIGINS}slow_step(ptr %site, i32 %parent) #3
  ret i32 %new""",
    )


def _born() -> str:
    """The first node of a chain: its parent says which thread this is."""
    return _define(
        "i32",
        BORN,
        "ptr %site",
        f"""
{own_thread()}
  %node = call i32 @{STEP}(ptr %site, i32 %thread)
  ret i32 %node""",
    )


def _word(suffix: str) -> str:
    """%v is the value as 64 bits."""
    if suffix == "8":
        return "  %v = add i64 %value, 0"
    return f"  %v = {'ptrtoint ptr' if suffix == 'p' else 'zext i32'} %value to i64"


def _find(suffix: str, there: str) -> str:
    """Goes to the label where the address has a cell, and begins it, else to `cold`."""
    return f"""  %a = ptrtoint ptr %p to i64
{_word(suffix)}
{find_cell(TABLE_BASE, CHUNK_SHIFT, UNIT_SHIFT, CELL_SHIFT)}
  %some = icmp ne i64 %chunk, 0
  %rest.of = and i64 %a, {(1 << UNIT_SHIFT) - 1}
  %begins = icmp eq i64 %rest.of, 0
  %there = and i1 %some, %begins
  br i1 %there, label %{there}, label %cold, !prof !1
{there}:"""


_PACK = """  %n = zext i32 %node to i64
  %low = shl i64 %v, 32
  %word = or i64 %low, %n"""
"""%word is the node %node, and above it the lower bits of the value."""


def _load(suffix: str) -> str:
    """The node in a cell, if this thread made it and the memory still holds what was stored with it."""
    size = 4 if suffix == "4" else 8
    second = ""
    same = "%fits"
    if size == 8:
        second = """
  %next = getelementptr i64, ptr %cell, i64 1
  %high.cell = load i64, ptr %next, align 8
  %high = and i64 %v, -4294967296
  %high.rest = xor i64 %high.cell, %high
  %equal = icmp eq i64 %high.rest, %rest
  %both = and i1 %fits, %equal"""
        same = "%both"
    return _define(
        "i32",
        f"{LOAD}_{suffix}",
        f"ptr %site, ptr %p, {_WORDS[suffix]} %value",
        f"""
{_find(suffix, "look")}
  %low.cell = load i64, ptr %cell, align 8
  %low = shl i64 %v, 32
  %rest = xor i64 %low.cell, %low
  %before = sub i64 %rest, 1
  %fits = icmp ult i64 %before, {PARTS - 1}{second}
  %node = trunc i64 %rest to i32
{is_own("node")}
  %usual = and i1 {same}, %own
  br i1 %usual, label %known, label %cold, !prof !1
known:
  ret i32 %node
cold:
  %new = call preserve_mostcc i32 @{ORIGINS}slow_load(ptr %site, i64 %a, i64 {size}, i64 %v) #3
  ret i32 %new""",
    )


_OVER = f"""  %old.next = getelementptr i64, ptr %cell, i64 1
  %old.cell = load i64, ptr %old.next, align 8
  %old.high = lshr i64 %old.cell, 32
  %old.offset = sub i64 %old.high, {HEAP_BASE >> 32}
  %old.heap = icmp ult i64 %old.offset, {HEAP_SIZE >> 32}
  br i1 %old.heap, label %over, label %write
over:
  call preserve_mostcc void @{ORIGINS}slow_over(i64 %a, i64 %v, i32 %node) #3
  br label %write
write:
"""
"""Before a store, what a pointer to a heap block in its place points to is told."""


def _store(suffix: str) -> str:
    size = 4 if suffix == "4" else 8
    over = _OVER if suffix == "p" else ""
    second = ""
    if size == 8:
        second = """
  %next = getelementptr i64, ptr %cell, i64 1
  %high = and i64 %v, -4294967296
  %high.word = or i64 %high, %n
  store i64 %high.word, ptr %next, align 8"""
    return _define(
        "void",
        f"{STORE}_{suffix}",
        f"ptr %p, {_WORDS[suffix]} %value, i32 %node",
        f"""
{_find(suffix, "put")}
{over}{_PACK}
  store i64 %word, ptr %cell, align 8{second}
  ret void
cold:
  call preserve_mostcc void @{ORIGINS}slow_store(i64 %a, i64 {size}, i64 %v, i32 %node) #3
  ret void""",
    )


def _logged_store(suffix: str) -> str:
    size = 4 if suffix == "4" else 8
    return _define(
        "void",
        f"{STORE}_{suffix}",
        f"ptr %p, {_WORDS[suffix]} %value, i32 %node",
        f"""
  %a = ptrtoint ptr %p to i64
{_word(suffix)}
  call preserve_mostcc void @{ORIGINS}slow_store(i64 %a, i64 {size}, i64 %v, i32 %node) #3
  ret void""",
    )


_UNPACK = """  %low = shl i64 %v, 32
  %rest = xor i64 %word, %low
  %small = icmp ult i64 %rest, 4294967296
  %fits = and i1 %meant, %small"""
"""%rest is the node in %word, if %fits: what was passed is meant for this function and this value."""


def _pass(suffix: str) -> str:
    body = f"""
{_word(suffix)}
{_PACK}
{AREA.at_index(ORIGIN_ARGUMENTS)}
  store i64 %word, ptr %slot, align 8
  ret void"""
    return _define("void", f"{PASS}_{suffix}", f"i64 %index, i32 %node, {_WORDS[suffix]} %value", body)


def _call() -> str:
    body = f"""
{AREA.names("callee")}
{AREA.at("count", "many")}
  store i64 %count, ptr %many, align 8
  ret void"""
    return _define("void", CALL, "ptr %function, i64 %count", body)


def _told(name: str, field: str) -> str:
    """The site of a call is there for the library function."""
    body = f"""
  %s = ptrtoint ptr %site to i64
{AREA.at(field, "to")}
  store i64 %s, ptr %to, align 8
  ret void"""
    return _define("void", name, "ptr %site", body)


def _written() -> str:
    """The call has ended; the runtime looks at what it was going to write."""
    body = f"""
{AREA.at("writing", "to")}
  %writing = load i64, ptr %to, align 8
  store i64 0, ptr %to, align 8
{AREA.at("written", "at")}
  %kept = load i64, ptr %at, align 8
  %none = icmp eq i64 %kept, 0
  br i1 %none, label %done, label %look, !prof !1
look:
  call preserve_mostcc void @{ORIGINS}slow_wrote(ptr %site, i64 %writing) #3
  br label %done
done:
  ret void"""
    return _define("void", WRITTEN, "ptr %site", body)


def _parameter(suffix: str) -> str:
    """The node that is passed, if it is meant for this function and this value."""
    body = f"""
{_word(suffix)}
{AREA.meant("callee")}
{AREA.at_index(ORIGIN_ARGUMENTS)}
  %word = load i64, ptr %slot, align 8
{_UNPACK}
  br i1 %fits, label %known, label %cold
known:
  %node = trunc i64 %rest to i32
  ret i32 %node
cold:
  %new = call i32 @{BORN}(ptr %site)
  ret i32 %new"""
    parameters = f"ptr %function, ptr %site, i64 %index, {_WORDS[suffix]} %value"
    return _define("i32", f"{PARAMETER}_{suffix}", parameters, body)


def _return(suffix: str) -> str:
    body = f"""
{_word(suffix)}
{_PACK}
{AREA.names("returned")}
{AREA.at("result", "at")}
  store i64 %word, ptr %at, align 8
  ret void"""
    return _define("void", f"{RETURN}_{suffix}", f"ptr %function, i32 %node, {_WORDS[suffix]} %value", body)


def _second(suffix: str) -> str:
    body = f"""
{_word(suffix)}
{_PACK}
{AREA.at("second", "to")}
  store i64 %word, ptr %to, align 8
  ret void"""
    return _define("void", f"{SECOND}_{suffix}", f"i32 %node, {_WORDS[suffix]} %value", body)


def _returned(suffix: str, name: str = RETURNED, field: str = "result") -> str:
    """The node of a result, or of its second part, 0 if other code has returned it."""
    body = f"""
{_word(suffix)}
{AREA.meant("returned")}
{AREA.at(field, "at")}
  %word = load i64, ptr %at, align 8
{_UNPACK}
  %node = trunc i64 %rest to i32
  %known = select i1 %fits, i32 %node, i32 0
  ret i32 %known"""
    return _define("i32", f"{name}_{suffix}", f"ptr %function, {_WORDS[suffix]} %value", body)


def _pair(word: str, low: str, high: str) -> str:
    """%`word` is a number of 32 bits, and above it another."""
    return f"""  %{word}.low = zext i32 %{low} to i64
  %{word}.more = zext i32 %{high} to i64
  %{word}.high = shl i64 %{word}.more, 32
  %{word} = or i64 %{word}.low, %{word}.high"""


def _use() -> str:
    body = f"""
  %word = zext i32 %node to i64
{AREA.at("use_words", "to")}
  store i64 %word, ptr %to, align 8
{AREA.at("use_recipe", "of")}
  store i64 0, ptr %of, align 8
{_used()}"""
    return _define("void", USE, "ptr %p, i32 %node", body)


def _used() -> str:
    """The address of a use: it comes last, so that what stands before it is about it."""
    return f"""  %a = ptrtoint ptr %p to i64
{AREA.at("use_address", "at")}
  %inverted = xor i64 %a, -1
  store i64 %inverted, ptr %at, align 8
  ret void"""


def _used_values(name: str) -> str:
    """Which operands have a sign, and of the index and each of them its node and its value."""
    return ", i64" + ", i32, i64" * (int(name.rpartition("_")[2]) + 1) if name.startswith(f"{USE}_") else ""


def _deferred_words(name: str) -> str:
    return ", i64" * int(name.rpartition("_")[2]) if name.startswith(DEFER) else ""


def _defer(words: int) -> str:
    names = ["use_words", *(f"use_word{number}" for number in range(1, MOST_WORDS))][:words]
    stores = "\n".join(
        f"{AREA.at(name, f'to{number}')}\n  store i64 %w{number}, ptr %to{number}, align 8"
        for number, name in enumerate(names)
    )
    body = f"""
{stores}
  %recipe = ptrtoint ptr %r to i64
{AREA.at("use_recipe", "of")}
  store i64 %recipe, ptr %of, align 8
{_used()}"""
    given = "".join(f", i64 %w{number}" for number in range(words))
    return _define("void", deferred(words), f"ptr %p, ptr %r{given}", body)


def _operands() -> str:
    body = f"""
  %a.32 = trunc i64 %a to i32
  %b.32 = trunc i64 %b to i32
{_pair("nodes", "first", "second")}
{AREA.at("operand_nodes", "to")}
  store i64 %nodes, ptr %to, align 8
{_pair("values", "a.32", "b.32")}
{AREA.at("operands", "at")}
  store i64 %values, ptr %at, align 8
  ret void"""
    return _define("void", OPERANDS, "i64 %a, i64 %b, i32 %first, i32 %second", body)


def _decides() -> str:
    body = f"""
  %s = ptrtoint ptr %site to i64
{_pair("nodes", "first", "second")}
{AREA.at("decided_nodes", "to")}
  store i64 %nodes, ptr %to, align 8
{AREA.at("decided_site", "at")}
  store i64 %s, ptr %at, align 8
  ret void"""
    return _define("void", DECIDES, "ptr %site, i32 %first, i32 %second", body)


def _left() -> str:
    """A variable loses its value: only pointers to heap blocks are told."""
    body = f"""
{_word("p")}
  %offset = sub i64 %v, {HEAP_BASE}
  %heap = icmp ult i64 %offset, {HEAP_SIZE}
  br i1 %heap, label %tell, label %done
tell:
  call preserve_mostcc void @{ORIGINS}slow_left(ptr %site, i64 %v, i32 %node) #3
  br label %done
done:
  ret void"""
    return _define("void", LEFT, "ptr %site, ptr %value, i32 %node", body)


def _fresh(size: int) -> str:
    """The cells of a variable are cleared; one whose cells are in two chunks, or that begins within a cell,
    is the runtime's."""
    stores = "\n".join(
        f"""  %cell.{at} = getelementptr i64, ptr %cell, i64 {at}
  store i64 0, ptr %cell.{at}, align 8"""
        for at in range(size >> UNIT_SHIFT)
    )
    body = f"""
  %a = ptrtoint ptr %p to i64
{find_cell(TABLE_BASE, CHUNK_SHIFT, UNIT_SHIFT, CELL_SHIFT)}
  %there = icmp ne i64 %chunk, 0
  br i1 %there, label %look, label %done, !prof !1
look:
  %fits = icmp ule i64 %within, {(1 << CHUNK_SHIFT) - size}
  %rest.of = and i64 %a, {(1 << UNIT_SHIFT) - 1}
  %begins = icmp eq i64 %rest.of, 0
  %whole = and i1 %fits, %begins
  br i1 %whole, label %clear, label %cold, !prof !1
clear:
{stores}
  br label %done
cold:
  call preserve_mostcc void @{ORIGINS}slow_fresh(ptr %p, i64 {size}) #3
  br label %done
done:
  ret void"""
    return _define("void", f"{FRESH}_{size}", "ptr %p", body)
