"""Engines: ways to execute a program under rules. Each yields `whence.findings.Finding`s."""
