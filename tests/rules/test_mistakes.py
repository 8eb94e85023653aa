"""Each kind of mistake: one clear sentence, at the exact place."""

from __future__ import annotations

from pathlib import Path

import pytest

import whence.rules
from whence.errors import ExitCode, UserMistake
from whence.rules import RuleError, load_files, load_standard, load_texts
from whence.rules.vocabulary import POINTS


def complaints(text: str | bytes) -> list[str]:
    """The messages for a file `f.rules` that may use the standard library."""
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(RuleError) as caught:
        load_texts([("f.rules", data)], load_standard())
    assert caught.value.exit_code is ExitCode.USAGE
    return str(caught.value).splitlines()


def rule(condition: str, point: str = "free r", trace: str = "") -> str:
    """A rule on one line; the condition starts at column 1 of line 2."""
    return f'rule x "x" at {point} when\n{condition}{" trace " + trace if trace else ""}'


_HEAP = (Path(whence.rules.__file__).parent / "standard" / "heap.rules").read_text()
_LINE_OF_DOUBLE_FREE = _HEAP[: _HEAP.index("rule double-free ")].count("\n") + 1

TEXTS = {
    # files
    b"": "f.rules:1:1: the file holds no 'rule' and no 'define'",
    b"# only a comment\n": "f.rules:1:1: the file holds no 'rule' and no 'define'",
    b"define A(x) := \xff": "f.rules:1:16: byte 0xff is not UTF-8; save the file as UTF-8 text",
    b"# \xc3\xa9\n\xc3\xa9\xc3": "f.rules:2:2: byte 0xc3 is not UTF-8; save the file as UTF-8 text",
    b"rule \0": "f.rules:1:6: NUL byte in a rule file; is this a text file?",
    b" " * ((1 << 20) + 1): "f.rules:1:1: a rule file has at most 1048576 bytes, this one has more",
    # syntax
    b'rule a "never ends\n at free r': "f.rules:1:8: "
    "unterminated string: it must end with '\"' on the same line",
    b'rule a "x" at free r when': "f.rules:1:26: unexpected end of the file "
    "(expected one of: '(', '-', '_', a \"string\", a name, a number, "
    "'exists', 'false', 'forall', 'not', 'true')",
    b'rule a "x" colour red': "f.rules:1:12: unexpected 'colour' "
    "(expected one of: 'advice', 'at', 'cwe', 'default', 'error', 'severity', 'wider')",
    b'rule a "x" error A at free r when true': "f.rules:1:18: bad error state 'A': "
    "write lower-case words joined by '-' (bug-overflow)",
    b'rule a "x" error b, c, b at free r when true': "f.rules:1:24: error state 'b' is given twice",
    b'rule a "x" error b wider " " at free r when true': "f.rules:1:26: 'wider' gives no reason: "
    "say where the rule fires although no error is next",
    b'rule a "x" wider "y" at free r when true': "f.rules:1:1: 'wider' without 'error': "
    "name the error state that the rule is wider than",
    b'rule a "x" at free r when r == $': "f.rules:1:32: unexpected character '$' "
    "(expected one of: '(', '-', '_', a \"string\", a name, a number, 'exists', 'false', 'forall', 'true')",
    b"rule": "f.rules:1:5: unexpected end of the file (expected one of: a rule name)",
    b'rule a "x" at free r when r == NULL ]': "f.rules:1:37: unexpected character ']' (expected one of: "
    "'(', '-', an operator, 'and', 'define', 'domain', 'implies', 'or', 'rule', the end of the file, "
    "'trace')",
    b'rule a "x" at free r when r < r < r': "f.rules:1:33: unexpected '<' (expected one of: "
    "'(', '-', an operator, 'and', 'define', 'domain', 'implies', 'or', 'rule', the end of the file, "
    "'trace')",
    # declarations
    b'rule A-b "x" at free r when true': "f.rules:1:6: bad rule name 'A-b': "
    "write lower-case words joined by '-' (double-free)",
    b'rule all "x" at free r when true': "f.rules:1:6: "
    "'all' is a word of the language and cannot name a rule",
    b'rule a " " at free r when true': "f.rules:1:8: the title is empty: say in a few words what the bug is",
    b'rule a "x\\n" at free r when true': "f.rules:1:10: unknown escape '\\n' (expected one of: \\\", \\\\)",
    b'rule a "x" severity bad at free r when true': "f.rules:1:21: unknown severity 'bad' "
    "(expected one of: error, warning)",
    b'rule a "x" default maybe at free r when true': "f.rules:1:20: unknown default 'maybe' "
    "(expected one of: on, off)",
    b'rule a "x" cwe 1 cwe 2 at free r when true': "f.rules:1:18: 'cwe' is given twice",
    b'rule a "x" at derefx r when true': "f.rules:1:15: unknown detection point 'derefx' "
    f"(expected one of: {', '.join(POINTS)})",
    b'rule a "x" at copy r n s when true': "f.rules:1:15: "
    "detection point 'copy' has 4 names, not 3: at copy r n s m",
    b'rule a "x" at malloc n _ when By == New': "f.rules:1:31: "
    "'By' has no meaning at 'malloc' (only at free and alloc)",
    b"define New(x) := x == NULL": "f.rules:1:8: 'New' is a word of the language and cannot be defined",
    b'rule a "x" at free when true': "f.rules:1:15: detection point 'free' has 1 names, not 0: at free r",
    b'rule a "x" at call f when true': "f.rules:1:15: detection point 'call' has 2 to 7 names, not 1: "
    "at call f v [second] [third] [fourth] [fifth] [sixth]",
    b'rule a "x" at ret f v a b c d e g h when true': "f.rules:1:15: "
    "detection point 'ret' has 2 to 8 names, not 9: "
    "at ret f v [first] [second] [third] [fourth] [fifth] [sixth]",
    b'rule a "x" at call f v w v when true': "f.rules:1:15: name 'v' stands twice in the detection point",
    b'rule a "x" at call f v w when w == v and x == w': "f.rules:1:42: "
    "unknown variable 'x' (known here: v, w)",
    b'rule a "x" at call f v w when w == Bid(v)': "f.rules:1:31: "
    "'==' compares w, a word (pointer or integer), with Bid(v), a block",
    b'rule a "x" at malloc n n when true': "f.rules:1:15: name 'n' stands twice in the detection point",
    b'rule a "x" at call _ v when true': "f.rules:1:20: name the function to watch; "
    "'_' cannot stand for every function",
    b'rule a "x" at free "f" when true': 'f.rules:1:20: a "string" names a function; '
    "here a variable name or '_' is expected",
    b'rule a "x" at call "f\xc3\xa9" _ when true': 'f.rules:1:20: "f\u00e9" is not the name of a function: '
    "write its symbol, in printable ASCII",
    b'rule a "x" at free NULL when true': "f.rules:1:20: "
    "'NULL' names nothing new; write a variable name or '_'",
    b'rule double-free "x" at free r when true': "f.rules:1:6: rule 'double-free' is already defined "
    f"at heap.rules:{_LINE_OF_DOUBLE_FREE}:6",
    b"define Freed(r) := r == NULL": "f.rules:1:8: predicate 'Freed' is already defined at heap.rules:12:8",
    b"define Size(r) := r == NULL": "f.rules:1:8: 'Size' is a word of the language and cannot be defined",
    b"define A(x, x) := x == NULL": "f.rules:1:13: parameter 'x' stands twice in 'A'",
    b"define A(x, y) := x == NULL": "f.rules:1:13: parameter 'y' of 'A' is not used",
    b"define A(NULL) := NULL == 1": "f.rules:1:10: "
    "'NULL' is a word of the language and cannot name a variable",
    b"define A(x) := B(x)\ndefine B(x) := A(x)": "f.rules:2:16: "
    "predicate 'A' is defined by itself: A -> B -> A",
    b'define B(x) := Begin(x + 1) == NULL\nrule a "x" at free r when B(Now)': "f.rules:2:29: "
    "Now, a time, stands where a word (pointer or integer) is expected",
    b"define A(x) := A(x)": "f.rules:1:16: predicate 'A' is defined by itself: A -> A",
}

