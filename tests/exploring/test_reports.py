"""The reports of an exploration's findings: those that a run writes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.harness.process import Done, Whence, is_one_sentence

pytestmark = pytest.mark.build

SOURCE = """
#include <stdlib.h>
int main(int count, char **words) {
    char *text = malloc(4);
    if (words[1][0] == 'x' && words[1][1] == 'y') text[4] = 1;
    if (words[1][0] == 'z') free(text);
    free(text);
    return 0;
}
"""
RULES = ["heap-buffer-overflow", "double-free"]


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def explore(whence: Whence, *options: str) -> Done:
    program = whence.build(SOURCE)
    words = ("--out", "out", "--no-progress", "--sym-arg", "2", *options)
    return whence.process("whence.cli.main", "explore", *words, program)


def test_reports_have_the_findings_of_all_paths_and_their_tests(whence: Whence) -> None:
    names = ["html", "sarif", "junit", "xml"]
    done = explore(whence, *(word for name in names for word in (f"--{name}", f"report.{name}")))
    assert done.status == 99
    html, sarif, junit, xml = ((whence.directory / f"report.{name}").read_text() for name in names)
    (run,) = json.loads(sarif)["runs"]
    assert sorted(each["ruleId"] for each in run["results"]) == sorted(RULES)
    assert len(ElementTree.fromstring(junit).findall(".//failure")) == 2
    assert len(ElementTree.fromstring(xml).findall("error")) == 2
    notes = json.dumps(run["invocations"])
    for rule in RULES:
        assert f"{rule} (key " in html and f"{rule} (key " in notes
    assert "has an input for it: arg:1 = " in html
    assert sum(path.name in html for path in (whence.directory / "out" / "tests").glob("*.json")) == 2


def test_a_report_that_cannot_be_written_is_said_before_the_exploration(whence: Whence) -> None:
    done = explore(whence, "--html", "absent/report.html")
    assert done.status == 2 and is_one_sentence(done.err), done.err
    assert not (whence.directory / "out").exists()


def test_one_report_at_most_goes_to_standard_output(whence: Whence) -> None:
    done = explore(whence, "--json", "-", "--sarif", "-")
    assert done.status == 2 and "only one report" in done.err
