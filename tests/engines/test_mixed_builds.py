"""Programs linked from objects with IR and objects without: the report says what was not checked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.tiers import one_in

pytestmark = pytest.mark.build

MAIN = """
#include <stdlib.h>
int use(char *p);
int main(int c, char **v) { char *p = malloc(8); int n = use(p); free(p); (void)v; return n - c; }
"""
USE = "int use(char *p) { p[0] = 1; return p[0]; }\n"
DATA = "const int table[] = {1, 2, 3};\n"


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "use.c").write_text(USE)
    made = Whence(tmp_path, whence_env)
    made.cc("-g", "-c", "main.c")
    return made


def native(whence: Whence, name: str, text: str = "") -> str:
    """An object of another compiler."""
    if text:
        (whence.directory / f"{name}.c").write_text(text)
    subprocess.run(["gcc", "-fPIC", "-c", f"{name}.c"], cwd=whence.directory, check=True)
    return f"{name}.o"


def notes(whence: Whence, *link: str | Path) -> list[str]:
    whence.cc(*link, "-o", "prog")
    document = whence.directory / "out.json"
    done = whence.run("--json", document, "./prog")
    assert done.status == 0, done.err
    found: list[str] = json.loads(document.read_text())["run"]["notes"]
    return found


def test_an_object_without_ir_is_named(whence: Whence) -> None:
    assert notes(whence, "main.o", native(whence, "use")) == [
        "prog: use.o carries no IR: accesses in there were not checked"
    ]


def test_so_is_a_member_of_an_archive_that_was_linked(whence: Whence) -> None:
    unused = native(whence, "unused", "int unused(void) { return 1; }\n")
    subprocess.run(["ar", "rcs", "libuse.a", native(whence, "use"), unused], cwd=whence.directory, check=True)
    assert notes(whence, "main.o", "-L.", "-luse") == [
        "prog: libuse.a(use.o) carries no IR: accesses in there were not checked"
    ]


def test_of_many_three_are_named(whence: Whence) -> None:
    more = [native(whence, f"more{i}", f"int more{i}(void) {{ return {i}; }}\n") for i in range(4)]
    assert notes(whence, "main.o", native(whence, "use"), *more) == [
        "prog: use.o, more0.o, more1.o and 2 more carry no IR: accesses in there were not checked"
    ]


def test_a_partial_link_is_looked_into(whence: Whence) -> None:
    whence.cc("-r", "main.o", native(whence, "use"), "-o", "both.o")
    assert notes(whence, "both.o") == ["prog: use.o carries no IR: accesses in there were not checked"]


def test_a_library_is_told_apart_from_the_program(whence: Whence) -> None:
    (whence.directory / "shared.c").write_text("int shared(void) { return 0; }\n")
    whence.cc("-g", "-fPIC", "-c", "shared.c")
    whence.cc("-shared", "shared.o", native(whence, "use"), "-o", "libuse.so")
    assert notes(whence, "main.o", "-L.", "-luse", "-Wl,-rpath,$ORIGIN") == [
        "libuse.so: use.o carries no IR: accesses in there were not checked"
    ]


def test_nothing_is_said_where_all_is_checked_or_no_code(whence: Whence) -> None:
    whence.cc("-g", "-c", "use.c")
    assert notes(whence, "main.o", "use.o", native(whence, "data", DATA)) == []
    assert notes(whence, "main.o", "use.c") == []


def joined(whence: Whence, form: str, linker: str = "gcc") -> list[Path]:
    """The program from main.o and use.o, which another linker joins; returns what it was made from."""
    use = native(whence, "use")
    inputs = {"objects": [use], "archive": ["libuse.a"], "partial": ["both.o"]}[form]
    for command in (["ar", "rcs", "libuse.a", use], ["ld", "-r", "main.o", use, "-o", "both.o"]):
        subprocess.run(command, cwd=whence.directory, check=True)
    main = [] if form == "partial" else ["main.o"]
    subprocess.run([linker, *main, *inputs, "-o", "prog"], cwd=whence.directory, check=True)
    return [whence.directory / name for name in ("use.o", "libuse.a", "both.o")]


@pytest.mark.parametrize("form", ["objects", "archive", "partial"])
@pytest.mark.parametrize("linker", ["gcc", "gfortran"])
def test_what_another_linker_joined_is_checked(whence: Whence, form: str, linker: str) -> None:
    """The code without IR is found in the objects and archives of the build."""
    if not shutil.which(linker):
        pytest.skip(f"no {linker}")
    found = joined(whence, form, linker)
    if form == "archive":
        found[0].unlink()
    name = "libuse.a(use.o)" if form == "archive" else "use.o"
    document = whence.directory / "out.json"
    done = whence.run("--json", document, "./prog")
    assert done.status == 0, done.err
    assert "checked: 1 module" in done.err
    assert json.loads(document.read_text())["run"]["notes"] == [
        f"prog: {name} carries no IR: accesses in there were not checked"
    ]


def test_a_bug_in_what_another_linker_joined_is_found(whence: Whence) -> None:
    (whence.directory / "wrong.c").write_text(
        "#include <stdlib.h>\nint use(char *);\n"
        "int main(int n, char **v) { char *p = malloc(4); p[3 + n] = 1; return use(p); }\n"
    )
    whence.cc("-g", "-c", "wrong.c")
    subprocess.run(["gcc", "wrong.o", native(whence, "use"), "-o", "prog"], cwd=whence.directory, check=True)
    done, (finding,) = whence.findings("./prog")
    assert done.status == 99
    assert finding["rule"] == "heap-buffer-overflow"


def test_a_mixed_build_in_a_tree_of_folders(whence: Whence) -> None:
    """As cmake lays it out; the object has initialised data, constants and hidden functions."""
    tree = whence.directory / "CMakeFiles/use.dir/src"
    tree.mkdir(parents=True)
    (tree / "use.c").write_text(
        'int table[] = {3, 2, 1};\nconst char *names[] = {"one", "two"};\n'
        "static int calls; __thread int here = 1;\n"
        '__attribute__((visibility("hidden"))) int hidden(int i) { return table[i] + here + calls++; }\n'
        "int use(char *p) { return hidden(2) - 2 + (names[1][0] == 't') + (p == 0); }\n"
    )
    subprocess.run(
        ["gcc", "-O2", "-ffunction-sections", "-fPIC", "-c", "use.c", "-o", "use.c.o"], cwd=tree, check=True
    )
    subprocess.run(["gcc", "main.o", tree / "use.c.o", "-o", "prog"], cwd=whence.directory, check=True)
    done = whence.run("./prog")
    assert done.status == 0 and "checked: 1 module" in done.err, done.err


def test_a_mixed_build_whose_archives_have_a_folder_of_their_own(whence: Whence) -> None:
    """As cmake lays it out with CMAKE_ARCHIVE_OUTPUT_DIRECTORY; nothing was compiled in that folder."""
    for name in ("source", "build/bin", "build/lib", "build/objects"):
        (whence.directory / name).mkdir(parents=True)
    (whence.directory / "main.c").rename(whence.directory / "source/main.c")
    objects = whence.directory / "build/objects"
    replace(whence, directory=objects).cc("-g", "-c", "../../source/main.c")
    (whence.directory / native(whence, "use")).rename(objects / "use.o")
    for command in (
        ["ar", "rcs", "../lib/libuse.a", "use.o"],
        ["gcc", "main.o", "../lib/libuse.a", "-o", "../bin/prog"],
    ):
        subprocess.run(command, cwd=objects, check=True)
    (objects / "use.o").unlink()
    done = whence.run("build/bin/prog")
    assert done.status == 0 and "checked: 1 module" in done.err, done.err


@pytest.mark.parametrize("change", ["gone", "newer", "other", "damaged"])
def test_what_is_not_found_again_runs_with_a_note(whence: Whence, change: str) -> None:
    """An object that is newer than the program, or has other contents, was not linked."""
    found = joined(whence, "objects")
    for path in found:
        time = path.stat().st_mtime_ns
        if change == "newer":
            os.utime(path, ns=(time, (whence.directory / "prog").stat().st_mtime_ns + 1))
        elif change == "damaged":
            path.write_bytes(path.read_bytes()[:100])
            os.utime(path, ns=(time, time))
        else:
            path.unlink()
    if change == "other":
        time = (whence.directory / "prog").stat().st_mtime_ns
        native(whence, "use", "int use(char *p) { return p ? 3 : 4; }\n")
        os.utime(whence.directory / "use.o", ns=(time, time))
    document = whence.directory / "out.json"
    done = whence.run("--json", document, "./prog")
    assert done.status == 0, done.err
    assert "no access was checked, only calls of malloc, free and their like" in done.err
    assert "carries IR; build it" not in done.err
    assert json.loads(document.read_text())["run"]["notes"] == [
        "accesses in prog were not checked, leaks of what it allocates only with --foreign-leaks: another "
        "linker than whence-cc's joined objects without IR to it (use is in one of those); make all links "
        "with whence-cc, partial ones (ld -r) too"
    ]


@pytest.mark.parametrize(("options", "status"), [([], 0), (["--foreign-leaks"], 99)])
def test_leaks_of_what_another_linker_joined_are_foreign(
    whence: Whence, options: list[str], status: int
) -> None:
    (whence.directory / "lose.c").write_text(
        "#include <stdlib.h>\nint more(void);\n"
        "int use(char *p) { char *volatile q = malloc(3); q = p; return more() + (q != 0); }\n"
    )
    whence.cc("-g", "-c", "lose.c")
    foreign = native(whence, "more", "int more(void) { return 0; }\n")
    subprocess.run(["gcc", "main.o", "lose.o", foreign, "-o", "prog"], cwd=whence.directory, check=True)
    (whence.directory / foreign).unlink()
    done = whence.run(*options, "./prog")
    assert done.status == status, done.err
    assert ("definite-leak" in done.err) == bool(options)
    assert "only with --foreign-leaks" in done.err


def test_allocations_of_what_another_linker_joined_are_checked(whence: Whence) -> None:
    (whence.directory / "use.c").write_text(
        "#include <stdlib.h>\nint use(char *p) { void *q = malloc(3); free(q); free(q); return p != 0; }\n"
    )
    subprocess.run(["gcc", "main.o", native(whence, "use"), "-o", "prog"], cwd=whence.directory, check=True)
    done = whence.run("./prog")
    assert done.status == 99
    assert "double-free" in done.err


CONSTRUCTOR = """
extern int ready;
__attribute__((constructor)) static void set(void) { ready = 1; }
"""
OVERRIDE = "int level(void) { return 2; }\n"
OPTIONAL = "int plugin(void) { return 7; }\n"
HOST = """
#include <stdio.h>
#include <stdlib.h>
int ready;
__attribute__((weak)) int plugin(void);
__attribute__((weak)) int level(void) { return 1; }
int main(void) {
    char *p = malloc(4);
    printf("%d %d %d\\n", ready, plugin ? plugin() : -1, level());
    free(p);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("name", "text", "phrase"),
    [
        ("constructor", CONSTRUCTOR, "one of those is made from constructor.c"),
        ("override", OVERRIDE, "level is in one of those"),
        ("optional", OPTIONAL, "plugin is in one of those"),
    ],
)
def test_code_that_nothing_refers_to_is_not_dropped(
    whence: Whence, name: str, text: str, phrase: str
) -> None:
    """The new link would succeed without it: the object is found, else the program runs as it was linked."""
    (whence.directory / "host.c").write_text(HOST)
    whence.cc("-g", "-c", "host.c")
    foreign = native(whence, name, text)
    for inputs in ([], [foreign]):
        subprocess.run(["gcc", "host.o", *inputs, "-o", "prog"], cwd=whence.directory, check=True)
        plain = subprocess.run([whence.directory / "prog"], capture_output=True, check=True)
        done = whence.run("./prog")
        assert (done.status, done.out) == (0, plain.stdout)
        assert "checked: 1 module" in done.err
        assert (f"{foreign} carries no IR" in done.err) == bool(inputs)
    (whence.directory / foreign).unlink()
    done = whence.run("./prog")
    assert (done.status, done.out) == (0, plain.stdout)
    assert phrase in done.err and "checked: 1 module" not in done.err


