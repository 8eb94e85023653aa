"""Reports of heap profiles (`whence.findings.heap`): for people, and in the formats of other tools.

A file for each: text, the page (page.py with page.html, .css and .js), massif, collapsed stacks, pprof,
speedscope, and what two profiles differ in (diff). `measures` names what may be shown of a call path.
"""
