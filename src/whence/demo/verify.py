"""Running a known bug under whence and comparing what was found with what is known.

Findings are read from the JSON document of `whence run --json`, as any other
program would read them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whence.demo.bugs import Expectation
from whence.demo.build import whence_run
from whence.errors import ToolLimit

NEAR = 3
"""Frames from the top of a stack among which the faulty function must be: an access inside a
library function may be reported in the library function that the program called."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run: its exit status, what it printed (empty if not captured), the findings."""

    status: int
    stdout: bytes
    stderr: bytes
    findings: list[dict[str, Any]]


def run_checked(
    program: Path, arguments: Sequence[str], cwd: Path, *, options: Sequence[str] = (), capture: bool = True
) -> Outcome:
    """Run a program under `whence run`; without `capture` it keeps our terminal.

    Raises ToolLimit when whence wrote no findings document, which means that
    the program was not run at all.
    """
    document = cwd / "findings.json"
    document.unlink(missing_ok=True)
    command = [*whence_run(), *options, "--json", str(document), str(program), *arguments]
    pipe = subprocess.PIPE if capture else None
    done = subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        env=dict(os.environ),
        check=False,
    )
    return Outcome(done.returncode, done.stdout or b"", done.stderr or b"", _findings(document, done))


def mismatches(finding: dict[str, Any], expected: Expectation) -> list[str]:
    """What the finding says otherwise than the bug is known to be; empty when it is right."""
    block = finding.get("block") or {}
    checks: list[tuple[str, object, object]] = [
        ("rule", finding["rule"], expected.rule),
        ("access", finding["access"]["kind"], expected.access),
        ("place", _place(finding["stack"], expected), f"{expected.file}:{expected.line}"),
    ]
    if expected.block_size is not None:
        checks.append(("block size", block.get("size"), expected.block_size))
    for event, function in (("allocated", expected.allocated_by), ("freed", expected.freed_by)):
        if function:
            frames = (block.get(event) or {}).get("stack", [])
            names = [frame["function"] for frame in frames]
            checks.append((f"{event} by", function if function in names else names, function))
    return [f"{what}: {got!r}, expected {want!r}" for what, got, want in checks if got != want]


def _place(stack: list[dict[str, Any]], expected: Expectation) -> str | None:
    """file:line of the frame of the expected function near the top of the stack."""
    for frame in stack[:NEAR]:
        if frame["function"] == expected.function:
            return f"{os.path.basename(frame['file'] or '?')}:{frame['line']}"
    return None


def _findings(document: Path, done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    try:
        loaded = json.loads(document.read_text())
    except (OSError, ValueError) as error:
        words = (done.stderr or b"").decode(errors="replace").strip().splitlines()
        reason = words[-1] if words else str(error)
        raise ToolLimit(
            f"whence run ended with status {done.returncode} and no findings: {reason}"
        ) from error
    findings: list[dict[str, Any]] = loaded["findings"]
    return findings
