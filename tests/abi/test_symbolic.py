"""The table of traces: numbers are distinct, and the C side has them all."""

import pytest

from whence.abi import header, symbolic


@pytest.mark.parametrize(
    "numbers",
    [
        [kind.number for kind in symbolic.KINDS.values()],
        [operator.number for operator in symbolic.OPERATORS.values()],
        list(symbolic.REASONS.values()),
        list(symbolic.ACCESSES.values()),
        list(symbolic.CHECKS.values()),
        list(symbolic.ENDS.values()),
    ],
)
def test_numbers_are_distinct_bytes_and_none_is_zero(numbers):
    assert len(set(numbers)) == len(numbers)
    assert all(0 < number < 256 for number in numbers)


def test_what_is_derived_is_no_operator():
    derived = list(symbolic.DERIVED.values())
    assert min(derived) == symbolic.DERIVED["ADD_OVERFLOWS"] and max(derived) < 256
    assert len(set(derived)) == len(derived)
    assert all(operator.number < min(derived) for operator in symbolic.OPERATORS.values())


def test_the_header_has_every_kind_operator_and_struct():
    text = "\n".join(header.lines())
    for name, kind in symbolic.KINDS.items():
        assert f"#define WH_TRACE_{name} {kind.number}u" in text
        assert f"#define WH_TRACE_{name}_OPERANDS {len(kind.operands)} " in text
    for name, operator in symbolic.OPERATORS.items():
        assert f"#define WH_OP_{name} {operator.number}u" in text
    for struct in (symbolic.TRACE, symbolic.REQUEST, symbolic.OBJECT_HEAD, symbolic.ANSWER):
        assert f"struct {struct.name} {{" in text


def test_the_fields_of_a_records_header_do_not_overlap():
    assert symbolic.TRACE.size <= symbolic.TRACE_HEADER_SIZE
    begins = [symbolic.KIND_SHIFT, symbolic.OPERATOR_SHIFT, symbolic.WIDTH_SHIFT, symbolic.ID_SHIFT]
    assert begins == [0, 8, 16, 32]
