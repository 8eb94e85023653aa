"""What the active rules let the instrumenter leave out."""

from __future__ import annotations

from dataclasses import dataclass

from whence.instrument.provenance import Kind


@dataclass(frozen=True)
class Policy:
    """What the rules allow the passes to leave out.

    reads, writes: whether any rule looks at such accesses at all.
    provenance: whether a condition needs the block a pointer was derived from.
    merge: whether one check may stand for several of the same address (not so
    when a rule has to see every access).
    bounds: whether an access is in order because it lies in the live block of its root.
    reachability: whether a rule needs to know which blocks live pointers lead to.
    holes: whether the program makes bytes inside of its blocks inaccessible.
    copies: whether a rule judges copies whose ranges overlap.
    lengths: whether a rule judges lengths that reach beyond mapped memory.
    judged: the kinds of roots whose accesses are checked: what can be a block, and all that have an
    address when a rule has to see every access.
    locals: whether local variables are blocks.
    """

    reads: bool = True
    writes: bool = True
    provenance: bool = True
    merge: bool = True
    bounds: bool = True
    reachability: bool = True
    holes: bool = False
    copies: bool = True
    lengths: bool = True
    judged: frozenset[Kind] = frozenset((Kind.UNKNOWN,))
    locals: bool = False
