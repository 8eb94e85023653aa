"""Chains of values that programs move on known ways: every hop, at its line, by its name, and no other.

What is known to be wrong is an expected failure, with a word on it in the tables of ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from tests.harness.process import Whence
from tests.hops import choosing, cxx, ways
from tests.hops.making import Chain, Hop, Program, is_named, program

from whence.abi.origins import MOST_HOPS

pytestmark = pytest.mark.build

_FUNCTION = re.compile(r"chain_(\d+)(\(\))?\Z")


@dataclass(frozen=True)
class Source:
    """A program of chains. fast: the levels of optimisation that no slow test is needed for."""

    head: str
    suffix: str
    chains: tuple[Chain, ...]
    fast: tuple[str, ...]

    @cache  # noqa: B019  there are few, and they stay
    def program(self) -> Program:
        return program(self.head, self.chains)


SOURCES = {
    "c": Source(ways.HEAD, "c", tuple(choosing.in_c()), ("-O0",)),
    "c++": Source(cxx.HEAD, "cpp", tuple(choosing.in_cxx()), ("-O2",)),
    "library": Source(cxx.HEAD, "cpp", tuple(choosing.in_library()), ()),
}
RUNS = [(name, level) for name in SOURCES for level in ("-O0", "-O2")]
Told = Callable[[str, str], Mapping[str, dict[str, Any]]]


class OtherChain(AssertionError):
    """The chain is told otherwise than the program was made."""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Callable[..., Any]:
    """Builds and runs a source, once; gives the findings, or the words of the compiler."""

    @cache
    def made(source: Source, level: str) -> list[dict[str, Any]] | str:
        whence = Whence(tmp_path_factory.mktemp("hops"), whence_env)
        path = whence.directory / f"prog.{source.suffix}"
        path.write_text(source.program().text)
        driver = "c++" if source.suffix == "cpp" else "cc"
        words = ("-g", "-w", level, "-pthread", path, "-o", whence.directory / "prog")
        done = whence.process("whence.cli.cc", driver, *words)
        if done.status:
            return done.err  # not tried again for each test
        return whence.findings("--locate", "always", "--keep-going", whence.directory / "prog")[1]

    return made


@pytest.fixture(scope="module")
def told(build: Callable[..., Any]) -> Told:
    """The finding of each chain, by its label."""

    def found(name: str, level: str) -> dict[str, dict[str, Any]]:
        labels = [chain.label for chain in SOURCES[name].chains]
        findings = build(SOURCES[name], level)
        assert isinstance(findings, list), findings
        by_label = [(labels[number], each) for each in findings for number in _chains_in(each)]
        assert sorted(label for label, _ in by_label) == sorted(labels)
        assert len(by_label) == len(findings)
        return dict(by_label)

    return found


def _chains_in(finding: dict[str, Any]) -> Iterator[int]:
    for frame in finding["stack"]:
        match = _FUNCTION.match(frame["function"] or "")
        if match:
            yield int(match[1])


def cases(*, names: bool) -> list[Any]:
    """Each chain of each source at each level, with marks for what is slow and what is known to be wrong.

    names: for a test of names, which are not asked for where the hops are wrong.
    """
    found = []
    for name, level in RUNS:
        for chain in SOURCES[name].chains:
            if names and chain.wrong:
                continue
            fault = chain.misnamed if names else chain.wrong
            marks = [] if level in SOURCES[name].fast else [pytest.mark.slow]
            if fault:
                marks.append(pytest.mark.xfail(reason=fault, raises=OtherChain, strict=True))
            found.append(pytest.param(name, level, chain, marks=marks, id=f"{name} {level} {chain.label}"))
    return found


def pairs(
    told: Told, name: str, level: str, chain: Chain
) -> Iterator[tuple[list[Hop], list[dict[str, Any]]]]:
    """For each term, the hops that should be told, and those of the program's own file that are told."""
    finding = told(name, level)[chain.label]
    assert finding["rule"] == chain.end.rule
    for term, expected in SOURCES[name].program().hops[chain.label].items():
        (found,) = [each for each in finding["chains"] if each["term"] == term]
        own = [hop for hop in found["hops"] if hop["file"].endswith(f"prog.{SOURCES[name].suffix}")]
        assert found["cut"] == (len(expected) > MOST_HOPS)
        assert own[-1] == found["hops"][-1] and (SOURCES[name].suffix == "cpp" or own == found["hops"])
        yield expected[:MOST_HOPS], own


def _said(hops: Iterable[object]) -> str:
    return "\n".join(f"    {hop}" for hop in hops)


@pytest.mark.parametrize(("name", "level", "chain"), cases(names=False))
def test_every_hop_is_told_and_no_other(told: Told, name: str, level: str, chain: Chain) -> None:
    for expected, own in pairs(told, name, level, chain):
        hops = [(hop.kind, hop.line, hop.repeated) for hop in expected]
        found = [(hop["kind"], hop["line"], hop["repeated"]) for hop in own]
        if found != hops:
            raise OtherChain(f"told are\n{_said(found)}\nwhere the program has\n{_said(hops)}")


@pytest.mark.parametrize(("name", "level", "chain"), cases(names=True))
def test_hops_are_named_as_the_program_names_them(told: Told, name: str, level: str, chain: Chain) -> None:
    for expected, own in pairs(told, name, level, chain):
        names, found = [hop.name for hop in expected], [hop["name"] for hop in own]
        if len(found) != len(names) or not all(map(is_named, found, names)):
            raise OtherChain(f"told are\n{_said(found)}\nwhere the program has\n{_said(names)}")


def test_the_clean_twin_has_no_findings(build: Callable[..., Any]) -> None:
    assert build(Source(ways.HEAD, "c", tuple(choosing.clean_in_c()), ()), "-O1") == []
