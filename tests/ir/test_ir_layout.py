"""Sizes, alignments and offsets are those of LLVM, for random types and for real modules."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.ir.conftest import RAW

from whence import ir

X86_64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
OTHERS = ("", "e", "e-p:32:32-i64:32-f64:32-a:0:32-v64:32", "e-i128:64-v96:32-f32:64-i24:32")

SCALARS = st.sampled_from(["half", "bfloat", "float", "double", "x86_fp80", "fp128", "ptr"])
FIRST = (
    "ptr addrspace(270)",
    "ptr addrspace(272)",
    *(f"i{n}" for n in (1, 7, 8, 16, 24, 32, 48, 64, 65, 128, 129, 256)),
)
ELEMENTS = SCALARS | st.sampled_from(FIRST) | st.integers(1, 700).map(lambda n: f"i{n}")
VECTORS = st.builds(lambda n, t: f"<{n} x {t}>", st.integers(1, 40), ELEMENTS)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    fields = st.lists(inner, max_size=6).map(", ".join)
    return (
        st.builds(lambda n, t: f"[{n} x {t}]", st.integers(0, 9), inner)
        | fields.map(lambda f: f"{{ {f} }}" if f else "{}")
        | fields.map(lambda f: f"<{{ {f} }}>" if f else "<{}>")
    )


TYPES = st.recursive(ELEMENTS | VECTORS, _compound, max_leaves=12)


def llvm_variable(body: str, layout: str) -> llvm.ValueRef:
    """A variable of the type; it keeps the module, and so the type, alive."""
    header = f'target datalayout = "{layout}"\n'
    module = llvm.parse_assembly(f"{header}%t = type {body}\n@g = external global %t\n")
    return module.get_global_variable("g")


@pytest.mark.long
@settings(max_examples=examples(300))
@given(TYPES, st.just(X86_64) | st.sampled_from(OTHERS))
def test_random_types(text: str, layout_text: str) -> None:
    data = llvm.create_target_data(layout_text)
    layout = ir.DataLayout(layout_text, {"%t": f"{{ {text} }}"})
    variable = llvm_variable(f"{{ {text} }}", layout_text)
    struct = variable.global_value_type
    element = next(struct.elements)
    assert layout.size_of("%t") == data.get_abi_size(struct)
    assert layout.size_of(text) == data.get_abi_size(element)
    assert layout.alignment_of(text) == data.get_abi_alignment(element)
    assert str(ir.parse_type(text)) == text


@pytest.mark.long
@settings(max_examples=examples(200))
@given(st.lists(TYPES, min_size=1, max_size=6), st.booleans(), st.data())
def test_random_field_offsets(fields: list[str], packed: bool, data: st.DataObject) -> None:
    body = f"<{{ {', '.join(fields)} }}>" if packed else f"{{ {', '.join(fields)} }}"
    index = data.draw(st.integers(0, len(fields) - 1))
    target = llvm.create_target_data(X86_64)
    variable = llvm_variable(body, X86_64)
    expected = target.get_element_offset(variable.global_value_type, index)
    layout = ir.DataLayout(X86_64, {"%t": body})
    assert layout.field_offset("%t", index) == expected
    size = layout.size_of("%t")
    found = layout.index_offset("%t", [("i64", "-3"), ("i32", str(index))])
    assert found == ir.Offset(expected - 3 * size, ())
    assert layout.index_offset("%t", [("i64", "%n"), ("i32", str(index))]) == ir.Offset(
        expected, ((size, "%n"),)
    )


@pytest.mark.parametrize("name", ["memory.c", "objects.cc"])
def test_variables_of_real_modules(compiled: Callable[..., str], name: str) -> None:
    reference = llvm.parse_assembly(compiled(name, *RAW))
    module = ir.parse(str(reference))
    data = llvm.create_target_data(module.data_layout)
    sizes = {v.name: data.get_abi_size(v.global_value_type) for v in reference.global_variables}
    assert len(module.variables) > 20
    for variable in module.variables:
        if not variable.name.isdigit():
            assert variable.size == sizes[variable.name]
    for struct in reference.struct_types:
        token = "%" + ir.quote(struct.name)
        if struct.name and module.types[token] != "opaque":
            assert module.layout.size_of(token) == data.get_abi_size(struct)


@pytest.mark.parametrize(
    ("type_", "stored", "allocated"),
    [
        ("i1", 1, 1),
        ("i24", 3, 4),
        ("x86_fp80", 10, 16),
        ("<3 x i32>", 12, 16),
        ("<9 x i1>", 2, 2),
        ("ptr", 8, 8),
    ],
)
def test_store_size_is_what_an_access_touches(type_: str, stored: int, allocated: int) -> None:
    layout = ir.DataLayout(X86_64)
    assert (layout.store_size_of(type_), layout.size_of(type_)) == (stored, allocated)


@pytest.mark.parametrize(
    ("type_", "indices", "expected"),
    [
        ("i32", [("i64", "5")], ir.Offset(20, ())),
        ("i32", [("i64", "%i")], ir.Offset(0, ((4, "%i"),))),
        ("%s", [("i32", "0"), ("i32", "1"), ("i64", "%i"), ("i32", "1")], ir.Offset(12, ((8, "%i"),))),
        ("%s", [("i32", "%a"), ("i32", "1"), ("i64", "%b")], ir.Offset(8, ((40, "%a"), (8, "%b")))),
        ("%s", [("i32", "0"), ("i32", "%field")], None),
        ("i8", [("i64", "18446744073709551615")], ir.Offset(-1, ())),
        ("i8", [("i64", "-1")], ir.Offset(-1, ())),
        ("[4 x i8]", [("i64", "0"), ("i64", "%i")], ir.Offset(0, ((1, "%i"),))),
        ("<4 x i16>", [("i64", "1"), ("i64", "3")], ir.Offset(14, ())),
        ("i32", [("<2 x i64>", "%v")], None),
        ("<vscale x 4 x i32>", [("i64", "1")], None),
        ("%unknown", [("i64", "1")], None),
        ("i32", [("i64", "0"), ("i64", "0")], None),
    ],
)
def test_index_offsets(type_: str, indices: list[tuple[str, str]], expected: ir.Offset | None) -> None:
    layout = ir.DataLayout(X86_64, {"%s": "{ ptr, [4 x { i32, i32 }] }"})
    assert layout.index_offset(type_, indices) == expected


def test_offsets_of_real_address_computations(compiled: Callable[..., str]) -> None:
    """LLVM folds the same constants: -O3 turns indices into byte offsets."""
    module = ir.parse(compiled("memory.c", *RAW))
    constant = variable = 0
    for function in module.definitions:
        for instruction in function.instructions():
            if isinstance(instruction, ir.GetElementPtr):
                offset = instruction.offset
                assert offset is not None
                constant += instruction.constant_offset is not None
                variable += bool(offset.terms)
                assert (instruction.constant_offset is None) == bool(offset.terms)
    assert constant > 10
    assert variable > 2
