"""Text reports from hand-made findings, compared with golden texts and checked one rule at a time."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from samples import (
    BEGIN,
    DANGLING,
    DOUBLE_FREE,
    GOLDEN,
    HERE,
    LEAK,
    OVERFLOW,
    OVERFLOW_RULE,
    RUN,
    SAMPLES,
    START,
    VARIABLE,
    VARIANTS,
    at,
    read,
    write,
)
from tests.harness.findings import changed, made

from whence.findings import (
    Access,
    AccessKind,
    Block,
    BlockState,
    Finding,
    Frame,
    HitBlock,
    Leak,
    Point,
    Process,
    RunInfo,
    Signal,
    States,
    SuppressionUse,
    Variable,
)
from whence.report import TextRenderer
from whence.report.layout import Layout
from whence.report.source import cut_cells

CASES = [(variant, name) for variant, (_, names) in VARIANTS.items() for name in names]


def plain(finding: Finding, run: RunInfo = RUN, **options: object) -> str:
    return TextRenderer(directory=str(HERE), **options).render([finding], run)  # type: ignore[arg-type]


def test_negative_length() -> None:
    """Minus two bytes are said to be minus two bytes, not eighteen quintillion."""
    copy = changed(SAMPLES["library-function"], access=write(BEGIN + 4, (1 << 64) - 2, BEGIN + 20))
    text = " ".join(plain(copy).split())
    assert "write of -2 bytes by memcpy, called in copy, past the end of a block of 20 bytes" in text
    assert "memcpy writes -2 bytes at" in text and "byte 16 is the first outside" in text
    assert "the length is negative; the function takes it for 18,446,744,073,709,551,614 bytes" in text
    assert "the access needs" not in text and "the access runs" not in text


@pytest.mark.parametrize(("variant", "name"), CASES)
def test_golden(variant: str, name: str) -> None:
    expected = (GOLDEN / f"{name}.{variant}.txt").read_text(encoding="utf-8")
    assert plain(SAMPLES[name], **VARIANTS[variant][0]) == expected


def test_no_golden_text_is_left_over() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {f"{name}.{variant}.txt" for variant, name in CASES}


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 132, 200])
@pytest.mark.parametrize("name", SAMPLES)
def test_source_and_sentences_fit_the_terminal(name: str, width: int) -> None:
    """Only stack lines may be longer, on terminals that are too narrow for a name and a place."""
    lines = plain(SAMPLES[name], width=width).splitlines()
    stack = [line for line in lines if line.lstrip()[:1].isdigit() and " | " not in line]
    long = [line for line in lines if cell_len(line) > width and "-->" not in line]
    assert [line for line in long if line not in stack or width >= 80] == []


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_drives_the_terminal_but_colours(name: str) -> None:
    text = plain(SAMPLES[name], width=100, color=True)
    assert "\x1b]" not in text and "\x1b[2J" not in text and "\x07" not in text
    assert "\x1b" not in plain(SAMPLES[name])


@pytest.mark.parametrize("name", SAMPLES)
def test_colour_changes_no_text(name: str) -> None:
    coloured = plain(SAMPLES[name], width=100, color=True)
    assert Text.from_ansi(coloured).plain.rstrip("\n") == plain(SAMPLES[name], width=100).rstrip("\n")


def test_variables_without_a_place_have_no_place() -> None:
    text = plain(changed(OVERFLOW, block=replace(VARIABLE, variable=Variable(""))))
    assert "declared" not in text and "made" not in text and "0x0" not in text
    somewhere = replace(VARIABLE, variable=Variable("kept", function="fill"))
    lines = [line.rstrip() for line in plain(changed(OVERFLOW, block=somewhere)).splitlines()]
    assert lines[lines.index("    declared:") + 1] == "      0  fill"


@pytest.mark.parametrize("name", SAMPLES)
def test_no_placeholder_is_shown(name: str) -> None:
    assert "??" not in plain(SAMPLES[name])


def test_no_findings() -> None:
    assert TextRenderer().render([], RUN) == "whence: no findings; the program exited with status 0\n"


def test_summary_counts_by_rule_and_says_how_it_ended() -> None:
    run = replace(RUN, exit_status=None, signal=11)
    text = TextRenderer().render([OVERFLOW, changed(DOUBLE_FREE, occurrences=2), LEAK], run)
    assert text.endswith(
        "whence: 3 findings (1 heap-buffer-overflow, 1 double-free, 1 definite-leak of 3,072 bytes), "
        "met 4 times; the program was killed by SIGSEGV\n"
    )


def test_summary_of_notes_and_suppressed_findings_counts_each_once() -> None:
    often = changed(OVERFLOW, occurrences=1200)
    note = replace(often, rule=replace(often.rule, severity="note"))
    run = replace(RUN, suppressions=(SuppressionUse("old", "/src/known.supp", 3, (often, LEAK)),))
    lines = TextRenderer().render([note, DOUBLE_FREE], run).splitlines()
    assert "suppressed: 2 findings of 3,072 bytes by " in " ".join(lines)
    assert lines[-1] == (
        "whence: 1 finding (1 double-free), 1 note (1 heap-buffer-overflow), met 1,200 times, "
        "2 suppressed; the program exited with status 0"
    )


def test_notes_stand_before_the_summary() -> None:
    text = TextRenderer().render([], replace(RUN, notes=("the record is cut off\x1b[0m",), exit_status=3))
    assert text == (
        "note: the record is cut off\N{REPLACEMENT CHARACTER}[0m\n"
        "whence: no findings; the program exited with status 3\n"
    )


def test_source_newer_than_the_program(tmp_path: Path) -> None:
    source, program = tmp_path / "a.c", tmp_path / "prog"
    source.write_text("int x;\n")
    program.write_bytes(b"")
    frame = Frame(1, str(program), 1, "f", str(source), 1, 5)
    finding = changed(OVERFLOW, stack=(frame,))
    run = replace(RUN, program=str(program))
    os.utime(program, (1000, 1000))
    os.utime(source, (999, 999))
    assert "is newer than" not in plain(finding, run)
    os.utime(source, (1001, 1001))
    assert "the source file is newer than the program" in plain(finding, run)


def test_instrumented_copy_counts_as_the_program(tmp_path: Path) -> None:
    """The copy that was run is always new: the user's own program says when it was built."""
    source, program, image = (tmp_path / name for name in ("a.c", "prog", "image"))
    for path, time in ((program, 1000), (source, 2000), (image, 3000)):
        path.write_text("int x;\n")
        os.utime(path, (time, time))
    finding = changed(OVERFLOW, stack=(Frame(1, str(image), 1, "f", str(source), 1, 5),))
    text = plain(finding, replace(RUN, program=str(program), image=str(image)))
    assert "newer than the program" in text


