"""The link half of a driver command line, as an ordered list of parts.

Words for the linker (``-Wl,a,b`` and ``-Xlinker a``) form one stream: an option
and its argument may stand in different driver words, and inputs and libraries
may stand among them (``-Wl,--whole-archive,libx.a``).
"""

from __future__ import annotations

import os

from whence.toolchain import driver, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from whence.toolchain.driver import Argument

SEPARATE = options.words("""
    T script dT default-script version-script dynamic-list retain-symbols-file R just-symbols
    export-dynamic-symbol-list symbol-ordering-file section-ordering-file e entry h soname rpath
    rpath-link z u undefined require-defined wrap defsym init fini Map m o output y trace-symbol b format
    A architecture I dynamic-linker P audit depaudit auxiliary f F filter G l library L library-path
    section-start Ttext Tdata Tbss Ttext-segment plugin plugin-opt sort-section hash-style exclude-libs
    unresolved-symbols compress-debug-sections orphan-handling export-dynamic-symbol dependency-file
    """)
"""Options of GNU ld and lld that take the next word; they are written with one dash or two."""

FILE_OPTIONS = options.words("""
    T script dT default-script version-script dynamic-list retain-symbols-file just-symbols
    export-dynamic-symbol-list symbol-ordering-file section-ordering-file
    """)
"""Options whose argument is a file that the link reads."""

DRIVER_WORDS = options.words("""
    -shared -static -static-pie -pie -no-pie -nopie -r -rdynamic -pthread -pthreads -nostdlib -nostartfiles
    -nodefaultlibs -nolibc -nostdlib++ -static-libgcc -static-libstdc++ -s -t -fopenmp -m64
    -nostdinc++ -ObjC -Bsymbolic
    """)
_DRIVER_PREFIXES = (
    *(
        "-fopenmp=",
        "-stdlib=",
        "--rtlib=",
        "-rtlib=",
        "--unwindlib=",
        "-unwindlib=",
        "-fuse-ld=",
        "--ld-path=",
    ),
    *("--sysroot", "-B", "--gcc-toolchain", "--gcc-install-dir", "-mcmodel=", "-fsplit-stack", "-Z"),
)
_DRIVER_SEPARATE = options.words("-u -e -z -h -soname -rpath -Tbss -Tdata -Ttext --sysroot -B -gcc-toolchain")

BEGINNINGS = (
    *("-Wl,", "-Xlinker", "--for-linker", "-L", "--library-directory", "-T", "-z", "-u", "-e"),
    *sorted(_DRIVER_SEPARATE),
    *_DRIVER_PREFIXES,
)
"""How options begin that can be parts of a link, besides libraries and `DRIVER_WORDS`."""

LIBRARY_FOLDERS = "LIBRARY_PATH"
"""The variable with folders that the link searches for libraries after those of the line."""


class Part:
    """One part of a link line.

    `kind` and what the other fields hold:

    - 'driver': `words` for the driver
    - 'ld': `words` for the linker, an option and its argument
    - 'ldfile': linker option `words` ``(option, separator)`` that reads the file `path`
    - 'library': `words` ``("-lNAME",)``; `path` set when it was found in a ``-L`` folder
    - 'search': the folder `path`
    - 'input': the file `path`; `language` as in `driver.Argument`
    """

    __slots__ = ("kind", "language", "path", "words")

    def __init__(
        self, kind: str, words: tuple[str, ...] = (), path: str = "", language: str = "object"
    ) -> None:
        self.kind = kind
        self.words = words
        self.path = path
        self.language = language

    def __repr__(self) -> str:
        return f"Part({self.kind!r}, {self.words!r}, {self.path!r}, {self.language!r})"


def parts(arguments: list[Argument]) -> Iterator[Part]:
    """The parts of the link in the order of the command line, without options of the compilation."""
    pending: str | None = None
    for argument in arguments:
        words = argument.words
        if argument.language is not None:
            yield Part("input", path=words[0], language=argument.language)
            continue
        for word in linker_words(words):
            if pending is not None:
                yield _option(pending, " ", word)
                pending = None
            elif _takes_next(word):
                pending = word
            else:
                yield _linker_word(word)
        if not linker_words(words):
            part = _driver_part(words)
            if part is not None:
                yield part


