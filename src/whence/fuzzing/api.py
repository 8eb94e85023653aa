"""Whence from Python: fuzz a program (`fuzz`)."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence.api.options import RunOptions
from whence.api.running import StrPath, _settings, environment_of, find_program, run_with
from whence.errors import UserMistake, WhenceError
from whence.errors.shortage import shortages
from whence.fuzzing.dictionary import read_dictionaries
from whence.fuzzing.options import FuzzOptions
from whence.fuzzing.results import Found, Fuzzing
from whence.fuzzing.store import Kept, Store
from whence.toolchain.cache import Cache

if TYPE_CHECKING:
    from whence.findings import Finding
    from whence.fuzzing.loop import Loop, New
    from whence.fuzzing.target import Program

DIRECTORY = "whence-fuzz"
_CONFIRM_SECONDS = 20.0
"""Of an ordinary run that shows a finding again, at least."""


def fuzz(
    program: StrPath,
    args: Iterable[StrPath] = (),
    *,
    out: StrPath = DIRECTORY,
    corpus: StrPath | None = None,
    options: FuzzOptions | None = None,
    run: RunOptions | None = None,
    progress: Callable[[Loop], None] = lambda _: None,
) -> Fuzzing:
    """Run a program that whence-cc built on inputs that are made by chance, under all rules.

    args: its arguments; `@@` in them is the name of the input's file, and without one the input comes by
    standard input. out: the directory of findings; a session goes on with what is there. corpus: the
    directory of inputs, by default one in `out`. run: rules and suppressions, as for `whence.run`. It goes on
    until the time or the number of executions of `options` is over, or until Ctrl-C.

    Raises the errors of `whence.errors`.
    """
    from whence.fuzzing.loop import Loop
    from whence.fuzzing.target import Process

    chosen, runs = options or FuzzOptions(), run or RunOptions()
    words = [os.fspath(word) for word in (program, *args)]
    dictionary = read_dictionaries(chosen.dictionaries)
    cache = Cache.of_user(runs["cache_size"])
    temporary = tempfile.TemporaryDirectory(prefix="whence-fuzz-")
    with shortages(), closing(cache), temporary as folder:
        built = _built(words, Path(folder), chosen, runs, cache)
        store = Store(Path(out), None if corpus is None else Path(corpus))
        known = store.findings()
        seeds, notes = store.inputs(chosen.max_size)
        session = _Session(built, words, store, known, runs)
        old = [each.input.read_bytes() for each in known] if chosen.regress else []
        started = iter(range(1 << 62))
        loop = Loop(
            lambda: Process(built, Path(folder) / f"process-{next(started)}"),
            store,
            chosen,
            dictionary,
            [] if chosen.regress else [each.raw for each in known if each.raw],
            progress,
            session.keep,
        )
        with closing(loop):
            stopped = loop.run([*old, *seeds])
        state = loop.state
        found = session.results(ran=chosen.regress and state.seeded)
        return Fuzzing(
            store.directory,
            store.corpus,
            found,
            state.executions,
            state.apart,
            loop.seconds,
            loop.edges,
            len(state.entries),
            state.unstable,
            tuple(sorted(state.cut.items())),
            state.ended,
            stopped,
            (*built.notes, *notes, *state.notes, *session.notes),
        )


def _built(words: list[str], folder: Path, options: FuzzOptions, run: RunOptions, cache: Cache) -> Program:
    from whence.engines.checked import observed_rules
    from whence.engines.progress import NO_PROGRESS
    from whence.engines.protocol import Task
    from whence.fuzzing.target import Program
    from whence.rules.observable import NATIVE

    for word in words:
        if "\0" in word:
            raise UserMistake(f"{word!r}: an argument cannot have a null byte")
    environment = environment_of(run["env"])
    path = find_program(words[0], environment)
    settings = _settings(run, environment)
    rules, checks = observed_rules(settings.rules, NATIVE, cache)
    settings = replace(settings, rules=rules, halt=True, fuzzed=True, locate="never")
    task = Task(path, words, settings, cache, run["progress"] or NO_PROGRESS, leaks="main" in checks.watched)
    milliseconds = max(1, int(options.run_time * 1000))
    return Program.build(task, folder, milliseconds, options.max_memory)


class _Session:
    """The findings of a session and of those before it in the same directory."""

    def __init__(
        self, program: Program, words: list[str], store: Store, known: list[Kept], run: RunOptions
    ) -> None:
        self._program, self._words, self._store, self._run = program, words, store, run
        self._before = {each.key: each for each in known}
        self._kept: dict[str, tuple[Kept, New]] = {}
        self.notes: list[str] = []

    def keep(self, new: New) -> None:
        """Writes a finding, or its input that is shorter now."""
        key = new.finding.key
        kept = self._kept[key][0] if key in self._kept else self._before.get(key)
        if kept is None:
            facts, report = self._facts(new, None, ""), self._report(new.finding)
            kept = self._store.add_finding(new.finding.rule.name, key, new.raw, new.data, facts, report)
        elif kept.size > len(new.data) or kept.raw != new.raw:
            data = new.data if kept.size > len(new.data) else kept.input.read_bytes()
            kept.raw = new.raw
            self._store.update(kept, data, self._facts(new, None, ""), self._report(new.finding))
        self._kept[key] = kept, new

    def results(self, *, ran: bool) -> tuple[Found, ...]:
        """All findings, those of this session confirmed by an ordinary run. ran: so were the inputs of the
        earlier ones."""
        found = [self._found(kept, new) for kept, new in self._kept.values()]
        for key, kept in self._before.items():
            if key not in self._kept:
                command = self._command(kept.input)
                found.append(
                    Found(
                        kept.rule,
                        key,
                        kept.place,
                        kept.input,
                        command,
                        kept.size,
                        doubt=kept.doubt,
                        is_new=False,
                        gone=ran,
                    )
                )
        return tuple(found)

    def _found(self, kept: Kept, new: New) -> Found:
        confirmed, doubt = self._confirm(new.finding, kept.input)
        finding = confirmed or new.finding
        data = kept.input.read_bytes()
        matters = new.matters if data == new.data else None
        self._store.update(kept, data, self._facts(new, matters, doubt), self._report(finding))
        is_new = kept.key not in self._before
        return Found(
            kept.rule,
            kept.key,
            kept.place,
            kept.input,
            self._command(kept.input),
            len(data),
            finding,
            matters,
            confirmed is not None,
            doubt,
            is_new,
            again=not is_new,
        )

    def _confirm(self, finding: Finding, path: Path) -> tuple[Finding | None, str]:
        """The same finding of an ordinary run; or why there is none."""
        seconds = max(_CONFIRM_SECONDS, self._program.milliseconds / 500)
        changed: dict[str, Any] = {"capture_output": True, "timeout": seconds, "keep_going": False}
        if not self._program.by_file:
            changed["stdin"] = path.read_bytes()
        try:
            ran = run_with(self._words[0], self._arguments(path), self._run.merged(changed))
        except WhenceError as error:
            return self._unknown(finding, f"the ordinary run failed: {error}")
        same = next((each for each in ran.findings if each.key == finding.key), None)
        if same is not None:
            return same, ""
        if ran.timed_out:
            return self._unknown(finding, "the ordinary run did not end in its time")
        if ran.findings:
            return None, f"the ordinary run found {ran.findings[0].rule.name} in another place instead"
        return None, "the ordinary run found nothing"

    def _unknown(self, finding: Finding, why: str) -> tuple[None, str]:
        """Nothing speaks against a finding, but nothing for it either."""
        self.notes.append(f"{finding.rule.name} (key {finding.key}) could not be confirmed: {why}")
        return None, ""

    def _arguments(self, path: Path) -> list[str]:
        from whence.fuzzing.target import PLACE

        return [word.replace(PLACE, str(path.absolute())) for word in self._words[1:]]

    def _command(self, path: Path) -> str:
        """What repeats a finding."""
        words = shlex.join(["whence", "run", self._words[0], *self._arguments(path)])
        return words if self._program.by_file else f"{words} < {shlex.quote(str(path.absolute()))}"

    def _facts(self, new: New, matters: tuple[tuple[int, int], ...] | None, doubt: str) -> Mapping[str, Any]:
        return {
            "title": new.finding.rule.title,
            "words": self._words,
            "matters": None if matters is None else [list(each) for each in matters],
            "doubt": doubt or None,
        }

    def _report(self, finding: Finding) -> str:
        from whence.findings import RunInfo
        from whence.report.text import TextRenderer

        return TextRenderer(quiet=True).render([finding], RunInfo(self._words[0]))