def test_relative_source_is_found_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "rel.c").write_text("int here;\n")
    finding = changed(OVERFLOW, stack=(Frame(1, "/bin/prog", 1, "f", "rel.c", 1, 5),))
    text = plain(finding, replace(RUN, program=str(tmp_path / "prog")))
    assert "1 | int here;" in text


@pytest.mark.parametrize("path", ["/dev/zero", "/proc", "/nonexistent/x.c", "nul\0.c"])
def test_sources_that_are_no_files(path: str) -> None:
    finding = changed(OVERFLOW, stack=(Frame(1, "/bin/prog", 1, "f", path, 1, 5),))
    assert "(the source file cannot be read)" in plain(finding)


def test_caret_stands_below_its_column_after_tabs_and_wide_characters(tmp_path: Path) -> None:
    line = "\tint \N{CJK UNIFIED IDEOGRAPH-5B57} = 1;\tx\t= *p;"
    (tmp_path / "wide.c").write_text(line + "\n", encoding="utf-8")
    column = len(line[: line.index("*")].encode()) + 1
    stack = (Frame(1, "/bin/prog", 1, "f", str(tmp_path / "wide.c"), 1, column),)
    lines = plain(changed(OVERFLOW, stack=stack)).splitlines()
    index = next(i for i, text in enumerate(lines) if text.startswith("1 | "))
    assert cell_len(lines[index].split("*")[0]) == lines[index + 1].index("^")


def test_column_behind_the_line_is_not_shown_as_a_caret() -> None:
    frame = replace(at("first", "fill.c", "return p[0]", "p"), column=500)
    assert "~~~~~~" in plain(changed(OVERFLOW, stack=(frame,)))


