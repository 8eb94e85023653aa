"""The launcher is killed while the program runs: what the program does wrong is said by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

WAITS = """
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(10);
    puts("ready");
    fflush(stdout);
    p[getchar() == 'g' ? 10 : 0] = 1;
    p[0] = 2;
    puts("went on");
    return 0;
}
"""


@pytest.fixture(scope="session")
def waiting(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """A program that writes behind a block after it has read a byte."""
    return Whence(tmp_path_factory.mktemp("waiting"), whence_env).build(WAITS)


@pytest.mark.parametrize("reaped", [True, False], ids=["reaped", "zombie"])
@pytest.mark.parametrize("options", [[], ["--suppressions", "known.supp"], ["--keep-going"]], ids=str)
def test_finding_is_printed(
    tmp_path: Path, whence_env: dict[str, str], waiting: Path, options: list[str], reaped: bool
) -> None:
    whence = Whence(tmp_path, whence_env)
    (tmp_path / "known.supp").write_text("suppress other\n    frame nobody\n")
    launcher = whence.start(*options, waiting)
    assert launcher.stdin and launcher.stdout and launcher.stderr
    assert launcher.stdout.readline() == b"ready\n"
    launcher.kill()
    os.waitid(os.P_PID, launcher.pid, os.WEXITED | os.WNOWAIT)
    if reaped:
        launcher.wait()
    launcher.stdin.write(b"g")
    launcher.stdin.close()
    said = launcher.stderr.read().decode()  # to the program's end
    assert said.count("whence: finding: heap-buffer-overflow: write of 1 bytes") == 1
    assert (launcher.stdout.read() == b"went on\n") == ("--keep-going" in options)
    launcher.wait(TIMEOUT)
