"""The policy of the instrumentation: the checks that the active rules need."""

from __future__ import annotations

from dataclasses import dataclass

from whence.abi.analyses import DEFINEDNESS, LABELS, RACES, Analysis
from whence.instrument.analysis.provenance import Kind
from whence.rules.domains import Labels
from whence.rules.lowering import Plan, follows_values


@dataclass(frozen=True)
class Policy:
    """The properties of the rules that the passes need.

    reads, writes: whether any rule needs such accesses.
    provenance: whether a condition needs the block a pointer was derived from.
    merge: whether one check may replace several of the same address (not if a
    rule needs every access).
    bounds: whether an access inside of the live block of its root passes.
    reachability: whether a rule depends on the blocks that live pointers lead to.
    holes: whether the program makes bytes inside of its blocks inaccessible.
    copies: whether a rule judges copies whose ranges overlap.
    lengths: whether a rule judges lengths that reach beyond mapped memory.
    judged: the kinds of roots whose accesses are checked: those that can be blocks, or all with an address
    if a rule needs every access.
    locals, globals: whether local and global variables are blocks.
    scopes: whether local variables die when their scope ends.
    analyses: what is followed beside values (`follows`).
    labels: those that are followed, None if no rule names one.
    labelled: the detection points at which rules judge values with labels.
    described: whether the object describes variables and types, for debuggers.
    quick: whether LLVM optimises little, for short runs (`whence.instrument.pipeline.quick`).
    arguments: how many arguments of calls rules name at most.
    steps: the detection points of arithmetic where a rule is evaluated (`whence.instrument.markers.steps`).
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
    globals: bool = False
    scopes: bool = False
    described: bool = False
    quick: bool = False
    arguments: int = 0
    steps: frozenset[str] = frozenset()
    analyses: frozenset[Analysis] = frozenset()
    labels: Labels | None = None
    labelled: frozenset[str] = frozenset()

    def follows(self, analysis: Analysis) -> bool:
        """Whether an analysis is on."""
        return analysis in self.analyses

    @property
    def twins(self) -> bool:
        """Whether functions have twins."""
        return any(each.twins for each in self.analyses)

    @property
    def keeps_variables(self) -> bool:
        """Whether all variables stay in memory, where debuggers find the values and their origins."""
        return self.described and self.quick

    @property
    def notes_entered(self) -> bool:
        """Whether functions note that they are entered, for a second run; what a debugger sees has none."""
        return self.quick and not self.described


def asked_by(plan: Plan) -> frozenset[Analysis]:
    """The analyses that rules ask for."""
    asked = {
        DEFINEDNESS: follows_values(plan),
        LABELS: plan.labels is not None,
        RACES: "SHARE" in plan.points,
    }
    return frozenset(each for each, on in asked.items() if on)
