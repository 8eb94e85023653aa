"""What the template shows of a finding, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from whence.findings import Finding, Frame, RunInfo, telling_stack
from whence.report import frames, words
from whence.report.anatomy import sections, subject, values
from whence.report.chain_text import chain_heading, frame_of, hop_sentences, hop_threads, mark, rows_of
from whence.report.html.code import Code, CodeShelf
from whence.report.picture import Cell, around, draw
from whence.report.styles import printable

_ROW = 32
"""Bytes in a row of the picture of the memory around an address."""
_PLACE = 64
"""Letters of a place beside the name of a rule."""
_CALLS = 3
"""Frames of an allocation that a closed leak shows."""
_PICTURE = 96
"""Cells of the small picture of a block."""


@dataclass(frozen=True, slots=True)
class FrameView:
    """A frame: its function, its place, and the excerpt of its source."""

    function: str
    place: str
    inlined: bool
    code: Code | None


@dataclass(frozen=True, slots=True)
class StackView:
    heading: str
    unknown: str
    frames: tuple[FrameView, ...]


@dataclass(frozen=True, slots=True)
class HopView:
    """A hop of a chain: what happened, where, and whether another chain of the finding has it, too.

    marked: it counts more than others, as one from which two pointers to the block come.
    """

    text: str
    place: str
    source: str
    code: Code | None
    shared: bool
    birth: bool
    marked: bool


@dataclass(frozen=True, slots=True)
class RowView:
    """A hop, or several that are folded below what is said of all."""

    said: str
    hops: tuple[HopView, ...]

    @property
    def shared(self) -> bool:
        return any(hop.shared for hop in self.hops)


@dataclass(frozen=True, slots=True)
class ChainView:
    """A chain, newest hop first; `cut`: older hops are not known."""

    heading: str
    rows: tuple[RowView, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class ByteView:
    """A byte of memory: the kind of its cell, with that of a boundary beside it, and the text that explains
    it."""

    kind: str
    glyph: str
    hint: str


@dataclass(frozen=True, slots=True)
class MemoryView:
    """Rows of bytes, each with its address (none: others are left out before it, and it is empty), and the
    kinds that occur with their meanings."""

    rows: tuple[tuple[str, tuple[ByteView, ...]], ...]
    legend: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class RulerView:
    """The small picture: its cells as kind and text, the offsets below them, and what the kinds mean."""

    cells: tuple[tuple[str, str], ...]
    offsets: str
    legend: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding: texts are complete sentences or names, ready to be shown.

    gist: what tells it from others of its rule while it is closed.
    """

    number: int
    key: str
    rule: str
    severity: str
    title: str
    gist: str
    headline: str
    place: str
    short_place: str
    label: str
    cwe: tuple[int, ...]
    occurrences: int
    facts: tuple[str, ...]
    values: str
    advice: str
    code: Code | None
    stacks: tuple[StackView, ...]
    chains: tuple[ChainView, ...]
    memory: MemoryView | None
    ruler: RulerView | None


def view_of(finding: Finding, run: RunInfo, shelf: CodeShelf, directory: str, number: int) -> FindingView:
    """The view of the finding with this number on the page."""
    place = frames.place(telling_stack(finding))
    title = words.title(finding) or finding.rule.name
    where = frames.position(place, directory) if place else "unknown place"
    return FindingView(
        number=number,
        key=finding.key,
        rule=printable(finding.rule.name),
        severity=printable(finding.rule.severity),
        title=printable(title),
        gist=_gist(finding),
        headline=printable(words.headline(finding, subject(finding))),
        place=where,
        short_place=middle(where, _PLACE),
        label=printable(words.label(finding)),
        cwe=finding.rule.cwe,
        occurrences=finding.occurrences,
        facts=tuple(printable(fact) for fact in words.facts(finding)),
        values=values(finding),
        advice=printable(words.advice(finding) or ""),
        code=shelf.at(place),
        stacks=tuple(
            StackView(each.heading, each.unknown, tuple(frame_views(each.stack, run, shelf, directory)))
            for each in sections(finding, run)
        ),
        chains=tuple(_chains(finding, shelf, directory)),
        memory=_memory(finding),
        ruler=_ruler(finding),
    )


