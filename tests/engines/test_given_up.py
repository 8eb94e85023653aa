"""Findings are shown and written before the second run begins: whatever ends that, they are there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

TWICE = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    signal(SIGINT, SIG_IGN);
    int *item = malloc(4);
    free(item);
    free(item);
    if (count > 1 && access("first", F_OK) == 0) pause();
    symlink("/", "first");
    return 0;
}
"""
"""The first run marks its end, and the second waits for ever there."""

INSTEAD = """
import os, time
import whence.engines.native.work as work
from whence.abi.analyses import ORIGINS

compile_carried = work.compile_carried

def compile_instead(module, job):
    if not job.policy.follows(ORIGINS):
        return compile_carried(module, job)
    {}

work.compile_carried = compile_instead
from whence.cli.main import main
main()
"""
CAME = "whence it came: double-free at "
SLOWLY = 'open("begun", "w").close(); time.sleep(600)'


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    return Whence(tmp_path_factory.mktemp("twice"), whence_env).build(TWICE)


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    """Code that follows values is not in its cache."""
    cache = str(tmp_path.with_name(f"{tmp_path.name}-cache"))
    return Whence(tmp_path, {**whence_env, "WHENCE_OPTIONS": "", "WHENCE_CACHE": cache})


def command(whence: Whence, instead: str, *words: str | Path) -> list[str]:
    """``whence run`` with another compiler of code that follows values; "" for the usual one."""
    usual = whence.command("whence.cli.main", "run", *words)
    return [sys.executable, "-c", INSTEAD.format(instead), *usual[3:]] if instead else usual


@contextmanager
def begun(whence: Whence, instead: str, *words: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run in the background whose first report file is there, and whose finding was shown."""
    running = subprocess.Popen(
        command(whence, instead, "--json", "report.json", *words),
        cwd=whence.directory,
        env=dict(whence.env),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    ended = threading.Timer(TIMEOUT, running.kill)
    ended.start()
    try:
        assert running.stderr is not None
        while b"advice: " not in (line := running.stderr.readline()):
            assert line, "it ended without a finding"
        yield running
    finally:
        ended.cancel()
        running.kill()
        running.communicate()


def findings(whence: Whence) -> list[str]:
    document = json.loads((whence.directory / "report.json").read_text())
    return [each["rule"] for each in document["findings"]]


def rest(running: subprocess.Popen[bytes]) -> str:
    return running.communicate(timeout=TIMEOUT)[1].decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("instead", ["", SLOWLY])
def test_a_signal_gives_up_the_second_run_alone(
    whence: Whence, program: Path, number: signal.Signals, instead: str
) -> None:
    """While its code is made, and while it runs."""
    with begun(whence, instead, program, "wait") as running:
        running.send_signal(number)
        said = rest(running)
    assert running.returncode == 99
    assert f"since {number.name} came\n" in said and "Traceback" not in said
    assert said.splitlines()[-1].startswith("whence: 1 finding (1 double-free); the program was stopped")
    assert findings(whence) == ["double-free"]
    assert not left_over(whence.directory)


def left_over(folder: Path) -> list[int]:
    """Processes that still work in a folder."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{name}/cwd") == str(folder):
                found.append(int(name))
        except OSError:
            continue
    return found


def test_replay_is_given_up_with_all_that_it_started(whence: Whence) -> None:
    start = 'if (fork() == 0) { setsid(); execlp("sleep", "sleep", "600", NULL); }'
    text = TWICE.replace("pause();", f"{{ {start} pause(); }}")
    with begun(whence, "", "--keep-going", "--locate", "replay", whence.build(text), "wait") as running:
        while not any("sleep" in comm(each) for each in left_over(whence.directory)):
            assert running.poll() is None
        running.terminate()
        said = rest(running)
    assert running.returncode == 99 and "Traceback" not in said
    assert not left_over(whence.directory)


def comm(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text()
    except OSError:
        return ""


def test_findings_outlive_whence(whence: Whence, program: Path) -> None:
    """Files have them before the second run, and are replaced as a whole afterwards."""
    with begun(whence, SLOWLY, "--sarif", "report.sarif", program) as running:
        while not (whence.directory / "begun").exists():
            assert running.poll() is None
        os.killpg(running.pid, signal.SIGKILL)
        running.wait(TIMEOUT)
    assert findings(whence) == ["double-free"]
    assert len(json.loads((whence.directory / "report.sarif").read_text())["runs"][0]["results"]) == 1
    assert not list(whence.directory.glob(".report*"))


@pytest.mark.parametrize(
    ("how", "instead", "why"),
    [
        ("auto", "os._exit(3)", "LLVM"),
        ("replay", "raise RuntimeError('odd')", "odd"),
    ],
)
def test_whatever_fails_the_finding_stands(
    whence: Whence, program: Path, how: str, instead: str, why: str
) -> None:
    words = command(whence, instead, "--locate", how, "--json", "report.json", program)
    done = subprocess.run(
        words, cwd=whence.directory, env=dict(whence.env), capture_output=True, timeout=TIMEOUT
    )
    said = done.stderr.decode()
    assert done.returncode == 99 and findings(whence) == ["double-free"], said
    (note,) = (line for line in said.splitlines() if line.startswith("note: "))
    assert "no chain" in note and why in note
    assert said.count("error[double-free]") == 1 and said.splitlines()[-1].startswith("whence: 1 finding")


def test_chains_follow_the_findings(whence: Whence, program: Path) -> None:
    """The text has each finding once; what is written to a file has the chains in their findings."""
    done = whence.run("--keep-going", "--leak-check", "no", program)
    shown = done.err
    assert shown.index("advice: ") < shown.index(CAME) < shown.index("whence r = ")
    assert shown.count("error[") == 1 and shown.count("whence r = ") == 1 and shown.count("advice: ") == 1
    (whence.directory / "first").unlink()
    whence.run("--log", "log", program)
    written = (whence.directory / "log").read_text()
    assert written.index("whence r = ") < written.index("advice: ") and "whence it came" not in written
