"""Options that a command does not have: whose they are, or which one was meant."""

from __future__ import annotations

import pytest

from whence.cli.main import main
from whence.errors import ExitCode


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["run", "--size", "5", "./prog"],
            "unknown option '--size' before the program's name: it is an option of `whence cache prune`",
        ),
        (
            ["--trace-children", "./prog"],
            "unknown option '--trace-children': it is an option of `whence run` and `whence heap`",
        ),
        (
            ["doctor", "--keep-going"],
            "unknown option '--keep-going': it is an option of `whence run` and `whence heap`",
        ),
        (
            ["cache", "list", "--jobs=3"],
            "unknown option '--jobs': it is an option of "
            "`whence run` and `whence explore` and `whence prepare`",
        ),
        (["cache", "prune", "--sise", "5"], "unknown option '--sise' (did you mean '--size'?)"),
        (["doctor", "--zzz"], "unknown option '--zzz' (see whence doctor --help)"),
    ],
)
def test_what_is_said(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == ExitCode.USAGE
    assert capsys.readouterr().err == f"whence: {sentence}\n"
