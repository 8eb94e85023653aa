"""The process around a pytest that runs under the rules: it starts it, and answers what was found.

``python -m whence.pytest_plugin.runner FOLDER report|quiet OPTIONS… -- PROGRAM ARGUMENTS…``: the options are
those of ``whence run``. What no test was told of is shown at the end (``report``), or left in FOLDER for the
process that distributes tests (``quiet``).
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from whence.cli.run import run, settled
from whence.errors import WhenceError
from whence.pytest_plugin.address import ADDRESS

if TYPE_CHECKING:
    from whence.cli.outputs import Outputs
    from whence.engines.process.watching import Attendant
    from whence.engines.result import Result
    from whence.findings import Event, Finding
    from whence.findings.frames import Frame

_DEFAULTS = ("--keep-going", "--trace-children", "--locate", "never")
"""Of a run that is to go on to the last test; what the user says comes later and wins."""
_ROOM = 1 << 16
_PATIENCE = 5.0
"""Seconds to wait for the request of a connected process."""
_REPORTS = ("json", "sarif", "junit", "html", "xml", "log")


def command(folder: str, how: str, words: Sequence[str]) -> list[str]:
    """The words in front of a command that is to run under the rules."""
    return [sys.executable, "-P", "-m", "whence.pytest_plugin.runner", folder, how, *words, "--"]


def checked_words(words: Sequence[str]) -> list[str]:
    """The same options; raises `pytest.UsageError` for mistakes in them."""
    try:
        values = _values([*words, "--", "pytest"])
        settled(values)
    except click.ClickException as error:
        raise pytest.UsageError(f"whence: {error.format_message()}") from None
    except WhenceError as error:
        raise pytest.UsageError(f"whence: {error}") from None
    if values["exec"] or values["locate"] in ("auto", "replay"):
        raise pytest.UsageError("whence: tests run once, so --exec and a second run (--locate) cannot be had")
    return list(words)


def _values(words: Sequence[str]) -> dict[str, Any]:
    """The values of the command line of ``whence run``."""
    return dict(run.make_context("run", [*_DEFAULTS, *words]).params)


@dataclass
class Watch:
    """Answers the processes that run tests.

    A request is a JSON object: ``{"begin": LABEL}`` says what begins, ``{"end": LABEL}`` what has ended and
    that its findings are wanted. label: what runs now. told: the findings that a test was told of.
    strays: the label of each other one.
    """

    folder: Path
    label: str = ""
    told: set[object] = field(default_factory=set)
    strays: dict[object, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.path = self.folder / "findings"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._news: Callable[[], tuple[Finding, ...]] = tuple

    def begin(self, news: Callable[[], tuple[Finding, ...]]) -> Attendant:
        self._news = news
        return self

    def end(self) -> None:
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def attend(self, endings: Callable[[], int]) -> None:
        """Answers one request."""
        with suppress(OSError, ValueError), self._socket.accept()[0] as connection:
            connection.settimeout(_PATIENCE)
            with connection.makefile("rwb") as stream:
                stream.write(json.dumps(self._answer(json.loads(stream.readline(_ROOM)))).encode())

    def _answer(self, request: Mapping[str, str]) -> list[dict[str, Any]]:
        try:
            found = self._news()
        except (OSError, WhenceError):  # the record is damaged: the end of the run says so
            found = ()
        if "end" in request and request["end"] == self.label:
            self.label = ""
            self.told.update(map(identity, found))
            return [_told(finding) for finding in found]
        self.strays.update((identity(finding), self.label) for finding in found)
        self.label = request.get("begin", "")
        return []


def identity(finding: Finding) -> object:
    """What a finding keeps from the answer during the run to the report at its end."""
    return finding.rule.name, finding.pid, finding.tid, finding.time, finding.access.address


def _told(finding: Finding) -> dict[str, Any]:
    from whence.findings import RunInfo
    from whence.report.text import TextRenderer

    place = next((frame for frame in finding.stack if frame.line), None)
    where = f" in {place.function} at {os.path.basename(place.file or '?')}:{place.line}" if place else ""
    text = TextRenderer(quiet=True).render_findings([_short(finding)], RunInfo(sys.executable))
    return {"failure": not finding.rule.is_note, "line": f"{finding.rule.name}{where}", "text": text}


def _short(finding: Finding) -> Finding:
    """The finding with stacks that end where an extension module was called: what is behind is Python's."""
    block = finding.block
    if block is not None:
        block = replace(block, allocated=_short_event(block.allocated), freed=_short_event(block.freed))
        finding = finding.having(block)
    return replace(finding, stack=_own_frames(finding.stack))


