"""A struct in C, LLVM and Python: three views of one table."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import pytest

from whence.abi import layout, records, rules
from whence.abi.structs import Field, Layout

INNER = Layout("whence_inner", (Field("x", "u32"), Field("y", "u32", "the second")))
OUTER = Layout(
    "whence_outer_one",
    (Field("p", "ptr", "", "const char *p"), Field("inner", INNER), Field("a", "u16"), Field("b", "u8")),
)


def test_views_of_a_struct_in_a_struct() -> None:
    assert OUTER.size == 8 + 8 + 2 + 1
    assert [OUTER.offset(name) for name in ("p", "inner", "a", "b")] == [0, 8, 16, 18]
    assert OUTER.index("b") == 3
    assert list(OUTER.declarations()) == [
        "const char *p;",
        "struct whence_inner inner;",
        "uint16_t a;",
        "uint8_t b;",
    ]
    assert list(INNER.declarations())[1] == "uint32_t y; /* the second */"
    assert OUTER.llvm_definition == "%whence.outer_one = type { ptr, %whence.inner, i16, i8 }"
    assert INNER.unpack(bytes([1, 0, 0, 0, 2, 0, 0, 0])) == {"x": 1, "y": 2}


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="'z' is not in list"):
        INNER.offset("z")


@pytest.mark.parametrize(
    "struct",
    [
        *(records.HEADER, records.FINDING, records.LEAKS, records.REFUSAL),
        *(rules.BLOCK, rules.EVENT, rules.RULE, rules.RULE_SET),
        *(layout.BLOCK_RECORD, layout.BARE_RECORD),
    ],
    ids=lambda struct: struct.name,
)
def test_no_struct_has_padding_in_llvm_or_c(struct: Layout) -> None:
    inner = next((field.type for field in struct.fields if isinstance(field.type, Layout)), None)
    definitions = [each.llvm_definition for each in (inner, struct) if each is not None]
    text = "\n".join([*definitions, f"@x = external global {struct.llvm}"])
    module = llvm.parse_assembly(text)
    target = llvm.create_target_data("e-m:e-i64:64-i128:128-n8:16:32:64-S128")
    (variable,) = module.global_variables
    assert target.get_abi_size(variable.global_value_type) == struct.size
    assert struct.size % ctypes.sizeof(ctypes.c_uint64) == 0
