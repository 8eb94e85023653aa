"""Findings as text for people: coloured on a terminal, plain in a pipe."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from whence.findings import Finding, RunInfo
from whence.findings.chains import Chain
from whence.report import frames, leak_words, words
from whence.report.chain_lines import ChainLines
from whence.report.finding_text import FindingText, LateChains
from whence.report.layout import Layout
from whence.report.source import SourceFinder
from whence.report.styles import HEADING, printable
from whence.report.summary import summary


class TextRenderer:
    """Text for one kind of output (`Layout`).

    `suppressions`: the entries that are listed, ``none``, those that were
    ``used``, or ``all`` with those that were not. `quiet`: without the last line.
    """

    def __init__(
        self,
        *,
        color: bool = False,
        width: int | None = None,
        unicode: bool = True,
        directory: str | None = None,
        suppressions: str = "used",
        quiet: bool = False,
    ) -> None:
        self.layout = Layout(color=color, width=width, unicode=unicode, directory=directory)
        self.suppressions = suppressions
        self.quiet = quiet

    @classmethod
    def for_stream(cls, stream: TextIO, *, suppressions: str = "used", quiet: bool = False) -> TextRenderer:
        """A renderer with the colours, width and character set of the output.

        The environment variables NO_COLOR and TERM=dumb turn colours off; FORCE_COLOR turns them on where
        the output is no terminal, and COLUMNS is its width there.
        """
        console = Console(file=stream)
        has_width = stream.isatty() or os.environ.get("COLUMNS", "").isdigit()
        encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
        return cls(
            color=console.is_terminal and console.color_system is not None and not console.no_color,
            width=console.width if has_width else None,
            unicode=encoding in ("utf8", "utf16"),
            suppressions=suppressions,
            quiet=quiet,
        )

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        """All findings, the notes and a summary line."""
        return self.render_findings(findings, run) + self.layout.printed(self._end(findings, run))

    def render_findings(self, findings: Sequence[Finding], run: RunInfo) -> str:
        """The findings alone, each with an empty line behind it."""
        sources = self._sources(run.program)
        lines: list[Text] = []
        for finding in findings:
            lines += [*FindingText(self.layout, finding, run, sources).lines(), Text()]
        return self.layout.printed(lines)

    def render_rest(self, findings: Sequence[Finding], run: RunInfo) -> str:
        """What follows findings that were shown before their chains were known: these, and the end."""
        chains = LateChains(self.layout, run, self._sources(run.program))
        return self.layout.printed([*chains.lines(findings), *self._end(findings, run)])

    def _end(self, findings: Sequence[Finding], run: RunInfo) -> list[Text]:
        """The notes, the suppressed findings, the totals of leaks, and the last line."""
        lines: list[Text] = []
        lines += self._notes(run)
        lines += self._suppressions(run)
        lines += self._leaks(findings, run)
        if not self.quiet:
            lines += self.layout.wrapped(Text.assemble(*summary(findings, run)), "  ")
        return lines

    def render_chain(self, chain: Chain, thread: int, program: str) -> str:
        """One chain, for a reader who looks at this thread."""
        return self.layout.printed(ChainLines(self.layout, self._sources(program)).of(chain, thread)[1:])

    def _sources(self, program: str) -> SourceFinder:
        return SourceFinder((self.layout.directory, os.path.dirname(os.path.abspath(program))))

    def _notes(self, run: RunInfo) -> Iterable[Text]:
        notes = list(run.notes)
        if run.dropped and not any("record" in note for note in notes):
            notes.append(
                f"{words.plural(run.dropped, 'finding')} found no room in the record and are missing"
            )
        for note in notes:
            yield from self.layout.wrapped(Text.assemble(("note: ", HEADING), printable(note)), "      ")

    def _suppressions(self, run: RunInfo) -> Iterable[Text]:
        """The suppressed findings and their entries; on request, also the unused entries."""
        listed = {"none": (), "used": run.suppressed}.get(self.suppressions, run.suppressions)
        for use in listed:
            place = f"{frames.short_path(use.file, self.layout.directory)}:{use.line}"
            name = f" ({printable(use.name)})" if use.name else ""
            text = Text.assemble(("suppressed: ", HEADING), f"{words.suppressed(use)} by {place}{name}")
            yield from self.layout.wrapped(text, "      ")

    def _leaks(self, findings: Sequence[Finding], run: RunInfo) -> Iterable[Text]:
        """Totals by kind, if there is a leak."""
        check = leak_words.leak_check(run)
        if check is None or not (run.leak_summary or any(finding.leak for finding in findings)):
            return
        heading, *rows = leak_words.leak_table(check, run)
        yield Text(heading, HEADING)
        yield from map(Text, rows)
        yield Text()
