"""What docs/vscode.md has an editor do: its matcher finds the places of reports, its adapter is a command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from tests.harness.process import Whence

from whence.cli.commands import whence as command

PAGE = Path(__file__).parent.parent / "docs/vscode.md"


def documents() -> list[dict[str, Any]]:
    return [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)]


def test_the_adapter_is_a_command_of_whence() -> None:
    _, extension, launch = documents()
    (debugger,) = extension["contributes"]["debuggers"]
    assert (debugger["runtime"], debugger["args"]) == ("whence", ["debug", "--dap"])
    debug = command.get_command(click.Context(command), "debug")
    assert debug is not None and any("--dap" in each.opts for each in debug.params)
    (configuration,) = launch["configurations"]
    known = debugger["configurationAttributes"]["launch"]["properties"]
    assert configuration["type"] == debugger["type"] and configuration["program"]
    assert configuration.keys() - {"name", "type", "request", "preLaunchTask"} <= known.keys()
    tasks = {task["label"]: task for task in documents()[0]["tasks"]}
    assert configuration["preLaunchTask"] in tasks and tasks["whence run"]["dependsOn"] in tasks


@pytest.mark.build
def test_the_matcher_finds_the_place(tmp_path: Path, whence_env: dict[str, str]) -> None:
    whence = Whence(tmp_path, {**whence_env, "COLUMNS": "200"})
    source = "#include <stdlib.h>\nint main(void) {\n    char *p = malloc(4);\n    p[4] = 1;\n}\n"
    lines = whence.run("--locate", "never", whence.build(source, "prog")).err.splitlines()
    task = next(task for task in documents()[0]["tasks"] if task["label"] == "whence run")
    patterns = task["problemMatcher"][0]["pattern"]
    first = next(index for index, line in enumerate(lines) if re.search(patterns[0]["regexp"], line))
    matches = [re.search(each["regexp"], line) for each, line in zip(patterns, lines[first:], strict=False)]
    told = {
        key: match[number]
        for each, match in zip(patterns, matches, strict=True)
        for key, number in each.items()
        if match and key != "regexp"
    }
    assert told["severity"] == "error" and told["code"] == "heap-buffer-overflow"
    assert "write of 1 byte in main" in told["message"]
    assert told["file"].endswith("prog.c") and told["line"] == "4"
