"""Findings as text for people: coloured on a terminal, plain in a pipe."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from whence.findings import Finding, RunInfo
from whence.report import frames, words
from whence.report.finding_text import FindingText
from whence.report.layout import ERROR, GOOD, HEADING, Layout
from whence.report.source import SourceFinder, printable


class TextRenderer:
    """Text for one kind of output (`Layout`).

    `suppressions`: the entries that are listed, ``none``, those that were
    ``used``, or ``all`` with those that were not.
    """

    def __init__(
        self,
        *,
        color: bool = False,
        width: int | None = None,
        unicode: bool = True,
        directory: str | None = None,
        suppressions: str = "used",
    ) -> None:
        self.layout = Layout(color=color, width=width, unicode=unicode, directory=directory)
        self.suppressions = suppressions

    @classmethod
    def for_stream(cls, stream: TextIO, *, suppressions: str = "used") -> TextRenderer:
        """A renderer that fits where the text goes: colours, width and character set.

        The environment variables NO_COLOR and TERM=dumb turn colours off.
        """
        terminal = stream.isatty()
        console = Console(file=stream)
        encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
        return cls(
            color=terminal and console.color_system is not None and not console.no_color,
            width=console.width if terminal else None,
            unicode=encoding in ("utf8", "utf16"),
            suppressions=suppressions,
        )

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        """All findings, the notes and a summary line."""
        sources = SourceFinder((self.layout.directory, os.path.dirname(os.path.abspath(run.program))))
        lines: list[Text] = []
        for finding in findings:
            lines += [*FindingText(self.layout, finding, run, sources).lines(), Text()]
        lines += self._notes(run)
        lines += self._suppressions(run)
        lines += self._leaks(findings, run)
        lines += self.layout.wrapped(_summary(findings, run), "  ")
        return self.layout.printed(lines)

    def _notes(self, run: RunInfo) -> Iterable[Text]:
        notes = list(run.notes)
        if run.dropped and not any("record" in note for note in notes):
            notes.append(
                f"{words.plural(run.dropped, 'finding')} found no room in the record and are missing"
            )
        for note in notes:
            yield from self.layout.wrapped(Text.assemble(("note: ", HEADING), printable(note)), "      ")

    def _suppressions(self, run: RunInfo) -> Iterable[Text]:
        """What was not reported and why; on request, which entries are of no use any more."""
        listed = {"none": (), "used": run.suppressed}.get(self.suppressions, run.suppressions)
        for use in listed:
            place = f"{frames.short_path(use.file, self.layout.directory)}:{use.line}"
            name = f" ({printable(use.name)})" if use.name else ""
            text = Text.assemble(("suppressed: ", HEADING), f"{words.suppressed(use)} by {place}{name}")
            yield from self.layout.wrapped(text, "      ")

    def _leaks(self, findings: Sequence[Finding], run: RunInfo) -> Iterable[Text]:
        """Totals by kind, where there is a leak to be seen in proportion."""
        check = words.leak_check(run)
        if check is None or not (run.leak_summary or any(finding.leak for finding in findings)):
            return
        heading, *rows = words.leak_table(check)
        yield Text(heading, HEADING)
        yield from map(Text, rows)
        yield Text()


def _summary(findings: Sequence[Finding], run: RunInfo) -> Text:
    """The last line: how many findings of which rules, and how the program ended."""
    text = Text.assemble(("whence: ", HEADING))
    if findings:
        text.append(words.plural(sum(map(_count, findings)), "finding"), ERROR)
        text.append(f" ({_kinds(findings)})")
    elif not run.lost:
        text.append("no findings", GOOD)
    if run.lost:  # the record was full or damaged; the program's standard error has a line for each
        text.append(", and " if findings else "")
        text.append(f"{words.plural(run.lost, 'finding')} without a report", ERROR)
    hidden = sum(_count(finding) for use in run.suppressed for finding in use.findings)
    text.append(f", {hidden:,} suppressed" if hidden else "")
    ending = _ending(run)
    return text.append(f"; {ending}") if ending else text


def _count(finding: Finding) -> int:
    """The blocks of one allocation are one leak."""
    return 1 if finding.leak else finding.occurrences


def _kinds(findings: Sequence[Finding]) -> str:
    counts: Counter[str] = Counter()
    leaked: Counter[str] = Counter()
    for finding in findings:
        counts[finding.rule.name] += _count(finding)
        leaked[finding.rule.name] += finding.leak.bytes if finding.leak else 0
    parts = []
    for rule, count in counts.items():
        size = f" of {words.bytes_(leaked[rule])}" if leaked[rule] else ""
        parts.append(f"{count:,} {printable(rule)}{size}")
    return ", ".join(parts)


def _ending(run: RunInfo) -> str:
    if run.halted:
        return "the program was stopped at the first"
    if run.signal is not None:
        return f"the program was killed by {words.signal_name(run.signal)}"
    if run.exit_status is not None:
        return f"the program exited with status {run.exit_status}"
    return ""
