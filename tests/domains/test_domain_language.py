"""Domains in rule files: what is said of mistakes, and what is made of what is right."""

from __future__ import annotations

import pytest

from whence.abi.analyses import LABELS
from whence.engines.alloc.engine import OBSERVES as ALLOC
from whence.engines.binary.engine import OBSERVES as BINARY
from whence.instrument.detectors.explanation import explain
from whence.instrument.pipeline.job import make_job
from whence.rules import RuleError, RuleSet, load_standard, load_texts
from whence.rules.lowering import LoweringError, plan_of, plan_rule
from whence.rules.printer import print_domain
from whence.rules.ruleset import SETS, load_files

GOOD = """
domain untrusted "bytes that came from outside"
    label network from recv, "read"
    label stream from "std::istream", main
    stops at comparison, index
domain secret "not to be seen"
    label key
    cleared at comparison
define From(p) := Labels(p) & (network | stream) != 0
rule command "c" at call system c when From(c)
rule branch "b" at branch v labels when labels & key != 0
"""
MISTAKES = {
    'domain a "t"\n label x from reed': "2:15: 'reed' is no source of labels (did you mean 'read' or 'readv' "
    "or 'pread'?) (those are functions of the C library that give what comes from outside, or main)",
    'domain a "t"\n label x from read, read': "2:21: source 'read' is given twice",
    'domain a "t"\n label x stops at compare': "2:19: unknown class of operations 'compare' (expected one "
    "of: arithmetic, division, comparison, conversion, select, index, parsing)",
    'domain a "t"\n label x stops at index, index': "2:26: 'index' is given twice",
    'domain a "t"\n label x cleared at addition': "2:21: unknown operation that clears labels 'addition' "
    "(expected one of: comparison)",
    'domain a "t" label x\ndomain a "t" label y': "2:8: domain 'a' is already defined at d.rules:1:8",
    'domain a "t" label x\ndomain b "t" label x': "2:20: label 'x' is already defined at d.rules:1:20",
    'domain a "t" label Size': "1:20: 'Size' is a word of the language and cannot name a label",
    'domain a "t" stops at select': "1:1: domain 'a' has no label: write 'label' and a name",
    'domain a " " label x': "1:10: the title is empty: say in a few words what the labels say",
    'domain A "t" label x': "1:8: bad domain name 'A': write lower-case words joined by '-' (double-free)",
    'domain a "t" '
    + " ".join(f"label x{i}" for i in range(9)): "1:92: label 'x8' is one too many: all domains "
    "have at most 8",
    'rule r "t" at branch v labels when labels != 0': "1:6: rule 'r' is about labels, and no domain "
    "declares one",
    'rule r "t" at call f v when Labels(v) != 0': "1:29: Labels of nothing: no domain declares a label",
    'domain a "t" label x\nrule r "t" at branch v labels when labels & z != 0': "2:45: unknown variable 'z' "
    "(known here: labels, v, x)",
    'rule r "t" at call f v when Labels(v, 1, 2) == 0': "1:29: 'Labels' takes 1 or 2 arguments, not 3",
}


def load(text: str) -> RuleSet:
    return load_texts([("d.rules", text.encode())], load_standard())


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_has_a_place_and_a_sentence(text: str) -> None:
    with pytest.raises(RuleError) as caught:
        load(text)
    assert str(caught.value) == f"d.rules:{MISTAKES[text]}"


def test_what_rules_name_is_followed() -> None:
    rules = load(GOOD)
    labels = plan_of(rules.select(["command"], ["all"])).labels
    assert labels is not None and labels.named == (("network", 1), ("stream", 2)) and labels.cleared == 0
    births = dict(labels.births)
    assert births["recv"] == births["__read_chk"] == 1 and births["main"] == births["std::istream::read"] == 2
    assert labels.passed("arithmetic") == 3 and labels.passed("comparison") == labels.passed("index") == 0
    both = plan_of(rules.select(["command", "branch"], ["all"])).labels
    assert both is not None and both.all == 7 and both.cleared == 4 and both.passed("comparison") == 4


def test_rules_that_name_no_label_follow_none() -> None:
    rules = load(GOOD).select(disable=["command", "branch"])
    assert plan_of(rules).labels is None
    assert rules.key() == load_standard().key()
    job = make_job(rules, "f.c", "2", ())
    assert job.policy.labels is None and not job.policy.follows(LABELS)
    assert "__whence_labels" not in job.filters


def test_the_key_depends_on_what_a_domain_says() -> None:
    keys = {load(text).key() for text in (GOOD, GOOD.replace(", index", ""), GOOD.replace("recv, ", ""))}
    assert len(keys) == 3


def test_a_domain_is_printed_as_it_is_read() -> None:
    first = load(GOOD)
    text = "\n".join(map(print_domain, first.domains))
    assert load(text).domains == first.domains


def test_the_explanation_has_the_domain_and_words_for_labels() -> None:
    rules = load(GOOD)
    told = explain(rules.rule("branch"), rules)
    assert told.text.startswith('domain secret "not to be seen"\n    label key\n')
    assert told.planes == ("labels of secret",)
    assert told.sentence == (
        "Before a branch or switch depends on v, which has these labels, it is an error if labels have 'key'."
    )


@pytest.mark.parametrize("engine", [ALLOC, BINARY], ids=lambda each: each.name)
def test_engines_without_labels_refuse(engine) -> None:
    rules = load(GOOD + 'rule read "r" at deref_r r when Labels(r) & key != 0')
    with pytest.raises(LoweringError, match=f"which engine {engine.name} does not observe"):
        plan_rule(rules.rule("read"), rules, engine)


@pytest.mark.parametrize("name", SETS)
def test_shipped_sets_are_given_by_name(name: str) -> None:
    rules = load_files([name])
    assert rules.domains and plan_of(rules.select(["all"])).labels is not None
