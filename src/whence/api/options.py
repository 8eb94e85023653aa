"""The options of a run, one row each.

The command line, its completion and configuration (`whence.cli.config`), the keywords of `whence.run` and the
table in docs/configuration.md are made from these rows; a row that stands for an option of the runtime
has its range and default from `whence.abi.options`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from whence.abi.options import OPTIONS as RUNTIME_OPTIONS
from whence.abi.tiers import AUTO, TIERS
from whence.engines import registry
from whence.errors import ExitCode, UserMistake
from whence.errors.hints import did_you_mean, expected

SWITCH, CHOICE, INTEGER, NUMBER, TEXT, FILE, FILES, RULES, SIZE, SIGNAL, OBJECT, REPORT = (
    *("switch", "choice", "integer", "number", "text", "file"),
    *("files", "rules", "size", "signal", "object", "report"),
)
"""Kinds of values. `FILES` and `RULES` may be given often; `OBJECT` is for Python alone; `REPORT` is a file
that a renderer writes."""

STANDARD_OUTPUT = "-"
"""The file of a report that is written to standard output."""

_LONGEST = 100_000_000
"""Seconds; system calls that wait take no more everywhere."""
_RUNTIME = {option.name: option for option in RUNTIME_OPTIONS}


class Memcheck:
    """Memcheck's option with the same meaning, for ``whence-valgrind``.

    name: without dashes. default: the row's value if the option is absent. values: Memcheck's values and the
    row's value for each; empty where Memcheck takes the row's own values. The value "" needs no "=".
    """

    __slots__ = ("default", "name", "values")

    def __init__(self, name: str, default: Any, values: Mapping[str, Any] | None = None) -> None:
        self.name, self.default, self.values = name, default, values or {}


YES_NO = {"yes": True, "no": False}


class RunOption:
    """One option.

    name: long name on the command line and in files, without dashes; "" if it is for Python alone.
    api: the keyword of `whence.run`; "" if it is for the command line alone. negated: it says the opposite.
    keyword_default: the keyword's default, where that is another.
    off: name of the opposite switch. short: a letter. low, high: the range of numbers, None for no limit.
    choices: what a choice is one of. into: the field of `Settings` ("settings.children"), of its surroundings
    ("around.remain"), or the engine that has it ("engine alloc"); "" where more than a copy is needed.
    renderer: of a report, the module below `whence.report` and the class. memcheck: Memcheck's equivalent.
    """

    __slots__ = (
        *("name", "kind", "help", "api", "default", "off", "short"),
        *("low", "high", "choices", "metavar", "into", "negated", "renderer", "memcheck"),
        "keyword_default",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        help: str,
        *,
        api: str | None = None,
        default: Any = None,
        off: str = "",
        short: str = "",
        low: int | None = None,
        high: int | None = None,
        choices: Callable[[], Iterable[str]] = tuple,
        metavar: str | None = None,
        into: str = "",
        runtime: str = "",
        negated: bool = False,
        keyword_default: Any = None,
        renderer: str = "",
        memcheck: Memcheck | None = None,
    ) -> None:
        self.name, self.kind, self.help, self.default = name, kind, help, default
        self.api = name.replace("-", "_") if api is None else api
        self.off, self.short, self.choices, self.metavar, self.into = off, short, choices, metavar, into
        self.negated, self.renderer, self.memcheck = negated, renderer, memcheck
        self.keyword_default = keyword_default
        self.low, self.high = (_RUNTIME[runtime].low, _RUNTIME[runtime].high) if runtime else (low, high)

    @property
    def api_default(self) -> Any:
        """The default of the keyword."""
        if self.keyword_default is not None:
            return self.keyword_default
        return not self.default if self.negated else self.default

    def keyword(self, value: Any) -> Any:
        """The keyword's value for a value of the command line."""
        if self.negated:
            return not value
        if self.name == "error-exitcode":
            return value or int(ExitCode.FINDING)  # the caller keeps the program's status for 0
        return value

    def check(self, value: Any) -> None:
        """Raises `UserMistake` for a value that the keyword does not take."""
        if value is None and self.default is None:
            return
        if self.kind == SWITCH and not isinstance(value, bool):
            raise UserMistake(f"{self.api} is {value!r}: expected True or False")
        if self.kind == CHOICE and value not in (names := tuple(self.choices())):
            hint = did_you_mean(value, names) if isinstance(value, str) else ""
            raise UserMistake(f"{self.api} is '{value}': expected one of {', '.join(names)}{hint}")
        if self.kind in (INTEGER, SIGNAL, SIZE):
            self._check_integer(value)
        if self.kind == NUMBER:
            self._check_number(value)

    def _check_integer(self, value: Any) -> None:
        low, high = self.low, self.high
        if self.name == "error-exitcode":
            low = 1  # 0 is for the command line, whose status it keeps
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or (low is not None and value < low) or (high is not None and value > high):
            most = "any number" if high is None else str(high)
            wanted = f"{low} to {most}" if high is not None else f"a number from {low} on"
            raise UserMistake(f"{self.api} is {value!r}: expected {wanted}")

    def _check_number(self, value: Any) -> None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 < value <= _LONGEST:
            shown = f"{value:g}" if number else repr(value)
            raise UserMistake(
                f"{self.api} is {shown}: expected seconds, above 0 and at most {_LONGEST}, or None"
            )


