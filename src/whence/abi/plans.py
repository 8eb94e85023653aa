"""Plans: what Python writes into the cache for the native commands (``launcher/``), and what those answer.

A plan is a file: the text of its key, then strings that each end with a zero byte. The first character of a
line is a letter that says what it is; a line has one string or two. `Start` and `Compile` are the tables of
these letters, which C has as ``WH_START_<name>`` and ``WH_COMPILE_<name>``.

Compiler runs import this: it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDER = "starts"
"""Of all plans, in the cache."""


class Kind:
    """A kind of line. strings: 1 or 2, the first without the letter. meaning: of the strings."""

    __slots__ = ("letter", "meaning", "strings")

    def __init__(self, letter: str, meaning: str, *, strings: int = 1) -> None:
        self.letter = letter
        self.meaning = meaning
        self.strings = strings

    def line(self, *strings: str) -> tuple[str, ...]:
        """The strings of one line; raises `ValueError` if their number is not that of the kind."""
        if len(strings) != self.strings:
            raise ValueError(f"a line '{self.letter}' has {self.strings} strings and not {len(strings)}")
        return (self.letter + strings[0], *strings[1:])

    def lines(self, words: Iterable[str]) -> list[str]:
        """A line for each word; raises `ValueError` if the kind has two strings."""
        return [string for word in words for string in self.line(word)]

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> list[str]:
        """A line for each pair; raises `ValueError` if the kind has one string."""
        return [string for pair in pairs for string in self.line(*pair)]


class Table:
    """Kinds, by the names of its attributes and of those of the tables that it extends."""

    @classmethod
    def kinds(cls) -> Iterator[tuple[str, Kind]]:
        """Names and kinds; raises `ValueError` if two have one letter."""
        letters: dict[str, str] = {}
        for each in reversed(cls.__mro__):
            for name, kind in vars(each).items():
                if isinstance(kind, Kind):
                    if letters.setdefault(kind.letter, name) != name:
                        raise ValueError(f"{letters[kind.letter]} and {name} have one letter, {kind.letter}")
                    yield name, kind

    @classmethod
    def paired(cls) -> str:
        """The letters of the lines with two strings."""
        return "".join(kind.letter for _, kind in cls.kinds() if kind.strings == 2)


class Plan(Table):
    """Lines of every plan."""

    FILE = Kind("F", "path and identity of a file, a folder, or of none, that it was made from", strings=2)
    ENTRY = Kind("G", "likewise an entry of the cache, which is marked as used", strings=2)
    END = Kind(".", "the last line")


class Start(Plan):
    """Lines of a start plan, for ``whence run``."""

    LOCKS = Kind("C", "the cache's lock file, and the bytes of it to lock", strings=2)
    IMAGE = Kind("I", "path of the program to execute")
    BEFORE = Kind("B", "word of a program that executes it, in front of its own words; with `RUN_FOLDER`")
    SETTING = Kind("E", "NAME=VALUE, to be set; with `RUN_FOLDER` and `LAUNCHER`")
    DIRECTORY = Kind("D", "name of a folder to make in the run's folder")
    LINK = Kind("L", "name and target of a symbolic link to make there", strings=2)
    SERVICE = Kind("S", "nothing: the launcher listens on the socket there")
    SILENT = Kind("Q", "name of a file in the run's folder, which Python reads unless it is empty or missing")
    LIMIT = Kind("M", "CPU time of a run in milliseconds, from which on Python ends it")
    NOTE = Kind("N", "what a clean run says on standard error; with `STATUS`")
    HIGHLIGHTED = Kind("H", "likewise, for a terminal")


RUN_FOLDER, LAUNCHER = "\1", "\2"
"""In the value of a variable or a word: the run's folder, and the launcher's process number."""
STATUS = "\1"
"""In the text of a clean run: the program's exit status."""


