"""What the passes over one module share: what they are to do, and what they tell each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from whence import ir
from whence.instrument.analysis.facts import Flow
from whence.instrument.analysis.lifetimes import keepers_of
from whence.instrument.markers.declarations import declarations
from whence.instrument.passes.later import Later
from whence.instrument.passes.policy import Policy
from whence.instrument.passes.twin import Twin


@dataclass
class Context:
    """The data that the passes of one stage share.

    name: for messages. own: library functions that the program defines itself.
    watched: functions with call and return events. used: markers and events
    that passes have inserted, which are declared after the pass. checked:
    functions whose accesses have markers. guarded_variables: variables with
    zones; safe_variables: those that are accessed in their bounds alone;
    repeated_variables: those of twins among the guarded ones, which are their
    functions'. zoned: the names of guarded variables by function. apart: of those
    below a gap. alone: no function gets a twin.
    origins: variables whose undefined bits are followed. twins: functions
    that have a second version for undefined values. wraps: whether
    signed arithmetic wraps around, as unsigned does. unoptimised: whether native code is: it
    branches where the source does, and traps where a function ends without the result that it has.
    digest: of the module's IR. later: the twins that are made when a run needs them, None where all are made
    with their functions. late: these are made now, and no function but them changes.
    """

    name: str
    policy: Policy
    own: Collection[str] = ()
    watched: tuple[str, ...] = ()
    used: set[str] = field(default_factory=set)
    checked: int = 0
    guarded_variables: int = 0
    safe_variables: int = 0
    repeated_variables: int = 0
    alone: bool = False
    zoned: dict[str, frozenset[str]] = field(default_factory=dict)
    apart: dict[str, frozenset[str]] = field(default_factory=dict)
    redirected: frozenset[str] = frozenset()
    module: ir.Module = field(default_factory=ir.Module)
    origins: int = 0
    twins: list[Twin] = field(default_factory=list)
    wraps: bool = False
    unoptimised: bool = False
    digest: str = ""
    later: Later | None = None
    late: bool = False
    _flows: dict[str, Flow] = field(default_factory=dict)

    @cached_property
    def keepers(self) -> frozenset[str]:
        """Functions of the module that free nothing, computed at the first use."""
        return keepers_of(self.module)

    def flow(self, function: ir.Function) -> Flow:
        """The flow of facts through a function; passes that change control flow come last."""
        flow = self._flows.get(function.name)
        if flow is None:
            flow = self._flows[function.name] = Flow(function, self.keepers, self.policy.holes)
        return flow

    def forget_flow(self, function: ir.Function) -> None:
        """Drops what is known of a function whose control flow has changed."""
        self._flows.pop(function.name, None)

    def forget_flows(self) -> None:
        """Drops what is known of all functions."""
        self._flows.clear()

    def forget(self) -> None:
        """Lets go of the module; the counts stay."""
        self.module.forget()
        self.module = ir.Module()
        self.twins, self.zoned, self.apart = [], {}, {}
        self.forget_flows()

    def functions(self) -> Iterable[ir.Function]:
        """Definitions, except those that the program excludes from instrumentation."""
        if self.late:
            yield from (self.module.functions[each.twin] for each in self.twins)
            return
        for function in self.module.definitions:
            if not (function.linkage == "available_externally" or function.attributes.has("naked")):
                yield function

    def keep_for_late_twins(self) -> None:
        """Has late twins made of the module as it is now, with what a pass has added for another analysis."""
        if self.later is not None:
            self.later.text = str(self.module)

    def declare(self) -> None:
        """Declare the markers in `used`."""
        for declaration in declarations(self.used):
            self.module.add_declaration(declaration)
