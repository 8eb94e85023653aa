"""Options from a file and from the environment, under those of the command line.

Both become words of a command line, so there is one way to read and check an option:

    whence.toml          [run]                          --keep-going --suppressions /src/known.supp
                         keep-going = true
                         suppressions = ["known.supp"]
    WHENCE_OPTIONS       --error-exitcode 3             --error-exitcode 3
    the command line     --json out.json prog           --json out.json prog

What comes later wins; lists of files add up; what a later source says of a rule (``--enable``,
``--disable``) replaces what an earlier one says of it. docs/configuration.md describes it for users.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from whence.errors import UserMistake
from whence.errors.hints import did_you_mean, expected

FILE_NAME = "whence.toml"
VARIABLE = "WHENCE_OPTIONS"
_RULE_OPTIONS = ("enable", "disable")
_NOT_IN_FILES = ("config", "help")

Setting = tuple[str, str | None]
"""An option's long name without dashes, and its value; None for a switch."""


class ConfiguredCommand(click.Command):
    """A command whose options also come from ``whence.toml`` and ``WHENCE_OPTIONS``.

    Arguments after the options are left alone, so the last parameters have to be arguments.
    """

    def configuring(self) -> click.Command:
        """The command whose options may stand there; those that this one lacks are left out."""
        return self

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # a command line that is being completed
            args = configured(self, args, os.environ, Path.cwd(), self.configuring())
        return super().parse_args(ctx, args)


def configured(
    command: click.Command,
    args: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    configuring: click.Command | None = None,
) -> list[str]:
    """The command line with what the file and the environment add to it.

    configuring: the command whose options may stand there, `command` itself for None.
    Raises `UserMistake` that says where the mistake stands.
    """
    own = _Options(command)
    options = own if configuring is None else _Options(configuring)
    given, _ = own.split(args)
    if any(name in ("help", "h") for name, _ in given):
        return list(args)
    variable = options.from_variable(environment.get(VARIABLE, ""))
    chosen = [value for name, value in (*variable, *given) if name == "config" and value is not None]
    file = Path(chosen[-1]) if chosen else _find(directory)
    from_file = options.from_file(file) if file is not None else []
    sources = _without_overruled([[s for s in each if s in own] for each in (from_file, variable)], given)
    return [*(word for source in sources for setting in source for word in options.words(setting)), *args]


def _without_overruled(sources: Sequence[list[Setting]], given: Sequence[Setting]) -> list[list[Setting]]:
    """Without what is said of rules that a later source, or `given` at last, speaks of.

    It does so by their names, by a group that they belong to, or by 'all'.
    """
    decided = _decided(given)
    kept: list[list[Setting]] = []
    for source in reversed(sources):
        kept.insert(0, [s for s in source if s[0] not in _RULE_OPTIONS or not {"all", s[1]} & decided])
        decided |= _decided(source)
    return kept


def _decided(settings: Sequence[Setting]) -> set[str | None]:
    """The rules and groups that some settings speak of."""
    names = {value for name, value in settings if name in _RULE_OPTIONS}
    if not names:
        return names
    from whence.rules.groups import GROUPS  # with the whole of the rules' language

    return names.union(*(GROUPS[name].rules for name in names if name in GROUPS))


def places(directory: Path) -> list[Path]:
    """Where a ``whence.toml`` was looked for from `directory` on: the one that is there is the last."""
    found = []
    for folder in (directory, *directory.parents):
        found.append(folder / FILE_NAME)
        if found[-1].exists():
            break
    return found


def _find(directory: Path) -> Path | None:
    """The file in this directory or the nearest one above; it must be ours or the system's."""
    for folder in (directory, *directory.parents):
        path = folder / FILE_NAME
        try:
            owner = path.stat().st_uid
        except OSError:
            continue
        if owner not in (0, os.geteuid()):
            raise UserMistake(f"{path}: it belongs to another user; if you trust it, say --config {path}")
        return path
    return None


