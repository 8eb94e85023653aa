"""The functions that code with expressions calls: their names, declarations and definitions.

Passes insert only calls, whose definitions are inlined after LLVM's pipeline
(`whence.instrument.detectors.filters`). Each tests whether an operand has an expression, and only then calls
the runtime. An expression is a pure function of its operands, so LLVM deletes those that nobody needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from whence.abi.symbolic import (
    ARGUMENTS_OFFSET,
    CELL_SHIFT,
    CHUNK_SHIFT,
    MOST_ARGUMENTS,
    MOST_RESULTS,
    MOST_SLOTS,
    PASSED,
    PASSED_SIZE,
    RESULTS_OFFSET,
    TABLE_BASE,
)
from whence.instrument.markers.planes import find_cell
from whence.instrument.markers.prefixes import SYMBOLIC
from whence.instrument.shadow.area import Area

MODEL, AFTER = f"{SYMBOLIC}of_", f"{SYMBOLIC}after_"
"""What begins the names of models of library functions in the runtime, before and after the call."""

WORDS = {"1": "i1", "8": "i8", "16": "i16", "32": "i32", "64": "i64", "p": "ptr"}
"""Suffixes of functions, and the types of the values that they take."""
_BYTES = {str(8 * size): size for size in range(1, 9)}
AREA = Area("__whence_symbolic", PASSED, PASSED_SIZE, ARGUMENTS_OFFSET, word=4)

_PURE = "nounwind willreturn memory(none)"
_READS = "nounwind willreturn memory(inaccessiblemem: read)"
_MEMORY = "memory(inaccessiblemem: readwrite)"
_WRITES = f"nounwind {_MEMORY}"
_LOOKS = "nounwind memory(argmem: read, inaccessiblemem: readwrite)"


_PLACE = "i32, ptr captures(address), ptr captures(address), i64"
"""Of an access: the number of the address, the address, the object that the code names, and its size."""


@cache
def declaration(name: str) -> str:
    """What declares one of these functions; raises `KeyError` for other names."""
    kind, _, suffix = name.removeprefix(SYMBOLIC).partition("_")
    word = WORDS.get(suffix, "")
    numbers = ", ".join(["i32"] * int(suffix)) if kind in ("pass", "return") else ""
    result, parameters, attributes = {
        "make": ("i32", f"i32, i32, {word}, i32, {word}", _PURE),
        "cast": ("i32", "i32, i32", _PURE),
        "choose": ("i32", f"i32, i1, i32, i32, {word}, i32, {word}", _PURE),
        "load": ("i32", f"ptr captures(address), i{suffix}", _READS),
        "store": ("void", "ptr captures(address), i32", _WRITES),
        "decide": ("void", "i32, i1, ptr captures(address)", _WRITES),
        "select": ("void", f"i32, {word}, ptr, ptr captures(address)", _LOOKS),
        "bind": ("void", f"i32, {word}, i32", _WRITES),
        "tell": ("void", f"{_PLACE}, i64, i32", _WRITES),
        "reach": ("void", f"{_PLACE}, i64, i32", _WRITES),
        "seek": ("i32", f"{_PLACE}, i{suffix}", _LOOKS),
        "put": ("void", f"{_PLACE}, i32, i{suffix}", _LOOKS),
        "step": ("void", f"i32, i32{', i32, i64' * MOST_SLOTS}", _WRITES),
        "check": ("void", f"i32, i32, {word}, i32, {word}", _WRITES),
        "extent": ("void", "i32, ptr captures(address), i32, i64, i32, i64", _WRITES),
        "pass": ("void", f"ptr captures(address), {numbers}", _WRITES),
        "passed": ("void", "ptr captures(address)", _WRITES),
        "enter": ("i1", "ptr captures(address)", _WRITES),
        "parameter": ("i32", "i1, i64", _READS),
        "result": ("i32", "ptr captures(address), i64", _WRITES),
        "return": ("void", f"ptr captures(address), {numbers}", _WRITES),
        "clear": ("void", "ptr captures(address), i64", _WRITES),
        "bytes": ("void", "ptr captures(address), i64, i32", _LOOKS),
        "copy": ("void", "ptr captures(address), ptr captures(address), i64", _WRITES),
        "set": ("void", "ptr captures(address), i32, i64", _WRITES),
        "leave": ("void", "ptr captures(address)", _WRITES),
        "lend": ("void", "ptr captures(address), ptr captures(address)", _LOOKS),
        "covers": ("void", "ptr captures(address)", f"nounwind willreturn {_MEMORY}"),
        "shares": ("void", "ptr, ptr", "nounwind"),
        "main": ("void", "i64, ptr", "nounwind"),
    }[kind]
    return f"declare {result} @{name}({parameters}) {attributes}"


def definitions() -> Iterator[str]:
    """The definitions of all, and declarations of the runtime's functions."""
    yield AREA.declared
    yield "declare ptr @llvm.returnaddress(i32 immarg)"
    for name, result, parameters, here in _RUNTIME:
        yield from _slow(name, result, parameters, here)
    for suffix in WORDS:
        yield from (_make(suffix), _choose(suffix), _select(suffix), _bind(suffix), _check(suffix))
    for suffix in _BYTES:
        yield from (_load(suffix), _store(suffix), _seek(suffix), _put_through(suffix))
    yield from (
        _cast(),
        _decide(),
        _step(),
        _extent(),
        _reach("tell"),
        _reach("reach"),
        _passed(),
        _enter(),
        _parameter(),
        _result(),
        _covers(),
    )
    for count in range(1, MOST_ARGUMENTS + 1):
        yield _pass(count)
    for count in range(1, MOST_RESULTS + 1):
        yield _return(count)


