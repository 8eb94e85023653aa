"""The functions that a run has entered, as the next one may need no others: files beside the record.

Code of the quick tier has a *word* for each function, which identifies it, and sets a bit there where the
function begins. The words of a module lie side by side behind one for the module itself, those of an image
in a section of their own. Where there is a finding, the runtime writes the words of all images into a file,
named like the record with `SUFFIX` and the number of the process behind it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SECTION = "whence_entered"
SUFFIX = ".entered"
FLAGS = {"BEGUN": 1, "SHARED": 2, "MODULE": 4}
"""The low bits of a word. ``BEGUN``: the function has been entered. ``SHARED``: other modules may define it,
too, and the linker takes one. ``MODULE``: it is a module, and ``BEGUN``."""
_ALL = sum(FLAGS.values())
_SIZE = 8


@dataclass(frozen=True)
class Entered:
    """What was entered, by the words of modules, and what of that several modules may define.

    most: how many functions each of the modules has. Words have `FLAGS`.
    """

    modules: Mapping[int, frozenset[int]]
    shared: frozenset[int]
    most: Mapping[int, int]

    def share(self, module: int) -> float:
        """The part of a module's functions that was entered; 1 if that is not known."""
        return len(self.modules[module]) / max(1, self.most[module]) if module in self.modules else 1.0


@dataclass(frozen=True)
class Needed:
    """The functions of a module that stay, by their words. shared: those that other modules may define stay
    all, because not all modules note them."""

    words: frozenset[int]
    shared: bool = False


def module_word(digest: str) -> int:
    """The word of a module, by the digest of its IR."""
    return _word(digest, "") | FLAGS["MODULE"] | FLAGS["BEGUN"]


def function_word(digest: str, name: str, shared: bool) -> int:
    """The word of a function that has not been entered; shared: other modules may define it, too."""
    return _word("", name) | FLAGS["SHARED"] if shared else _word(digest, name)


def begun(word: int) -> int:
    """The word of a function that has been entered."""
    return word | FLAGS["BEGUN"]


def _word(digest: str, name: str) -> int:
    text = f"{digest}\0{name}".encode(errors="surrogateescape")
    return int.from_bytes(hashlib.blake2b(text, digest_size=_SIZE).digest(), "little") & ~_ALL


def read(files: Iterable[bytes]) -> Entered | None:
    """What all these files say; None if they have no module."""
    modules: dict[int, set[int]] = {}
    most: dict[int, int] = {}
    for data in files:
        module = None
        for at in range(0, len(data) - len(data) % _SIZE, _SIZE):
            word = int.from_bytes(data[at : at + _SIZE], "little")
            if word & FLAGS["MODULE"]:
                module = modules.setdefault(word, set())
                number, most[word] = word, 0
                continue
            if module is None:
                continue
            most[number] += 1
            if word & FLAGS["BEGUN"]:
                module.add(word)
    if not modules:
        return None
    shared = frozenset(each for words in modules.values() for each in words if each & FLAGS["SHARED"])
    return Entered({each: frozenset(words) for each, words in modules.items()}, shared, most)