class _Options:
    """The options of a command, by long name, and the ways to read them."""

    def __init__(self, command: click.Command) -> None:
        self._by_name: dict[str, click.Option] = {}
        for option in command.params:
            if isinstance(option, click.Option):
                for word in (*option.opts, *option.secondary_opts):
                    self._by_name[word.lstrip("-")] = option

    def __contains__(self, setting: Setting) -> bool:
        """Whether there is such an option; one that takes a value is not a switch of that name."""
        name, value = setting
        option = self._by_name.get(name)
        return option is not None and option.is_flag == (value is None)

    def split(self, args: Sequence[str]) -> tuple[list[Setting], list[str]]:
        """The options that stand in front, and what follows on them."""
        settings: list[Setting] = []
        words = list(args)
        while words and words[0].startswith("-") and words[0] not in ("-", "--"):
            name, equals, value = words.pop(0).lstrip("-").partition("=")
            option = self._by_name.get(name)
            if option is None and name[:1] in self._by_name and not equals:
                settings.append((name[0], name[1:]))  # -j4
            elif option is None or option.is_flag or equals:
                settings.append((name, value if equals else None))
            else:
                settings.append((name, words.pop(0) if words else None))
        return settings, words

    def words(self, setting: Setting) -> list[str]:
        """A setting as words of a command line."""
        name, value = setting
        word = f"--{name}" if len(name) > 1 else f"-{name}"
        return [word] if value is None else [word, value]

    # ---- the environment ----

    def from_variable(self, text: str) -> list[Setting]:
        """The settings of ``WHENCE_OPTIONS``."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UserMistake(f"{VARIABLE}: {str(error).lower()} in '{text}'") from None
        settings, rest = self.split(words)
        if rest:
            raise UserMistake(f"{VARIABLE}: '{rest[0]}' is no option (expected options alone)")
        for name, value in settings:
            if name not in self._by_name:
                hint = did_you_mean(name, self._long_names()) or " (see whence run --help)"
                raise UserMistake(f"{VARIABLE}: unknown option '--{name}'{hint}")
            self._convert(name, value, VARIABLE)
        return settings

    def _long_names(self) -> list[str]:
        return sorted(name for name in self._by_name if len(name) > 1)

    # ---- the file ----

    def from_file(self, path: Path) -> list[Setting]:
        """The settings of a ``whence.toml``; names of files in it are relative to its directory."""
        text, tables = _read(path)
        for name, table in tables.items():
            place = f"{path}:{_line_of(text, name, None)}"
            if name != "run":
                hint = did_you_mean(name, ["run"])
                raise UserMistake(f"{place}: unknown table or key '{name}'{hint}; options stand below [run]")
            if not isinstance(table, dict):
                raise UserMistake(f"{place}: 'run' is no option; options stand below a line [run]")
        run = tables.get("run", {})
        return [s for key, value in run.items() for s in self._from_key(path, text, key, value)]

    def _from_key(self, path: Path, text: str, key: str, value: Any) -> Iterator[Setting]:
        place = f"{path}:{_line_of(text, key, 'run')}"
        known = [name for name in self._long_names() if name not in _NOT_IN_FILES]
        if key not in known:
            hint = did_you_mean(key, known) or " " + expected(known)
            raise UserMistake(f"{place}: unknown key '{key}'{hint}")
        option = self._by_name[key]
        if option.is_flag:
            yield self._switch(option, key, value, place), None
            return
        values = value if option.multiple and isinstance(value, list) else [value]
        for item in values:
            yield key, self._convert(key, _scalar(option, key, item, place), place, path.parent)

    def _switch(self, option: click.Option, key: str, value: Any, place: str) -> str:
        """The name of the switch that a true or false stands for."""
        if not isinstance(value, bool):
            raise UserMistake(f"{place}: '{key}' is true or false, not {value!r}")
        on, off = ([word.lstrip("-") for word in words] for words in (option.opts, option.secondary_opts))
        if not off and not value:
            raise UserMistake(f"{place}: '{key}' is off anyway; leave it out instead of false")
        return (on if value == (key in on) else off)[0]

    def _convert(self, name: str, value: str | None, place: str, folder: Path | None = None) -> str | None:
        """Check a value as the command line does; files become relative to `folder`."""
        option = self._by_name[name]
        if option.is_flag:
            if value is not None:
                raise UserMistake(f"{place}: '{name}' takes no value")
            return None
        if value is None:
            raise UserMistake(f"{place}: '{name}' needs a value")
        try:
            option.type.convert(value, option, None)
        except click.BadParameter as error:
            raise UserMistake(f"{place}: bad value for '{name}': {error.message}") from None
        if folder is not None and isinstance(option.type, click.Path):
            return os.path.normpath(os.path.join(folder, os.path.expanduser(value)))
        return value


def _scalar(option: click.Option, key: str, value: Any, place: str) -> str:
    """A value of TOML as the word that stands for it."""
    numeric = isinstance(option.type, click.types.IntParamType | click.types.FloatParamType)
    if numeric and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not numeric and isinstance(value, str):
        return value
    what = "a number" if numeric else "a string or a list of strings" if option.multiple else "a string"
    raise UserMistake(f"{place}: '{key}' is {what}, not {value!r}")


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    import tomllib

    try:
        text = path.read_bytes().decode()
        return text, tomllib.loads(text)
    except OSError as error:
        raise UserMistake(f"{path}: the configuration cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserMistake(f"{path}: the configuration is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        where = f":{place[1]}:{place[2]}" if place else ""
        sentence = message[: place.start()] if place else message
        raise UserMistake(f"{path}{where}: this is not TOML: {sentence}") from None


def _line_of(text: str, key: str, table: str | None) -> int:
    """The line that a key or a table begins at, counted from 1; the table's when the key is not found."""
    inside, found = table is None, 1
    pattern = re.compile(rf"""\s*(?:\[+\s*)?["']?{re.escape(key)}["']?\s*[=.\]]""")
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*\[\s*([^\]\s]+)\s*\]", line)
        if header and table is not None:
            inside = header[1] == table
            found = number if inside else found
        elif inside and pattern.match(line):
            return number
    return found
