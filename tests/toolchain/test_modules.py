"""Modules of C++20: what their interfaces define is checked, whichever way they are compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.harness.process import Whence

from whence.toolchain.clang import find_clang
from whence.toolchain.driver import language_of, parse

HEADER = """
#pragma once
#include <stdlib.h>
inline int in_header(int n) {
    char *p = (char *)malloc(10);
    p[n] = 1;
    int r = p[n];
    free(p);
    return r;
}
"""
PART = """
export module lib:part;
export int in_part(int n) {
    int *p = new int[10];
    p[n] = 2;
    int r = p[n];
    delete[] p;
    return r;
}
"""
INTERFACE = """
export module lib;
export import :part;
export template <class T> int in_template(T n) {
    T *p = new T[10];
    p[n] = 3;
    int r = p[n];
    delete[] p;
    return r;
}
export int in_unit(int n);
"""
UNIT = """
module lib;
int in_unit(int n) {
    int p[10] = {};
    p[n] = 4;
    return p[n];
}
"""
MAIN = """
import "used.h";
import lib;
int main(int argc, char **argv) {
    int n = argc > 2 ? 10 : 9;
    switch (argc > 1 ? argv[1][0] : 'a') {
    case 'h': return in_header(n) - 1;
    case 'p': return in_part(n) - 2;
    case 't': return in_template(n) - 3;
    case 'u': return in_unit(n) - 4;
    }
    return in_header(9) + in_part(9) + in_template(9) + in_unit(9) - 10;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    texts = {"used.h": HEADER, "part.cppm": PART, "lib.ixx": INTERFACE, "unit.cpp": UNIT, "main.cpp": MAIN}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return Whence(tmp_path, whence_env)


def cxx(whence: Whence, words: str) -> None:
    flags = ("-std=c++20", "-g", "-O1", "-w", "-fprebuilt-module-path=.")
    done = whence.process("whence.cli.cc", "c++", *flags, *words.split())
    assert (done.status, done.err) == (0, "")


def one_step(whence: Whence) -> None:
    """The object and the interface come from one command; options lie in a file, as CMake has them."""
    cxx(whence, "-fmodule-output=lib-part.pcm -c part.cppm -o part.o")
    (whence.directory / "lib.modmap").write_text("-x c++-module\n-fmodule-output=lib.pcm\n")
    cxx(whence, "-MD -MF lib.d @lib.modmap -c lib.ixx -o lib.o")


def two_steps(whence: Whence) -> None:
    """The interface is compiled to a file, and that to an object."""
    for name, source in (("lib-part", "part.cppm"), ("lib", "-x c++-module lib.ixx")):
        cxx(whence, f"--precompile {source} -o {name}.pcm")
        cxx(whence, f"-c {name}.pcm -o {name.removeprefix('lib-')}.o")


@pytest.mark.build
@pytest.mark.parametrize("compiled", [one_step, two_steps])
def test_interfaces(whence: Whence, compiled: Callable[[Whence], None]) -> None:
    if find_clang().version[0] < 17:
        pytest.skip("clang is older than 17")
    compiled(whence)
    cxx(whence, "-fmodule-header=user -x c++-header used.h -o used.pcm")
    cxx(whence, "-fmodule-file=lib=lib.pcm -c unit.cpp -o unit.o")
    cxx(whence, "-fmodule-file=used.pcm main.cpp unit.o lib.o part.o -o prog")
    wanted = {f"{name}.pcm" for name in ("lib", "lib-part", "used")}
    assert {path.name for path in whence.directory.glob("*.pcm")} == wanted
    done = whence.run("./prog")
    assert (done.status, done.said) == (0, "") and "checked: 4 modules" in done.err
    places = (("h", "used.h", 6), ("p", "part.cppm", 5), ("t", "lib.ixx", 6), ("u", "unit.cpp", 5))
    for what, file, line in places:
        done, findings = whence.findings("./prog", what, "x")
        top = findings[0]["stack"][0]
        assert (done.status, Path(top["file"]).name, top["line"]) == (99, file, line)
        assert whence.run("./prog", what).status == 0
    said = whence.run("--enable", "missing-return", "./prog").said
    assert ("missing-return does not see lib-part.pcm and 1 more" in said) == (compiled is two_steps)


@pytest.mark.build
def test_sources_of_one_command(whence: Whence) -> None:
    """The IR of a source that imports another one is made when that is compiled."""
    use = "import lone;\nint main(int c, char **) { return lone(8 + c) - 1; }\n"
    (whence.directory / "use.cpp").write_text(use)
    text = "export module lone;\nexport int lone(int n) { int a[10] = {}; a[n] = 1; return a[n]; }\n"
    (whence.directory / "lone.cppm").write_text(text)
    cxx(whence, "-fmodule-output=lone.pcm lone.cppm use.cpp -o prog")
    assert (done := whence.run("./prog")).status == 0 and "checked: 2 modules" in done.err
    assert whence.run("./prog", "x").status == 99


def test_languages() -> None:
    for name, language in (("a.cppm", "c++-module"), ("a.c++m", "c++-module"), ("a.pcm", "pcm")):
        assert language_of(name, None, True) == language
        assert parse(["-c", name], True).inputs[0].is_source
    assert language_of("a.ixx", "c++-module", True) == "c++-module"
    assert parse(["-x", "c++-header", "-fmodule-header", "a.h"], True).phase == "other"
    assert parse(["--precompile", "a.cppm"], True).phase == "other"
