"""Fuzzing: inputs that nobody wrote, made by chance and by what the program compares, under all rules.

The process runs one input after the other and makes them itself (`runtime/fuzz/`); what stands here chooses
what it begins with, keeps what it finds, and says so.
"""
