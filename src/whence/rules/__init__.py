"""The rule language: a bug class is a detection point, a condition and the values to trace."""

from whence.rules.problems import RuleError
from whence.rules.ruleset import RuleSet, load_files, load_standard, load_texts

__all__ = ["RuleError", "RuleSet", "load_files", "load_standard", "load_texts"]
