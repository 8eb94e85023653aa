"""The JSON document: valid against its schema, complete, and stable."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from samples import BEGIN, OVERFLOW, RUN, SAMPLES
from tests.harness.findings import changed

from whence.findings import Descriptor, Finding, Frame, RunInfo, SuppressionUse, Types
from whence.report import JsonRenderer
from whence.report.json import schema

DOCS = Path(__file__).parents[2] / "docs" / "json-schema.md"


def document(*findings: Finding, run: RunInfo = RUN) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(JsonRenderer().render(findings, run))
    return loaded


def test_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_of_report_is_valid(name: str) -> None:
    jsonschema.validate(document(SAMPLES[name]), schema())


def test_all_at_once_and_none() -> None:
    jsonschema.validate(document(*SAMPLES.values()), schema())
    jsonschema.validate(document(), schema())
    assert document()["findings"] == []


ENDED = OVERFLOW.block.allocated if OVERFLOW.block else None


@pytest.mark.parametrize(
    "more",
    [
        {"descriptor": Descriptor(3)},
        {"descriptor": Descriptor(3, opened=ENDED, closed=ENDED)},
        {"types": Types("load of type 'int'")},
        {"types": Types("cast to 'A'", found="B")},
        {"types": Types("the pointer is 'int (*)(int)'", "int (long)", Frame(0x5000, function="f"))},
    ],
)
def test_what_few_findings_have_is_valid(more: dict[str, Any]) -> None:
    made = document(changed(OVERFLOW, **more))
    jsonschema.validate(made, schema())
    assert more.keys() <= made["findings"][0].keys()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 2),
        (("findings", 0, "access", "address"), 17),
        (("findings", 0, "access", "address"), "0XFF"),
        (("findings", 0, "key"), "short"),
        (("findings", 0, "stack", 0, "line"), 0),
        (("findings", 0, "block", "state"), "gone"),
        (("findings", 0, "surprise"), 1),
    ],
)
def test_the_schema_refuses_what_it_should(path: tuple[Any, ...], value: object) -> None:
    wrong: Any = document(OVERFLOW)
    place = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema())


def test_fields_of_an_overflow() -> None:
    finding = document(OVERFLOW)["findings"][0]
    assert finding["rule"] == "heap-buffer-overflow"
    assert finding["cwe"] == [122, 125, 787]
    assert finding["relation"] == {"where": "after", "distance": 0, "overrun": 0}
    assert finding["access"] == {
        "kind": "write",
        "address": hex(BEGIN + 20),
        "size": 4,
        "first_bad": hex(BEGIN + 20),
        "root": hex(BEGIN),
    }
    assert [frame["function"] for frame in finding["stack"]][-1] == "_start", "all frames are kept"
    assert [frame["inlined"] for frame in finding["stack"]][:3] == [True, False, False]


def test_text_that_is_not_unicode() -> None:
    name = b"/tmp/\xff.c".decode(errors="surrogateescape")
    finding = document(Finding(OVERFLOW.rule, OVERFLOW.point, OVERFLOW.access, (Frame(1, file=name),)))
    assert finding["findings"][0]["stack"][0]["file"] == "/tmp/\N{REPLACEMENT CHARACTER}.c"


def names_of(part: Any) -> set[str]:
    """All property names that a schema defines."""
    if isinstance(part, list):
        return set().union(*map(names_of, part))
    if not isinstance(part, dict):
        return set()
    own = set(part.get("properties", ()))
    return own.union(*map(names_of, part.values()))


def test_every_field_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert {name for name in names_of(schema()) if f"`{name}`" not in text} == set()


def test_the_example_in_the_documentation_is_valid() -> None:
    text = DOCS.read_text(encoding="utf-8")
    example = text.split("```json\n", 1)[1].split("```", 1)[0]
    jsonschema.validate(json.loads(example), schema())


def test_suppressions_of_the_run() -> None:
    used = SuppressionUse("old one", "known.supp", 3, (OVERFLOW,))
    loaded = document(run=replace(RUN, suppressions=(used, SuppressionUse("", "known.supp", 9))))
    jsonschema.validate(loaded, schema())
    first, second = loaded["run"]["suppressions"]
    assert first["findings"] == [{"key": OVERFLOW.key, "rule": OVERFLOW.rule.name, "occurrences": 1}]
    assert (first["name"], second["findings"], loaded["findings"]) == ("old one", [], [])
