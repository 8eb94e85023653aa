"""The part of the filter module that a module needs."""

from __future__ import annotations

import llvmlite.binding as llvm
from tests.harness.rules import without_values

from whence.instrument.detectors.definitions import needed
from whence.instrument.pipeline.job import make_job

FILTERS = make_job(without_values(), "test.c", "2", ()).filters


def functions(text: str) -> dict[str, bool]:
    """The functions of a module, and whether they are declared only."""
    module = llvm.parse_assembly(text, context=llvm.create_context())
    module.verify()
    return {each.name: each.is_declaration for each in module.functions}


def test_a_marker_brings_what_it_calls() -> None:
    found = functions(needed(FILTERS, ["__whence_checkp_r4", "malloc"]))
    assert found == {"__whence_checkp_r4": False, "__whence_suspectp_4": False, "__whence_access": True}


def test_every_definition_can_be_taken_alone() -> None:
    every = functions(FILTERS)
    for name, declared in every.items():
        assert functions(needed(FILTERS, [name]))[name] is declared


def test_all_names_give_all_definitions() -> None:
    every = functions(FILTERS)
    assert functions(needed(FILTERS, every)) == every
    assert functions(needed(FILTERS, [])) == {}
