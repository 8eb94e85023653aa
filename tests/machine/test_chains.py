"""Value propagation chains: from a bug back to where the value was born."""

from __future__ import annotations

import re

from whence.machine import Outcome, parse_program, parse_state, run
from whence.machine.show import chain_lines, link_line


def chain(outcome: Outcome, term: str = "r") -> list[str]:
    (verdict,) = outcome.verdicts
    (found,) = [each for each in verdict.values if each.term == term]
    return [re.sub(r"( at \d+)?( \(.*\))?$", "", link_line(link)) for link in found.links]


def test_the_two_pointers_of_a_double_free_meet_at_the_shallow_copy() -> None:
    """Section 2.2 of the paper, figure 3: attrs->php is copied into newattrs->php."""
    text = """
global attrs[8]
global copy[8]
fun free_attrs(a) = free(**a)
fun main() =
  attrs := malloc(8);
  *attrs := malloc(16);
  copy := malloc(8);
  *copy := **attrs;
  free_attrs(*copy);
  free_attrs(*attrs)
"""
    outcome = run(parse_program(text))
    assert chain(outcome, "r") == [
        "read from &1H+0",
        "written to &1H+0",
        "returned by the allocation",
    ]
    assert chain(outcome, "r1") == [
        "read from &3H+0",
        "written to &3H+0",
        "read from &1H+0",
        "written to &1H+0",
        "returned by the allocation",
    ]
    (verdict,) = outcome.verdicts
    assert [each.copies for each in verdict.values] == [1, 2]


def test_a_null_pointer_comes_from_the_function_that_gave_up() -> None:
    """Figure 4: savedir returns NULL."""
    text = """
fun savedir(dir) = if0 *dir then 0 else malloc(8)
fun main() = let dirp = salloc 8 in
  let entry = salloc 8 in
  dirp := savedir(0);
  entry := *dirp;
  *[1] *entry
"""
    outcome = run(parse_program(text, "savedir.c"))
    assert chain(outcome)[:4] == [
        "read from &2S+0",
        "written to &2S+0",
        "read from &1S+0",
        "written to &1S+0",
    ]
    assert chain(outcome)[4] == "written in the program"


def test_a_read_sees_the_write_before_it_and_not_a_later_one() -> None:
    text = """
global g[8]
fun main() =
  g := malloc(8);
  let p = *g in
  g := 0;
  free(p);
  *p
"""
    links = chain(run(parse_program(text)))
    assert links == [
        "read from &1G+0",
        "written to &1G+0",
        "returned by the allocation",
    ]


def test_a_value_keeps_its_origin_through_let_whatever_is_computed_between() -> None:
    text = """
global a[8]
global b[8]
fun main() =
  a := malloc(8);
  b := malloc(8);
  let p = *a in
  let q = *b in
  free(q);
  free(p);
  free(p)
"""
    assert chain(run(parse_program(text)))[0].startswith("read from &1G+0")


def test_copies_of_memory_are_links() -> None:
    text = """
fun main() =
  let from = salloc 16 in
  let to = malloc(16) in
  from +& 8 := malloc(8);
  memcpy(to, from, 16);
  free(*(to +& 8));
  free(*(to +& 8))
"""
    links = chain(run(parse_program(text)))
    assert links == [
        "read from &1H+8",
        "copied to &1H+0",
        "read from &1S+8",
        "written to &1S+8",
        "returned by the allocation",
    ]


def test_chains_end_where_nobody_wrote() -> None:
    initial = run(parse_program("global g[8] fun main() = **g"))
    assert chain(initial)[-1] == "what &1G+0 holds from the beginning"
    calloc = run(parse_program("fun main() = let p = calloc(1, 8) in **p"))
    assert chain(calloc)[-1] == "what &1H+0 holds from the beginning"
    freed = run(parse_program("fun main() = let p = calloc(1, 8) in let q = *p in free(p); *q"))
    assert chain(freed)[-1] == "what &1H+0 holds from the beginning"
    by_hand = run(parse_state("state { heap 1H: size 8, holds [0: word 0] expression **&1H+0 }"))
    assert chain(by_hand)[-1] == "unknown: the trace does not say who wrote to &1H+0"


def test_a_global_symbol_is_an_origin() -> None:
    outcome = run(parse_program("global g[8] fun main() = free(g)"))
    assert chain(outcome) == ["the global symbol g"]


def test_numbers_that_a_rule_computes_have_no_chain_but_begins_do() -> None:
    outcome = run(parse_program("fun main() = free(malloc(8) +& 4)"))
    assert chain(outcome, "r")[0].startswith("computed")
    assert chain(outcome, "Begin(r)") == ["returned by the allocation"]
    (verdict,) = outcome.verdicts
    assert next(iter(chain_lines(verdict.values[1]))) == "    Begin(r) = &1H+0 = 0x2000000100000000"