def test_frames_below_main_are_hidden() -> None:
    assert "__libc_start" not in plain(OVERFLOW) and "_start" not in plain(OVERFLOW)


def test_frames_below_a_thread_function_are_hidden() -> None:
    stack = (
        at("first", "fill.c", "return p[0]", "p"),
        Frame(1, "/usr/lib/libc.so.6", 1, "start_thread"),
        Frame(2, "/usr/lib/libc.so.6", 2, "clone3"),
        Frame(0),
    )
    text = plain(changed(OVERFLOW, stack=stack))
    assert "start_thread" not in text and "clone3" not in text and "0  first" in text


def test_a_stack_of_nothing_but_start_code_is_shown() -> None:
    assert "_start" in plain(changed(OVERFLOW, stack=START))


def test_recursive_main_is_shown_to_the_innermost_main_only() -> None:
    main = at("main", "fill.c", "fill(p, 5)", "fill")
    text = plain(changed(OVERFLOW, stack=(main, main, *START)))
    assert "__libc" not in text


def test_library_frames_without_sources_name_the_caller() -> None:
    stack = (Frame(1, "/opt/lib/libz.so.1", 0x10, "inflate"), at("main", "fill.c", "fill(p, 5)", "fill"))
    text = plain(changed(OVERFLOW, stack=stack))
    assert "write of 4 bytes in inflate, called from main" in text
    assert "0  inflate  libz.so.1+0x10" in text


@pytest.mark.parametrize(
    ("access", "sentence"),
    [
        (write(BEGIN + 20, 1), "is just after a block of 20 bytes"),
        (write(BEGIN + 21, 1), "is 1 byte after a block of 20 bytes"),
        (write(BEGIN - 1, 1), "is 1 byte before a block of 20 bytes"),
        (write(BEGIN + 16, 8, BEGIN + 20), "is 16 bytes inside a block of 20 bytes"),
        (write(BEGIN, 21, BEGIN + 20), "is the beginning of a block of 20 bytes"),
    ],
)
def test_relation(access: Access, sentence: str) -> None:
    assert f"{access.address:#x} {sentence}" in plain(changed(OVERFLOW, access=access))


def test_array_cookie() -> None:
    block = replace(OVERFLOW.block or LEAK.block, cookie=16)
    text = plain(changed(OVERFLOW, block=block, access=write(BEGIN - 8, 4)))
    where = "8 bytes before the first element, in the cookie of an array of 20 bytes"
    assert f"write of 4 bytes in put, {where}" in text and f"{BEGIN - 8:#x} is {where}, [" in text
    assert "new[] stores the number of elements in the 16 bytes before the first, for delete[]" in text
    before = plain(changed(OVERFLOW, block=block, access=write(BEGIN - 17, 1)))
    assert "is 17 bytes before an array of 20 bytes" in before and "cookie" not in before


def test_first_bad_byte_of_a_library_function() -> None:
    text = plain(SAMPLES["library-function"])
    assert f"memcpy writes 100 bytes at {BEGIN:#x}; byte 20 is the first outside" in text


def test_unknown_is_said() -> None:
    text = plain(SAMPLES["unknown-block"])
    assert "0x123456789ab0 is an unknown address: no block is known at or near it" in text
    assert "allocated" not in text and "freed" not in text
    lost = plain(SAMPLES["dangling-stacks-lost"])
    assert "freed: unknown place" in lost
    assert "allocated by malloc in the main thread: unknown place: no stack was recorded" in lost


def test_state_of_the_block_unknown() -> None:
    block = replace(DANGLING.block or LEAK.block, state=BlockState.UNKNOWN)
    assert "whether it was freed is unknown" in plain(changed(OVERFLOW, block=block))


def test_address_zero_of_a_signal_is_not_called_null() -> None:
    signal = SAMPLES["signal-segv"]
    text = plain(replace(signal, access=Access(AccessKind.TRAP, 0, 1)))
    assert "0x0 is a null pointer, or the address was no valid one at all" in text


def test_signals_without_address_say_nothing_of_one() -> None:
    text = plain(SAMPLES["signal-abort"])
    assert "0x0" not in text and "null" not in text
    assert "signal 77" in plain(changed(SAMPLES["signal-abort"], signal=Signal(77)))
    sent = plain(changed(SAMPLES["signal-segv"], access=Access(AccessKind.TRAP, 0)))
    assert "SIGSEGV in" in sent and "0x0" not in sent and "null" not in sent


