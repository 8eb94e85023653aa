"""Reports about objects that no declaration names, and functions that were inlined."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

VALUES = """#include <cstdio>
#include <cstdlib>
#include <vector>
struct W {
    int x; bool on; double d;
    W(int good) { x = 1; if (good) { on = false; d = 2; } }
    W(const W &) = default;
    int get() const { return on ? 1 : (d > 1 ? 2 : 3); }
};
int main(int argc, char **argv) {
    std::vector<W> all;
    all.push_back(W(atoi(argv[1])));   // made
    all.push_back(all[0]);
    printf("%d\\n", all[1].get());
}
"""
SCOPES = """#include <cstdio>
#include <cstdlib>
#include <initializer_list>
struct One { int v; const One &self() const { return *this; } };
static const int *begin(std::initializer_list<int> all) { return all.begin(); }
int main(int argc, char **argv) {
    bool good = atoi(argv[2]);
    One kept = {argc};
    if (argv[1][0] == 'o') {
        const One &one = good ? kept : One{argc + 1}.self();   // made: o
        printf("%d\\n", one.v);
    } else if (good) {
        printf("%d\\n", *begin({argc, 2}));
    } else {
        const int *of = begin({argc, 2, 3});   // made: l
        printf("%d\\n", *of);
    }
}
"""


def built(whence: Whence, text: str, level: str) -> Path:
    (whence.directory / "prog.cpp").write_text(text)
    done = whence.process("whence.cli.cc", "c++", "-g", level, "-w", "-std=c++17", "prog.cpp", "-o", "prog")
    assert done.status == 0, done.err
    return whence.directory / "prog"


def line_of(text: str, mark: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith(mark))


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_undefined_values_of_a_temporary_object_have_an_origin(whence: Whence, level: str) -> None:
    program = built(whence, VALUES, level)
    words = ("--enable", "use-of-uninitialized-value", "--locate", "auto", program)
    assert whence.findings(*words, "1")[1] == []
    done, (found,) = whence.findings(*words, "0")
    origin = found["origin"]["variable"]
    assert (origin["name"], origin["function"], origin["line"]) == (None, "main", line_of(VALUES, "// made"))
    assert "never written since it was made:" in done.err
    # The second run, in whose code less is inlined, comes to the same finding.
    assert found["stack"][0]["function"] == "W::get"
    assert found["chains"][0]["hops"][-1]["kind"] == "undefined"


@pytest.mark.parametrize("level", ["-O0", "-O1"])
@pytest.mark.parametrize("case", ["o", "l"])
def test_where_a_temporary_object_was_made(whence: Whence, level: str, case: str) -> None:
    program = built(whence, SCOPES, level)
    assert whence.findings(program, case, "1")[1] == []
    done, (found,) = whence.findings(program, case, "0")
    assert found["rule"] == "stack-use-after-scope"
    variable = found["block"]["variable"]
    assert (variable["function"], variable["line"]) == ("main", line_of(SCOPES, f"// made: {case}"))
    assert "    made:\n      0  main  prog.cpp:" in done.err
    assert ("a temporary object of 4 bytes" in done.err) == (case == "o")
    assert "??" not in done.err
