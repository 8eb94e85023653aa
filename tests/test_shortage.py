"""Too little memory, too few descriptors, too short files: one sentence, whatever line it is met in."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence, is_one_sentence

from whence.errors import ToolLimit
from whence.shortage import shortage, shortages


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


_NO_THREADS = """
import os, threading
from whence.engines.native import build
from whence.shortage import shortages

def refuse(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = refuse
try:
    with shortages(), build._pool(1) as pool:
        pool.submit(os.getpid)
except Exception as error:
    print(type(error).__name__, error)
"""


def test_no_thread_for_the_pool(whence_env: dict[str, str]) -> None:
    """The workers exist by then; they must not keep the launcher from ending."""
    command = [sys.executable, "-c", _NO_THREADS]
    done = subprocess.run(command, env=whence_env, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.stdout.startswith("ToolLimit no more processes or threads can be started")
    assert done.returncode == 0


_BUILDER = """
import os, time
from whence.engines.native.build import _pool
with _pool(1) as pool:
    print(pool.submit(os.getpid).result(), flush=True)
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
    if poll.poll(60_000):
        return True
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    return False
