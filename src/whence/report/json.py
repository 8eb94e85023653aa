"""Findings as JSON: schema 1, described in docs/json-schema.md and finding.schema.json.

What a fact or a document shows stands beside its fields (`whence.findings.plain`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from whence import __version__
from whence.findings import AccessKind, BlockKind, Finding, LeakKind, Point, RunInfo
from whence.findings.plain import plain, shown
from whence.report import leak_words

SCHEMA = 1
"""The version, which increases if a field is removed or changes its meaning, not for new fields."""


def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the document."""
    text = files("whence.report").joinpath("finding.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    parts = loaded["$defs"]
    parts["finding"]["properties"]["point"] = {"enum": [*Point]}
    parts["access"]["properties"]["kind"] = {"enum": [*AccessKind]}
    parts["block"]["properties"]["kind"] = {"enum": [*BlockKind]}
    return loaded


class JsonRenderer:
    """One JSON document for a run; `indent` as in `json.dumps`."""

    def __init__(self, *, indent: int | None = 2) -> None:
        self.indent = indent

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        document = {
            "schema": SCHEMA,
            "tool": {"name": "whence", "version": __version__},
            "run": _run(run),
            "findings": [finding_document(finding) for finding in findings],
        }
        return json.dumps(document, indent=self.indent, ensure_ascii=True, allow_nan=False) + "\n"


def _run(run: RunInfo) -> dict[str, Any]:
    documents = {each.key: plain(each) for each in run.documents}
    return {**shown(run), "leak_summary": _leak_summary(run), **_DOCUMENTS, **documents}


_DOCUMENTS: Mapping[str, None] = MappingProxyType({"coverage": None})
"""The documents that schema 1 has in every run."""
_FACTS: Mapping[str, Any] = MappingProxyType(
    {"block": None, "hit_block": None, "values": (), "leak": None, "signal": None, "states": None}
)
"""The facts that it has in every finding; others are there if they are known."""


def finding_document(finding: Finding) -> dict[str, Any]:
    """A finding in types of JSON: its head, and its facts by their keys."""
    rule = plain(finding.rule)
    return {
        "key": finding.key,
        "rule": rule.pop("name"),
        **rule,
        **shown(finding),
        "relation": plain(finding.relation),
        "process": _process(finding),
        **_FACTS,
        **_facts(finding),
    }


def _facts(finding: Finding) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for each in finding.facts:
        if each.many:
            made.setdefault(each.key, []).append(plain(each))
        else:
            made[each.key] = plain(each)
    return made


def _process(finding: Finding) -> dict[str, Any]:
    known = {} if finding.process is None else plain(finding.process)
    return {**known, "pid": finding.pid, "tid": finding.tid, "thread": finding.thread}


def _leak_summary(run: RunInfo) -> dict[str, Any] | None:
    """The totals of all processes, each block once; suppressed leaks are excused."""
    check = leak_words.leak_check(run)
    if check is None:
        return None
    totals = {str(kind): plain(getattr(check, kind)) for kind in (*LeakKind, "excused")}
    return {"processes": len(leak_words.leak_processes(run)), **totals}
