"""Fixtures that every test directory may use."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.harness.session import Corpus, environment

# Nothing is judged by its time: the machine may be busy. The tests of a version draw the same examples
# everywhere: a failure is that version's, and repeats. `make test-random` draws others.
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("random"), derandomize=True)
settings.load_profile("repeatable")


def pytest_configure() -> None:
    """Programs under test take signals also where the tests run under nohup or behind a shell's `&`."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if interrupt else signal.SIG_DFL)


@pytest.fixture(scope="session")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """Runs all selected programs of ``tests/programs`` ahead, as many at once as there are processors."""
    made = Corpus(tmp_path_factory.mktemp("corpus"), len(os.sched_getaffinity(0)))
    for item in request.session.items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if "case" in parameters and "level" in parameters:
            made.submit(parameters["case"], parameters["level"])
    yield made
    made.close()


@pytest.fixture(scope="session")
def whence_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment for commands: this source tree and a cache of the session's own."""
    return environment(tmp_path_factory.mktemp("whence-cache"))
