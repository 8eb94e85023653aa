"""Parsing of a C compiler driver's command line: words, inputs, phase, output."""

from __future__ import annotations

import os

from whence.toolchain import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Argument:
    """One option with its separate argument, or one input.

    `words` are the words of the command line, `language` is None for an option
    and, for an input, its language (`options.LANGUAGE_OF_SUFFIX`) or 'object'
    when it goes to the linker.
    """

    __slots__ = ("language", "words")

    def __init__(self, words: tuple[str, ...], language: str | None = None) -> None:
        self.words = words
        self.language = language

    @property
    def is_source(self) -> bool:
        """Whether it is a source whose compilation yields IR."""
        return self.language in options.IR_LANGUAGES

    def __repr__(self) -> str:
        return f"Argument({self.words!r}, {self.language!r})"


class Invocation:
    """A parsed command line.

    `phase` is 'link', 'compile' (``-c``) or 'other' (clang alone handles it);
    `native` the words for clang, equal to the original ones unless `changed`.
    """

    __slots__ = ("arguments", "changed", "cxx", "output", "phase")

    def __init__(
        self, arguments: list[Argument], phase: str, output: str | None, changed: bool, cxx: bool
    ) -> None:
        self.arguments = arguments
        self.phase = phase
        self.output = output
        self.changed = changed
        self.cxx = cxx

    @property
    def inputs(self) -> list[Argument]:
        """Inputs in order, libraries given by ``-l`` not included."""
        return [argument for argument in self.arguments if argument.language is not None]

    @property
    def optimises_links(self) -> bool:
        """Whether the native link optimises, so that what it makes has none of its objects' sections."""
        return any(argument.words[0] == options.FAT for argument in self.arguments)

    @property
    def native(self) -> list[str]:
        """The words for clang, without options that clang rejects."""
        return [word for argument in self.arguments for word in argument.words]

    def front_end(self, words: list[str]) -> list[str]:
        """The words for clang; `words` are those that were given, before response files are expanded."""
        if any(argument.words[0] in options.UNLINKED for argument in self.arguments):
            kept = [argument for argument in self.arguments if not _of_links(argument)]
            if len(kept) < len(self.arguments):
                return [word for argument in kept for word in argument.words]
        return self.native if self.changed else words

    def object_of(self, source: str) -> str:
        """The path at which ``-c`` writes the object of `source`."""
        if self.output is not None:
            return self.output
        return os.path.splitext(os.path.basename(source))[0] + ".o"


def expand(words: list[str]) -> list[str]:
    """The command line with ``@file`` words replaced by the files' words, as clang and gcc do."""
    if not any(word.startswith("@") for word in words):
        return words
    return list(_expanded(words, 0))


def _expanded(words: list[str], depth: int) -> Iterator[str]:
    for word in words:
        text = _response(word[1:]) if word.startswith("@") and depth < 64 else None
        if text is None:
            yield word
        else:
            yield from _expanded(split_response(text), depth + 1)


def _response(path: str) -> str | None:
    try:
        with open(path, "rb") as stream:
            return os.fsdecode(stream.read().removeprefix(b"\xef\xbb\xbf"))
    except OSError:
        return None  # not a response file: an ordinary word that begins with @


