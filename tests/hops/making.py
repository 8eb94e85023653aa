"""Makes programs in which values go known ways, and says which hops their chains have.

A *way* moves a value from one variable to the next. Its text is C or C++ with the expectation beside each
line:

    BOX b#; b#.it = $; //: 1 stored b#.it
    T v# = b#.it; //: 2 stored v#

`$` is the value to move, `#` a number that makes names unique, `T` the value's type, `BOX` and `TREE` are
structs with members of that type, `V` is a number that no other chain has, and `v#` is what comes out. A mark
``//: ORDER [repeated] KIND NAME; …`` lists the hops of its line; ORDER is that in time, because a function
stands before its call. A birth ends the chain: what was before it is forgotten. Marks are no part of the
program.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import dedent
from typing import NamedTuple

from whence.abi.hops import HopKind

_MARK = re.compile(r" *//: *(.*)\Z")
_ENTRY = re.compile(r"(\d+)( repeated)? (\w+)(?: (.+))?\Z")
ALL = ("pointer", "number", "small")


class Hop(NamedTuple):
    """What a hop should say; `name` is None where the program names nothing."""

    kind: str
    name: str | None
    line: int
    repeated: bool = False


@dataclass(frozen=True)
class Way:
    """before: what stands before the function. types: of values that can go this way. wrong: what is wrong
    with the hops that are told, and misnamed: with their names alone. limit: words of docs/limits.md
    or docs/reports.md that say that values are not followed here.
    """

    body: str
    before: str = ""
    types: tuple[str, ...] = ALL
    wrong: str = ""
    misnamed: str = ""
    limit: str = ""


@dataclass(frozen=True)
class End:
    """How a value causes a finding of `rule`, none if that is empty.

    terms: of the chains that have the hops of the value; the ORDER of a mark says to which of them its hop
    belongs, the first being 1. apart: the process ends, so it should be one of its own.
    """

    body: str
    types: tuple[str, ...]
    rule: str = ""
    terms: tuple[str, ...] = ()
    apart: bool = False


@dataclass(frozen=True)
class Chain:
    """The value of a birth on its ways to an end."""

    label: str
    type: str
    birth: Way
    ways: tuple[Way, ...]
    end: End

    @property
    def wrong(self) -> str:
        """What is known to be wrong with the hops that are told."""
        return "; ".join(way.wrong for way in (self.birth, *self.ways) if way.wrong)

    @property
    def misnamed(self) -> str:
        """What is known to be wrong with their names."""
        return "; ".join(way.misnamed for way in (self.birth, *self.ways) if way.misnamed)


@dataclass
class Program:
    """A program in the making; `hops` are those of each chain by its label and their terms, newest first."""

    lines: list[str]
    hops: dict[str, dict[str, list[Hop]]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join([*self.lines, "int main(void) {", *self.calls, "    return 0;", "}", ""])

    def add(self, chain: Chain) -> None:
        """Append the function of a chain. Raises `ValueError` for a wrong mark and a label that is taken."""
        if chain.label in self.hops:
            raise ValueError(f"two chains have the label {chain.label}")
        number = len(self.hops)
        function = f"chain_{number}"
        ways = (chain.birth, *chain.ways)
        filled = [_filled(way, number, step, chain.type) for step, way in enumerate(ways)]
        _, end = _filled(Way(chain.end.body), number, len(ways), chain.type)
        timed = [self._put(before) for before, _ in filled]
        self.lines.append(f"NOT_INLINED void {function}(void) {{")
        for hops, (_, body) in zip(timed, filled, strict=True):
            hops += self._put(body, "    ")
        last = self._put(end, "    ")
        self.lines.append("}")
        moved = list(_from_birth(hop for hops in timed for _, hop in sorted(hops, key=lambda each: each[0])))
        self.hops[chain.label] = {
            term: [*moved, *(hop for order, hop in last if order == place)][::-1]
            for place, term in enumerate(chain.end.terms, 1)
        }
        self.calls.append(f"    APART({function}());" if chain.end.apart else f"    {function}();")

    def _put(self, text: str, indent: str = "") -> list[tuple[int, Hop]]:
        found = []
        for line in text.splitlines():
            code, marks = split(line)
            self.lines.append(indent + code)
            found += [(order, hop._replace(line=len(self.lines))) for order, hop in marks]
        return found


def program(head: str, chains: Iterable[Chain]) -> Program:
    """A program of these chains, each in a function `chain_N` that `main` calls."""
    made = Program(head.strip("\n").splitlines())
    for chain in chains:
        made.add(chain)
    return made


def split(line: str) -> tuple[str, list[tuple[int, Hop]]]:
    """The code of a line, and the hops of its mark with their order. Raises `ValueError` for a wrong mark."""
    mark = _MARK.search(line)
    if mark is None:
        return line, []
    return line[: mark.start()], [_entry(said.strip(), line) for said in mark[1].split(";")]


def _entry(said: str, line: str) -> tuple[int, Hop]:
    entry = _ENTRY.match(said)
    if entry is None or entry[3] not in list(HopKind):
        raise ValueError(f"{said!r} is no ORDER [repeated] KIND NAME, in: {line.strip()}")
    return int(entry[1]), Hop(entry[3], entry[4], 0, bool(entry[2]))


def _filled(way: Way, chain: int, step: int, type_: str) -> tuple[str, str]:
    """The text before the function and that in it, with their names."""
    meant = {"V": f"{100 + chain}", "BOX": f"struct box_{type_}", "TREE": f"struct tree_{type_}", "T": type_}

    def fill(text: str) -> str:
        text = dedent(text).strip("\n").rstrip(" ")
        text = text.replace("#", f"_{chain}_{step}").replace("$", f"v_{chain}_{step - 1}")
        return re.sub(r"\b(V|BOX|TREE|T)\b", lambda match: meant[match[0]], text)

    return fill(way.before), fill(way.body)


def _from_birth(hops: Iterable[Hop]) -> Iterator[Hop]:
    """The hops from the last birth on; what the program has sent to itself is none."""
    kept: list[Hop] = []
    for hop in hops:
        is_sent = bool(kept) and kept[-1].kind == HopKind.SENT
        if HopKind(hop.kind).is_birth and not is_sent:
            kept.clear()
        kept.append(hop)
    yield from kept


def dealt(names: Sequence[str], length: int, count: int) -> list[list[str]]:
    """`count` hands of `length` names: of all the names in an order by chance, then of all in another.

    The same for the same numbers, always.
    """
    chance, deck = random.Random(length), list[str]()
    while len(deck) < length * count:
        deck += chance.sample(names, len(names))
    return [deck[at : at + length] for at in range(0, length * count, length)]


def is_named(said: str | None, name: str | None) -> bool:
    """Whether a hop has a name: a function of C++ may be said with its scope, its arguments and its type.

    ``long demo::same<long>(long)`` is named ``same``.
    """
    if said is None or name is None:
        return said == name
    return said == name or re.search(rf"(?:^|[ :]){re.escape(name)}(?:<.*>)?\(", said) is not None
