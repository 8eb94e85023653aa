"""The invariants of a run: what must hold whatever the fault, and what the fault excuses."""

from __future__ import annotations

import re
from typing import Any

from tests.harness.checking import BROKEN
from tests.harness.expect import Case, Expectation
from tests.harness.judge import differences, line_of
from tests.harness.session import Outcome
from tests.soak.draw import Draw
from tests.soak.faults import Allowance
from tests.soak.runner import Observation

_INTERNAL = ("Traceback (most recent call last)", "internal error", "Exception ignored", "Fatal Python error")
_OWN_FRAME = re.compile(r'File "[^"]*/whence/')
_TEXT_FINDING = re.compile(r"^(?:error|warning)\[([\w-]+)\]: ", re.MULTILINE)
_LINE_FINDING = re.compile(r"^whence: finding: ([\w-]+): ", re.MULTILINE)
_SENTENCE = re.compile(r"^whence: ", re.MULTILINE)
_REFUSALS = (2, 125, 126)


def violations(draw: Draw, seen: Observation) -> list[str]:
    """Every invariant that does not hold, as a sentence; empty when all is well."""
    allowed = draw.fault.allowance(draw.reacts) if seen.fired else Allowance(exact=True)
    result = [f"hung, and was killed: {line}" for line in seen.hung]
    if result:
        return result
    if BROKEN in seen.stderr:
        result.append("the runtime finds itself wrong")
    result += _words(seen)
    result += _status(draw, seen, allowed)
    result += _reported(draw, seen, allowed)
    result += _lost(draw, seen, allowed)
    result += _litter(seen)
    if allowed.exact:
        result += _exact(draw, seen)
    return result


def outcome(seen: Observation) -> str:
    """The class that a run is counted in."""
    if seen.hung:
        return "hung"
    if _rules(seen):
        return "finding"
    if seen.status < 0 or seen.status in (130, 141):
        return "ended by signal"
    if seen.status in _REFUSALS and _SENTENCE.search(seen.stderr):
        return "refused"
    return "no finding"


def _rules(seen: Observation) -> list[str]:
    """Rules of the findings that reached the user, in whatever way."""
    return _reported_rules(seen) + _LINE_FINDING.findall(seen.stderr)


def _reported_rules(seen: Observation) -> list[str]:
    """Rules of the findings that have a report."""
    if seen.document is not None:
        return [str(finding["rule"]) for finding in seen.document["findings"]]
    return _TEXT_FINDING.findall(seen.stderr + "\n" + seen.log)


def _words(seen: Observation) -> list[str]:
    """Nothing of ours may break; what Python itself says where it cannot even start is not ours."""
    text = seen.stderr + seen.log
    found = [words for words in _INTERNAL if words in text]
    if found and (_OWN_FRAME.search(text) or "internal error" in text):
        return [f"'{words}' on standard error" for words in found]
    return []


def _own_statuses(draw: Draw) -> set[int] | None:
    """Exit statuses without a fault; None: any, as the program goes on behind its bug."""
    case, options = draw.case, draw.options
    if options.matching:
        return None
    if case.run.status is not None or not case.expectations:
        return {case.expected_status}
    return {options.status}


def _status(draw: Draw, seen: Observation, allowed: Allowance) -> list[str]:
    own = _own_statuses(draw)
    if own is None or allowed.statuses is None or seen.status in own | allowed.statuses:
        return []
    if seen.status in _REFUSALS and "cannot be written" in seen.stderr and allowed.unwritten:
        return []
    return [f"exit status {seen.status}, expected {sorted(own | allowed.statuses)}"]


def _reported(draw: Draw, seen: Observation, allowed: Allowance) -> list[str]:
    """No finding may be made that neither the program nor the fault can be blamed for."""
    case = draw.case
    if case.expectations and (draw.options.keep_going or draw.options.matching):
        hidden = {e.rule for e in case.expectations} if draw.options.matching else set()
        # What finds no room in the record, or no launcher, becomes a line that nobody could suppress.
        return [f"a suppressed {rule} is reported" for rule in sorted(hidden & set(_reported_rules(seen)))]
    known = {e.rule for e in case.expectations} | allowed.rules
    wrong = [f"unexpected {rule} is reported" for rule in _rules(seen) if rule not in known]
    for finding in seen.document["findings"] if seen.document else ():
        if finding["rule"] not in allowed.rules and not _is_expected(case, finding):
            wrong.append(f"unexpected {finding['rule']} at line {line_of(case, finding)}")
    return wrong


def _is_expected(case: Case, finding: dict[str, Any]) -> bool:
    return any(_same(case, expected, finding) for expected in case.expectations)


def _same(case: Case, expected: Expectation, finding: dict[str, Any]) -> bool:
    return (expected.rule, expected.line) == (finding["rule"], line_of(case, finding))


def _lost(draw: Draw, seen: Observation, allowed: Allowance) -> list[str]:
    """A finding that was certainly made must reach the user."""
    result = []
    case, options = draw.case, draw.options
    visible = seen.stderr_kept or options.json or options.log
    made = options.status in (seen.status, *seen.orphans) and case.run.status is None
    if made and visible and not _rules(seen) and not seen.recorded and not _suppressed(seen):
        result.append(f"status {options.status} says that there is a finding, and none is reported")
    if not allowed.prevents and case.expectations and not options.matching:
        missing = {e.rule for e in case.expectations} - set(_rules(seen))
        result += [f"{rule} is not reported" for rule in sorted(missing) if visible]
    if seen.document is None and options.json and not allowed.unwritten and not allowed.orphaned:
        told = seen.status in _REFUSALS or seen.status < 0 or seen.status in (1, 130)
        result += [] if told else ["there is no JSON report"]
    if seen.status in _REFUSALS and seen.stderr_kept and not _SENTENCE.search(seen.stderr):
        result.append(f"status {seen.status} without a sentence that says why")
    return result


def _suppressed(seen: Observation) -> bool:
    return "suppressed: " in seen.stderr


def _litter(seen: Observation) -> list[str]:
    """Temporary files may stay behind only when the launcher was killed."""
    return [] if seen.status < 0 else [f"{name} is left in TMPDIR" for name in seen.litter]


def _exact(draw: Draw, seen: Observation) -> list[str]:
    """The run is as it would be without a fault."""
    case, options = draw.case, draw.options
    if options.matching or (options.keep_going and case.expectations):
        return []
    if options.json and seen.document is None:
        return ["there is no JSON report"]
    document = seen.document or {"findings": []}
    judged = Outcome(seen.command, seen.status, seen.stdout, seen.stderr, document)
    found = [each for each in differences(case, judged) if not each.startswith("exit status")]
    return found if options.json else [each for each in found if "no " not in each]
