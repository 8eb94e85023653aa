"""The part of a debugged run in whence's process: starts gdb, and answers its commands about findings.

The program waits at its start until gdb has attached. gdb's commands (`commands.py`) send requests through a
socket in the run's folder: they know the process, this side reads the record and names addresses.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from whence.errors import ToolLimit, WhenceError
from whence.findings import Finding, RunInfo
from whence.findings.chains import Chain

if TYPE_CHECKING:
    from whence.report.text import TextRenderer

COMMANDS = Path(__file__).with_name("commands.py")
"""The file that gdb reads."""

ADDRESS, RUNS, EDITOR, REPLAYED, AGAIN = (
    *("WHENCE_DEBUGGER", "WHENCE_DEBUGGER_RUNS"),
    *("WHENCE_DEBUGGER_EDITOR", "WHENCE_DEBUGGER_REPLAYED", "WHENCE_DEBUGGER_AGAIN"),
)
"""Environment variables of gdb: the path of the socket, whether not to run to main first, where a link to the
socket will be when an editor has launched a program, whether gdb starts a program as it is, and the file that
says, when gdb has ended, to run the program again."""
_POLL = 0.01
"""Seconds between two looks whether the program waits."""


@dataclass(frozen=True)
class SessionData:
    """What a session asks its engine for.

    findings: those that the record has so far; raises `WhenceError`. chain: from the runtime's text, the term
    and the tag of the thread where the program stands; the chain, and that thread's number.
    """

    findings: Callable[[], list[Finding]]
    chain: Callable[[str, str, int], tuple[Chain, int]]


def gdb_command() -> str:
    """The debugger; raises `ToolLimit` if there is none."""
    named = os.environ.get("WHENCE_GDB", "gdb")
    found = shutil.which(named)
    if found is None:
        raise ToolLimit(
            f"whence debug needs the debugger {named}: install gdb, or set WHENCE_GDB to its path"
        )
    return found


@dataclass(frozen=True)
class Debugger:
    """How a program is debugged.

    gdb: the debugger's command. commands: gdb commands to execute after whence's. files: scripts to read
    after them. batch: gdb ends after these. start: whether the program runs to main first. again: where gdb
    writes that the program is to run again; None where it cannot.
    """

    gdb: str
    commands: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    batch: bool = False
    start: bool = True
    again: Path | None = None

    def next_run(self) -> tuple[Debugger, list[str]] | None:
        """How gdb was told to run the program again, with its breakpoints, and other arguments, if any."""
        if self.again is None or not self.again.exists():
            return None
        asked = json.loads(self.again.read_text(errors="surrogateescape"))
        self.again.unlink()
        breakpoints = Path(f"{self.again}.breakpoints")
        commands = [f"source {breakpoints}"] if breakpoints.exists() else []
        commands += [] if asked["stop"] else ["continue"]
        return replace(self, commands=tuple(commands), start=asked["stop"]), asked["arguments"]

    def words(self, pid: int) -> list[str]:
        """The command line for a process that waits."""
        return self.command(["-p", str(pid)], ["-x", str(COMMANDS)])

    def command(self, before: Sequence[str], after: Sequence[str]) -> list[str]:
        """gdb's command line, with words that stand before and after its settings."""
        words = [self.gdb, "-q", *(["-batch"] if self.batch else [])]
        for setting in ("set debuginfod enabled off", "set confirm off", "set pagination off"):
            words += ["-iex", setting]
        words += [*before, *after]
        for file in self.files:
            words += ["-x", str(file)]
        return [*words, *(word for command in self.commands for word in ("-ex", command))]

    @contextlib.contextmanager
    def session(self, folder: Path, program: str, data: SessionData) -> Iterator[Session]:
        """The session of one run. At its end gdb has ended."""
        session = self.session_of(folder, program, data)
        try:
            yield session
        finally:
            session.end()

    def session_of(self, folder: Path, program: str, data: SessionData) -> Session:
        return Session(self, folder, program, data)


class Session:
    """A run under gdb: `begin` starts gdb on the program, and the program ends with gdb."""

    def __init__(self, debugger: Debugger, folder: Path, program: str, data: SessionData) -> None:
        self._debugger = debugger
        self._program = program
        self._data = data
        self.path = folder / "debugger"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._follower: threading.Thread | None = None
        self._told = 0

    def news(self) -> tuple[str, str]:
        """The rule and the text of the last finding, if there was none of it at the last call; else empty."""
        from whence.report.text import TextRenderer

        try:
            found = self._data.findings()
        except WhenceError:
            return "", ""
        if len(found) <= self._told:
            return "", ""
        self._told = len(found)
        text = TextRenderer(color=False, quiet=True).render(found[-1:], RunInfo(self._program))
        return found[-1].rule.name, text

    def begin(self, pid: int, waits: Callable[[], bool]) -> None:
        """Starts gdb on a process as soon as it waits for it."""
        threading.Thread(target=self._serve, daemon=True).start()
        self._follower = threading.Thread(target=self._follow, args=(pid, waits), daemon=True)
        self._follower.start()

    def end(self) -> None:
        """Waits for gdb's end."""
        if self._follower is not None:
            self._follower.join()
        self._socket.close()

    def _follow(self, pid: int, waits: Callable[[], bool]) -> None:
        """Starts gdb, and ends the program when gdb has ended, detached or not."""
        while not waits():
            if not _lives(pid):
                return
            time.sleep(_POLL)
        self.debug(pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def debug(self, pid: int) -> None:
        """Debugs a process that waits, until gdb has ended."""
        environment = {**os.environ, ADDRESS: str(self.path)}
        if not self._debugger.start:
            environment[RUNS] = "1"
        if self._debugger.again is not None:
            environment[AGAIN] = str(self._debugger.again)
        subprocess.run(self._debugger.words(pid), env=environment, check=False)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rw", encoding="utf-8") as stream:
                stream.write(self._answer(stream.readline().split()))

    def _answer(self, request: Sequence[str]) -> str:
        """The text for a request: WHAT, ``color`` or ``plain``, WIDTH, and what belongs to it."""
        what, color, width, *rest = request
        from whence.report.text import TextRenderer

        renderer = TextRenderer(color=color == "color", width=int(width) or None, quiet=True)
        if what == "chain":
            return self._chain(renderer, *map(unquote, rest))
        if what == "writes":
            return self._writes(renderer, *map(unquote, rest))
        try:
            found = self._data.findings()
        except WhenceError as error:
            return f"{error}\n"
        if not found:
            return "No findings so far.\n"
        shown = found if what == "findings" else found[-1:]
        return renderer.render(shown, RunInfo(self._program))

    def _chain(self, renderer: TextRenderer, term: str, tag: str, text: str) -> str:
        chain, thread = self._data.chain(text, term, int(tag))
        return renderer.render_chain(chain, thread, self._program)

    def _writes(self, renderer: TextRenderer, term: str, tag: str, *rows: str) -> str:
        """Writes of a place, newest first: for each a note and the chain of what was written."""
        hops, thread = [], 0
        for note, text in zip(rows[::2], rows[1::2], strict=True):
            chain, thread = self._data.chain(text, term, int(tag))
            hops += [replace(hop, note=note) for hop in chain.hops[:1]]
        return renderer.render_chain(Chain(term, None, tuple(hops)), thread, self._program)


def _lives(pid: int) -> bool:
    """Whether the process is there and has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
