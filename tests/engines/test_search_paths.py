"""Libraries that are found through DT_RPATH, or opened in a namespace of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.engines.test_loading import DEPENDENCY, places
from tests.harness.process import Whence

pytestmark = pytest.mark.build

USER = """
int dep(int n);
int use(int n) { return dep(n); }
"""

LINKED = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int use(int n);
int main(int c, char **v) {
    printf("%d\\n", use(atoi(v[1])));
    if (c > 2) puts(dlopen(v[2], RTLD_NOW) ? "opened" : dlerror());
    return 0;
}
"""

APART = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int use(int n);
int main(int c, char **v) {
    printf("%d", use(0));
    for (int i = 0; i < 20; i++) { /* more often than there may be namespaces */
        void *library = dlmopen(v[2][0] == 'n' ? LM_ID_NEWLM : LM_ID_BASE, v[1], RTLD_NOW);
        if (!library) { puts(dlerror()); return 1; }
        int (*there)(int) = dlsym(library, "use");
        printf(" %d", there(atoi(v[3])));
        dlclose(library);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """Programs linked to libuse.so, which is linked to libdep.so; `-old`: through DT_RPATH."""
    whence = Whence(tmp_path_factory.mktemp("search"), whence_env)
    place = whence.directory
    (place / "sub").mkdir()
    for name, text in (("dep.c", DEPENDENCY), ("use.c", USER), ("linked.c", LINKED), ("apart.c", APART)):
        (place / name).write_text(text)
    flags = ("-g", "-O1", "-w", f"-L{place / 'sub'}")
    for name, *more in (("dep",), ("use", "-ldep", "-Wl,--disable-new-dtags,-rpath,$ORIGIN")):
        library = place / f"sub/lib{name}.so"
        whence.cc(
            *flags,
            "-shared",
            "-fPIC",
            place / f"{name}.c",
            f"-Wl,-soname,{library.name}",
            "-o",
            library,
            *more,
        )
    linked = (*flags, place / "linked.c", "-luse", "-ldep", "-Wl,--disable-new-dtags,-rpath,$ORIGIN/sub")
    whence.cc(*linked, "-o", place / "linked-old")
    subprocess.run(["gcc", *linked, "-o", place / "plain-old"], check=True)
    whence.cc(*flags, place / "apart.c", "-luse", "-ldep", "-Wl,-rpath,$ORIGIN/sub", "-o", place / "apart")
    return place


@pytest.fixture
def whence(folder: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(folder, whence_env)


def test_libraries_found_through_the_old_search_path(whence: Whence) -> None:
    """DT_RPATH, of a program and of a library; what is opened later is found through it as well."""
    done, found = whence.findings("./linked-old", "3")
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "dep.c", 5)]
    done, found = whence.findings("./linked-old", "2", "libdep.so")
    assert (done.status, found, done.said) == (0, [], "") and done.out == b"1\nopened\n"


def test_old_search_path_comes_first(whence: Whence, tmp_path: Path) -> None:
    """Before LD_LIBRARY_PATH, where another library has the same name."""
    (tmp_path / "libdep.so").write_text("no library")
    other = whence.with_env(LD_LIBRARY_PATH=str(tmp_path))
    for words in (
        ("./linked-old", "2", "libdep.so"),
        ("--trace-children", "sh", "-c", "./linked-old 2 libdep.so"),
    ):
        done = other.run(*words)
        assert (done.status, done.out) == (0, b"1\nopened\n")


def test_old_search_path_of_a_program_without_ir(whence: Whence) -> None:
    """It cannot be linked again: what is not checked is said."""
    done, found = whence.findings("./plain-old", "3")
    assert (done.status, found) == (0, [])
    assert "finds libdep.so, libuse.so through its DT_RPATH" in done.err


@pytest.mark.parametrize("name", ["libuse.so", "sub/libuse.so"])
def test_linked_library_in_another_namespace(whence: Whence, name: str) -> None:
    """It runs there as it is, with what it needs."""
    done, found = whence.findings("./apart", name, "new", "3")
    assert (done.status, found) == (0, []) and done.out == b"1" + b" 1" * 20


def test_linked_library_in_the_first_namespace(whence: Whence) -> None:
    """dlmopen is dlopen there."""
    done, found = whence.findings("./apart", "libuse.so", "base", "3")
    assert done.status == 99 and places(found) == [("heap-buffer-overflow", "dep.c", 5)]


def test_missing_library_for_another_namespace(whence: Whence) -> None:
    done = whence.run("./apart", "none.so", "new", "0")
    assert done.status == 1 and b"none.so: cannot open shared object file" in done.out


def test_a_program_that_the_loader_refuses_is_not_called_checked(whence: Whence, tmp_path: Path) -> None:
    """Cold and warm; the same program with its library in place is checked."""
    library, program = tmp_path / "libuse.so", tmp_path / "lost"
    (tmp_path / "main.c").write_text("int use(int n);\nint main(void) { return use(0) - 1; }\n")
    (tmp_path / "use.c").write_text("int use(int n) { return n + 1; }\n")
    whence.cc("-shared", "-fPIC", tmp_path / "use.c", "-Wl,-soname,libuse.so", "-o", library)
    whence.cc(tmp_path / "main.c", library, f"-Wl,-rpath,{tmp_path}", "-o", program)
    assert whence.run(program).status == 0
    library.rename(tmp_path / "elsewhere.so")
    for _ in range(2):
        done = whence.run(program)
        last = done.err.splitlines()[-1]
        assert done.status == 127 and "libuse.so: cannot open shared object file" in done.err
        assert last.startswith("whence: nothing was checked: ") and "before the checks could start" in last
        assert "checked: 1" not in last and "no findings" not in last
