"""Which closes belong to a loop over all descriptors."""

from __future__ import annotations

import pytest
from tests.harness.rules import without_values

from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES

POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
LOOP = """declare i32 @__whence_close(i32)
define void @f(i32 %n, ptr %files) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
  %next = {step}
  {more}
  %r = call i32 @__whence_close(i32 {closed})
  br label %loop
}}
"""


def sweeps(step: str, closed: str, more: str = "%unused = add i32 %n, 0") -> bool:
    """Whether the close in a loop is one of a sweep."""
    text = LOOP.format(step=step, closed=closed, more=more)
    chosen = [each for each in PASSES if each.name == "mark-sweeps"]
    after = run_stage(chosen, Stage.PROMOTED, text, Context("t", POLICY))
    return "call i32 @__whence_close_each(" in after


@pytest.mark.parametrize("step", ["add nsw i32 %i, 1", "add i32 %i, -1", "sub nsw i32 %i, 1"])
def test_a_counter_is_swept(step: str) -> None:
    assert sweeps(step, "%i")
    assert sweeps(step, "%next")


def test_a_converted_counter_is_swept() -> None:
    more = "%wide = sext i32 %i to i64\n  %narrow = trunc i64 %wide to i32"
    assert sweeps("add i32 %i, 1", "%narrow", more)


def test_other_numbers_are_not() -> None:
    assert not sweeps("add i32 %i, 1", "%n")
    assert not sweeps("add i32 %i, 2", "%i")
    more = "%at = getelementptr i32, ptr %files, i32 %i\n  %file = load i32, ptr %at"
    assert not sweeps("add i32 %i, 1", "%file", more)
