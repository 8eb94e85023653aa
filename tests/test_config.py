"""``whence.toml`` and ``WHENCE_OPTIONS``: what becomes of them, and every mistake in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.cli.config import configured
from whence.cli.run import run
from whence.errors import UserMistake


def words(folder: Path, text: str = "", variable: str = "", args: str = "prog") -> list[str]:
    (folder / "whence.toml").write_text(text)
    return configured(run, args.split(), {"WHENCE_OPTIONS": variable}, folder)


def test_sources_in_order_of_their_weight(tmp_path: Path) -> None:
    text = "[run]\nkeep-going = true\nerror-exitcode = 7\nsuppressions = ['a', '/b']\n"
    assert words(tmp_path, text, "--jobs 2", "--halt prog --jobs 3") == [
        *("--keep-going", "--error-exitcode", "7", "--suppressions", f"{tmp_path}/a", "--suppressions", "/b"),
        *("--jobs", "2", "--halt", "prog", "--jobs", "3"),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("halt = true", ["--halt"]),
        ("halt = false", ["--keep-going"]),
        ("keep-going = false", ["--halt"]),
        ("progress = false", ["--no-progress"]),
        ("gen-suppressions = true", ["--gen-suppressions"]),
        ("timeout = 2.5", ["--timeout", "2.5"]),
        ("enable = 'possible-leak'", ["--enable", "possible-leak"]),
        ("print-suppressions = 'all'", ["--print-suppressions", "all"]),
    ],
)
def test_values(tmp_path: Path, line: str, expected: list[str]) -> None:
    assert words(tmp_path, f"[run]\n{line}\n") == [*expected, "prog"]


def test_a_later_word_on_a_rule_replaces_an_earlier_one(tmp_path: Path) -> None:
    text = "[run]\nenable = ['a', 'b', 'c']\ndisable = 'd'\n"
    assert words(tmp_path, text, "--disable b", "--disable a --enable d prog") == [
        *("--enable", "c", "--disable", "b", "--disable", "a", "--enable", "d", "prog")
    ]
    assert words(tmp_path, text, "", "--disable all prog") == ["--disable", "all", "prog"]


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    (tmp_path / "whence.toml").write_text("[run]\njobs = 1\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert configured(run, ["prog"], {}, inner) == ["--jobs", "1", "prog"]
    (inner.parent / "whence.toml").write_text("[run]\njobs = 2\n")
    assert configured(run, ["prog"], {}, inner) == ["--jobs", "2", "prog"]
    (tmp_path / "other").write_text("[run]\njobs = 3\n")
    args = ["--config", str(tmp_path / "other"), "prog"]
    assert configured(run, args, {}, inner) == ["--jobs", "3", *args]


def test_help_needs_no_configuration(tmp_path: Path) -> None:
    assert words(tmp_path, "not toml", "--nonsense", "--help") == ["--help"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[run]\nkeep-goin = true", ":2: unknown key 'keep-goin' (did you mean 'keep-going'?)"),
        ("[run]\n\n'halt' = 3", ":3: 'halt' is true or false, not 3"),
        ("[run]\ngen-suppressions = false", ":2: 'gen-suppressions' is off anyway"),
        ("[run]\njobs = 'four'", ":2: 'jobs' is a number, not 'four'"),
        ("[run]\njobs = 0", ":2: bad value for 'jobs': 0 is not in the range"),
        ("[run]\njson = ['a', 'b']", ":2: 'json' is a string, not"),
        ("[run]\nenable = [1]", ":2: 'enable' is a string or a list of strings, not 1"),
        ("[run]\nconfig = 'x'", ":2: unknown key 'config'"),
        ("[rn]\nx = 1", ":1: unknown table or key 'rn' (did you mean 'run'?)"),
        ("# one\nhalt = true", ":2: unknown table or key 'halt'"),
        ("run = 3", ":1: 'run' is no option; options stand below a line [run]"),
        ("[run]\nhalt = yes", ":2:8: this is not TOML"),
    ],
)
def test_mistakes_in_the_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserMistake) as caught:
        words(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}/whence.toml{message}")


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ("--keep-goin", "unknown option '--keep-goin' (did you mean 'keep-going'?)"),
        ("--jobs", "'jobs' needs a value"),
        ("--jobs x", "bad value for 'jobs'"),
        ("--halt=yes", "'halt' takes no value"),
        ("prog", "'prog' is no option"),
        ("'a", "no closing quotation"),
    ],
)
def test_mistakes_in_the_environment(tmp_path: Path, variable: str, message: str) -> None:
    with pytest.raises(UserMistake) as caught:
        words(tmp_path, "", variable)
    assert str(caught.value).startswith(f"WHENCE_OPTIONS: {message}")


@given(st.text(max_size=80) | st.text("[run]\n=\"'halt jobs1.,{}#", max_size=60))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "any.toml").write_bytes(text.encode(errors="replace"))
    try:
        configured(run, ["--config", str(folder / "any.toml"), "prog"], {}, folder)
    except UserMistake as mistake:
        assert str(mistake).startswith(str(folder / "any.toml"))


def test_the_documented_example_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "configuration.md").read_text()
    example = page.split("```toml\n", 1)[1].split("```", 1)[0]
    assert words(tmp_path, example)[:3] == ["--keep-going", "--suppressions", f"{tmp_path}/tools/known.supp"]
