"""Initialisers of several source files: which of them runs first is the linker's choice."""

from __future__ import annotations

from pathlib import Path

import pytest

import whence

pytestmark = pytest.mark.build

USER = """
struct list { list(); int size() const; int count; const char *words[4]; };
extern list words;
int first = words.size();
int main() { return 0; }
"""
OWNER = """
struct list { list(); int size() const; int count; const char *words[4]; };
list::list() : count(1), words{"a"} {}
int list::size() const { return count; }
list words;
"""


def names(tmp_path: Path, *sources: str) -> list[str]:
    """The rules of the findings of a program of these source files, in the order of the link."""
    paths = []
    for number, source in enumerate(sources):
        paths.append(tmp_path / f"part{number}.cpp")
        paths[-1].write_text(source)
    program = whence.build(paths, output=tmp_path / "program", flags=["-g"])
    found = whence.run(program, enable=["initialization-order"])
    return [finding.rule.name for finding in found.findings]


def test_a_variable_of_a_later_file_is_early(tmp_path: Path) -> None:
    assert names(tmp_path, USER, OWNER) == ["initialization-order"]


def test_a_variable_of_an_earlier_file_is_not(tmp_path: Path) -> None:
    assert names(tmp_path, OWNER, USER) == []


def test_a_constant_is_never_early(tmp_path: Path) -> None:
    constant = OWNER.replace("list();", "constexpr list();").replace("list::list()", "constexpr list::list()")
    assert names(tmp_path, USER, constant) == []
