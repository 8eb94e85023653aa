"""docs/rules.md and examples/ tell the truth."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from whence.rules import RuleError, load_files, load_standard, load_texts
from whence.rules.lowering import plan_of
from whence.rules.vocabulary import CONSTANTS, DOMAINS, EVENTS, FUNCTIONS, POINTS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/rules.md").read_text()
SNIPPETS = re.findall(r"```rules\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = sorted((ROOT / "examples").glob("*.rules"))


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_are_rules_that_work(snippet: str) -> None:
    plan_of(load_texts([("snippet.rules", snippet.encode())], load_standard()).select(["all"]))


def test_there_are_snippets_and_examples() -> None:
    assert len(SNIPPETS) >= 3
    assert len(EXAMPLES) >= 3


def test_the_mistakes_are_those_of_the_page() -> None:
    shown = re.search(r"\$ whence rules check mine.rules\n(.*?)```", PAGE, re.DOTALL)
    assert shown
    text = '# mine\nrule mine "m"\n    at derefx r\n    when Alocated(r)\n'
    with pytest.raises(RuleError) as caught:
        load_texts([("mine.rules", text.encode())], load_standard())
    assert str(caught.value) == shown[1].rstrip()


def test_every_word_of_the_language_is_explained() -> None:
    cells = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)))
    for point in POINTS.values():
        shape = " ".join(["at", point.name, *(slot.name for slot in point.slots)])
        assert f"| `{shape}` | {point.meaning} |" in PAGE
    for event in EVENTS.values():
        shape = ", ".join(["k", event.name, *(slot.name for slot in event.slots)])
        assert f"({shape})" in cells
    assert all(f"{name}(p)" in cells or f"{name}(bid)" in cells for name in FUNCTIONS)
    assert cells >= {*CONSTANTS, *DOMAINS}


def test_every_shipped_rule_and_definition_is_listed() -> None:
    standard = load_standard()
    for rule in standard.rules:
        default = "" if rule.default_on else " (off)"
        assert re.search(rf"^\| `{rule.name}`{re.escape(default)} \| `{rule.point.name}", PAGE, re.MULTILINE)
    for predicate in standard.predicates:
        shape = f"{predicate.name}({', '.join(p.name for p in predicate.parameters)})"
        assert f"| `{shape}` |" in PAGE


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_can_be_used(path: Path) -> None:
    rules = load_files([path])
    added = rules.rules[len(load_standard().rules) :]
    assert added and all(rule.advice for rule in added)
    plan_of(rules.select(["all"]))


@pytest.mark.build
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_the_example_program_is_clean_c(tmp_path: Path) -> None:
    program = tmp_path / "bank"
    source = ROOT / "examples/leak_in_transaction.c"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    assert done.stdout == "Ada 800, Bob 400, refused 1\n"
