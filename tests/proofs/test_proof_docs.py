"""docs/proofs.md tells the truth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from whence.cli.main import main
from whence.proofs.invariant import INVARIANT
from whence.proofs.lemmas import growth
from whence.proofs.prover import works
from whence.proofs.steps import REDUCTIONS
from whence.rules import load_standard, load_texts

PAGE = (Path(__file__).parents[2] / "docs/proofs.md").read_text()
CONSOLES = re.findall(r"```console\n\$ whence (.*)\n([^`]*)```", PAGE)
RULES = re.findall(r"```rules\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One for all examples, so that the lemmas are proved once."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.mark.long
def test_the_examples_are_what_the_commands_say(
    cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHENCE_CACHE", cache)
    Path("mine.rules").write_text(RULES[1])
    assert len(CONSOLES) == 2
    for words, shown in CONSOLES:
        with pytest.raises(SystemExit):
            main(words.split())
        assert capsys.readouterr().out.rstrip("\n") == shown.rstrip("\n")
        Path("counterexample.calc").write_text("state {" + shown.partition("\nstate {")[2])


def test_every_obligation_is_in_the_tables() -> None:
    for clause in INVARIANT:
        assert f"| {clause.text} |" in PAGE
    for obligation in growth("LET", REDUCTIONS["LET"]):
        assert f"| {obligation.name.partition(': ')[2]} |" in PAGE
    known = load_texts([("page.rules", "\n".join(RULES).encode())], load_standard())
    for subject in works(known.rules, known, None):
        for each in getattr(subject, "obligations", ()):
            kind, _, what = each.name.partition("/")[2].partition(": ")
            if kind in ("soundness", "precision", "width", "sense"):
                assert f"| `{kind}: {what.partition(' bug-')[0]}" in PAGE


def test_the_snippet_of_python(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHENCE_CACHE", cache)
    for snippet in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(snippet, {})
