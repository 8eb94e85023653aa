"""Stacks of real programs, built here in many ways, against the lines marked in their sources."""

from __future__ import annotations

import errno
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import given, settings
from hypothesis import strategies as st
from stack_programs import SOURCES, Captured, capture, compile_with, compilers, expected
from tests.harness.examples import examples

from whence.errors import ToolLimit
from whence.findings import Frame
from whence.symbols import module
from whence.symbols.maps import Mapping, MemoryMap
from whence.symbols.module import _opened
from whence.symbols.symbolizer import Symbolizer

pytestmark = pytest.mark.build

COMPILERS = compilers()
WAYS = {
    "dwarf4": ["-gdwarf-4"],
    "dwarf5": ["-gdwarf-5"],
    "non-pie": ["-g", "-no-pie", "-fno-pie"],
    "static": ["-g", "-static"],
    "compressed": ["-g", "-gz"],
    "split": ["-g", "-gsplit-dwarf"],
    "sections": ["-g", "-ffunction-sections", "-Wl,--gc-sections"],
}
CHAIN = ["capture", "leaf", "middle", "outer", "main"]
CXX_CHAIN = [
    "capture",
    "app::Ring<int>::at",
    "app::Ring<int>::twice",
    "app::(anonymous namespace)::hidden",
    "app::Op::operator()",
    "apply<app::Op>",
    "main",
]


def build(tmp: Path, compiler: str, *options: str, source: str = "stack.c") -> Path:
    program = tmp / "prog"
    compile_with(COMPILERS[compiler], "-O2", *options, SOURCES / source, "-o", program, cwd=tmp)
    return program


def stack_of(captured: Captured) -> tuple[Frame, ...]:
    return Symbolizer().stack(captured.pcs, captured.memory)


def check(frames: tuple[Frame, ...], source: str, chain: list[str]) -> None:
    marks = expected(source)
    shown = frames[: len(chain)]
    assert [(f.function, f.line, f.inlined) for f in shown] == [
        (marks[name].function, marks[name].line, marks[name].inlined) for name in chain
    ]
    assert {f.file for f in shown} == {str(SOURCES / source)}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_lines_and_inlined_calls(tmp_path: Path, compiler: str, way: str) -> None:
    frames = stack_of(capture(build(tmp_path, compiler, *WAYS[way])))
    check(frames, "stack.c", CHAIN)
    assert all(f.column for f in frames[: len(CHAIN)]), "columns are known"


@pytest.mark.parametrize("compiler", COMPILERS)
def test_columns(tmp_path: Path, compiler: str) -> None:
    """The column of an inlined call is that of the call in the line it was inlined into."""
    frames = stack_of(capture(build(tmp_path, compiler, "-g")))
    lines = (SOURCES / "stack.c").read_text().splitlines()
    at = {f.function: lines[f.line - 1][f.column - 1 :] for f in frames[: len(CHAIN)]}
    assert at["leaf"].startswith("capture(depth)")
    assert at["middle"].startswith("leaf(depth)")
    assert at["outer"].startswith("middle(depth + 1)")
    assert at["main"].startswith("callback(argc)")


