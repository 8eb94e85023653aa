"""Decides for a waiting program whether a finding stops it.

Suppressions name functions and files, which the program does not know, so only the launcher can match
them. The program waits at the finding, before the faulty step, until the launcher answers its request in
the shared record file (`whence.abi.records`). No pipe or socket is needed, so the program may close
all descriptors, change its user or its root, or be one of many processes with requests.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from whence.abi import records
from whence.engines.process.decode import RawRun, read_finding, read_records
from whence.errors import WhenceError
from whence.symbols.maps import MemoryMap

Decide = Callable[[RawRun], bool]
"""Whether the program goes on, given a run with one finding and the maps that it needs."""

_QUESTION = records.HEADER.offset("question") // 8
_FLAGS = (8 + records.FINDING.offset("flags")) // 4
_ANSWERS = {True: records.FINDING_FLAGS["GO"], False: records.FINDING_FLAGS["STOP"]}
_PAUSE_FIRST, _PAUSE_MOST = 0.0002, 0.01
"""Seconds between two reads of the file: few after a request, more while there are none."""


class Judge:
    """A thread that answers requests during a `with` block; `record`: the path of the record file.

    The answer to an undecidable request is "stop". An internal error is raised at
    the end of the block.
    """

    def __init__(self, record: Path, decide: Decide) -> None:
        self._record = record
        self._decide = decide
        self._maps: dict[int, MemoryMap] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="whence-judge", daemon=True)
        self._error: Exception | None = None

    def __enter__(self) -> Judge:
        with open(self._record, "r+b") as file:
            self._file = mmap.mmap(file.fileno(), 0)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._file.close()
        if self._error is not None and error is None:
            raise self._error

    def _serve(self) -> None:
        with memoryview(self._file) as whole, whole.cast("Q") as words, whole.cast("I") as halves:
            pause = _PAUSE_FIRST
            while not self._over.wait(pause):
                offset = words[_QUESTION]
                if offset:
                    answer = _ANSWERS[self._judge(whole, offset)]
                    if records.HEADER_SIZE <= offset < len(whole) - records.FINDING.size:
                        halves[offset // 4 + _FLAGS] |= answer  # one store: the asker only reads them
                    words[_QUESTION] = 0
                pause = _PAUSE_FIRST if offset else min(2 * pause, _PAUSE_MOST)

    def _judge(self, whole: memoryview, offset: int) -> bool:
        """Whether the program goes on; a request that is damaged stops it."""
        try:
            finding = read_finding(whole, offset)
            if finding is None:
                return False
            number = finding.fields["maps_id"]
            if number not in self._maps:
                self._maps = read_records(self._record).maps
            return self._decide(RawRun(findings=[finding], maps=self._maps))
        except WhenceError:
            return False
        except Exception as error:  # an internal error must not leave the program waiting
            self._error = error
            return False
