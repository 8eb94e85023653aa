"""SARIF, JUnit XML and Memcheck's XML and text: every kind of report is well-formed and says the same."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from samples import BEGIN, DANGLING, DOUBLE_FREE, HERE, LEAK, OVERFLOW, RUN, SAMPLES
from tests.harness.findings import changed

from whence.findings import Access, AccessKind, Finding, Point, RunInfo, SuppressionUse, UseKind
from whence.report import JsonRenderer, TextRenderer
from whence.report.junit import JunitRenderer
from whence.report.sarif import SarifRenderer
from whence.report.valgrind_text import ValgrindTextRenderer
from whence.report.valgrind_xml import ValgrindXmlRenderer
from whence.suppressions import Suppressions
from whence.suppressions.load import parse

USE = SuppressionUse("old one", str(HERE / "known.supp"), 3, (DANGLING,))
HIDING = replace(RUN, suppressions=(USE, SuppressionUse("unused", "x", 1)), notes=("a note \x01",))

# ---- all of them ------------------------------------------------------------------------------------


def test_all_reports_count_the_same() -> None:
    """A finding counts once everywhere, however often it was met; suppressed ones are apart."""
    found = [OVERFLOW, changed(DOUBLE_FREE, occurrences=1200), LEAK]
    run = replace(RUN, suppressions=(replace(USE, findings=(changed(DANGLING, occurrences=7), LEAK)),))
    assert "\nwhence: 3 findings (1 heap-buffer-overflow, 1 double-free, " in TextRenderer().render(
        found, run
    )
    assert ", met 1,202 times, 2 suppressed;" in TextRenderer().render(found, run)
    said = json.loads(JsonRenderer().render(found, run))
    assert [each["occurrences"] for each in said["findings"]] == [1, 1200, 1]
    assert [each["occurrences"] for each in said["run"]["suppressions"][0]["findings"]] == [7, 1]
    results = json.loads(SarifRenderer().render(found, run))["runs"][0]["results"]
    assert [each["occurrenceCount"] for each in results] == [1, 1200, 1, 7, 1]
    assert [bool(each.get("suppressions")) for each in results] == [False, False, False, True, True]
    suite = ElementTree.fromstring(JunitRenderer().render(found, run).encode())
    assert (suite.get("failures"), suite.get("skipped"), suite.get("tests")) == ("3", "2", "5")
    memcheck = ValgrindTextRenderer().render(found, run)
    assert "ERROR SUMMARY: 1202 errors from 3 contexts (suppressed: 8 from 2)" in memcheck
    counts = ElementTree.fromstring(ValgrindXmlRenderer().render(found, run).encode())
    assert [pair.findtext("count") for pair in counts.iterfind("errorcounts/pair")] == ["1", "1200"]
    assert [pair.findtext("count") for pair in counts.iterfind("suppcounts/pair")] == ["8"]


# ---- SARIF ------------------------------------------------------------------------------------------

_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_LOCATION: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": _TEXT,
        "logicalLocations": {"type": "array"},
        "physicalLocation": {
            "type": "object",
            "anyOf": [{"required": ["address"]}, {"required": ["artifactLocation"]}],
            "properties": {
                "artifactLocation": {
                    "required": ["uri"],
                    "properties": {"uri": {"pattern": r"^(file:///)?[A-Za-z0-9._~/%+,@!$&'()*;=:-]+$"}},
                },
                "region": {
                    "required": ["startLine"],
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "startColumn": {"type": "integer", "minimum": 1},
                    },
                    "additionalProperties": False,
                },
                "address": {"properties": {"absoluteAddress": {"type": "integer", "minimum": -1}}},
            },
            "additionalProperties": False,
        },
    },
}
_STACK = {
    "required": ["frames"],
    "properties": {
        "message": _TEXT,
        "frames": {
            "type": "array",
            "minItems": 1,
            "items": {"properties": {"location": _LOCATION, "module": {"type": "string"}}},
        },
    },
}
_RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "ruleIndex"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": _TEXT,
        "locations": {"type": "array", "maxItems": 1, "items": _LOCATION},
        "relatedLocations": {"type": "array", "items": _LOCATION, "uniqueItems": True},
        "codeFlows": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["threadFlows"],
                "additionalProperties": False,
                "properties": {
                    "message": {"type": "object", "required": ["text"]},
                    "threadFlows": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["locations"],
                            "additionalProperties": False,
                            "properties": {
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "properties": {"location": _LOCATION},
                                    },
                                }
                            },
                        },
                    },
                },
            },
        },
        "partialFingerprints": {"additionalProperties": {"type": "string"}},
        "occurrenceCount": {"type": "integer", "minimum": 1},
        "stacks": {"type": "array", "items": _STACK, "uniqueItems": True},
        "suppressions": {
            "items": {
                "required": ["kind"],
                "properties": {"kind": {"enum": ["inSource", "external"]}, "location": _LOCATION},
            }
        },
    },
}
_RULE = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "shortDescription": _TEXT,
        "help": _TEXT,
        "defaultConfiguration": {"properties": {"level": {"enum": ["none", "note", "warning", "error"]}}},
        "properties": {"properties": {"tags": {"type": "array", "uniqueItems": True}}},
    },
}
ESSENTIALS = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name"],
                                "properties": {
                                    "rules": {"type": "array", "items": _RULE, "uniqueItems": True}
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {
                        "items": {
                            "required": ["executionSuccessful"],
                            "properties": {
                                "toolExecutionNotifications": {"items": {"required": ["message"]}}
                            },
                        }
                    },
                    "results": {"type": ["array", "null"], "items": _RESULT},
                },
            },
        },
    },
}
"""What of the SARIF 2.1.0 schema is about the properties that we write."""


def sarif(*findings: Finding, run: RunInfo = RUN) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(SarifRenderer(directory=str(HERE)).render(findings, run))
    jsonschema.validate(log, ESSENTIALS)
    made: dict[str, Any] = log["runs"][0]
    rules = [rule["id"] for rule in made["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in made["results"])
    return made


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_of_report_is_valid_sarif(name: str) -> None:
    assert len(sarif(SAMPLES[name])["results"]) == 1


def test_sarif_of_all_and_none() -> None:
    assert len(sarif(*SAMPLES.values())["results"]) == len(SAMPLES)
    assert sarif()["results"] == []


def test_sarif_of_an_overflow() -> None:
    result = sarif(OVERFLOW)["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "sources/fill.c", "uriBaseId": "SRCROOT"}
    assert place["region"]["startLine"] == OVERFLOW.stack[0].line
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] == "the block was allocated here"
    assert result["partialFingerprints"] == {"whenceFinding/v1": OVERFLOW.key}
    assert result["level"] == "error" and "suppressions" not in result
    assert sarif(OVERFLOW)["tool"]["driver"]["rules"][0]["properties"]["tags"][1] == "external/cwe/cwe-122"


def test_sarif_has_chains_in_the_order_of_time() -> None:
    flows = sarif(SAMPLES["chains"])["results"][0]["codeFlows"]
    said = [each["location"]["message"]["text"] for each in flows[0]["threadFlows"][0]["locations"]]
    assert said[0] == "stored to p, repeatedly" and said[-1] == "stored to p"
    assert [flow["message"]["text"] for flow in flows] == [
        "whence r = 0x440000000020",
        "whence the index of r",
    ]


def test_sarif_has_the_place_of_a_description() -> None:
    related = sarif(SAMPLES["described"])["results"][0]["relatedLocations"]
    assert related[-1]["message"]["text"] == "described here as 'a node of the list'"


def test_sarif_has_the_places_of_both_blocks() -> None:
    def said(name: str) -> list[str]:
        related = sarif(SAMPLES[name])["results"][0]["relatedLocations"]
        return [each["message"]["text"] for each in related]

    first = "the block was allocated here"
    assert said("pair") == [first, "the block of the right pointer was allocated here"]
    assert said("pair-with-variable") == ["the variable of the right pointer is declared here", first]
    assert said("pair-of-one-left") == [first]


def test_sarif_shows_what_was_suppressed_as_such() -> None:
    results = sarif(OVERFLOW, run=HIDING)["results"]
    assert [result["ruleId"] for result in results] == [OVERFLOW.rule.name, DANGLING.rule.name]
    (why,) = results[1]["suppressions"]
    assert why["kind"] == "external" and why["justification"] == "old one"
    assert why["location"]["physicalLocation"]["region"] == {"startLine": 3}


# ---- JUnit ------------------------------------------------------------------------------------------


def junit(*findings: Finding, run: RunInfo = RUN) -> ElementTree.Element:
    root = ElementTree.fromstring(JunitRenderer(directory=str(HERE)).render(findings, run))
    assert root.tag == "testsuites" and [suite.tag for suite in root] == ["testsuite"]
    cases = root.findall(".//testcase")
    for element in (root, root[0]):
        assert int(element.attrib["tests"]) == len(cases)
        assert int(element.attrib["failures"]) == len(root.findall(".//failure"))
        assert int(element.attrib["skipped"]) == len(root.findall(".//skipped"))
    assert all(case.attrib["name"] and case.attrib["classname"] for case in cases)
    return root[0]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_of_report_is_valid_junit(name: str) -> None:
    (failure,) = junit(SAMPLES[name]).iter("failure")
    assert failure.attrib["type"] == SAMPLES[name].rule.name and failure.attrib["message"]


def test_junit_of_no_finding_is_one_passing_test() -> None:
    (case,) = junit().iter("testcase")
    assert len(case) == 0


def test_junit_of_an_overflow() -> None:
    (case,) = junit(OVERFLOW).iter("testcase")
    assert OVERFLOW.key in case.attrib["name"] and case.attrib["file"] == "sources/fill.c"
    assert "p[i] = i" in (case[0].text or "")


def test_junit_skips_what_was_suppressed() -> None:
    (skipped,) = junit(OVERFLOW, run=HIDING).iter("skipped")
    assert skipped.attrib["message"] == "suppressed by known.supp:3 (old one)"


# ---- Memcheck ---------------------------------------------------------------------------------------

_ORDER = (
    "protocolversion protocoltool preamble pid ppid tool args status (error )*(fatal_signal )*"
    "status (error )*errorcounts suppcounts "
)
_KINDS = {
    *("InvalidRead", "InvalidWrite", "InvalidFree", "MismatchedFree", "Overlap", "FishyValue", "BadAlign"),
    *("ClientCheck", "Leak_DefinitelyLost", "Leak_IndirectlyLost", "Leak_PossiblyLost"),
    *("Leak_StillReachable", "UninitCondition", "UninitValue", "SyscallParam"),
}


@pytest.mark.parametrize(
    ("use", "library", "kind"),
    [
        (UseKind.BRANCH, None, "UninitCondition"),
        (UseKind.ADDRESS, None, "UninitValue"),
        (UseKind.TARGET, None, "UninitValue"),
        (UseKind.ARGUMENT, "printf", "UninitCondition"),
        (UseKind.MEMORY, "memcmp", "UninitCondition"),
        (UseKind.MEMORY, "write", "SyscallParam"),
        (UseKind.STATUS, None, "SyscallParam"),
    ],
)
def test_uses_of_undefined_values_have_memchecks_kinds(use: UseKind, library: str | None, kind: str) -> None:
    access = Access(AccessKind.USE, 0, use=use)
    finding = changed(OVERFLOW, point=Point.USE, access=access, library_function=library, block=None)
    finding = changed(finding, rule=replace(OVERFLOW.rule, name="use-of-uninitialized-value"))
    (error,) = memcheck(finding).iter("error")
    assert error.findtext("kind") == kind


def memcheck(*findings: Finding, run: RunInfo = RUN, callers: int = 50) -> ElementTree.Element:
    root = ElementTree.fromstring(ValgrindXmlRenderer(callers=callers).render(findings, run))
    tags = [child.tag for child in root]
    assert root.tag == "valgrindoutput" and re.fullmatch(_ORDER, " ".join(tags) + " ")
    assert [status.findtext("state") for status in root.iter("status")] == ["RUNNING", "FINISHED"]
    for error in root.iter("error"):
        assert re.fullmatch("unique tid kind (what|xwhat) stack (auxwhat (stack )?)*", _tags(error) + " ")
        assert error.findtext("kind") in _KINDS
    for stack in root.iter("stack"):
        assert 1 <= len(stack) <= callers
        assert all(re.fullmatch("ip( obj)?( fn)?( dir)?( file)?( line)?", _tags(f)) for f in stack)
    uniques = [error.findtext("unique") for error in root.iter("error")]
    assert len(set(uniques)) == len(uniques)
    return root


def _tags(element: ElementTree.Element) -> str:
    return " ".join(child.tag for child in element)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_of_report_is_memcheck_xml(name: str) -> None:
    root = memcheck(SAMPLES[name])
    assert len(root.findall("error") + root.findall("fatal_signal")) == 1
    memcheck(SAMPLES[name], callers=1)


def test_memcheck_xml_of_all_and_none() -> None:
    memcheck(*SAMPLES.values())
    assert memcheck().findall("error") == []


def test_memcheck_xml_of_an_overflow() -> None:
    error = memcheck(OVERFLOW).find("error")
    assert error is not None
    assert error.findtext("kind") == "InvalidWrite" and error.findtext("what") == "Invalid write of size 4"
    assert error.findtext("auxwhat") == f"Address {BEGIN + 20:#x} is 0 bytes after a block of size 20 alloc'd"
    functions = [[frame.findtext("fn") for frame in stack] for stack in error.iter("stack")]
    assert functions == [["put", "fill", "main"], ["malloc", "main"]]
    assert error.findtext("stack/frame/file") == "fill.c"


def test_memcheck_xml_of_undefined_bytes_has_their_block() -> None:
    error = memcheck(SAMPLES["undefined-bytes"]).find("error")
    assert error is not None
    assert error.findtext("auxwhat") == f"Address {BEGIN + 1:#x} is 1 bytes inside a block of size 20 alloc'd"


def test_memcheck_xml_of_a_freed_block() -> None:
    error = memcheck(DANGLING).find("error")
    assert error is not None
    assert [note.text for note in error.iter("auxwhat")] == [
        f"Address {BEGIN + 8:#x} is 8 bytes inside a block of size 20 free'd",
        "Block was alloc'd at",
    ]


def test_memcheck_xml_has_the_description_of_an_address() -> None:
    error = memcheck(SAMPLES["described"]).find("error")
    assert error is not None
    assert [text.text for text in error.findall("auxwhat")] == [
        "Address 0x440000000034 is 4 bytes inside a a node of the list of size 8 client-defined"
    ]
    assert len(error.findall("stack")) == 2


def test_memcheck_xml_of_a_leak() -> None:
    error = memcheck(SAMPLES["leak"]).find("error")
    lost = SAMPLES["leak"].leak
    assert error is not None and lost is not None
    assert error.findtext("kind") == "Leak_DefinitelyLost"
    assert error.findtext("xwhat/leakedbytes") == str(lost.bytes)
    assert error.findtext("xwhat/leakedblocks") == str(lost.own.blocks)  # as Memcheck counts
    text = error.findtext("xwhat/text", "")
    assert text.startswith("3,072 (2,048 direct, 1,024 indirect) bytes in 2 blocks")
    assert error.findtext("stack/frame/fn") == "malloc"


@pytest.mark.parametrize("name", SAMPLES)
def test_memcheck_xml_with_suppressions(name: str) -> None:
    """The last element of each error, and its raw text is an entry that suppresses the finding."""
    text = ValgrindXmlRenderer(suppressions=True).render([SAMPLES[name]], RUN)
    for error in ElementTree.fromstring(text).iter("error"):
        made = error[-1]
        assert re.fullmatch("sname skind (skaux )?(sframe )*rawtext", _tags(made))
        assert all([child.tag for child in frame] in (["fun"], ["obj"]) for frame in made.iter("sframe"))
        known = Suppressions.of([parse(made.findtext("rawtext") or "", "made.supp")])
        assert known.match(SAMPLES[name]) is not None


def test_memcheck_xml_counts_what_was_suppressed() -> None:
    (pair,) = memcheck(OVERFLOW, run=HIDING).findall("suppcounts/pair")
    assert (pair.findtext("name"), pair.findtext("count")) == ("old one", "1")


@pytest.mark.parametrize("name", SAMPLES)
def test_memcheck_text(name: str) -> None:
    text = ValgrindTextRenderer(quiet=True).render([SAMPLES[name]], RUN)
    assert all(line.startswith("==4200== ") for line in text.splitlines())
    assert "==4200==    at 0x" in text or not SAMPLES[name].stack


def test_memcheck_text_of_an_overflow() -> None:
    lines = ValgrindTextRenderer().render([OVERFLOW], HIDING).splitlines()
    first = lines.index("==4200== Invalid write of size 4")
    assert re.fullmatch(r"==4200==    at 0x[0-9A-F]+: put \(fill\.c:\d+\)", lines[first + 1])
    assert lines[-1] == "==4200== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 1 from 1)"
