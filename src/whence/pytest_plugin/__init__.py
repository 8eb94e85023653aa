"""The plugin that an installation gives pytest: ``pytest --whence``.

With the option, pytest starts itself again under the rules (`runner`). In there, `session` asks after each
test what was found and fails the test. With xdist each worker is started so, and `workers` has the part of
the process that distributes tests. Without the option nothing but this module is imported.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

import pytest

_OPTIONS = {
    "enable": ("NAME", "switch a rule or a group of rules on, for --whence"),
    "disable": ("NAME", "switch a rule or a group of rules off, for --whence"),
    "rules": ("FILE", "add a file of rules, for --whence"),
    "suppressions": ("FILE", "do not report what this file lists, for --whence"),
}
"""Options of ``whence run`` that have one of their own here; each may be repeated."""

_SHOWN_ONLY = (
    *("help", "version", "collectonly", "show_fixtures_per_test"),
    *("showfixtures", "markers", "cacheshow"),
)
"""With one of these pytest runs no test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("whence", "memory errors of native code (whence)")
    group.addoption(
        "--whence",
        action="store_true",
        help="fail tests for memory errors of extension modules and programs that were built with whence-cc",
    )
    for name, (metavar, text) in _OPTIONS.items():
        group.addoption(f"--whence-{name}", action="append", default=[], metavar=metavar, help=text)
    group.addoption(
        "--whence-options",
        default="",
        metavar="WORDS",
        help="further options of 'whence run', as in --whence-options='--json found.json --tier full'",
    )


def words_of(config: pytest.Config) -> list[str]:
    """The options of ``whence run`` that those of pytest mean."""
    named = [
        word
        for name in _OPTIONS
        for value in config.getoption(f"whence_{name}")
        for word in (f"--{name}", value)
    ]
    try:
        return [*named, *shlex.split(config.getoption("whence_options"))]
    except ValueError as error:
        raise pytest.UsageError(f"--whence-options: {str(error).lower()}") from None


@pytest.hookimpl
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Start pytest again under the rules, unless it is, only shows something, or leaves tests to workers."""
    option = config.option
    if not option.whence or _address() or _distributes(config):
        return None
    if any(getattr(option, name, False) for name in _SHOWN_ONLY):
        return None
    from whence.pytest_plugin.runner import checked_words

    words = checked_words(words_of(config))
    with tempfile.TemporaryDirectory(prefix="whence-pytest-") as folder, _uncaptured(config):
        from whence.pytest_plugin.runner import command

        return _status([*command(folder, "report", words), *_own_words(config)], config.invocation_params.dir)


def pytest_configure(config: pytest.Config) -> None:
    if not config.option.whence:
        return
    if address := _address():
        from whence.pytest_plugin.session import Session

        config.pluginmanager.register(Session(address), "whence-session")
    elif _distributes(config):
        from whence.pytest_plugin.workers import Workers

        config.pluginmanager.register(Workers(words_of(config)), "whence-workers")


def _address() -> str | None:
    """Where the process around pytest answers, if this one runs under the rules."""
    from whence.pytest_plugin.address import ADDRESS

    return os.environ.get(ADDRESS)


def _distributes(config: pytest.Config) -> bool:
    """Whether xdist runs the tests in other processes."""
    return getattr(config.option, "dist", "no") != "no" and bool(getattr(config.option, "tx", None))


def _own_words(config: pytest.Config) -> list[str]:
    """The command line by which this pytest was started, or one that means the same."""
    given = [os.fspath(word) for word in config.invocation_params.args]
    started = sys.orig_argv[1:]
    if len(started) > len(given) and started[len(started) - len(given) :] == given:
        return [sys.executable, *started]
    return [sys.executable, "-m", "pytest", *given]


@contextlib.contextmanager
def _uncaptured(config: pytest.Config) -> Iterator[None]:
    """The standard streams are the user's, not those that pytest captures."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is None:
        yield
        return
    capture.suspend_global_capture(in_=True)
    try:
        yield
    finally:
        capture.resume_global_capture()


def _status(words: Sequence[str], folder: os.PathLike[str]) -> int:
    """The exit status of a command, which gets the interrupts of the terminal itself."""
    process = subprocess.Popen(words, cwd=folder)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return 128 - code if code < 0 else code
