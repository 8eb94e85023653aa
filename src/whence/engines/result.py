"""What one run of a program gave, as typed data."""

from __future__ import annotations

from dataclasses import dataclass

from whence.findings import Finding, RunInfo


@dataclass(frozen=True, slots=True)
class Result:
    """All that one run gave.

    `stdout` and `stderr` are what the program wrote when it was captured, else
    None. `timed_out` says that the program was killed because its time was over.
    """

    findings: tuple[Finding, ...]
    run: RunInfo
    stdout: bytes | None = None
    stderr: bytes | None = None
    timed_out: bool = False

    @property
    def exit_status(self) -> int | None:
        """The program's exit status, None when a signal ended it.

        A program that is stopped at a finding ends with the error exit code.
        """
        return self.run.exit_status

    @property
    def signal(self) -> int | None:
        """Number of the signal that ended the program, None when it exited."""
        return self.run.signal

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences to the user: what was lost, what could not be read."""
        return self.run.notes

    @property
    def ok(self) -> bool:
        """The program exited with status 0 and no finding fails the run."""
        return not self.failures and self.exit_status == 0

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that fail the run: errors and warnings, without notes."""
        return tuple(finding for finding in self.findings if not finding.rule.is_note)

    def text(self) -> str:
        """The report as people read it, without colours."""
        from whence.report.text import TextRenderer

        return TextRenderer().render(self.findings, self.run)

    def json(self) -> str:
        """The report as one JSON document (see docs/json-schema.md)."""
        from whence.report.json import JsonRenderer

        return JsonRenderer().render(self.findings, self.run)