@pytest.mark.skipif(shutil.which("addr2line") is None, reason="needs addr2line of binutils")
@pytest.mark.parametrize("way", ["dwarf4", "dwarf5", "non-pie"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_address_agrees_with_addr2line(tmp_path: Path, compiler: str, way: str) -> None:
    program = build(tmp_path, compiler, *WAYS[way])
    listing = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout
    outer = next(line.split() for line in listing.splitlines() if line.endswith(" outer"))
    begin, size = int(outer[0], 16), int(outer[1], 16)
    base = 0x10000000
    memory = MemoryMap(
        Mapping(base + at, base + at + count, offset, str(program)) for at, count, offset in segments(program)
    )
    addresses = range(begin, begin + size)
    command = ["addr2line", "-fie", program, *map(hex, addresses)]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ours = Symbolizer()
    lines = []
    for address in addresses:
        for frame in ours.frames(base + address, memory, exact=True):
            lines += [frame.function, f"{frame.file}:{frame.line or '?'}"]
    assert lines == [line.split(" (discr")[0] for line in theirs.splitlines()]


def segments(program: Path) -> list[tuple[int, int, int]]:
    """Address, size and file offset of every loaded segment."""
    with open(program, "rb") as file:
        headers = [segment.header for segment in ELFFile(file).iter_segments("PT_LOAD")]
    return [(h.p_vaddr, h.p_memsz, h.p_offset) for h in headers]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_relative_paths_are_completed_with_the_directory_of_the_compilation(
    tmp_path: Path, compiler: str
) -> None:
    """Several compilers put paths into the file the way they stood on the command line."""
    (tmp_path / "deep").mkdir()
    source = tmp_path / "deep" / "rel.c"
    shutil.copy(SOURCES / "stack.c", source)
    for dwarf in ("-gdwarf-4", "-gdwarf-5"):
        compile_with(COMPILERS[compiler], "-O2", dwarf, "deep/rel.c", "-o", "prog", cwd=tmp_path)
        frames = stack_of(capture(tmp_path / "prog"))
        assert {f.file for f in frames[: len(CHAIN)]} == {str(source)}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_shared_library_loaded_at_run_time(tmp_path: Path, compiler: str) -> None:
    library = tmp_path / "libstack.so"
    flags = ["-O2", "-g", "-fPIC", "-shared", "-DLIBRARY"]
    compile_with(COMPILERS[compiler], *flags, SOURCES / "stack.c", "-o", library)
    host = tmp_path / "host"
    compile_with(COMPILERS[compiler], "-g", SOURCES / "host.c", "-o", host, "-ldl")
    frames = stack_of(capture(host, library))
    check(frames, "stack.c", CHAIN[:-1])
    assert {f.module for f in frames[:4]} == {str(library)}
    main = expected("host.c")["main"]
    assert main.matches(frames[4]) and frames[4].module == str(host)


@pytest.mark.parametrize("dwarf", ["-gdwarf-4", "-gdwarf-5"])
@pytest.mark.parametrize("compiler", [name for name in COMPILERS if name != "zig"])
def test_names_of_cxx(tmp_path: Path, compiler: str, dwarf: str) -> None:
    driver = [path.replace("gcc", "g++") for path in COMPILERS[compiler]]
    if compiler == "clang":
        driver = [*driver, "--driver-mode=g++"]
    program = tmp_path / "prog"
    compile_with(driver, "-O1", dwarf, SOURCES / "names.cpp", "-o", program)
    frames = stack_of(capture(program))
    names = [f.function for f in frames[: len(CXX_CHAIN)]]
    # gcc gives a function in an unnamed namespace no linkage name.
    assert [name if name != "hidden" else CXX_CHAIN[3] for name in names] == CXX_CHAIN
    lines = {mark.function: mark.line for mark in expected("names.cpp").values()}
    assert [f.line for f in frames[: len(CXX_CHAIN)]] == [lines[name] for name in CXX_CHAIN]


def test_machine_code_of_llvmlite(tmp_path: Path) -> None:
    """Instrumented programs come from here: IR of the front end, machine code of llvmlite's LLVM."""
    compiler = next((name for name in ("zig", "clang") if name in COMPILERS), None)
    if compiler is None:
        pytest.skip("needs a clang")
    binding = pytest.importorskip("llvmlite.binding")
    text = tmp_path / "stack.ll"
    compile_with(COMPILERS[compiler], "-O2", "-g", "-S", "-emit-llvm", SOURCES / "stack.c", "-o", text)
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(reloc="pic", codemodel="default")
    (tmp_path / "stack.o").write_bytes(machine.emit_object(binding.parse_assembly(text.read_text())))
    compile_with(["cc"], tmp_path / "stack.o", "-o", tmp_path / "prog")
    check(stack_of(capture(tmp_path / "prog")), "stack.c", CHAIN)


# ---- without debug information ----


@pytest.mark.parametrize("compiler", COMPILERS)
def test_symbol_table_only(tmp_path: Path, compiler: str) -> None:
    frames = stack_of(capture(build(tmp_path, compiler)))
    assert [f.function for f in frames[:3]] == ["capture", "outer", "main"]
    assert all(f.file is None and f.line == 0 and f.offset for f in frames[:3])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_stripped_names_no_function_by_guess(tmp_path: Path, compiler: str) -> None:
    program = build(tmp_path, compiler, "-rdynamic")
    subprocess.run(["strip", program], check=True)
    frames = stack_of(capture(program))
    assert [f.function for f in frames[:3]] == [None, "outer", "main"], "exported names remain"
    assert frames[0].module == str(program) and frames[0].offset


def test_separate_debug_file_that_is_not_there(tmp_path: Path) -> None:
    program = build(tmp_path, "gcc", "-g")
    subprocess.run(["objcopy", "--only-keep-debug", "prog", "prog.debug"], cwd=tmp_path, check=True)
    subprocess.run(["strip", "prog"], cwd=tmp_path, check=True)
    subprocess.run(["objcopy", "--add-gnu-debuglink=prog.debug", "prog"], cwd=tmp_path, check=True)
    (tmp_path / "prog.debug").unlink()
    symbolizer = Symbolizer()
    captured = capture(program)
    frames = symbolizer.stack(captured.pcs, captured.memory)
    assert [f.function for f in frames[:3]] == [None, None, None]
    assert symbolizer.notes == []


def test_libc_frames_have_names(tmp_path: Path) -> None:
    frames = stack_of(capture(build(tmp_path, "gcc", "-g")))
    assert frames[-1].function == "_start"
    assert any((f.function or "").startswith("__libc_start") for f in frames)


# ---- files that are gone, replaced or damaged ----


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("program"), "gcc", "-g")


@pytest.fixture(scope="module")
def captured(program: Path) -> Captured:
    return capture(program)


def test_deleted_program(program: Path, captured: Captured) -> None:
    maps = captured.maps.replace(f"{program}\n", f"{program} (deleted)\n")
    symbolizer = Symbolizer()
    frames = symbolizer.stack(captured.pcs, MemoryMap.parse(maps))
    assert frames[0] == Frame(captured.pcs[0], str(program))
    assert symbolizer.notes == [f"{program} was deleted or replaced while it ran: its frames have no names"]


def test_a_path_of_a_damaged_map_is_no_file(captured: Captured, program: Path) -> None:
    memory = MemoryMap.parse(captured.maps.replace(str(program), "/home/pr\0g"))
    symbolizer = Symbolizer()
    frame = symbolizer.stack(captured.pcs, memory)[0]
    assert (frame.function, frame.offset, symbolizer.notes) == (None, None, [])


def test_a_copy_has_the_name_of_the_file_that_it_was_made_from(program: Path, captured: Captured) -> None:
    """Also where it has no names; offsets in it are none in that file."""
    plain = Symbolizer().stack(captured.pcs, captured.memory)
    frames = Symbolizer(originals={str(program): "/home/user/prog"}).stack(captured.pcs, captured.memory)
    assert [(each.function, each.line) for each in frames] == [(each.function, each.line) for each in plain]
    assert {each.module for each in frames[:3]} == {"/home/user/prog"}
    assert {each.offset for each in frames[:3]} == {None}
    deleted = MemoryMap.parse(captured.maps.replace(f"{program}\n", f"{program} (deleted)\n"))
    symbolizer = Symbolizer(originals={str(program): "/home/user/prog"})
    assert symbolizer.stack(captured.pcs, deleted)[0].module == "/home/user/prog"
    assert symbolizer.notes[0].startswith("/home/user/prog was deleted or replaced")


def test_missing_program(program: Path, captured: Captured) -> None:
    symbolizer = Symbolizer()
    memory = MemoryMap.parse(captured.maps.replace(str(program), "/nonexistent/prog"))
    frames = symbolizer.stack(captured.pcs, memory)
    assert frames[0] == Frame(captured.pcs[0], "/nonexistent/prog")
    assert symbolizer.notes == ["/nonexistent/prog: No such file or directory: its frames have no names"]


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF\x02\x01\x01" + bytes(57)])
def test_program_that_is_no_elf_file(
    tmp_path: Path, program: Path, captured: Captured, content: bytes
) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    symbolizer = Symbolizer()
    memory = MemoryMap.parse(captured.maps.replace(str(program), str(other)))
    frames = symbolizer.stack(captured.pcs, memory)
    assert (frames[0].module, frames[0].function) == (str(other), None)


@settings(max_examples=examples(60))
@given(data=st.data())
def test_damaged_program(
    tmp_path_factory: pytest.TempPathFactory, program: Path, captured: Captured, data: st.DataObject
) -> None:
    """Cut off anywhere, or with bytes of the headers overwritten: frames without names, no exception."""
    whole = bytearray(program.read_bytes())
    del whole[data.draw(st.integers(0, len(whole))) :]
    for offset, value in data.draw(st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)))):
        if whole:
            whole[offset % len(whole)] = value
    other = tmp_path_factory.mktemp("damaged") / "prog"
    other.write_bytes(whole)
    frames = Symbolizer().stack(
        captured.pcs, MemoryMap.parse(captured.maps.replace(str(program), str(other)))
    )
    assert {f.pc for f in frames} == set(captured.pcs)


