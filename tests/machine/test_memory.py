"""Blocks: bytes, copies and closed ranges against a plain list of bytes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples

from whence.machine.memory import Block, Byte, Fragment, Mixed, decode, encode, whole
from whence.machine.values import BlockId, Int, Pointer, Value

SIZE = 12
indexes = st.integers(0, SIZE)
found = st.one_of(st.none(), st.just(0), st.integers(0, 255), st.just(Fragment(Pointer(BlockId("H", 1)), 3)))
changes = st.one_of(
    st.tuples(st.just("bytes"), indexes, st.lists(found, max_size=5)),
    st.tuples(st.just("copy"), st.tuples(indexes, indexes, indexes), st.booleans()),
    st.tuples(st.just("close"), st.integers(-3, SIZE), st.tuples(st.integers(0, 20), st.booleans())),
)


@settings(max_examples=examples(200))
@given(st.booleans(), st.lists(changes, max_size=8))
def test_blocks_are_lists_of_bytes(zeroed: bool, made: list[tuple[str, object, object]]) -> None:
    blocks = [Block(SIZE, 0, 0, zeroed=whole(SIZE) if zeroed else ()), Block(SIZE, 0, 0)]
    plain: list[list[Byte | None]] = [[0 if zeroed else None] * SIZE, [None] * SIZE]
    closed = [False] * SIZE
    for kind, first, second in made:
        if kind == "bytes":
            kept = second[: SIZE - first]  # type: ignore[index, operator]
            blocks[0] = blocks[0].with_bytes(first, kept)  # type: ignore[arg-type]
            plain[0][first : first + len(kept)] = kept  # type: ignore[misc, operator]
        elif kind == "copy":
            to, at, size = first  # type: ignore[misc]
            size = min(size, SIZE - to, SIZE - at)
            source, target = (0, 1) if second else (1, 0)
            blocks[target] = blocks[target].with_copy(to, blocks[source], at, size)
            plain[target][to : to + size] = plain[source][at : at + size]
        else:
            size, closing = second  # type: ignore[misc]
            blocks[0] = blocks[0].with_closed(first, size, closing)  # type: ignore[arg-type]
            for at in range(max(first, 0), min(first + size, SIZE)):  # type: ignore[call-overload, operator]
                closed[at] = closing
    for block, bytes_ in zip(blocks, plain, strict=True):
        assert [block.byte(at) for at in range(SIZE)] == bytes_
        again = Block(SIZE, 0, 0, zeroed=block.zeroed, closed=block.closed).with_bytes(0, bytes_)
        assert again == block, "equal blocks are equal objects"
    assert [blocks[0].closed_bytes(at, 1) == 1 for at in range(SIZE)] == closed
    assert blocks[0].closed_bytes(0, SIZE) == sum(closed)


def test_a_copy_of_gigabytes_costs_what_was_written() -> None:
    huge = Block(1 << 31, 0, 0, zeroed=whole(1 << 31)).with_bytes(5, [1])
    copy = Block(1 << 31, 0, 0).with_copy(0, huge, 0, 1 << 31)
    assert (copy.byte(5), copy.byte(6), copy.zeroed) == (1, 0, whole(1 << 31))


def number(value: Value) -> int:
    return value.number if isinstance(value, Int) else 0x1122334455667788


def test_a_pointer_is_whole_or_a_number() -> None:
    pointer = Pointer(BlockId("H", 1), 8)
    word = encode(pointer, 8, number)
    assert decode(word, number) == pointer
    assert decode(word[:4], number) == Int(0x55667788)
    assert decode(word[1:] + word[:1], number) == Int(0x8811223344556677 - (1 << 64))
    assert decode((*word[:7], None), number) == Int(0x22334455667788, 0xFF << 56)
    assert encode(Int(0x11, 0xFF00 | 0x80), 4, number) == (Mixed(0x11, 0x80), None, 0, 0)
    assert decode((Mixed(0x11, 0x80), None), number) == Int(0x11, 0xFF80)
    assert encode(pointer, 2, number) == (0x88, 0x77)
