"""The table of detection points: one row says the same to rules, reports and C."""

from __future__ import annotations

import re
from dataclasses import fields, replace

import pytest
from tests.harness.session import REPOSITORY

from whence.abi import header, points
from whence.engines.registry import COUNTING, ENGINES, load
from whence.findings import ACCESS_OF_POINT, AccessKind, Point
from whence.machine import syntax
from whence.report.json import schema
from whence.rules.vocabulary import POINTS, Type


@pytest.mark.parametrize("row", points.POINTS, ids=lambda row: row.name)
def test_every_reader_knows_the_row(row: points.Point) -> None:
    assert POINTS[row.name].codes == (row.code,)
    assert [slot.type for slot in POINTS[row.name].slots] == [Type[slot.type] for slot in row.slots]
    assert ACCESS_OF_POINT[Point(row.name)] is AccessKind(row.access)
    text = "\n".join(header.lines())
    assert f"#define WH_POINT_{row.code} {row.number}u\n" in text
    assert f'    X({row.number}, "{row.noun}")' in text
    properties = {
        name: part["properties"] for name, part in schema()["$defs"].items() if "properties" in part
    }
    assert row.name in properties["finding"]["point"]["enum"]
    assert row.access in properties["access"]["kind"]["enum"]


def test_members_that_code_names_are_no_strangers_to_the_table() -> None:
    assert {point.value for point in Point} - set(points.BY_NAME) == {"signal", "unknown"}
    accesses = {row.access for row in points.POINTS}
    assert {kind.value for kind in AccessKind} - accesses == {"trap", "unknown"}


def test_points_that_would_be_mistaken_for_each_other_are_refused() -> None:
    first, second = points.POINTS[:2]
    with pytest.raises(ValueError, match=f"detection point {second.name} .{first.number}. is not one of its"):
        points.checked((first, replace(second, number=first.number)))
    with pytest.raises(ValueError, match="is not one of its own"):
        points.checked((first, replace(first, number=31)))
    with pytest.raises(ValueError, match="'nowhere' is not in list"):
        points.checked((replace(first, slots=(points.Slot("r", "POINTER", "nowhere"),)),))


OF_STATE = {"read": ("n", "unwritten")}
"""Slots that no operand of the redex has, but its text or the state's memory."""


@pytest.mark.parametrize("row", [row for row in points.POINTS if row.redex], ids=lambda row: row.name)
def test_operands_are_fields_of_the_redex(row: points.Point) -> None:
    known = {field.name for field in fields(getattr(syntax, row.redex))}
    if row.redex == "Alloc":
        known |= {field.name for field in fields(syntax.Request)}
    assert {*row.operands} - {""} <= known
    of_state = OF_STATE.get(row.name, ())
    plain = [slot.type not in ("FUNCTION", "BID") and slot.name not in of_state for slot in row.slots]
    assert row.after or [bool(field) for field in row.operands] == plain


def test_a_redex_without_an_operand_for_each_slot_is_refused() -> None:
    row = points.BY_NAME["copy"]
    for wrong in (replace(row, operands=()), replace(row, redex=""), replace(row, operands=("to",))):
        with pytest.raises(ValueError, match="copy has no operand of its redex for each slot"):
            points.checked((wrong,))


def test_engines_of_the_rows_are_engines() -> None:
    assert {engine for row in points.POINTS for engine in row.engines} == {*ENGINES} - {COUNTING}
    for engine in ENGINES:
        assert load(engine).observes.points == points.observed_by(engine)


def test_the_documentation_shows_the_row() -> None:
    page = (REPOSITORY / "docs" / "adding-a-detection-point.md").read_text()
    shown = re.search(r"```python\n(Point\(.*?)```", page, re.DOTALL)
    assert shown is not None
    assert eval(shown[1], vars(points)) == points.BY_NAME["realloc"]
