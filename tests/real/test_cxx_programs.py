"""C++ programs under their own tests: what passes without whence passes under it, and nothing is reported."""

from __future__ import annotations

import re
import sys

import pytest
from tests.real.cxx_programs import JSONCPP, SUITES, CxxSuite
from tests.real.support import Checked, Fresh, native

pytestmark = pytest.mark.real

_COUNT = re.compile(rb"(?:PASSED  \] |Success: |Passed: |Pass )(\d+)")
"""How many tests have passed, where a program tells it."""


@pytest.mark.parametrize("suite", SUITES, ids=str)
def test_own_tests(suite: CxxSuite, fresh: Fresh, checked: Checked) -> None:
    builder, programs = fresh(suite.program)
    [folder] = builder.root.glob(suite.folder)
    chosen = [program for name, program in programs.items() if name not in suite.beyond]
    assert chosen
    for program in chosen:
        plain, done = native([program], folder), checked.run([program], folder)
        assert (plain.status, done.status) == (0, 0), (done.stdout + done.stderr)[-3000:].decode(
            errors="replace"
        )
        assert suite.passed in done.stdout + done.stderr, (
            f"{program.name} does not say that its tests have passed"
        )
        counts = [_COUNT.findall(each.stdout + each.stderr) for each in (plain, done)]
        print(f"{program.name}: {counts[0]} tests pass without whence, {counts[1]} under it")
        assert counts[0] == counts[1]
    checked.assert_clean(runs=len(chosen))


def test_jsoncpp(fresh: Fresh, checked: Checked) -> None:
    """Its unit tests, and the documents that its script gives to its test runner one by one."""
    builder, programs = fresh(JSONCPP)
    [data] = builder.root.glob("source/*/test")
    done = checked.run([programs["jsoncpp_test"]], data)
    assert (done.status, done.stdout.splitlines()[-1]) == (0, b"All 119 tests passed")
    for option in ([], ["--with-json-checker"]):
        runner = programs["jsontestrunner_exe"]
        command = [sys.executable, data / "runjsontests.py", *option, runner, data / "data"]
        done = checked.trace(command, data)
        assert done.status == 0, done.stdout[-3000:].decode(errors="replace")
    checked.assert_clean(runs=3)
    assert checked.traced() and "jsontestrunner_exe" not in checked.unchecked()
