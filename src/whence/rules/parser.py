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
from lark.exceptions import UnexpectedInput

from whence.rules.builder import build
from whence.rules.model import RuleFile
from whence.rules.problems import Place, Problems
from whence.rules.syntax_errors import explain, offset_of, place_of
from whence.rules.vocabulary import MAX_BYTES

MAX_DEPTH = 60
"""Nesting levels of one declaration, so that every later walk may recurse."""
MAX_SYNTAX_ERRORS = 20

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
        problems.add(place_of(text, text.index("\0"), path), "NUL byte in a rule file; is this a text file?")
        return RuleFile(path, (), ())
    before = len(problems.found)
    tree = _parse_recovering(text, path, problems)
    if tree is None:
        return RuleFile(path, (), ())
    if not tree.children and len(problems.found) == before:
        problems.add(Place(path, 1, 1), "the file holds no 'rule' and no 'define'")
    return build(_shallow(tree, path, problems), path, problems)


def _parse_recovering(text: str, path: str, problems: Problems) -> Tree[Token] | None:
    """Parses; at a syntax error, blanks the declaration it is in and tries again."""
    for _ in range(MAX_SYNTAX_ERRORS):
        try:
            return _grammar().parse(text)
        except UnexpectedInput as error:
            offset = offset_of(error, text)
            message = explain(_grammar(), _TERMINALS, error, text, offset)
            problems.add(place_of(text, offset, path), message)
            text = _without_declaration(text, offset)
    return None


def _without_declaration(text: str, offset: int) -> str:
    """Blanks the `rule` or `define` around `offset`, keeping all other positions."""
    starts = [match.start(1) for match in _ITEM_START.finditer(text)]
    # An error at the first word of a declaration is the fault of the one before.
    begin = max((start for start in starts if start < offset), default=offset)
    end = min((start for start in starts if start >= offset and start > begin), default=len(text))
    blank = re.sub(r"[^\n]", " ", text[begin:end])
    return text[:begin] + blank + text[end:]


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
