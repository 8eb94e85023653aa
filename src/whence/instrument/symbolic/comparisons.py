"""Comparisons of LLVM as operators of expressions."""

from __future__ import annotations

from whence.abi.symbolic import MADE_NEGATED, MADE_SWAPPED

COMPARISONS = {
    "eq": ("EQ", 0),
    "ne": ("EQ", MADE_NEGATED),
    "ult": ("ULT", 0),
    "ule": ("ULE", 0),
    "ugt": ("ULT", MADE_SWAPPED),
    "uge": ("ULE", MADE_SWAPPED),
    "slt": ("SLT", 0),
    "sle": ("SLE", 0),
    "sgt": ("SLT", MADE_SWAPPED),
    "sge": ("SLE", MADE_SWAPPED),
}
"""The operator of a predicate, and the flags of the word that asks for it."""