_OPERANDS = "i32 %what, i32 %a, i64 %av, i32 %b, i64 %bv"
_ACCESS = "i32 %n, i64 %at, i64 %size, i64 %root, i64 %extent"
_STEP = ", ".join(["i32 %a", "i32 %what", *(f"i32 %n{i}, i64 %v{i}" for i in range(MOST_SLOTS))])
_RUNTIME = (
    ("make", "i32", _OPERANDS, False),
    ("cast", "i32", "i32 %what, i32 %a", False),
    ("choose", "i32", "i32 %c, i32 %width, i32 %a, i64 %av, i32 %b, i64 %bv", False),
    ("loaded", "i32", "i64 %at, i64 %size, i64 %value", False),
    ("stored", "void", "i64 %at, i64 %size, i32 %a", False),
    ("decide", "void", "i32 %a, i64 %value, ptr %line", True),
    ("select", "void", "i32 %a, i64 %value, ptr %cases, ptr %line", True),
    ("bind", "void", "i32 %a, i64 %value, i32 %reason", True),
    ("tell", "void", f"{_ACCESS}, i32 %how", True),
    ("reach", "void", f"{_ACCESS}, i32 %how", True),
    ("seek", "i32", f"{_ACCESS}, i64 %value", True),
    ("put", "void", f"{_ACCESS}, i32 %x, i64 %value", True),
    ("check", "void", _OPERANDS, True),
    ("step", "void", _STEP, True),
    ("extent", "void", "i32 %n, i64 %at, i32 %a, i64 %av, i32 %b, i64 %bv", True),
    ("untaken", "void", "i64 %f", True),
    ("replace", "void", "", True),
    ("result", "i32", "i64 %f, i32 %index", True),
)
"""Functions of the runtime: name, result, parameters, and whether they are told where they are called."""


def _slow(name: str, result: str, parameters: str, here: bool) -> Iterator[str]:
    """A call of the runtime that leaves registers as they are."""
    types = [each.split()[0] for each in parameters.split(", ") if each]
    where, arguments = "", [parameters] if parameters else []
    if here:
        where = "  %here = call ptr @llvm.returnaddress(i32 0)\n  %pc = ptrtoint ptr %here to i64\n"
        types.append("i64")
        arguments.append("i64 %pc")
    runtime = f"{SYMBOLIC}cold_{name}"
    yield f"declare {result} @{runtime}({', '.join(types)}) #1"
    call = f"call {result} @{runtime}({', '.join(arguments)})"
    body = f"  {call}\n  ret void" if result == "void" else f"  %x = {call}\n  ret {result} %x"
    head = f"define linkonce_odr hidden preserve_mostcc {result} @{_slow_name(name)}({parameters})"
    yield f"{head} #2 {{\n{where}{body}\n}}"


