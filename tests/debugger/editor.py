"""An editor as the Debug Adapter Protocol sees it, in a few lines."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Message = dict[str, Any]


class Editor:
    """Starts an adapter; requests wait for their responses, and `event` for an event."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str], seconds: float) -> None:
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.messages: list[Message] = []
        self._seconds = seconds
        self._arrived: queue.Queue[Message] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            length = int(line.split(b":")[1])
            stream.readline()
            self._arrived.put(json.loads(stream.read(length)))

    def send(self, command: str, **arguments: Any) -> int:
        self._number += 1
        content = json.dumps(
            {"type": "request", "seq": self._number, "command": command, "arguments": arguments}
        ).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
        self.process.stdin.flush()
        return self._number

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The first message from now on that is wanted."""
        end = time.monotonic() + self._seconds
        while True:
            message = self._arrived.get(timeout=max(0.01, end - time.monotonic()))
            self.messages.append(message)
            if wanted(message):
                return message

    def response(self, number: int) -> Message:
        return self.until(lambda message: message.get("request_seq") == number)

    def ask(self, command: str, **arguments: Any) -> Message:
        return self.response(self.send(command, **arguments))

    def event(self, name: str) -> Message:
        return self.until(lambda message: message.get("event") == name)

    def output(self) -> str:
        """What the adapter has shown so far."""
        shown = (each["body"]["output"] for each in self.messages if each.get("event") == "output")
        return "".join(shown)

    def close(self) -> tuple[int, str]:
        """The status of the adapter, and what it wrote to standard error, after the end of its input."""
        assert self.process.stdin is not None and self.process.stderr is not None
        self.process.stdin.close()
        return self.process.wait(self._seconds), self.process.stderr.read().decode()
