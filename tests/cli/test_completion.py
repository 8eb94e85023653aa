"""``whence completion``: what a shell gets when the user presses the tabulator key."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from whence.abi import fixed
from whence.rules import load_standard
from whence.rules.groups import GROUPS

pytestmark = pytest.mark.build

RULES = [rule.name for rule in load_standard().rules]


def script(env: Mapping[str, str], shell: str) -> str:
    command = [sys.executable, "-m", "whence.cli.main", "completion", shell]
    return subprocess.run(command, env=dict(env), capture_output=True, text=True, check=True).stdout


def complete(env: Mapping[str, str], *words: str) -> list[str]:
    """The completions of the last word, asked for as the script for bash does."""
    asking = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "whence.cli.main"],
        env={**env, **asking, "_WHENCE_COMPLETE": "bash_complete"},
        capture_output=True,
        text=True,
    )
    assert not done.stderr
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_commands_and_options(whence_env: Mapping[str, str]) -> None:
    assert complete(whence_env, "whence", "d") == ["debug", "doctor"]
    assert complete(whence_env, "whence", "cache", "") == ["clear", "list", "path", "prune", "size"]
    assert "--keep-going" in complete(whence_env, "whence", "run", "--k")


@pytest.mark.parametrize("option", ["--enable", "--disable"])
def test_rules(whence_env: Mapping[str, str], option: str) -> None:
    assert complete(whence_env, "whence", "run", option, "double-f") == ["double-free"]
    assert complete(whence_env, "whence", "run", option, "''") == [*RULES, *fixed.NUMBERS, *GROUPS, "all"]
    assert complete(whence_env, "whence", "run", option, "zz") == []
    assert "all" in complete(whence_env, "whence", "run", option, "al")
    assert complete(whence_env, "whence", "rules", "show", "definite") == ["definite-leak"]


SHIPPED = ["double-free", "double-close", "double-lock", "double-join"]


def test_rules_of_a_file(whence_env: Mapping[str, str], tmp_path: Path) -> None:
    file = tmp_path / "own.rules"
    file.write_text('rule doubtful-free "a free" at free r when Allocated(r)\n')
    words = ["whence", "run", "--rules", str(file), "--enable", "doub"]
    assert complete(whence_env, *words) == [*SHIPPED, "doubtful-free"]
    file.write_text("rule rule rule")
    assert complete(whence_env, *words) == SHIPPED


def test_programs_and_their_arguments_are_files(whence_env: Mapping[str, str]) -> None:
    assert complete(whence_env, "whence", "run", "./pro") == ["./pro"]
    assert complete(whence_env, "whence", "run", "--halt", "./prog", "in") == ["in"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(whence_env: Mapping[str, str], shell: str, tmp_path: Path) -> None:
    text = script(whence_env, shell)
    assert f"_WHENCE_COMPLETE={shell}_complete" in text
    interpreter = shutil.which(shell)
    if interpreter:
        (tmp_path / "script").write_text(text)
        subprocess.run([interpreter, "-n", str(tmp_path / "script")], check=True)


def test_in_a_real_bash(whence_env: Mapping[str, str], tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    tool = tmp_path / "whence"
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m whence.cli.main "$@"\n')
    tool.chmod(0o755)
    path = f"{tmp_path}:{whence_env['PATH']}"
    code = (
        'eval "$(whence completion bash)"; complete -p whence; '
        "COMP_WORDS=(whence run --enable all --disable poss); COMP_CWORD=5; "
        '_whence_completion whence; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", code], env={**whence_env, "PATH": path}, capture_output=True, text=True
    )
    assert "-F _whence_completion whence" in done.stdout
    assert done.stdout.splitlines()[-1] == " ".join(name for name in RULES if name.startswith("poss")), done