def _slow_name(name: str) -> str:
    return f"{SYMBOLIC}slow.{name}"


def _define(result: str, name: str, parameters: str, body: str) -> str:
    return f"define linkonce_odr hidden {result} @{SYMBOLIC}{name}({parameters}) #0 {{\n{body.strip()}\n}}"


def _any(names: Sequence[str]) -> str:
    """Goes to `cold` if any of the numbers is not 0, else to `plain`."""
    lines, so_far = [], names[0]
    for i, name in enumerate(names[1:]):
        lines.append(f"  %any{i} = or i32 {so_far}, {name}")
        so_far = f"%any{i}"
    lines += [f"  %some = icmp ne i32 {so_far}, 0", "  br i1 %some, label %cold, label %plain, !prof !0"]
    return "\n".join(lines)


def _word(suffix: str, name: str, to: str) -> str:
    """A value as 64 bits."""
    if suffix == "64":
        return f"  {to} = add i64 {name}, 0"
    return f"  {to} = {'ptrtoint' if suffix == 'p' else 'zext'} {WORDS[suffix]} {name} to i64"


def _call(name: str, result: str, arguments: str) -> str:
    call = f"call preserve_mostcc {result} @{_slow_name(name)}({arguments}) #3"
    return f"  {call}\n  br label %plain" if result == "void" else f"  %x = {call}\n  ret {result} %x"


def _make(suffix: str) -> str:
    word = WORDS[suffix]
    body = f"""
{_any(("%a", "%b"))}
plain:
  ret i32 0
cold:
{_word(suffix, "%v", "%av")}
{_word(suffix, "%w", "%bv")}
{_call("make", "i32", "i32 %what, i32 %a, i64 %av, i32 %b, i64 %bv")}"""
    return _define("i32", f"make_{suffix}", f"i32 %what, i32 %a, {word} %v, i32 %b, {word} %w", body)


def _cast() -> str:
    body = f"""
{_any(("%a",))}
plain:
  ret i32 0
cold:
{_call("cast", "i32", "i32 %what, i32 %a")}"""
    return _define("i32", "cast", "i32 %what, i32 %a", body)


def _choose(suffix: str) -> str:
    word = WORDS[suffix]
    body = f"""
{_any(("%c",))}
plain:
  %chosen = select i1 %yes, i32 %a, i32 %b
  ret i32 %chosen
cold:
{_word(suffix, "%v", "%av")}
{_word(suffix, "%w", "%bv")}
{_call("choose", "i32", "i32 %c, i32 %width, i32 %a, i64 %av, i32 %b, i64 %bv")}"""
    parameters = f"i32 %c, i1 %yes, i32 %width, i32 %a, {word} %v, i32 %b, {word} %w"
    return _define("i32", f"choose_{suffix}", parameters, body)


def _statement(name: str, suffix: str, parameters: str, arguments: str) -> str:
    """A record about the expression %a with the value %v."""
    body = f"""
{_any(("%a",))}
plain:
  ret void
cold:
{_word(suffix, "%v", "%value")}
{_call(name, "void", arguments)}"""
    return _define("void", f"{name}_{suffix}" if name != "decide" else name, parameters, body)


def _decide() -> str:
    return _statement("decide", "1", "i32 %a, i1 %v, ptr %line", "i32 %a, i64 %value, ptr %line")


def _select(suffix: str) -> str:
    parameters = f"i32 %a, {WORDS[suffix]} %v, ptr %cases, ptr %line"
    return _statement("select", suffix, parameters, "i32 %a, i64 %value, ptr %cases, ptr %line")


def _bind(suffix: str) -> str:
    parameters = f"i32 %a, {WORDS[suffix]} %v, i32 %reason"
    return _statement("bind", suffix, parameters, "i32 %a, i64 %value, i32 %reason")


_PLACED = "i32 %n, ptr %p, ptr %object, i64 %extent"
_AT = """  %at = ptrtoint ptr %p to i64
  %root = ptrtoint ptr %object to i64"""