@pytest.mark.parametrize(
    "words",
    one_in(
        2, [["-no-pie", "-rdynamic"], ["-no-pie"], ["-s"], ["-static-libgcc"], ["-Wl,--gc-sections"], ["-O2"]]
    ),
)
def test_what_another_linker_adds_itself_is_no_code_without_ir(whence: Whence, words: list[str]) -> None:
    (whence.directory / "divide.c").write_text(
        "#include <stdlib.h>\nstatic void nothing(void) {}\n"
        "unsigned __int128 n = 9;\nint main(int c, char **v) { atexit(nothing); return (int)(n / c) - 9; }\n"
    )
    whence.cc("-g", "-c", "divide.c")
    subprocess.run(["gcc", *words, "divide.o", "-o", "prog"], cwd=whence.directory, check=True)
    done = whence.run("./prog")
    assert done.status == 0 and "checked: 1 module" in done.err, done.err


@pytest.mark.parametrize("words", [[], ["-static-libstdc++", "-static-libgcc"], ["-no-pie"]])
def test_a_cxx_program_that_another_linker_joined_is_checked(whence: Whence, words: list[str]) -> None:
    (whence.directory / "sort.cc").write_text(
        "#include <algorithm>\n#include <iostream>\n#include <map>\n#include <string>\n"
        'int main() { std::map<std::string, int> m{{"a", 1}}; int v[] = {2, 1}; std::sort(v, v + 2);\n'
        '  std::cout << m["a"] << v[0] << std::endl; return 0; }\n'
    )
    whence.process("whence.cli.cc", "c++", "-g", "-O1", "-c", "sort.cc")
    subprocess.run(["g++", *words, "sort.o", "-o", "prog"], cwd=whence.directory, check=True)
    done = whence.run("./prog")
    assert (done.status, done.out) == (0, b"11\n") and "checked: 1 module" in done.err, done.err


