"""docs/machine.md tells the truth: its programs run, its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from whence.cli.main import main
from whence.machine import ERROR_RULES, REDUCTIONS, Step, parse, parse_program, run
from whence.machine.document import outcome_document
from whence.machine.printer import print_value
from whence.machine.syntax import BUILTINS
from whence.rules import load_standard

PAGE = (Path(__file__).resolve().parents[2] / "docs/machine.md").read_text()
SNIPPETS = re.findall(r"```calc\n(.*?)```", PAGE, re.DOTALL)
CONSOLE = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_snippet_ends_as_it_says(snippet: str) -> None:
    source = parse(snippet)
    outcome = run(source.program if source.state is None else source.state)
    expected = snippet.strip().rpartition("\n")[2]
    if outcome.error is not None:
        assert expected == f"# reaches {outcome.error.rule.name}"
    else:
        assert outcome.value is not None
        assert expected == f"# returns {print_value(outcome.value.value)}"


def test_there_are_snippets() -> None:
    assert len(SNIPPETS) >= 5
    assert len(PYTHON) == 1


def whence(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main(words)
    said = capsys.readouterr()
    return said.out + said.err


def test_the_console_shows_what_the_command_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    example = re.fullmatch(r"\$ cat (\S+)\n(.*?)\$ whence (.*?)\n(.*)", CONSOLE[0], re.DOTALL)
    assert example
    Path(example[1]).write_text(example[2])
    assert whence(example[3].split(), capsys) == example[4]
    wrong = re.fullmatch(r"\$ whence (.*?)\n(.*)", CONSOLE[1], re.DOTALL)
    assert wrong
    Path("wrong.calc").write_text("fun main() = let total = 1 in\n  *5; totl")
    assert whence(wrong[1].split(), capsys) == wrong[2]


def test_python_examples() -> None:
    for example in PYTHON:
        exec(example, {})


def test_tables_are_complete() -> None:
    cells = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)))
    assert cells >= set(REDUCTIONS)
    assert {cell.split("(")[0] for cell in cells} >= set(BUILTINS)
    for rule in ERROR_RULES:
        goes_on = " (goes on)" if rule.goes_on else ""
        announced = ", ".join(f"`{name}`" for name in load_standard().announcing(rule.name)) or "none yet"
        point = rule.points[0].lower()
        assert f"| `{rule.name}`{goes_on} | `{point}` | {rule.meaning} | {announced} |" in PAGE


def test_the_keys_of_the_document_are_explained() -> None:
    program = parse_program("fun main() = let p = malloc(8) in free(p); free(p)")
    made: list[Step] = []
    outcome = run(program, watch=made.append)
    document = outcome_document(outcome, load_standard(), made, trace=True)
    waiting: list[object] = [document]
    keys: set[str] = set()
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            keys |= set(found)
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
    assert len(keys) > 20
    assert {key for key in keys if f"`{key}`" not in PAGE} == set()


def test_options_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    shown = whence(["machine", "run", "--help"], capsys)
    for option in re.findall(r"--[a-z]+", shown):
        assert option in PAGE or option == "--help"
