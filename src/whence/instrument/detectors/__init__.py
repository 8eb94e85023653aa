"""The code generated from rules: an evaluator for each rule, and the filter module, which defines all
markers.
"""
