"""The tokens of textual LLVM IR, and a cursor over one piece of it.

*References* keep their sigil and their quotes (``%x``, ``%"a b"``, ``@main``), as
in operands and in new text. `unquote` and `quote` convert to and from plain names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from whence.ir.errors import IRSyntaxError

NAME = r"(?:[-a-zA-Z$._0-9]+|\"[^\"\n]*\")"
LOCAL = "%" + NAME
GLOBAL = "@" + NAME
DEFINITION = re.compile(rf"^(define [^\n]*?({GLOBAL})\([^\n]*)\{{\n.*?^\}}", re.MULTILINE | re.DOTALL)
"""A function in the text of a module: its header, and its name in that."""
MAX_DIGITS = 18
"""The largest number of digits of the integers that whence reads (sizes, counts, numbers)."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FLAGS = word_set(
    "nuw nsw exact disjoint nneg samesign inbounds nusw fast nnan ninf nsz arcp contract afn reassoc"
)
"""Words between an opcode and its first operand that change neither operands nor types."""

LINKAGES = word_set(
    "private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr "
    "external"
)
PREEMPTION = word_set("dso_local dso_preemptable")
VISIBILITIES = word_set("default hidden protected")
STORAGE_CLASSES = word_set("dllimport dllexport")
UNNAMED_ADDR = word_set("unnamed_addr local_unnamed_addr")
CONVENTION = re.compile(r"cc \d+|[a-z_0-9]*cc(?:_\w+)?\b|(?:intel_ocl_bicc|spir_\w+|ptx_\w+)\b", re.ASCII)
ATTACHMENT = re.compile(r"!([-a-zA-Z$._\\][-\w$.\\]*) (!\d+)", re.ASCII)
ADDRESS_SPACE = re.compile(r"addrspace\((\d+)\)", re.ASCII)
GROUP = re.compile(r"#(\d+)", re.ASCII)
COMDAT = re.compile(r"comdat(?:\((\$[^)]*)\))?(?![\w(])", re.ASCII)

SIMPLE_ATTRIBUTE = r"(?!addrspace)(?:align \d{1,18}|[a-z_]+(?:\(\w+\))?)(?=[ ,)]|\Z)"
"""Attributes without quotes, types and nested parentheses."""
_SIMPLE_ATTRIBUTES = re.compile(SIMPLE_ATTRIBUTE, re.ASCII)
_FAST_ATTRIBUTE = re.compile(
    r"[ \t\n]*(noundef|nonnull|noalias|nocapture|signext|zeroext|immarg|returned|readonly|writeonly|readnone"
    r"|captures\(none\)|align \d{1,18}|dereferenceable(?:_or_null)?\(\d{1,18}\))(?=[ ,)])",
    re.ASCII,
)
_BLANKS = frozenset(" \t\n")
_NO_ATTRIBUTE = frozenset(("%", "@", "#", "{", "[", "<", "!", ")", ",", ""))

_PLAIN_VALUES = word_set("true false null undef poison none zeroinitializer")
_NEST = re.compile(r'"[^"]*"|[(\[{<]|[)\]}>]|"')
_SEPARATOR = re.compile(r'"[^"]*"|[(\[{<]|[)\]}>]|"|,')
_SPACE = re.compile(r"[ \t\n]*")
_NEXT_WORD = re.compile(r"[ \t\n]*([A-Za-z_][\w.]*)?", re.ASCII)
_INTEGER = re.compile(r"-?\d+", re.ASCII)
_LOCAL = re.compile(LOCAL)
_GLOBAL = re.compile(GLOBAL)
_STRING = re.compile(r'"[^"\n]*"')
_SIMPLE_VALUE = re.compile(rf"[%@]{NAME}|[-+]?\d[\w.+-]*|[fsu]?0x[0-9A-Fa-f]\w*", re.ASCII)
_METADATA_NAME = re.compile(r"![-a-zA-Z$._0-9\\]+")
_TYPE_HEAD = re.compile(
    rf"(?:void|i[1-9]\d*|ptr|half|bfloat|float|double|x86_fp80|fp128|ppc_fp128|x86_amx|token|metadata|label"
    rf"|opaque)\b|%{NAME}",
    re.ASCII,
)
_ADDRESS_SPACE = re.compile(r" addrspace\(\d+\)", re.ASCII)
_ATTRIBUTE_ALIGN = re.compile(r"(align|alignstack) (\d+)", re.ASCII)
_PLAIN = re.compile(r"[-a-zA-Z._][-a-zA-Z._0-9]*\Z", re.ASCII)
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2})|\\\\")


