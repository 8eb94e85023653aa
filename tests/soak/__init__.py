"""A soak: programs of the corpus, mixed and drawn at random, while faults are injected (docs/soak.md)."""
