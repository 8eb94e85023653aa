"""The self-test: a tiny program with a bug, and its twin without, built and run as a user would."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from whence.api.building import build
from whence.doctor.model import Check, Status
from whence.errors import ExitCode, WhenceError

GROUP = "self-test"
RULE = "heap-buffer-overflow"
AS_IT_IS = "program as it is"
"""The name of the check of a program that was built elsewhere, where none can be built."""
_UNCHANGED = "/bin/true"
_SECONDS = 120

_SOURCE = """\
#include <stdlib.h>
#include <string.h>
static void fill(char *text, size_t size) { memset(text, 'x', size); }
int main(int argc, char **argv) {
    (void)argv;
    char *text = malloc(16);
    if (!text)
        return 1;
    fill(text, 16 + (argc > 1));
    free(text);
    return 0;
}
"""


def checks() -> Iterator[Check]:
    """Building; then the program that errs, and the same program when it does not."""
    with tempfile.TemporaryDirectory(prefix="whence-doctor-") as folder:
        source = Path(folder) / "trial.c"
        source.write_text(_SOURCE)
        begun = time.monotonic()
        try:
            program = build(source, flags="-O1", timeout=_SECONDS)
        except WhenceError as error:
            yield Check(GROUP, "build", "fails", Status.PROBLEM, f"a small C program is not built: {error}")
            yield _trial(Path(_UNCHANGED), AS_IT_IS, ())
            return
        yield Check(GROUP, "build", f"{time.monotonic() - begun:.1f} s")
        yield _trial(program.path, "clean program", ())
        yield _trial(program.path, "buggy program", (RULE,))


def _trial(program: Path, name: str, expected: tuple[str, ...]) -> Check:
    """Run the program; without `expected` findings it must end in order."""
    from whence.api.running import run

    begun = time.monotonic()
    try:
        words = ["buggy"] if expected else []
        result = run(program, words, capture_output=True, timeout=_SECONDS, jobs=1)
    except WhenceError as error:
        return Check(GROUP, name, "does not run", Status.PROBLEM, f"a small C program is not run: {error}")
    found = tuple(finding.rule.name for finding in result.findings)
    if found == expected and (expected or result.exit_status == 0):
        said = f"reports {RULE}" if expected else "reports nothing"
        return Check(GROUP, name, f"{said}, {time.monotonic() - begun:.1f} s")
    words_of_runtime = (result.stderr or b"").decode(errors="replace").strip().splitlines()
    if result.exit_status == ExitCode.LIMIT and words_of_runtime:
        sentence = words_of_runtime[0].removeprefix("whence: ")
        return Check(GROUP, name, "does not run", Status.PROBLEM, f"a small C program is not run: {sentence}")
    ending = f"signal {result.signal}" if result.signal else f"exit status {result.exit_status}"
    why = "; ".join([ending, *words_of_runtime[:1], *result.notes[:1]])
    remedy = f"findings cannot be trusted here: expected {_list(expected)}, found {_list(found)} ({why})"
    return Check(GROUP, name, "wrong", Status.PROBLEM, remedy)


def _list(rules: tuple[str, ...]) -> str:
    return ", ".join(rules) or "nothing"