CONDITIONS = {
    # words
    "Alocated(r)": "f.rules:2:1: unknown predicate 'Alocated' (did you mean 'Allocated'?)",
    "q == NULL": "f.rules:2:1: unknown variable 'q' (known here: r)",
    "exists (_, alloc, _, b) in trace": "f.rules:2:12: unknown event 'alloc' "
    "(expected one of: malloc, free, call, ret, write)",
    "FindLast(_, frees, _, b)": "f.rules:2:13: unknown event 'frees' "
    "(expected one of: malloc, free, call, ret, write)",
    "exists b in G": "f.rules:2:13: unknown domain 'G' (expected one of: trace, H, F, P, L)",
    "Sizes(r) == 1": "f.rules:2:1: 'Sizes(…)' is not a value (did you mean 'Size'?) "
    "(expected one of: Bid, Begin, End, Size, Idx, Family, Align, Kind, Time, Value, Labels, ListLabels)",
    # arity
    "Allocated(r, r)": "f.rules:2:1: 'Allocated(r)' takes 1 argument, not 2",
    "Size(r, r) == 1": "f.rules:2:1: 'Size' takes 1 argument, not 2",
    "Value() == 1": "f.rules:2:1: 'Value' takes 1 or 2 arguments, not 0",
    "Value(r, 3) == 1": "f.rules:2:10: the second argument of 'Value' is the number of bytes to load "
    "(expected one of: 1, 2, 4, 8)",
    "exists (_, malloc, b) in trace": "f.rules:2:8: event 'malloc' has 2 fields, not 1: (k, malloc, n, bid)",
    "exists (_, ret, f) in trace": "f.rules:2:8: event 'ret' has 2 to 8 fields, not 1: "
    "(k, ret, f, v, [first], [second], [third], [fourth], [fifth], [sixth])",
    "FindLast(k)": "f.rules:2:1: FindLast needs a time and an event: (k, event, …)",
    "exists r2 in trace": "f.rules:2:8: an element of 'trace' is written (k, event, …)",
    "exists (_, malloc, _, b) in H": "f.rules:2:8: an element of 'H' is written as one name",
    "exists b in P": "f.rules:2:8: an element of 'P' is written (r -> (bid, i))",
    "forall b in H": "f.rules:2:1: 'forall' needs a condition: forall … in … : condition",
    # types
    "Time(r) > 1": "f.rules:2:6: r, a pointer, stands where a block is expected",
    "Bid(r) < 5": "f.rules:2:1: Bid(r), a block, stands where a number is expected",
    "Bid(r) == 5": "f.rules:2:1: '==' compares Bid(r), a block, with 5, a number",
    "r == Size(r)": "f.rules:2:1: '==' compares r, a pointer, with Size(r), an integer",
    "r + r == NULL": "f.rules:2:1: '+' cannot be applied to r, a pointer, and r, a pointer",
    "Now + Now == Now": "f.rules:2:1: '+' cannot be applied to Now, a time, and Now, a time",
    "-r < 3": "f.rules:2:2: r, a pointer, stands where an integer is expected",
    "exists (_, malloc, _, 5) in trace": "f.rules:2:23: 5, a number, stands where a block is expected",
    'exists (_, call, "f", "g") in trace': "f.rules:2:23: a function name stands where "
    "a word (pointer or integer) is expected",
    "FindLast(_, call, 5, _)": "f.rules:2:19: 5 stands where the name of a function is expected",
    'Allocated("r")': "f.rules:2:11: a function name stands where a pointer is expected",
    # conditions and values
    "r": "f.rules:2:1: a value stands where a condition is expected; compare it with something",
    "Bid(r)": "f.rules:2:1: 'Bid(…)' is a value, not a condition; compare it with something",
    "_": "f.rules:2:1: '_' stands where a condition is expected",
    '"f"': "f.rules:2:1: a string stands where a condition is expected",
    "r == (r == r)": "f.rules:2:7: a comparison cannot be an operand of '==': a value is expected",
    "(not true) + 1 == 2": "f.rules:2:2: a condition cannot be an operand of '+': a value is expected",
    # numbers
    "r == 0x": "f.rules:2:6: bad number '0x': write decimal digits (no leading 0), or 0x and hex digits",
    "r == 12ab": "f.rules:2:6: bad number '12ab': write decimal digits (no leading 0), or 0x and hex digits",
    "r == 017": "f.rules:2:6: bad number '017': write decimal digits (no leading 0), or 0x and hex digits",
    "r == 18446744073709551616": "f.rules:2:6: number '18446744073709551616' does not fit in 64 bits "
    "(at most 0xffffffffffffffff)",
    "r == " + "9" * 5000: "f.rules:2:6: number '" + "9" * 24 + "' does not fit in 64 bits "
    "(at most 0xffffffffffffffff)",
    # wildcards
    "r == _": "f.rules:2:6: '_' cannot be an operand of '==': "
    "it can stand only in patterns and as an argument of a predicate",
    "Size(_) == 3": "f.rules:2:6: '_' cannot be an argument of 'Size': "
    "it can stand only in patterns and as an argument of a predicate",
    "Allocated(_)": "f.rules:2:11: '_' cannot stand for 'r' of 'Allocated', which needs a value",
    # names
    "exists r in H": "f.rules:2:8: 'r' already has a meaning here; give the block another name",
    "exists NULL in H": "f.rules:2:8: a block of H or F is a new name or '_', not NULL",
    "exists (k, malloc, k, _) in trace": "f.rules:2:20: 'k' stands twice in this pattern",
    # points
    "Root == r": "f.rules:2:1: 'Root' has no meaning at 'free' (only at deref, deref_r and deref_w)",
    "Width == 3": "f.rules:2:1: 'Width' has no meaning at 'free' (only at deref, deref_r and deref_w)",
    "Outside(r)": "f.rules:2:1: 'Width' has no meaning at 'free' (only at deref, deref_r and deref_w)",
    "Kind(r) == 1": "f.rules:2:1: '==' compares Kind(r), a kind of memory, with 1, a number",
    "Family(r) < 1": "f.rules:2:1: Family(r), a family, stands where a number is expected",
    "Family(r) == Stack": "f.rules:2:1: '==' compares Family(r), a family, with Stack, a kind of memory",
    "FindLast(k, free, _, _) and k > Now": "f.rules:2:29: this refers to the future: "
    "the trace holds the events before Now, none is later",
    "Time(Bid(r)) == Now + 5": "f.rules:2:17: this refers to the future: "
    "a rule can speak only of events before Now",
}

