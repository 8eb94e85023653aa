"""Chains through streams and strings of the C++ library: what they read, copy and print."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.harness.chains import chain_of
from tests.harness.process import Whence
from tests.harness.tiers import one_in

pytestmark = pytest.mark.build

LEVELS = ("-O0", "-O2")
HEAD = r"""
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
struct Last { ~Last() { std::cout.flush(); } };
template <class T> static long taken(std::istream &from) {
    Last last;
    T value = T();
    from >> value >> value;
    return static_cast<long>(value);
}
struct Upper : std::stringbuf {
    Upper(const std::string &text) : std::stringbuf(text) {}
    int_type uflow() override { return std::stringbuf::uflow() + 1; }
};
"""
MAIN = r"""
int main(int argc, char **argv) {
    int *p = new int[4];
    std::ifstream file;
    if (argv[3][0] == 'f') file.open("in");
    if (argv[3][0] == 'u') std::ios::sync_with_stdio(false);
    if (argv[3][0] == 's') freopen("in", "r", stdin);
    long at = pick(argv[1], argv[2], argv[3][0] == 'f' ? file : std::cin);
    if (argc > 1) p[at] = 1;
    delete[] p;
    return 0;
}
"""


class Way(NamedTuple):
    """Statements that take a value out of the stream `from`, what is in it, the function that is named, and
    the offset and the size of what the value is made of."""

    body: str
    given: bytes
    name: str
    offset: int
    size: int = 1


GET = "std::istream::operator>>"
LINE = "std::getline(std::istream&, std::string&)"
NUMBERS = ("short", "unsigned short", "int", "unsigned int", "long", "unsigned long", "long long")
INPUTS = {
    **{
        type_: Way(f"return taken<{type_}>(from);", b"7 300 x", f"{GET}({type_}&)", 1, 4)
        for type_ in (*NUMBERS, "unsigned long long")
    },
    "bool": Way("return taken<bool>(from) + 200;", b"1  1 x", f"{GET}(bool&)", 1, 3),
    "word": Way("from >> text >> text; return text[1];", b"x  az b", f"{GET}(std::string&)", 4),
    "line": Way(
        "std::getline(from, text); std::getline(from, text); return text[1];", b"xy\naz\nb", LINE, 4
    ),
    "last line": Way("std::getline(from, text); return text[1];", b"az", LINE, 1),
    "part": Way("std::getline(from, text, 'x'); return text[1];", b"azx\n", LINE, 1),
    "long line": Way("std::getline(from, text); return text[40];", b"az" * 25, LINE, 40),
    "char": Way("from >> one; return one;", b"  z", f"{GET}(char&)", 2),
    "get": Way("from.get(one); from.get(one); return one;", b"az", "std::istream::get(char&)", 1),
    "byte": Way("from.get(); return from.get();", b"az", "std::istream::get()", 1),
    "peek": Way("from.get(); return from.peek();", b"az", "std::istream::peek()", 1),
    "read": Way("char b[8]; from.get(); from.read(b, 8); return b[2];", b"axyz", "std::istream::read", 3),
    "array": Way("char b[8]; from.getline(b, 8); return b[1];", b"az\nb", "std::istream::getline", 1),
    "buffer": Way(
        "std::stringstream s; int v; s << from.rdbuf(); s >> v >> v; return v;",
        b"7 300 x",
        "std::ostream::operator<<(std::streambuf*)",
        2,
        3,
    ),
    "array until": Way("char b[8]; from.get(b, 8, 'x'); return b[1];", b"azx", "std::istream::get", 1),
}
SOURCES = {"file": "in", "stdio": "in", "unsynchronised": "", "pipe": ""}
"""Where the stream reads from, and the name of the file, if there are places."""

MAKE = "for (const char *c = given; *c; c++) t.push_back(*c);"
COPIES = {
    "append": ("std::string::append", "u.append(t);"),
    "add": ("std::string::append", "u += t; u += std::string(40, '-');"),
    "assign": ("std::string::assign", "u = t;"),
    "replace": ("std::string::replace", "u.replace(0, 1, t.data(), t.size());"),
    "insert": (
        "std::string::replace",
        "u = std::string(60, 'x'); u.insert(0, t); u.insert(0, 9, '-'); n = 9;",
    ),
    "erase": ("std::string::append", "u += t; u.insert(0, 9, '-'); u.erase(0, 9);"),
    "resize": ("std::string::append", "u += t; u.resize(70, '-'); u.resize(3);"),
    "reserve": ("std::string::append", "u += t; u.reserve(500);"),
    "copy": ("std::string::copy", "char b[8]; t.copy(b, 8, 0); return b[0] + 200;"),
    "fill": ("std::string::resize", "u.resize(30, t[0]);"),
    "construct": ("std::string::string", "std::string v(3, t[0]); return v[2] + 200;"),
    "replace by bytes": ("std::string::replace", "u.assign(7, t[0]);"),
    "istringstream": ("std::istringstream", "std::istringstream s(t); s >> u;"),
    "stringstream": ("std::stringstream", "std::stringstream s(t); std::getline(s, u);"),
    "byte": ("std::istream::get()", "std::istringstream s(t); return s.get() + 200;"),
    "number": (f"{GET}(int&)", "std::istringstream s(t); int v; s >> v; return v + 200;"),
}
"""Each leads the first byte of the string `t` to the byte `n` of the string `u`."""
PRINTED = {
    "text": ("operator<<", "s << t;"),
    "pointer": ("operator<<", "s << t.c_str();"),
    "wide": ("operator<<", "s.width(9); s << t; n = 9 - t.size();"),
    "after others": (
        "operator<<",
        "s << std::string(60, '-') << t; s << std::string(900, '-'); n = 60;",
    ),
    "written": ("std::ostream::write", "s.write(t.data(), 1);"),
    "put": ("std::ostream::put", "s.put(t[0]);"),
    "printed int": ("std::ostream::operator<<(int)", "s << t[0] + 0;"),
    "printed long": ("std::ostream::operator<<(long)", "s << t[0] + 0L;"),
}
"""The same, to that byte of the string in the stream `s`."""
NOT_KNOWN = {
    "real number": ("written", "std::ostringstream s; s << 0.5 * t[0]; return s.str()[0] + 200;"),
    "other class": ("outside", "Upper other(t); std::istream s(&other); return s.get() + 200;"),
    "itself": ("written", "u = t; u.append(u.data(), 1); n = 1;"),
}


def source(ways: dict[str, str]) -> str:
    made = "".join(f'    if (way == "{way}") {{ {body} }}\n' for way, body in ways.items())
    begin = "static long pick(const std::string &way, const char *given, std::istream &from) {\n"
    names = "    std::string text, t, u; char one = 0; unsigned n = 0; (void)one;\n"
    return f"{HEAD}{begin}{names}{made}    return 0;\n}}\n{MAIN}"


def strings() -> dict[str, str]:
    bodies = {way: body for way, (_, body) in COPIES.items()}
    printed = {
        way: f"std::ostringstream s; {body} return s.str()[n] + 200;" for way, (_, body) in PRINTED.items()
    }
    others = {f"not {way}": body for way, (_, body) in NOT_KNOWN.items()}
    return {way: f"{MAKE} {body} return u[n] + 200;" for way, body in (bodies | printed | others).items()}


OTHERS = {
    "no line": """
        std::istringstream nothing("");
        text = "none"; text[1] = 'z'; std::getline(nothing.ignore(), text); return text[1];
    """,
    "no word": 'std::istringstream nothing(""); t = "n"; t[0] = 100; nothing >> t; return t[0];',
    "kept": 'std::istringstream nothing(""); int kept = 300; nothing >> kept; return kept;',
    "thrown": """
        from.exceptions(std::ios::failbit);
        int value = 0;
        double none = 0;
        try { from >> value >> none; } catch (std::ios::failure &) { }
        return value;
    """,
    "failed": "int value = 300; from >> value; return value + 300;",
}


class Built(NamedTuple):
    whence: Whence
    prog: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path_factory.mktemp("streams"), whence_env)


def build(whence: Whence, name: str, text: str, *flags: str) -> Built:
    path, prog = whence.directory / f"{name}.cpp", whence.directory / name
    path.write_text(text)
    done = whence.process("whence.cli.cc", "c++", "-g", "-w", *flags, path, "-o", prog)
    assert not done.status, done.err
    return Built(whence, prog)


@pytest.fixture(scope="module", params=LEVELS)
def inputs(request: pytest.FixtureRequest, made: Whence) -> Built:
    ways = {way: each.body for way, each in INPUTS.items()}
    return build(made, f"inputs{request.param}", source(ways | OTHERS), request.param)


NEW = "-std=c++20"
"""Headers have everything of std::string, so functions of it have other names."""


@pytest.fixture(scope="module", params=["-O1", pytest.param("-O2", marks=pytest.mark.slow), NEW])
def copies(request: pytest.FixtureRequest, made: Whence) -> Built:
    return build(made, f"copies{request.param}", source(strings()), "-O1", request.param)


def told(built: Built, way: str, given: bytes = b"", *, by: str = "pipe") -> list[dict[str, Any]]:
    """The hops of the index, the newest first."""
    whence, prog = built
    (whence.directory / "in").write_bytes(given)
    done, found = whence.findings("--locate", "always", prog, way, "5", by, stdin=given)
    assert len(found) == 1, done.err
    return list(chain_of(found[0], "the index of r")["hops"])


@pytest.mark.parametrize("by", SOURCES)
@pytest.mark.parametrize("way", one_in(2, INPUTS))
def test_what_streams_read_is_named(inputs: Built, way: str, by: str) -> None:
    expected = INPUTS[way]
    last = told(inputs, way, expected.given, by=by)[-1]
    assert (last["kind"], last["name"]) == ("outside", expected.name)
    given, name = last["input"], SOURCES[by]
    assert Path(given["name"]).name == name or not name
    if name:
        assert (given["offset"], given["size"]) == (expected.offset, expected.size)
    else:
        assert given["offset"] is None and given["number"] == 0


def test_a_text_that_a_stream_left_is_not_of_the_stream(inputs: Built) -> None:
    assert told(inputs, "no line")[-1]["kind"] == "constant"
    assert told(inputs, "no word")[-1]["kind"] == "constant"


def test_a_stream_that_has_ended_leaves_the_chain(inputs: Built) -> None:
    assert told(inputs, "kept")[-1]["kind"] == "constant"


def test_a_number_that_is_none_is_not_of_the_file(inputs: Built) -> None:
    last = told(inputs, "failed", b"x", by="file")[-1]
    assert (last["kind"], last["name"]) == ("written", f"{GET}(int&)")


def test_an_exception_ends_a_call(inputs: Built) -> None:
    assert told(inputs, "thrown", b"300 x", by="file")[-1]["name"] == f"{GET}(int&)"


@pytest.mark.parametrize("way", one_in(2, [*COPIES, *PRINTED]))
def test_copies_of_strings_are_hops(copies: Built, way: str) -> None:
    hops = told(copies, way)
    name, _ = (COPIES | PRINTED)[way]
    assert name in [hop["name"] for hop in hops] or copies.prog.name.endswith(NEW)
    assert all(hop["kind"] not in ("written", "unseen") for hop in hops)
    assert (hops[-1]["kind"], hops[-1]["name"]) == ("outside", "argv[2]")
    assert (hops[-1]["input"]["offset"], hops[-1]["input"]["size"]) == (0, 1)


@pytest.mark.parametrize("way", NOT_KNOWN)
def test_what_is_not_known_of_strings_is_not_told(copies: Built, way: str) -> None:
    kind, _ = NOT_KNOWN[way]
    last = told(copies, f"not {way}")[-1]
    assert last["kind"] == kind or copies.prog.name.endswith(NEW)
    assert way != "other class" or "input" not in last
