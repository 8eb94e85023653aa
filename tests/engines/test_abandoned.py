"""A run that is ended while a program that it executes is instrumented ends then, not when that is done."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.warm import real_starts as real_starts

SLOW = """
import sys, time
from pathlib import Path
import whence.engines.native.work

def compile_slowly(*_):
    Path("begun").touch()
    time.sleep(600)

whence.engines.native.work.compile_carried = compile_slowly
from whence.cli.main import main
sys.argv = ["whence", "run", "--trace-children", "sh", "-c", "./prog; exit"]
main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nobody_waits_for_the_instrumentation(
    tmp_path: Path, whence_env: dict[str, str], number: signal.Signals
) -> None:
    Whence(tmp_path, whence_env).build("int main(void) { return 0; }\n", "prog")
    environment = {**whence_env, "WHENCE_CACHE": str(tmp_path / "cache")}
    running = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + TIMEOUT
    while not (tmp_path / "begun").exists():
        assert running.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    os.killpg(running.pid, number)
    if number == signal.SIGINT:  # the shell holds it back until the program has begun
        for seconds in (0.2, 2, 20, 200):  # two that come at once are one
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(seconds)
                break
            os.killpg(running.pid, number)
    _, errors = running.communicate(timeout=TIMEOUT)
    assert running.returncode != 0
    assert "prog was not instrumented to the end: the run was ended meanwhile" in errors
