"""The tables of the record file: what C and Python read the same way."""

from __future__ import annotations

import pytest

from whence.abi import records


def test_every_flag_is_a_bit_of_its_own() -> None:
    bits = list(records.FINDING_FLAGS.values())
    assert len(set(bits)) == len(bits)
    assert all(bit.bit_count() == 1 and bit < 1 << 32 for bit in bits)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"END": 128, "GO": 1, "LATE": 128}, "flags END and LATE are the same bit 0x80"),
        ({"BOTH": 3}, "flag BOTH is 0x3, which is not one bit"),
        ({"NONE": 0}, "flag NONE is 0x0, which is not one bit"),
    ],
)
def test_a_table_of_flags_is_refused_when_two_are_mistaken_for_each_other(
    table: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        records.distinct_bits(table)
