"""Names in the tables of images: what a library refers to keeps its meaning, and what it was linked without
is never made up."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Done, Whence

from whence.symbols.elf import HEADER
from whence.toolchain.carry import dynamic_symbols, mentions, mentions_begin
from whence.toolchain.linkmap import LinkMap

pytestmark = pytest.mark.build

HOST = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int opts[4] = {7, 7, 7, 7}, myopts = 1;
int dup_it(int x) { return 2 * x; }
int my_dup_it(int x) { return x; }
double mixed(int a, double b, const char *s, int c, int d, int e, int f, int g, double h) {
    return a + b + s[0] + c + d + e + f + g + h;
}
void *lt_dlopen(const char *name) { return dlopen(name, RTLD_NOW); }
int main(int argc, char **argv) {
    void *library = lt_dlopen(argv[1]);
    int (*work)(int, const char *) = library ? (int (*)(int, const char *))dlsym(library, "work") : 0;
    return work ? work(atoi(argv[2]), argc > 3 ? "x" : 0) : (puts(dlerror()), 1);
}
"""

TAILS = """
#include <stdio.h>
extern int opts[4], myopts;
int dup_it(int), my_dup_it(int);
int work(int index, const char *unused) {
    int own[4] = {0};
    own[index] = opts[1];
    printf("%d %d\\n", opts[1], dup_it(20) + my_dup_it(1) + myopts + own[3]);
    return 0;
}
"""
"""`opts` and `dup_it` are the tails of other names, and have no bytes of their own in the string table."""

REMOVED = """
#include <stdio.h>
double mixed(int a, double b, const char *s, int c, int d, int e, int f, int g, double h);
int nowhere(int);
extern int no_table[];
__attribute__((noinline, nonnull)) static int is_null(const char *p) { return !p; }
int work(int how, const char *other) {
    if (is_null(other)) {
        if (how == 1) printf("%.1f\\n", mixed(1, 2.5, "x", 3, 4, 5, 6, 7, 8.5));
        if (how == 2) return nowhere(3);
        if (how == 3) return no_table[2];
        if (how == 4) no_table[1] = 2;
    }
    return 0;
}
"""
"""The compiler removes all calls, since the parameter is promised not to be null; whence does not."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """Two hosts, with IR and without, and a plugin for each of the texts."""
    whence = Whence(tmp_path_factory.mktemp("names"), whence_env)
    place = whence.directory
    for name, text in (("host", HOST), ("tails", TAILS), ("removed", REMOVED)):
        (place / f"{name}.c").write_text(text)
    for name in ("tails", "removed"):
        whence.cc("-g", "-O2", "-w", "-fPIC", "-shared", place / f"{name}.c", "-o", place / f"{name}.so")
    host = ("-g", "-O2", "-w", "-rdynamic", place / "host.c", "-ldl", "-o")
    whence.cc(*host, place / "host")
    subprocess.run(["gcc", *host, place / "plain"], check=True)
    return place


@pytest.fixture
def whence(folder: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(folder, whence_env)


@pytest.mark.parametrize("host", ["host", "plain"])
def test_names_that_are_tails(whence: Whence, host: str) -> None:
    """`dlopen`, too, has no bytes of its own in the hosts' tables."""
    done = whence.run(f"./{host}", "./tails.so", "3")
    assert (done.status, done.out) == (0, b"7 49\n") and "checked: " in done.err
    done, findings = whence.findings(f"./{host}", "./tails.so", "4")
    assert (done.status, [f["rule"] for f in findings]) == (99, ["stack-buffer-overflow"])


def reach(whence: Whence, how: int, *more: str) -> Done:
    return whence.run("./host", "./removed.so", str(how), *more)


def test_removed_calls_that_are_reached(whence: Whence) -> None:
    """What is there by then is called, with all its arguments; what is not ends the process."""
    done = reach(whence, 1)
    assert (done.status, done.out) == (0, b"157.0\n")
    for how, use in ((2, "calls nowhere"), (3, "uses no_table"), (4, "uses no_table")):
        done = reach(whence, how)
        assert done.status == 125 and f"it {use}, which removed.so was linked without" in done.err
        assert (twin := reach(whence, how, "x")).status == 0 and "no findings" in twin.err


def test_removed_calls_of_members_of_archives(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """A member that the link did not need is linked now, with what it needs, if the archive is there."""
    whence = Whence(tmp_path, whence_env)
    texts = {
        "near": "int near(int x) { return x + 1; }",
        "far": "int farther(int); int far(int x) { return farther(x) + 1; }",
        "farther": "int farther(int x) { return x; }",
        "main": "#include <stdlib.h>\nint near(int); __attribute__((pure)) int far(int);\n"
        "int main(int argc, char **argv) { if (far(argc) == 2) free(malloc(1)); return near(argc); }",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.c").write_text(text)
        whence.cc("-g", "-O2", "-w", "-c", tmp_path / f"{name}.c", "-o", tmp_path / f"{name}.o")
    members = [str(tmp_path / f"{name}.o") for name in ("near", "far", "farther")]
    library = tmp_path / "lib.a"
    subprocess.run(["ar", "rc", str(library), *members], check=True)
    whence.cc(tmp_path / "main.o", library, "-o", tmp_path / "found")
    whence.cc(tmp_path / "main.o", library, "-Wl,-z,norelro", "-o", tmp_path / "lost")
    assert "far" not in subprocess.run(["nm", tmp_path / "found"], capture_output=True, text=True).stdout
    done = whence.run("./found")
    assert done.status == 2 and "no findings" in done.err
    library.unlink()
    done = whence.run("./lost")
    assert done.status == 125 and "it calls far, which lost was linked without" in done.err


def test_names_of_dynamic_symbols(whence: Whence, tmp_path: Path) -> None:
    """Also of an image whose section headers were removed, which the loader does not need."""
    path = whence.directory / "tails.so"
    image = bytearray(path.read_bytes())
    fields = list(HEADER.unpack_from(image))
    fields[6] = fields[12] = fields[13] = 0
    image[: HEADER.size] = HEADER.pack(*fields)
    without = tmp_path / "without.so"
    without.write_bytes(image)
    for each in (path, without):
        assert all(mentions(each, name) for name in ("opts", "myopts", "dup_it", "work"))
        assert not any(mentions(each, name) for name in ("pts", "up_it", "wor", "printf "))
        assert mentions_begin(each, ["my_dup", "nothing"]) and not mentions_begin(each, ["y_dup"])
        assert {"opts", "work"} <= dynamic_symbols(each)
        assert "work" in dynamic_symbols(each, defined=True)
        assert "opts" not in dynamic_symbols(each, defined=True)
    image[HEADER.size + 8 : HEADER.size + 16] = struct.pack("<Q", 1 << 40)
    without.write_bytes(image[:2000])
    assert not mentions(without, "opts") and not dynamic_symbols(without)


def test_members_of_thin_archives_in_a_map() -> None:
    """A path that is the tail of another one was not linked for that."""
    found = LinkMap(b"lib/sub/b.o   m.o (f)\n .text 0x1 lib.a(lib/ab.o)\n x lib/c.o:(.text)\n")
    assert all(found.mentions(path) for path in ("lib/sub/b.o", "lib/ab.o", "lib/c.o"))
    assert not any(found.mentions(path) for path in ("b.o", "sub/b.o", "ib/ab.o", "lib/c"))
