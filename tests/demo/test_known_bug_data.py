"""The inputs of known bugs and the comparison of findings with what is known."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from whence.demo.bugs import JQ_CHECK_LITERAL, KNOWN_BUGS, KnownBug
from whence.demo.build import Builder, Compiler
from whence.demo.verify import mismatches
from whence.errors import ToolLimit

RIGHT: dict[str, Any] = {
    "rule": "heap-buffer-overflow",
    "access": {"kind": "write"},
    "stack": [{"function": "check_literal", "file": "/x/jv_parse.c", "line": 488}],
    "block": {
        "size": 256,
        "allocated": {"stack": [{"function": "jv_mem_realloc"}, {"function": "tokenadd"}]},
        "freed": None,
    },
}


@pytest.mark.parametrize("bug", KNOWN_BUGS, ids=lambda bug: bug.name)
def test_inputs_are_complete_and_repeatable(bug: KnownBug, tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        directory = tmp_path / name
        directory.mkdir()
        bug.arrange(directory)
        made.append({path.name: path.read_bytes() for path in directory.iterdir()})
    assert made[0] == made[1]
    named = {word for word in bug.arguments if word.endswith((".gif", ".json", ".lua", ".jpg", ".wav"))}
    assert named - {"out.gif"} <= made[0].keys()


def test_names_of_bugs_and_builds_are_unique() -> None:
    assert len({bug.name for bug in KNOWN_BUGS}) == len(KNOWN_BUGS)
    assert len({bug.program.name for bug in KNOWN_BUGS}) == len({id(bug.program) for bug in KNOWN_BUGS})


def test_a_right_finding_has_no_mismatch() -> None:
    assert mismatches(RIGHT, JQ_CHECK_LITERAL.expected) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rule": "double-free"}, "rule: 'double-free', expected 'heap-buffer-overflow'"),
        ({"access": {"kind": "read"}}, "access: 'read', expected 'write'"),
        ({"block": None}, "block size: None, expected 256"),
        ({"stack": []}, "place: None, expected 'jv_parse.c:488'"),
        ({"stack": [{"function": "check_literal", "file": None, "line": None}]}, "place: '?:None'"),
    ],
)
def test_each_difference_is_said(change: dict[str, Any], said: str) -> None:
    finding = {**copy.deepcopy(RIGHT), **change}
    assert any(line.startswith(said) for line in mismatches(finding, JQ_CHECK_LITERAL.expected))


def test_another_allocation_is_a_difference() -> None:
    finding = copy.deepcopy(RIGHT)
    finding["block"]["allocated"]["stack"].pop()
    (said,) = mismatches(finding, JQ_CHECK_LITERAL.expected)
    assert said.startswith("allocated by: ['jv_mem_realloc']")
    json.dumps(finding)


def test_a_failed_build_quotes_the_end_of_its_output(tmp_path: Path) -> None:
    lines: list[str] = []
    builder = Builder(Compiler("none", "false"), tmp_path / "b", lines.append)
    script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do echo line $i; done; exit 5"
    with pytest.raises(ToolLimit, match="exit status 5") as caught:
        builder.run(["sh", "-c", script], tmp_path)
    assert "line 14" in str(caught.value) and "line 2\n" not in str(caught.value)
    assert lines[0] == "line 1" and "line 1\n" in builder.log.read_text()
    with pytest.raises(ToolLimit, match="cannot be started"):
        builder.run([str(tmp_path / "missing")], tmp_path)