def test_repeated_title_is_left_out() -> None:
    assert plain(DOUBLE_FREE).startswith("error[double-free]: free of a block of 20 bytes, already freed, in")


def test_advice_of_the_rule_comes_first() -> None:
    own = changed(OVERFLOW, rule=replace(OVERFLOW_RULE, advice="Look here."))
    assert "advice: Look here." in plain(own)
    assert "advice: compare the index" in plain(changed(OVERFLOW, rule=replace(OVERFLOW_RULE, advice="")))


def test_leak_totals_and_indirect_blocks() -> None:
    leads = "allocated in copy, and 1 block, 1,024 bytes, reachable only from"
    assert f"2 blocks, 2,048 bytes, {leads} them\n" in plain(LEAK)
    assert f"1 block, 24 bytes, {leads} it\n" in plain(changed(LEAK, leak=Leak(2, 1048, 1, 1024)))
    only = plain(changed(LEAK, leak=Leak(1, 20, 1, 20)))
    assert "1 block, 20 bytes, allocated in copy (reachable only from other lost blocks)" in only
    assert "1 block, 1 byte, allocated in copy\n" in plain(changed(LEAK, leak=Leak(1, 1)))


# ---- the picture ----


def row(finding: Finding) -> str:
    """The drawing of the block: the line above the one with the offsets."""
    lines = plain(finding).splitlines()
    legend = next(
        i for i, line in enumerate(lines) if line.endswith((" read", " written", "inside the block"))
    )
    return lines[legend - 2].strip()


@pytest.mark.parametrize(
    ("access", "drawing"),
    [
        (write(BEGIN + 20, 4), "░" * 8 + "█" * 20 + "WWWW" + "░" * 8),
        (write(BEGIN + 24, 1), "░" * 8 + "█" * 20 + "░░░░W" + "░" * 8),
        (read(BEGIN - 4, 2), "░" * 8 + "RR░░" + "█" * 20 + "░" * 8),
        (write(BEGIN + 16, 8, BEGIN + 20), "░" * 8 + "█" * 16 + "wwwwWWWW" + "░" * 8),
        (write(BEGIN, 100, BEGIN + 20), "░" * 8 + "w" * 20 + "W" * 8 + " ⋯ 64 bytes ⋯ " + "W" * 8),
    ],
)
def test_picture(access: Access, drawing: str) -> None:
    assert row(changed(OVERFLOW, access=access)) == drawing


def test_picture_of_a_neighbour_and_of_unused_memory() -> None:
    states = States(BEGIN, bytes([0, 0, 4, 0xFA, 0, 3, 0xFB, 0xFD, 0xF7, 0x99]))
    finding = changed(OVERFLOW, access=write(BEGIN + 40, 16), states=states)
    assert row(finding) == "█" * 20 + "░" * 12 + "▓" * 8 + "W" * 16 + "▚" * 8


def test_picture_without_states_guesses_nothing() -> None:
    assert row(changed(OVERFLOW, access=write(BEGIN + 24, 4), states=None)) == "█" * 20 + "    WWWW"


def test_picture_of_an_empty_block() -> None:
    block = Block(3, BEGIN, 0, BlockState.LIVE)
    assert row(changed(OVERFLOW, block=block, access=write(BEGIN, 1), states=None)) == "W"


addresses = st.integers(0, (1 << 64) - 1)
sizes = st.one_of(st.integers(0, 300), st.integers(0, (1 << 64) - 1))


