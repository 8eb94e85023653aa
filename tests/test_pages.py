"""README.md and docs/ tell the truth: the README's session runs; commands, options, targets, links exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from tests.harness.process import TIMEOUT
from tests.harness.session import REPOSITORY

from whence.cli.commands import whence
from whence.rules import load_standard

README = REPOSITORY / "README.md"
PAGES = [README, *sorted((REPOSITORY / "docs").glob("*.md"))]
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
COMMAND = re.compile(r"(?:[A-Z]+=\S+ )*(whence(?: .*)?)")
"""Variables may stand before it."""


def commands(page: Path) -> list[list[str]]:
    """The calls of whence that a page shows, after a prompt or between backquotes, without comments."""
    text = page.read_text()
    prompts = re.findall(r"^\$ (.*)", text, re.M)
    quoted = re.findall(r"`([^`]+)`", FENCED.sub("", text))
    found = [match[1].partition("   #")[0] for line in prompts + quoted if (match := COMMAND.fullmatch(line))]
    return [line.replace("…", " … ").split() for line in found]


def run(command: str, directory: Path, env: Mapping[str, str]) -> str:
    """What a command of a page prints; those of whence are of this source tree, without progress.

    A busy machine shows progress where an idle one needs none.
    """
    modules = {"whence": ["whence.cli.main"], "whence-cc": ["whence.cli.cc", "cc"]}
    name, *arguments = shlex.split(command)
    prefix = [sys.executable, "-m", *modules[name]] if name in modules else [name]
    done = subprocess.run(
        [*prefix, *arguments],
        cwd=directory,
        env={**env, "WHENCE_OPTIONS": "--no-progress"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
    )
    return done.stdout


def test_the_session_of_the_readme(tmp_path: Path, whence_env: Mapping[str, str]) -> None:
    text = README.read_text()
    program = re.search(r"```c\n/\* (\S+) \*/\n.*?```", text, re.S)
    assert program is not None
    (tmp_path / program[1]).write_text(program[0].removeprefix("```c\n").removesuffix("```"))
    session = re.search(r"```\n(\$ whence-cc .*?)```", text, re.S)
    assert session is not None
    parts = re.split(r"^\$ (.*)\n", session[1], flags=re.M)[1:]
    assert len(parts) == 6
    for command, shown in zip(parts[::2], parts[1::2], strict=True):
        printed = run(command, tmp_path, whence_env)
        first, *others = shown.split("  …\n")
        assert printed.startswith(first) if others else printed == shown
        for each in others:
            assert each in printed


@pytest.mark.parametrize("words", ["rules list", "rules show double-free", "rules explain double-free"])
def test_commands_of_the_readme(words: str, whence_env: Mapping[str, str], tmp_path: Path) -> None:
    assert f"`whence {words}`" in README.read_text()
    assert "double-free" in run(f"whence {words}", tmp_path, whence_env)


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words name, and what stands behind its name."""
    found: click.Command = whence
    rest = words[1:]
    while isinstance(found, click.Group) and rest:
        inner = found.get_command(click.Context(found), rest[0])
        if inner is None:
            break
        found, rest = inner, rest[1:]
    return found, rest


COMMANDS = REPOSITORY / "src/whence/debugger/commands.py"
GDB_COMMANDS = set(re.findall(r'"whence (\w+)"', COMMANDS.read_text()))


def is_gdb_command(page: Path, words: list[str]) -> bool:
    """Whether the words are for gdb under ``whence debug``."""
    return page.name == "debugging.md" and words[1] in GDB_COMMANDS


def options_of(command: click.Command, words: list[str]) -> list[str]:
    """The options among the words, up to the program that is run, whose own options may follow."""
    takes = {name: each.nargs for each in command.params for name in each.opts if not _is_flag(each)}
    found, skip = [], 0
    for word in words:
        if word.startswith("-"):
            found.append(word.partition("=")[0])
            skip = 0 if "=" in word else takes.get(word, 0)
        elif skip:
            skip -= 1
        elif command.name in ("run", "explore") and word not in ("…", "[options]"):
            break
    return found


def _is_flag(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and parameter.is_flag


def test_what_is_shown_is_seen() -> None:
    """The tests below look at something."""
    assert {"where", "block", "rules"} <= GDB_COMMANDS
    assert ["whence", "run", "--json", "FILE", "…"] in commands(README)
    command, rest = command_of(["whence", "run", "--json", "FILE", "--halt", "./prog", "--own"])
    assert (command.name, options_of(command, rest)) == ("run", ["--json", "--halt"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_exist(page: Path) -> None:
    for words in commands(page):
        shown = f"{page.name}: {' '.join(words)}"
        if is_gdb_command(page, words):
            continue
        command, rest = command_of(words)
        assert not (isinstance(command, click.Group) and rest and rest[0].isalpha()), shown
        known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        assert set(options_of(command, rest)) <= {*known, "--help", "--version"}, shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_targets_exist(page: Path) -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    named = set(re.findall(r"(?:^\$ |`)make ([a-z-]+)(?=[ `\n])", page.read_text(), re.M))
    assert named - {"check", "install", "basic"} <= targets  # those are other people's


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
        assert "://" in target or os.path.exists(page.parent / target), f"{page.name}: {target}"


def test_the_table_of_the_readme_names_every_rule() -> None:
    """Each shipped rule stands in a row of what is found, and nothing else does."""
    table = README.read_text().partition("What is found today")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    cells = [(re.findall(r"`([a-z-]+)`", row), row.split("|")[2].strip()) for row in rows]
    found = {name for names, cell in cells if cell in ("yes", "if switched on") for name in names}
    assert found == {rule.name for rule in load_standard().rules}
    off = {name for names, cell in cells if cell == "if switched on" for name in names}
    assert off <= {rule.name for rule in load_standard().rules if not rule.default_on}
    assert all("`" not in row for row in rows if "| not yet |" in row)
