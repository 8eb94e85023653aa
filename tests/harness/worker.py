"""Runs ``whence`` command lines, each in a process of its own, without paying for imports each time.

``python -m tests.harness.worker N`` imports the command line and its heavy modules once and reads requests
from the socket that is its descriptor N: a JSON object with ``argv``, ``env``, ``cwd``, ``timeout`` and
``alone``, and with it three descriptors. It forks for each a child that has these as its standard ones and no
others, and that runs the command line and ends as the interpreter of a command does. The answer is JSON:
``status`` as `subprocess` counts it (negative: killed by that signal), and whether that was the ``timeout``.
A child that is ``alone`` is the leader of a process group, so that everything it started can be ended.

No command changes the worker, so none sees what another one left. A child ends with whoever asked for it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import tempfile
import threading
from typing import Any

MOST = 1 << 20
"""Bytes of a request or an answer."""


def serve(border: socket.socket) -> bool:
    """Answer requests until the other side closes. Returns twice: True in a child, which is to run `main`."""
    border.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asks, and for the children
    _warm_up()
    gc.collect()
    gc.freeze()
    gc.disable()
    while True:
        text, descriptors, _, _ = socket.recv_fds(border, MOST, 3)
        if not text:
            return False
        request = json.loads(text)
        child = os.fork()
        if child == 0:
            border.detach()
            _become(request, descriptors)
            return True
        if request["alone"]:
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.setpgid(child, child)  # as it does itself: whoever comes first
        for descriptor in descriptors:
            os.close(descriptor)
        answer = _wait(child, request, border)
        if answer is None:
            return False
        with contextlib.suppress(BrokenPipeError):
            border.send(json.dumps(answer).encode())


def _warm_up() -> None:
    """Import all of whence and read its rules; what fails here shows when a command is run."""
    import whence

    for module in pkgutil.walk_packages(whence.__path__, "whence."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    with contextlib.suppress(Exception):
        from whence.instrument.pipeline.job import make_job
        from whence.rules import load_standard

        make_job(load_standard(), "", "0", ())


def _wait(child: int, request: dict[str, Any], border: socket.socket) -> dict[str, Any] | None:
    """How the child ended; None if nobody waits for that any more, and then it is ended, too."""
    ending, closing = os.pidfd_open(child), border.fileno()
    try:
        ready, _, _ = select.select([ending, closing], [], [], request["timeout"])
    finally:
        os.close(ending)
    if ending not in ready:
        _kill(child, request["alone"])
    _, status = os.waitpid(child, 0)
    if closing in ready:
        return None
    return {"status": os.waitstatus_to_exitcode(status), "timeout": not ready}


def _kill(child: int, alone: bool) -> None:
    if alone:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


def _become(request: dict[str, Any], descriptors: list[int]) -> None:
    """The forked child: what distinguishes the process of a command from this one."""
    if request["alone"]:
        os.setpgid(0, 0)
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None  # of that environment
    _open_streams()
    gc.enable()
    sys.path[0] = request["cwd"]
    sys.argv = ["whence", *request["argv"]]


def _open_streams() -> None:
    """Standard streams for the kinds of files that the descriptors are now."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        file = os.fdopen(descriptor, "wb" if descriptor else "rb", closefd=False)
        made = io.TextIOWrapper(file, before.encoding, before.errors, line_buffering=descriptor == 2)
        setattr(sys, name, made)
        setattr(sys, f"__{name}__", made)


def _main() -> None:
    """The command line, which ends as in an interpreter, but does not take the time to free all modules."""
    from whence.cli.main import main

    try:
        main()
    except SystemExit as ending:
        if isinstance(ending.code, int):
            _leave(ending.code)
        raise


def _leave(status: int) -> None:
    """Exit with this status; returns if the interpreter has to say that a stream cannot be written."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(status)


if __name__ == "__main__":
    if serve(socket.socket(fileno=int(sys.argv[1]))):
        _main()
