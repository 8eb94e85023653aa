"""Options that compilers carry out at the link: native programs have what they ask for, objects carry IR."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

from whence.toolchain.clang import find_clang
from whence.toolchain.driver import ir_flags, parse

MAIN = """
#include <cstdio>
#include <cstdlib>
struct Shape { virtual int area(int n); virtual ~Shape(); };
struct Other { virtual int size() { return 1; } };
Shape *make();
int call(Shape *shape, int n) { return shape->area(n); }
int main(int argc, char **argv) {
    Shape *shape = make();
    std::printf("%d\\n", call(shape, argc > 1 ? std::atoi(argv[1]) : 1));
    if (argc > 2) { static Other other; call((Shape *)(void *)&other, 1); }
    delete shape;
    return 0;
}
"""
MEMBER = """
#include <cstdlib>
struct Shape { virtual int area(int n); virtual ~Shape(); };
int Shape::area(int n) {
    char *p = (char *)std::malloc(4);
    p[n] = 3;
    int r = p[n];
    std::free(p);
    return r;
}
Shape::~Shape() {}
Shape *make() { return new Shape; }
"""
UNUSED = "int nowhere(); int unused() { return nowhere(); }\n"
CFI = "-g -O2 -w -fvisibility=hidden -fno-sanitize-ignorelist -fsanitize=cfi"


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    """With lld on PATH; that inside ziglang if there is no other one."""
    front = find_clang()
    if front.version[0] < 18:
        pytest.skip("clang is older than 18")
    path = whence_env["PATH"]
    if shutil.which("ld.lld") is None:
        if not front.is_zig:
            pytest.skip("no lld linker")
        (tmp_path / "bin").mkdir()
        linker = tmp_path / "bin/ld.lld"
        linker.write_text(f'#!/bin/sh\nexec {front.path} ld.lld "$@"\n')
        linker.chmod(0o755)
        path = f"{tmp_path / 'bin'}:{path}"
    for name, text in (("main", MAIN), ("member", MEMBER), ("unused", UNUSED)):
        (tmp_path / f"{name}.cpp").write_text(text)
    return Whence(tmp_path, {**whence_env, "PATH": path})


def cxx(whence: Whence, *words: str) -> str:
    done = whence.process("whence.cli.cc", "c++", *words)
    assert done.status == 0, done.err
    return done.err


def native(whence: Whence, program: str) -> int:
    return subprocess.run([program, "1", "x"], cwd=whence.directory, capture_output=True).returncode


@pytest.mark.build
@pytest.mark.parametrize("mode", ["-flto", "-flto=thin -fwhole-program-vtables -fsplit-lto-unit"])
def test_control_flow_integrity(whence: Whence, mode: str) -> None:
    """The native program has it; the checked one says that it has not."""
    flags = (*CFI.split(), *mode.split(), "-fuse-ld=lld")
    for name in ("main", "member", "unused"):
        cxx(whence, *flags, "-c", f"{name}.cpp", "-o", f"{name}.o")
    subprocess.run(["ar", "rc", "libshape.a", "member.o", "unused.o"], cwd=whence.directory, check=True)
    cxx(whence, *flags, "main.o", "member.o", "-o", "objects")
    cxx(whence, *flags, "main.o", "-L.", "-lshape", "-o", "archive")
    cxx(whence, *flags, "main.cpp", "member.cpp", "-o", "sources")
    for program in ("./objects", "./archive", "./sources"):
        assert native(whence, program) != 0
        done, findings = whence.findings(program, "4")
        assert (done.status, [f["rule"] for f in findings]) == (99, ["heap-buffer-overflow"])
        done = whence.run(program, "1")
        assert (done.status, done.out) == (0, b"3\n") and "checked: 2 modules" in done.err
        assert "no checks of -fsanitize=cfi" in done.said
    if "thin" in mode:
        return  # whose objects have no tables of virtual functions for other links
    said = cxx(whence, "-fuse-ld=lld", "main.o", "member.o", "-o", "plain")
    assert "plain lacks what the compiler was asked to do" in said and native(whence, "./plain") == 0


@pytest.mark.build
def test_other_linkers(whence: Whence) -> None:
    """They would leave it out without a word; options that only optimise are left out."""
    flags = (*CFI.split(), "-flto", "-fuse-ld=bfd")
    done = whence.process("whence.cli.cc", "c++", *flags, "main.cpp", "member.cpp")
    assert done.status == 125 and done.err.count("\n") == 1 and "-fsanitize=cfi needs lld" in done.err
    flags = "-w -flto=thin -fwhole-program-vtables -fvirtual-function-elimination -fsplit-lto-unit"
    cxx(whence, "-g", "-O2", *flags.split(), "main.cpp", "member.cpp", "-o", "prog")
    assert native(whence, "./prog") == 0 and whence.run("./prog", "4").status == 99


def test_arguments() -> None:
    dropped = ["-fuse-linker-plugin", "-fno-fat-lto-objects"]
    invocation = parse(["-flto", "-fsanitize=cfi-vcall", *dropped, "-c", "a.c"], False)
    assert invocation.native == ["-ffat-lto-objects", "-flto", "-fsanitize=cfi-vcall", "-c", "a.c"]
    assert invocation.optimises_links and not any("lto" in flag for flag in ir_flags(invocation))
    unchanged = parse(["-fsanitize=cfi", "-c", "a.c"], False)  # which clang refuses
    assert not unchanged.changed and not unchanged.optimises_links
    assert parse(["-flto", "-fwhole-program-vtables", "-c", "a.c"], False).native == ["-c", "a.c"]
