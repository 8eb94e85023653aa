"""What runs in the processes of the engine: it keeps sessions, and passes shares on to them.

A session is a process of its own, so that threads of a worker explore side by side, a worker answers its
scheduler meanwhile, and what a solver or the system does to a session does not reach the worker.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from typing import IO

from whence import __version__
from whence.exploring.cluster.messages import READY, receive, send


class _Session:
    """A session's process. Its messages stay bytes here."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "whence.exploring.cluster.session"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def ask(self, message: bytes) -> bytes:
        """Raises `EOFError` or `OSError` if the session is gone."""
        requests, answers = self._pipes()
        send(requests, message)
        return receive(answers)

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self.process.stdin is not None and self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        """It ends when nothing can come any more; what it runs is bounded."""
        for pipe in self._pipes():
            with contextlib.suppress(OSError):
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        if self.alive:
            self.process.kill()
            self.process.wait()


class _Pool:
    """The sessions of one mission that are idle."""

    def __init__(self, mission: bytes) -> None:
        self._mission = mission
        self._idle: list[_Session] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self) -> tuple[_Session | None, str]:
        """A session, and an empty sentence; or why there is none."""
        while True:
            with self._lock:
                session = self._idle.pop() if self._idle else None
            if session is None:
                return self._started()
            if session.alive:
                return session, ""
            session.close()

    def _started(self) -> tuple[_Session | None, str]:
        session = _Session()
        try:
            answer = session.ask(self._mission)
        except (EOFError, OSError):
            session.close()
            return None, f"its process ended with status {session.process.returncode} before it was ready"
        if answer != READY:
            session.close()
            return None, answer.decode("utf-8", "replace")
        return session, ""

    def put(self, session: _Session) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(session)
                return
        session.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()


_pools: dict[str, _Pool] = {}


def greet(version: str, number: str, mission: bytes) -> str:
    """Begin a mission; a sentence if it cannot be. version: of the coordinator. number: names the mission."""
    if version != __version__:
        return f"it has whence {__version__}, and this is {version}: install the same version there"
    pool = _pools.setdefault(number, _Pool(mission))
    session, refused = pool.take()
    if session is None:
        _pools.pop(number, None)
    else:
        pool.put(session)
    return refused


def explore(number: str, share: bytes) -> tuple[bytes, str]:
    """`Gains` of a `Share`, both pickled, and an empty sentence; or nothing, and why the share is lost."""
    pool = _pools.get(number)
    if pool is None:
        return b"", "a worker was started again"
    session, refused = pool.take()
    if session is None:
        return b"", refused
    try:
        gains = session.ask(share)
    except (EOFError, OSError):
        session.close()
        return b"", f"a process that explores ended with status {session.process.returncode}"
    pool.put(session)
    return gains, ""


def leave(number: str) -> None:
    """End the idle sessions of a mission."""
    pool = _pools.pop(number, None)
    if pool is not None:
        pool.close()
