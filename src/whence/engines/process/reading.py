"""Reading of records: rules by number, names of addresses, suppressions."""

from __future__ import annotations

from collections.abc import Mapping

from whence.engines.process.collect import findings
from whence.engines.process.decode import RawRun
from whence.findings import Finding, RuleInfo
from whence.rules import RuleSet
from whence.suppressions import Sorted, Suppressions
from whence.symbols import Symbolizer


class Reading:
    """Reads the record of one run, while the program runs and afterwards."""

    def __init__(
        self,
        rules: RuleSet,
        originals: Mapping[str, str],
        suppressions: Suppressions,
        child_aborts: str = "note",
    ) -> None:
        self.child_aborts = child_aborts
        self.infos = rule_infos(rules)
        self.originals = originals
        self.suppressions = suppressions
        self.symbolizer = Symbolizer()

    def findings(self, raw: RawRun) -> list[Finding]:
        """All findings of the record, suppressed ones too."""
        return findings(raw, self.infos, self.symbolizer, child_aborts=self.child_aborts)

    def sorted(self, raw: RawRun) -> Sorted:
        """The reported findings, and the entries with the findings that each suppressed."""
        return self.suppressions.sort(self.findings(raw), self.originals)

    def is_suppressed(self, raw: RawRun) -> bool:
        """Whether an entry suppresses every finding of the run."""
        return all(self.suppressions.match(found, self.originals) for found in self.findings(raw))


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
