"""Too little memory, too few descriptors, too short files: one sentence, whatever line it is met in."""

from __future__ import annotations

import errno
import operator
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence, is_one_sentence
from tests.harness.warm import real_starts as real_starts

from whence.engines.native.workers import Failure, each, workers
from whence.errors import ToolLimit
from whence.errors.shortage import shortage, shortages


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "out of memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "out of memory"),
        (OSError(errno.EMFILE, "Too many open files"), "ulimit -n"),
        (OSError(errno.ENOSPC, "No space left on device", "/x/y"), "/x/y: no space is left"),
        (OSError(errno.EFBIG, "File too large", b"/x/\xff"), "ulimit -f"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "ulimit -u"),
        (RuntimeError("can't start new thread"), "ulimit -u"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']"), "TMPDIR"),
        (ImportError("_ssl.so: failed to map segment from shared object"), "out of memory"),
    ],
)
def test_shortages_are_recognised(error: Exception, words: str) -> None:
    assert words in (shortage(error) or "")
    with pytest.raises(ToolLimit, match=words.replace("(", "\\(")), shortages():
        try:
            raise error
        except type(error) as cause:  # as libraries do that say it in their own words
            raise RuntimeError("loading failed") from cause


@pytest.mark.parametrize("error", [OSError(errno.ENOENT, "No such file"), RuntimeError("x"), KeyError("y")])
def test_other_errors_are_none(error: Exception) -> None:
    assert shortage(error) is None
    with pytest.raises(type(error)), shortages():
        raise error


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("-n 9", "too many open files: raise"),
        ("-f 0", "may not become so long"),
        ("-v 120000", "out of memory"),
    ],
)
def test_limits_of_the_shell(tmp_path: Path, whence_env: dict[str, str], limit: str, words: str) -> None:
    whence = Whence(tmp_path, whence_env)
    program = whence.build("int main(void) { return 0; }")
    prefix = ("bash", "-c", f'ulimit {limit}; exec "$@"', "bash")
    done = whence.process("whence.cli.main", "run", program, prefix=prefix)
    assert done.status == 125
    assert is_one_sentence(done.err) and words in done.err


def test_working_directory_that_was_removed(tmp_path: Path, whence_env: dict[str, str]) -> None:
    whence = Whence(tmp_path, whence_env)
    program = whence.build("int main(void) { return 0; }")
    gone = ("bash", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "bash")
    words = "the working directory was removed: change to one that exists\n"
    done = whence.process("whence.cli.main", "run", program, prefix=gone)
    assert (done.status, done.err) == (125, f"whence: {words}")
    done = whence.process("whence.cli.cc", "cc", tmp_path / "prog.c", prefix=gone)
    assert done.status == 125 and words in done.err and "Traceback" not in done.err


@pytest.mark.parametrize(("descriptors", "warm"), [(5, False), (6, False), (8, False), (5, True), (6, True)])
def test_few_descriptors_leave_no_temporary_files(
    tmp_path: Path, whence_env: dict[str, str], descriptors: int, warm: bool
) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    whence = Whence(tmp_path, whence_env).with_env(TMPDIR=str(folder))
    program = whence.build("int main(void) { return 0; }")
    prefix = ("bash", "-c", f'ulimit -n {descriptors}; exec "$@"', "bash")
    words = ("run", "--trace-children", program)
    if warm:
        assert whence.process("whence.cli.main", *words).status == 0
    done = whence.process("whence.cli.main", *words, prefix=prefix)
    assert done.status == 125 and is_one_sentence(done.err)
    assert not list(folder.iterdir())


_NO_THREADS = """
import operator, threading
from whence.engines.native.workers import each, workers

def refuse(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = refuse
with workers(2) as crew:
    print(sorted(each(crew, operator.add, [(1, 2), (3, 4), (5, 6)])))
"""


def test_workers_need_no_threads(whence_env: dict[str, str]) -> None:
    command = [sys.executable, "-c", _NO_THREADS]
    done = subprocess.run(command, env=whence_env, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.stdout == "[(0, 3), (1, 7), (2, 11)]\n", done.stderr


def test_what_a_worker_raises_is_its_result() -> None:
    with workers(1) as crew:
        ((_, failed),) = each(crew, operator.truediv, [(1, 0)])
    assert isinstance(failed, Failure) and isinstance(failed.error, ZeroDivisionError)


def test_the_piece_that_takes_longest_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whence.engines.native.workers._PATIENCE", 0.02)
    told: list[tuple[int, float]] = []
    pieces = [(0.2,), *[(0.001,)] * 50]
    with workers(2) as crew:
        for _ in each(crew, time.sleep, pieces, lambda index, seconds: told.append((index, seconds))):
            pass
    longest = [seconds for index, seconds in told if index == 0]
    assert len(longest) > 2 and longest == sorted(longest)


def test_a_worker_that_ends_is_replaced() -> None:
    with workers(1) as crew:
        ended = [result for _, result in each(crew, os._exit, [(3,), (4,)])]
    assert [str(result.error)[-15:] for result in ended] == ["(exit status 3)", "(exit status 4)"]


def test_a_worker_that_is_killed_ends_the_work() -> None:
    with workers(2) as crew, pytest.raises(EOFError):
        list(each(crew, signal.raise_signal, [(signal.SIGKILL,)]))


_BUILDER = """
import os, time
from whence.engines.native.workers import each, workers
with workers(1) as crew:
    print(*(pid for _, pid in each(crew, os.getpid, [()])), flush=True)
    time.sleep(600)
"""


def test_workers_end_with_a_killed_launcher(whence_env: dict[str, str]) -> None:
    builder = subprocess.Popen(
        [sys.executable, "-c", _BUILDER], env=whence_env, stdout=subprocess.PIPE, text=True
    )
    assert builder.stdout is not None
    worker = os.pidfd_open(int(builder.stdout.readline()))
    builder.kill()
    builder.wait()
    assert _ends(worker)


def _ends(handle: int) -> bool:
    """Whether the process ends; after a long while it is killed."""
    import select

    poll = select.poll()
    poll.register(handle, select.POLLIN)
    if poll.poll(TIMEOUT * 1000):
        return True
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    return False