def _reach(name: str) -> str:
    body = f"""
{_any(("%n",))}
plain:
  ret void
cold:
{_AT}
{_call(name, "void", f"{_ACCESS}, i32 %how")}"""
    return _define("void", name, f"{_PLACED}, i64 %size, i32 %how", body)


def _wide(suffix: str) -> str:
    return f"  %value = {'add i64 %v, 0' if suffix == '64' else f'zext i{suffix} %v to i64'}"


def _seek(suffix: str) -> str:
    """A load through an address that may be symbolic."""
    access = _ACCESS.replace("%size", str(_BYTES[suffix]))
    body = f"""
{_any(("%n",))}
plain:
  %x.plain = call i32 @{SYMBOLIC}load_{suffix}(ptr %p, i{suffix} %v)
  ret i32 %x.plain
cold:
{_AT}
{_wide(suffix)}
{_call("seek", "i32", f"{access}, i64 %value")}"""
    return _define("i32", f"seek_{suffix}", f"{_PLACED}, i{suffix} %v", body)


def _put_through(suffix: str) -> str:
    """A store through an address that may be symbolic."""
    access = _ACCESS.replace("%size", str(_BYTES[suffix]))
    body = f"""
{_any(("%n",))}
plain:
  call void @{SYMBOLIC}store_{suffix}(ptr %p, i32 %x)
  ret void
cold:
{_AT}
{_wide(suffix)}
  call preserve_mostcc void @{_slow_name("put")}({access}, i32 %x, i64 %value) #3
  ret void"""
    return _define("void", f"put_{suffix}", f"{_PLACED}, i32 %x, i{suffix} %v", body)


def _check(suffix: str) -> str:
    word = WORDS[suffix]
    body = f"""
{_any(("%a", "%b"))}
plain:
  ret void
cold:
{_word(suffix, "%v", "%av")}
{_word(suffix, "%w", "%bv")}
{_call("check", "void", "i32 %what, i32 %a, i64 %av, i32 %b, i64 %bv")}"""
    return _define("void", f"check_{suffix}", f"i32 %what, i32 %a, {word} %v, i32 %b, {word} %w", body)


def _step() -> str:
    body = f"""
{_any(("%a",))}
plain:
  ret void
cold:
{_call("step", "void", _STEP)}"""
    return _define("void", "step", _STEP, body)


def _extent() -> str:
    body = f"""
{_any(("%n", "%a", "%b"))}
plain:
  ret void
cold:
  %at = ptrtoint ptr %p to i64
{_call("extent", "void", "i32 %n, i64 %at, i32 %a, i64 %av, i32 %b, i64 %bv")}"""
    return _define("void", "extent", "i32 %n, ptr %p, i32 %a, i64 %av, i32 %b, i64 %bv", body)


def _marked(size: int) -> str:
    """Goes to `cold` if any of the `size` bytes at %p has an expression, else to `plain`."""
    type_ = f"i{32 * size}"
    return f"""  %a = ptrtoint ptr %p to i64
{find_cell(TABLE_BASE, CHUNK_SHIFT, 0, CELL_SHIFT)}
  %there = icmp ne i64 %chunk, 0
  br i1 %there, label %look, label %plain
look:
  %cells = load {type_}, ptr %cell, align 4
  %some = icmp ne {type_} %cells, 0
  br i1 %some, label %cold, label %plain, !prof !0"""


def _load(suffix: str) -> str:
    body = f"""
{_marked(_BYTES[suffix])}
plain:
  ret i32 0
cold:
{_wide(suffix)}
{_call("loaded", "i32", f"i64 %a, i64 {_BYTES[suffix]}, i64 %value")}"""
    return _define("i32", f"load_{suffix}", f"ptr %p, i{suffix} %v", body)


def _store(suffix: str) -> str:
    body = f"""
  %symbolic = icmp ne i32 %x, 0
  %from = ptrtoint ptr %p to i64
  br i1 %symbolic, label %cold, label %concrete, !prof !0
concrete:
{_marked(_BYTES[suffix])}
plain:
  ret void
cold:
{_call("stored", "void", f"i64 %from, i64 {_BYTES[suffix]}, i32 %x")}"""
    return _define("void", f"store_{suffix}", "ptr %p, i32 %x", body)


