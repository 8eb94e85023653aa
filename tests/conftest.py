"""Fixtures that every test directory may use."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.harness import compilers, examples, tiers, warm
from tests.harness.compilers import pytest_report_header as pytest_report_header
from tests.harness.rules import VALUES
from tests.harness.session import Corpus, environment
from tests.harness.shares import common

examples.register()
compilers.settle()
# What LLVM refuses of our own code fails a test, where a user would get slower code and a note.
os.environ.setdefault("WHENCE_VERIFY_PASSES", "1")
for _name in ("FORCE_COLOR", "COLUMNS"):  # of whoever runs the tests
    os.environ.pop(_name, None)
# Most tests are about one run, and not about undefined values, which change the code of every function: tests
# of second runs and of these values say so, and test_defaults.py has what users have.
os.environ.setdefault("WHENCE_OPTIONS", f"--locate never --disable {VALUES}")
# Machines with Valgrind and those without choose the same engine for programs without IR.
os.environ["WHENCE_VALGRIND"] = "/nonexistent"


def pytest_configure() -> None:
    """Programs under test take signals also where the tests run under nohup or behind a shell's `&`.

    Garbage is not collected while the tests are, since all that is made then stays: a third of that time.
    """
    gc.disable()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if interrupt else signal.SIG_DFL)
    tiers.watch()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    from tests.harness.schedule import Shares  # xdist is there where this is called

    return Shares(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    is_module = collection_path.match("test_*.py")
    return (is_module and tiers.left_out(collection_path, config.getoption("-m") or "")) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tiers.mark(items)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in tiers.reasons(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def tier(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that builds a program says so by the marker `build`: `make check` leaves it out."""
    tiers.started()
    yield
    commands = tiers.started()
    if commands and request.node.get_closest_marker("build") is None:
        pytest.fail(f"needs the marker `build`: the test runs {commands[0]}", pytrace=False)


@pytest.fixture(scope="session")
def corpus(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Iterator[Corpus]:
    """Runs programs of ``tests/programs``: one after the other where tests are shared among processes.

    Otherwise all selected ones are run ahead, as many at once as there are processors.
    """
    shared = hasattr(request.config, "workerinput")
    threads = 1 if shared else len(os.sched_getaffinity(0))
    made = Corpus(tmp_path_factory.mktemp("corpus"), whence_env, threads)
    for item in () if shared else request.session.items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if "corpus" in getattr(item, "fixturenames", ()) and {"case", "level"} <= parameters.keys():
            made.submit(parameters["case"], parameters["level"], parameters.get("values", False))
    yield made
    made.close()


@pytest.fixture(scope="session")
def whence_env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment for commands: this source tree and a cache of the session's own."""
    env = environment(common(tmp_path_factory, "whence-cache"))
    service = warm.Service(env)
    with warm.serving(service):
        yield env
    service.close()
