"""Where debug information lies: apart, shared, compressed, in files of the compiler; code that has none."""

from __future__ import annotations

import lzma
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from stack_programs import SOURCES, capture, compile_with, expected

from whence.symbols import debugfile
from whence.symbols.module import Module, _opened
from whence.symbols.symbolizer import Symbolizer

pytestmark = pytest.mark.build

CHAIN = ["capture", "leaf", "middle", "outer", "main"]


@pytest.fixture(autouse=True)
def anew() -> None:
    """No module of an earlier program at the same path."""
    _opened.clear()


def build(folder: Path, *options: str) -> Path:
    compile_with(["gcc"], "-O2", "-g", *options, SOURCES / "stack.c", "-o", folder / "prog", cwd=folder)
    return folder / "prog"


def run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True)


def check(program: Path) -> None:
    captured = capture(program)
    frames = Symbolizer().stack(captured.pcs, captured.memory)
    marks = expected("stack.c")
    for name, frame in zip(CHAIN, frames, strict=False):
        assert marks[name].matches(frame), frame
        assert frame.column and frame.file == str(SOURCES / "stack.c")


def take_out(folder: Path, to: str) -> None:
    """Move the debug information of the program to another file."""
    run(folder, "objcopy", "--only-keep-debug", "prog", to)
    run(folder, "strip", "prog")


@pytest.mark.parametrize("folder", [".", ".debug"])
def test_a_link_names_the_file_with_the_rest(tmp_path: Path, folder: str) -> None:
    program = build(tmp_path, "-Wl,--build-id=none")
    (tmp_path / folder).mkdir(exist_ok=True)
    take_out(tmp_path, f"{folder}/prog.debug")
    run(tmp_path, "objcopy", f"--add-gnu-debuglink={folder}/prog.debug", "prog")
    check(program)


def test_a_link_to_another_file_is_not_followed(tmp_path: Path) -> None:
    program = build(tmp_path, "-Wl,--build-id=none")
    take_out(tmp_path, "prog.debug")
    run(tmp_path, "objcopy", "--add-gnu-debuglink=prog.debug", "prog")
    with (tmp_path / "prog.debug").open("ab") as file:
        file.write(b"changed")
    captured = capture(program)
    assert Symbolizer().stack(captured.pcs, captured.memory)[0].function is None


def test_the_build_id_names_the_file_with_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = build(tmp_path, "-Wl,--build-id=0xabcdef")
    (tmp_path / ".build-id" / "ab").mkdir(parents=True)
    take_out(tmp_path, ".build-id/ab/cdef.debug")
    monkeypatch.setattr(debugfile, "FOLDERS", (str(tmp_path),))
    check(program)


@pytest.mark.skipif(shutil.which("dwz") is None, reason="needs dwz")
def test_programs_share_debug_information(tmp_path: Path) -> None:
    program = build(tmp_path)
    shutil.copy(program, tmp_path / "other")
    run(tmp_path, "dwz", "-m", "shared", "prog", "other")
    check(program)


@pytest.mark.parametrize("kind", ["zlib", "zlib-gnu", "zstd"])
def test_compressed_sections(tmp_path: Path, kind: str) -> None:
    program = build(tmp_path)
    done = subprocess.run(["objcopy", f"--compress-debug-sections={kind}", program], capture_output=True)
    if done.returncode:
        pytest.skip(f"objcopy makes no {kind}")
    check(program)


def with_packed_names(folder: Path) -> Path:
    """A stripped program whose symbol table stands in it once more, packed, as on Fedora."""
    program = build(folder)
    run(folder, "objcopy", "--strip-debug", "prog", "names")
    (folder / "packed").write_bytes(lzma.compress((folder / "names").read_bytes()))
    run(folder, "strip", "prog")
    run(folder, "objcopy", "--add-section", ".gnu_debugdata=packed", "prog")
    return program


def functions_of(program: Path) -> tuple[list[str | None], list[str]]:
    """The functions of the program's stack, and what the symbolizer notes."""
    captured, symbolizer = capture(program), Symbolizer()
    return [frame.function for frame in symbolizer.stack(captured.pcs, captured.memory)], symbolizer.notes


def test_packed_names(tmp_path: Path) -> None:
    functions, notes = functions_of(with_packed_names(tmp_path))
    assert "main" in functions
    assert not notes


def test_packed_names_without_lzma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = with_packed_names(tmp_path)
    monkeypatch.setitem(sys.modules, "lzma", None)
    functions, notes = functions_of(program)
    assert "main" not in functions
    assert notes == [f"{program}: names of its functions are packed, and this Python has no module lzma"]


def test_split_names_have_their_scopes(tmp_path: Path) -> None:
    """The first lines of C++ that was split: gcc writes the names to a file of their own."""
    source = tmp_path / "a.cpp"
    source.write_text(
        "namespace app { struct Box { int v; [[gnu::noinline]] int get(int i) { return i + v; } }; }\n"
        "int main(int c, char **) { app::Box b{c}; return b.get(c - 1); }\n"
    )
    run(tmp_path, "g++", "-g", "-gsplit-dwarf", "-O1", "-c", "a.cpp")
    run(tmp_path, "g++", "a.o", "-o", "prog")
    listing = subprocess.run(["nm", tmp_path / "prog"], capture_output=True, text=True).stdout
    address = next(int(line.split()[0], 16) for line in listing.splitlines() if line.endswith("3getEi"))
    (place,) = Module(str(tmp_path / "prog")).places(address)
    assert (place.function, place.file, place.line) == ("app::Box::get", str(source), 1)
    (tmp_path / "a.dwo").unlink()
    (place,) = Module(str(tmp_path / "prog")).places(address)
    assert (place.function, place.file, place.line) == ("app::Box::get", str(source), 1), "by symbol and line"


def test_assembly_without_sizes(tmp_path: Path) -> None:
    """A label names what follows it, up to the next one."""
    (tmp_path / "a.s").write_text(
        ".text\n.globl one\none: nop\nnop\ntwo: nop\nnop\n.section .note.GNU-stack\n"
    )
    (tmp_path / "b.c").write_text("int main(void) { return 0; }\n")
    run(tmp_path, "gcc", "a.s", "b.c", "-o", "prog")
    listing = subprocess.run(["nm", tmp_path / "prog"], capture_output=True, text=True).stdout
    begin = next(int(line.split()[0], 16) for line in listing.splitlines() if line.endswith(" one"))
    module = Module(str(tmp_path / "prog"))
    assert [module.places(begin + at)[0].function for at in range(4)] == ["one", "one", "two", "two"]


def test_aliases_have_the_first_name_of_the_table(tmp_path: Path) -> None:
    """Constructors of a class have two symbols, and both are called one thing."""
    source = tmp_path / "a.cpp"
    source.write_text("struct S { S(int); int v; };\nS::S(int i) : v(i) {}\nint main() { return S(0).v; }\n")
    run(tmp_path, "g++", "-g", "-O0", "a.cpp", "-o", "prog")
    listing = subprocess.run(["nm", tmp_path / "prog"], capture_output=True, text=True).stdout
    address = next(int(line.split()[0], 16) for line in listing.splitlines() if "C2Ei" in line)
    (place,) = Module(str(tmp_path / "prog")).places(address)
    assert place.function == "S::S" and place.line == 2
    assert place.linkage in ("_ZN1SC1Ei", "_ZN1SC2Ei")
