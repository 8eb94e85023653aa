"""Instrumentation: from rules to instrumented IR, with one file for each concern."""