def debug_sections(program: Path) -> list[tuple[int, int]]:
    """Offset and size of every section that names code."""
    with open(program, "rb") as file:
        named = [(s.name, s["sh_offset"], s["sh_size"]) for s in ELFFile(file).iter_sections()]
    tables = (".symtab", ".strtab", ".dynsym", ".dynstr", ".eh_frame")
    return [(offset, size) for name, offset, size in named if name in tables or name.startswith(".debug")]


@settings(max_examples=examples(75))
@given(seed=st.integers(0, 1 << 32), count=st.sampled_from([1, 10, 100]))
def test_damaged_debug_information(
    tmp_path_factory: pytest.TempPathFactory, program: Path, captured: Captured, seed: int, count: int
) -> None:
    """Damage shows in many ways; none of them gets through."""
    random = Random(seed)
    whole = bytearray(program.read_bytes())
    sections = debug_sections(program)
    for _ in range(count):
        offset, size = random.choice(sections)
        whole[offset + random.randrange(size)] = random.randrange(256)
    other = tmp_path_factory.getbasetemp() / "damaged"
    other.write_bytes(whole)
    memory = MemoryMap.parse(captured.maps.replace(str(program), str(other)))
    assert {f.pc for f in Symbolizer().stack(captured.pcs, memory)} == set(captured.pcs)


