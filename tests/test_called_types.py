"""Calls through pointers of another type: the function that was called, its type and its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

C = """#include <stdlib.h>
struct base { int a; };
struct der { struct base b; int c; };
typedef unsigned char byte;
static int of_der(struct der *d) { return d->c; }   // called: 0
static void of_none(void) {}   // called: 1
static int many(const struct der *const *p, byte q[2][3], int (*t)(struct base *), ...) {   // called: 2
    return p != 0;
}
static int good(struct base *b) { return b->a; }
static int (*chosen)(struct base *);
int main(int argc, char **argv) {
    struct der d = {{1}, 2};
    switch (atoi(argv[1])) {
    case 0: chosen = (int (*)(struct base *))of_der; break;
    case 1: chosen = (int (*)(struct base *))of_none; break;
    case 2: chosen = (int (*)(struct base *))many; break;
    default: chosen = good;
    }
    return chosen(&d.b) == 77;
}
"""
TYPES = [
    ("of_der", "int (struct der *)"),
    ("of_none", "void (void)"),
    ("many", "int (const struct der *const *, byte (*)[3], int (*)(struct base *), ...)"),
]
CPP = """#include <cstdlib>
namespace ns { struct b { int v; }; struct d : b { int w; };
template <class T> int take(const T &x) { return x.w; } }
static int good(ns::b &b) { return b.v; }
int main(int argc, char **argv) {
    ns::d d{};
    int (*chosen)(ns::b &) = atoi(argv[1]) ? good : (int (*)(ns::b &))ns::take<ns::d>;
    return chosen(d) == 77;
}
"""
OPTIONS = ("--enable", "mismatched-function-type")


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_the_called_function_and_its_type(whence: Whence, level: str) -> None:
    program = whence.build(C, "prog", level)
    assert whence.findings(*OPTIONS, program, "9")[1] == []
    for number, (name, type_) in enumerate(TYPES):
        done, (found,) = whence.findings(*OPTIONS, program, str(number))
        types = found["types"]
        assert (types["found"], types["function"]["function"]) == (type_, name)
        lines = C.splitlines()
        assert lines[types["function"]["line"] - 1].endswith(f"// called: {number}")
        said = " ".join(done.err.split())
        assert f"the function is `{name}`, of type '{type_}'; the pointer is 'int (*)(struct base *)'" in said
        assert f"function defined: 0 {name} prog.c:" in said


def test_types_of_classes_have_their_scopes(whence: Whence) -> None:
    (whence.directory / "prog.cpp").write_text(CPP)
    done = whence.process("whence.cli.cc", "c++", "-g", "-w", "prog.cpp", "-o", "prog")
    assert done.status == 0, done.err
    program = whence.directory / "prog"
    assert whence.findings(*OPTIONS, program, "1")[1] == []
    _, (found,) = whence.findings(*OPTIONS, program, "0")
    assert found["types"]["found"] == "int (const ns::d &)"
    assert found["types"]["function"]["function"] == "ns::take<ns::d>"
