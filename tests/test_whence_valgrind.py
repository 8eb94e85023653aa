"""``whence-valgrind``: Memcheck's command line, and ctest calling it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.harness.cores import needs_core
from tests.harness.process import TIMEOUT, Done, Whence

from whence.cli import valgrind
from whence.engines.binary import core
from whence.errors import UserMistake

BAD = """
#include <stdlib.h>
int main(int argc, char **argv) {
    char *volatile p = malloc(10);
    p[10 + argc - 1] = 1;
    free(p);
    p = malloc(33);
    p = 0;
    return 5;
}
"""


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("valgrind"), whence_env)
    made.build(BAD, "bad")
    return made


def memcheck(whence: Whence, *words: str) -> Done:
    return whence.process("whence.cli.valgrind", *words)


def test_the_options_that_ctest_gives(whence: Whence) -> None:
    options = ["-q", "--tool=memcheck", "--leak-check=yes", "--show-reachable=yes", "--num-callers=50"]
    done = memcheck(whence, *options, "--log-file=log.%p", "./bad")
    assert (done.status, done.err) == (5, ""), "the program's own status"
    (log,) = whence.directory.glob("log.*")
    pid = log.name.removeprefix("log.")
    lines = log.read_text().splitlines()
    assert all(line.startswith(f"=={pid}== ") for line in lines)
    assert f"=={pid}== Invalid write of size 1" in lines
    lost = f"=={pid}== 33 bytes in 1 blocks are definitely lost in loss record 1 of 1"
    assert lost in lines


def test_generated_suppressions_are_valgrind_s(whence: Whence) -> None:
    """In the text and in the XML; what is generated suppresses."""
    words = ("--leak-check=full", "--error-exitcode=3")
    done = memcheck(whence, "--gen-suppressions=all", *words, "./bad")
    assert done.status == 3
    entries = done.err[done.err.index("{\n") :]
    assert "   Memcheck:Addr1\n   fun:main\n" in entries and "   match-leak-kinds: definite\n" in entries
    (whence.directory / "made.supp").write_text(entries)
    assert memcheck(whence, "--suppressions=made.supp", *words, "./bad").status == 5
    memcheck(whence, "--gen-suppressions=all", "--xml=yes", "--xml-file=made.xml", *words, "./bad")
    root = ElementTree.parse(whence.directory / "made.xml").getroot()
    kinds = [error.findtext("suppression/skind") for error in root.iter("error")]
    assert kinds == ["Memcheck:Addr1", "Memcheck:Leak"]


KEPT = """#include <stdlib.h>
static char *kept;
int main(int argc, char **argv) {
    kept = malloc(20);
    if (argc > 1) free(kept);
    return 0;
}
"""


def test_the_leak_summary_says_that_nothing_was_lost(whence: Whence) -> None:
    """Programs' own test suites look for it (redis' does)."""
    whence.build(KEPT, "kept")
    full = ("--leak-check=full", "--show-reachable=no")
    done = memcheck(whence, *full, "./kept")
    lines = [line.partition("== ")[2] for line in done.err.splitlines()]
    first = lines.index("LEAK SUMMARY:")
    assert lines[first + 1] == "   definitely lost: 0 bytes in 0 blocks"
    assert lines[first + 4] == "   still reachable: 20 bytes in 1 blocks"
    assert "no leaks are possible" not in done.err
    assert "All heap blocks were freed -- no leaks are possible" in memcheck(whence, *full, "./kept", "x").err
    lost = memcheck(whence, "--leak-check=full", "./bad").err
    assert "   definitely lost: 33 bytes in 1 blocks" in lost
    for words in (("-q", "./kept"), ("--leak-check=no", "./kept")):
        assert "SUMMARY: " not in memcheck(whence, *words).err.replace("ERROR SUMMARY: ", "")


def test_without_a_leak_check_leaks_are_no_errors(whence: Whence) -> None:
    done = memcheck(whence, "--error-exitcode=3", "./bad")
    assert done.status == 3
    assert "Invalid write" in done.err and "lost" not in done.err
    assert "ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)" in done.err


def test_xml_and_suppressions(whence: Whence) -> None:
    (whence.directory / "v.supp").write_text("{\n  mine\n  Memcheck:Addr1\n  fun:main\n}\n")
    options = ["--xml=yes", "--xml-file=out.xml", "--suppressions=v.supp", "--leak-check=full"]
    assert memcheck(whence, *options, "./bad").status == 5
    root = ElementTree.parse(whence.directory / "out.xml").getroot()
    assert [error.findtext("kind") for error in root.iter("error")] == ["Leak_DefinitelyLost"]
    assert root.findtext("suppcounts/pair/name") == "mine"
    assert [arg.text for arg in root.find("args/vargv") or ()] == ["whence-valgrind", *options]


def test_a_program_without_ir_runs_and_the_log_says_so(whence: Whence) -> None:
    done = memcheck(whence, "--log-file=sh.log", "sh", "-c", "echo hello; exit 4")
    assert (done.status, done.out, done.err) == (4, b"hello\n", "")
    assert "carries no IR" in (whence.directory / "sh.log").read_text()


@needs_core
def test_a_program_without_ir_is_executed_where_there_is_a_core(whence: Whence) -> None:
    subprocess.run(["gcc", "-g", "bad.c", "-o", "plain"], cwd=whence.directory, check=True)
    with_core = replace(whence, env={k: v for k, v in whence.env.items() if k != core.VARIABLE})
    done = memcheck(with_core, "--leak-check=full", "--log-file=plain.log", "./plain")
    assert (done.status, done.err) == (5, "")
    log = (whence.directory / "plain.log").read_text()
    assert "Invalid write of size 1" in log and "33 bytes in 1 blocks are definitely lost" in log


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tool=helgrind", "x"], "stands in for memcheck only"),
        (["--leak-chek=yes", "x"], "did you mean 'leak-check'"),
        (["--leak-check=maybe", "x"], "expected one of: no, summary, yes, full"),
        (["--num-callers=many", "x"], "expected a number from 1 to 500"),
        (["--xml=true", "x"], "expected yes or no"),
        (["--show-leak-kinds=definite,lost", "x"], "unknown value"),
        (["--log-file", "x"], "needs a value"),
        (["-q"], "no program specified"),
    ],
)
def test_mistakes(words: list[str], message: str) -> None:
    with pytest.raises(UserMistake, match=re.escape(message)):
        valgrind.parse(words)


def test_parsing() -> None:
    options, command = valgrind.parse(["-q", "--track-origins=yes", "--show-reachable=yes", "prog", "-q"])
    assert options.values["quiet"] and command == ["prog", "-q"]
    assert options.shown == {"definite", "indirect", "possible", "reachable"}
    assert valgrind.parse(["--show-possibly-lost=no", "x"])[0].shown == {"definite"}
    assert valgrind.parse(["--show-leak-kinds=none", "--", "-x"]) == (
        replace(valgrind.Options(), shown=frozenset()),
        ["-x"],
    )


@pytest.mark.skipif(not shutil.which("ctest"), reason="cmake is not installed")
def test_ctest_counts_the_defects(whence: Whence) -> None:
    """``ctest -T memcheck`` as a project without a compiler sees it: one program, one script."""
    tool = whence.directory / "whence-valgrind"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m whence.cli.valgrind "$@"\n')
    tool.chmod(0o755)
    (whence.directory / "CTestTestfile.cmake").write_text(
        'add_test(bad "./bad")\nadd_test(script "sh" "-c" "exit 0")\n'
    )
    (whence.directory / "DartConfiguration.tcl").write_text(
        f"SourceDirectory: .\nBuildDirectory: .\nSite: here\nBuildName: this\nMemoryCheckCommand: {tool}\n"
    )
    done = subprocess.run(
        ["ctest", "-T", "memcheck"],
        cwd=whence.directory,
        env=dict(whence.env),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert "IPW - 1" in done.stdout and "Memory Leak - 1" in done.stdout, done.stdout + done.stderr
    (report,) = Path(whence.directory).glob("Testing/*/DynamicAnalysis.xml")
    assert '<Defect type="IPW">1</Defect>' in report.read_text()
