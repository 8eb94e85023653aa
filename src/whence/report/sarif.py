"""Findings as SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format), for code scanning services.

One run, one result for each finding; findings that were suppressed are in it too, with what
suppressed them, as the format wants it. Files below `directory` are relative to ``%SRCROOT%``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from whence import __version__
from whence.findings import Finding, Frame, RuleInfo, RunInfo, SuppressionUse, telling_stack, thread_name
from whence.findings.chains import Chain, Hop
from whence.report import frames, words
from whence.report.chain_text import chain_heading, frame_of, hop_sentences, mark
from whence.report.facts import facts_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
_FINGERPRINT = "whenceFinding/v1"


class SarifRenderer:
    """One SARIF log; `directory` is what file names are relative to, the working directory if not given."""

    def __init__(self, *, directory: str | None = None, indent: int | None = 2) -> None:
        self.directory = directory or os.getcwd()
        self.indent = indent

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        hidden = [(finding, use) for use in run.suppressed for finding in use.findings]
        results = [(finding, None) for finding in findings] + hidden
        rules = list({finding.rule.name: finding.rule for finding, _ in results}.values())
        numbers = {rule.name: number for number, rule in enumerate(rules)}
        log = {
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": _driver(rules)},
                    "invocations": [_invocation(run, self.directory)],
                    "originalUriBaseIds": {_ROOT: {"uri": _directory_uri(self.directory)}},
                    "columnKind": "unicodeCodePoints",
                    "results": [self._result(f, numbers, use) for f, use in results],
                }
            ],
        }
        return json.dumps(_readable(log), indent=self.indent, ensure_ascii=True, allow_nan=False) + "\n"

    def _result(
        self, finding: Finding, numbers: dict[str, int], use: SuppressionUse | None
    ) -> dict[str, Any]:
        stack = telling_stack(finding)
        place = frames.place(stack)
        result: dict[str, Any] = {
            "ruleId": finding.rule.name,
            "ruleIndex": numbers[finding.rule.name],
            "level": _level(finding.rule),
            "message": {"text": _message(finding, place)},
            "partialFingerprints": {_FINGERPRINT: finding.key},
            "occurrenceCount": finding.occurrences,
            "stacks": list(self._stacks(finding)),
        }
        if place is not None:
            result["locations"] = [self._location(place)]
        related = [self._location(frame, text, i) for i, (text, frame) in enumerate(_related(finding))]
        if related:
            result["relatedLocations"] = related
        if finding.chains:
            result["codeFlows"] = [self._flow(chain.folded(), finding.thread) for chain in finding.chains]
        if use is not None:
            result["suppressions"] = [self._suppression(use)]
        return result

    def _flow(self, chain: Chain, thread: int) -> dict[str, Any]:
        """A chain as SARIF has it: in the order of time."""
        pairs = zip(chain.hops, hop_sentences(chain, thread), strict=True)
        steps = [self._step(hop, said) for hop, said in reversed([*pairs])]
        heading = chain_heading(chain, self.directory)
        return {"message": {"text": heading}, "threadFlows": [{"locations": steps}]}

    def _step(self, hop: Hop, said: str) -> dict[str, Any]:
        step: dict[str, Any] = {"location": self._location(frame_of(hop), said)}
        return step | ({"importance": "essential"} if mark(hop) else {})

    def _location(self, frame: Frame, text: str | None = None, number: int | None = None) -> dict[str, Any]:
        location: dict[str, Any] = {"id": number} if number is not None else {}
        if frame.file:
            physical: dict[str, Any] = {"artifactLocation": self._artifact(frame.file)}
            if frame.line:
                physical["region"] = {
                    "startLine": frame.line,
                    **({"startColumn": frame.column} if frame.column else {}),
                }
            location["physicalLocation"] = physical
        elif frame.module:
            location["physicalLocation"] = {"artifactLocation": self._artifact(frame.module)}
        if frame.function:
            location["logicalLocations"] = [{"fullyQualifiedName": frame.function, "kind": "function"}]
        if text:
            location["message"] = {"text": text}
        return location

    def _artifact(self, path: str) -> dict[str, Any]:
        shown = frames.short_path(path, self.directory)
        if os.path.isabs(shown):
            return {"uri": "file://" + _quoted(path)}
        return {"uri": _quoted(os.path.relpath(path, self.directory)), "uriBaseId": _ROOT}

    def _stacks(self, finding: Finding) -> Iterator[dict[str, Any]]:
        own = (f"stack of {thread_name(finding.thread)}", finding.stack)
        facts = (part for shown, fact in facts_of(finding) for part in shown.stacks(fact, finding))
        for text, stack in (own, *facts):
            if stack:
                yield {"message": {"text": text}, "frames": [self._frame(frame) for frame in stack]}

    def _frame(self, frame: Frame) -> dict[str, Any]:
        shown: dict[str, Any] = {"location": self._location(frame)}
        shown["location"]["physicalLocation"] = {
            **shown["location"].get("physicalLocation", {}),
            "address": {"absoluteAddress": frame.pc},
        }
        if frame.module:
            shown["module"] = os.path.basename(frame.module)
        return shown

    def _suppression(self, use: SuppressionUse) -> dict[str, Any]:
        place = {
            "artifactLocation": self._artifact(os.path.abspath(use.file)),
            "region": {"startLine": use.line},
        }
        return {
            "kind": "external",
            "status": "accepted",
            "justification": use.name or "no name",
            "location": {"physicalLocation": place},
        }


def _driver(rules: Iterable[RuleInfo]) -> dict[str, Any]:
    return {"name": "whence", "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}


def _rule(rule: RuleInfo) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": rule.name,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.title or rule.name},
        "defaultConfiguration": {"level": _level(rule)},
        "properties": {"tags": ["memory", *(f"external/cwe/cwe-{number:03}" for number in rule.cwe)]},
    }
    if rule.advice:
        made["help"] = {"text": rule.advice}
    return made


def _level(rule: RuleInfo) -> str:
    return rule.severity if rule.severity in ("error", "warning", "note") else "error"


def _message(finding: Finding, place: Frame | None) -> str:
    subject = frames.place_name(place)
    title = words.title(finding)
    happened = words.headline(finding, subject)
    if detail := words.detail(finding):
        happened += f"; {detail}"
    return f"{title}: {happened}" if title else happened


def _related(finding: Finding) -> list[tuple[str, Frame]]:
    """Related locations, declarations first: they have no addresses."""
    stacks = (part for shown, fact in facts_of(finding) for part in shown.related(fact, finding))
    found = [(text, frames.place(stack)) for text, stack in stacks]
    places = [(text, place) for text, place in found if place is not None and (place.file or place.module)]
    return sorted(places, key=lambda each: bool(each[1].pc))


def _invocation(run: RunInfo, directory: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "executionSuccessful": True,
        "executableLocation": {"uri": "file://" + _quoted(os.path.abspath(run.program))},
        "arguments": list(run.arguments[1:]),
        "workingDirectory": {"uri": _directory_uri(directory)},
    }
    if run.pid:
        made["processId"] = run.pid
    if run.exit_status is not None:
        made["exitCode"] = run.exit_status
    if run.signal is not None:
        made["exitSignalNumber"] = run.signal
        made["exitSignalName"] = words.signal_name(run.signal)
    if run.sentences:
        notes = [{"level": "note", "message": {"text": note}} for note in run.sentences]
        made["toolExecutionNotifications"] = notes
    return made


def _quoted(path: str) -> str:
    """The path in a URI; bytes that are not UTF-8 keep their values."""
    return quote(PurePosixPath(path).as_posix().encode(errors="surrogateescape"))


def _directory_uri(path: str) -> str:
    return "file://" + _quoted(path).rstrip("/") + "/"


def _readable(value: Any) -> Any:
    """The same with text that any JSON reader takes: bytes that are not UTF-8 are replaced."""
    if isinstance(value, str):
        return value.encode(errors="surrogateescape").decode(errors="replace")
    if isinstance(value, list):
        return [_readable(item) for item in value]
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    return value
