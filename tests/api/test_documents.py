"""The snippets of docs/python-api.md and the pytest example do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from whence.api.options import KEYWORDS

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs" / "python-api.md"
_BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.M | re.S)
_NAME = re.compile(r"(?:/\*|#) (\S+)")


def test_snippets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whence_env: Mapping[str, str]) -> None:
    """In order, in one namespace; blocks of other languages are files, named in their first line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHENCE_CACHE", whence_env["WHENCE_CACHE"])
    text = PAGE.read_text()
    namespace: dict[str, Any] = {}
    snippets = 0
    for block in _BLOCK.finditer(text):
        language, body = block.groups()
        if language != "python":
            named = _NAME.match(body)
            assert named, body
            (tmp_path / named[1]).write_text(body)
            continue
        snippets += 1
        line = text[: block.start(2)].count("\n")
        exec(compile("\n" * line + body, str(PAGE), "exec"), namespace)
    assert snippets >= 8


def test_options_of_the_page() -> None:
    """The page names every option of `whence.run` and `whence.build`, and no other of `run`."""
    import inspect

    import whence

    text = PAGE.read_text()
    rows = re.findall(r"^\| (`.*?) \|", text.partition("## The result")[0], re.M)
    table = set(re.findall(r"`(\w+)`", "".join(rows)))
    assert table == {*KEYWORDS}
    signature = re.search(r"`whence.build\((.*?)\)`$", text, re.M)
    assert signature
    assert re.findall(r"(\w+)(?:=|,|$)", signature[1].replace("=None", "=").replace("=()", "=")) == list(
        inspect.signature(whence.build).parameters
    )


def test_pytest_example(whence_env: Mapping[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [*command, "-c", "/dev/null", str(REPOSITORY / "examples" / "test_memory.py")],
        capture_output=True,
        text=True,
        env=dict(whence_env),
        cwd=tmp_path,
    )
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout + done.stderr
