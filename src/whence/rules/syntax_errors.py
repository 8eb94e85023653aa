"""What a syntax error of a lark grammar means: one sentence, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from whence.errors.hints import expected
from whence.rules.problems import Place


def place_of(text: str, offset: int, path: str) -> Place:
    line_start = text.rfind("\n", 0, offset) + 1
    return Place(path, text.count("\n", 0, offset) + 1, offset - line_start + 1)


def offset_of(error: UnexpectedInput, text: str) -> int:
    """Where in the text the mistake is."""
    at_end = isinstance(error, UnexpectedEOF) or (
        isinstance(error, UnexpectedToken) and error.token.type == "$END"
    )
    if at_end or error.pos_in_stream is None:
        return len(text.rstrip())
    return error.pos_in_stream


def explain(
    grammar: Lark, terminals: Mapping[str, str], error: UnexpectedInput, text: str, offset: int
) -> str:
    """`unexpected 'x' (expected one of: …)`; `terminals` are words for those that are no plain strings."""
    if text[offset : offset + 1] == '"':
        return _string_message(text, offset)
    if isinstance(error, UnexpectedCharacters):
        found = f"character {text[offset]!r}"
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        found = f"'{error.token}'"
    else:
        found = "end of the file"
    return f"unexpected {found} {expected(_expected_words(grammar, terminals, text[:offset]))}"


def _string_message(text: str, offset: int) -> str:
    rest = text[offset:].split("\n", 1)[0]
    if re.match(r'"(\\.|[^"\\])*"', rest):
        return "a string cannot stand here"
    return "unterminated string: it must end with '\"' on the same line"


def _expected_words(grammar: Lark, terminals: Mapping[str, str], before: str) -> list[str]:
    """What could follow the text before the mistake."""
    state = grammar.parse_interactive(before)
    state.exhaust_lexer()
    accepted: set[str] = state.accepts()  # type: ignore[no-untyped-call]
    words = {_terminal_word(grammar, terminals, name) for name in accepted}
    return sorted(words, key=lambda word: word.strip("'"))


def _terminal_word(grammar: Lark, terminals: Mapping[str, str], name: str) -> str:
    known = terminals.get(name)
    if known is not None:
        return known
    pattern = next((terminal.pattern for terminal in grammar.terminals if terminal.name == name), None)
    return f"'{pattern.value}'" if pattern is not None else name.lower()
