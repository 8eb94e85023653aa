"""The reports of a run: which are wanted, and writing them so that none is lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence.api.options import REPORTS, STANDARD_OUTPUT, RunOption
from whence.cli.output import say
from whence.cli.replacing import DEVICES, replace_text, replaceable
from whence.errors import UserMistake
from whence.toolchain import spawn

if TYPE_CHECKING:
    from whence.engines.result import Result
    from whence.findings import Finding, RunInfo
    from whence.findings.documents import Document
    from whence.report import Renderer
    from whence.report.text import TextRenderer


@dataclass(frozen=True)
class Outputs:
    """Where the reports of a run go.

    listed: the suppressions that the text lists, ``none``, ``used`` or ``all``.
    generate: add an entry for each finding to the text, in this format (``whence`` or ``valgrind``).
    notes: what cannot be used of the suppression files, for the text that lists all.
    quiet: the text has no last line.
    begun: not empty if the findings were shown already.
    """

    files: Mapping[str, Path]
    listed: str = "used"
    generate: str | None = None
    notes: tuple[str, ...] = ()
    quiet: bool = False
    begun: list[bool] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        options: Mapping[str, Path | None],
        listed: str,
        generate: str | None,
        notes: Sequence[str] = (),
        quiet: bool = False,
    ) -> Outputs:
        """`options`: name of a report -> its file, None for reports that are not wanted.

        Raises `UserMistake` for a file that cannot be written: before the program runs, not after; and for
        two reports that go to standard output.
        """
        files = {name: path for name, path in options.items() if path is not None}
        shown = [f"--{name}" for name, path in files.items() if str(path) == STANDARD_OUTPUT]
        if len(shown) > 1:
            raise UserMistake(f"{' and '.join(shown)}: only one report can go to standard output (-)")
        for path in files.values():
            if str(path) != STANDARD_OUTPUT:
                _try(path)
        return cls(files, listed, generate, tuple(notes), quiet)

    def begin(self, result: Result) -> None:
        """Show the findings of a first run, and write the files as they are so far: whatever ends the second
        run, they are there. What cannot be written is left to `write`, which says so."""
        if "log" not in self.files:
            say(self._renderer(sys.stderr).render_findings(result.findings, result.run))
            self.begun.append(True)
        self._write_files(result, (path for path in self.files.values() if replaceable(path)))

    def findings_text(self, findings: Sequence[Finding], run: RunInfo) -> str:
        """Some findings, as standard error shows them."""
        return self._renderer(sys.stderr).render_findings(findings, run)

    def rest_text(self, result: Result) -> str:
        """What stands behind the findings: notes, suppressions, and the last line."""
        return replace(self, quiet=False)._renderer(None).render_rest(result.findings, result.run)

    def write(self, result: Result, shown: str | None = None) -> None:
        """Write everything, or what `begin` left; where a file fails the text is shown, too.

        shown: what standard error shows in place of the findings, before the report's end; empty for nothing.

        Raises `UserMistake` at the end, with a sentence for each file that failed.
        """
        problems = self._write_files(result, self.files.values())
        if problems or (shown is None and "log" not in self.files):
            say(self._error_text(result))
        elif shown is not None and not self.quiet:
            say(shown + self._renderer(sys.stderr).render_rest(result.findings, result.run))
        if problems:
            raise UserMistake("\nwhence: ".join(f"{each}; the report is shown above" for each in problems))

    def write_files(self, result: Result) -> None:
        """Write the reports that have a file and nothing else.

        Raises `UserMistake` at the end, with a sentence for each file that failed.
        """
        problems = self._write_files(result, self.files.values())
        if problems:
            raise UserMistake("\nwhence: ".join(problems))

    def _write_files(self, result: Result, paths: Iterable[Path]) -> list[str]:
        """Writes the reports that go to these files; returns what went wrong."""
        problems, wanted = [], set(paths)
        for row in REPORTS:
            path = self.files.get(row.name)
            if path in wanted:
                text = self._text(result, None) if row.name == "log" else self._render(row, result)
                problems += [each for each in [_write(path, text)] if each]
        return problems

    def clean_texts(self, result: Result, documents: Sequence[Document]) -> tuple[str, str]:
        """What is shown of a clean run in files and on terminals, with `STATUS` for the exit status.

        documents: those of such a run, as far as they are known when it starts.
        """
        from whence.abi.plans import STATUS
        from whence.report.text import TextRenderer

        run = replace(result.run, signal=None, exit_status=_SOME_STATUS, documents=tuple(documents))
        renderers = (
            TextRenderer(color=color, suppressions=self.listed, quiet=self.quiet) for color in (False, True)
        )
        plain, highlighted = (renderer.render((), run) for renderer in renderers)
        number = str(_SOME_STATUS)
        return plain.replace(number, STATUS), highlighted.replace(number, STATUS)

    def _render(self, row: RunOption, result: Result) -> str:
        module, _, name = row.renderer.partition(":")
        options = {"suppressions": True} if row.name == "xml" and self.generate else {}
        renderer: Renderer = getattr(import_module(f"whence.report.{module}"), name)(**options)
        return renderer.render(result.findings, result.run)

    def _error_text(self, result: Result) -> str:
        """The text for standard error; of a clean run without the modules that lay out findings."""
        from whence.report.summary import summary

        run = result.run
        entries = {"none": (), "used": run.suppressed}.get(self.listed, run.suppressions)
        more = result.findings or run.notes or run.dropped or entries or run.leak_summary
        if more or sys.stderr is None or sys.stderr.isatty():
            return self._text(result, sys.stderr)
        return "" if self.quiet else "".join(text for text, _ in summary((), run)) + "\n"

    def _text(self, result: Result, stream: Any) -> str:
        """The text for a file (None) or standard error, where some may have been shown already."""
        renderer = self._renderer(stream)
        run = result.run
        if self.listed == "all":
            run = replace(run, notes=(*run.notes, *self.notes))
        render = renderer.render_rest if stream is not None and self.begun else renderer.render
        text = render(result.findings, run)
        return text + entries(result, self.generate) if self.generate else text

    def _renderer(self, stream: Any) -> TextRenderer:
        from whence.report.text import TextRenderer

        if stream is None:
            return TextRenderer(suppressions=self.listed, quiet=self.quiet)
        return TextRenderer.for_stream(stream, suppressions=self.listed, quiet=self.quiet)


_SOME_STATUS = 1 << 40
"""No program exits with it, and no other number in a clean run's text is likely to be it."""


