"""The reader of memory maps."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from whence.symbols.maps import Mapping, MemoryMap, parse_line


def test_lines() -> None:
    assert parse_line("55d0-55e0 r-xp 00001000 fe:01 123        /usr/bin/a b") == Mapping(
        0x55D0, 0x55E0, 0x1000, "/usr/bin/a b", code=True
    )
    assert parse_line("7f00-7f10 rw-p 00000000 00:00 0 ") == Mapping(0x7F00, 0x7F10)
    assert parse_line("7f00-7f10 r-xp 00000000 00:00 0                  [vdso]") == Mapping(
        0x7F00, 0x7F10, 0, "[vdso]", code=True
    )
    gone = parse_line("7f00-7f10 r-xp 00000000 fe:01 9 /tmp/x (deleted)")
    assert gone == Mapping(0x7F00, 0x7F10, 0, "/tmp/x", deleted=True, code=True)
    assert gone is not None and not gone.is_file
    newline = parse_line("7f00-7f10 r-xp 00000000 fe:01 9 /tmp/a\\012b")
    assert newline is not None and newline.path == "/tmp/a\nb"


def test_the_program_is_the_first_code_of_a_file() -> None:
    lines = [
        "10000-20000 rw-s 00000000 fe:01 7 /tmp/record",
        "20000-30000 r-xp 00000000 00:00 0 ",
        "55d0000-55e0000 r--p 00000000 fe:01 9 /bin/prog",
        "55e0000-55f0000 r-xp 00010000 fe:01 9 /bin/prog",
        "7f00000-7f10000 r-xp 00000000 fe:01 9 /lib/libc.so",
    ]
    assert MemoryMap.parse("\n".join(lines)).program == (0x55E0000, "/bin/prog")
    assert MemoryMap.parse(lines[0]).program is None


def test_lines_that_are_none() -> None:
    for line in ("", "nonsense", "7f00-7f1", "7f10-7f00 r-xp 00000000 00:00 0", "xx-yy r-xp 0 0:0 0 a"):
        assert parse_line(line) is None


def test_own_map() -> None:
    memory = MemoryMap.parse(Path("/proc/self/maps").read_text())
    for mapping in memory.mappings:
        assert memory.find(mapping.begin) is mapping
        assert memory.find(mapping.end - 1) is mapping


def test_a_map_that_was_cut_off() -> None:
    text = "1000-2000 r-xp 00000000 fe:01 9 /a\n3000-4000 r-xp 00000000 fe:01 9 /b\n5000-60"
    assert [m.path for m in MemoryMap.parse(text).mappings] == ["/a", "/b"]


spans = st.lists(st.integers(0, 1000), unique=True, min_size=2).map(sorted)


@given(spans, st.integers(-5, 1005))
def test_find(edges: list[int], address: int) -> None:
    mappings = [Mapping(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    expected = next((m for m in mappings if m.begin <= address < m.end), None)
    assert MemoryMap(reversed(mappings)).find(address) == expected


@given(st.text())
def test_any_text(text: str) -> None:
    MemoryMap.parse(text)
