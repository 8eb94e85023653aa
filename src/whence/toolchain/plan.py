"""The compile plan: what the native ``whence-cc`` (``launcher/cc/``) knows about clang and its options.

It handles the usual command lines itself, by tables that are written here, and executes Python for all
others: an option of class `PYTHON`, a language or a number of sources that it does not know. The lines of a
plan (`whence.plans`), where kinds with two strings have the second behind a comma:

====================  ===================================================================================
``F``\\ path, identity  a file (or the absence of one) that the choice of the front end depends on
``A``\\ word            of the command that starts the front end, its path first
``a``\\ word            of the command that splits coroutines (``c`` is in the module)
``M``\\ word            of the compilation to IR, in front of the language and the source
``V``\\ text            the front end's version, as a module says it
``T``\\ text            its target
``B``\\ name, folder    a variable to which a folder is added at the end
``U``\\ name            a variable that the compilation to IR does not get
``S``\\ option          takes the next word as its argument
``=``\\ option, class   that option
``+``\\ text, class     an option and the beginning of its separate argument, a blank between them
``~``\\ option, class   that option, alone or with ``=value``
``^``\\ text, class     options that begin so; the first line that fits decides, one that no line fits is
                      `SHAPE`
``O``\\ option, level   an optimisation level, as a module says it
``K``\\ text            options that begin so are named in a module's header
``L``\\ suffix, name    the language of sources with this suffix; no name: no source
``N``\\ text            a source that has these letters, in any case, may exempt functions from checks
``c``\\ text            a module that has these bytes holds coroutines
``P``\\ word            added for options of class `PRECOMPILED`, in front of the next
``f``\\ word            the kind of position independence for class `SHARED`; ``g`` for all others
``s``\\ name            of the section; ``m``: the magic number, ``v``: the version, ``l``: zlib's level
====================  ===================================================================================
"""

from __future__ import annotations

import os

from whence import plans
from whence.abi import variables
from whence.toolchain import blob, driver, headers, options
from whence.toolchain import clang as clangs
from whence.toolchain.compile import COROUTINES, IR_MODE, LOWER_COROUTINES, NEEDING, NOT_INHERITED, SANITIZERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from whence.toolchain.clang import Clang

SHAPE, HIDDEN, SHARED, FIXED, PRECOMPILED = "shPFH"
OBJECT, OUTPUT, ELSEWHERE, PYTHON = "coep"
"""Classes of options: they shape the IR; are hidden from it; request code for shared libraries, or not; may
name a precompiled header; request an object; name the output; leave all to clang; leave all to Python."""

LEVELS = ("", *"0123sgz", "fast")

RARE = (
    *("-o", "--output", "-x", "--language", "-target", "--target=", "-arch", "-Xclang", "-Xpreprocessor"),
    *("-O", "-Wp,", "-ffile-prefix-map=", "--config", "-working-directory"),
)
"""Beginnings of options whose meaning only Python knows."""


def lines(clang: Clang, cxx: bool, environment: Mapping[str, str]) -> list[str]:
    """The lines of the plan for a front end; empty where none can be written.

    That is so when the choice depends on the working directory.
    """
    looked_at = _looked_at(environment)
    if any(not os.path.isabs(path) for path in looked_at):
        return []
    own = os.path.dirname(os.path.abspath(__file__))
    found = plans.made_from([clang.path, *looked_at, *(f"{own}/{name}" for name in sorted(os.listdir(own)))])
    found += _each("A", clang.command(cxx))
    found += _each("a", [*clang.command(False), f"--target={clang.triple}", *LOWER_COROUTINES])
    found += _each("M", IR_MODE)
    found += [f"V{clang.frontend}", f"T{clang.triple}"]
    found += _pairs("B", ((name, headers.directory()) for name in headers.VARIABLES))
    found += _each("U", NOT_INHERITED)
    found += _each("S", sorted(options.SEPARATE))
    found += classes()
    found += _pairs("O", [("", driver.NO_LEVEL), *((f"-O{word}", driver.level_of(word)) for word in LEVELS)])
    found += _each("K", driver.NAMED_FLAGS)
    found += _pairs("L", _languages(cxx))
    found += [*_each("N", SANITIZERS), f"c{COROUTINES.decode()}"]
    found += _each("P", driver.ANY_PRECOMPILED)
    found += [f"f{driver.FOR_SHARED}", f"g{driver.FOR_PROGRAMS}"]
    return [*found, f"s{blob.IR_SECTION}", f"m{blob.IR_MAGIC.decode()}", f"v{blob.VERSION}", f"l{blob.LEVEL}"]


