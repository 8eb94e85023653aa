"""Machines on which nothing can be compiled or linked."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from whence.toolchain import lacking
from whence.toolchain.clang import Clang, find_clang


def clang(folder: Path, answer: str, is_zig: bool = True) -> Clang:
    """One that finds `answer` whatever file it is asked for."""
    path = folder / "zig"
    path.write_text(f"#!/bin/sh\necho {answer}\n")
    path.chmod(0o755)
    return Clang(str(path), ("clang",), (22, 1, 0), "x86_64-linux-gnu", is_zig)


def test_the_library_is_named(tmp_path: Path) -> None:
    told = lacking.sentence(clang(tmp_path, "crt1.o"), ["-c", "a.c"], str(tmp_path / "stdio.h"))
    assert "libc6-dev" in told


def test_nothing_is_said_where_it_is(tmp_path: Path) -> None:
    header = tmp_path / "stdio.h"
    found = clang(tmp_path, "/usr/lib/crt1.o")
    assert lacking.sentence(found, ["-c", "a.c"], str(header)) == ""  # elsewhere than usual
    lacks = clang(tmp_path, "crt1.o")
    assert lacking.sentence(lacks, ["--sysroot=/other", "-c", "a.c"], str(header)) == ""
    header.touch()
    assert lacking.sentence(lacks, ["-c", "a.c"], str(header)) == ""
    assert lacking.sentence(find_clang(), ["-c", "a.c"]) == ""


@pytest.mark.build
def test_objects_are_linked_without_a_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By that of the package where PATH has none, else by the machine's."""
    used = find_clang()
    if not used.is_zig:
        pytest.skip("needs the clang of the ziglang package")
    source, made = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text("int one(void) { return 1; }\n")
    subprocess.run([*used.command(False), "-c", "-fPIC", "-o", made, source], check=True)
    for folder in (os.environ["PATH"], str(tmp_path)):
        monkeypatch.setenv("PATH", folder)
        library = tmp_path / "a.so"
        words = ["-shared", "-z", "now", "-o", str(library), str(made)]
        subprocess.run(lacking.linking(used, *words), check=True)
        assert library.read_bytes()[:4] == b"\x7fELF"
        library.unlink()