def _guard_types() -> Iterable[str]:
    from whence.engines.alloc.guard import TYPES

    return TYPES


def _guard_alignments() -> Iterable[str]:
    from whence.engines.alloc.guard import ALIGNMENTS

    return ALIGNMENTS


def _choices(*names: str) -> Callable[[], Iterable[str]]:
    return lambda: names


OPTIONS = (
    RunOption(
        "halt",
        SWITCH,
        "Stop at the first finding (default), or go on.",
        off="keep-going",
        api="keep_going",
        negated=True,
        default=True,
        memcheck=Memcheck("exit-on-first-error", False, YES_NO),
    ),
    RunOption(
        "error-exitcode",
        INTEGER,
        "Exit status when there are findings; 0 keeps the program's own.",
        default=int(ExitCode.FINDING),
        low=0,
        high=255,
        into="settings.error_exitcode",
        memcheck=Memcheck("error-exitcode", 0),
    ),
    RunOption(
        "json",
        REPORT,
        "Write the findings to this file as JSON.",
        api="",
        renderer="json:JsonRenderer",
    ),
    RunOption(
        "sarif",
        REPORT,
        "Write them as SARIF 2.1.0, for code scanning services.",
        api="",
        renderer="sarif:SarifRenderer",
    ),
    RunOption(
        "junit",
        REPORT,
        "Write them as JUnit XML, for CI servers.",
        api="",
        renderer="junit:JunitRenderer",
    ),
    RunOption(
        "html",
        REPORT,
        "Write them as one page for a browser, with sources, memory and leaks by size.",
        api="",
        renderer="html:HtmlRenderer",
    ),
    RunOption(
        "xml",
        REPORT,
        "Write them as Memcheck would with --xml=yes.",
        api="",
        renderer="valgrind_xml:ValgrindXmlRenderer",
        memcheck=Memcheck("xml-file", None),
    ),
    RunOption(
        "log",
        REPORT,
        "Write the report to this file, not stderr.",
        api="",
        renderer="text:TextRenderer",
        memcheck=Memcheck("log-file", None),
    ),
    RunOption("rules", FILES, "Add a file of rules.", default=()),
    RunOption(
        "enable",
        RULES,
        "Switch a rule or a group of rules on ('all' for every rule).",
        metavar="RULE",
        default=(),
    ),
    RunOption(
        "disable",
        RULES,
        "Switch a rule or a group of rules off ('all' for every rule; use-of-uninitialized-value"
        " costs most).",
        metavar="RULE",
        default=(),
    ),
    RunOption(
        "suppressions",
        FILES,
        "Do not report what this file lists (whence, Valgrind, ASan or LSan format; may be repeated).",
        metavar="FILE",
        default=(),
        memcheck=Memcheck("suppressions", ()),
    ),
    RunOption(
        "print-suppressions",
        CHOICE,
        "Which entries the report lists: those used (default), all, or none.",
        api="",
        default="used",
        choices=_choices("none", "used", "all"),
    ),
    RunOption(
        "quiet",
        SWITCH,
        "Leave out the last line, which says what was checked, and progress.",
        short="q",
        api="",
        default=False,
        memcheck=Memcheck("quiet", False, {"": True, **YES_NO}),
    ),
    RunOption(
        "gen-suppressions",
        SWITCH,
        "Print a suppression for each finding.",
        api="",
        default=False,
        memcheck=Memcheck("gen-suppressions", False, {"no": False, "yes": True, "all": True}),
    ),
    RunOption(
        "suppression-format",
        CHOICE,
        "What --gen-suppressions prints: our format (default) or Valgrind's.",
        api="",
        default="whence",
        choices=_choices("whence", "valgrind"),
    ),
    RunOption(
        "leak-check",
        CHOICE,
        "Leaks are findings (default), are only counted, or nobody looks for them.",
        default="full",
        choices=_choices("full", "summary", "no"),
        into="settings.leak_check",
        memcheck=Memcheck("leak-check", "no", {"no": "no", "summary": "no", "yes": "full", "full": "full"}),
    ),
    RunOption(
        "leak-check-signal",
        SIGNAL,
        "Look for leaks whenever the program gets this signal, as in SIGUSR1; it goes on then.",
        api="leak_signal",
        default=0,
        runtime="leak_signal",
        metavar="SIGNAL",
        into="settings.leak_signal",
    ),
    RunOption(
        "locate",
        CHOICE,
        "Say whence bad values came: by running the program a second time if there are findings, as long as "
        "that changes nothing but itself (auto, the default) or in any case (replay), in one run, several "
        "times slower (always), or never (the keyword's default).",
        default="auto",
        keyword_default="never",
        choices=_choices("never", "auto", "replay", "always"),
        into="settings.locate",
    ),
    RunOption(
        "locate-time",
        NUMBER,
        "What a second run of auto may take, with making its code (60).",
        default=60.0,
        metavar="SECONDS",
        into="settings.locate_time",
    ),
    RunOption(
        "chain-steps",
        INTEGER,
        "Steps of chains that a run keeps at most (4194302), 40 bytes each; beyond that, hops are left out.",
        runtime="origin_nodes",
        metavar="N",
        into="settings.chain_steps",
    ),
    RunOption(
        "foreign-leaks",
        SWITCH,
        "Report leaks of a program without IR and its libraries, too, as an interpreter's own.",
        default=False,
        into="settings.foreign_leaks",
    ),
    RunOption(
        "engine",
        CHOICE,
        "native: every access of code that carries IR; binary: accesses of any program, on Valgrind's core; "
        "alloc: what our allocator sees of any program; auto (default): the first of these that can; count: "
        "nothing is checked (whence heap).",
        default=registry.AUTO,
        choices=registry.names,
    ),
    RunOption(
        "guard",
        CHOICE,
        "alloc: which ends of each block lie at a page that traps (default: top).",
        choices=_guard_types,
        into="engine alloc",
    ),
    RunOption(
        "guard-zones",
        TEXT,
        "alloc: sizes of red zones, zones between blocks and reserved area (4k,4k,8M).",
        metavar="RED,EMPTY,RESERVED",
        into="engine alloc",
    ),
    RunOption(
        "guard-align",
        CHOICE,
        "alloc: blocks are aligned as their size needs (default), to 16 bytes always, or not at all.",
        choices=_guard_alignments,
        into="engine alloc",
    ),
    RunOption(
        "guard-resident",
        INTEGER,
        "alloc: small blocks that have a page of memory each, the others are packed (512); 0: all.",
        runtime="guard_resident",
        metavar="N",
        into="engine alloc",
    ),
    RunOption(
        "attach-wait",
        INTEGER,
        "Time for a debugger to attach before each faulty step.",
        default=0,
        runtime="attach_wait",
        metavar="SECONDS",
        into="settings.attach_wait",
    ),
    RunOption(
        "tier",
        CHOICE,
        "auto: quick until a run takes long (default); quick: instrument in less time, for "
        "slower code; full: fast code.",
        default=AUTO,
        choices=_choices(*TIERS),
        into="settings.tier",
    ),
    RunOption("jobs", INTEGER, "Processes that instrument (default: all).", short="j", low=1),
    RunOption(
        "timeout",
        NUMBER,
        "Kill the program and its process group then; the exit status is 124 if nothing was found.",
        metavar="SECONDS",
        into="around.timeout",
    ),
    RunOption(
        "cache-size",
        SIZE,
        "Keep at most so much instrumented code afterwards, as in 500M (5G).",
        low=0,
        metavar="SIZE",
    ),
    RunOption(
        "config",
        FILE,
        "Read options from this file, not from whence.toml here or above (/dev/null: from none).",
        api="",
        metavar="FILE",
    ),
    RunOption(
        "record",
        FILE,
        "Write there what whence replay needs to give the program as it is the same heap addresses.",
        metavar="DIRECTORY",
    ),
    RunOption(
        "heap-seed",
        INTEGER,
        "Other heap addresses for every number; the same ones in every run (0).",
        default=0,
        low=0,
        high=(1 << 64) - 1,
        metavar="NUMBER",
    ),
    RunOption(
        "print-regions",
        SWITCH,
        "Say where the heap and its tables lie.",
        default=False,
        into="settings.print_regions",
    ),
    RunOption(
        "trace-children",
        SWITCH,
        "Check the programs that it executes, too.",
        default=False,
        into="settings.children",
    ),
    RunOption(
        "child-aborts",
        CHOICE,
        "What an abort of a child is: a note (default), or an error that fails the run.",
        default="note",
        choices=_choices("note", "error"),
        into="settings.child_aborts",
    ),
    RunOption(
        "wait",
        SWITCH,
        "Wait for checked processes that it leaves behind (default).",
        off="no-wait",
        default=True,
        into="around.remain",
    ),
    RunOption(
        "exec",
        SWITCH,
        "Execute the program in the place of the process that was started, so that it has its number.",
        api="",
        default=False,
    ),
    RunOption(
        "progress",
        SWITCH,
        "Show how far instrumenting is (default): a bar on a terminal, else lines.",
        off="no-progress",
        api="",
        default=True,
    ),
    RunOption("", OBJECT, "Its standard input: bytes, a descriptor or an open file.", api="stdin"),
    RunOption(
        "",
        SWITCH,
        "Return what it writes instead of letting it through.",
        api="capture_output",
        default=False,
        into="settings.capture",
    ),
    RunOption(
        "",
        SWITCH,
        "Count what each call path allocates, as whence.heap does.",
        api="profile_heap",
        default=False,
        into="settings.profiled",
    ),
    RunOption("", OBJECT, "Its whole environment, a mapping.", api="env"),
    RunOption("", OBJECT, "Its working directory.", api="cwd"),
    RunOption(
        "",
        SWITCH,
        "While it runs, pass our signals on to it (main thread only).",
        api="relay_signals",
        default=False,
        into="around.relay",
    ),
    RunOption("", OBJECT, "Follows how far instrumenting is (start, step, wait, stop).", api="progress"),
)
"""In the order of the help."""

