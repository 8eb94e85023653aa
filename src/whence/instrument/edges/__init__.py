"""Edges that are counted, and comparisons that are shown: instrumentation for fuzzing."""
