"""Instrumentation: from rules to instrumented IR, with one file for each concern."""

PRINT_AFTER = "WHENCE_PRINT_AFTER"
"""The variable that names the pass after which modules are printed (`whence.instrument.passes.stages`)."""
