"""Library functions that are explored in their C text."""

import os
import subprocess
import sys
from importlib.resources import files
from itertools import product

import pytest
from tests.exploring.test_programs import PROGRAMS, build, explore, wrapped
from tests.harness.process import TIMEOUT

from whence.engines.native import texts
from whence.exploring.testcases import read_tests
from whence.toolchain.cache import Cache
from whence.toolchain.carry import read_image

pytestmark = pytest.mark.build


def test_getopt_is_that_of_the_library(tmp_path):
    text = files("whence.engines.native").joinpath("sources", "getopt.c")
    words = ["gcc", "-g", "-w", "-fsanitize=undefined", "-fno-sanitize-recover", f'-DTEXT="{text}"']
    done = wrapped([*words, PROGRAMS / "getopt.c", "-o", tmp_path / "compared"], os.environ)
    assert done.returncode == 0, done.stderr
    done = wrapped([tmp_path / "compared", "20000"], os.environ)
    assert done.returncode == 0, done.stdout[:2000] + done.stderr


def test_options_of_the_command_line_are_explored(tmp_path, whence_env):
    """Each end that some words lead to has a path, and each path ends as the program does natively."""
    native = tmp_path / "native"
    source = PROGRAMS / "options.c"
    assert wrapped(["gcc", "-DBRUTE_FORCE", source, "-o", tmp_path / "all"], os.environ).returncode == 0
    assert wrapped(["gcc", source, "-o", native], os.environ).returncode == 0
    wanted = {int(each) for each in wrapped([tmp_path / "all"], os.environ).stdout.split()}
    program = build("options", tmp_path, whence_env, "-O1")
    summary, text = explore(program, tmp_path, whence_env, "--sym-arg", "3", "--sym-arg", "3")
    assert summary["complete"] and not summary["bound"] and not summary["errors"], text
    ends = set()
    for test in read_tests(tmp_path / "out"):
        given = [test.inputs[f"arg:{number}"].split(b"\0")[0] for number in (1, 2)]
        status = wrapped([native, *given], os.environ, stdin=-3).returncode
        assert (test.how, test.status) == ("exit", status), given
        ends.add(status)
    assert ends == wanted


def test_strings_of_the_cxx_library_are_explored(tmp_path, whence_env):
    """Each end that some input leads to has a path, and each path ends as the program does natively."""
    native, source = tmp_path / "native", PROGRAMS / "strings.cc"
    assert wrapped(["g++", "-O1", source, "-o", native], os.environ).returncode == 0

    def status(data):
        return subprocess.run([native], input=data, timeout=TIMEOUT).returncode

    wanted = {status(bytes(each)) for each in product(b"\0abc", repeat=3)}
    program = tmp_path / "strings"
    words = [sys.executable, "-m", "whence.cli.cc", "c++", "-g", "-O1", "-o", program, source]
    assert wrapped(words, whence_env).returncode == 0
    summary, text = explore(program, tmp_path, whence_env, "--sym-stdin", "3")
    assert summary["complete"] and not summary["errors"], text
    tests = list(read_tests(tmp_path / "out"))
    assert {test.status for test in tests} == wanted == {3, 4, 5, 6, 7, 8}
    assert all(test.status == status(test.inputs["stdin"]) for test in tests)


def test_no_text_for_a_program_that_calls_none(tmp_path, whence_env):
    program = build("echo", tmp_path, whence_env, "-O1")
    assert texts.texts_for([read_image(program)], Cache(tmp_path / "cache"), explored=True) == ((), ())
    assert all(files("whence.engines.native").joinpath("sources", name).is_file() for name in texts.TEXTS)


def test_a_text_that_cannot_be_compiled(tmp_path, whence_env, monkeypatch):
    """The program is explored with the library's own, and a note says what is missing."""
    program = build("options", tmp_path, whence_env, "-O1")
    failing = ["sh", "-c", "echo no room >&2; exit 1"]
    monkeypatch.setattr(texts, "wrapper_command", lambda cxx: failing)
    found = texts.texts_for([read_image(program)], Cache(tmp_path / "cache"), explored=True)
    assert found.images == ()
    assert found.notes == (
        "decisions of getopt, getopt_long, getopt_long_only are not explored: "
        "the compiler refuses getopt.c: no room",
    )
