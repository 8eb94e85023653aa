"""Functions that the source exempts from AddressSanitizer are marked in the carried IR, and no others."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from whence.toolchain.exempt import DEFINED, EXEMPT, marked, unsanitized

TEXT = b"""\
define i32 @"odd name"(ptr %0) #0 {
define dso_local void @plain() #1 !dbg !4 {
define internal i64 @naked(ptr noundef %p, i64 %n) unnamed_addr #12 comdat align 2 !dbg !9 {
attributes #0 = { noinline sanitize_address uwtable "frame-pointer"="all" }
attributes #1 = { "sanitize_address"="no" nounwind }
attributes #12 = { noinline nounwind }
"""


def test_what_lacks_the_attribute_is_exempt():
    assert unsanitized(TEXT) == {b"plain", b"naked"}


def test_only_the_named_definitions_are_marked():
    lines = marked(TEXT, {b"naked"}).splitlines()
    assert lines[0] == TEXT.splitlines()[0]
    assert lines[1] == TEXT.splitlines()[1]
    assert lines[2] == (
        b"define internal i64 @naked(ptr noundef %p, i64 %n) unnamed_addr "
        b"disable_sanitizer_instrumentation #12 comdat align 2 !dbg !9 {"
    )


ATTRIBUTES = {
    '__attribute__((no_sanitize("address")))': True,
    "__attribute__((__no_sanitize_address__))": True,
    "__attribute__((no_sanitize_address))": True,
    '__attribute__((no_sanitize("undefined")))': False,
    "/* no_sanitize_address */": False,
}


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_carried(box, attribute, language):
    box.write(
        "words.h", f'#ifdef __cplusplus\nextern "C"\n#endif\n{attribute} int f(int *p) {{ return *p; }}\n'
    )
    box.write(f"a.{language}", '#include "words.h" /* sanitizers */\nint g(int *p) { return f(p); }\n')
    box.ok(f"{'whence-c++' if language == 'cpp' else 'whence-cc'} -O2 -DNDEBUG -c a.{language} -o a.o")
    (module,) = box.image("a.o").modules
    functions = {
        f.name: str(f) for f in llvm.parse_bitcode(module.bitcode()).functions if not f.is_declaration
    }
    exempt = {name for name, text in functions.items() if EXEMPT in "".join(_attributes(text))}
    assert exempt == ({"f"} if ATTRIBUTES[attribute] else set())


MEMORY = {
    '__attribute__((no_sanitize("memory")))': {DEFINED},
    "__attribute__((no_sanitize_memory))": {DEFINED},
    '__attribute__((no_sanitize("address", "memory")))': {DEFINED, EXEMPT},
    "__attribute__((disable_sanitizer_instrumentation))": {DEFINED, EXEMPT},
    '__attribute__((no_sanitize("thread")))': set(),
}


@pytest.mark.parametrize("attribute", MEMORY)
def test_what_memory_sanitizer_leaves_alone(box, attribute):
    box.write("a.c", f"{attribute} int f(int *p) {{ return *p; }}\nint g(int *p) {{ return f(p); }}\n")
    assert _marks(box, "") == MEMORY[attribute]


def test_lists_of_what_is_exempt(box):
    box.write("a.c", "int f(int *p) { return *p; }\nint g(int *p) { return f(p); }\n")
    box.write("list", "fun:f\n")
    assert _marks(box, "-fsanitize-ignorelist=list") == {DEFINED, EXEMPT}
    assert _marks(box, "") == set()


def _marks(box, option: str) -> set[str]:
    """The marks of the function f; g has none."""
    box.ok(f"whence-cc -O2 {option} -c a.c -o a.o")
    (module,) = box.image("a.o").modules
    parsed = llvm.parse_bitcode(module.bitcode())
    texts = {each.name: b" ".join(each.attributes).decode() for each in parsed.functions}
    assert not any(each in texts["g"] for each in (DEFINED, EXEMPT))
    return {each for each in (DEFINED, EXEMPT) if each.strip('"') in texts["f"]}


def _attributes(function: str) -> list[str]:
    return [line for line in function.splitlines() if line.startswith(("; Function Attrs:", "define "))]
