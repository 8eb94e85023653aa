"""Types of C functions that the front end's check tells apart although the language does not.

The check compares types by their names. In C, an enumeration is compatible with an integer type, and a
function that is defined without a prototype with several types of functions. Which these are is not to be
seen at both ends of a call, so that types with one of them inside cannot be judged.
"""

from __future__ import annotations

import re

_LANGUAGE = re.compile(r"^!\d+ = distinct !DICompileUnit\(.*?DW_(?:LANG_C\d*|LNAME_C)[,)]", re.MULTILINE)
_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(\{.*\}|DI(?:\w+Type|Subprogram)\(.*\))$", re.MULTILINE)
_KIND = re.compile(r"\btag: DW_TAG_(\w+)")
_NAME = re.compile(r'\bname: "([^"]*)"')
_LEADS = re.compile(r"\b(?:baseType|types): !(\d+)")
_TYPE = re.compile(r"\btype: !(\d+)")
_MEMBER = re.compile(r"!(\d+)")
_WORD = re.compile(r"\w+")
_PROTOTYPED = "DIFlagPrototyped"
_WITHIN = ("array_type", "enumeration_type", "pointer_type", "typedef", "")
"""Tags of nodes that the name of a function's type spells out; structures stand there by their own names."""
_QUALIFIERS = ("const_type", "volatile_type", "restrict_type", "atomic_type")


class FunctionTypes:
    """What the debug information of a module, whose text is given, says about types of functions."""

    def __init__(self, text: str) -> None:
        self._nodes: dict[str, str] = dict(_NODE.findall(text)) if _LANGUAGE.search(text) else {}
        self._enumerations = self._named_enumerations()

    def is_vague(self, subprogram: str) -> bool:
        """Whether the function with this description, the number of a node, has such a type."""
        node = self._nodes.get(subprogram)
        if node is None:
            return False
        type_ = _TYPE.search(node)
        return _PROTOTYPED not in node or (type_ is not None and self._reaches(type_[1]))

    def names_enumeration(self, words: str) -> bool:
        """Whether a type, in the words of the source, has an enumeration in it."""
        return bool(self._nodes) and not self._enumerations.isdisjoint(_WORD.findall(words))

    def _reaches(self, type_: str) -> bool:
        """Whether an enumeration is part of the type."""
        waiting, seen = [type_], {type_}
        while waiting:
            node = self._nodes.get(waiting.pop(), "")
            kind = _kind(node)
            if kind == "enumeration_type":
                return True
            if kind in _WITHIN or kind in _QUALIFIERS:
                found = _MEMBER.findall(node) if node.startswith("{") else _LEADS.findall(node)
                waiting += [each for each in found if each not in seen]
                seen.update(found)
        return False

    def _named_enumerations(self) -> frozenset[str]:
        """Words of types that are enumerations: the keyword, and names of types."""
        names = {"enum"}
        for node in self._nodes.values():
            name = _NAME.search(node)
            if name is not None and _kind(node) == "typedef" and self._is_enumeration(node):
                names.add(name[1])
        return frozenset(names)

    def _is_enumeration(self, node: str) -> bool:
        kind = _kind(node)
        while kind == "typedef" or kind in _QUALIFIERS:
            base = _LEADS.search(node)
            node = self._nodes.get(base[1], "") if base else ""
            kind = _kind(node)
        return kind == "enumeration_type"


def _kind(node: str) -> str:
    found = _KIND.search(node)
    return found[1] if found else ""