def to_int(digits: str) -> int:
    """A decimal number of at most `MAX_DIGITS` digits; raises `IRSyntaxError` on a longer one."""
    if len(digits) > MAX_DIGITS + 1:
        raise IRSyntaxError(f"an integer of at most {MAX_DIGITS} digits", digits)
    try:
        return int(digits)
    except ValueError:
        raise IRSyntaxError("an integer", digits) from None


@lru_cache(maxsize=65536)
def unquote(token: str) -> str:
    """Plain name of a reference or label: ``@"a\\22b"`` gives ``a"b``; bytes not UTF-8 become surrogates."""
    body = token[1:] if token[:1] in "@%$" else token
    if not body.startswith('"'):
        return body
    return decode_string(body[1:-1])


def decode_string(body: str) -> str:
    """The text of a quoted string (given without its quotes), escapes decoded."""
    if "\\" not in body:
        return body
    raw = _ESCAPE.sub(_unescape, body.encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 16)]) if match[1] else b"\\"


def encode_string(text: str) -> str:
    """Escape a string as LLVM prints it (without quotes)."""
    raw = text.encode("utf-8", "surrogateescape")
    return "".join(_escape(byte) for byte in raw)


def _escape(byte: int) -> str:
    if byte == 0x5C:
        return "\\\\"
    return chr(byte) if 0x20 <= byte < 0x7F and byte != 0x22 else f"\\{byte:02X}"


def quote(name: str) -> str:
    """A name as LLVM prints it after a sigil: in quotes only where they are needed."""
    return name if _PLAIN.match(name) else f'"{encode_string(name)}"'


def skip_group(text: str, pos: int) -> int:
    """Position after the bracket that closes the one at `pos`; brackets in strings do not count."""
    depth = 0
    for match in _NEST.finditer(text, pos):
        char = match.group()
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
            if depth <= 0:
                return match.end()
        elif char == '"':
            raise IRSyntaxError("a closing quote", text[match.start() :])
    raise IRSyntaxError("a closing bracket", text[pos:])