class Compile(Plan):
    """Lines of a compile plan, for ``whence-cc``."""

    COMMAND = Kind("A", "word of the command that starts the front end, its path first")
    SPLIT = Kind("a", "word of the command that splits coroutines (`COROUTINE` is in the module)")
    IR = Kind("M", "word of the compilation to IR, in front of the language and the source")
    FRONTEND = Kind("V", "the front end's version, as a module says it")
    TARGET = Kind("T", "its target")
    CHECKS = Kind("k", "the checks that it writes into IR, as a module says them")
    HEADERS = Kind("B", "variable, and a folder that is added to it at the end", strings=2)
    UNSET = Kind("U", "name of a variable that the compilation to IR does not get")
    SEPARATE = Kind("S", "option that takes the next word as its argument")
    EXACT = Kind("=", "option, and its class", strings=2)
    ARGUMENT = Kind("+", "option, a blank and how its separate argument begins, and the class", strings=2)
    VALUED = Kind("~", "option, alone or with =value, and its class", strings=2)
    PREFIX = Kind("^", "how options begin, and their class; the first line that fits decides", strings=2)
    LEVEL = Kind("O", "option, and the optimisation level as a module says it", strings=2)
    NAMED = Kind("K", "how options begin that a module's header names")
    LANGUAGE = Kind("L", "suffix of sources, and their language; none if it yields no IR", strings=2)
    EXEMPTING = Kind("N", "letters, in any case, of a source that may exempt functions from checks")
    COROUTINE = Kind("c", "bytes of a module that holds coroutines")
    PRECOMPILED = Kind("P", "word added for options of that class, in front of the next two")
    FOR_SHARED = Kind("f", "word for the position independence of class SHARED")
    FOR_PROGRAMS = Kind("g", "likewise of all others")
    SECTION = Kind("s", "name of the section that carries IR")
    MAGIC = Kind("m", "its magic number")
    VERSION = Kind("v", "its version")
    COMPRESSION = Kind("l", "zlib's level")
    PART = Kind("i", "option of a link, and its items in the record of the link, as JSON", strings=2)
    UNRECORDED = Kind("u", "how options begin of whose link Python makes the record")
    UNLINKED = Kind("e", "name of a variable: if it is set, Python links")
    INTERFACE = Kind("x", "word that is added to the command of a link")
    CXX = Kind("C", "whether the command is the driver of C++, as JSON")
    RECORD_SECTION = Kind("r", "name of the section that carries the record of a link")
    RECORD_MAGIC = Kind("n", "its magic number; its version is `VERSION`")
    RECORD_COMPRESSION = Kind("z", "zlib's level")


class Option(Table):
    """Classes of options, as a compile plan spells them."""

    SHAPE = Kind("s", "shapes the IR, as every option does that no line fits")
    HIDDEN = Kind("h", "the compilation to IR runs without it")
    SHARED = Kind("P", "hidden; code for shared libraries")
    FIXED = Kind("F", "hidden; code for programs")
    PRECOMPILED = Kind("H", "shapes the IR, and may name a precompiled header")
    OBJECT = Kind("c", "an object is wanted")
    OUTPUT = Kind("o", "names the output")
    LINK = Kind("l", "hidden; clang does not get it where nothing is linked")
    UNLINKED = Kind("u", "clang does all of it, and links nothing")
    ELSEWHERE = Kind("e", "clang does all of it")
    PYTHON = Kind("p", "Python does all of it")


IDENTITY = {
    "st_dev": ("NUMBER", "st_dev"),
    "st_ino": ("NUMBER", "st_ino"),
    "st_size": ("NUMBER", "st_size"),
    "st_mtime_ns": ("TIME", "st_mtim"),
}
"""The words of a file's identity as Python names them, and as C does: a number, or a time in nanoseconds."""
CHANGED = {"st_ctime_ns": ("TIME", "st_ctim")}
"""The words that follow where a change of its status counts."""

REQUEST = {"descriptor": "%d", "words": "%zu", "name": "%s", "folder": "%s"}
"""The words of the variables `whence.abi.variables.START` and `COMPILE_PLAN`: a plan that was missing.

descriptor: a file with the key's text. words: how many words of the command line, from the first behind
``run`` on, belong to the key (0 for a compiler's). name, folder: where the plan is kept.
"""
STARTED = {"child": "%d", "status": "%d", "service": "%d", "input": "%lld", "folder": "%s"}
"""The words of the variable `whence.abi.variables.STARTED`: a run that the launcher has begun.

child: the program's process number, 0 if it has ended with `status` (as waitpid gives it). service: the
descriptor of the listening socket, -1 for none. input: where in its file standard input began, -1 if it is
no file. folder: the run's.
"""


def words(form: dict[str, str], value: str) -> dict[str, str]:
    """The words of a variable by name; raises `ValueError` if there are fewer."""
    return dict(zip(form, value.split(" ", len(form) - 1), strict=True))
