"""What the names of inserted functions and of constants begin with, by which passes know those of others."""

from __future__ import annotations

ORIGINS = "__whence_origin_"
"""Of functions that follow where values come from (`whence.instrument.origins`)."""
SYMBOLIC = "__whence_symbolic_"
"""Of functions that follow expressions (`whence.instrument.symbolic`)."""
LABELS = "__whence_labels_"
"""Of functions that follow labels (`whence.instrument.labels`): they look at no value of the program, and
change no byte of it."""
VALUES = "__whence_values_"
"""Of functions that follow undefined values (`whence.instrument.definedness`)."""
RACES = "__whence_race_"
"""Of functions that tell of accesses that threads may share (`whence.instrument.races`)."""
EDGES = "__whence_edges_"
"""Of functions that count edges and show comparisons (`whence.instrument.edges`)."""
CHOSEN = "whence.chosen."
"""Before the name of a function that a resolver chooses: of the variable that callers load its address from
(`whence.instrument.calls.indirect`)."""
