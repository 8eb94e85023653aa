"""A marker before every access to memory, and the markers that may go again: those that others settle,
and those of loops whose bounds are known.
"""
