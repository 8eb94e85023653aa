"""Markers before steps that may be undefined: arithmetic, conversions, indices, pairs of pointers, reads, and
what the front end checks or promises. One file for each kind of step.
"""
