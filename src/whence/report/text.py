"""Findings as text for people: coloured on a terminal, plain in a pipe.

The anatomy of a report is fixed: what happened and where, the source with a
caret, what the address is, a picture of the block, the stack, where the block
was freed, where it was allocated, the values the rule asks for, advice.
"""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from whence.findings import BlockState, Event, Family, Finding, Frame, RunInfo, telling_stack
from whence.report import frames, words
from whence.report.picture import Cell, Picture, draw
from whence.report.source import Excerpt, SourceFinder, cut_cells, excerpt, printable

PLAIN_WIDTH = 100
"""Cells used where there is no terminal to ask."""
MIN_WIDTH = 40
_INDENT = "    "

_ERROR, _WARNING, _GUTTER, _CARET = "bold red", "bold yellow", "blue", "bold red"
_HEADING, _DIM, _FUNCTION, _ADVICE, _GOOD = "bold", "bright_black", "cyan", "green", "bold green"
_CELL_STYLES = {
    Cell.BLOCK: "green",
    Cell.FREED: "magenta",
    Cell.RED_ZONE: "red",
    Cell.UNUSED: _DIM,
    Cell.OTHER: "blue",
    Cell.OTHER_FREED: "magenta",
    Cell.POISONED: "red",
    Cell.READ: "bold white on red",
    Cell.WRITTEN: "bold white on red",
    Cell.RELEASED: "bold white on red",
    Cell.READ_INSIDE: "black on green",
    Cell.WRITTEN_INSIDE: "black on green",
    Cell.GAP: _DIM,
}
_ASCII = str.maketrans(
    {"█": "#", "▒": "%", "░": ".", "·": "_", "▓": "o", "▚": "x", "¤": "!", "⋯": "~", "…": "~", "━": "="}
)


