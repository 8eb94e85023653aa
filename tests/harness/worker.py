"""Runs ``whence`` command lines, each in a process of its own, without paying for imports each time.

``python -m tests.harness.worker`` imports the command line and its heavy
modules once, reads requests from standard input (one JSON object a line:
``argv``, ``env``, ``cwd``, and the paths ``stdin``, ``stdout``, ``stderr``),
forks for each a child that calls ``whence.cli.main.main``, and answers with
one JSON line: ``status`` as `subprocess` counts it (negative: killed by that
signal), or ``timeout``. The child is the leader of its own process group, so
that everything it started can be ended.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
from typing import Any, NoReturn


def serve() -> None:
    """Answer requests until standard input ends."""
    _warm_up()
    gc.collect()
    gc.freeze()
    gc.disable()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(_run(request)), flush=True)


def _warm_up() -> None:
    """Import all of whence and read its rules; what fails here shows when a command is run."""
    import whence

    for module in pkgutil.walk_packages(whence.__path__, "whence."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    with contextlib.suppress(Exception):
        from whence.instrument.job import make_job
        from whence.rules import load_standard

        make_job(load_standard(), "", "0", ())


def _run(request: dict[str, Any]) -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        _become(request)
    deadline = time.monotonic() + request["timeout"]
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return {"status": os.waitstatus_to_exitcode(status), "timeout": False}
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return {"status": -signal.SIGKILL, "timeout": True}
        time.sleep(0.005)


def _become(request: dict[str, Any]) -> NoReturn:
    """The forked child: redirect, call the command line, end as a fresh interpreter would."""
    os.setpgid(0, 0)
    os.chdir(request["cwd"])
    os.environ.update(request["env"])
    for descriptor, (path, flags) in enumerate(
        (
            (request["stdin"], os.O_RDONLY),
            (request["stdout"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            (request["stderr"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        )
    ):
        opened = os.open(path, flags, 0o644)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    sys.argv = ["whence", *request["argv"]]
    os._exit(_call())


def _call() -> int:
    """Call the command line; its exit status, after everything is flushed."""
    import traceback

    from whence.cli.main import main

    status: int
    try:
        main()
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    serve()
