"""Definedness: which bits of values were never written, followed through registers, memory and calls."""
