"""The compile plan: what the native ``whence-cc`` (``launcher/cc/``) knows about clang and its options.

It handles the usual command lines itself, by tables that are written here, and executes Python for all
others: an option of class `Option.PYTHON`, a language or a number of sources that it does not know, a link
with an option of `Compile.UNRECORDED`. The lines of a plan, and the classes, are those of `whence.abi.plans`.
"""

from __future__ import annotations

import os

from whence.abi import plans as letters
from whence.abi import variables
from whence.abi.plans import Compile, Option
from whence.toolchain import blob, checks, driver, headers, linkline, options, plans
from whence.toolchain import clang as clangs
from whence.toolchain.compile import COROUTINES, LOWER_COROUTINES, NEEDING, NOT_INHERITED, SANITIZERS, ir_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from whence.abi.plans import Kind
    from whence.toolchain.clang import Clang

LEVELS = ("", *"0123sgz", "fast")

RARE = (
    *("-objc", "--output", "-x", "--language", "-target", "--target=", "-arch", "-Xclang", "-Xpreprocessor"),
    *("-O", "-Wp,", "-ffile-prefix-map=", "--config", "-working-directory"),
)
"""Prefixes of options that only the Python wrapper handles."""

LINKER_WORDS = (
    *("-Wl,--as-needed", "-Wl,--no-as-needed", "-Wl,--no-undefined", "-Wl,-z,defs", "-Wl,-O1", "-Wl,-O2"),
    *("-Wl,--gc-sections", "-Wl,--build-id", "-Wl,--export-dynamic", "-Wl,-E", "-Wl,--hash-style=gnu"),
    *("-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack", "-Wl,--fatal-warnings"),
    *("-Wl,--start-group", "-Wl,--end-group", "-Wl,--allow-shlib-undefined"),
    *("-Wl,-Bsymbolic", "-Wl,-Bsymbolic-functions", "-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags"),
)
"""Usual words for the linker that are whole options and name no file."""


def lines(clang: Clang, cxx: bool, environment: Mapping[str, str]) -> list[str]:
    """The lines of the plan for a front end; empty if its choice depends on the working directory."""
    candidates = _front_ends(environment)
    if any(not os.path.isabs(path) for path in candidates):
        return []
    own = os.path.dirname(os.path.abspath(__file__))
    files = [os.path.abspath(letters.__file__), *(f"{own}/{name}" for name in sorted(os.listdir(own)))]
    found = plans.made_from([clang.path, *candidates, *files, headers.absent_library()])
    found += Compile.COMMAND.lines(clang.command(cxx))
    found += Compile.SPLIT.lines([*clang.command(False), f"--target={clang.triple}", *LOWER_COROUTINES])
    found += Compile.IR.lines(ir_mode(clang))
    found += [*Compile.FRONTEND.line(clang.frontend), *Compile.TARGET.line(clang.triple)]
    found += Compile.CHECKS.line(" ".join(checks.carried(clang.version[0])))
    found += Compile.HEADERS.pairs((name, headers.directory()) for name in headers.VARIABLES)
    found += Compile.UNSET.lines(NOT_INHERITED)
    found += Compile.SEPARATE.lines(sorted(options.SEPARATE))
    found += classes(cxx)
    found += Compile.LEVEL.pairs((f"-O{word}", driver.level_of(word)) for word in LEVELS)
    found += Compile.LEVEL.line("", driver.NO_LEVEL)
    found += Compile.NAMED.lines(driver.NAMED_FLAGS)
    found += Compile.LANGUAGE.pairs(_languages(cxx))
    found += [*Compile.EXEMPTING.lines(SANITIZERS), *Compile.COROUTINE.line(COROUTINES.decode())]
    found += Compile.PRECOMPILED.lines(driver.ANY_PRECOMPILED)
    found += [*Compile.FOR_SHARED.line(driver.FOR_SHARED), *Compile.FOR_PROGRAMS.line(driver.FOR_PROGRAMS)]
    found += [*Compile.SECTION.line(blob.IR_SECTION), *Compile.MAGIC.line(blob.IR_MAGIC.decode())]
    found += [*Compile.VERSION.line(str(blob.VERSION)), *Compile.COMPRESSION.line(str(blob.LEVEL))]
    return [*found, *_links(cxx)]


def _links(cxx: bool) -> Iterator[str]:
    """The lines for links."""
    yield from Compile.PART.pairs(_parts())
    yield from Compile.UNRECORDED.lines((*linkline.BEGINNINGS, *headers.NO_LIBRARY))
    yield from Compile.UNLINKED.lines((linkline.LIBRARY_FOLDERS, variables.PREPARE))
    yield from Compile.INTERFACE.lines(headers.library_words())
    yield from Compile.CXX.line("true" if cxx else "false")
    yield from Compile.RECORD_SECTION.line(blob.LINK_SECTION)
    yield from Compile.RECORD_MAGIC.line(blob.LINK_MAGIC.decode())
    yield from Compile.RECORD_COMPRESSION.line(str(blob.LINK_LEVEL))


