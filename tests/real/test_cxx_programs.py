"""C++ programs under their own tests: what passes without whence passes under it, and nothing is reported."""

from __future__ import annotations

import sys

import pytest
from tests.real.cxx_programs import JSONCPP, SUITES, CxxSuite
from tests.real.support import Checked, Fresh, native


@pytest.mark.parametrize("suite", SUITES, ids=str)
def test_own_tests(suite: CxxSuite, fresh: Fresh, checked: Checked) -> None:
    builder, programs = fresh(suite.program)
    folder = builder.root / suite.folder
    assert programs
    for program in programs.values():
        done = checked.run([program], folder)
        assert done.status == 0, (done.stdout + done.stderr)[-3000:].decode(errors="replace")
        assert suite.passed in done.stdout, f"{program.name} does not say that its tests have passed"
    checked.assert_clean(runs=len(programs))


def test_jsoncpp(fresh: Fresh, checked: Checked) -> None:
    """Its unit tests, and the documents that its script gives to its test runner one by one."""
    builder, programs = fresh(JSONCPP)
    data = builder.root / "source" / "test"
    done = checked.run([programs["jsoncpp_test"]], data)
    assert (done.status, done.stdout.splitlines()[-1]) == (0, b"All 119 tests passed")
    checked.replace(programs["jsontestrunner_exe"])
    for option in ([], ["--with-json-checker"]):
        command = [
            sys.executable,
            data / "runjsontests.py",
            *option,
            programs["jsontestrunner_exe"],
            data / "data",
        ]
        done = native(command, data)
        assert done.status == 0, done.stdout[-3000:].decode(errors="replace")
    checked.assert_clean(runs=100)