def split_response(text: str) -> list[str]:
    """Words of a response file: blanks separate, quotes group, a backslash quotes the next character."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    characters = iter(text)
    for char in characters:
        if char == "\\":
            word = word if word is not None else []
            word.append(next(characters, "\\"))
        elif quote:
            if char == quote:
                quote = ""
            else:
                (word := word if word is not None else []).append(char)
        elif char in "'\"":
            quote = char
            word = word if word is not None else []
        elif char.isspace():
            if word is not None:
                words.append("".join(word))
            word = None
        else:
            (word := word if word is not None else []).append(char)
    if word is not None:
        words.append("".join(word))
    return words


def quote_response(words: list[str]) -> str:
    """The text of a response file that `split_response` (and clang) reads as `words`."""
    quoted = ('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    return "\n".join(quoted) + "\n"


def parse(words: list[str], cxx: bool) -> Invocation:
    """Parses a driver command line whose response files are already expanded."""
    arguments = list(_arguments(words, cxx))
    kept = _kept(list(map(_spelled, arguments)), cxx)
    phase, output = "link", None
    for argument in kept:
        option = argument.words[0]
        if argument.language is not None:
            if argument.language in ("header", "foreign"):
                phase = "other"
        elif option == "-c" or option == "--compile":
            phase = "compile" if phase == "link" else phase
        elif _elsewhere(argument.words):
            phase = "other"
        elif option == "-o" and len(argument.words) == 2:
            output = argument.words[1]
        elif option.startswith("-o") and len(argument.words) == 1 and not option.startswith("-objc"):
            output = option[2:]
        elif option.startswith("--output="):
            output = option[9:]
    if not any(argument.language is not None for argument in kept) and not _has_library(kept):
        phase = "other"
    return Invocation(kept, phase, output, kept != arguments, cxx)


def _has_library(arguments: list[Argument]) -> bool:
    return any(argument.words[0].startswith(("-l", "-Wl,", "-Xlinker")) for argument in arguments)


def _arguments(words: list[str], cxx: bool) -> Iterator[Argument]:
    language: str | None = None
    position, count = 0, len(words)
    while position < count:
        word = words[position]
        position += 1
        if word == "--":
            # All words after it are inputs, even if they begin with a dash.
            yield Argument((word,))
            for name in words[position:]:
                yield Argument((name,), language_of(name, language, cxx))
            return
        if word == "-" or not word.startswith("-"):
            yield Argument((word,), language_of(word, language, cxx))
            continue
        group: tuple[str, ...] = (word,)
        if word in options.SEPARATE and position < count:
            group = (word, words[position])
            position += 1
        requested = _requested_language(group)
        if requested is not None:
            language = None if requested == "none" else requested
        yield Argument(group)


def _requested_language(words: tuple[str, ...]) -> str | None:
    if len(words) == 2 and words[0] in ("-x", "--language"):
        return words[1]
    if len(words) == 1 and words[0].startswith("-x") and len(words[0]) > 2:
        return words[0][2:]
    return words[0][11:] if words[0].startswith("--language=") else None


def language_of(name: str, requested: str | None, cxx: bool) -> str:
    """The language of an input; `requested`: the language of ``-x``, if any."""
    if requested is not None:
        if requested.endswith(("-header", "-unit")):
            return "header"
        known = options.IR_LANGUAGES | {"assembler", "assembler-with-cpp", "ir"}
        return requested if requested in known else "foreign"
    if name == "-":
        return "foreign"  # without -x, clang only preprocesses standard input
    language = options.LANGUAGE_OF_SUFFIX.get(os.path.splitext(name)[1], "object")
    if cxx and language in ("c", "cpp-output"):
        return "c++" if language == "c" else "c++-cpp-output"
    return language


def _elsewhere(words: tuple[str, ...]) -> bool:
    option = words[0]
    if option in options.ELSEWHERE or option.startswith(options.ELSEWHERE_PREFIXES):
        return True
    if option == "-target" and len(words) == 2:
        return not _our_target(words[1])
    if option.startswith("--target="):
        return not _our_target(option[9:])
    if option == "-arch":
        return True
    return option in ("-Xclang",) and words[-1:] in (("-ast-dump",), ("-emit-pch",), ("-verify",))


def _our_target(triple: str) -> bool:
    return triple.startswith(("x86_64-", "amd64-")) and "linux" in triple and "x32" not in triple


def _spelled(argument: Argument) -> Argument:
    """The same, in the spelling that clang has, too."""
    words = argument.words if argument.language is not None else options.spelled(argument.words)
    return argument if words == argument.words else Argument(words)


def _kept(arguments: list[Argument], cxx: bool) -> list[Argument]:
    """The arguments for clang. Link-time optimisation goes, unless it is how an option does its work."""
    names = [argument.words[0] for argument in arguments if argument.language is None]
    lto = any(map(options.needs_lto, names)) and any(map(options.is_lto, names))
    kept = [argument for argument in arguments if not _refused(argument, lto, cxx)]
    return [Argument((options.FAT,)), *kept] if lto else kept


def _of_links(argument: Argument) -> bool:
    return argument.language is None and options.is_of_links(argument.words)


def _refused(argument: Argument, lto: bool, cxx: bool) -> bool:
    if argument.language is not None:
        return False
    option = argument.words[0]
    if options.is_lto(option):
        return not lto or options.is_lto_of_gcc(option) or "fat-lto" in option
    if option == options.OF_CXX_LINKS:
        return not cxx
    return option == "--param" or option in options.GCC_SEPARATE or options.is_gcc_only(option)


# ---- the compilation to IR -------------------------------------------------------------------------


PRECOMPILED = frozenset({"-include-pch", "-include", "--include"})
"""Options whose argument may be a precompiled header."""
ANY_PRECOMPILED = ("-Xclang", "-fno-validate-pch")
"""Accepts a precompiled header of the native compilation, although the flags differ."""

SHARED = frozenset({"-fPIC", "-fpic"})
FIXED = frozenset({"-fno-pic", "-fno-PIC", "-fpie", "-fPIE", "-fno-pie", "-fno-PIE"})
"""`SHARED`: options for code of shared libraries; `FIXED`: options for other code."""
FOR_SHARED, FOR_PROGRAMS = "-fPIC", "-fPIE"
"""The position independence of the IR; its code works in programs at fixed addresses, too."""

NAMED_FLAGS = ("-f", "-m", "-std", "-O", "--std")
"""Prefixes of the flags that the header of a module lists."""


def ir_flags(invocation: Invocation) -> list[str]:
    """The options of the compilation to IR that come from the command line."""
    flags: list[str] = []
    shared = precompiled = False
    for argument in invocation.arguments:
        words = argument.words
        if words[0] in SHARED:
            shared = True
        elif words[0] in FIXED:
            shared = False
        if argument.language is not None or words[0] == "--" or _requested_language(words) is not None:
            continue
        if words[0].startswith("-Wp,"):
            flags += _preprocessor_words(words[0])
        elif words[0].startswith("-ffile-prefix-map="):
            # __FILE__ follows the map, but debug information keeps the true path.
            flags.append("-fmacro-prefix-map=" + words[0].partition("=")[2])
        elif _joined_output(words) or options.hidden_from_ir(words):
            continue
        else:
            flags += words
        precompiled = precompiled or not PRECOMPILED.isdisjoint(words)
    if precompiled:
        flags += ANY_PRECOMPILED
    flags.append(FOR_SHARED if shared else FOR_PROGRAMS)
    return flags


def _joined_output(words: tuple[str, ...]) -> bool:
    return words[0].startswith(("-o", "--output=")) and not words[0].startswith("-objc")


def _preprocessor_words(option: str) -> list[str]:
    """``-Wp,-MD,file,-DX`` without the dependency outputs and without _FORTIFY_SOURCE."""
    kept: list[str] = []
    words = iter(option.split(",")[1:])
    for word in words:
        if word in ("-MD", "-MMD", "-MF", "-MT", "-MQ"):
            next(words, None)
        elif not word.startswith(("-M", "-D_FORTIFY_SOURCE", "-U_FORTIFY_SOURCE")):
            kept.append(word)
    return ["-Wp," + ",".join(kept)] if kept else []


NO_LEVEL = "0"
"""The optimisation level without an option ``-O``."""


def optimisation(invocation: Invocation) -> str:
    """The level of the last ``-O``: one of 0, 1, 2, 3, s, z, fast, g."""
    level = NO_LEVEL
    for argument in invocation.arguments:
        option = argument.words[0]
        if argument.language is None and option.startswith("-O") and len(argument.words) == 1:
            level = option[2:]
    return level_of(level)


def level_of(word: str) -> str:
    """The level for the text after ``-O``."""
    level = word or "1"
    return level if level in ("0", "1", "s", "z", "fast", "g") else ("3" if level > "2" else "2")
