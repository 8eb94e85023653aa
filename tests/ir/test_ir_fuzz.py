"""Whatever the text, reading it ends, and with nothing worse than `IRSyntaxError`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.ir.conftest import RAW, SOURCES

from whence import ir
from whence.ir.attributes import Attributes
from whence.ir.constants import fold

pytestmark = pytest.mark.long

SETTINGS = settings(max_examples=examples(150))
_PIECES = r"""
( ) [ ] { } < > " ' , = ; : ! # @ % $ * ... \ \22 x i0 i1 i32 i99999999999999999999 ptr label metadata token
void target( vscale c" asm align 8 addrspace(1) null undef splat inrange(0,1) to unwind within none -1 0x 0xK4
1e+ <{ }> 99999999999999999999999 %0 @0 !0 #0 !{} distinct musttail tail cc noundef captures( deref(99999999)
"""
FRAGMENTS = (*_PIECES.split(), "\n", "\t", " ", "[ 0 x i8 ]", "\u00e9", "\x00", "\ud800", ", !dbg !")

CONTEXT = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%0 = type { i32, %1 }
%1 = type [4 x %struct.x]
%struct.x = type <{ i8, i32 }>
@g = global i32 0, align 4
"""


@cache
def real_lines() -> list[str]:
    """Lines of the hand-written source: at least one of every construct."""
    return (SOURCES / "nasty.ll").read_text().split("\n")


@cache
def instruction_lines() -> list[str]:
    module = ir.parse((SOURCES / "nasty.ll").read_text())
    return sorted({i.text for f in module.definitions for i in f.instructions()})


def mutated(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A text in which a few pieces are cut out, doubled, or replaced by a fragment."""
    edit = st.tuples(
        st.floats(0, 1), st.integers(0, 12), st.sampled_from(["", *FRAGMENTS]) | st.text(max_size=3)
    )

    def apply(value: str, edits: list[tuple[float, int, str]]) -> str:
        for place, length, new in edits:
            start = int(place * len(value))
            value = value[:start] + new + value[start + length :]
        return value

    return st.builds(apply, text, st.lists(edit, max_size=4))


def read_all(value: object) -> None:
    """Ask an object for every property it has."""
    for name in dir(type(value)):
        if not name.startswith("_") and isinstance(getattr(type(value), name), property):
            getattr(value, name)


def survive(action: Callable[[], object]) -> None:
    try:
        action()
    except ir.IRSyntaxError as error:
        assert "malformed LLVM IR: expected" in str(error)


def read_module(text: str) -> None:
    module = ir.parse(text, "fuzz")
    assert str(module) == text
    survive(lambda: ir.check(module))
    assert str(module) == text
    for variable in module.globals.values():
        survive(lambda v=variable: read_all(v))  # type: ignore[misc]
    for function in module.functions.values():
        if function.is_definition:  # others have no entry block
            survive(lambda f=function: read_all(f))  # type: ignore[misc]
        survive(lambda f=function: f.definition_of("%x"))  # type: ignore[misc]
    for number in range(-1, 30):
        survive(lambda n=number: module.metadata.node(n))  # type: ignore[misc]
    survive(lambda: module.rename({"plain": "declared", "control": "x"}))
    survive(lambda: module.attribute_group(["nounwind"]))


def read_instruction(text: str) -> None:
    module = ir.parse(f"{CONTEXT}define void @f(ptr %x) {{\n{text}\n  ret void\n}}\n")
    for instruction in module.functions["f"].instructions():
        survive(lambda i=instruction: read_all(i))  # type: ignore[misc]


@SETTINGS
@given(
    st.text() | st.lists(st.sampled_from([*FRAGMENTS, "define ", "@x = ", "}\n", "{\n", " "])).map("".join)
)
def test_random_text(text: str) -> None:
    survive(lambda: read_module(text))


@SETTINGS
@given(st.data())
def test_modules_of_shuffled_and_mutated_lines(data: st.DataObject) -> None:
    lines = data.draw(st.lists(mutated(st.sampled_from(real_lines())), max_size=12))
    survive(lambda: read_module("\n".join(lines)))


@SETTINGS
@given(st.data())
def test_one_mutation_in_a_real_module(data: st.DataObject) -> None:
    text = data.draw(mutated(st.just("\n".join(real_lines()))))
    survive(lambda: read_module(text))


@settings(max_examples=examples(1500))
@given(st.data())
def test_mutated_instructions(data: st.DataObject) -> None:
    text = data.draw(mutated(st.sampled_from(instruction_lines())))
    survive(lambda: read_instruction(text))


@pytest.mark.parametrize("name", ["control.c", "memory.c", "objects.cc"])
def test_truncated_modules(compiled: Callable[..., str], name: str) -> None:
    text = compiled(name, *RAW)
    for end in range(0, len(text), len(text) // 25):
        survive(lambda e=end: ir.check(ir.parse(text[:e])))  # type: ignore[misc]


@SETTINGS
@given(
    mutated(
        st.sampled_from(["{ i32, <4 x float>, [2 x %struct.x] }", "<{ ptr addrspace(1) }>", "i32 (ptr, ...)"])
    )
)
def test_types(text: str) -> None:
    def read() -> None:
        parsed = ir.parse_type(text)
        assert ir.parse_type(str(parsed)) == parsed
        layout = ir.DataLayout("e-i64:64-f80:128", {"%struct.x": "{ i8, %struct.x }"})
        layout.size_of(parsed)

    survive(read)


@SETTINGS
@given(mutated(st.just("e-m:e-p270:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-a:0:64-v64:32")))
def test_data_layout_strings(text: str) -> None:
    survive(lambda: ir.DataLayout(text).size_of("{ i8, ptr, x86_fp80, <2 x i32> }"))


@SETTINGS
@given(
    mutated(
        st.sampled_from(
            [
                "getelementptr inbounds inrange(-16, 24) (%struct.x, ptr @g, i64 1, i32 1)",
                "inttoptr (i64 sub (i64 ptrtoint (ptr @g to i64), i64 -7) to ptr)",
            ]
        )
    )
)
def test_constant_pointers(text: str) -> None:
    fold(ir.DataLayout("", {"%struct.x": "{ i8, i32 }"}), "ptr", text)


@SETTINGS
@given(mutated(st.sampled_from(['noundef align 8 "k"="v" range(i32 0, 10) sret(%struct.x)', "memory(none)"])))
def test_attributes(text: str) -> None:
    def read() -> None:
        parsed = Attributes.parse(text)
        assert Attributes.parse(str(parsed)) == parsed
        assert parsed.without("noundef").get("noundef") is None

    survive(read)


@pytest.mark.parametrize(
    "text",
    [
        "%a = type " + "[2 x " * 5000 + "i8" + "]" * 5000 + "\n@g = global %a zeroinitializer\n",
        "@g = global " + "{" * 100000 + "\n",
        "@g = constant ptr " + "getelementptr (i8, ptr " * 3000 + "@g" + ", i64 1)" * 3000 + "\n",
        "define void @f() {\n  switch i32 0, label %a [\n"
        + "    i32 1, label %a\n" * 50000
        + "  ]\n\na:\n  ret void\n}\n",
        "define void @f() {\n" + "  %x = load i32, ptr %x, !a !1, !b" * 20000 + "\n  ret void\n}\n",
        "define void @f() {\n  ret void" + ", !a !1" * 20000 + "x\n}\n",
        "define void @f(" + "i32 noundef, " * 20000 + ") {\n  ret void\n}\n",
    ],
    ids=["deep type", "braces", "deep constant", "long switch", "long line", "attachments", "parameters"],
)
def test_large_and_deep_text_ends(text: str) -> None:
    survive(lambda: read_module(text))


def test_types_that_contain_themselves() -> None:
    module = ir.parse("%a = type { i32, %b }\n%b = type [3 x %a]\n%c = type %c\n%d = type <2 x %d>\n")
    for token in ("%a", "%b", "%c", "%d", "%e"):
        with pytest.raises(ir.IRSyntaxError):
            module.layout.size_of(token)