def split_commas(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans between the commas of ``text[start:end]`` that are outside brackets and strings, trimmed."""
    spans = []
    depth = 0
    begin = start
    for match in _SEPARATOR.finditer(text, start, end):
        char = match.group()
        if char == ",":
            if depth == 0:
                spans.append((begin, match.start()))
                begin = match.end()
        elif char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char == '"':
            raise IRSyntaxError("a closing quote", text[match.start() :])
    if spans or text[begin:end].strip():
        spans.append((begin, end))
    return [_trim(text, a, b) for a, b in spans]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " \t\n":
        start += 1
    while end > start and text[end - 1] in " \t\n":
        end -= 1
    return start, end


def words_of_attributes(text: str) -> list[str]:
    """Attributes in a text that holds only what `SIMPLE_ATTRIBUTE` matches."""
    return _SIMPLE_ATTRIBUTES.findall(text)


Plain = Callable[[str, str], str]


class Operand(NamedTuple):
    """A typed value and its span in a text.

    ``text[start:end] == value``, but for constant expressions of instructions, whose value is their plain
    form (`whence.ir.constants`).
    """

    type: str
    value: str
    start: int
    end: int


class Cursor:
    """Reads one piece of IR from left to right; every reader skips white space first.

    `plain` gives the plain form of a constant expression, from its type and its text.
    """

    __slots__ = ("end", "plain", "pos", "text")

    def __init__(self, text: str, pos: int = 0, end: int | None = None, plain: Plain | None = None) -> None:
        self.text = text
        self.plain = plain
        self.pos = pos
        self.end = len(text) if end is None else end

    def fail(self, expected: str) -> IRSyntaxError:
        """The error for a missing `expected` at this position."""
        return IRSyntaxError(expected, self.text[self.pos : self.end])

    def skip_space(self) -> int:
        pos = self.pos
        if self.text[pos : pos + 1] in _BLANKS:
            match = _SPACE.match(self.text, pos, self.end)
            self.pos = match.end() if match else pos
        return self.pos

    def at_end(self) -> bool:
        return self.skip_space() >= self.end

    def peek(self) -> str:
        """The next character, or an empty string."""
        self.skip_space()
        return self.text[self.pos : self.pos + 1] if self.pos < self.end else ""

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match `pattern` at this position and move past the match."""
        self.skip_space()
        match = pattern.match(self.text, self.pos, self.end)
        if match:
            self.pos = match.end()
        return match

    def accept(self, mark: str) -> bool:
        """Whether punctuation comes next; if so, moves past it."""
        self.skip_space()
        if self.text.startswith(mark, self.pos, self.end):
            self.pos += len(mark)
            return True
        return False

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            raise self.fail(f"'{mark}'")

    def peek_word(self) -> str:
        match = _NEXT_WORD.match(self.text, self.pos, self.end)
        if match is None:
            return ""
        word: str | None = match[1]
        self.pos = match.end() - len(word) if word else match.end()
        return word or ""

    def accept_word(self, word: str) -> bool:
        """Whether a whole word comes next; if so, moves past it."""
        if self.peek_word() != word:
            return False
        self.pos += len(word)
        return True

    def expect_word(self, word: str) -> None:
        if not self.accept_word(word):
            raise self.fail(f"'{word}'")

    def word(self) -> str:
        word = self.peek_word()
        if not word:
            raise self.fail("a word")
        self.pos += len(word)
        return word

    def flags(self) -> list[str]:
        """Fast-math and wrapping flags in front of an operand."""
        found = []
        while (word := self.peek_word()) in FLAGS:
            self.pos += len(word)
            found.append(word)
        return found

    def integer(self) -> int:
        match = self.match(_INTEGER)
        if not match:
            raise self.fail("an integer")
        return to_int(match.group())

    def string(self) -> str:
        """A quoted string, with its quotes and escapes."""
        match = self.match(_STRING)
        if not match:
            raise self.fail("a quoted string")
        return match.group()

    def local(self) -> str:
        match = self.match(_LOCAL)
        if not match:
            raise self.fail("a local name")
        return match.group()

    def global_name(self) -> str:
        match = self.match(_GLOBAL)
        if not match:
            raise self.fail("a global name")
        return match.group()

    def group(self) -> str:
        """A bracketed piece, brackets included."""
        if self.peek() not in ("(", "[", "{", "<"):
            raise self.fail("an opening bracket")
        start, self.pos = self.pos, skip_group(self.text, self.pos)
        if self.pos > self.end:
            raise IRSyntaxError("a closing bracket", self.text[start : self.end])
        return self.text[start : self.pos]

    def starts_type(self) -> bool:
        self.skip_space()
        return bool(_TYPE_HEAD.match(self.text, self.pos, self.end)) or (
            self.text.startswith(("[", "{", "<", "target("), self.pos, self.end)
        )

    def type(self) -> str:
        """The text of a type."""
        plain = self.plain_type()
        start = self.pos - len(plain)
        while self.text.startswith(" (", self.pos, self.end):
            self.group()
        return self.text[start : self.pos]

    def plain_type(self) -> str:
        """The text of a type without the parameter list that makes it a function type."""
        head = self.match(_TYPE_HEAD)
        if head:
            start = head.start()
        else:
            start = self.skip_space()
            if self.text.startswith("target(", start, self.end):
                self.pos += len("target")
            self.group()
        if suffix := _ADDRESS_SPACE.match(self.text, self.pos, self.end):
            self.pos = suffix.end()
        return self.text[start : self.pos]

    def value(self, type_text: str = "") -> tuple[int, int]:
        """Span of a value: a name, a literal, a constant expression, inline assembly or metadata."""
        simple = self.match(_SIMPLE_VALUE)
        if simple:
            return simple.span()
        start = self.skip_space()
        if type_text == "metadata" and self.starts_type():
            self.type()
            return start, self.value()[1]
        char = self.peek()
        if char in ("[", "{", "<"):
            self.group()
        elif char == "!":
            self._metadata()
        elif self.text.startswith('c"', start, self.end):
            self.pos += 1
            self.string()
        else:
            self._word_value()
        return start, self.pos

    def _metadata(self) -> None:
        if not self.match(_METADATA_NAME):
            self.pos += 1
            if self.peek() == '"':
                self.string()
                return
            self.group()
            return
        if self.text.startswith("(", self.pos, self.end):
            self.group()

    def _word_value(self) -> None:
        word = self.peek_word()
        if not word:
            raise self.fail("a value")
        self.pos += len(word)
        if word in _PLAIN_VALUES:
            return
        if word in ("dso_local_equivalent", "no_cfi"):
            self.global_name()
        elif word == "asm":
            self._inline_assembly()
        else:
            self._expression()

    def _inline_assembly(self) -> None:
        while self.peek_word():
            self.word()
        self.string()
        self.expect(",")
        self.string()

    def _expression(self) -> None:
        """The rest of ``opcode flags* (operands)``; a flag may have parentheses: ``inrange(0, 8)``."""
        while True:
            if self.text.startswith("(", self.pos, self.end) or self.peek() == "(":
                self.group()
                return
            if not self.peek_word():
                raise self.fail("a constant expression")
            self.word()
            if self.text.startswith("(", self.pos, self.end):
                self.group()

    def operand(self, type_text: str = "") -> Operand:
        """A value with its type; `type_text`: the type if it was read before."""
        type_text = type_text or self.type()
        start, end = self.value(type_text)
        return Operand(type_text, self.plain_value(type_text, start, end), start, end)

    def plain_value(self, type_text: str, start: int, end: int) -> str:
        """The value of a span, in its plain form for a constant expression."""
        value = self.text[start:end]
        return self.plain(type_text, value) if self.plain is not None and value.endswith(")") else value

    def attribute(self) -> str | None:
        """One attribute of a parameter, a return value or a function; None if none comes next."""
        if match := _FAST_ATTRIBUTE.match(self.text, self.pos, self.end):
            self.pos = match.end()
            return match[1]
        char = self.peek()
        if char in _NO_ATTRIBUTE:
            return None
        if char == '"':
            start = self.pos
            self.string()
            if self.text.startswith("=", self.pos, self.end):
                self.pos += 1
                self.string()
            return self.text[start : self.pos]
        if self.starts_type():
            return None
        if match := self.match(_ATTRIBUTE_ALIGN):
            return match.group()
        start, word = self.pos, self.peek_word()
        if not word or word in _NOT_ATTRIBUTES:
            return None
        self.pos += len(word)
        if self.text.startswith("(", self.pos, self.end):
            self.group()
        elif self.text.startswith("=", self.pos, self.end):
            self.pos += 1
            self.integer()
        elif word in _EXPRESSIONS:
            self.pos = start
            return None
        return self.text[start : self.pos]


_EXPRESSIONS = word_set(
    "trunc ptrtoint ptrtoaddr inttoptr bitcast addrspacecast getelementptr add sub mul xor shl "
    "extractelement insertelement shufflevector icmp fcmp select zext sext and or lshr ashr"
)
_NOT_ATTRIBUTES = _PLAIN_VALUES | word_set(
    "splat asm blockaddress dso_local_equivalent no_cfi ptrauth section partition comdat gc prefix "
    "prologue personality unnamed_addr local_unnamed_addr addrspace to unwind c"
)
