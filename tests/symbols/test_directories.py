"""Names of sources that are relative to the directory of their compilation."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

from whence.symbols.directories import CompileDirectories, rooted

LIMIT = 1 << 20


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Two units of code, each compiled in a directory of its own; the linker keeps their order."""
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.c").write_text(f"int {name}(void) {{ return 1; }}\n")
        subprocess.run(["gcc", "-g", "-c", "a.c"], cwd=folder, check=True)
    linked = tmp_path / "both.so"
    subprocess.run(["gcc", "-shared", "one/a.o", "two/a.o", "-o", linked], cwd=tmp_path, check=True)
    return linked


def addresses_of(program: Path) -> list[int]:
    listing = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    found = {line.split()[-1]: int(line.split()[0], 16) for line in listing.splitlines() if " T " in line}
    return [found["one"], found["two"]]


@pytest.mark.build
def test_the_directory_of_an_address(program: Path) -> None:
    directories = CompileDirectories(str(program), LIMIT)
    assert [directories.of(address) for address in addresses_of(program)] == [
        (str(program.parent / name),) for name in ("one", "two")
    ]
    assert CompileDirectories(str(program), 100).of(addresses_of(program)[0]) == ()


@pytest.mark.build
def test_all_directories_without_a_table_of_addresses(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["objcopy", "--remove-section=.debug_aranges", program], check=True)
    both = tuple(str(program.parent / name) for name in ("one", "two"))
    assert CompileDirectories(str(program), LIMIT).of(addresses_of(program)[0]) == both
    monkeypatch.setattr("whence.symbols.directories._MOST_UNITS", 1)
    assert CompileDirectories(str(program), LIMIT).of(addresses_of(program)[0]) == ()


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + bytes(57), b"text"])
def test_files_that_are_no_elf(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert CompileDirectories(str(tmp_path / "file"), LIMIT).of(0) == ()
    assert CompileDirectories(str(tmp_path / "missing"), LIMIT).of(0) == ()


def test_where_a_name_leads(tmp_path: Path) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert rooted("src/../a.c", [one]) == f"{one}/a.c"
    assert rooted("a.c", [one, two]) == "a.c"
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "a.c").touch()
    assert rooted("a.c", [one, two]) == f"{two}/a.c"
    assert rooted("a.c", []) == "a.c"
    assert rooted("a.c", ["./two"]) == "a.c"


SOURCE = """
#include <stdlib.h>
#include <string.h>
struct big { int v[16]; };
static int last(struct big b) { return b.v[15]; }
int main(void) {
    struct big *b = malloc(sizeof *b);
    memset(b, 0, sizeof *b - sizeof(int));
    int v = last(*b);
    free(b);
    return v == 1;
}
"""


@pytest.mark.build
def test_a_source_named_by_its_absolute_path(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """Front ends write it relative to the working directory, if it is below that."""
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "src").mkdir()
    source = tmp_path / "src" / "a.c"
    source.write_text(SOURCE)
    whence.cc("-g", "-O2", source, "-o", "prog")
    _, (finding,) = whence.findings("--enable", "use-of-uninitialized-value", "./prog")
    frames = [finding["stack"][0], finding["origin"]["stack"][0]]
    assert [(frame["file"], frame["line"]) for frame in frames] == [(str(source), 11), (str(source), 7)]
