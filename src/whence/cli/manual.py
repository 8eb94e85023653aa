"""The manual pages, made from the commands themselves: ``python -m whence.cli.manual FOLDER``.

The package's build calls it, and the pages are installed below ``share/man``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from whence import __version__

_COMPILERS = ("cc", "c++")
"""Commands with pages of their own, because they take the options of another compiler."""

_ENVIRONMENT = {
    "WHENCE_OPTIONS": "Options of whence run, before those of the command line.",
    "WHENCE_CACHE": "The folder of instrumented code.",
    "WHENCE_CACHE_SIZE": "Bytes that it may hold when a run is over, as in 500M.",
    "WHENCE_GDB": "The debugger of whence debug.",
    "NO_COLOR, FORCE_COLOR": "Reports without colours, and with colours where there is no terminal.",
    "COLUMNS": "The width of reports where there is no terminal.",
}
_STATUS = {
    "99": "There are findings (--error-exitcode changes it).",
    "124": "The program was killed because its time was over, and nothing was found.",
    "2": "A mistake on the command line, or in a file of rules or options.",
    "125": "whence lacks something: a compiler, memory, room for the cache.",
    "126": "The program cannot be executed.",
    "127": "There is no such program.",
    "other": "That of the program.",
}
_OF_COMPILER = {
    "WHENCE_CLANG": "The clang to use, else the newest one in PATH or the one that comes with whence.",
    "WHENCE_PREPARE": "With 1, programs and shared libraries are instrumented right after they are linked.",
    "WHENCE_CACHE": "The folder of instrumented code.",
}


def pages() -> dict[str, str]:
    """The name of each page, as in ``whence-run.1``, and its text."""
    from whence.cli.commands import whence

    context = click.Context(whence, info_name="whence")
    made = {"whence.1": _main_page(whence, context)}
    for name in whence.list_commands(context):
        command = whence.get_command(context, name)
        if command is not None and name not in _COMPILERS:
            own = click.Context(command, info_name=f"whence {name}", parent=None)
            made[f"whence-{name}.1"] = _page(f"whence-{name}", command, own)
    made["whence-cc.1"] = _compiler_page()
    made["whence-c++.1"] = ".so man1/whence-cc.1\n"
    made["whence-valgrind.1"] = _valgrind_page()
    return made


def write(folder: Path) -> list[Path]:
    """Writes the pages; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, text in pages().items():
        made.append(folder / name)
        made[-1].write_text(text)
    return made


# ---- pages ----


def _page(name: str, command: click.Command, context: click.Context) -> str:
    lines = [*_head(name, command.get_short_help_str(200)), *_synopsis(command, context)]
    lines += [".SH DESCRIPTION", *_prose(command.help or ""), *_options(command, context, ".SH OPTIONS")]
    if isinstance(command, click.Group):
        lines += [".SH COMMANDS"]
        for each in command.list_commands(context):
            member = command.get_command(context, each)
            assert member is not None
            own = click.Context(member, info_name=f"{context.info_name} {each}")
            lines += [f".SS {_text(f'{context.info_name} {each}')}", *_prose(member.help or "")]
            lines += [*_options(member, own, None)]
    if name == "whence-run":
        lines += [*_table("EXIT STATUS", _STATUS), *_table("ENVIRONMENT", _ENVIRONMENT)]
        lines += [*_section("FILES", "whence.toml, in the working directory or above, has options, too.")]
    return _ended(lines, "whence(1), whence-cc(1)" if name != "whence-cc" else "whence(1)")


def _main_page(group: click.Group, context: click.Context) -> str:
    lines = [*_head("whence", "a memory debugger for C and C++ that is generated from rules")]
    lines += [".SH SYNOPSIS", r".B whence", r".I COMMAND", r"[\fIARGUMENTS\fR ...]"]
    lines += [".SH DESCRIPTION", *_prose(group.help or ""), *_options(group, context, ".SH OPTIONS")]
    lines += [".SH COMMANDS"]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        lines += [".TP", rf"\fBwhence {_text(name)}\fR", _text(command.get_short_help_str(200))]
    seen = [f"whence-{name}(1)" for name in group.list_commands(context) if name not in _COMPILERS]
    return _ended(lines, ", ".join(["whence-cc(1)", "whence-valgrind(1)", *seen]))