ARRAYS = """
#include <cstdlib>
#include <new>
struct alignas(ALIGN) Item { char bytes[ALIGN]; virtual ~Item(); };
Item *make(int count);
void end(Item *items);
"""


@pytest.mark.parametrize("align", one_in(2, [8, 16, 64]))
def test_arrays_pass_between_code_with_ir_and_code_without(whence: Whence, align: int) -> None:
    """new[] stores the number of elements in the block, and delete[] reads it, whoever compiled them."""
    (whence.directory / "items.h").write_text(ARRAYS)
    (whence.directory / "items.cc").write_text(
        '#include "items.h"\nItem::~Item() { bytes[1] = 2; }\n'
        "Item *make(int count) { return new Item[count]; }\nvoid end(Item *items) { delete[] items; }\n"
    )
    (whence.directory / "main.cc").write_text(
        '#include "items.h"\nint main(int c, char **) {\n'
        "  Item *theirs = make(c + 2); theirs[c].bytes[0] = 1; delete[] theirs;\n"
        "  Item *ours = new Item[c + 3]; ours[c].bytes[0] = 1; end(ours);\n"
        "  end(new (std::nothrow) Item[0]); return 0; }\n"
    )
    define = f"-DALIGN={align}"
    subprocess.run(["g++", "-std=c++17", define, "-c", "items.cc"], cwd=whence.directory, check=True)
    words = ("-std=c++17", define, "-g", "-O1", "main.cc", "items.o", "-o", "prog")
    whence.process("whence.cli.cc", "c++", *words)
    done = whence.run("./prog")
    assert done.status == 0 and "no findings" in done.err, done.err
