"""The part of the plugin in a process that runs tests under the rules: it fails the tests that err."""

from __future__ import annotations

import ctypes
import json
import os
import socket
from collections.abc import Generator
from typing import Any

import pytest

_TEXTS = pytest.StashKey[dict[str, str]]()
"""Of a test: the phase, and the text about what was found in it."""

Wrapper = Generator[None, Any, Any]


class Session:
    """Asks the process around this one what was found. address: the path of its socket."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._process = os.getpid()
        self._again = getattr(ctypes.CDLL(None), "__whence_report_again", None)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Wrapper:
        self._say(begin=f"the collection of {collector.nodeid or '.'}")
        try:
            return (yield)
        finally:
            self._say(begin="")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Wrapper:
        if self._again is not None and os.getpid() == self._process:
            self._again()
        return (yield from self._phase(item, "setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Wrapper:
        return (yield from self._phase(item, "call"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Wrapper:
        return (yield from self._phase(item, "teardown"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        text = item.stash.get(_TEXTS, {}).pop(call.when, "")
        if text:
            report.sections.append(("whence", text))
        return report

    def _phase(self, item: pytest.Item, when: str) -> Wrapper:
        """A phase of a test, which fails if something was found in it and it does not fail anyway."""
        label = f"{item.nodeid} ({when})"
        self._say(begin=label)
        try:
            result = yield
        except BaseException:
            self._take(item, when, label)
            raise
        failures = self._take(item, when, label)
        if failures:
            lines = [f"whence: {line}" for line in dict.fromkeys(failures)]
            pytest.fail("\n".join(lines), pytrace=False)
        return result

    def _take(self, item: pytest.Item, when: str, label: str) -> list[str]:
        """Keeps the texts of what was found for the report; returns a line for each that fails the test."""
        found = self._say(end=label)
        if found:
            item.stash.setdefault(_TEXTS, {})[when] = "\n".join(each["text"] for each in found)
        return [each["line"] for each in found if each["failure"]]

    def _say(self, **request: str) -> list[dict[str, Any]]:
        """Says what begins or ends, and returns what was found; nothing in a child that a test has forked."""
        if os.getpid() != self._process:
            return []
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(self._address)
            with connection.makefile("rwb") as stream:
                stream.write(json.dumps(request).encode() + b"\n")
                stream.flush()
                found: list[dict[str, Any]] = json.loads(stream.readline() or "[]")
        return found
