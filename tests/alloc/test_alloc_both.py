"""The modes that close blocks while they live: both ends in one run, last uses, reads before writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.alloc.conftest import Compile, Preload
from tests.harness.process import Whence

pytestmark = pytest.mark.build

OVERFLOW = "heap-buffer-overflow"


@pytest.mark.parametrize(
    ("guard", "case", "place"),
    [
        ("BR", "beyond-read", "is just after a block of 32 bytes"),
        ("BR", "before-read", "is 1 byte before a block of 32 bytes"),
        ("BR", "beyond-write", "is 3 bytes after a block of 32 bytes"),
        ("BR", "before-write", "is 2 bytes before a block of 32 bytes"),
        ("BR", "slack", "is just after a block of 33 bytes"),
        ("BW", "beyond-write", "is 3 bytes after a block of 32 bytes"),
        ("BW", "before-write", "is 2 bytes before a block of 32 bytes"),
        ("BW", "slack", "is just after a block of 33 bytes"),
    ],
)
def test_both_ends(guard: str, case: str, place: str, compile_plain: Compile, preload: Preload) -> None:
    """At the access, at either end, down to the byte."""
    done = preload(compile_plain("kinds.c"), case, guard=guard)
    assert (done.status, done.rules, done.place) == (99, [OVERFLOW], place)
    assert ("earlier" in done.err, "found in" in done.err) == (False, False)


@pytest.mark.parametrize("guard", ["BR", "BW", "T", "P"])
@pytest.mark.parametrize(
    "way",
    [
        *("system-calls", "instructions", "texts", "threads", "processes", "signals", "stacks"),
        "interruptions",
    ],
)
def test_clean(way: str, guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("both.c"), way, guard=guard, options="leaks=0:children=0")
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("guard", ["BR", "BW"])
def test_clean_twins(guard: str, compile_plain: Compile, preload: Preload) -> None:
    done = preload(compile_plain("kinds.c"), "all", "clean", guard=guard, options=None)
    assert (done.status, done.err) == (0, "")


def test_going_on(compile_plain: Compile, preload: Preload) -> None:
    """With closed blocks, a wrong access to a block's pages is reported and made."""
    done = preload(compile_plain("kinds.c"), "before-write", guard="BR", options="leaks=0:halt=0")
    assert done.rules[0] == OVERFLOW
    assert "2 bytes before a block of 32 bytes" in done.err


def test_last_use_and_read_before_write(
    compile_plain: Compile, tmp_path: Path, whence_env: dict[str, str]
) -> None:
    source = tmp_path / "uses.c"
    source.write_text(
        """
        #include <stdlib.h>
        static int first(int *p) { return p[1]; }
        static void last(int *p) { p[2] = 1; }
        int main(void) {
            int *p = malloc(40), *q = calloc(1, 40), sum = first(p) + first(q);
            last(p);
            p = q = NULL;
            return sum * 0;
        }
        """
    )
    program = compile_plain(str(source))
    report = tmp_path / "report.json"
    run = Whence(tmp_path, whence_env)
    done = run.run("--guard", "both-read", "--keep-going", "--json", report, program)
    findings = json.loads(report.read_text())["findings"]
    assert [f["rule"] for f in findings] == ["read-before-write", "definite-leak", "definite-leak"], done.err
    assert [frame["function"] for frame in findings[0]["stack"]] == ["first", "main"]
    assert findings[0]["access"]["size"] == 4
    last = [leak["block"]["last_use"]["stack"][0]["function"] for leak in findings[1:]]
    assert last == ["last", "first"]
    assert "last used, at 0x" in done.err
