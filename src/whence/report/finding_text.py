"""One finding as lines of text.

The anatomy is fixed: what happened and where, the source with a caret, what the
address is, a picture of the block, the stack, where the block was freed, where
it was allocated, the values that the rule traces, advice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from whence.findings import Finding, Frame, RunInfo, telling_stack
from whence.report import frames, words
from whence.report.anatomy import sections, subject, values
from whence.report.chain_lines import ChainLines, code, pad, tail
from whence.report.layout import INDENT, MEASURE, Layout
from whence.report.picture import Cell, Picture, draw
from whence.report.source import Excerpt, SourceFinder, excerpt
from whence.report.styles import ADVICE, CARET, DIM, ERROR, FUNCTION, GUTTER, HEADING, WARNING, printable

_CELL_STYLES = {
    Cell.BLOCK: "green",
    Cell.FREED: "magenta",
    Cell.RED_ZONE: "red",
    Cell.UNUSED: DIM,
    Cell.OTHER: "blue",
    Cell.OTHER_FREED: "magenta",
    Cell.COOKIE: "red",
    Cell.POISONED: "red",
    Cell.READ: "bold white on red",
    Cell.WRITTEN: "bold white on red",
    Cell.RELEASED: "bold white on red",
    Cell.READ_INSIDE: "black on green",
    Cell.WRITTEN_INSIDE: "black on green",
    Cell.GAP: DIM,
}


class FindingText:
    """The lines of one finding."""

    def __init__(self, layout: Layout, finding: Finding, run: RunInfo, sources: SourceFinder) -> None:
        self.layout = layout
        self.finding = finding
        self.run = run
        self.sources = sources
        self.stack = telling_stack(finding)
        self.place = frames.place(self.stack)
        self.gutter = "  "
        self.quoted = False

    def lines(self) -> list[Text]:
        return [
            *self._headline(),
            *self._source(),
            *self._facts(),
            *self._picture(),
            *self._stacks(),
            *self._values(),
            *self._chains(),
            *self._advice(),
        ]

    def _headline(self) -> list[Text]:
        """Severity, rule and title; then what happened, on a line of its own when there is a title."""
        rule = self.finding.rule
        style = ERROR if rule.severity == "error" else WARNING
        tag = Text.assemble((f"{printable(rule.severity)}[{printable(rule.name)}]", style), (": ", HEADING))
        happened = Text(printable(words.headline(self.finding, subject(self.finding))))
        if self.finding.occurrences > 1:
            happened.append(f" ({self.finding.occurrences:,} times)")
        title = words.title(self.finding)
        if title is None:
            return self.layout.wrapped(tag.append_text(happened), "  ")
        lines = self.layout.wrapped(tag.append(printable(title), HEADING), "  ")
        return lines + self.layout.wrapped(Text("  ").append_text(happened), "    ")

    # ---- the source ----

    def _source(self) -> list[Text]:
        """The arrow with the position, then the lines around it."""
        place = self.place
        if place is None:
            return [self._arrow("unknown place: no stack was recorded", 2)]
        position = frames.position(place, self.layout.directory)
        if not place.file:
            return [self._arrow(f"{position} (no debug information: compile with -g)", 2)]
        if not place.line:
            return [self._arrow(f"{position} (the compiler gave this code no line)", 2)]
        file = self.sources.find(place.file)
        cut = None
        if file:
            digits = len(str(place.line + 2))
            cut = excerpt(file, place.line, place.column, self.layout.width - digits - 3)
        if file is None or cut is None:
            reason = "has no such line any more" if file else "cannot be read"
            return [self._arrow(f"{position} (the source file {reason})", 2)]
        self.quoted = True
        lines = [self._arrow(position, cut.digits), *self._excerpt(cut)]
        if self._is_newer(file.modified, place):
            lines.append(self._note("the source file is newer than the program: lines may have moved"))
        return lines

    def _arrow(self, position: str, digits: int) -> Text:
        self.gutter = " " * (digits + 1)
        return Text.assemble((" " * digits + "--> ", GUTTER), position)

    def _bar(self) -> Text:
        return Text(f"{self.gutter}|", GUTTER)

    def _excerpt(self, cut: Excerpt) -> list[Text]:
        lines = [self._bar()]
        for index, (number, text) in enumerate(zip(cut.numbers, cut.texts, strict=True)):
            lines.append(Text.assemble((f"{number:>{cut.digits}} | ", GUTTER), text))
            if index == cut.focus:
                lines += self._caret(cut, text)
        return lines

    def _caret(self, cut: Excerpt, text: str) -> list[Text]:
        """The caret with its label; a line without a known column is underlined whole."""
        label = printable(words.label(self.finding))
        if cut.caret is None:
            start = len(text) - len(text.lstrip())
            mark = "~" * max(cell_len(text.strip()), 1)
        else:
            start, mark = cut.caret, "^"
        begin = (f"{self.gutter}| ", GUTTER)
        room = self.layout.width - cell_len(begin[0])
        if start + len(mark) + 1 + cell_len(label) <= room:
            return [Text.assemble(begin, (f"{' ' * start}{mark} {label}", CARET))]
        shift = max(0, min(start, room - cell_len(label)))
        below = Text(label, CARET).wrap(MEASURE, room - shift)
        return [
            Text.assemble(begin, (f"{' ' * start}{mark}", CARET)),
            *(Text.assemble(begin, " " * shift, line) for line in below),
        ]

    def _is_newer(self, modified: float, place: Frame) -> bool:
        """Whether the file was changed after its program or library was built."""
        module = place.module
        if module in (None, self.run.image):
            module = self.run.program
        try:
            return modified > os.stat(str(module)).st_mtime
        except (OSError, ValueError):
            return False

    # ---- what the address is ----

    def _facts(self) -> list[Text]:
        sentences = [printable(sentence) for sentence in words.facts(self.finding)]
        lines = [self._bar()] if sentences and self.quoted else []
        for sentence in sentences:
            begin = Text.assemble((f"{self.gutter}= ", GUTTER), sentence)
            lines += self.layout.wrapped(begin, self.gutter + "  ")
        return lines

    def _note(self, sentence: str) -> Text:
        return Text.assemble((f"{self.gutter}= ", GUTTER), ("note: ", HEADING), sentence)

    def _picture(self) -> list[Text]:
        room = self.layout.width - len(INDENT)
        picture = draw(self.finding, room)
        if picture is None:
            return []
        row, ruler, legend = _colour(picture), Text(picture.ruler), self._legend(picture)
        if row.cell_len > room:
            return []
        lines = [Text(), Text(INDENT) + row]
        lines += [Text(INDENT) + ruler] if picture.ruler else []
        return [*lines, *legend]

    def _legend(self, picture: Picture) -> list[Text]:
        text = Text()
        for cell, meaning in picture.legend:
            text.append("   " if text else "").append(cell.glyph, _CELL_STYLES[cell])
            text.append(f" {meaning}".replace(" ", "\N{NO-BREAK SPACE}"), DIM)
        lines = text.wrap(MEASURE, self.layout.width - len(INDENT))
        for line in lines:
            line.plain = line.plain.replace("\N{NO-BREAK SPACE}", " ")
        return [Text(INDENT).append_text(line) for line in lines]

    # ---- stacks ----

    def _stacks(self) -> list[Text]:
        lines = []
        for section in sections(self.finding, self.run):
            heading = Text.assemble(INDENT, (f"{section.heading}:", HEADING))
            heading.append(f" {section.unknown}" if section.unknown else "")
            lines += [Text(), *self.layout.wrapped(heading, INDENT + "  ")]
            lines += self._table(section.stack, INDENT + "  ")
        return lines

    def _table(self, stack: Sequence[Frame], indent: str) -> list[Text]:
        """One line for each frame: number, function, position, and the source line where it fits."""
        limit = max(16, self.layout.width // 3)
        names = [frames.short_name(frame, limit) for frame in stack]
        digits = len(str(len(stack) - 1)) if stack else 1
        wide = max((cell_len(name) for name in names), default=0)
        inlined = 10 if any(frame.inlined for frame in stack) else 0
        left = self.layout.width - len(indent) - digits - 2 - wide - inlined - 2
        places = [tail(frames.position(frame, self.layout.directory), left) for frame in stack]
        far = max((cell_len(place) for place in places), default=0)
        room = left - far - 3
        lines = []
        for number, (frame, name, place) in enumerate(zip(stack, names, places, strict=True)):
            line = Text.assemble(indent, (f"{number:>{digits}}  ", DIM), (f"{pad(name, wide)}", FUNCTION))
            line.append(f"{' (inlined)' if frame.inlined else '':<{inlined}}", DIM)
            line.append(f"  {pad(place, far)}")
            line.append(code(self.sources, frame, room), DIM)
            lines.append(line)
        return lines

    # ---- the end ----

    def _values(self) -> list[Text]:
        """The values that the rule traces, unless the only one is the address itself."""
        shown = values(self.finding)
        if not shown:
            return []
        line = Text.assemble(INDENT, ("values: ", HEADING), shown)
        return [Text(), *self.layout.wrapped(line, INDENT + "  ")]

    def _chains(self) -> list[Text]:
        return chains_of(self.finding, self.layout, self.sources)

    def _advice(self) -> list[Text]:
        advice = words.advice(self.finding)
        if advice is None:
            return []
        line = Text.assemble(INDENT, ("advice: ", ADVICE), printable(advice))
        return [Text(), *self.layout.wrapped(line, INDENT + "  ", prose=True)]


class LateChains:
    """The chains of findings that were shown without them."""

    def __init__(self, layout: Layout, run: RunInfo, sources: SourceFinder) -> None:
        self.layout = layout
        self.run = run
        self.sources = sources

    def lines(self, findings: Sequence[Finding]) -> list[Text]:
        """For each finding a heading, which names it if there are several, its chains and an empty line."""
        lines: list[Text] = []
        for number, finding in enumerate(findings, 1):
            chains = chains_of(finding, self.layout, self.sources)
            if chains:
                which = f"finding {number} of {len(findings):,}, " if len(findings) > 1 else ""
                heading = Text.assemble((f"whence it came: {which}", HEADING), self._name(finding))
                lines += [*self.layout.wrapped(heading, "  "), *chains, Text()]
        return lines

    def _name(self, finding: Finding) -> str:
        """``double-free at a.c:12:5``."""
        place = frames.place(telling_stack(finding))
        where = f" at {frames.position(place, self.layout.directory)}" if place else ""
        return printable(f"{finding.rule.name}{where}")


def chains_of(finding: Finding, layout: Layout, sources: SourceFinder) -> list[Text]:
    """All chains of a finding, each behind an empty line."""
    lines = ChainLines(layout, sources)
    return [line for chain in finding.chains for line in lines.of(chain, finding.thread)]


def _colour(picture: Picture) -> Text:
    row = Text()
    for cell, text in picture.cells:
        row.append(text, _CELL_STYLES.get(cell, ""))
    return row
