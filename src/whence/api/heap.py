"""Profiles of the heap from Python: ``whence.heap``, which ``whence heap`` calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from whence.api.options import RunOptions
from whence.api.running import StrPath, run_with

if TYPE_CHECKING:
    from typing import Unpack

    from whence.api.run_keywords import RunKeywords
    from whence.engines.result import Result


def heap(
    program: StrPath,
    args: Iterable[StrPath] = (),
    options: RunOptions | None = None,
    **keywords: Unpack[RunKeywords],
) -> Result:
    """Run a program, and say what each of its call paths allocates.

    Program, arguments and keywords are those of `whence.run`, but the program goes on after a finding, and
    nobody looks for leaks, unless the keywords say otherwise. The profile is a document of the result::

        result.run.document(whence.findings.HeapProfile)

    Raises what `whence.run` raises.
    """
    return run_with(program, args, heap_options(options or RunOptions()).merged(dict(keywords)))


def heap_options(options: RunOptions) -> RunOptions:
    """The options of a run that counts, with those that are given."""
    return RunOptions(keep_going=True, leak_check="no", profile_heap=True).merged(options.given)
