"""Facts and documents: each kind has a name of its own, and a new one needs no change of what is there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.harness.findings import changed
from tests.report.samples import OVERFLOW, RUN, SAMPLES, WRITE_STACK

from whence.abi import analyses
from whence.abi.analyses import Analysis
from whence.engines.process.facts import OF_ANALYSES
from whence.findings import Fact, Finding, Frame, HitBlock, RunInfo, States, Value, facts
from whence.findings.coverage import Coverage
from whence.findings.documents import Document
from whence.findings.plain import ADDRESS, KNOWN, OWN, POINTER, SPARSE, plain
from whence.report import documents
from whence.report import facts as shown
from whence.report.html import HtmlRenderer
from whence.report.json import JsonRenderer, schema
from whence.report.sarif import SarifRenderer
from whence.report.text import TextRenderer


@dataclass(frozen=True, slots=True)
class Race(Fact, key="race", many=True):
    """An access of another thread, as a detection of the future may have it."""

    thread: int
    address: int = field(metadata=ADDRESS)
    stack: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile(Document, key="profile"):
    """A document of the future."""

    peak: int


def with_row(monkeypatch: pytest.MonkeyPatch, module: Any, kind: type, row: Any) -> None:
    known: Mapping[type, Any] = module.SHOWN
    monkeypatch.setattr(module, "SHOWN", {**known, kind: row})


def test_a_new_fact_is_a_class_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = shown.Shown(
        sections=lambda race, _: [shown.section(f"written in thread {race.thread}", race.stack)],
        stacks=lambda race, _: [("written", race.stack)],
        related=lambda race, _: [("it was written here", race.stack)],
    )
    with_row(monkeypatch, shown, Race, row)
    races = (Race(3, 0x10, WRITE_STACK[1:]), Race(4, 0x18, WRITE_STACK[:1]))
    finding = OVERFLOW.having(*races)
    assert finding.every(Race) == races and finding.without(Race) == OVERFLOW
    (found,) = json.loads(JsonRenderer().render([finding], RUN))["findings"]
    assert [(each["thread"], each["address"]) for each in found["race"]] == [(3, "0x10"), (4, "0x18")]
    assert found["race"][0]["stack"][0]["function"] == "fill"
    text = TextRenderer().render([finding], RUN)
    assert "    written in thread 3:\n" in text and "    written in thread 4:\n" in text
    assert "written in thread 4" in HtmlRenderer().render([finding], RUN)
    (result,) = json.loads(SarifRenderer().render([finding], RUN))["runs"][0]["results"]
    assert [each["message"]["text"] for each in result["relatedLocations"]][-2:] == [
        "it was written here"
    ] * 2
    assert [each["message"]["text"] for each in result["stacks"]][-2:] == ["written"] * 2


def test_a_new_document_is_a_class_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = documents.Shown(
        last_line=lambda profile: [f"peak: {profile.peak} bytes"],
        listed=lambda profile: [("Profile", [f"{profile.peak} bytes at the peak"])],
    )
    with_row(monkeypatch, documents, Profile, row)
    run = replace(RUN, documents=(Coverage(rules=3, seen="blocks"), Profile(4096)))
    assert run.document(Profile) == Profile(4096)
    assert json.loads(JsonRenderer().render([], run))["run"]["profile"] == {"peak": 4096}
    assert TextRenderer().render([], run).endswith("; checked: blocks, 3 rules; peak: 4096 bytes\n")
    assert "4096 bytes at the peak" in HtmlRenderer().render([], run)


def test_a_run_without_documents_says_nothing_of_them() -> None:
    run = RunInfo("prog", exit_status=0)
    assert (run.unchecked, run.ended, run.sentences) == ("", "", ())
    assert json.loads(JsonRenderer().render([], run))["run"]["coverage"] is None
    assert TextRenderer().render([], run) == "whence: no findings; the program exited with status 0\n"


def kinds() -> set[type[Fact]]:
    """The kinds of facts that samples and decoders make."""
    every = {each for each in vars(facts).values() if isinstance(each, type) and issubclass(each, Fact)}
    return {type(fact) for finding in SAMPLES.values() for fact in finding.facts} | every - {Fact}


def test_the_schema_has_every_kind_of_fact() -> None:
    known = schema()["$defs"]["finding"]["properties"]
    keys = [kind.key for kind in kinds()]
    assert len({*keys}) == len(keys) and known.keys() >= {*keys}
    for kind in kinds():
        assert ("array" in str(known[kind.key].get("type"))) == kind.many, kind


def test_rows_and_decoders_are_of_known_kinds() -> None:
    assert shown.SHOWN.keys() <= kinds()
    followed = {each for each in vars(analyses).values() if isinstance(each, Analysis)}
    assert OF_ANALYSES.keys() == followed


def test_facts_are_found_by_their_kinds() -> None:
    hit = HitBlock(8, 0x100, 16)
    finding = changed(OVERFLOW, hit_block=hit, values=(Value("r", 1), Value("s", 2)))
    assert finding.fact(HitBlock) is hit and OVERFLOW.fact(HitBlock) is None
    assert [each.name for each in finding.values] == ["r", "s"]
    other = finding.having(HitBlock(9, 0x200, 8), Value("t", 3))
    assert other.fact(HitBlock) == HitBlock(9, 0x200, 8) and other.values == (Value("t", 3),)
    assert other.fact(States) == OVERFLOW.fact(States)
    assert Finding(OVERFLOW.rule, OVERFLOW.point, OVERFLOW.access).signal == 0


@dataclass(frozen=True)
class Forms:
    address: int | None = field(metadata=ADDRESS)
    pointer: int = field(metadata=POINTER)
    known: str = field(metadata=KNOWN)
    sparse: int = field(metadata=SPARSE)
    own: int = field(metadata=OWN)
    plain: tuple[object, ...] = ()


def test_forms_of_fields() -> None:
    full = Forms(-1, 16, "a\udcff", 1, 2, (b"\x01\xfa", True, None))
    assert plain(full) == {
        "address": "0xffffffffffffffff",
        "pointer": "0x10",
        "known": "a\N{REPLACEMENT CHARACTER}",
        "sparse": 1,
        "plain": ["01fa", True, None],
    }
    assert plain(Forms(0, 0, "", 0, 0)) == {"address": "0x0", "pointer": None, "known": None, "plain": []}
    assert plain(Forms(None, 0, "", 0, 0))["address"] is None
