"""action.yml: its steps do what they say where they are executed, and the matcher finds what reports say."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.harness.limits import TIMEOUT
from tests.harness.session import REPOSITORY

yaml = pytest.importorskip("yaml")

BUGGY = """
#include <stdlib.h>
int main(int argc, char **argv) {
    char *block = malloc(4);
    block[argc + 3] = 1;
    free(block);
    return 0;
}
"""


def _action() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((REPOSITORY / "action.yml").read_text())
    return read


def _filled(text: str, values: Mapping[str, str]) -> str:
    """A text with the expressions of GitHub replaced by values."""
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda match: values[match[1]], text)


@pytest.mark.build
def test_steps(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """Each step that is a script is run, but for the one that installs: whence is there."""
    action = _action()
    (tmp_path / "buggy.c").write_text(BUGGY)
    files = {name: tmp_path / name.lower() for name in ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT")}
    bin_ = Path(sys.executable).parent
    env = {**whence_env, **{name: str(path) for name, path in files.items()}}
    env["PATH"] = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    inputs = {f"inputs.{name}": row["default"] for name, row in action["inputs"].items()}
    values = {**inputs, "github.action_path": str(REPOSITORY), "runner.temp": str(tmp_path)}
    values["inputs.command"] = "whence-cc -g -O1 buggy.c -o buggy; ./buggy"
    values["inputs.options"] = "--disable definite-leak"
    outputs = []
    for step in action["runs"]["steps"][1:]:
        if "run" in step:
            own = {name: _filled(value, values) for name, value in step.get("env", {}).items()}
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(
                command,
                cwd=tmp_path,
                env={**env, **own},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIMEOUT,
            )
            outputs.append((done.returncode, done.stdout))
    (_, matcher), (status, report) = outputs
    assert matcher == f"::add-matcher::{REPOSITORY}/.github/whence-matcher.json\n"
    assert status == 99, report
    assert files["GITHUB_OUTPUT"].read_text() == "status=99\n"
    [result] = json.loads((tmp_path / "whence.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "heap-buffer-overflow"
    [found] = matched(report)
    assert found["code"] == "heap-buffer-overflow" and found["severity"] == "error"
    assert (found["file"], found["line"]) == ("buggy.c", "5")
    assert found["message"].startswith("write of 1 byte in main")


def matched(report: str) -> list[dict[str, str]]:
    """What GitHub's runner finds in a report: the patterns match lines that follow each other."""
    read = json.loads((REPOSITORY / ".github" / "whence-matcher.json").read_text())
    found, lines = [], report.splitlines()
    for first in range(len(lines)):
        for matcher in read["problemMatcher"]:
            rows = matcher["pattern"]
            pairs = zip(rows, lines[first : first + len(rows)], strict=False)
            matches = [(row, re.search(row["regexp"], line)) for row, line in pairs]
            known = [(row, match) for row, match in matches if match]
            if len(known) == len(rows):
                found.append({n: match[at] for row, match in known for n, at in row.items() if n != "regexp"})
    return found


def test_the_matcher_knows_reports() -> None:
    """It finds the place of every finding that has one, as reports show them in files."""
    texts = [path.read_text() for path in (REPOSITORY / "tests" / "report" / "golden").glob("*.pipe.txt")]
    for text in texts:
        heads = re.findall(r"^(?:error|warning|note)\[.*\n(?:  [^- ].*\n)* *--> .*:\d", text, re.M)
        assert len(matched(text)) == len(heads), text
    assert len(texts) > 10


def test_inputs_are_described() -> None:
    action = _action()
    text = json.dumps(action["runs"])
    for name, row in action["inputs"].items():
        assert row["description"] and f"inputs.{name}" in text
