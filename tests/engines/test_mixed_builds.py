"""Programs linked from objects with IR and objects without: the report says what was not checked."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

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


@pytest.mark.parametrize("form", ["objects", "archive", "partial"])
def test_what_another_linker_joined_runs_with_a_note(whence: Whence, form: str) -> None:
    """Nothing tells where the code without IR came from, so the image runs as it was linked."""
    use = native(whence, "use")
    inputs = {"objects": [use], "archive": ["libuse.a"], "partial": ["both.o"]}[form]
    for command in (["ar", "rcs", "libuse.a", use], ["ld", "-r", "main.o", use, "-o", "both.o"]):
        subprocess.run(command, cwd=whence.directory, check=True)
    main = [] if form == "partial" else ["main.o"]
    subprocess.run(["gcc", *main, *inputs, "-o", "prog"], cwd=whence.directory, check=True)
    document = whence.directory / "out.json"
    done = whence.run("--json", document, "./prog")
    assert done.status == 0, done.err
    assert "no access was checked: only the calls to malloc, free and their relatives were" in done.err
    assert "carries IR; build it" not in done.err
    assert json.loads(document.read_text())["run"]["notes"] == [
        "prog: another linker than whence-cc's joined objects with IR and objects without "
        "(use is in one of those): accesses in it were not checked, leaks of what it allocates only with "
        "--foreign-leaks; link them all with whence-cc"
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