def _compiler_page() -> str:
    lines = [*_head("whence-cc", "compile C and C++ so that whence can check the program")]
    lines += [".SH SYNOPSIS", r".B whence-cc", r"[\fIOPTIONS OF THE COMPILER\fR ...]", ".br"]
    lines += [r".B whence-c++", r"[\fIOPTIONS OF THE COMPILER\fR ...]"]
    text = (
        "Takes the options of clang and gcc, and makes the same objects, libraries and programs, which "
        "also carry their LLVM IR. They run as before; whence run checks them.\n\n"
        "Of build systems it is the compiler: CC=whence-cc CXX=whence-c++ ./configure."
    )
    lines += [*_section("DESCRIPTION", text), *_table("ENVIRONMENT", _OF_COMPILER)]
    return _ended(lines, "whence(1), whence-run(1)")


def _valgrind_page() -> str:
    from whence.cli.valgrind import options

    lines = [*_head("whence-valgrind", "whence under the command line of Valgrind")]
    lines += [".SH SYNOPSIS", r".B whence-valgrind", r"[\fIOPTIONS\fR] \fIPROGRAM\fR [\fIARGUMENTS\fR ...]"]
    text = (
        "Stands in for Valgrind's Memcheck where a tool calls it, as ctest -T memcheck does. "
        "The program is checked as by whence run, and the report is what Memcheck would write."
    )
    known, ignored = options()
    lines += [*_section("DESCRIPTION", text), ".SH OPTIONS"]
    lines += [*_prose("These options have Memcheck's meaning:")]
    lines += [*_prose(", ".join(f"--{name}" for name in sorted(known)))]
    lines += [*_prose("These are accepted and have no effect:")]
    lines += [*_prose(", ".join(f"--{name}" for name in sorted(ignored)))]
    return _ended(lines, "whence-run(1), valgrind(1)")


# ---- parts of pages ----


def _head(name: str, summary: str) -> Iterator[str]:
    yield f'.TH {name.upper()} 1 "" "whence {__version__}" "whence"'
    yield from (".nh", ".ad l", ".SH NAME", rf"{_text(name)} \- {_text(_first_lower(summary.rstrip('.')))}")


def _ended(lines: Sequence[str], see: str) -> str:
    return "\n".join([*lines, *_section("SEE ALSO", see)]) + "\n"


def _first_lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _synopsis(command: click.Command, context: click.Context) -> Iterator[str]:
    yield ".SH SYNOPSIS"
    words = " ".join(command.collect_usage_pieces(context))
    yield rf"\fB{_text(context.info_name or '')}\fR {_text(words)}"


def _options(command: click.Command, context: click.Context, heading: str | None) -> Iterator[str]:
    records = [each.get_help_record(context) for each in command.get_params(context)]
    shown = [record for record in records if record is not None]
    if shown and heading is not None:
        yield heading
    for names, text in shown:
        yield from (".TP", rf"\fB{_text(names)}\fR", _text(text))


def _table(title: str, rows: dict[str, str]) -> Iterator[str]:
    yield f".SH {title}"
    for name, text in rows.items():
        yield from (".TP", rf"\fB{_text(name)}\fR", _text(text))


def _section(title: str, text: str) -> Iterator[str]:
    yield f".SH {title}"
    yield from _prose(text)


def _prose(text: str) -> Iterator[str]:
    """Paragraphs; what is indented, or stands behind click's mark for it, keeps its lines."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        lines = paragraph.strip("\n").splitlines()
        if not lines:
            continue
        yield ".PP"
        if lines[0].strip() == "\b" or all(line.startswith("    ") for line in lines):
            yield from (".nf", *(_text(line) for line in lines if line.strip() != "\b"), ".fi")
        else:
            yield _text(" ".join(line.strip() for line in lines))


def _text(text: str) -> str:
    """A line of text, in which nothing is a request of the formatter."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    escaped = "".join(each if each.isascii() else rf"\[u{ord(each):04X}]" for each in escaped)
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    sys.stdout.writelines(f"{path}\n" for path in write(Path(sys.argv[1])))