# What calls pass.


def _numbers(count: int) -> tuple[list[str], str]:
    names = [f"%n{i}" for i in range(count)]
    return names, ", ".join(f"i32 {each}" for each in names)


def _put(names: Sequence[str], offset: int) -> str:
    lines = []
    for i, name in enumerate(names):
        lines += [AREA.at(offset + AREA.word * i, f"slot{i}"), f"  store i32 {name}, ptr %slot{i}, align 4"]
    return "\n".join(lines)


def _pass(count: int) -> str:
    names, parameters = _numbers(count)
    rest = ["0"] * (MOST_ARGUMENTS - count)
    body = f"""
{_any(names)}
plain:
  ret void
cold:
{AREA.names("callee")}
{_put([*names, *rest], ARGUMENTS_OFFSET)}
  ret void"""
    return _define("void", f"pass_{count}", f"ptr %function, {parameters}", body)


def _passed() -> str:
    """After a call: whether the function has taken the arguments."""
    body = f"""
{AREA.at("callee", "to")}
  %still = load i64, ptr %to, align 8
  %left = icmp ne i64 %still, 0
  br i1 %left, label %cold, label %plain, !prof !0
plain:
  ret void
cold:
  %f = ptrtoint ptr %callee to i64
{_call("untaken", "void", "i64 %f")}"""
    return _define("void", "passed", "ptr %callee", body)


def _enter() -> str:
    """Whether arguments are passed to this function; it takes them."""
    body = f"""
{AREA.meant("callee")}
  br i1 %meant, label %cold, label %plain, !prof !0
plain:
  ret i1 false
cold:
  store i64 0, ptr %to, align 8
  ret i1 true"""
    return _define("i1", "enter", "ptr %function", body)


def _parameter() -> str:
    body = f"""
  br i1 %meant, label %cold, label %plain, !prof !0
plain:
  ret i32 0
cold:
{AREA.at_index(ARGUMENTS_OFFSET)}
  %number = load i32, ptr %slot, align 4
  ret i32 %number"""
    return _define("i32", "parameter", "i1 %meant, i64 %index", body)


def _return(count: int) -> str:
    """Results replace those that nobody has taken, of which the runtime is told."""
    names, parameters = _numbers(count)
    lines = []
    for i in range(MOST_RESULTS):
        lines += [
            AREA.at(RESULTS_OFFSET + AREA.word * i, f"old{i}"),
            f"  %o{i} = load i32, ptr %old{i}, align 4",
        ]
    olds = [f"%o{i}" for i in range(MOST_RESULTS)]
    untaken = _any(olds).replace("%any", "%untaken").replace("%some", "%stale")
    untaken = untaken.replace("label %cold, label %plain", "label %stale.cold, label %put")
    loads = "\n".join(lines)
    body = f"""
{_any(names)}
plain:
  ret void
cold:
{loads}
{untaken}
stale.cold:
  call preserve_mostcc void @{_slow_name("replace")}() #3
  br label %put
put:
{AREA.names("returned")}
{_put(names, RESULTS_OFFSET)}
  ret void"""
    return _define("void", f"return_{count}", f"ptr %function, {parameters}", body)


def _result() -> str:
    """The number of a part of a result, 0 if other code has returned it."""
    body = f"""
{AREA.at_index(RESULTS_OFFSET)}
  %number = load i32, ptr %slot, align 4
  %some = icmp ne i32 %number, 0
  br i1 %some, label %cold, label %plain, !prof !0
plain:
  ret i32 0
cold:
  %f = ptrtoint ptr %callee to i64
  %part = trunc i64 %index to i32
{_call("result", "i32", "i64 %f, i32 %part")}"""
    return _define("i32", "result", "ptr %callee, i64 %index", body)


def _covers() -> str:
    """A line has been reached. Nothing may delay that: a path may end anywhere."""
    return _define("void", "covers", "ptr %at", "  store volatile i8 1, ptr %at, align 1\n  ret void")
