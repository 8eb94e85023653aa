"""Which variables are kept from the optimiser."""

from __future__ import annotations

from dataclasses import replace

from tests.harness.rules import without_values

from whence import ir
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES

POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
VARIABLES = """@0 = private unnamed_addr global { ptr, i32 } { ptr @text, i32 1 }
@text = private constant [2 x i8] c"x\\00"
@named = internal global ptr null
@count = internal global i32 0
"""


def test_variables_without_names_are_not_listed() -> None:
    chosen = [each for each in PASSES if each.name == "keep-globals"]
    context = Context("t", replace(POLICY, reachability=True))
    after = run_stage(chosen, Stage.PROMOTED, VARIABLES, context)
    listed = ir.parse(after).globals["llvm.compiler.used"]
    assert isinstance(listed, ir.GlobalVariable)
    assert listed.initializer == "[ptr @named]"