COMMAND_LINE = {row.name: row for row in OPTIONS if row.name}
KEYWORDS = {row.api: row for row in OPTIONS if row.api}
REPORTS = [row for row in OPTIONS if row.kind == REPORT]
"""The files that a run writes, in the order of writing."""


class RunOptions:
    """Values of the keywords of `whence.run`, checked; those that are not given have their defaults.

    Raises `UserMistake` for an unknown keyword and for a value that is not in its range.
    """

    def __init__(self, **keywords: Any) -> None:
        for name, value in keywords.items():
            if name not in KEYWORDS:
                hint = did_you_mean(name, KEYWORDS) or f" {expected(KEYWORDS)}"
                raise UserMistake(f"unknown option '{name}'{hint}")
            KEYWORDS[name].check(value)
        self.given = keywords

    def __getitem__(self, name: str) -> Any:
        """The value of a keyword."""
        return self.given.get(name, KEYWORDS[name].api_default)

    def merged(self, keywords: dict[str, Any]) -> RunOptions:
        """These options, and others that replace them."""
        return RunOptions(**{**self.given, **keywords}) if keywords else self

    def into(self, place: str) -> dict[str, Any]:
        """Field -> value, of the rows that go to "settings." or "around."."""
        rows = [row for row in KEYWORDS.values() if row.into.startswith(place)]
        return {row.into.removeprefix(place): self[row.api] for row in rows}

    def of_engine(self) -> tuple[str, dict[str, Any]]:
        """The engine that options other than their defaults belong to, and these; ("", {}) for none."""
        rows = [row for row in KEYWORDS.values() if row.into.startswith("engine ")]
        given = [row for row in rows if self[row.api] != row.default]
        if not given:
            return "", {}
        return given[0].into.removeprefix("engine "), {row.api: self[row.api] for row in given}
