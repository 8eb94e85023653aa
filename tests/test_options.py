"""An option of a run is one row: the command line, the keywords and the documentation follow the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
from tests.harness.session import REPOSITORY

import whence
from whence.abi.options import OPTIONS as RUNTIME_OPTIONS
from whence.api.options import CHOICE, COMMAND_LINE, INTEGER, KEYWORDS, OPTIONS, SWITCH, RunOption, RunOptions
from whence.api.run_keywords import RunKeywords
from whence.cli.run import run
from whence.engines.process.runtime_options import LEAKS
from whence.errors import UserMistake


def documented() -> Iterator[str]:
    """The rows of the table in docs/configuration.md."""
    yield "| option | keyword of `whence.run` | values | meaning |"
    yield "|---|---|---|---|"
    for row in OPTIONS:
        if row.name:
            name = f"`--{row.name}`" + (f", `--{row.off}`" if row.off else "")
            yield f"| {name} | {f'`{row.api}`' if row.api else ''} | {values(row)} | {row.help} |"


def values(row: RunOption) -> str:
    if row.kind == CHOICE:
        return ", ".join(f"`{name}`" for name in row.choices())
    if row.kind == INTEGER:
        return f"{row.low} to {row.high}" if row.high is not None else f"from {row.low} on"
    names = {
        "number": "a number",
        "text": "text",
        "file": "a file",
        "files": "files",
        "rules": "names",
        "report": "a file",
    }
    return names.get(row.kind, {"size": "a size", "signal": "a signal"}.get(row.kind, ""))


def test_the_documentation_has_the_table() -> None:
    page = (REPOSITORY / "docs" / "configuration.md").read_text()
    assert "\n".join(documented()) in page, "\n" + "\n".join(documented())


def test_the_command_line_has_the_table() -> None:
    names = [option.opts[0] for option in run.params if isinstance(option, click.Option)]
    assert sorted(names) == sorted(f"--{name}" for name in COMMAND_LINE)


def test_type_checkers_know_the_keywords() -> None:
    assert RunKeywords.__annotations__.keys() == KEYWORDS.keys()


def test_names_are_unique_and_defaults_are_values() -> None:
    assert len({row.api for row in OPTIONS if row.api}) == sum(bool(row.api) for row in OPTIONS)
    for row in KEYWORDS.values():
        row.check(row.api_default)


def test_ranges_of_the_runtime_stand_there_alone() -> None:
    known = {option.name: (option.low, option.high) for option in RUNTIME_OPTIONS}
    for name in ("attach_wait", "guard_resident", "leak_signal"):
        assert (KEYWORDS[name].low, KEYWORDS[name].high) == known[name]


@pytest.mark.parametrize("row", [r for r in KEYWORDS.values() if r.kind in (INTEGER, SWITCH, CHOICE)])
def test_values_of_another_type_are_refused(row: RunOption) -> None:
    for wrong in ("nonsense", [], 2.5):
        with pytest.raises(UserMistake, match=f"^{row.api} is .*: expected "):
            RunOptions(**{row.api: wrong})


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"keepgoing": True}, "unknown option 'keepgoing' (did you mean 'keep_going'?)"),
        ({"zzz": 1}, "unknown option 'zzz' (expected one of: keep_going, error_exitcode, "),
        ({"engine": "nativ"}, "engine is 'nativ': expected one of auto, native, binary, alloc, count (did"),
        ({"leak_check": "none"}, "leak_check is 'none': expected one of full, summary, no"),
        ({"error_exitcode": 0}, "error_exitcode is 0: expected 1 to 255"),
        ({"attach_wait": -1}, "attach_wait is -1: expected 0 to 86400"),
        ({"jobs": 0}, "jobs is 0: expected a number from 1 on"),
        ({"keep_going": 1}, "keep_going is 1: expected True or False"),
        ({"keep_going": "no"}, "keep_going is 'no': expected True or False"),
        ({"timeout": 0}, "timeout is 0: expected seconds, above 0 and at most 100000000, or None"),
    ],
)
def test_mistakes(keywords: dict[str, Any], message: str) -> None:
    for call in (lambda: RunOptions(**keywords), lambda: whence.run("/bin/true", **keywords)):
        with pytest.raises(UserMistake, match=f"^{re.escape(message)}"):
            call()


def test_ways_to_treat_leaks_are_known_to_the_runtime() -> None:
    assert {*KEYWORDS["leak_check"].choices()} == LEAKS.keys()


def test_options_are_kept_and_replaced() -> None:
    kept = RunOptions(keep_going=True, jobs=2)
    assert (kept["keep_going"], kept["jobs"], kept["wait"]) == (True, 2, True)
    other = kept.merged({"jobs": 3})
    assert (other["keep_going"], other["jobs"], kept["jobs"]) == (True, 3, 2)


def test_options_of_one_engine_choose_it() -> None:
    assert RunOptions(guard=None).of_engine() == ("", {})
    assert RunOptions(guard="top", guard_resident=3).of_engine() == (
        "alloc",
        {"guard": "top", "guard_resident": 3},
    )
    with pytest.raises(UserMistake, match=r"^guard, guard_align: this is for engine alloc, not for native$"):
        whence.run("/bin/true", engine="native", guard="top", guard_align="exact")
