"""The common part of the XML reports: elements, and text that XML 1.0 permits."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """The text without characters that XML forbids even as references (section 2.2 of XML 1.0)."""
    readable = text.encode(errors="surrogateescape").decode(errors="replace")
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", readable)


def add(parent: Element, tag: str, text: str | None = None, **attributes: str) -> Element:
    """A new last child of `parent`."""
    child = SubElement(parent, tag, {name: clean(value) for name, value in attributes.items()})
    if text is not None:
        child.text = clean(text)
    return child


def document(root: Element) -> str:
    """The whole document, indented, in ASCII (other characters as references, so any encoding fits)."""
    indent(root)
    text: str = tostring(root, encoding="us-ascii").decode()
    return f'<?xml version="1.0"?>\n{text}\n'
