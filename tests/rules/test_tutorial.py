"""The tutorial of docs/rules.md, from its begin to the reference, does what it says.

Blocks are taken in order, in one directory. A `console` block is commands and what they print, where a line
`…` stands for any lines and `…` in a line for anything; any other block is a file, named in its first line.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
_BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.M | re.S)
_NAME = re.compile(r"(?:/\*|#) (\S+)")
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def matches(expected: str, printed: str) -> bool:
    lines = ["(?:.*\n)*" if line == "…" else f"{_inner(line)}\n" for line in expected.splitlines()]
    return re.fullmatch("".join(lines), printed) is not None


def _inner(line: str) -> str:
    return ".*".join(map(re.escape, line.split("…")))


def test_tutorial(tmp_path: Path, whence_env: Mapping[str, str]) -> None:
    tutorial = PAGE.read_text().partition("\n# Reference\n")[0]
    commands = 0
    path = f"{Path(sys.executable).parent}{os.pathsep}{whence_env['PATH']}"
    for language, body in _BLOCK.findall(tutorial):
        if language != "console":
            named = _NAME.match(body)
            assert named, body
            (tmp_path / named[1]).write_text(body)
            continue
        for command, expected in _COMMAND.findall(body):
            done = subprocess.run(
                command,
                shell=True,
                cwd=tmp_path,
                env={**whence_env, "PATH": path},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            commands += 1
            assert matches(expected, done.stdout), f"$ {command}\n{done.stdout}"
    assert commands >= 8


def test_what_an_ellipsis_matches() -> None:
    assert matches("a\n…\nb …\n", "a\nx\ny\nb c\n")
    assert matches("a\n…\n", "a\n")
    assert not matches("a\n…\n", "b\n")
    assert not matches("a …\n", "a x\ny\n")
