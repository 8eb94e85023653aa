"""Chains of numbers that were computed from others, and then stored, passed or returned."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

SOURCE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct picture { uint32_t width, height, depth; };
static uint32_t bytes_of(const struct picture *p) {
    uint32_t row = p->width * p->depth;
    return row * p->height;
}
static int area(int width, int height) { return width * height; }
static uint64_t all(uint64_t count, uint64_t each) { return count * each + 1; }
static uint32_t twice(uint32_t a, uint32_t b) { uint32_t found = a * b; return found; }
static uint32_t less(uint32_t a, uint32_t b) { return a - b; }
static size_t sum(const char *text) {
    size_t total = 0;
    for (; *text; text++) total = total + (size_t)(*text - '0');
    return total;
}
int main(int argc, char **argv) {
    unsigned long one = strtoul(argv[2], NULL, 10), two = strtoul(argv[3], NULL, 10);
    size_t size = 0;
    if (!strcmp(argv[1], "product")) {
        struct picture p = {(uint32_t)one, (uint32_t)two, 4};
        size = bytes_of(&p);
    }
    if (!strcmp(argv[1], "signed")) size = 40 + area((int)-one, (int)two);
    if (!strcmp(argv[1], "wide")) size = all(one, two);
    if (!strcmp(argv[1], "less")) size = 40 + (int)less((uint32_t)one, (uint32_t)two);
    if (!strcmp(argv[1], "other")) {
        size = twice((uint32_t)one, (uint32_t)two);
        if (twice((uint32_t)two * 2, (uint32_t)one / 2) != size) return 2;
    }
    if (!strcmp(argv[1], "same")) {
        if (twice((uint32_t)one, (uint32_t)two) == 0) return 2;
        size = twice((uint32_t)one, (uint32_t)two);
    }
    if (!strcmp(argv[1], "sum")) size = sum(argv[2]);
    char *block = malloc(size);
    block[size] = 1;
    free(block);
    return 0;
}
"""


@pytest.fixture(scope="module", params=["-O0", "-O2", "-fwrapv"])
def whence(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Whence:
    made = Whence(tmp_path_factory.mktemp("computed"), whence_env)
    made.build(SOURCE, "prog", request.param)
    return made


def chains(whence: Whence, *words: object) -> dict[str, dict[str, Any]]:
    """The chains of the size, by their terms. That of the index is the same number."""
    done, found = whence.findings("--locate", "always", "./prog", *map(str, words))
    assert len(found) == 1, done.err
    terms = [each["term"] for each in found[0]["chains"]]
    assert len(terms) == len(set(terms)), terms
    return {each["term"]: each for each in found[0]["chains"] if each["term"] not in ("r", "the index of r")}


def value(chain: dict[str, Any]) -> int:
    return int(chain["value"], 16)


def computed(chain: dict[str, Any]) -> dict[str, Any]:
    (hop,) = [each for each in chain["hops"] if each["kind"] == "computed"]
    return dict(hop)


def origin(chain: dict[str, Any]) -> str:
    return str(chain["hops"][-1]["name"])


def test_a_product_that_lost_bits_leads_to_its_factors(whence: Whence) -> None:
    found = chains(whence, "product", 65536, 16385)
    assert {term: value(chain) for term, chain in found.items()} == {
        "Size(r)": 262144,
        "the first operand of row * p->height": 262144,
        "the first operand of p->width * p->depth": 65536,
        "the second operand of p->width * p->depth": 4,
        "the second operand of row * p->height": 16385,
    }
    hop = computed(found["Size(r)"])
    assert (hop["name"], hop["wrapped"]) == ("row * p->height", {"bits": 32, "result": "4295229440"})
    assert "wrapped" not in computed(found["the first operand of row * p->height"])
    assert origin(found["the first operand of p->width * p->depth"]) == "argv[2]"
    assert origin(found["the second operand of row * p->height"]) == "argv[3]"
    assert found["the second operand of p->width * p->depth"]["hops"][-1]["kind"] == "constant"


def test_a_product_that_fits_has_lost_nothing(whence: Whence) -> None:
    found = chains(whence, "product", 16, 3)
    assert value(found["Size(r)"]) == 192 and "wrapped" not in computed(found["Size(r)"])
    assert value(found["the second operand of row * p->height"]) == 3


def test_a_negative_number_has_lost_nothing(whence: Whence) -> None:
    """Also where the code does not say that it has a sign (-fwrapv), and where it has none (unsigned)."""
    for way, first, second in (("signed", 3, 5), ("less", 3, 5)):
        (size,) = [each for term, each in chains(whence, way, first, second).items() if term == "Size(r)"]
        assert not [hop for hop in size["hops"] if "wrapped" in hop]


def test_numbers_of_64_bits(whence: Whence) -> None:
    """Of which the result has up to 128; a constant that is added is no operand."""
    found = chains(whence, "wide", 2**33, 2**31 + 1)
    assert value(found["Size(r)"]) == 2**33 + 1
    wrapped = [hop["wrapped"] for hop in found["Size(r)"]["hops"] if "wrapped" in hop]
    assert wrapped == [] or wrapped == [{"bits": 64, "result": str(2**64 + 2**33 + 1)}]


def test_operands_are_those_of_the_only_computation_with_that_result(whence: Whence) -> None:
    """6 * 4 and 8 * 3 are computed at one place: nobody knows which of them the size is."""
    assert list(chains(whence, "other", 6, 4)) == ["Size(r)"]
    same = chains(whence, "same", 6, 4)
    assert value(same["the first operand of a * b"]) == 6
    assert origin(same["the second operand of a * b"]) == "argv[3]"


def test_a_sum_that_grows_has_no_operands(whence: Whence) -> None:
    assert list(chains(whence, "sum", "123", 0)) == ["Size(r)"]


def test_words(whence: Whence) -> None:
    done = whence.run("--locate", "always", "./prog", "product", "65536", "16385")
    assert "wrapped in 32 bits (4,295,229,440)" in done.err