def _short_event(event: Event | None) -> Event | None:
    return event and replace(event, stack=_own_frames(event.stack))


_SHOWN = 2
"""Frames of the interpreter that are shown behind those of an extension module."""


def _own_frames(stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
    own = [at for at, frame in enumerate(stack) if not _is_interpreter(frame)]
    return stack[: own[-1] + 1 + _SHOWN] if own else stack


def _is_interpreter(frame: Frame) -> bool:
    name = os.path.basename(frame.module or "")
    return name.startswith("libpython") or name == os.path.basename(os.path.realpath(sys.executable))


def main(words: Sequence[str]) -> int:
    """Run a command and return its exit status, or that of failed tests if more was found."""
    folder, quiet = Path(tempfile.mkdtemp(prefix="worker-", dir=words[0])), words[1] == "quiet"
    try:
        return _run(folder, quiet, words[2:])
    except click.ClickException as error:
        sentence = error.format_message()
    except WhenceError as error:
        sentence = str(error)
    sys.stderr.write(f"whence: {sentence}\n")
    return pytest.ExitCode.USAGE_ERROR


def _run(folder: Path, quiet: bool, words: Sequence[str]) -> int:
    from whence.api import running
    from whence.engines import interruption, start

    values = _values(words)
    program, arguments = values.pop("program"), values.pop("arguments")
    if quiet:
        values |= {name: _of_worker(values[name], folder) for name in _REPORTS if values[name]}
        values |= {"progress": False, "quiet": True}
    options, outputs = settled(values)
    watch = start.begun.watcher = Watch(folder)
    # Blocks of up to 512 bytes are Python's own otherwise.
    env = {"PYTHONMALLOC": "malloc", **os.environ, ADDRESS: str(watch.path)}
    interruption.current.armed = True
    result = running.run_with(program, arguments, options.merged({"env": env}))
    untold = tuple(each for each in result.findings if identity(each) not in watch.told)
    rest = replace(result, findings=untold)
    text = _rest_text(watch, rest, outputs)
    if quiet:
        ended = outputs.rest_text(result)
        left = {"text": text, "ended": ended, "failures": len(rest.failures) + result.run.lost}
        (folder / "rest.json").write_text(json.dumps(left))
    outputs.write(result, "" if quiet else text)
    status = 128 + result.signal if result.signal else result.exit_status or 0
    return pytest.ExitCode.TESTS_FAILED if not status and (rest.failures or result.run.lost) else status


def _of_worker(path: Path, folder: Path) -> Path:
    """A report's file with the worker's name in it: several workers write no common one."""
    if str(path) == "-":
        raise click.UsageError("with several workers no report can go to standard output (-)")
    return path.with_suffix(f".{folder.name}{path.suffix}")


def _rest_text(watch: Watch, rest: Result, outputs: Outputs) -> str:
    """What no test was told of, by what ran when it was found."""
    parts = []
    by_label: dict[str, list[Finding]] = {}
    for finding in rest.findings:
        by_label.setdefault(watch.strays.get(identity(finding), watch.label), []).append(finding)
    for label, found in by_label.items():
        ended = label and label == watch.label
        what = f"while {label} ran, which did not come to its end" if ended else f"while {label} ran"
        shown = outputs.findings_text([*map(_short, found)], rest.run)
        parts.append(f"\nfound {what if label else 'outside of tests'}:\n\n{shown}")
    if watch.label and not by_label:
        parts.append(f"\n{watch.label} did not come to its end\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
