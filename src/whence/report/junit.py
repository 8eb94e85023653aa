"""Findings as JUnit XML, as CI servers read it: one test case for each finding, which passes for a note.

The name of a test case is stable: the rule, where, and the finding's key, so that a server can tell
how long a finding has been there. A run without findings is one test case that passes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree

from whence.findings import Finding, RunInfo, SuppressionUse, telling_stack
from whence.report import frames, words
from whence.report.text import TextRenderer
from whence.report.xml_text import add, document


class JunitRenderer:
    """One test suite for a run; the texts of findings are those of `TextRenderer`."""

    def __init__(self, *, directory: str | None = None) -> None:
        self.directory = directory or os.getcwd()
        self._text = TextRenderer(directory=self.directory)

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        hidden = [(finding, use) for use in run.suppressed for finding in use.findings]
        numbers = {
            "tests": str(max(1, len(findings)) + len(hidden)),
            "failures": str(sum(not finding.rule.is_note for finding in findings)),
            "errors": "0",
            "skipped": str(len(hidden)),
        }
        root = ElementTree.Element("testsuites", {"name": "whence", **numbers})
        suite = add(root, "testsuite", name=f"whence {os.path.basename(run.program)}", **numbers)
        for finding in findings:
            self._found(suite, finding, run)
        for finding, use in hidden:
            self._skipped(suite, finding, use, run)
        if not findings:
            add(suite, "testcase", name="no findings", classname=_class(run), time="0")
        if run.sentences:
            add(suite, "system-err", "\n".join(run.sentences))
        return document(root)

    def _case(self, suite: ElementTree.Element, finding: Finding, run: RunInfo) -> ElementTree.Element:
        place = frames.place(telling_stack(finding))
        function = frames.place_name(place)
        name = f"{finding.rule.name} in {function} [{finding.key}]"
        case = add(suite, "testcase", name=name, classname=_class(run), time="0")
        if place and place.file:
            case.set("file", frames.short_path(place.file, self.directory))
            case.set("line", str(place.line))
        return case

    def _found(self, suite: ElementTree.Element, finding: Finding, run: RunInfo) -> None:
        place = frames.place(telling_stack(finding))
        subject = frames.place_name(place)
        message = f"{words.title(finding) or finding.rule.name}: {words.headline(finding, subject)}"
        text = self._text.render([finding], replace(run, notes=(), suppressions=(), dropped=0))
        case = self._case(suite, finding, run)
        if finding.rule.is_note:
            add(case, "system-out", text)
        else:
            add(case, "failure", text, message=message, type=finding.rule.name)

    def _skipped(
        self, suite: ElementTree.Element, finding: Finding, use: SuppressionUse, run: RunInfo
    ) -> None:
        place = f"{frames.short_path(os.path.abspath(use.file), self.directory)}:{use.line}"
        message = f"suppressed by {place} ({use.name})" if use.name else f"suppressed by {place}"
        add(self._case(suite, finding, run), "skipped", message=message)


def _class(run: RunInfo) -> str:
    """The class name: the program's name without dots, which servers take for packages."""
    return "whence." + os.path.basename(run.program).replace(".", "_")
