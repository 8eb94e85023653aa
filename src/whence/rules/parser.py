"""Rule text to the model, untyped: grammar, word lookup, arity and literals.

What needs more than one phrase to judge (names, types, bindings) is the
checker's. Both collect into the same `Problems`, so a file is judged whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from whence.rules.builder import build
from whence.rules.model import RuleFile
from whence.rules.problems import Place, Problems, expected

MAX_DEPTH = 60
"""Nesting levels of one declaration, so that every later walk may recurse."""
MAX_SYNTAX_ERRORS = 20
MAX_BYTES = 1 << 20

_ITEM_START = re.compile(r"^[ \t]*(rule|define)\b", re.MULTILINE)

_TERMINALS = {
    "NAME": "a name",
    "RULE_NAME": "a rule name",
    "NUMBER": "a number",
    "STRING": 'a "string"',
    "COMPARE": "a comparison",
    "SHIFT": "an operator",
    "PRODUCT": "an operator",
    "PLUS": "an operator",
    "BIT_OR": "an operator",
    "BIT_XOR": "an operator",
    "BIT_AND": "an operator",
    "MINUS": "'-'",
    "WILDCARD": "'_'",
    "$END": "the end of the file",
}


@cache
def _grammar() -> Lark:
    text = resources.files("whence.rules").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", propagate_positions=True)


def decode(data: bytes, path: str, problems: Problems) -> str | None:
    """The text of a rule file, or None after adding why it is none."""
    if len(data) > MAX_BYTES:
        problems.add(Place(path, 1, 1), f"a rule file has at most {MAX_BYTES} bytes, this one has more")
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8 text"
        problems.add(Place(path, line, column), message)
        return None


def parse_text(text: str, path: str, problems: Problems) -> RuleFile:
    """The declarations of one file that could be read; mistakes go to `problems`."""
    if "\0" in text:
        problems.add(_place_of(text, text.index("\0"), path), "NUL byte in a rule file; is this a text file?")
        return RuleFile(path, (), ())
    before = len(problems.found)
    tree = _parse_recovering(text, path, problems)
    if tree is None:
        return RuleFile(path, (), ())
    if not tree.children and len(problems.found) == before:
        problems.add(Place(path, 1, 1), "the file holds no 'rule' and no 'define'")
    return build(_shallow(tree, path, problems), path, problems)


def _place_of(text: str, offset: int, path: str) -> Place:
    line_start = text.rfind("\n", 0, offset) + 1
    return Place(path, text.count("\n", 0, offset) + 1, offset - line_start + 1)


def _parse_recovering(text: str, path: str, problems: Problems) -> Tree[Token] | None:
    """Parses; at a syntax error, blanks the declaration it is in and tries again."""
    for _ in range(MAX_SYNTAX_ERRORS):
        try:
            return _grammar().parse(text)
        except UnexpectedInput as error:
            offset = _offset(error, text)
            problems.add(_place_of(text, offset, path), _syntax_message(error, text, offset))
            text = _without_declaration(text, offset)
    return None


def _offset(error: UnexpectedInput, text: str) -> int:
    at_end = isinstance(error, UnexpectedEOF) or (
        isinstance(error, UnexpectedToken) and error.token.type == "$END"
    )
    if at_end or error.pos_in_stream is None:
        return len(text.rstrip())
    return error.pos_in_stream


def _without_declaration(text: str, offset: int) -> str:
    """Blanks the `rule` or `define` around `offset`, keeping all other positions."""
    starts = [match.start(1) for match in _ITEM_START.finditer(text)]
    # An error at the first word of a declaration is the fault of the one before.
    begin = max((start for start in starts if start < offset), default=offset)
    end = min((start for start in starts if start >= offset and start > begin), default=len(text))
    blank = re.sub(r"[^\n]", " ", text[begin:end])
    return text[:begin] + blank + text[end:]


def _syntax_message(error: UnexpectedInput, text: str, offset: int) -> str:
    if text[offset : offset + 1] == '"':
        return _string_message(text, offset)
    if isinstance(error, UnexpectedCharacters):
        found = f"character {text[offset]!r}"
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        found = f"'{error.token}'"
    else:
        found = "end of the file"
    return f"unexpected {found} {expected(_expected_words(text[:offset]))}"


def _string_message(text: str, offset: int) -> str:
    rest = text[offset:].split("\n", 1)[0]
    if re.match(r'"(\\.|[^"\\])*"', rest):
        return "a string cannot stand here"
    return "unterminated string: it must end with '\"' on the same line"


def _expected_words(before: str) -> list[str]:
    """What could follow the text before the mistake."""
    state = _grammar().parse_interactive(before)
    state.exhaust_lexer()
    accepted: set[str] = state.accepts()  # type: ignore[no-untyped-call]
    words = {_terminal_word(name) for name in accepted}
    return sorted(words, key=lambda word: word.strip("'"))


def _terminal_word(name: str) -> str:
    known = _TERMINALS.get(name)
    if known is not None:
        return known
    pattern = next((terminal.pattern for terminal in _grammar().terminals if terminal.name == name), None)
    return f"'{pattern.value}'" if pattern is not None else name.lower()


def _shallow(tree: Tree[Token], path: str, problems: Problems) -> list[Tree[Token]]:
    """The declarations that are not nested too deeply to be walked."""
    kept = []
    for item in tree.children:
        assert isinstance(item, Tree)
        deepest = max(_depths(item), key=lambda found: found[0])
        if deepest[0] <= MAX_DEPTH:
            kept.append(item)
        else:
            meta = item.meta
            problems.add(
                Place(path, meta.line, meta.column),
                f"nested {deepest[0]} levels deep (at most {MAX_DEPTH}): define predicates for the parts",
            )
    return kept


def _depths(tree: Tree[Token]) -> Iterator[tuple[int, Tree[Token]]]:
    """(depth, node) for all nodes, without recursion."""
    stack = [(1, tree)]
    while stack:
        depth, node = stack.pop()
        yield depth, node
        stack.extend((depth + 1, child) for child in node.children if isinstance(child, Tree))
