"""Memory errors as test failures: `columns.c` under whence, from pytest.

Copy the fixture and the first test; replace the sources with your own.
"""

from pathlib import Path

import pytest

import whence

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def columns(tmp_path_factory):
    """The program, built once for all tests."""
    output = tmp_path_factory.mktemp("columns") / "columns"
    return whence.build(HERE / "columns.c", output, flags="-g -O2")


@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [(1, b"a b\nc d\n", b"a\nc\n"), (3, b"a b c d e\n", b"c\n"), (2, b"\n", b"")],
)
def test_columns(columns, column, text, expected):
    result = whence.run(columns, [str(column)], stdin=text, capture_output=True, timeout=60)
    assert not result.findings, result.text()
    assert (result.exit_status, result.stdout) == (0, expected)


def test_one_column_too_many(columns):
    """A bug that is known and not yet repaired: the test says exactly which."""
    result = whence.run(columns, ["3"], stdin=b"a b\n", capture_output=True, timeout=60)
    (finding,) = result.findings
    assert finding.rule.name == "heap-buffer-overflow"
    assert finding.stack[0].function == "main"
    assert finding.block.size == 2 * 8
    assert finding.block.allocated.stack[0].function == "split"
