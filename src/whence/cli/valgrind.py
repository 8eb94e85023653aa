"""``whence-valgrind``: `whence run` under Valgrind's command line, for tools that call Valgrind.

The process becomes the program, as Valgrind's does. It takes Memcheck's options, goes on after findings,
ends with the program's own status unless ``--error-exitcode`` says otherwise, and writes what Memcheck
would write. Options about things that
whence does not do (caches of Valgrind's, its debugger, …) are known and have no effect.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from whence.api.options import COMMAND_LINE, FILES, INTEGER, YES_NO, RunOptions
from whence.cli.ending import exit_status
from whence.cli.output import leave, say
from whence.cli.replacing import replace_text
from whence.errors import CannotExecute, CarriesNoIR, UserMistake, WhenceError
from whence.errors.hints import did_you_mean, expected
from whence.findings import memcheck

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.report import Renderer
    from whence.rules import RuleSet

_CALLERS = 12
_KINDS = frozenset(memcheck.LEAK_KIND_NAMES)


_ROWS = {row.memcheck.name: row for row in COMMAND_LINE.values() if row.memcheck is not None}
"""Memcheck's name -> our option with the same meaning."""


def _defaults() -> dict[str, Any]:
    return {row.name: row.memcheck.default for row in _ROWS.values() if row.memcheck is not None}


@dataclass(frozen=True)
class Options:
    """The options that have an effect; the defaults are Memcheck's.

    values: those that `whence.api.options` has, by our names. xml, callers, shown, undefined: those of
    Memcheck alone.
    """

    values: Mapping[str, Any] = field(default_factory=_defaults)
    xml: bool = False
    callers: int = _CALLERS
    shown: frozenset[str] = frozenset({"definite", "possible"})
    undefined: bool = True

    def with_value(self, name: str, value: Any) -> Options:
        return replace(self, values={**self.values, name: value})


Effect = Callable[[Options, str, str], Options]


def _yes(name: str, value: str) -> bool:
    if value not in YES_NO:
        raise UserMistake(f"--{name}={value}: expected yes or no")
    return YES_NO[value]


def _number(name: str, value: str, low: int, high: int) -> int:
    if not value.isdecimal() or not low <= int(value) <= high:
        raise UserMistake(f"--{name}={value}: expected a number from {low} to {high}")
    return int(value)


def _one_of(name: str, value: str, values: Sequence[str]) -> str:
    if value not in values:
        raise UserMistake(f"--{name}={value}: unknown value{did_you_mean(value, values)} {expected(values)}")
    return value


def _tool(options: Options, name: str, value: str) -> Options:
    if value != "memcheck":
        raise UserMistake(f"--tool={value}: whence stands in for memcheck only")
    return options


def _kinds(name: str, value: str) -> frozenset[str]:
    if value in ("all", "none"):
        return _KINDS if value == "all" else frozenset()
    return frozenset(_one_of(name, kind, memcheck.LEAK_KIND_NAMES) for kind in value.split(","))


def _show(kind: str) -> Effect:
    """``--show-reachable`` and ``--show-possibly-lost``: one kind more or less."""

    def effect(options: Options, name: str, value: str) -> Options:
        kinds = {kind} if kind != "reachable" else _KINDS
        on = _yes(name, value)
        return replace(options, shown=options.shown | kinds if on else options.shown - {kind})

    return effect


def _descriptor(row: str) -> Effect:
    """The file of a report, given by the number of a descriptor."""
    return lambda o, n, v: o.with_value(row, f"/dev/fd/{_number(n, v, 0, 1 << 20)}")


def _shared(options: Options, name: str, value: str) -> Options:
    """An option that `whence.api.options` has, too."""
    row = _ROWS[name]
    assert row.memcheck is not None
    values = row.memcheck.values
    meaning: Any = value
    if values is YES_NO:
        meaning = _yes(name, value)
    elif values:
        meaning = values[_one_of(name, value, tuple(values))]
    elif row.kind == INTEGER:
        meaning = _number(name, value, row.low or 0, row.high or 0)
    elif row.kind == FILES:
        meaning = (*options.values[row.name], value)
    return options.with_value(row.name, meaning)


_EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(_ROWS, _shared),
    "tool": _tool,
    "log-fd": _descriptor("log"),
    "xml": lambda o, n, v: replace(o, xml=_yes(n, v)),
    "undef-value-errors": lambda o, n, v: replace(o, undefined=_yes(n, v)),
    "xml-fd": _descriptor("xml"),
    "num-callers": lambda o, n, v: replace(o, callers=_number(n, v, 1, 500)),
    "show-leak-kinds": lambda o, n, v: replace(o, shown=_kinds(n, v)),
    "show-reachable": _show("reachable"),
    "show-possibly-lost": _show("possible"),
}
_SWITCHES = {
    word: row.memcheck.name
    for row in _ROWS.values()
    if row.memcheck is not None and "" in row.memcheck.values
    for word in (row.short, row.memcheck.name)
}
"""Words without a value, and the option that each stands for."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WITHOUT_EFFECT = _words(
    """
    v verbose d trace-children trace-children-skip trace-children-skip-by-arg child-silent-after-fork vgdb
    vgdb-error vgdb-stop-at track-fds time-stamp socket-fd demangle error-limit show-error-list s
    sigill-diagnostics keep-debuginfo show-below-main fullpath-after extra-debuginfo-path
    debuginfo-server allow-mismatched-debuginfo default-suppressions input-fd dsymutil max-stackframe
    main-stacksize max-threads realloc-zero-bytes-frees smc-check read-inline-info read-var-info
    run-libc-freeres run-cxx-freeres sim-hints scheduling-quantum fair-sched kernel-variant
    merge-recursive-frames num-transtab-sectors avg-transtab-entry-size aspace-minaddr valgrind-stacksize
    show-emwarns require-text-symbol soname-synonyms leak-resolution leak-check-heuristics
    errors-for-leak-kinds track-origins partial-loads-ok expensive-definedness-checks
    keep-stacktraces freelist-vol freelist-big-blocks workaround-gcc296-bugs ignore-range-below-sp
    show-mismatched-frees show-realloc-size-zero malloc-fill free-fill xml-user-comment xtree-memory
    xtree-memory-file xtree-leak xtree-leak-file command-line-only unw-stack-scan-thresh
    unw-stack-scan-frames redzone-size alignment vex-iropt-level vex-guest-max-insns
    """
)


def options() -> tuple[frozenset[str], frozenset[str]]:
    """The names of the options that have an effect, and of those that are only accepted."""
    return frozenset(_EFFECTS), _WITHOUT_EFFECT


def parse(words: Sequence[str]) -> tuple[Options, list[str]]:
    """Options, then the program and its arguments; raises `UserMistake`."""
    options, rest = Options(), list(words)
    while rest and rest[0].startswith("-") and rest[0] != "--":
        name, equals, value = rest.pop(0).lstrip("-").partition("=")
        known = _SWITCHES.get(name, name)
        if known in _EFFECTS and (equals or name in _SWITCHES):
            options = _EFFECTS[known](options, known, value)
        elif known in _EFFECTS:
            raise UserMistake(f"--{name} needs a value, as in --{name}=…")
        elif name not in _WITHOUT_EFFECT:
            hint = did_you_mean(name, [*_EFFECTS, *_WITHOUT_EFFECT])
            raise UserMistake(f"unknown option '--{name}'{hint}")
    rest = rest[1:] if rest[:1] == ["--"] else rest
    if not rest:
        raise UserMistake("no program specified (whence-valgrind [options] PROGRAM ARGUMENTS…)")
    return options, rest


# ---- running ----------------------------------------------------------------------------------------


def main() -> NoReturn:
    """Entry point of ``whence-valgrind``."""
    words = sys.argv[1:]
    try:
        if words[:1] in (["--version"], ["--help"], ["-h"]):
            leave(_describe(words[0]))
        options, command = parse(words)
        leave(_run(options, command, words[: len(words) - len(command)]))
    except WhenceError as error:
        say(f"whence-valgrind: {error}\n")
        leave(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)


def _describe(word: str) -> int:
    from whence import __version__

    if word == "--version":
        print(f"valgrind-3.22.0 (whence {__version__})")
    else:
        print(__doc__)
        print("Options with an effect: " + " ".join(f"--{name}" for name in sorted(_EFFECTS)))
    return 0


def _run(options: Options, command: Sequence[str], words: Sequence[str]) -> int:
    from whence.api import running
    from whence.cli.outputs import to_descriptors
    from whence.engines.process.handover import Handover
    from whence.engines.start import begun

    begun.handover = Handover(to_descriptors([options.values["xml" if options.xml else "log"]]))
    keywords = {row.api: row.keyword(options.values[row.name]) for row in _ROWS.values() if row.api}
    keywords |= {
        "rules": _rules(options),
        "suppressions": running.load_suppressions(options.values["suppressions"]),
        "leak_check": "full",  # the rules decide which leaks are findings
    }
    chosen = RunOptions(**keywords, relay_signals=True)
    try:
        result = running.run(command[0], command[1:], chosen.merged({"engine": "native"}))
    except CarriesNoIR as error:
        result = _executed(command, chosen) or _run_unchecked(options, command, error)
    except CannotExecute as error:
        _run_unchecked(options, command, error)
    result = _shown(result, options)
    _write(options, result, _renderer(options, words))
    return exit_status(result, options.values["error-exitcode"])


def _executed(command: Sequence[str], options: RunOptions) -> Result | None:
    """The result of a program without IR where there is a core to execute it; None where there is none."""
    from whence.api import running
    from whence.engines.binary.core import NoCore

    try:
        return running.run(command[0], command[1:], options.merged({"engine": "binary"}))
    except (NoCore, CannotExecute):
        return None


def _rules(options: Options) -> RuleSet:
    """The rules of the leaks to show, and all others that are on; as Memcheck does, XML lists leaks in any
    case, and sizes that no object can have are errors."""
    from whence.api import running

    full = options.xml or options.values["leak-check"] == "full"
    wanted = {memcheck.LEAK_RULES[kind] for kind in options.shown} if full else set()
    others = {*memcheck.LEAK_RULES.values()} - wanted
    if not options.undefined:
        others.add("use-of-uninitialized-value")
    return running.select_rules(enable=[*sorted(wanted), "absurd-size"], disable=sorted(others))


def _shown(result: Result, options: Options) -> Result:
    """Without the leaks of kinds that are not shown."""
    kinds = {None, *options.shown}
    return replace(result, findings=tuple(f for f in result.findings if memcheck.leak_kind(f) in kinds))


def _renderer(options: Options, words: Sequence[str]) -> Renderer:
    from whence.report.valgrind_text import ValgrindTextRenderer
    from whence.report.valgrind_xml import ValgrindXmlRenderer

    if options.xml:
        command = ("whence-valgrind", *words)
        return ValgrindXmlRenderer(
            callers=options.callers, command=command, suppressions=options.values["gen-suppressions"]
        )
    return ValgrindTextRenderer(callers=options.callers, quiet=options.values["quiet"])


def _run_unchecked(options: Options, command: Sequence[str], error: CannotExecute) -> NoReturn:
    """Run a program without IR (a script, a tool of a test) unchecked, with a line in the log."""
    line = f"=={os.getpid()}== whence: {error}; it runs unchecked\n"
    _put(None if options.xml else _expand(options.values["log"], os.getpid()), line)
    try:
        os.execvp(command[0], list(command))
    except OSError as failure:
        raise CannotExecute(f"{command[0]}: cannot be started: {failure.strerror}") from None


def _write(options: Options, result: Result, renderer: Renderer) -> None:
    text = renderer.render(result.findings, result.run)
    if options.values["gen-suppressions"] and not options.xml:
        from whence.cli.outputs import entries

        text += entries(result, "valgrind")
    path = _expand(options.values["xml" if options.xml else "log"], result.run.pid or os.getpid())
    if path is not None or result.findings or result.run.sentences or not options.values["quiet"]:
        _put(path, text)


def _expand(name: str | None, pid: int) -> str | None:
    """A file name with ``%p``, ``%n``, ``%q{VARIABLE}`` and ``%%`` replaced, as Valgrind does."""
    if name is None:
        return None

    def value(match: re.Match[str]) -> str:
        if match["variable"] is None:
            return "%" if match[1] == "%" else str(pid)
        found = os.environ.get(match["variable"])
        if found is None:
            raise UserMistake(f"{name}: the environment variable {match['variable']} is not set")
        return found

    return re.sub(r"%(p|n|%|q\{(?P<variable>[^}]*)\})", value, name)


def _put(path: str | None, text: str) -> None:
    """Write the report; where that fails it is shown, and `UserMistake` says why."""
    if path is None:
        say(text)
        return
    try:
        replace_text(Path(path), text)
    except OSError as error:
        say(text)
        raise UserMistake(
            f"{path}: cannot be written: {error.strerror}; the report is shown above"
        ) from error


if __name__ == "__main__":
    main()
