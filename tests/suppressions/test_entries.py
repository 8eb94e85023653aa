"""Entries of every format against hand-made findings: what they match, and what they must not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.harness.findings import changed, made

from whence.errors import UserMistake
from whence.findings import (
    Access,
    AccessKind,
    Block,
    Event,
    Family,
    Finding,
    Frame,
    Leak,
    LeakKind,
    Point,
    RuleInfo,
    UseKind,
)
from whence.findings.deduplication import deduplicate
from whence.suppressions import Seen, Suppressions, native, valgrind_writer
from whence.suppressions.load import parse
from whence.suppressions.model import ANY_LEVELS, AnyLevels, Level, stack_matches
from whence.suppressions.native import generate

PROGRAM, LIBRARY, LIBC = "/opt/app/prog", "/opt/app/lib/libfoo.so.1", "/lib/x86_64-linux-gnu/libc.so.6"


def frame(function: str | None, module: str = PROGRAM, file: str | None = None, **more: object) -> Frame:
    return replace(Frame(0x1000, module, 0x10, function, file, 7), **more)  # type: ignore[arg-type]


STACK = (
    frame("put", LIBRARY, "/src/foo/put.c", inlined=True),
    frame("foo::fill", LIBRARY, "/src/foo/fill.cc", linkage="_ZN3foo4fillEi"),
    frame("main", PROGRAM, "/src/main.c"),
)
WRITE = made(
    RuleInfo("heap-buffer-overflow", "overflow"), Point.DEREF_W, Access(AccessKind.WRITE, 0x100, 4), STACK
)
STRCPY = changed(WRITE, library_function="strcpy", access=Access(AccessKind.WRITE, 0x100, 9), stack=STACK[1:])
DOUBLE_FREE = RuleInfo("double-free", "")
FREE = changed(WRITE, rule=DOUBLE_FREE, point=Point.FREE, access=Access(AccessKind.FREE, 0x10))
DELETE = changed(FREE, rule=RuleInfo("mismatched-free", ""), library_function="operator delete")
OVERLAP = changed(
    WRITE,
    rule=RuleInfo("overlapping-copy", ""),
    point=Point.COPY,
    access=Access(AccessKind.COPY, 0x100, 5),
    library_function="memcpy",
)
ARGUMENT = changed(
    WRITE,
    rule=RuleInfo("null-argument", ""),
    point=Point.ARGUMENT,
    access=Access(AccessKind.PASS, 0),
    library_function="strlen",
)
FISHY = changed(
    WRITE,
    rule=RuleInfo("absurd-size", ""),
    point=Point.ALLOC,
    access=Access(AccessKind.ALLOCATE, 0, 2**63),
    library_function="malloc",
)
UNINITIALIZED = RuleInfo("use-of-uninitialized-value", "")
BRANCH = changed(
    WRITE, rule=UNINITIALIZED, point=Point.USE, access=Access(AccessKind.USE, 0, use=UseKind.BRANCH)
)
INDEX = changed(BRANCH, access=Access(AccessKind.USE, 0, use=UseKind.ADDRESS))
PRINTED = changed(
    BRANCH, access=Access(AccessKind.USE, 0, use=UseKind.ARGUMENT), library_function="printf", stack=STACK[1:]
)
WRITTEN = changed(PRINTED, access=Access(AccessKind.USE, 0, use=UseKind.MEMORY), library_function="write")
COMPARED = replace(WRITTEN, library_function="memcmp")
STATUS = changed(BRANCH, access=Access(AccessKind.USE, 0, use=UseKind.STATUS))
ALLOCATED = Event(1, 0, (frame("strdup", LIBC), frame("__whence_strdup", "/x/libwhence-rt.so"), *STACK))
LEAK = changed(
    WRITE,
    rule=RuleInfo("definite-leak", ""),
    point=Point.RET,
    access=Access(AccessKind.RETURN, 0),
    leak=Leak(2, 20),
    block=Block(3, 0x100, 10, family=Family.MALLOC, allocated=ALLOCATED),
    stack=(frame("main"),),
)


def suppressed(text: str, finding: Finding) -> bool:
    known = Suppressions.of([parse(text, "x.supp")])
    assert known.entries, "the entry was not read"
    return known.match(finding) is not None


# ---- our own format ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clauses", "finding", "matches"),
    [
        ("rule heap-*", WRITE, True),
        ("rule double-free", WRITE, False),
        ("rule double-free\nrule heap-buffer-overflow", WRITE, True),
        ("frame put source=put.c\nframe foo::* object=libfoo.so.*", WRITE, True),
        ("frame foo::fill\nframe main", WRITE, True),  # without the inlined function
        ("frame main", WRITE, False),
        ("...\nframe main", WRITE, True),
        ("...\nframe main\nframe main", WRITE, False),
        ("frame put source=foo/put.c", WRITE, True),
        ("frame put source=oo/put.c", WRITE, False),
        ("frame put source=/src/foo/put.c", WRITE, True),
        ("frame * source=*.h", WRITE, False),
        ("frame object=lib/libfoo.so.1", WRITE, True),
        ("library str*", STRCPY, True),
        ("library str*", WRITE, False),
        (f"key {WRITE.key}", WRITE, True),
        (f"key {WRITE.key}", FREE, False),
        ("rule definite-leak\nframe strdup\nframe put", LEAK, True),  # our own frames do not count
        ("rule *\nframe ma*", LEAK, False),  # a leak is told apart by its allocation
    ],
)
def test_own_entries(clauses: str, finding: Finding, matches: bool) -> None:
    text = '# known\nsuppress "some name"  # why\n    ' + clauses.replace("\n", "\n    ")
    assert suppressed(text, finding) is matches


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("suppress x\n  frme main", "x.supp:2: unknown clause 'frme' (did you mean 'frame'?)"),
        ("rule x\nsuppress y", "x.supp:1: expected 'suppress NAME'"),
        ("suppress x\n# nothing\nsuppress y\n rule *", "x.supp:1: the entry 'x' has no clause"),
        ("suppress x\n key 12", "x.supp:2: '12' is no key"),
        ("suppress x\n frame", "x.supp:2: a frame without a pattern"),
        ("suppress x\n frame a b", "x.supp:2: a second function pattern"),
        ("suppress x\n frame source=", "x.supp:2: 'source=' without a pattern"),
        ('suppress "x', "x.supp:1: a quotation mark without its partner"),
        ("suppress two words", "x.supp:1: expected one word after 'suppress'"),
    ],
)
def test_mistakes_in_own_entries(text: str, message: str) -> None:
    with pytest.raises(UserMistake) as caught:
        native.parse(text, "x.supp")
    assert str(caught.value).startswith(message)


names = st.none() | st.text(min_size=1, max_size=12).map(lambda text: text.replace("\0", "x"))
paths = st.none() | st.text(min_size=1, max_size=12).map(lambda t: "/src/" + t.replace("/", "_"))


@given(
    frames=st.lists(st.tuples(names, paths, paths), max_size=8),
    library=st.none() | st.text(min_size=1, max_size=8),
    rule=st.from_regex(r"[a-z]+(-[a-z]+)*", fullmatch=True),
)
def test_a_generated_entry_suppresses_its_finding(
    frames: list[tuple[str | None, str | None, str | None]], library: str | None, rule: str
) -> None:
    stack = tuple(Frame(1, module, 1, function, file, 3) for function, file, module in frames)
    finding = changed(WRITE, rule=RuleInfo(rule, ""), library_function=library, stack=stack)
    assert suppressed(generate(Seen(finding)), finding)


@given(
    frames=st.lists(st.tuples(names, paths, paths), max_size=30),
    finding=st.sampled_from(
        (WRITE, STRCPY, FREE, DELETE, OVERLAP, FISHY, LEAK, BRANCH, INDEX, PRINTED, WRITTEN, STATUS)
    ),
    rule=st.none() | st.from_regex(r"[a-z]+(-[a-z]+)*", fullmatch=True),
)
def test_an_entry_for_valgrind_suppresses_its_finding(
    frames: list[tuple[str | None, str | None, str | None]], finding: Finding, rule: str | None
) -> None:
    stack = tuple(Frame(1, module, 1, function, file, 3) for function, file, module in frames)
    block = replace(finding.block, allocated=Event(1, 0, stack)) if finding.leak and finding.block else None
    finding = changed(finding, stack=stack, block=block)
    if rule and not finding.leak:
        finding = changed(finding, rule=RuleInfo(rule, ""))
    assert suppressed(valgrind_writer.generate(Seen(finding)), finding)


def test_what_an_entry_for_valgrind_looks_like() -> None:
    assert valgrind_writer.generate(Seen(STRCPY)) == (
        "{\n   heap-buffer-overflow in foo::fill\n   Memcheck:Addr1\n   fun:strcpy\n"
        "   fun:_ZN3foo4fillEi\n   fun:main\n}\n"
    )
    leak = valgrind_writer.generate(Seen(LEAK))
    assert leak.splitlines()[2:5] == ["   Memcheck:Leak", "   match-leak-kinds: definite", "   fun:*"]
    assert valgrind_writer.generate(Seen(FISHY)).splitlines()[2:4] == [
        "   Memcheck:FishyValue",
        "   malloc(size)",
    ]
    written = valgrind_writer.generate(Seen(WRITTEN)).splitlines()
    assert written[2:5] == ["   Memcheck:Param", "   write(buf)", "   fun:write"]
    nameless = changed(WRITE, stack=(frame(None, LIBRARY, None),))
    assert f"   obj:{LIBRARY}\n" in valgrind_writer.generate(Seen(nameless))


def test_a_generated_entry_does_not_suppress_another_finding() -> None:
    entry = generate(Seen(WRITE))
    assert not suppressed(entry, changed(WRITE, stack=(frame("other"), *STACK[1:])))
    assert not suppressed(entry, changed(WRITE, rule=RuleInfo("double-free", "")))
    hostile = changed(WRITE, stack=(frame("operator*", LIBRARY, "/src/a?b.c"),))
    assert not suppressed(
        generate(Seen(hostile)), changed(WRITE, stack=(frame("operator+", LIBRARY, "/src/a?b.c"),))
    )
    assert not suppressed(
        generate(Seen(hostile)), changed(WRITE, stack=(frame("operator*", LIBRARY, "/src/axb.c"),))
    )


# ---- stacks -----------------------------------------------------------------------------------------


class Letter(Level):
    def __init__(self, letter: str) -> None:
        self.letter = letter

    def matches(self, frame: Frame) -> bool:
        return frame.function == self.letter


def obvious(pattern: Sequence[Level | AnyLevels], stack: Sequence[Frame]) -> bool:
    """The definition, tried out in every way."""
    if not pattern:
        return True
    first, rest = pattern[0], pattern[1:]
    if isinstance(first, AnyLevels):
        return any(obvious(rest, stack[skip:]) for skip in range(len(stack) + 1))
    return bool(stack) and first.matches(stack[0]) and obvious(rest, stack[1:])


@given(st.text("ab.", max_size=7), st.text("ab", max_size=7))
def test_stack_patterns_mean_what_they_say(pattern: str, letters: str) -> None:
    levels = [ANY_LEVELS if char == "." else Letter(char) for char in pattern]
    stack = [Frame(1, function=letter) for letter in letters]
    assert stack_matches(levels, stack) is obvious(levels, stack)


# ---- Valgrind ---------------------------------------------------------------------------------------


def valgrind(kind: str, *lines: str) -> str:
    return "\n".join(["{", "  a name", f"  Memcheck:{kind}", *(f"  {line}" for line in lines), "}", ""])


@pytest.mark.parametrize(
    ("text", "finding", "matches"),
    [
        (valgrind("Addr4", "fun:put", "fun:_ZN3foo*"), WRITE, True),
        (valgrind("Addr4", "fun:_ZN3foo4fillEi", "fun:main"), WRITE, True),
        (valgrind("Addr16", "fun:put"), WRITE, True),  # part of a wider machine access
        (valgrind("Addr1", "fun:put"), WRITE, False),
        (valgrind("Addr4", "obj:*/libfoo.so*", "...", "obj:*/prog"), WRITE, True),
        (valgrind("Addr4", "obj:/opt/app/prog"), WRITE, False),
        (valgrind("Addr4", "src:put.c"), WRITE, True),
        (valgrind("Addr4", "src:put.c:7"), WRITE, True),
        (valgrind("Addr4", "src:put.c:8"), WRITE, False),
        (valgrind("Free", "fun:put"), WRITE, False),
        (valgrind("Addr1", "fun:strcpy", "fun:_ZN3foo*"), STRCPY, True),
        (valgrind("Addr8", "fun:__strcpy_chk", "..."), STRCPY, True),
        (valgrind("Addr1", "fun:__strcpy_avx2", "fun:_ZN3foo*"), STRCPY, True),
        (valgrind("Addr1", "fun:helper", "fun:strcpy", "fun:_ZN3foo*", "fun:main"), STRCPY, True),
        (valgrind("Addr1", "fun:strcat", "fun:_ZN3foo*"), STRCPY, False),
        (valgrind("Addr1", "fun:_ZN3foo*"), STRCPY, False),
        (valgrind("Param", "strcpy(dst)", "..."), STRCPY, True),
        (valgrind("Param", "write(buf)", "..."), STRCPY, False),
        (valgrind("FishyValue", "malloc(size)", "fun:malloc", "fun:put", "..."), FISHY, True),
        (valgrind("FishyValue", "malloc(size)", "..."), FISHY, True),
        (valgrind("FishyValue", "__builtin_new(size)", "..."), FISHY, False),
        (valgrind("FishyValue", "malloc(size)", "fun:malloc", "fun:main"), FISHY, False),
        (valgrind("Param", "...", "fun:put"), STRCPY, False),
        (valgrind("Free", "fun:free", "fun:put"), FREE, True),
        (valgrind("Free", "fun:_ZdlPv", "..."), FREE, True),
        (valgrind("Free", "fun:put"), FREE, False),
        (valgrind("Free", "fun:_ZdlPvm", "..."), DELETE, True),
        (valgrind("Free", "fun:free", "fun:put"), DELETE, True),
        (valgrind("Overlap", "fun:memmove", "..."), OVERLAP, True),
        (valgrind("Addr8", "fun:memcpy", "..."), OVERLAP, False),
        (valgrind("Addr1", "fun:strlen", "..."), ARGUMENT, True),
        (valgrind("Addr4", "fun:put"), ARGUMENT, False),
        (valgrind("Leak", "fun:malloc", "fun:strdup", "...", "fun:main"), LEAK, True),
        (valgrind("Leak", "match-leak-kinds: definite,possible", "fun:?alloc", "..."), LEAK, True),
        (valgrind("Leak", "match-leak-kinds: reachable", "fun:malloc", "..."), LEAK, False),
        (valgrind("Leak", "match-leak-kinds:all", "...", "fun:main"), LEAK, True),
        (valgrind("Leak", "fun:_Znwm", "..."), LEAK, False),
        (valgrind("Leak", "fun:strdup", "..."), LEAK, False),
        ("{\n a\n Helgrind,Memcheck:Addr4\n fun:put\n}", WRITE, True),
        (valgrind("Cond", "fun:put"), BRANCH, True),
        (valgrind("Cond", "fun:put"), WRITE, False),
        (valgrind("Cond", "fun:put"), INDEX, False),
        (valgrind("Value8", "fun:put"), INDEX, True),
        (valgrind("Value8", "fun:put"), BRANCH, False),
        (valgrind("Addr8", "fun:put"), INDEX, False),
        (valgrind("Cond", "fun:vfprintf", "fun:printf", "fun:_ZN3foo*"), PRINTED, True),
        (valgrind("Value8", "fun:printf", "fun:_ZN3foo*"), PRINTED, True),
        (valgrind("Cond", "fun:puts", "fun:_ZN3foo*"), PRINTED, False),
        (valgrind("Cond", "fun:memcmp", "..."), COMPARED, True),
        (valgrind("Param", "write(buf)", "fun:write", "fun:_ZN3foo*"), WRITTEN, True),
        (valgrind("Param", "read(buf)", "..."), WRITTEN, False),
        (valgrind("Cond", "fun:write", "..."), WRITTEN, False),
        (valgrind("Param", "exit_group(status)", "..."), STATUS, True),
        (valgrind("Param", "write(buf)", "..."), STATUS, False),
    ],
)
def test_valgrind_entries(text: str, finding: Finding, matches: bool) -> None:
    assert suppressed(text, finding) is matches


def test_a_lost_block_that_only_lost_blocks_hold_is_indirect() -> None:
    indirect = changed(LEAK, leak=Leak(2, 20, 2, 20, kind=LeakKind.INDIRECT))
    text = valgrind("Leak", "match-leak-kinds: indirect", "...")
    assert suppressed(text, indirect) and not suppressed(text, LEAK)


def test_valgrind_entries_without_a_use_are_noted() -> None:
    text = valgrind("Mempool", "fun:f") + valgrind("Mempool", "fun:g") + "{\n x\n Helgrind:Race\n fun:f\n}\n"
    file = parse(text + valgrind("Addr1", "fun:f"), "v.supp")
    assert [(entry.name, entry.line) for entry in file.entries] == [("a name", 16)]
    assert file.notes == (
        "v.supp: 2 entries are not used: no rule is about Memcheck:Mempool",
        "v.supp: 1 entries are not used: they are for Helgrind",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (valgrind("Leek"), "x.supp:3: Memcheck has no kind 'Leek' (did you mean 'Leak'?)"),
        (valgrind("Leak", "match-leak-kinds: lost"), "x.supp:4: unknown kind of leak 'lost'"),
        (valgrind("Free", "funny:free"), "x.supp:4: expected fun:, obj:, src: or '...', found 'funny:free'"),
        ("{\n a\n Memcheck:Free\n fun:x\n", "x.supp:1: the entry that begins here has no '}'"),
        ("{\n a\n Memcheck:Free\n{\n}", "x.supp:1: the entry that begins here has no '}'"),
        ("{\n a\n}\n", "x.supp:1: an entry needs a name and a kind"),
        ("{\n a\n Free\n}\n", "x.supp:3: expected TOOL:KIND"),
        (valgrind("Free", "fun:free") + "fun:x\n", "x.supp:6: expected '{'"),
    ],
)
def test_mistakes_in_valgrind_files(text: str, message: str) -> None:
    with pytest.raises(UserMistake) as caught:
        parse(text, "x.supp")
    assert str(caught.value).startswith(message)


# ---- AddressSanitizer and LeakSanitizer -------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "finding", "matches"),
    [
        ("leak:strdup", LEAK, True),
        ("leak:foo::fi", LEAK, True),
        ("leak:foo::fill(int)", LEAK, True),  # with the parameters, as sanitizers name it
        ("leak:^foo::f*l$", LEAK, True),
        ("leak:^fill", LEAK, False),
        ("leak:libfoo.so", LEAK, True),
        ("leak:put.c", LEAK, True),
        ("leak:libbar", LEAK, False),
        ("leak:*", WRITE, False),
        ("interceptor_name:strcpy", STRCPY, True),
        ("interceptor_via_fun:main", STRCPY, True),
        ("interceptor_via_lib:libfoo", STRCPY, True),
        ("interceptor_via_lib:libbar", STRCPY, False),
        ("interceptor_via_fun:main", WRITE, False),  # an access of the program's own
    ],
)
def test_sanitizer_lines(line: str, finding: Finding, matches: bool) -> None:
    assert suppressed(f"# comment\n\n{line}\n", finding) is matches


def test_lines_for_other_sanitizers_are_noted() -> None:
    file = parse("race:f\nvptr:g\nleak:h\n", "s.supp")
    assert [entry.name for entry in file.entries] == ["leak:h"]
    assert len(file.notes) == 2 and "ThreadSanitizer" in file.notes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("leek:x", "x.supp:1: unknown kind 'leek' (did you mean 'leak'?)"),
        ("leak:x\nno colon", "x.supp:2: unknown kind 'no colon'"),
        ("leak:", "x.supp:1: 'leak:' without a template"),
        ("<xml>", "x.supp:1: cannot tell what kind of suppressions this is from '<xml>'"),
    ],
)
def test_mistakes_in_sanitizer_files(text: str, message: str) -> None:
    with pytest.raises(UserMistake) as caught:
        parse(text, "x.supp")
    assert str(caught.value).startswith(message)


# ---- all of them ------------------------------------------------------------------------------------


@given(st.text(max_size=200) | st.text('{}\n: frameuLkMchst*?."\\#=', max_size=80))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        parse(text, "x.supp")
    except UserMistake as mistake:
        assert str(mistake).startswith("x.supp:")


def test_sorting_counts_by_entry() -> None:
    text = valgrind("Free", "...", "fun:main") + valgrind("Jump", "fun:x")
    sorted_ = Suppressions.of([parse(text, "v.supp")]).sort([WRITE, FREE, FREE, LEAK])
    assert list(sorted_.findings) == deduplicate([WRITE, LEAK])
    assert [(use.file, use.line, [f.occurrences for f in use.findings]) for use in sorted_.uses] == [
        ("v.supp", 1, [2]),
        ("v.supp", 7, []),
    ]


def test_the_documented_example_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "suppressions.md").read_text()
    example = next(part for part in page.split("```\n") if part.startswith("# Comments"))
    (entry,) = parse(example, "x.supp").entries
    assert entry.name == "the old parser" and len(getattr(entry, "frames", ())) == 3
