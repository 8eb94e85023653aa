"""Copies of a library are instances of their own, hard links and symbolic links are not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

LIBRARY = """
#include <stdlib.h>
static int constructed, calls;
__attribute__((constructor)) static void begin(void) { constructed++; }
int count(int n) {
    char *p = malloc(8);
    p[n] = 1;
    free(p);
    return ++calls * 10 + constructed;
}
"""

USER = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void call(const char *name, int n) {
    void *library = dlopen(name, RTLD_NOW);
    int (*count)(int) = library ? (int (*)(int))dlsym(library, "count") : NULL;
    if (!count) { puts(dlerror()); exit(1); }
    printf("%d ", count(n));
}
int main(int c, char **v) {
    for (int i = 2; i < c; i++)
        if (v[i][0] == '-') unlink(v[i] + 1);
        else if (strchr(v[i], '=')) {
            char command[200];
            snprintf(command, sizeof command, "cp one.so %.*s", (int)strcspn(v[i], "="), v[i]);
            if (system(command)) return 1;
        } else call(v[i], atoi(v[1]));
    return 0;
}
"""

NAMES = ("one.so", "two.so", "hard.so", "sym.so")


def make_names(folder: Path, prefix: str = "") -> None:
    """`two.so` is a copy of `one.so`, the others are links to it."""
    one, two, hard, sym = (folder / f"{prefix}{name}" for name in NAMES)
    shutil.copy(one, two)
    os.link(one, hard)
    sym.symlink_to(one.name)


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    """`prog` loads libraries; `linked` is linked to them, by names for which the linker searches folders."""
    made = Whence(tmp_path_factory.mktemp("copies"), whence_env)
    (made.directory / "one.c").write_text(LIBRARY)
    made.cc("-g", "-w", "-shared", "-fPIC", made.directory / "one.c", "-o", made.directory / "one.so")
    make_names(made.directory)
    (made.directory / "libs").mkdir()
    shutil.copy(made.directory / "one.so", made.directory / "libs/libone.so")
    make_names(made.directory / "libs", "lib")
    made.build(USER)
    libraries = (f"-L{made.directory / 'libs'}", "-Wl,--no-as-needed", "-lone", "-ltwo", "-lhard", "-lsym")
    made.build(USER, "linked", *libraries, "-Wl,-rpath,$ORIGIN/libs")
    return made


def natively(whence: Whence, *words: str) -> bytes:
    return subprocess.run(words, capture_output=True, cwd=whence.directory, check=True).stdout


@pytest.mark.parametrize("options", [(), ("--trace-children",)])
@pytest.mark.parametrize(
    ("words", "instances"),
    [
        (("./prog", "1", "./one.so", "./two.so", "./hard.so", "./sym.so", "./two.so"), b"11 11 21 31 21 "),
        (("./prog", "1", "./sym.so", "./hard.so", "./two.so", "./one.so"), b"11 21 11 31 "),
        (("./linked", "1", "libone.so", "libtwo.so", "libhard.so", "libsym.so"), b"11 11 21 31 "),
        # the linker knows a path again; the file system may give a file the number of one that was removed
        (("./prog", "1", "x=", "./x", "-x", "x=", "./x", "-x", "y=", "./y", "-y"), b"11 21 11 "),
    ],
)
def test_each_file_is_one_instance(
    whence: Whence, words: tuple[str, ...], instances: bytes, options: tuple[str, ...]
) -> None:
    assert natively(whence, *words) == instances
    for _ in range(2):  # the second run may start from a plan
        done, found = whence.findings(*options, *words)
        assert (done.out, done.status, found) == (instances, 0, [])


def test_runs_share_the_copies(whence: Whence, tmp_path: Path) -> None:
    """The cache has as many as one run needs; no other test has anything in it."""
    whence = whence.with_env(WHENCE_CACHE=str(tmp_path))
    images = tmp_path / "images"
    assert whence.run("./prog", "1", "./one.so", "./two.so").status == 0
    before = set(images.iterdir())
    shutil.copy(whence.directory / "one.so", whence.directory / "three.so")
    assert whence.run("./prog", "1", "./three.so", "./one.so").status == 0
    assert set(images.iterdir()) == before


def test_a_bug_is_that_of_the_file_it_is_in(whence: Whence, tmp_path: Path) -> None:
    """Entries for one copy do not suppress findings in another; of links, the first name counts."""

    def rest(hidden: str, *names: str) -> int:
        entries = tmp_path / "entries"
        entries.write_text(f"suppress known\n  frame count object={hidden}\n  ...\n")
        done, found = whence.findings("--keep-going", "--suppressions", entries, "./prog", "8", *names)
        assert done.status == (99 if found else 0), done.err
        return sum(each["occurrences"] for each in found)

    assert rest("one.so", "./one.so", "./two.so") == rest("two.so", "./one.so", "./two.so") == 1
    assert rest("hard.so", "./hard.so", "./one.so") == 0
    assert rest("one.so", "./hard.so", "./one.so") == 2
    assert rest("two.so", "./one.so", "./hard.so") == 2
