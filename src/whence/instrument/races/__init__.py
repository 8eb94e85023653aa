"""Accesses that threads may share, as the runtime sees them."""
