"""The parser and the printer: only `RuleError`, whatever the text; canonical text reads back equal."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.rules.random_rules import BASE
from tests.rules.strategies import DEFINITIONS, rule_texts

from whence.rules import RuleError, RuleSet, load_standard, load_texts
from whence.rules import model as m
from whence.rules.parser import parse_text
from whence.rules.printer import print_file
from whence.rules.problems import Problems
from whence.rules.ruleset import STANDARD_FILES
from whence.rules.vocabulary import RESERVED

FOLDER = resources.files("whence.rules")
SHIPPED = [FOLDER.joinpath("standard", name).read_text() for name in STANDARD_FILES]
EXAMPLES = [path.read_text() for path in sorted((Path(__file__).parents[2] / "examples").glob("*.rules"))]
QUICK = settings(max_examples=examples(300))

# ---- fuzz ----


def load(data: bytes) -> RuleSet | None:
    """The rules, or None after a `RuleError` whose every place lies in the file."""
    try:
        return load_texts([("f.rules", data)], BASE)
    except RuleError as error:
        assert error.problems
        lines = data.decode(errors="replace").split("\n")
        for problem in error.problems:
            assert problem.place.file == "f.rules"
            assert 1 <= problem.place.line <= len(lines)
            assert 1 <= problem.place.column <= len(lines[problem.place.line - 1]) + 1
            assert problem.message and "\n" not in problem.message
        return None


SYMBOLS = r"( ) , : := -> == != < <= << + - * / % & | ^ _ 1 0x10 0x # \" "
NAMES = "r bid r1 Bid Begin FindLast Freed H F P L Closed Width Now NULL malloc free call deref off all a-b"
CLAUSES = ['"title"', '"', "\n", "severity", "default", "cwe", "advice", "error", "wider"]
WORDS = [*sorted(RESERVED), *SYMBOLS.split(" "), *NAMES.split(), *CLAUSES]


@QUICK
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_random_bytes(data: bytes) -> None:
    load(data)


@QUICK
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_random_words(text: str) -> None:
    load(text.encode())


@pytest.mark.long
@QUICK
@given(st.data(), st.sampled_from([*SHIPPED, *EXAMPLES, DEFINITIONS]))
def test_mutated_files(data: st.DataObject, text: str) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 12)))
        text = text[:begin] + data.draw(st.one_of(st.sampled_from(WORDS), st.text(max_size=4))) + text[end:]
    load(text.encode(errors="surrogatepass"))


@pytest.mark.long
@QUICK
@given(st.data(), rule_texts())
def test_mutated_rules(data: st.DataObject, text: str) -> None:
    tokens = re.findall(r'"[^"]*"|[\w]+|\s+|.', text)
    i = data.draw(st.integers(0, len(tokens) - 1))
    tokens[i] = data.draw(st.sampled_from([*WORDS, *tokens]))
    load("".join(tokens).encode())


# ---- round trip ----

variables = st.sampled_from(["r", "bid", "k", "x1", "_a", "allocated"]).map(m.Variable)
numbers = st.builds(m.Number, st.integers(0, (1 << 64) - 1), st.booleans())
constants = st.sampled_from(["NULL", "NullPage", "Width", "Now", "Root", "Closed"]).map(m.Constant)
OPERATORS = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]


def _terms(inner: st.SearchStrategy[m.Term]) -> st.SearchStrategy[m.Term]:
    one = st.builds(lambda name, arg: m.Apply(name, (arg,)), st.sampled_from(["Bid", "Size", "Value"]), inner)
    return st.one_of(
        one, st.builds(m.Binary, st.sampled_from(OPERATORS), inner, inner), st.builds(m.Negative, inner)
    )


terms = st.recursive(st.one_of(variables, numbers, constants), _terms, max_leaves=6)
wildcards = st.builds(m.Wildcard)
quoted = st.sampled_from(["ns::f(int)", "main", 'a"b\\']).map(lambda name: m.FunctionName(name, True))
arguments = st.one_of(terms, wildcards, quoted)
events = st.one_of(
    *(
        st.builds(m.EventPattern, st.just(name), arguments, st.tuples(*[arguments] * count))
        for name, count in (("malloc", 2), ("free", 2), ("call", 2), ("ret", 2), ("write", 3))
    )
)
blocks = st.builds(m.BlockPattern, st.one_of(variables, wildcards))
pointers = st.builds(m.PointerPattern, arguments, arguments, arguments)


def _formulas(inner: st.SearchStrategy[m.Formula]) -> st.SearchStrategy[m.Formula]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    patterns = st.one_of(
        st.tuples(events, st.just("trace")),
        st.tuples(blocks, st.sampled_from("HF")),
        st.tuples(pointers, st.sampled_from("PL")),
    )
    quantifiers = st.sampled_from([m.Exists, m.ForAll])
    return st.one_of(
        st.builds(m.Not, inner),
        st.builds(m.And, several),
        st.builds(m.Or, several),
        st.builds(m.Implies, inner, inner),
        st.builds(lambda make, pattern, body: make(*pattern, body), quantifiers, patterns, inner),
    )


atoms = st.one_of(
    st.builds(m.Truth, st.booleans()),
    st.builds(m.Compare, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), terms, terms),
    st.builds(m.Call, st.sampled_from(["Freed", "P"]), st.lists(arguments, max_size=3).map(tuple)),
    st.builds(m.FindLast, events),
)
formulas = st.recursive(atoms, _formulas, max_leaves=8)
strings = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20).filter(str.strip)
predicates = st.builds(
    m.Predicate, st.sampled_from(["Freed", "isAlive"]), st.just((m.Variable("x"), m.Variable("y"))), formulas
)
points = st.sampled_from(
    [
        m.DetectionPoint("deref", (m.Variable("r", m.Type.POINTER),)),
        m.DetectionPoint("free", (m.Wildcard(),)),
        m.DetectionPoint("call", (m.FunctionName("main"), m.Variable("v", m.Type.WORD))),
        m.DetectionPoint("ret", (m.FunctionName("std::f()", True), m.Wildcard())),
        m.DetectionPoint("malloc", (m.Variable("n", m.Type.INT), m.Wildcard())),
    ]
)
rules = st.builds(
    m.Rule,
    name=st.sampled_from(["a", "use-after-free", "x2"]),
    title=strings,
    point=points,
    condition=formulas,
    trace=st.lists(terms, max_size=2).map(tuple),
    severity=st.sampled_from(["error", "warning"]),
    default_on=st.booleans(),
    cwe=st.lists(st.integers(0, 2000), max_size=2).map(tuple),
    advice=st.one_of(st.just(""), strings),
    errors=st.sampled_from([(), ("bug-a",), ("bug-a", "b2")]),
    wider=st.just(""),
)
bugs = st.just(("bug-a",))
wider_rules = st.builds(m.Rule, st.just("a"), strings, points, formulas, errors=bugs, wider=strings)
some_rules = st.lists(st.one_of(rules, wider_rules), max_size=2).map(tuple)


@pytest.mark.long
@QUICK
@given(st.lists(predicates, max_size=2).map(tuple), some_rules)
def test_canonical_text_reads_back_equal(some: tuple[m.Predicate, ...], more: tuple[m.Rule, ...]) -> None:
    assume(some or more)
    file = m.RuleFile("f.rules", some, more)
    text = print_file(file)
    problems = Problems()
    again = parse_text(text, "f.rules", problems)
    assert problems.found == []
    assert again == file
    assert print_file(again) == text


def before(shipped: str) -> RuleSet | None:
    """The shipped files whose definitions a shipped file may use."""
    earlier = SHIPPED[: SHIPPED.index(shipped)]
    return (
        load_texts([(f"{at}.rules", text.encode()) for at, text in enumerate(earlier)]) if earlier else None
    )


@pytest.mark.parametrize("text", [*SHIPPED, *EXAMPLES, DEFINITIONS])
def test_canonical_text_of_files_means_the_same(text: str) -> None:
    standard = load_standard() if text not in SHIPPED else before(text)
    first = load_texts([("f.rules", text.encode())], standard)
    count = len(standard.rules) if standard else 0
    names = len(standard.predicates) if standard else 0
    domains = first.domains[len(standard.domains) if standard else 0 :]
    printed = print_file(m.RuleFile("f.rules", first.predicates[names:], first.rules[count:], domains))
    second = load_texts([("f.rules", printed.encode())], standard)
    assert second == first
    assert second.select(["all"]).key() == first.select(["all"]).key()


@pytest.mark.long
@QUICK
@given(rule_texts())
def test_random_rules_read_back_equal_after_checking(text: str) -> None:
    rules_ = load(text.encode())
    assume(rules_ is not None)
    again = load(str(rules_.rules[-1]).encode())
    assert again == rules_
    assert str(again.rules[-1]) == str(rules_.rules[-1])


# ---- reading ----


def condition(text: str) -> m.Formula:
    file = parse_text(f'rule a "a" at free r when {text}', "f.rules", Problems())
    return file.rules[0].condition


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        ("not a == b and c == d", "((not (a == b)) and (c == d))"),
        ("a == 1 or b == 2 and c == 3", "(a == 1 or (b == 2 and c == 3))"),
        ("a == 1 implies b == 2 implies c == 3", "(a == 1 implies (b == 2 implies c == 3))"),
        ("exists b in H : b == c and true", "(exists b in H : (b == c and true))"),
        ("a + b * c == d - e - f", "((a + (b * c)) == ((d - e) - f))"),
        ("a & 1 == 1", "((a & 1) == 1)"),
        ("a | b ^ c & d << e == 0", "((a | (b ^ (c & (d << e)))) == 0)"),
        ("- a * b == -(a * b)", "(((-a) * b) == (-(a * b)))"),
    ],
)
def test_precedence(text: str, explicit: str) -> None:
    assert condition(text) == condition(explicit)
    assert condition(text) != m.Truth(True)


def test_layout_and_comments_do_not_matter() -> None:
    tight = 'rule a "a" at free r when r==NULL'
    loose = '# first\n\n  rule a\t"a" # title\r\n at free r\n when r # pointer\n == NULL\n'
    assert parse_text(tight, "f", Problems()) == parse_text(loose, "f", Problems())


def test_the_grammar_reserves_the_reserved_words() -> None:
    grammar = FOLDER.joinpath("grammar.lark").read_text()
    found = re.findall(r"\(\?!\(([a-z|]+)\)", grammar)
    assert len(found) == 2
    assert all(set(words.split("|")) == RESERVED for words in found)
