"""Tentative definitions (``-fcommon``): zones behind them, whatever the linker makes of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

FIRST = """
#include <stdio.h>
int larger[4];   /* 8 in the other module */
int same[6];
int proper[3];   /* has a proper definition in the other module */
char foreign[40];  /* has one in an object without IR */
static int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int main(int argc, char **argv) {
    (void)argv;
    int s = sum(larger, 8) + sum(same, 6) + sum(proper, 3) + foreign[argc + 38];
    if (argc == 2) s += sum(larger, 7 + argc);
    if (argc == 3) s += sum(same, 4 + argc);
    if (argc == 4) s += sum(proper, argc);
    printf("%d\\n", s);
    return 0;
}
"""
SECOND = "int larger[8];\nint same[6];\nint proper[3] = {1, 2, 3};\nint after = 4;\n"
THIRD = "char foreign[40] = {1};\nint behind_foreign = 7;\n"
LIBRARY = """
int shared[4];  /* 8 in the program */
int own[5];
int read_shared(int i) { int *volatile p = shared; return p[i]; }
int read_own(int i) { int *volatile p = own; return p[i]; }
"""
USER = """
#include <stdio.h>
#include <stdlib.h>
int shared[8];
int read_shared(int), read_own(int);
int main(int argc, char **argv) {
    printf("%d\\n", read_shared(7) + read_own(4));
    return argc == 3 ? (*argv[1] == 's' ? read_shared : read_own)(atoi(argv[2])) : 0;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    for name, text in (
        ("first", FIRST),
        ("second", SECOND),
        ("third", THIRD),
        ("lib", LIBRARY),
        ("user", USER),
    ):
        (tmp_path / f"{name}.c").write_text(text)
    return Whence(tmp_path, whence_env)


def flag(linker: str) -> list[str]:
    if not shutil.which(f"ld.{linker}"):
        pytest.skip(f"no ld.{linker}")
    return ["-g", "-O1", "-fcommon", f"-fuse-ld={linker}"]


LINKERS = pytest.mark.parametrize("linker", ["bfd", "gold", "lld"])


@LINKERS
def test_the_largest_definition_counts(whence: Whence, linker: str) -> None:
    flags = flag(linker)
    subprocess.run(["gcc", "-c", "third.c"], cwd=whence.directory, check=True)
    whence.cc(*flags, "first.c", "second.c", "third.o", "-o", "prog")
    done, findings = whence.findings("./prog")
    assert (done.status, done.out, findings) == (0, b"6\n", [])
    for words, name, size in (("1", "larger", 32), ("1 2", "same", 24), ("1 2 3", "proper", 12)):
        done, (finding,) = whence.findings("./prog", *words.split())
        assert finding["rule"] == "global-buffer-overflow"
        assert f"just after `{name}`, a global array of {size} bytes" in done.err


@LINKERS
def test_a_library_and_its_program_have_one_variable(whence: Whence, linker: str) -> None:
    flags = flag(linker)
    whence.cc(*flags, "-shared", "-fPIC", "lib.c", "-o", "liblib.so")
    whence.cc(*flags, "user.c", "-L.", "-llib", "-Wl,-rpath,.", "-o", "prog")
    done, findings = whence.findings("./prog")
    assert (done.status, done.out, findings) == (0, b"0\n", [])
    for name, index, size in (("shared", 8, 32), ("own", 5, 20)):
        done, (finding,) = whence.findings("./prog", name, str(index))
        assert finding["rule"] == "global-buffer-overflow"
        assert f"just after `{name}`, a global array of {size} bytes" in done.err


def test_a_program_without_ir_has_the_variable_of_its_library(whence: Whence) -> None:
    """There is no zone behind it."""
    whence.cc("-g", "-fcommon", "-shared", "-fPIC", "lib.c", "-o", "liblib.so")
    words = ["-fcommon", "user.c", "-L.", "-llib", "-Wl,-rpath,.", "-o", "prog"]
    subprocess.run(["gcc", *words], cwd=whence.directory, check=True)
    done, findings = whence.findings("./prog", "shared", "9")
    assert (done.status, findings) == (0, [])
    done, (finding,) = whence.findings("./prog", "own", "5")
    assert finding["rule"] == "global-buffer-overflow"
