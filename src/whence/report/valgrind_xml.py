"""Findings as Memcheck's XML, protocol 4 (docs/internals/xml-output-protocol4.txt of Valgrind).

For tools that read what ``valgrind --tool=memcheck --xml=yes`` writes. Times are zero: how long
the program ran is not recorded.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from xml.etree import ElementTree

from whence import __version__
from whence.findings import Finding, Frame, Point, RunInfo
from whence.report.valgrind_errors import Error, errors
from whence.report.xml_text import add, document
from whence.suppressions import Seen
from whence.suppressions.valgrind_writer import Written, written

ALL_CALLERS = 1 << 16
_TIME = "00:00:00:00.000"


class ValgrindXmlRenderer:
    """One document for a run.

    callers: frames of a stack. command: our command line. suppressions: each error has its entry.
    """

    def __init__(
        self,
        *,
        callers: int = ALL_CALLERS,
        command: Sequence[str] = ("whence", "run"),
        suppressions: bool = False,
    ) -> None:
        self.callers = callers
        self.command = command
        self.suppressions = suppressions

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        made = errors(findings, self.callers)
        root = ElementTree.Element("valgrindoutput")
        self._head(root, run)
        _status(root, "RUNNING")
        for number, error in enumerate(made):
            if error.leaked is None:
                self._error(root, number, error, run)
        _status(root, "FINISHED")
        for number, error in enumerate(made):
            if error.leaked is not None:
                self._error(root, number, error, run)
        _counts(root, made, run)
        return document(root)

    def _error(self, root: ElementTree.Element, number: int, error: Error, run: RunInfo) -> None:
        made = _error(root, number, error, run)
        if self.suppressions and made is not None:
            _suppression(made, written(Seen(error.finding)))

    def _head(self, root: ElementTree.Element, run: RunInfo) -> None:
        add(root, "protocolversion", "4")
        add(root, "protocoltool", "memcheck")
        preamble = add(root, "preamble")
        add(preamble, "line", f"whence {__version__}, reporting as Memcheck does")
        for note in run.sentences:
            add(preamble, "line", note)
        add(preamble, "line", f"Command: {' '.join(run.arguments)}")
        add(root, "pid", str(run.pid))
        add(root, "ppid", str(os.getpid()))
        add(root, "tool", "memcheck")
        args = add(root, "args")
        _command(add(args, "vargv"), self.command)
        _command(add(args, "argv"), run.arguments)


def _command(parent: ElementTree.Element, words: Sequence[str]) -> None:
    for index, word in enumerate(words):
        add(parent, "arg" if index else "exe", word)


def _status(root: ElementTree.Element, state: str) -> None:
    status = add(root, "status")
    add(status, "state", state)
    add(status, "time", _TIME)


def _error(root: ElementTree.Element, number: int, error: Error, run: RunInfo) -> ElementTree.Element | None:
    """The element of an error; None for a signal, which has another element."""
    finding = error.finding
    if finding.point is Point.SIGNAL:
        _signal(root, error, run)
        return None
    made = add(root, "error")
    add(made, "unique", f"{number:#x}")
    add(made, "tid", str(finding.thread + 1))
    add(made, "kind", error.kind)
    if error.leaked is None:
        add(made, "what", error.what)
    else:
        what = add(made, "xwhat")
        add(what, "text", error.what)
        add(what, "leakedbytes", str(error.leaked[0]))
        add(what, "leakedblocks", str(error.leaked[1]))
    _stack(made, error.stack, run)
    for text, stack in error.notes:
        add(made, "auxwhat", text)
        if stack:
            _stack(made, stack, run)
    return made


def _suppression(parent: ElementTree.Element, entry: Written) -> None:
    made = add(parent, "suppression")
    add(made, "sname", entry.name)
    add(made, "skind", entry.kind)
    if entry.aux:
        add(made, "skaux", entry.aux)
    for what, pattern in entry.frames:
        add(add(made, "sframe"), what, pattern)
    add(made, "rawtext", f"\n{entry.text()}")


def _signal(root: ElementTree.Element, error: Error, run: RunInfo) -> None:
    finding = error.finding
    made = add(root, "fatal_signal")
    add(made, "tid", str(finding.thread + 1))
    add(made, "signo", str(finding.signal))
    add(made, "signame", error.what.rpartition("(")[2].rstrip(")"))
    add(made, "sicode", "0")
    for text, _ in error.notes:
        add(made, "event", text)
    if error.notes:
        add(made, "siaddr", f"{finding.access.address:#x}")
    _stack(made, error.stack, run)


def _stack(parent: ElementTree.Element, stack: Sequence[Frame], run: RunInfo) -> None:
    made = add(parent, "stack")
    for frame in stack or (Frame(0),):
        shown = add(made, "frame")
        add(shown, "ip", f"0x{frame.pc:X}")
        if frame.module:
            add(shown, "obj", frame.module)
        if frame.function:
            add(shown, "fn", frame.function)
        if frame.file:
            folder, name = os.path.split(frame.file)
            if folder:
                add(shown, "dir", folder)
            add(shown, "file", name)
            if frame.line:
                add(shown, "line", str(frame.line))


def _counts(root: ElementTree.Element, made: Sequence[Error], run: RunInfo) -> None:
    counts = add(root, "errorcounts")
    for number, error in enumerate(made):
        if error.leaked is None and error.finding.point is not Point.SIGNAL:
            pair = add(counts, "pair")
            add(pair, "count", str(error.finding.occurrences))
            add(pair, "unique", f"{number:#x}")
    suppressed = add(root, "suppcounts")
    for use in run.suppressed:
        pair = add(suppressed, "pair")
        add(pair, "count", str(sum(finding.occurrences for finding in use.findings)))
        add(pair, "name", use.name)
