"""The manual pages: every command has one, and every option stands in it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import click
import pytest

from whence.cli import manual, valgrind
from whence.cli.commands import whence


def _plain(page: str) -> str:
    return page.replace("\\-", "-")


def _options(command: click.Command) -> list[str]:
    return [word for each in command.params if isinstance(each, click.Option) for word in each.opts]


def test_every_option_of_every_command_stands_in_its_page() -> None:
    pages = {name: _plain(text) for name, text in manual.pages().items()}
    context = click.Context(whence)
    missing = []
    for name in whence.list_commands(context):
        command = whence.get_command(context, name)
        assert command is not None and f"whence {name}" in pages["whence.1"]
        if name in ("cc", "c++"):
            continue
        page = pages[f"whence-{name}.1"]
        members = command.commands.values() if isinstance(command, click.Group) else ()
        words = [word for each in (command, *members) for word in _options(each)]
        missing += [f"{name}: {word}" for word in words if word not in page]
    assert not missing
    known, ignored = valgrind.options()
    assert all(f"--{name}" in pages["whence-valgrind.1"] for name in known | ignored)
    assert all(variable in pages["whence-cc.1"] for variable in ("WHENCE_CLANG", "WHENCE_PREPARE"))


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_formatter_has_nothing_to_say(tmp_path: Path) -> None:
    pages = [str(path) for path in manual.write(tmp_path) if path.name != "whence-c++.1"]
    command = ["groff", "-man", "-Tutf8", "-ww", "-Wbreak", *pages]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Stop at the first finding (default), or go on." in " ".join(done.stdout.split())
