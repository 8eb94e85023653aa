"""whence/alloc.h: options of blocks, lists, the breakpoint, prefixed functions; waiting for a debugger."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.alloc.conftest import Compile, Preload
from tests.harness.process import TIMEOUT

pytestmark = pytest.mark.build


@pytest.fixture(params=["gcc", "g++"])
def program(request: pytest.FixtureRequest, compile_plain: Compile, tmp_path: Path) -> Path:
    """The uses, as C and as C++."""
    source = Path(__file__).with_name("options.c")
    if request.param == "gcc":
        return compile_plain(source.name)
    copy = tmp_path / "options.cpp"
    shutil.copy(source, copy)
    return compile_plain(str(copy), compiler="g++")


def test_set_and_get(program: Path, preload: Preload) -> None:
    done = preload(program, "all", guard="T", options=None)
    # rw?; set ro, ro?, rw?; read; set na, na?, ro?; set rw; permanent? temporary?; …
    assert (done.status, done.out, done.err) == (0, "111011101011101000\n", "")


def test_without_the_library(program: Path) -> None:
    """The header asks for nothing and answers 0."""
    for use, out in (("all", "0" * 18 + "\n"), ("prefixed", "text 0\n"), ("dump", "")):
        done = subprocess.run([program, use], capture_output=True, text=True)
        text = done.stdout if use != "all" else done.stdout.replace("1", "0")  # p[3] == 0 is left to malloc
        assert (done.returncode, text, done.stderr) == (0, out, ""), use


@pytest.mark.parametrize(
    ("use", "rule", "place"),
    [
        ("write-read-only", "protected-block", "is 9 bytes inside a block of 40 bytes"),
        ("read-closed", "protected-block", "is 9 bytes inside a block of 40 bytes"),
        ("free-permanent", "permanent-free", "is 0 bytes inside a block of 40 bytes"),
        ("resize-permanent", "permanent-free", "is 0 bytes inside a block of 40 bytes"),
    ],
)
def test_forbidden(use: str, rule: str, place: str, program: Path, preload: Preload) -> None:
    done = preload(program, use, guard="B")
    assert (done.status, done.rules, done.place) == (99, [rule], place)


def test_dump(program: Path, preload: Preload) -> None:
    err = preload(program, "dump", guard="T").err
    own = re.findall(r"whence: 0x\w+: (4[12] bytes, .*)", err)
    assert own == ["42 bytes, temporary, read-only", "41 bytes, permanent", "42 bytes, temporary, read-only"]
    assert len(re.findall(r"    #0 0x\w+ in ", err)) >= 3
    assert " bytes, permanent ones left out\n" in err and " bytes, permanent ones included\n" in err


def test_breakpoint(program: Path, preload: Preload) -> None:
    err = preload(program, "breakpoint", guard="T").err
    touched = re.findall(r"whence: the block at 0x\w+ is (.*)", err)
    assert touched == ["resized", "freed", "given an option", "given an option"]


def test_prefixed(program: Path, preload: Preload) -> None:
    done = preload(program, "prefixed", guard="T", options=None)
    assert (done.status, done.out, done.err) == (0, "text 0\n", "")


def test_a_closed_block_holds_others(program: Path, preload: Preload) -> None:
    assert preload(program, "closed-is-no-leak", guard="T", options=None).err == ""


def test_wait_for_a_debugger(compile_plain: Compile, preload: Preload) -> None:
    """Nobody comes: the program ends as without the wait, after one sentence."""
    done = preload(compile_plain("kinds.c"), "freed-read", options="attach_wait=1")
    assert done.status == 99
    assert re.search(r"process \d+ waits 1 second for a debugger \(gdb -p \d+\)\n", done.err)


@pytest.mark.skipif(not shutil.which("gdb"), reason="needs gdb")
def test_a_debugger_that_attaches(compile_plain: Compile, allocator: Path) -> None:
    """It sees the faulty instruction."""
    program = compile_plain("kinds.c")
    variables = {**os.environ, "LD_PRELOAD": str(allocator), "WHENCE_RT": "attach_wait=100"}
    command = [program, "freed-read"]
    with subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "waits 100 seconds" in line:
                break
        words = ["gdb", "-batch", "-p", str(process.pid), "-ex", "continue", "-ex", "bt", "-ex", "kill"]
        seen = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT).stdout
        process.kill()
    assert "received signal SIGSEGV" in seen
    assert "freed_read ()" in seen