def _each(letter: str, words: Iterable[str]) -> list[str]:
    return [letter + word for word in words]


def _pairs(letter: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [line for first, second in pairs for line in (letter + first, second)]


def _languages(cxx: bool) -> Iterator[tuple[str, str]]:
    """Each suffix with its language, empty where its compilation yields no IR."""
    for suffix in options.LANGUAGE_OF_SUFFIX:
        language = driver.language_of("x" + suffix, None, cxx)
        yield suffix, language if language in options.IR_LANGUAGES else ""


def _looked_at(environment: Mapping[str, str]) -> list[str]:
    """The files whose presence decides which front end is used."""
    wanted = environment.get(variables.CLANG, "")
    folders = clangs.path_folders()
    if not wanted:
        return [os.path.join(folder, name) for folder in folders for name in clangs.NAMES]
    name = wanted.split()[0] if wanted.split() else wanted
    return [wanted, name] if "/" in name else [os.path.join(folder, name) for folder in folders]


# ---- options ----------------------------------------------------------------------------------------


def classes() -> list[str]:
    """The lines that give options their classes, in the order in which they are tried."""
    return [
        *_class("=", ("-o",), OUTPUT),
        *_class("=", sorted(f"-O{level}" for level in LEVELS), SHAPE),
        *_class("~", _prefixed("f", options.CLANG_KNOWS_F), SHAPE),
        *_of_python(),
        *_class("=", ("-c", "--compile"), OBJECT),
        *_class("=", sorted(options.ELSEWHERE), ELSEWHERE),
        *_class("^", options.ELSEWHERE_PREFIXES, ELSEWHERE),
        *_class("=", sorted(driver.FIXED), FIXED),
        *_class("=", sorted(driver.SHARED), SHARED),
        *_class("=", sorted(driver.PRECOMPILED), PRECOMPILED),
        *_class("=", sorted(options.IR_DROP_SEPARATE & options.SEPARATE), HIDDEN),
        *_class("+", (f"{option} {options.FORTIFY}" for option in options.DEFINING), HIDDEN),
        *_class("^", options.IR_KEPT_PREFIXES, SHAPE),
        *_class("=", sorted(options.IR_DROP), HIDDEN),
        *_class("^", options.IR_DROP_PREFIXES, HIDDEN),
    ]


def _of_python() -> Iterator[str]:
    """Options that change the command line, that need a look at the machine, or that are rare."""
    yield from _class("=", ("--param", *sorted(options.GCC_WORDS | options.LTO)), PYTHON)
    yield from _class("^", (*options.GCC_PREFIXES, *options.LTO_PREFIXES, *NEEDING, *RARE), PYTHON)
    yield from _class("~", _prefixed("f", options.GCC_F), PYTHON)
    yield from _class("~", _prefixed("m", options.GCC_M), PYTHON)
    yield from _class("^", _prefixed("f", options.GCC_F_PREFIXES), PYTHON)
    yield from _class("~", [f"-fno-{name}" for name in sorted(options.GCC_ONLY_NEGATED)], PYTHON)
    yield from _class("~", [f"-mno-{name}" for name in sorted(options.GCC_NO_M)], PYTHON)


def _prefixed(family: str, names: Iterable[str]) -> list[str]:
    return [f"-{family}{negation}{name}" for name in sorted(names) for negation in ("", "no-")]


def _class(kind: str, texts: Iterable[str], name: str) -> list[str]:
    return _pairs(kind, ((text, name) for text in texts))
