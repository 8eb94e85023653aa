"""Compares the findings of a run with the expectations of its program.

Works on the JSON document of ``whence run --json``; every difference is one
sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.harness.expect import Case, Expectation
from tests.harness.session import Outcome

Json = dict[str, Any]
_NEED_FREE = ("double-free", "dangling-pointer-dereference")


def differences(case: Case, outcome: Outcome) -> list[str]:
    """Everything that is not as expected; empty when the run is right."""
    if outcome.timeout:
        return ["the run did not end in time"]
    sentences = _ending(case, outcome)
    if outcome.document is None:
        return [*sentences, "there is no JSON report"]
    return sentences + _findings(case, outcome.document["findings"])


def _ending(case: Case, outcome: Outcome) -> list[str]:
    sentences = []
    if outcome.status != case.expected_status:
        sentences.append(f"exit status {outcome.status}, expected {case.expected_status}")
    if case.run.stdout is not None and outcome.stdout != case.run.stdout:
        sentences.append(f"standard output {outcome.stdout!r}, expected {case.run.stdout!r}")
    if "Traceback (most recent call last)" in outcome.stderr:
        sentences.append("a Python traceback on standard error")
    return sentences


def _findings(case: Case, findings: Sequence[Json]) -> list[str]:
    """Pair every expectation with one finding of its rule and line; the rest is missing or too much."""
    left, sentences = list(findings), []
    for expectation in case.expectations:
        place = (expectation.rule, expectation.line)
        candidates = [f for f in left if (f["rule"], line_of(case, f)) == place]
        if candidates:
            best = min(candidates, key=lambda f: len(compare(case, expectation, f)))
            left.remove(best)
            sentences += [f"line {expectation.line}: {s}" for s in compare(case, expectation, best)]
        else:
            sentences.append(f"line {expectation.line}: no {expectation.rule} was found")
    return sentences + [f"unexpected finding: {describe(case, f)}" for f in left]


def describe(case: Case, finding: Json) -> str:
    """One line that says what a finding is."""
    access, relation, block = finding["access"], finding["relation"] or {}, finding["block"] or {}
    what = f"{finding['rule']} at line {line_of(case, finding)}: {access['kind']} of {access['size']}"
    where = f"{relation.get('distance')} {relation.get('where')} a block of {block.get('size')}"
    return f"{what} at {access['address']}, {where}"


def line_of(case: Case, finding: Json) -> int | None:
    """The line that an ``EXPECT`` would stand on."""
    if finding["leak"]:
        return first_line(case, _stack(finding, "allocated"))
    return first_line(case, finding["stack"])


def first_line(case: Case, stack: Sequence[Json]) -> int | None:
    """Line of the innermost frame in the program's file, None if there is none."""
    for frame in stack:
        if frame["file"] and Path(frame["file"]).name == case.path.name:
            line: int | None = frame["line"]
            return line
    return None


def _stack(finding: Json, event: str) -> list[Json]:
    """The stack of the block's ``allocated`` or ``freed`` event, empty if there is none."""
    what = (finding["block"] or {}).get(event)
    stack: list[Json] = what["stack"] if what else []
    return stack


def compare(case: Case, expected: Expectation, finding: Json) -> list[str]:
    """How a finding of the right rule and line differs from what is expected."""
    parts = (_stacks(case, expected, finding), _origin(case, expected, finding))
    sentences = _access(expected, finding) + [sentence for part in parts for sentence in part]
    actual = _numbers(finding)
    for key, number in expected.numbers.items():
        if actual.get(key) != number:
            sentences.append(f"{key} is {actual.get(key)}, expected {number}")
    return sentences


def _access(expected: Expectation, finding: Json) -> list[str]:
    access, sentences = finding["access"], []
    if expected.access and access["kind"] != expected.access:
        sentences.append(f"access is {access['kind']}, expected {expected.access}")
    if expected.size is not None and access["size"] != expected.size:
        sentences.append(f"size is {access['size']}, expected {expected.size}")
    if expected.use and access.get("use") != expected.use:
        sentences.append(f"use is {access.get('use')}, expected {expected.use}")
    if expected.function and finding["library_function"] != expected.function:
        sentences.append(f"library function is {finding['library_function']}, expected {expected.function}")
    return sentences


def _stacks(case: Case, expected: Expectation, finding: Json) -> list[str]:
    """Whether allocation and free happened on the marked lines, and the stack begins in the program."""
    sentences = []
    for event, lines in (("allocated", case.alloc_lines), ("freed", case.free_lines)):
        wanted = event == "allocated" or expected.rule in _NEED_FREE
        if lines and wanted and expected.numbers.get("block") != -1:
            line = first_line(case, _stack(finding, event))
            if line not in lines:
                sentences.append(f"{event} at line {line}, expected {' or '.join(map(str, sorted(lines)))}")
    if not expected.is_leak and not case.is_cxx and first_line(case, finding["stack"][:1]) != expected.line:
        sentences.append(f"the stack begins with {finding['stack'][0]['function']}, not on the line")
    return sentences


def _origin(case: Case, expected: Expectation, finding: Json) -> list[str]:
    """Whether undefined bits come from a marked line."""
    if not (expected.use and case.born_lines):
        return []
    origin = finding.get("origin") or {"variable": None, "stack": []}
    variable = origin["variable"]
    line = first_line(case, [variable] if variable else origin["stack"])
    if line in case.born_lines:
        return []
    return [f"born at line {line}, expected {' or '.join(map(str, sorted(case.born_lines)))}"]


def _numbers(finding: Json) -> dict[str, int]:
    """The finding's numbers under the words of `tests.harness.expect`."""
    access, block, leak = finding["access"], finding["block"], finding["leak"]
    address = int(access["address"], 16)
    numbers = {"address": address, "block": block["size"] if block else -1}
    if leak:
        numbers |= {"count": leak["count"], "bytes": leak["bytes"], "indirect": leak["indirect"]}
    if block:
        begin = int(block["begin"], 16)
        end, last = begin + block["size"], address + access["size"]
        bad = int(access["first_bad"], 16) if access["first_bad"] else max(address, min(end, last))
        if address < begin:
            numbers["before"] = begin - address
        elif bad >= end:
            numbers["after"] = bad - end
        if begin <= address < end or address == begin:
            numbers["inside"] = address - begin
    return numbers
