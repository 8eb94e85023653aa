"""The renderer: the template `page.html`, filled with views of the findings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

import jinja2

from whence.findings import Finding, RunInfo
from whence.report import frames, leak_words, words
from whence.report.documents import lists_of
from whence.report.html.code import CodeShelf, code_styles
from whence.report.html.leaks import leak_tree
from whence.report.html.view import FindingView, view_of
from whence.report.source import SourceFinder
from whence.report.styles import printable
from whence.report.summary import summary

_FEW_LEAKS = 3
"""More leaks are read as a tree, which then stands before the findings."""


class HtmlRenderer:
    """One page: findings with sources, stacks and memory, leaks as a tree by size, what was checked."""

    def __init__(self, *, directory: str | None = None) -> None:
        self.directory = directory or os.getcwd()

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        """The page as text; each source excerpt stands in it once."""
        folders = (self.directory, os.path.dirname(os.path.abspath(run.program)))
        shelf = CodeShelf(SourceFinder(folders))
        views = [
            view_of(finding, run, shelf, self.directory, number)
            for number, finding in enumerate(findings, start=1)
        ]
        check = leak_words.leak_check(run)
        leaks = leak_tree(findings, self.directory, shelf)
        return _template().render(
            program=printable(os.path.basename(run.program)),
            command=printable(" ".join(run.arguments or (run.program,))),
            summary=[(text, str(style)) for text, style in summary(findings, run) if text],
            findings=views,
            rules=_rules(views),
            leaks=leaks,
            leaks_first=leaks is not None and sum(1 for each in findings if each.leak) > _FEW_LEAKS,
            leak_table=leak_words.leak_table(check, run) if check and any(f.leak for f in findings) else (),
            notes=[printable(note) for note in run.sentences],
            suppressed=[
                (words.suppressed(use), f"{frames.short_path(use.file, self.directory)}:{use.line}", use.name)
                for use in run.suppressed
            ],
            lists=lists_of(run),
            excerpts=shelf.excerpts,
            code_styles=code_styles(),
        )


def _rules(views: Sequence[FindingView]) -> list[tuple[str, int]]:
    """The rules that fired, with the number of findings, the most frequent first."""
    counts: dict[str, int] = {}
    for view in views:
        counts[view.rule] = counts.get(view.rule, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("whence.report", "html"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("page.html")
