"""Chains through copies of eight bytes, whose nodes generated code moves by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

_HALVES = """
#include <stdlib.h>
struct pair { int from, to; };
static int before(void) { return 1; }
static int behind(void) { return 12 - LESS; }
int main(int argc, char **argv) {
    struct pair one, two;
    one.from = before();
    one.to = behind();
    two = one;
    char *text = calloc(10, 1);
    int found = text[two.from] + text[two.to];
    free(text);
    return found;
}
"""

_UNEVEN = """
#include <stdlib.h>
#include <string.h>
static char places[24];
int main(int argc, char **argv) {
    char *text = malloc(10), *other = malloc(3), *found;
    memcpy(places + 4, &text, 8);
    memcpy(places + 12, &other, 8);
    memcpy(places + 4, places + 12, 8);
    memcpy(&found, places + 4, 8);
    free(found);
    if (argc < LESS) return found[0];
    free(text);
    return 0;
}
"""

_CROSSED = """
#include <pthread.h>
#include <stdlib.h>
union word { char *text; long number; };
static union word shared, kept;
static void *run(void *no) {
    shared.text = malloc(5);
    return no;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    kept = shared;
    free(kept.text);
    return argc < LESS ? kept.text[0] : 0;
}
"""


def _built(whence: Whence, text: str, less: int, level: str) -> Path:
    return whence.build(text.replace("LESS", str(less)), f"prog{less}", level, "-pthread")


def _hops(finding: dict[str, Any], term: str) -> list[tuple[str, str | None]]:
    (chain,) = [each for each in finding["chains"] if each["term"] == term]
    assert not chain["cut"]
    return [(each["kind"], each["name"]) for each in chain["hops"]]


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_each_half_of_a_word_keeps_its_own_chain(whence: Whence, level: str) -> None:
    _, (found,) = whence.findings("--locate", "always", _built(whence, _HALVES, 0, level))
    assert ("copy", "two") in _hops(found, "the index of r")
    assert ("return", "behind") in _hops(found, "the index of r")
    assert ("return", "before") not in _hops(found, "the index of r")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_words_that_lie_across_two_words_are_followed(whence: Whence, level: str) -> None:
    _, (found,) = whence.findings("--locate", "always", _built(whence, _UNEVEN, 9, level))
    kinds = [kind for kind, _ in _hops(found, "r")]
    assert kinds.count("copy") == 3
    assert _hops(found, "r")[-2:] == [("stored", "other"), ("allocation", "malloc")]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_word_of_another_thread_is_copied_with_its_thread(whence: Whence, level: str) -> None:
    _, (found,) = whence.findings("--locate", "always", _built(whence, _CROSSED, 9, level))
    (chain,) = [each for each in found["chains"] if each["term"] == "r"]
    assert [(each["kind"], each["thread"]) for each in chain["hops"]] == [
        ("copy", 0),
        ("stored", 1),
        ("allocation", 1),
    ]


@pytest.mark.parametrize("text", [_HALVES, _UNEVEN, _CROSSED], ids=["halves", "uneven", "crossed"])
def test_the_clean_twins_have_no_findings(whence: Whence, text: str) -> None:
    less = 3 if text is _HALVES else 0
    assert whence.findings("--locate", "always", _built(whence, text, less, "-O1"))[1] == []