# ---- addresses ----


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.EMFILE, "Too many open files"),
        ImportError("libzstd.so.1: failed to map segment"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_shortage_costs_names_only(
    captured: Captured, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(path: str, kept: object = None) -> None:
        raise error

    monkeypatch.setattr("whence.symbols.module.opened", fail)
    symbolizer = Symbolizer()
    frames = symbolizer.stack(captured.pcs, captured.memory)
    assert len(frames) == len(captured.pcs) and not any(frame.function for frame in frames)
    assert "have no names: " in symbolizer.notes[0]


def test_addresses_of_nothing(captured: Captured) -> None:
    symbolizer = Symbolizer()
    for pc in (0, 1, 0x41414141, (1 << 64) - 1):
        assert symbolizer.frames(pc, captured.memory) == (Frame(pc),)
        assert symbolizer.frames(pc, None) == (Frame(pc),)


def test_vdso_and_stack(captured: Captured) -> None:
    for name in ("[vdso]", "[stack]"):
        mapping = next(m for m in captured.memory.mappings if m.path == name)
        frames = Symbolizer().frames(mapping.begin + 16, captured.memory)
        assert frames == (Frame(mapping.begin + 16, name),)


def test_return_address_behind_the_end_of_a_function(captured: Captured) -> None:
    """A call that does not return may be the last instruction: its return address is another function's."""
    symbolizer = Symbolizer()
    memory = captured.memory
    frames = symbolizer.stack(captured.pcs, memory)
    outer = next(pc for pc, f in ((f.pc, f) for f in frames) if f.function == "outer")
    names = {}
    for pc in range(outer, outer + 64):
        names[pc] = symbolizer.frames(pc, memory, exact=True)[-1].function
    first_other = next(pc for pc, name in names.items() if name != "outer")
    assert symbolizer.frames(first_other, memory)[-1].function == "outer"


def test_exact_top_of_a_stack(captured: Captured) -> None:
    symbolizer = Symbolizer()
    pc = captured.pcs[0]
    exact = symbolizer.stack((pc, pc), captured.memory, exact_top=True)
    assert exact[0].pc == pc - 1
    assert [replace(f, pc=0, offset=0) for f in exact[:1]] == [
        replace(f, pc=0, offset=0) for f in symbolizer.frames(pc, captured.memory)
    ]


class Entries:
    """A cache in memory; `full`: it has no room."""

    def __init__(self, full: bool = False) -> None:
        self.full = full
        self.entries: dict[tuple[str, str], bytes] = {}
        self.hits = 0

    def read(self, kind: str, key: str) -> bytes | None:
        found = self.entries.get((kind, key))
        self.hits += found is not None
        return found

    def add(self, kind: str, key: str, content: bytes) -> None:
        if self.full:
            raise ToolLimit("no room")
        self.entries[kind, key] = content


def forget() -> None:
    """The next look is that of another process."""
    _opened.clear()


def test_places_in_a_file_with_debug_information_apart_are_kept_for_later_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = build(tmp_path, "gcc", "-g", "-Wl,--build-id=0xabcdef")
    captured, kept = capture(program), Entries()
    memory = MemoryMap.parse(captured.maps)
    monkeypatch.setattr(module, "_APART", str(tmp_path))
    forget()
    plain = Symbolizer(kept).stack(captured.pcs, memory)
    assert not [key for kind, key in kept.entries if kind == module.PLACES]
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "cdef.debug").write_text("1")
    forget()
    assert Symbolizer(kept).stack(captured.pcs, memory) == plain
    made = dict(kept.entries)
    assert [key for kind, key in made if kind == module.PLACES]

    forget()
    with monkeypatch.context() as patch:
        patch.setattr(module.Module, "_find", lambda *_: ())
        again = Symbolizer(kept).stack(captured.pcs, memory)
    assert again[: len(CHAIN)] == plain[: len(CHAIN)]

    (tmp_path / "ab" / "cdef.debug").write_text("another")
    forget()
    assert Symbolizer(kept).stack(captured.pcs, memory) == plain
    assert len(kept.entries) > len(made)


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff" * 4096])
def test_kept_places_that_cannot_be_read_are_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    program = build(tmp_path, "gcc", "-g", "-Wl,--build-id=0xabcdef")
    captured, kept = capture(program), Entries()
    memory = MemoryMap.parse(captured.maps)
    monkeypatch.setattr(module, "_APART", str(tmp_path))
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "cdef.debug").write_text("1")
    forget()
    plain = Symbolizer(kept).stack(captured.pcs, memory)
    made = dict(kept.entries)
    kept.entries = dict.fromkeys(made, content)
    forget()
    assert Symbolizer(kept).stack(captured.pcs, memory) == plain
    assert kept.entries == made
    forget()
    assert Symbolizer(Entries(full=True)).stack(captured.pcs, memory) == plain
