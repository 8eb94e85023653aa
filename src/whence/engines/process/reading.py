"""Reading of records: rules by number, names of addresses, suppressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from whence.engines import interruption
from whence.engines.process.collect import findings
from whence.engines.process.decode import RawRun
from whence.errors import UserMistake
from whence.findings import Finding, RuleInfo, Types, Undefined
from whence.rules import RuleSet
from whence.suppressions import Sorted, Suppressions
from whence.symbols.symbolizer import Symbolizer

if TYPE_CHECKING:
    from whence.symbols.module import Kept

OWN_SUPPRESSIONS = "__lsan_default_suppressions"
"""The function of a program that has its suppressions, in place of a file."""


class Reading:
    """Reads the record of one run, while the program runs and afterwards.

    kept: where indexes of debug information stay for later runs.
    """

    def __init__(
        self,
        rules: RuleSet,
        originals: Mapping[str, str],
        suppressions: Suppressions,
        child_aborts: str = "note",
        kept: Kept | None = None,
    ) -> None:
        self.child_aborts = child_aborts
        self.infos = rule_infos(rules)
        self.originals = originals
        self.suppressions = suppressions
        self.symbolizer = Symbolizer(kept, interruption.current.hurries, originals)

    def findings(self, raw: RawRun) -> list[Finding]:
        """All findings of the record, suppressed ones too."""
        return findings(raw, self.infos, self.symbolizer, child_aborts=self.child_aborts)

    def sorted(self, raw: RawRun) -> Sorted:
        """The reported findings, and the entries with the findings that each suppressed."""
        sorted_ = self._all_suppressions(raw).sort(self.findings(raw))
        if not any(map(_asks, sorted_.findings)) or interruption.current.hurries():
            return sorted_
        from whence.engines.process.members import Naming  # LLVM takes long to import

        return replace(sorted_, findings=Naming().named(sorted_.findings))

    def _all_suppressions(self, raw: RawRun) -> Suppressions:
        """The user's, and those that the program has for its own leaks; a mistake in these is a note."""
        if not raw.suppressions:
            return self.suppressions
        from whence.suppressions import sanitizer

        entries = list(self.suppressions.entries)
        for text in dict.fromkeys(raw.suppressions):
            try:
                entries += sanitizer.leaks(text, OWN_SUPPRESSIONS)
            except UserMistake as mistake:
                raw.notes.append(f"{mistake}; the program's suppressions were not used")
        return replace(self.suppressions, entries=tuple(entries))

    def is_suppressed(self, raw: RawRun) -> bool:
        """Whether an entry suppresses every finding of the run."""
        return all(self.suppressions.match(found) for found in self.findings(raw))


def _asks(finding: Finding) -> bool:
    """Whether the IR that a program carries says more of a finding."""
    types = finding.fact(Types)
    return finding.fact(Undefined) is not None or (types is not None and types.function is not None)


def rule_infos(rules: RuleSet) -> list[RuleInfo]:
    """The active rules as reports need them, in the order of the generated table."""
    return [
        RuleInfo(
            rule.name,
            rule.title,
            tuple(str(term) for term in rule.trace),
            severity=rule.severity,
            advice=rule.advice,
            cwe=rule.cwe,
        )
        for rule in rules.active
    ]
