"""Options of links that gcc takes: whence-cc makes the same kind of image, and it can be checked."""

from __future__ import annotations

import pytest
from tests.harness.tiers import one_in

from whence.symbols import elf
from whence.toolchain.carry import read_image

pytestmark = pytest.mark.build

PROGRAM = """
#include <stdlib.h>
int main(int argc, char **argv) {
    char *p = malloc(4);
    p[argc + 1] = 1;
    int n = p[argc + 1];
    free(p);
    return n - 1;
}
"""
BARE = """
static long call(long number, long first) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first) : "rcx", "r11", "memory");
    return result;
}
void _start(void) { call(60, 0); }
"""

LINKS = {
    "--pie -fPIE": "pie",
    "--static": "exe",
    "--static-pie -fPIE": "pie",
    "-znow": "pie",
    "-export-dynamic": "pie",
    "-e_start": "pie",
    "--entry=_start": "pie",
    "--force-link=main": "pie",
    "-p": "pie",
    "-no-pie -Ttext=0x500000": "exe",
    "-no-pie -Tdata 0x900000": "exe",
    "-Wl,@words": "pie",
    "-symbolic -static-libtsan -static-libstdc++ -h name -R /tmp -R/tmp -dumpbase x": "pie",
}


@pytest.fixture
def folder(box):
    box.write("prog.c", PROGRAM)
    box.write("bare.c", BARE)
    box.write("words", "-z now")
    return box


def kind(path):
    with path.open("rb") as file:
        return elf.Elf(file.fileno()).type


@pytest.mark.parametrize("given", LINKS)
@pytest.mark.parametrize("python", one_in(2, ["", "-python"]), ids=["native", "python"])
def test_programs(folder, given, python):
    folder.ok(f"gcc prog.c {given} -o plain")
    done = folder.run(f"whence-cc{python} -g -Werror prog.c {given} -o prog")
    assert (done.returncode, done.stderr) == (0, "")
    assert kind(folder.folder / "prog") == kind(folder.folder / "plain")
    assert read_image(folder.folder / "prog").kind == LINKS[given]
    (folder.folder / "words").unlink()
    folder.ok("whence run --quiet --locate never ./prog")
    found = folder.run("whence run --locate never ./prog 1 2 3")
    assert found.returncode == 99 and "1 finding (1 heap-buffer-overflow)" in found.stderr
    assert folder.run("./prog").returncode == 0


@pytest.mark.parametrize("given", ["--shared", "-shared -symbolic", "-shared -h libone.so"])
def test_libraries(folder, given):
    folder.write("one.c", PROGRAM.replace("main(int argc, char **argv)", "one(int argc)"))
    folder.write("use.c", "int one(int);\nint main(int argc, char **argv) { return one(argc); }\n")
    folder.ok(f"gcc -fPIC {given} one.c -o plain.so")
    folder.ok(f"whence-cc -g -fPIC {given} one.c -o libone.so")
    with (folder.folder / "libone.so").open("rb") as made, (folder.folder / "plain.so").open("rb") as plain:
        assert elf.Elf(made.fileno()).type == elf.Elf(plain.fileno()).type == elf.ET_DYN
    assert read_image(folder.folder / "libone.so").kind == "shared"
    folder.ok("whence-cc -g use.c -L. -lone -Wl,-rpath,. -o use")
    folder.ok("whence run --quiet --locate never ./use")
    assert folder.run("whence run --locate never ./use 1 2 3").returncode == 99


@pytest.mark.parametrize("given", ["--no-standard-libraries", "-nostdlib -static -n"])
def test_programs_without_the_c_library(folder, given):
    folder.ok(f"gcc bare.c {given} -o plain")
    folder.ok(f"whence-cc bare.c {given} -o bare")
    folder.ok("./bare")
    folder.ok("whence run --quiet ./bare")


def test_code_on_pages_of_data(folder):
    """Nothing would hold for it: such code may write to itself."""
    folder.ok("whence-cc bare.c -nostdlib -static -N -o bare")
    folder.ok("./bare")
    done = folder.run("whence run ./bare")
    assert done.returncode == 125
    assert done.stderr == "whence: cannot relink bare: -N puts code and data on the same pages\n"


def test_nothing_is_linked(folder):
    words = "-symbolic -n -N -ex --entry=x -znow -Ttext=0 -Tdata 1 -R /x -h x --shared --pie -static-libtsan"
    folder.ok(f"gcc -Werror -c {words} prog.c -o plain.o")
    done = folder.run(f"whence-cc -Werror -c {words} prog.c -o prog.o")
    assert (done.returncode, done.stderr) == (0, "")
