"""A domain of a user's own: one rule file, and programs with and without the bug, at all levels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

HERE = Path(__file__).resolve().parent
RULES = HERE / "command.rules"
PROGRAMS = sorted((HERE / "programs").glob("*.c*"))
LEVELS = ("0", "2", *(pytest.param(each, marks=pytest.mark.slow) for each in ("1", "3", "s")))
INPUT = b"Some text\n"


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def expected(source: Path) -> list[tuple[str, int]]:
    """The rule and the line of what is wrong."""
    lines = source.read_text().splitlines()
    found = [(re.search(r"// expect: (\S+)", line), number) for number, line in enumerate(lines, 1)]
    return [(match[1], number) for match, number in found if match]


def found_in(whence: Whence, source: Path, level: str, *flags: str) -> list[tuple[str, int]]:
    program = whence.directory / f"{source.stem}{''.join(flags)}"
    compiler = ("whence.cli.cc", "c++" if source.suffix == ".cc" else "cc")
    done = whence.process(*compiler, "-g", f"-O{level}", "-w", "-pthread", *flags, source, "-o", program)
    assert done.status == 0, done.err
    _, found = whence.findings("--rules", RULES, "--locate", "never", program, stdin=INPUT)
    return [(each["rule"], each["stack"][0]["line"]) for each in found]


def test_the_report_says_whence_the_bytes_came(whence: Whence) -> None:
    source = HERE / "programs/texts.c"
    program = whence.directory / "texts"
    whence.cc("-g", "-O2", "-w", source, "-o", program)
    done, (found,) = whence.findings("--rules", RULES, "--locate", "never", program, stdin=INPUT)
    line = next(at for at, text in enumerate(source.read_text().splitlines(), 1) if "= read(" in text)
    assert [(frame["function"], frame["line"]) for frame in found["origin"]["stack"]] == [("main", line)]
    assert "bytes with such a label came by:" in done.err


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("source", PROGRAMS, ids=lambda source: source.name)
def test_only_what_is_wrong_is_found(whence: Whence, source: Path, level: str) -> None:
    assert found_in(whence, source, level) == expected(source)
    assert found_in(whence, source, level, "-DCLEAN") == []