@given(
    begin=addresses,
    size=sizes,
    address=addresses,
    width=sizes,
    first_bad=st.none() | addresses,
    hit=st.none() | st.builds(HitBlock, st.just(9), addresses, sizes),
    states=st.none() | st.builds(States, addresses, st.binary(max_size=20)),
    state=st.sampled_from(BlockState),
    kind=st.sampled_from(AccessKind),
    point=st.sampled_from(Point),
    terminal=st.none() | st.integers(1, 200),
)
def test_any_numbers_render(
    begin: int,
    size: int,
    address: int,
    width: int,
    first_bad: int | None,
    hit: HitBlock | None,
    states: States | None,
    state: BlockState,
    kind: AccessKind,
    point: Point,
    terminal: int | None,
) -> None:
    """A corrupt record may hold any numbers: the report stays one, and stays small."""
    finding = made(
        OVERFLOW_RULE,
        point,
        Access(kind, address, width, first_bad),
        block=Block(1, begin, size, state),
        hit_block=hit,
        states=states,
    )
    text = plain(finding, width=terminal)
    assert text.startswith("error[heap-buffer-overflow]") and len(text) < 20_000


@pytest.mark.parametrize("pid", (RUN.pid, RUN.pid + 42))
def test_an_overwritten_process_name_is_cut(pid: int) -> None:
    process = Process(pid, RUN.pid, ("x" * 1000,))
    text = plain(changed(OVERFLOW, pid=pid, process=process))
    assert f"in process {pid} (xxx" in text
    assert "x…" in text and "x" * 61 not in text


def test_renderer_for_a_pipe_and_for_a_file_of_another_encoding() -> None:
    pipe = TextRenderer.for_stream(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert (pipe.layout.color, pipe.layout.wrap, pipe.layout.unicode) == (False, False, True)
    latin = TextRenderer.for_stream(io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    assert not latin.layout.unicode
    latin.render([SAMPLES["source-latin1"]], RUN).encode("ascii")


def test_colours_and_width_may_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def layout() -> tuple[bool, bool]:
        made = TextRenderer.for_stream(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")).layout
        return made.color, made.wrap

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert layout() == (True, False)
    monkeypatch.setenv("COLUMNS", "70")
    assert layout() == (True, True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert layout() == (False, True)
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("COLUMNS", "wide")
    assert layout() == (False, False)


def test_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / "dos.c").write_bytes(b"int a;\r\nint b;\r\n\r\n")
    stack = (Frame(1, "/bin/prog", 1, "f", str(tmp_path / "dos.c"), 2, 5),)
    lines = plain(changed(OVERFLOW, stack=stack)).splitlines()
    assert [line for line in lines if " | " in line][:2] == ["1 | int a;", "2 | int b;"]
    assert "\N{REPLACEMENT CHARACTER}" not in plain(changed(OVERFLOW, stack=stack))


def test_suppressions_are_counted_and_named() -> None:
    use = SuppressionUse("old one", f"{HERE}/known.supp", 3, (SAMPLES["leak"], SAMPLES["overflow-after"]))
    run = replace(RUN, suppressions=(use, SuppressionUse("of no use", f"{HERE}/known.supp", 9)))
    lost = SAMPLES["leak"].leak
    assert lost is not None
    used = f"suppressed: 2 findings of {lost.bytes:,} bytes by known.supp:3 (old one)"
    for listed, expected in (
        ("none", []),
        ("used", [used]),
        ("all", [used, "suppressed: nothing by known.supp:9 (of no use)"]),
    ):
        text = TextRenderer(directory=str(HERE), suppressions=listed).render([], run)
        *lines, last = text.splitlines()
        assert lines == expected
        assert last == "whence: no findings, 2 suppressed; the program exited with status 0"


@given(st.text("ab ", max_size=30), st.integers(0, 30), st.integers(1, 30))
def test_text_is_cut_alike_whatever_its_letters(text: str, start: int, width: int) -> None:
    cut = cut_cells(text, start, width)
    assert cut_cells(text.replace("a", "\u00e9"), start, width) == cut.replace("a", "\u00e9")


@pytest.mark.parametrize("color", [False, True])
def test_lines_are_printed_as_rich_prints_them(color: bool) -> None:
    lines = [
        Text("plain with blanks behind   "),
        Text("all of it", "bold red"),
        Text.assemble("a ", ("part", "cyan"), (" and\ta tab", "bold white on red")),
        Text(),
    ]
    file = io.StringIO()
    console = Console(
        file=file,
        force_terminal=color,
        color_system="standard" if color else None,
        width=1 << 20,
        highlight=False,
    )
    for line in lines:
        tidy = line.copy()
        tidy.rstrip()
        console.print(tidy, soft_wrap=True)
    assert Layout(color=color).printed(lines) == file.getvalue()