def linker_words(words: tuple[str, ...]) -> list[str]:
    """The linker's words in one driver option; files of words are read, because they may be gone later."""
    if words[0].startswith("-Wl,"):
        return driver.expand(words[0].split(",")[1:])
    if words[0] in ("-Xlinker", "--for-linker") and len(words) == 2:
        return driver.expand([words[1]])
    if words[0].startswith("--for-linker="):
        return driver.expand([words[0][13:]])
    return []


def option_name(word: str) -> str:
    """``version-script`` for ``--version-script=x`` and ``-version-script``."""
    return word.lstrip("-").partition("=")[0]


def _takes_next(word: str) -> bool:
    return word.startswith("-") and "=" not in word and word.lstrip("-") in SEPARATE


def _option(option: str, separator: str, value: str) -> Part:
    name = option.lstrip("-")
    if name in ("l", "library"):
        return Part("library", (f"-l{value}",))
    if name in ("L", "library-path"):
        return Part("search", path=value)
    if name in FILE_OPTIONS:
        return Part("ldfile", (option, separator), value)
    return Part("ld", (option, value) if separator == " " else (f"{option}={value}",))


def _linker_word(word: str) -> Part:
    if not word.startswith("-"):
        return Part("input", path=word)
    if word.startswith("-l") and len(word) > 2:
        return Part("library", (word,))
    if word.startswith("-L") and len(word) > 2:
        return Part("search", path=word[2:])
    if word.startswith("-T") and not word.startswith(("-Ttext", "-Tdata", "-Tbss")):
        return Part("ldfile", ("-T", " "), word[2:].removeprefix("="))
    option, equals, value = word.partition("=")
    if equals and word.startswith("-"):
        return _option(option, "=", value)
    return Part("ld", (word,))


def _driver_part(words: tuple[str, ...]) -> Part | None:
    option = words[0]
    if len(words) == 2:
        if option in ("-l", "-L"):
            return _option(option, " ", words[1])
        if option == "--library-directory":
            return Part("search", path=words[1])
        if option == "-T":
            return Part("ldfile", ("-T", " "), words[1])
        if option == "-z":
            return Part("ld", words)
        return Part("driver", words) if option in _DRIVER_SEPARATE else None
    if option.startswith("-l") and len(option) > 2:
        return Part("library", words)
    if option.startswith("-L") and len(option) > 2:
        return Part("search", path=option[2:])
    if option.startswith("--library-directory="):
        return Part("search", path=option.partition("=")[2])
    if option.startswith("-T") and not option.startswith(("-Ttext", "-Tdata", "-Tbss")):
        return Part("ldfile", ("-T", " "), option[2:])
    if option.startswith(("-u", "-e", "-z")) and len(option) > 2 and not option.startswith(("-emit", "-un")):
        return Part("ld", (option[:2], option[2:]))
    if option in DRIVER_WORDS or option.startswith(_DRIVER_PREFIXES):
        return Part("driver", words)
    return None


class Libraries:
    """The folders to search for ``-lNAME``: all ``-L`` folders of the line, then ``LIBRARY_PATH``."""

    def __init__(self, line: list[Part]) -> None:
        self.folders = [part.path.removeprefix("=") for part in line if part.kind == "search"]
        self.from_environment = [f for f in os.environ.get(LIBRARY_FOLDERS, "").split(":") if f]

    def find(self, word: str, static: bool) -> str:
        """The path of the library ``-lNAME``, or '' if none of the folders has it."""
        name = word[2:]
        if name.startswith(":"):
            names = [name[1:]]
        else:
            names = [f"lib{name}.a"] if static else [f"lib{name}.so", f"lib{name}.a"]
        for folder in (*self.folders, *self.from_environment):
            for candidate in names:
                path = os.path.join(folder, candidate)
                if os.path.isfile(path):
                    return path
        return ""
