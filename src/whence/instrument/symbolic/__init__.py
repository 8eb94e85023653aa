"""Expressions of symbolic values: instrumentation for exploring paths."""
