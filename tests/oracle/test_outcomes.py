"""The possible values of computations on unwritten bytes, against all values of few bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.outcomes import LIMIT, Values

EVALUATE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: (a + b) % LIMIT,
    "-": lambda a, b: (a - b) % LIMIT,
    "*": lambda a, b: (a * b) % LIMIT,
    "==": lambda a, b: int(a == b),
    "<": lambda a, b: int((a ^ LIMIT // 2) < (b ^ LIMIT // 2)),
}
OPERATIONS = st.tuples(st.sampled_from(sorted(EVALUATE)), st.sampled_from([0, 1, 3, 256]))


@given(st.integers(0, 1), st.sampled_from([0, 1, 3]), st.integers(1, 2), st.lists(OPERATIONS, max_size=3))
def test_decided_as_all_values_say(
    written: int, number: int, width: int, operations: list[tuple[str, int]]
) -> None:
    first = number if written else 0
    concrete = {first + (k << 8 * written) for k in range(1 << 8 * (width - written))}
    values = Values.unwritten(width, written, first)
    wraps = False
    for operator, operand in operations:
        wraps |= operator == "<" and any(each >= LIMIT // 2 for each in concrete)
        values = values.then(operator, operand)
        concrete = {EVALUATE[operator](each, operand) for each in concrete}
    truth = (0 in concrete) is not (concrete != {0})
    assert values.is_decided is truth or wraps


@pytest.mark.parametrize(
    ("values", "decided"),
    [
        (Values.unwritten(8), False),
        (Values.unwritten(8).then("+", 3), False),
        (Values.unwritten(8).then("*", 256).then("+", 1), True),
        (Values.unwritten(8).then("*", 0), True),
        (Values.unwritten(4).then("+", 3), True),
        (Values.unwritten(8).then("<", 3), False),
        (Values.unwritten(8).then("==", 3).then("+", 1), True),
        (Values.unwritten(8, 8, 3), True),
    ],
)
def test_words(values: Values, decided: bool) -> None:
    assert values.is_decided is decided
