"""Where the process around pytest answers."""

ADDRESS = "WHENCE_PYTEST"
"""The variable with the path of its socket; set where pytest runs under the rules."""
