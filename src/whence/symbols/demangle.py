"""C++ names as people write them.

The demangler is the one of the C++ runtime library itself (`__cxa_demangle` of
the Itanium C++ ABI, section 3.4), so it knows what the compilers of this
system emit.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

_PAIRS = {">": "<", ")": "(", "]": "[", "}": "{"}
_LIBRARIES = ("libstdc++.so.6", "libc++abi.so.1")


@cache
def _runtime() -> ctypes.CDLL | None:
    """The C++ runtime library, None where there is none: names then stay mangled."""
    import ctypes

    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            library.__cxa_demangle.restype = ctypes.c_void_p
            library.__cxa_demangle.argtypes = [ctypes.c_char_p] + [ctypes.c_void_p] * 3
        except (OSError, AttributeError):
            continue
        return library
    return None


@cache
def demangle(symbol: str) -> str:
    """The full declaration of a mangled name; any other name comes back as it is."""
    library = _runtime() if symbol.startswith("_Z") else None
    if library is None:
        return symbol
    import ctypes

    text = library.__cxa_demangle(symbol.encode(errors="replace"), None, None, None)
    if not text:
        plain = _without_modules(symbol)
        return symbol if plain == symbol else demangle(plain)
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))


_PART = re.compile(r"(WP?)?([0-9]+)")
_SUBSTITUTION = re.compile(r"S[0-9A-Z]*_")


def _without_modules(symbol: str) -> str:
    """The symbol without the names of modules that its functions belong to (``W3mod``), which older libraries
    do not know; as it is where a substitution counts them."""
    parts, at = [], 0
    while found := _PART.search(symbol, at):
        end = min(found.end() + int(found[2]), len(symbol))
        parts.append(symbol[at : found.start()])
        if not found[1]:
            parts.append(symbol[found.start() : end])
        at = end
    plain = "".join((*parts, symbol[at:]))
    return symbol if _SUBSTITUTION.search(plain) else plain


def function_name(symbol: str) -> str:
    """The qualified name of a mangled function, without return type and parameters.

    ``_ZNK3app4RingIiE2atEi`` gives ``app::Ring<int>::at``.
    """
    text = demangle(symbol)
    return text if text == symbol else strip_signature(text)


def strip_signature(declaration: str) -> str:
    """Drop the return type in front of a demangled function and all that follows its name."""
    end = _parameters(declaration)
    name = declaration[:end] if end is not None else declaration
    return name[_name_start(name) :]


def _parameters(text: str) -> int | None:
    """Index of the parenthesis that opens the parameters: the last group at depth 0."""
    depth, close = 0, text.rfind(")")
    for index in range(close, 0, -1):
        depth += (text[index] == ")") - (text[index] == "(")
        if depth == 0:
            return index
    return None


def _name_start(name: str) -> int:
    """Index behind the last blank outside brackets that is not part of an operator's name."""
    open_brackets: list[str] = []
    start = 0
    for index, char in enumerate(name):
        if not open_brackets and _is_operator(name, index):
            break
        if char in "<([{":
            open_brackets.append(char)
        elif open_brackets and _PAIRS.get(char) == open_brackets[-1]:
            open_brackets.pop()
        elif char == " " and not open_brackets:
            start = index + 1
    return start


def _is_operator(name: str, index: int) -> bool:
    """The keyword `operator` begins at index."""
    if not name.startswith("operator", index):
        return False
    before, after = name[index - 1 : index], name[index + 8 : index + 9]
    return not (before.isalnum() or before == "_" or after.isalnum() or after == "_")