def entries(result: Result, form: str) -> str:
    """An entry of a suppression file for each finding, to be copied; in our format or Valgrind's."""
    from whence.suppressions import Seen

    if form == "valgrind":
        from whence.suppressions.valgrind_writer import generate
    else:
        from whence.suppressions.native import generate

    made = dict.fromkeys(generate(Seen(finding)) for finding in result.findings)
    return "".join(f"\n{entry}" for entry in made)


def to_descriptors(files: Iterable[str | os.PathLike[str] | None]) -> bool:
    """Whether a report is written to a descriptor that this process has inherited."""
    names = (os.fspath(path or "") for path in files)
    return any(name == STANDARD_OUTPUT or name.startswith(DEVICES) for name in names)


def _try(path: Path) -> None:
    try:
        with open(path, "wb"):
            pass
    except OSError as error:
        raise UserMistake(f"{path}: cannot be written: {error.strerror}") from error


def _write(path: Path, text: str) -> str | None:
    """What went wrong, None for nothing."""
    if str(path) == STANDARD_OUTPUT:
        return _show(text)
    try:
        replace_text(path, text)
    except OSError as error:
        return f"{path}: cannot be written: {error.strerror}"
    return None


def _show(text: str) -> str | None:
    """Writes a report to standard output, after what the program wrote there."""
    try:
        spawn.write_all(1, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        return f"standard output: cannot be written: {error.strerror}"
    return None
