"""The tables of plans and requests: one letter or word each, which both sides use."""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.abi import plans, runs

ROOT = Path(__file__).parents[2]
SIDES = {
    "Start": ("launcher", "START", "src/whence/engines/start.py", "Lines"),
    "Compile": ("launcher/cc", "COMPILE", "src/whence/toolchain/cc_plan.py", "Compile"),
    "Option": ("launcher/cc", "OPTION", "src/whence/toolchain/cc_plan.py", "Option"),
}
"""Table -> folder of the reader, prefix of its names there, writer, the table's name there."""


def sources(folder: str, pattern: str) -> str:
    return "".join(path.read_text() for path in (ROOT / folder).glob(pattern))


@pytest.mark.parametrize("name", SIDES)
def test_native_commands_read_every_kind_that_python_writes(name: str) -> None:
    reader, prefix, writer, table = SIDES[name]
    kinds = [each for each, _ in getattr(plans, name).kinds() if each not in vars(plans.Plan)]
    read, written = sources(reader, "*.c"), (ROOT / writer).read_text()
    assert [each for each in kinds if f"WH_{prefix}_{each}" not in read] == []
    assert [each for each in kinds if f"{table}.{each}" not in written] == []


@pytest.mark.parametrize("table", [plans.Start, plans.Compile, plans.Option])
def test_a_kind_with_the_letter_of_another_is_refused(table: type[plans.Table]) -> None:
    name, kind = next(table.kinds())
    twin = type("Twin", (table,), {"TWIN": plans.Kind(kind.letter, "")})
    with pytest.raises(ValueError, match=f"{name} and TWIN have one letter, {kind.letter}"):
        list(twin.kinds())


def test_a_line_has_the_strings_of_its_kind() -> None:
    assert plans.Plan.FILE.line("/a", "1 2") == ("F/a", "1 2")
    assert plans.Start.IMAGE.line("/a") == ("I/a",)
    for kind, strings in ((plans.Plan.FILE, ("/a",)), (plans.Start.IMAGE, ("/a", "b"))):
        with pytest.raises(ValueError, match=f"a line '{kind.letter}' has {kind.strings} strings and not"):
            kind.line(*strings)


def test_the_letters_of_lines_with_two_strings() -> None:
    assert plans.Start.paired() == "FGCL"


def test_words_of_a_variable() -> None:
    assert plans.words(plans.STARTED, "12 0 -1 0 /a b")["folder"] == "/a b"
    with pytest.raises(ValueError):
        plans.words(plans.STARTED, "12 0")


@pytest.mark.parametrize("request_", runs.REQUESTS, ids=lambda each: each.word)
def test_both_sides_know_the_request(request_: runs.Request) -> None:
    name = request_.word.upper()
    assert getattr(runs, name) is request_
    assert f"WH_ASK_{name}" in sources("runtime", "*/*.c")
    assert f"runs.{name}: self._" in (ROOT / "src/whence/engines/process/service.py").read_text()


def test_requests_differ() -> None:
    words = [each.word for each in runs.REQUESTS]
    assert len(set(words)) == len(words) and runs.ARGUMENT != runs.VARIABLE