UNBOUND = (
    "is not bound here: no pattern or predicate that must hold gives it a value "
    "(use '_' for 'any', or bind it outside 'not' and in every alternative of 'or')"
)
BINDINGS = {
    ("not Freed(r, p)", ""): ["f.rules:2:14: 'p' " + UNBOUND],
    ("Freed(r, p) or r == NULL", "p"): ["f.rules:2:32: 'p' " + UNBOUND],
    ("Freed(r, p) implies p == r", ""): ["f.rules:2:10: 'p' " + UNBOUND],
    ("forall b in H : Freed(Begin(b), p)", ""): ["f.rules:2:33: 'p' " + UNBOUND],
    ("(Freed(r, p) or r == NULL) and p == r", ""): ["f.rules:2:32: 'p' " + UNBOUND],
    ("Freed(p, r)", ""): ["f.rules:2:7: 'p' " + UNBOUND],
    ("Freed(r, p + 1)", ""): ["f.rules:2:10: unknown variable 'p' (known here: r)"],
    ("Freed(r, p)", "q"): ["f.rules:2:19: unknown variable 'q' (known here: p, r)"],
}


@pytest.mark.parametrize("text", TEXTS, ids=[str(i) for i in range(len(TEXTS))])
def test_file(text: bytes) -> None:
    assert complaints(text)[0] == TEXTS[text]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_condition(condition: str) -> None:
    assert complaints(rule(condition)) == [CONDITIONS[condition]]