def _gist(finding: Finding) -> str:
    """``3,072 bytes in 3 blocks: copy, read_line, main``, or the size of an access and the function."""
    if finding.leak:
        stack = frames.visible(telling_stack(finding))[:_CALLS]
        total = f"{words.bytes_(finding.leak.bytes)} in {words.plural(finding.leak.count, 'block')}"
        calls = ", ".join(frames.short_name(each, 60) for each in stack)
        return f"{total}: {calls}" if calls else total
    size = f"{words.length(finding.access.size)} in " if finding.access.size else "in "
    return printable(size + subject(finding))


def middle(text: str, most: int) -> str:
    """The text in so many letters: of a longer one the begin and, more of it, the end."""
    begin = most // 3
    return text if len(text) <= most else f"{text[:begin]}…{text[begin + 1 - most :]}"


def frame_views(
    stack: Sequence[Frame], run: RunInfo, shelf: CodeShelf, directory: str
) -> Iterator[FrameView]:
    """The views of the frames of a stack."""
    for frame in stack:
        place = frames.position(frame, directory)
        yield FrameView(frames.short_name(frame, 200), place, frame.inlined, shelf.at(frame))


def _chains(finding: Finding, shelf: CodeShelf, directory: str) -> Iterator[ChainView]:
    """The views of the chains; where several have a hop, the values of the finding meet."""
    chains = [chain.folded() for chain in finding.chains]
    counts = Counter(hop for chain in chains for hop in set(chain.hops))
    for chain in chains:
        hops = []
        for hop, said in zip(chain.hops, hop_sentences(chain, finding.thread), strict=True):
            frame = frame_of(hop)
            code = shelf.at(frame)
            hops.append(
                HopView(
                    printable(said),
                    frames.position(frame, directory) if frame.file else "",
                    code.text if code else "",
                    code,
                    counts[hop] > 1,
                    hop.kind.is_birth,
                    bool(mark(hop)),
                )
            )
        rows = []
        for row in rows_of(chain, hop_threads(chain, finding.thread)):
            said = f"{row.said} in {row.other}" if row.said and row.other else row.said
            rows.append(RowView(printable(said), tuple(hops[row.number : row.number + len(row.hops)])))
        yield ChainView(printable(chain_heading(chain, directory)), tuple(rows), chain.cut)


def _ruler(finding: Finding) -> RulerView | None:
    picture = draw(finding, _PICTURE)
    if picture is None:
        return None
    cells = tuple((_kind(cell), _shown(cell, text)) for cell, text in picture.cells)
    return RulerView(cells, picture.ruler, _legend({cell for cell, _ in picture.cells} - {Cell.GAP}))


def _legend(seen: Collection[Cell]) -> tuple[tuple[str, str, str], ...]:
    return tuple((_kind(cell), _shown(cell), cell.meaning) for cell in Cell if cell in seen)


def _memory(finding: Finding) -> MemoryView | None:
    """The bytes around the address, of which the run recorded the state."""
    cells = around(finding)
    if not cells:
        return None
    rows: dict[int, list[ByteView]] = {}
    shown = dict(cells)
    whole = {address // _ROW * _ROW for address in shown}
    for address in (address for begin in sorted(whole) for address in range(begin, begin + _ROW)):
        cell = shown.get(address, Cell.UNKNOWN)
        hint = f"{address:#x}: {cell.meaning}{_offset(finding, address)}"
        kind = f"{_kind(cell)}{_edge(finding, address)}"
        rows.setdefault(address // _ROW * _ROW, []).append(ByteView(kind, _shown(cell), hint))
    edge = ("edge", "", "begin or end of the block")
    legend = (*_legend({*shown.values()}), *([edge] if any(_edge(finding, each) for each in shown) else []))
    made, last = list[tuple[str, tuple[ByteView, ...]]](), None
    for begin, row in rows.items():
        if last is not None and begin != last + _ROW:
            made.append(("", ()))
        made.append((f"{begin:#x}", tuple(row)))
        last = begin
    return MemoryView(tuple(made), legend)


def _edge(finding: Finding, address: int) -> str:
    """The class of a byte where the block begins or ends."""
    block = finding.block
    if block is None or not block.size:
        return ""
    return " edge" if address in (block.begin, block.end) else ""


def _offset(finding: Finding, address: int) -> str:
    block = finding.block
    return f", byte {address - block.begin:,} from the block's begin" if block else ""


def _shown(cell: Cell, text: str = "") -> str:
    """The text of a cell: letters alone, since colours stand for what a terminal draws."""
    return (text or cell.glyph) if cell is Cell.GAP or cell.glyph.isascii() else " "


def _kind(cell: Cell) -> str:
    """The class of a cell in the style sheet."""
    return cell.name.lower().replace("_", "-")