class TextRenderer:
    """Text for one kind of output.

    `width`: cells of a line, None for a pipe, where sentences are not wrapped.
    `unicode`: block graphics may be used. `directory`: paths below it are
    shown relative to it. `suppressions`: the entries that are listed, ``none``,
    those that were ``used``, or ``all`` with those that were not.
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
        self.color = color
        self.wrap = width is not None
        self.width = max(width or PLAIN_WIDTH, MIN_WIDTH)
        self.unicode = unicode
        self.directory = directory or os.getcwd()
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
        sources = SourceFinder((self.directory, os.path.dirname(os.path.abspath(run.program))))
        lines: list[Text] = []
        for finding in findings:
            lines += [*_Report(self, finding, run, sources).lines(), Text()]
        lines += self._notes(run)
        lines += self._suppressions(run)
        lines += self._leaks(findings, run)
        lines += self.wrapped(_summary(findings, run), "  ")
        return self._print(lines)

    def _notes(self, run: RunInfo) -> Iterable[Text]:
        notes = list(run.notes)
        if run.dropped and not any("record" in note for note in notes):
            notes.append(
                f"{words.plural(run.dropped, 'finding')} found no room in the record and are missing"
            )
        for note in notes:
            yield from self.wrapped(Text.assemble(("note: ", _HEADING), printable(note)), "      ")

    def _suppressions(self, run: RunInfo) -> Iterable[Text]:
        """What was not reported and why; on request, which entries are of no use any more."""
        listed = {"none": (), "used": run.suppressed}.get(self.suppressions, run.suppressions)
        for use in listed:
            place = f"{frames.short_path(use.file, self.directory)}:{use.line}"
            name = f" ({printable(use.name)})" if use.name else ""
            text = Text.assemble(("suppressed: ", _HEADING), f"{words.suppressed(use)} by {place}{name}")
            yield from self.wrapped(text, "      ")

    def _leaks(self, findings: Sequence[Finding], run: RunInfo) -> Iterable[Text]:
        """Totals by kind, where there is a leak to be seen in proportion."""
        check = words.leak_check(run)
        if check is None or not (run.leak_summary or any(finding.leak for finding in findings)):
            return
        heading, *rows = words.leak_table(check)
        yield Text(heading, _HEADING)
        yield from map(Text, rows)
        yield Text()

    def wrapped(self, text: Text, indent: str, *, prose: bool = False) -> list[Text]:
        """A paragraph, continued with an indent where the terminal ends (prose: in a pipe too)."""
        if text.cell_len <= self.width or not (self.wrap or prose):
            return [text]
        pieces = text.wrap(_MEASURE, self.width - len(indent), overflow="fold")
        return [Text(indent if i else "").append_text(piece) for i, piece in enumerate(pieces)]

    def _print(self, lines: Iterable[Text]) -> str:
        file = io.StringIO()
        console = Console(
            file=file,
            force_terminal=self.color,
            color_system="standard" if self.color else None,
            no_color=not self.color,
            width=1 << 20,
            highlight=False,
            legacy_windows=False,
        )
        for line in lines:
            line.rstrip()
            console.print(line, soft_wrap=True, end="\n")
        text = file.getvalue()
        return text if self.unicode else _to_ascii(text)


_MEASURE = Console(file=io.StringIO(), width=1 << 16, color_system=None)


def _to_ascii(text: str) -> str:
    return text.translate(_ASCII).encode("ascii", "replace").decode()


class _Report:
    """The lines of one finding."""

    def __init__(self, style: TextRenderer, finding: Finding, run: RunInfo, sources: SourceFinder) -> None:
        self.style = style
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
            *self._advice(),
        ]

    def _headline(self) -> list[Text]:
        """Severity, rule and title; then what happened, on a line of its own when there is a title."""
        rule = self.finding.rule
        style = _ERROR if rule.severity == "error" else _WARNING
        tag = Text.assemble((f"{printable(rule.severity)}[{printable(rule.name)}]", style), (": ", _HEADING))
        happened = Text(printable(words.headline(self.finding, self._subject())))
        if self.finding.occurrences > 1 and not self.finding.leak:
            happened.append(f" ({self.finding.occurrences:,} times)")
        title = words.title(self.finding)
        if title is None:
            return self.style.wrapped(tag.append_text(happened), "  ")
        lines = self.style.wrapped(tag.append(printable(title), _HEADING), "  ")
        return lines + self.style.wrapped(Text("  ").append_text(happened), "    ")

    def _subject(self) -> str:
        """Where it happened, named: the innermost function, and the caller that the source shows."""
        stack = frames.visible(self.stack)
        place = self.place
        if place is None or not stack:
            return "an unknown function"
        name = frames.code_name(place, 60)
        if stack[0].module == place.module or self.finding.leak:
            return name
        return f"{frames.code_name(stack[0], 60)}, called from {name}"

    # ---- the source ----

    def _source(self) -> list[Text]:
        """The arrow with the position, then the lines around it."""
        place = self.place
        if place is None:
            return [self._arrow("unknown place: no stack was recorded", 2)]
        position = frames.position(place, self.style.directory)
        if not place.file:
            return [self._arrow(f"{position} (no debug information: compile with -g)", 2)]
        if not place.line:
            return [self._arrow(f"{position} (the compiler gave this code no line)", 2)]
        file = self.sources.find(place.file)
        cut = None
        if file:
            digits = len(str(place.line + 2))
            cut = excerpt(file, place.line, place.column, self.style.width - digits - 3)
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
        return Text.assemble((" " * digits + "--> ", _GUTTER), position)

    def _bar(self) -> Text:
        return Text(f"{self.gutter}|", _GUTTER)

    def _excerpt(self, cut: Excerpt) -> list[Text]:
        lines = [self._bar()]
        for index, (number, text) in enumerate(zip(cut.numbers, cut.texts, strict=True)):
            lines.append(Text.assemble((f"{number:>{cut.digits}} | ", _GUTTER), text))
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
        begin = (f"{self.gutter}| ", _GUTTER)
        room = self.style.width - cell_len(begin[0])
        if start + len(mark) + 1 + cell_len(label) <= room:
            return [Text.assemble(begin, (f"{' ' * start}{mark} {label}", _CARET))]
        shift = max(0, min(start, room - cell_len(label)))
        below = Text(label, _CARET).wrap(_MEASURE, room - shift)
        return [
            Text.assemble(begin, (f"{' ' * start}{mark}", _CARET)),
            *(Text.assemble(begin, " " * shift, line) for line in below),
        ]

    def _is_newer(self, modified: float, place: Frame) -> bool:
        """The file was changed after the program or library that it is in was built."""
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
            begin = Text.assemble((f"{self.gutter}= ", _GUTTER), sentence)
            lines += self.style.wrapped(begin, self.gutter + "  ")
        return lines

    def _note(self, sentence: str) -> Text:
        return Text.assemble((f"{self.gutter}= ", _GUTTER), ("note: ", _HEADING), sentence)

    def _picture(self) -> list[Text]:
        room = self.style.width - len(_INDENT)
        picture = draw(self.finding, room)
        if picture is None:
            return []
        row, ruler, legend = _colour(picture), Text(picture.ruler), self._legend(picture)
        if row.cell_len > room:
            return []
        lines = [Text(), Text(_INDENT) + row]
        lines += [Text(_INDENT) + ruler] if picture.ruler else []
        return [*lines, *legend]

    def _legend(self, picture: Picture) -> list[Text]:
        text = Text()
        for cell, meaning in picture.legend:
            text.append("   " if text else "").append(cell.glyph, _CELL_STYLES[cell])
            text.append(f" {meaning}".replace(" ", "\N{NO-BREAK SPACE}"), _DIM)
        lines = text.wrap(_MEASURE, self.style.width - len(_INDENT))
        for line in lines:
            line.plain = line.plain.replace("\N{NO-BREAK SPACE}", " ")
        return [Text(_INDENT).append_text(line) for line in lines]

    # ---- stacks ----

    def _stacks(self) -> list[Text]:
        finding, block = self.finding, self.finding.block
        if finding.leak:
            below_main = len(frames.visible(finding.stack)) > 1
            found = self._section(f"found in {self._thread()}", finding.stack) if below_main else []
            return self._allocated() + self._last_use() + found
        lines = self._section(f"stack of {self._thread()}", finding.stack)
        if block is not None and (block.freed or block.state is BlockState.FREED):
            lines += self._event("moved by realloc" if block.moved else "freed", block.freed)
        return lines + self._last_use() + self._allocated()

    def _allocated(self) -> list[Text]:
        block = self.finding.block
        if block is None:
            return []
        family = "" if block.family is Family.UNKNOWN else f" by {block.family}"
        return self._event(f"allocated{family}", block.allocated)

    def _last_use(self) -> list[Text]:
        use = self.finding.block.last_use if self.finding.block else None
        return [] if use is None else self._section(f"last used, at {use.address:#x}", use.stack)

    def _thread(self) -> str:
        text = words.thread(self.finding.thread)
        return text + self._process()

    def _process(self) -> str:
        """Which process of several; nothing for the one that the run began with."""
        finding, process = self.finding, self.finding.process
        if not finding.pid or not self.run.pid:
            return ""
        name = process.name if process else ""
        began = {os.path.basename(path) for path in (self.run.program, *self.run.arguments[:1])}
        other = f"{printable(name)}, " if name and name not in began else ""
        if finding.pid != self.run.pid:
            parent = process.parent if process else self.run.pid
            how = f"{'started by' if other else 'forked from'} {parent}"
            if parent <= 1:  # taken over by init
                how = "its parent has ended"
            return f", in process {finding.pid} ({other}{how})"
        return f", in process {finding.pid} ({printable(name)})" if other else ""

    def _event(self, what: str, event: Event | None) -> list[Text]:
        if event is None:
            return [Text(), *self._heading(what, " unknown place")]
        return self._section(f"{what} in {words.thread(event.thread)}", event.stack)

    def _heading(self, what: str, rest: str = "") -> list[Text]:
        line = Text.assemble(_INDENT, (f"{what}:", _HEADING), rest)
        return self.style.wrapped(line, _INDENT + "  ")

    def _section(self, heading: str, stack: Sequence[Frame]) -> list[Text]:
        shown = frames.visible(stack)
        rest = "" if shown else " unknown place: no stack was recorded"
        return [Text(), *self._heading(heading, rest), *self._table(shown, _INDENT + "  ")]

    def _table(self, stack: Sequence[Frame], indent: str) -> list[Text]:
        """One line for each frame: number, function, position, and the source line where it fits."""
        limit = max(16, self.style.width // 3)
        names = [frames.short_name(frame, limit) for frame in stack]
        digits = len(str(len(stack) - 1)) if stack else 1
        wide = max((cell_len(name) for name in names), default=0)
        inlined = 10 if any(frame.inlined for frame in stack) else 0
        left = self.style.width - len(indent) - digits - 2 - wide - inlined - 2
        places = [_tail(frames.position(frame, self.style.directory), left) for frame in stack]
        far = max((cell_len(place) for place in places), default=0)
        room = left - far - 3
        lines = []
        for number, (frame, name, place) in enumerate(zip(stack, names, places, strict=True)):
            line = Text.assemble(indent, (f"{number:>{digits}}  ", _DIM), (f"{_pad(name, wide)}", _FUNCTION))
            line.append(f"{' (inlined)' if frame.inlined else '':<{inlined}}", _DIM)
            line.append(f"  {_pad(place, far)}")
            line.append(self._code(frame, room), _DIM)
            lines.append(line)
        return lines

    def _code(self, frame: Frame, room: int) -> str:
        file = self.sources.find(frame.file)
        text = file.text(frame.line).strip() if file and not frames.is_system(frame.file or "") else ""
        return f"   {cut_cells(text, 0, room)}" if text and room >= 16 else ""

    # ---- the end ----

    def _values(self) -> list[Text]:
        """The values that the rule asks for, unless the only one is the address itself."""
        values = self.finding.values
        if all(value.value == self.finding.access.address for value in values):
            return []
        shown = ", ".join(f"{printable(v.name)} = {_number(v.value)}" for v in values)
        line = Text.assemble(_INDENT, ("values: ", _HEADING), shown)
        return [Text(), *self.style.wrapped(line, _INDENT + "  ")]

    def _advice(self) -> list[Text]:
        advice = words.advice(self.finding)
        if advice is None:
            return []
        line = Text.assemble(_INDENT, ("advice: ", _ADVICE), printable(advice))
        return [Text(), *self.style.wrapped(line, _INDENT + "  ", prose=True)]


def _pad(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _tail(text: str, width: int) -> str:
    """The end of a position, which tells most, but never less than a file name's worth."""
    width = max(width, 24)
    return text if cell_len(text) <= width else "…" + text[1 - width :]


def _number(value: int) -> str:
    """Small numbers in decimal, what may be an address in hexadecimal."""
    return str(value) if value < 1 << 16 else f"{value:#x}"


def _colour(picture: Picture) -> Text:
    row = Text()
    for cell, text in picture.cells:
        row.append(text, _CELL_STYLES.get(cell, ""))
    return row


def _summary(findings: Sequence[Finding], run: RunInfo) -> Text:
    """The last line: how many findings of which rules, and how the program ended."""
    text = Text.assemble(("whence: ", _HEADING))
    if findings:
        text.append(words.plural(sum(map(_count, findings)), "finding"), _ERROR)
        text.append(f" ({_kinds(findings)})")
    elif not run.lost:
        text.append("no findings", _GOOD)
    if run.lost:  # the record was full or damaged; the program's standard error has a line for each
        text.append(", and " if findings else "")
        text.append(f"{words.plural(run.lost, 'finding')} without a report", _ERROR)
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
