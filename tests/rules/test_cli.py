"""`whence rules`: plain in a pipe, coloured on a terminal, strict about mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from whence.cli.main import main
from whence.rules.vocabulary import POINTS

MINE = (
    'rule mine "my own" default off cwe 1 advice "do" at ret work v when FindLast(k, call, work, _) trace v\n'
)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["rules", *words])
    return int(caught.value.code or 0)


def test_list(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.rules"
    file.write_text(MINE)
    assert run("list", "--rules", str(file)) == 0
    lines = capsys.readouterr().out.splitlines()
    columns = [re.split(r" {2,}", line) for line in lines]
    assert columns[1] == ["double-free", "on", "free r", "free of a block that is already freed"]
    assert ["mine", "off", "ret work v", "my own"] in columns
    assert len({line.rindex(cells[-1]) for line, cells in zip(lines, columns, strict=True)}) == 1


def test_list_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run("list") == 0
    assert "\x1b[" in capsys.readouterr().out


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "heap-buffer-overflow") == 0
    out = capsys.readouterr().out
    assert "define Outside(r) := r < Begin(r) or r + Width > End(r)\n" in out
    assert "\x1b" not in out
    for line in (
        "meaning:    access outside the bounds of a heap block",
        "evaluated:  before memory is read or written through r",
        "events:     free, malloc",
        "needs:      state plane, provenance",
        "reads:      evaluated if: state or slot",
    ):
        assert line in out.splitlines()


def test_what_show_prints_is_a_rule_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run("show", "definite-leak")
    text = capsys.readouterr().out.split("\nmeaning:")[0]
    file = tmp_path / "copy.rules"
    file.write_text(text.replace("definite-leak", "my-leak").replace("Pointed", "MyPointed"))
    assert run("check", str(file)) == 0


def test_show_names_a_limit_and_functions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.rules"
    file.write_text(MINE + 'rule u "u" at deref_r r when FindLast(_, write, r, _, _)')
    assert run("show", "mine", "--rules", str(file)) == 0
    assert "watches:    work" in capsys.readouterr().out
    assert run("show", "u", "--rules", str(file)) == 0
    assert (
        "limit:      rule 'u' needs write events, which engine native does not keep"
        in capsys.readouterr().out
    )


def test_show_of_an_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "invalid-boo") == 2
    assert capsys.readouterr().err == "whence: unknown rule 'invalid-boo' (did you mean 'invalid-bool'?)\n"


def test_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good, limited, bad = tmp_path / "good.rules", tmp_path / "limited.rules", tmp_path / "bad.rules"
    good.write_text(MINE)
    limited.write_text('rule u "u" at deref_r r when FindLast(_, write, r, _, _)')
    bad.write_text('rule a "x" at derefx r when q == NULL')
    assert run("check", str(good), str(limited)) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"ok {good}: 1 rule",
        "note work: looked up when a program runs, or now with --program",
        f"ok {limited}: 1 rule",
        "note rule 'u' needs write events, which engine native does not keep",
    ]
    assert run("check", str(bad), str(good), str(tmp_path / "none")) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith(f"ok {good}: 1 rule\nnote work: ")
    assert captured.err.splitlines() == [
        f"{bad}:1:15: unknown detection point 'derefx' (expected one of: {', '.join(POINTS)})",
        f"{bad}:1:29: unknown variable 'q' (known here: r)",
        f"cannot read the rule file '{tmp_path / 'none'}': No such file or directory",
    ]


def test_a_name_with_brackets_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "m.rules"
    file.write_text('rule m "a [bold] title" at ret "f[int]" _ when true')
    assert run("show", "m", "--rules", str(file)) == 0
    out = capsys.readouterr().out
    assert "a [bold] title" in out and 'at ret "f[int]" _' in out
