"""``whence debug --dap``: a debug adapter, which editors start (Debug Adapter Protocol).

gdb speaks the protocol itself (14 and newer), but would start the program without whence. So this process
stands between: it passes messages on, starts the program at the request ``launch`` as a run, and has gdb
attach to it. What the program writes becomes output of the protocol.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from whence.debugger.session import COMMANDS, EDITOR, Debugger, Session, SessionData
from whence.errors import ToolLimit, WhenceError

Message = dict[str, Any]
LEAST_VERSION = 14
"""The first gdb that speaks the protocol."""
_OWN = 1 << 40
"""The numbers of requests that are ours, and not the editor's, begin here."""
_LENGTH = b"content-length:"


def check_version(gdb: str) -> None:
    """Raises `ToolLimit` for a gdb that does not speak the protocol."""
    try:
        said = subprocess.run([gdb, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise ToolLimit(f"{gdb}: cannot be started: {error.strerror}") from error
    found = re.search(r"(\d+)\.\d+", said)
    if found is None or int(found[1]) < LEAST_VERSION:
        version = f"gdb {found[0]}" if found else gdb
        raise ToolLimit(
            f"{version} does not speak the Debug Adapter Protocol, gdb {LEAST_VERSION} does: install it, or "
            "set WHENCE_GDB to its path"
        )


def read_message(stream: IO[bytes]) -> Message | None:
    """The next message; None at the end of the stream."""
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b"\n"):
        if not line:
            return None
        if line.lower().startswith(_LENGTH):
            length = int(line[len(_LENGTH) :])
    content = stream.read(length)
    return json.loads(content) if len(content) == length else None


class Writer:
    """Writes messages to a stream, from any thread."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, message: Mapping[str, Any]) -> None:
        content = json.dumps(message).encode()
        with self._lock, contextlib.suppress(OSError, ValueError):  # the reader has gone
            self._stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
            self._stream.flush()

    def event(self, name: str, **body: Any) -> None:
        self.write({"type": "event", "seq": 0, "event": name, "body": body})


@dataclass(frozen=True)
class Launch:
    """What the editor asks for. request: its number."""

    request: int
    program: str
    arguments: tuple[str, ...] = ()
    cwd: str | None = None
    environment: Mapping[str, str] | None = None
    stop_at_main: bool = False

    @classmethod
    def of(cls, message: Message) -> Launch:
        given = message.get("arguments", {})
        stops = ("stopAtBeginningOfMainSubprogram", "stopOnEntry")
        return cls(
            message["seq"],
            str(given.get("program", "")),
            tuple(map(str, given.get("args", ()))),
            given.get("cwd"),
            given.get("env"),
            any(given.get(each) for each in stops),
        )


class Adapter:
    """The three parties: the editor, gdb, and the run.

    news: the rule and the text of a finding that has not been told, or empty.
    """

    def __init__(self, editor: tuple[IO[bytes], IO[bytes]], gdb: subprocess.Popen[bytes]) -> None:
        assert gdb.stdin is not None and gdb.stdout is not None
        self._from_editor, self._from_gdb = editor[0], gdb.stdout
        self.editor, self._gdb = Writer(editor[1]), Writer(gdb.stdin)
        self._process = gdb
        self._launch: Launch | None = None
        self._waiting: list[Message] | None = []
        self._lock = threading.Lock()
        self._configured = self._stopped = self._begun = False
        self._own = _OWN
        self._main_thread = 0
        self.news: Callable[[], tuple[str, str]] = lambda: ("", "")

    def launch(self) -> Launch | None:
        """Passes messages on until the editor launches a program; None if it leaves before."""
        threading.Thread(target=self._read_gdb, daemon=True).start()
        while (message := read_message(self._from_editor)) is not None:
            if message.get("command") == "launch":
                self._launch = Launch.of(message)
                threading.Thread(target=self._read_editor, daemon=True).start()
                return self._launch
            self._gdb.write(message)
            if message.get("command") == "disconnect":
                break
        self._close()
        return None

    def attach(self, pid: int) -> None:
        """gdb attaches to the program, which waits."""
        assert self._launch is not None
        request = {"type": "request", "seq": self._launch.request, "command": "attach"}
        self._gdb.write({**request, "arguments": {"pid": pid}})
        with self._lock:
            waiting, self._waiting = self._waiting or [], None
            for message in waiting:
                self._gdb.write(message)

    def refuse(self, why: str) -> None:
        """The program cannot be started."""
        assert self._launch is not None
        answer = {"type": "response", "seq": 0, "request_seq": self._launch.request, "success": False}
        error = {"id": 1, "format": why, "showUser": True}
        self.editor.write({**answer, "command": "launch", "message": why, "body": {"error": error}})
        self.editor.event("terminated")

    def end(self) -> None:
        """Waits for gdb's end."""
        self._process.wait()

    def stop(self) -> None:
        """gdb ends, if it has not yet."""
        self._close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
            return
        self._process.kill()

    # ---- the editor's messages ----

    def _read_editor(self) -> None:
        while (message := read_message(self._from_editor)) is not None:
            with self._lock:
                if self._waiting is None or message.get("command") == "disconnect":
                    self._gdb.write(message)
                else:
                    self._waiting.append(message)
        self._close()

    def _close(self) -> None:
        """gdb ends at the end of its input."""
        with contextlib.suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    # ---- gdb's messages ----

    def _read_gdb(self) -> None:
        while (message := read_message(self._from_gdb)) is not None:
            if message.get("type") == "response":
                self._response(message)
            elif message.get("event") == "stopped" and not self._stopped:
                self._stopped = True  # where the program waited: nothing for the editor
                self._main_thread = message.get("body", {}).get("threadId", 1)
                self._begin()
            elif message.get("event") == "stopped":
                self._tell_stop(message)
            else:
                self.editor.write(message)

    def _tell_stop(self, message: Message) -> None:
        """A stop at a finding, whose breakpoint is gdb's own, is an exception for the editor."""
        body = message.get("body", {})
        if any(number < 0 for number in body.get("hitBreakpointIds", ())):
            rule, text = self.news()
            if rule:
                self.editor.event("output", category="important", output=text)
                told = {"reason": "exception", "description": f"whence: {rule}", "text": rule}
                message = {**message, "body": {**body, **told}}
        self.editor.write(message)

    def _response(self, message: Message) -> None:
        number = message.get("request_seq", 0)
        if number >= _OWN:
            if not message.get("success", False):
                self.editor.event("output", category="stderr", output=f"{message.get('message', '')}\n")
            return
        if self._launch is not None and number == self._launch.request:
            message = {**message, "command": "launch"}
        self.editor.write(message)
        if message.get("command") == "configurationDone":
            self._configured = True
            self._begin()

    def _begin(self) -> None:
        """The program goes on when gdb has attached and the editor has set its breakpoints."""
        if self._begun or not self._stopped or not self._configured:
            return
        self._begun = True
        assert self._launch is not None
        expression = f"python whence_begin({self._launch.stop_at_main})"
        self._ask("evaluate", expression=expression, context="repl")
        self._ask("continue", threadId=self._main_thread)

    def _ask(self, command: str, **arguments: Any) -> None:
        self._own += 1
        request = {"type": "request", "seq": self._own, "command": command, "arguments": arguments}
        self._gdb.write(request)


@dataclass(frozen=True)
class Editor(Debugger):
    """The debugger of an editor: gdb runs already, and attaches."""

    adapter: Adapter | None = None

    def session_of(self, folder: Path, program: str, data: SessionData) -> Session:
        assert self.adapter is not None
        return _EditorSession(self, folder, program, data, self.adapter)


class _EditorSession(Session):
    def __init__(
        self, debugger: Debugger, folder: Path, program: str, data: SessionData, adapter: Adapter
    ) -> None:
        super().__init__(debugger, folder, program, data)
        self._adapter = adapter

    def debug(self, pid: int) -> None:
        link = Path(os.environ[EDITOR])
        with contextlib.suppress(OSError):
            link.symlink_to(self.path)
        self._adapter.news = self.news
        self._adapter.attach(pid)
        self._adapter.end()


def serve(gdb: str, run: Callable[[Editor, Launch], object], folder: Path) -> None:
    """Serves an editor at standard input and output; `run` runs what it launches.

    folder: a place of its own. Raises `ToolLimit` for a gdb that cannot do this.
    """
    check_version(gdb)
    with _protocol() as (editor, outputs):
        os.environ[EDITOR] = str(folder / "session")
        words = [gdb, "-q", "-i=dap", "-iex", "set debuginfod enabled off", "-x", str(COMMANDS)]
        started = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        adapter = Adapter(editor, started)
        for descriptor, category in outputs:
            threading.Thread(target=_relay, args=(descriptor, category, adapter.editor), daemon=True).start()
        try:
            launch = adapter.launch()
            if launch is not None:
                _run(run, adapter, gdb, launch)
        finally:
            adapter.stop()


def _run(run: Callable[[Editor, Launch], object], adapter: Adapter, gdb: str, launch: Launch) -> None:
    try:
        run(Editor(gdb, adapter=adapter), launch)
    except WhenceError as error:
        adapter.refuse(str(error))


@contextlib.contextmanager
def _protocol() -> Iterator[tuple[tuple[IO[bytes], IO[bytes]], list[tuple[int, str]]]]:
    """Streams of the protocol, and descriptors to read what this process and the program write elsewhere.

    Standard input is empty meanwhile.
    """
    with os.fdopen(os.dup(0), "rb") as read, os.fdopen(os.dup(1), "wb") as write:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        outputs = []
        for descriptor, category in ((1, "stdout"), (2, "stderr")):
            out, into = os.pipe()
            os.dup2(into, descriptor)
            os.close(into)
            outputs.append((out, category))
        yield (read, write), outputs


def _relay(descriptor: int, category: str, editor: Writer) -> None:
    while part := os.read(descriptor, 1 << 16):
        editor.event("output", category=category, output=part.decode(errors="replace"))
