"""The tiers of instrumented objects: how much work goes into their speed."""

from __future__ import annotations

QUICK, FULL, AUTO = "quick", "full", "auto"
"""Little work for slower code, or all of LLVM's pipeline; or the first until runs are long."""

TIERS = (AUTO, QUICK, FULL)