def _parts() -> Iterator[tuple[str, str]]:
    """Usual options of links with their items in a record."""
    import json

    from whence.toolchain.record import option_item

    for word in (*sorted(linkline.DRIVER_WORDS.difference(headers.NO_LIBRARY)), *LINKER_WORDS):
        items = map(option_item, linkline.parts([driver.Argument((word,))]))
        yield word, ", ".join(map(json.dumps, items))


def _languages(cxx: bool) -> Iterator[tuple[str, str]]:
    """Each suffix with its language, empty where its compilation yields no IR; Python alone knows how much
    the IR of compiled modules lacks."""
    for suffix, usual in options.LANGUAGE_OF_SUFFIX.items():
        if usual == options.COMPILED_MODULE:
            continue
        language = driver.language_of("x" + suffix, None, cxx)
        yield suffix, language if language in options.IR_LANGUAGES else ""


def _front_ends(environment: Mapping[str, str]) -> list[str]:
    """The files whose existence determines which front end is used."""
    wanted = environment.get(variables.CLANG, "")
    folders = clangs.path_folders()
    if not wanted:
        return [os.path.join(folder, name) for folder in folders for name in clangs.NAMES]
    name = wanted.split()[0] if wanted.split() else wanted
    return [wanted, name] if "/" in name else [os.path.join(folder, name) for folder in folders]


# ---- options ----------------------------------------------------------------------------------------


def classes(cxx: bool) -> list[str]:
    """The lines that give options their classes, in the order in which they are tried."""
    return [
        *_class(Compile.EXACT, ("-o",), Option.OUTPUT),
        *_class(Compile.EXACT, sorted(f"-O{level}" for level in LEVELS), Option.SHAPE),
        *_class(Compile.VALUED, _prefixed("f", options.CLANG_KNOWS_F), Option.SHAPE),
        *_of_python(cxx),
        *_class(Compile.PREFIX, ("-o",), Option.OUTPUT),
        *_class(Compile.EXACT, ("-c", "--compile"), Option.OBJECT),
        *_class(Compile.EXACT, sorted(options.UNLINKED), Option.UNLINKED),
        *_class(Compile.EXACT, sorted(options.ELSEWHERE), Option.ELSEWHERE),
        *_class(Compile.PREFIX, options.ELSEWHERE_PREFIXES, Option.ELSEWHERE),
        *_class(Compile.EXACT, sorted(driver.FIXED), Option.FIXED),
        *_class(Compile.EXACT, sorted(driver.SHARED), Option.SHARED),
        *_class(Compile.EXACT, sorted(driver.PRECOMPILED), Option.PRECOMPILED),
        *_class(Compile.EXACT, sorted(options.OF_LINKS | options.OF_LINKS_SEPARATE), Option.LINK),
        *_class(Compile.PREFIX, options.OF_LINKS_PREFIXES, Option.LINK),
        *_class(Compile.EXACT, sorted(options.IR_DROP_SEPARATE & options.SEPARATE), Option.HIDDEN),
        *_class(Compile.ARGUMENT, (f"{word} {options.FORTIFY}" for word in options.DEFINING), Option.HIDDEN),
        *_class(Compile.PREFIX, options.IR_KEPT_PREFIXES, Option.SHAPE),
        *_class(Compile.EXACT, sorted(options.IR_DROP), Option.HIDDEN),
        *_class(Compile.PREFIX, options.IR_DROP_PREFIXES, Option.HIDDEN),
        *_class(Compile.PREFIX, options.SPELLED_BEGINNINGS, Option.PYTHON),
    ]


def _of_python(cxx: bool) -> Iterator[str]:
    """Options that change the command line, that depend on the machine, or that are rare."""
    exact = {*options.GCC_WORDS, *options.GCC_SEPARATE, *options.SPELLINGS, *options.SECTIONS, *options.LTO}
    exact |= set() if cxx else {options.OF_CXX_LINKS}
    yield from _class(Compile.EXACT, ("--param", *sorted(exact)), Option.PYTHON)
    beginnings = (*options.GCC_JOINED, *options.GCC_PREFIXES, *options.LTO_PREFIXES, *NEEDING, *RARE)
    yield from _class(Compile.PREFIX, beginnings, Option.PYTHON)
    yield from _class(Compile.VALUED, _prefixed("f", options.GCC_F), Option.PYTHON)
    yield from _class(Compile.VALUED, _prefixed("m", options.GCC_M), Option.PYTHON)
    yield from _class(Compile.PREFIX, _prefixed("f", options.GCC_F_PREFIXES), Option.PYTHON)
    negated = [f"-fno-{name}" for name in sorted(options.GCC_ONLY_NEGATED)]
    negated += [f"-mno-{name}" for name in sorted(options.GCC_NO_M)]
    yield from _class(Compile.VALUED, negated, Option.PYTHON)


def _prefixed(family: str, names: Iterable[str]) -> list[str]:
    return [f"-{family}{negation}{name}" for name in sorted(names) for negation in ("", "no-")]


def _class(kind: Kind, texts: Iterable[str], option: Kind) -> list[str]:
    return kind.pairs((text, option.letter) for text in texts)