@pytest.mark.parametrize(("condition", "trace"), BINDINGS)
def test_binding(condition: str, trace: str) -> None:
    assert complaints(rule(condition, trace=trace)) == BINDINGS[condition, trace]


def test_trace_needs_values() -> None:
    assert complaints(rule("true", trace="_")) == [
        "f.rules:2:12: '_' cannot be a value to trace: "
        "it can stand only in patterns and as an argument of a predicate"
    ]


def test_all_mistakes_of_all_files_are_reported_in_order() -> None:
    first = b'rule a "x" at derefx r when q == NULL\nrule b "x" colour\nrule c "y" at free r when r == 017\n'
    second = b'rule a "x" at free r when Freed(r)\n'
    with pytest.raises(RuleError) as caught:
        load_texts([("2.rules", second), ("1.rules", first)], load_standard())
    places = [str(problem.place) for problem in caught.value.problems]
    assert places == [
        "1.rules:1:6",
        "1.rules:1:15",
        "1.rules:1:29",
        "1.rules:2:12",
        "1.rules:3:32",
        "2.rules:1:27",
    ]


def test_every_syntax_error_of_a_file_is_reported() -> None:
    text = 'define A(x) = x\n\nrule b\n\n  define C(\nrule d "x" at free r when r == NULL\n'
    assert [line.split(": ")[0] for line in complaints(text)] == [
        "f.rules:1:13",
        "f.rules:5:3",
        "f.rules:6:1",
    ]


def test_nesting_has_a_limit() -> None:
    deep = "not " * 500 + "true"
    assert "levels deep (at most 60)" in complaints(rule(deep))[0]
    chain = "\n".join(f"define A{i}(x) := A{i + 1}(x)" for i in range(2000)) + "\ndefine A2000(x) := x == 1"
    assert any("levels deep" in line or "too large" in line for line in complaints(chain))


def test_expansion_has_a_limit() -> None:
    blowup = "\n".join(f"define A{i}(x) := A{i + 1}(x) and A{i + 1}(x + x)" for i in range(40))
    assert "too large when its predicates are expanded" in complaints(blowup + "\ndefine A40(x) := x == 1")[0]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "none.rules", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(UserMistake) as caught:
            load_files([path])
        assert str(caught.value) == f"cannot read the rule file '{path}': {reason}"
    with pytest.raises(UserMistake, match="cannot read the rule file"):
        load_files(["a\0b"])
