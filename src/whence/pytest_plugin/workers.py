"""The part of the plugin in the process that distributes tests with xdist: each worker is under the rules."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from whence.pytest_plugin.runner import checked_words, command


class Workers:
    """Starts the workers, and shows what they found beside their tests."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = checked_words(words)
        self._folder = tempfile.mkdtemp(prefix="whence-pytest-")
        self._shown: set[Path] = set()
        self._texts: list[str] = []
        self._ends: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config, specs: Sequence[Any]) -> None:
        for spec in specs:
            if spec.popen:
                python = shlex.split(spec.python) if spec.python else [sys.executable]
                spec.python = shlex.join([*command(self._folder, "quiet", self._words), *python])

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, report: pytest.TestReport) -> None:
        """A worker that died has left what it was: it ended after its report was written."""
        for text in self._left(report.nodeid):
            report.sections.append(("whence", text))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """What was found outside of tests fails the session."""
        failed = False
        for path in self._rests():
            left = json.loads(path.read_text())
            failed |= bool(left["failures"])
            self._ends.append(left["ended"])
            if left["text"] and path not in self._shown:
                self._texts.append(left["text"])
        if failed and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("whence")
        for text in (*self._texts, *dict.fromkeys(self._ends)):
            terminalreporter.write_line(text.strip("\n"))

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _rests(self) -> list[Path]:
        return sorted(Path(self._folder).glob("*/rest.json"), key=os.path.getmtime)

    def _left(self, nodeid: str) -> list[str]:
        """The texts that name a test that did not end."""
        texts = []
        for path in self._rests():
            text = json.loads(path.read_text())["text"]
            if nodeid in text and path not in self._shown:
                self._shown.add(path)
                texts.append(text)
        return texts
