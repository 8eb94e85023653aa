"""Attributes of parameters, return values, call sites and functions.

An attribute is a string: ``noundef``, ``align 8``, ``dereferenceable(8)``,
``"frame-pointer"="all"``. Its *name* is the part without arguments and value; the
names of string attributes keep their quotes (``"frame-pointer"``), so that they
differ from the names of other attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from whence.ir.lexer import Cursor

_NAME = re.compile(r'"[^"]*"|[A-Za-z_][\w.]*', re.ASCII)


def attribute_name(attribute: str) -> str:
    """``dereferenceable(8)`` gives ``dereferenceable``, ``"k"="v"`` gives ``"k"``."""
    match = _NAME.match(attribute)
    return match.group() if match else attribute


class Attributes(tuple[str, ...]):
    """An immutable list of attributes, in the order of the text."""

    __slots__ = ()

    @classmethod
    def read(cls, cursor: Cursor) -> Attributes:
        """The attributes at the cursor, up to the first token that is none."""
        found = []
        while (attribute := cursor.attribute()) is not None:
            found.append(attribute)
        return cls(found) if found else _EMPTY

    @classmethod
    def parse(cls, text: str) -> Attributes:
        """The attributes of a text with nothing else in it; raises `IRSyntaxError`."""
        cursor = Cursor(text)
        found = cls.read(cursor)
        if not cursor.at_end():
            raise cursor.fail("an attribute")
        return found

    def __str__(self) -> str:
        return " ".join(self)

    def has(self, name: str) -> bool:
        for each in self:
            if each.startswith(name) and (len(each) == len(name) or attribute_name(each) == name):
                return True
        return False

    def get(self, name: str) -> str | None:
        """The attribute's text, None if there is none of this name."""
        return next((a for a in self if attribute_name(a) == name), None)

    def without(self, *names: str) -> Attributes:
        return Attributes(a for a in self if attribute_name(a) not in names)

    def with_(self, *attributes: str) -> Attributes:
        """These attributes, each replacing one of the same name."""
        names = [attribute_name(a) for a in attributes]
        return Attributes((*self.without(*names), *attributes))


_EMPTY = Attributes()


class AttributeGroup:
    """``attributes #N = { … }``, which functions and calls refer to."""

    __slots__ = ("_parsed", "number", "text")

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text
        self._parsed: Attributes | None = None

    @classmethod
    def make(cls, number: int, attributes: Iterable[str]) -> AttributeGroup:
        return cls(number, _print(number, attributes))

    @property
    def attributes(self) -> Attributes:
        """Raises `IRSyntaxError` when the text between the braces is malformed."""
        if self._parsed is None:
            cursor = Cursor(self.text, self.text.index("{") + 1)
            self._parsed = Attributes.read(cursor)
            cursor.expect("}")
        return self._parsed


def _print(number: int, attributes: Iterable[str]) -> str:
    inner = " ".join(attributes)
    return f"attributes #{number} = {{ {inner} }}" if inner else f"attributes #{number} = {{}}"
