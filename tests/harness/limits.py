"""What ends tests that hang."""

TIMEOUT = 900
"""Seconds until what hangs is ended, far more than it takes on a busy machine; no test asserts on time."""
