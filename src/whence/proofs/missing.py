"""What is said where the solver cannot be used."""

from __future__ import annotations


def without_z3(missing: ImportError) -> str:
    """The sentence for users where the solver is not installed, or does not load."""
    return f"the solver Z3 cannot be loaded ({missing}); install it: pip install 'whence[explore]'"
