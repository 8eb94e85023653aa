"""What one run of the soak is: a program, options of ``whence run`` and a fault, drawn from a seed.

Run `i` of seed `s` depends on `s`, `i` and the corpus alone, so it can be
repeated without the runs before it.
"""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass
from pathlib import Path

from tests.harness.expect import FINDING_STATUS, LEVELS, PROGRAMS, Case, Expectation, Run, discover
from tests.soak.faults import KINDS, Fault

EXAMPLES = PROGRAMS.parents[1] / "examples"
LASTING = Path(__file__).resolve().parent / "programs"
"""Programs that run long enough for a fault to meet them in the middle."""

_LEFT_OUT = re.compile(r"block-of-100-megabytes|changed-user")
"""Programs that touch too much memory for many runs at once, or become a user who cannot read the place."""

_EXAMPLES = (
    # file, arguments, standard input, rule, words of the line of the finding
    ("columns.c", ("3",), b"one two\n", "heap-buffer-overflow", "puts(wanted <= count ?"),
    ("session_cache.c", (), b"", "dangling-pointer-dereference", "session->requests++;  /* EXPECT: danglin"),
    ("columns.c", ("2",), b"one two\nthree four five\n", "", ""),
)

_PROCESSES = re.compile(r"fork|daemon|spawn|system|popen")
_REACTS = re.compile(r"signal|SIG[A-Z]|fork|spawn|wait|kill|sleep|thread|poll|select|EINTR|alarm")


@dataclass(frozen=True)
class Options:
    """The drawn words of ``whence run``.

    status: the exit status that stands for findings. matching: `suppressions` hide the program's bug.
    """

    words: tuple[str, ...]
    status: int
    keep_going: bool
    json: bool
    log: bool
    suppressions: str = ""
    matching: bool = False


@dataclass(frozen=True)
class Draw:
    """One run."""

    seed: int
    index: int
    case: Case
    level: str
    options: Options
    fault: Fault

    @property
    def reacts(self) -> bool:
        """Whether the program does something of its own when a signal or a failing call meets it."""
        return bool(_REACTS.search(self.case.path.read_text()))


def corpus() -> list[Case]:
    """All programs that are drawn from, in a fixed order."""
    found = [case for case in discover() if not _LEFT_OUT.search(case.name)]
    return [*found, *discover(LASTING), *map(_example, range(len(_EXAMPLES)))]


def _example(number: int) -> Case:
    name, arguments, stdin, rule, words = _EXAMPLES[number]
    path = EXAMPLES / name
    lines = [n for n, line in enumerate(path.read_text().splitlines(), 1) if rule and words in line]
    expected = tuple(Expectation(rule, line) for line in lines[:1])
    if rule and not expected:
        raise ValueError(f"{path}: no line holds '{words}'")
    run = Run(args=arguments, stdin=stdin)
    return Case(path, "an example", expected, frozenset(), frozenset(), run, frozenset())


def draw(seed: int, index: int, cases: list[Case], kind: str | None = None) -> Draw:
    """Run `index` of a seed; `kind` forces its kind of fault."""
    random_ = random.Random(f"{seed}:{index}")
    lasting = [case for case in cases if case.path.parent == LASTING]
    case = _choose(lasting if lasting and random_.random() < 0.15 else cases, f"{seed}:{index}")
    level = random.Random(f"{seed}:{case.path.name}").choice(LEVELS)  # one for each program: it is built once
    chosen = random_.choices([each for each, _ in KINDS], [weight for _, weight in KINDS])[0]
    options = _options(random_, case)
    if kind is not None:
        chosen = next(each for each, _ in KINDS if each.kind == kind)
    return Draw(seed, index, case, level, options, chosen.draw(random_))


def _choose(cases: list[Case], name: str) -> Case:
    """One of them; a program that is added to the corpus changes only the draws that it wins."""

    def rank(case: Case) -> bytes:
        return hashlib.sha256(f"{name}:{case.path.parent.name}/{case.path.name}".encode()).digest()

    return min(cases, key=rank)


def _options(random_: random.Random, case: Case) -> Options:
    def now_and_then(share: float) -> bool:
        return random_.random() < share

    words = [*case.run.options, "--jobs", random_.choice("12")]
    keep_going = now_and_then(0.3) or "--keep-going" in words
    keep_going &= case.path.parent != EXAMPLES  # after its bug an example may run in a circle
    words += ["--keep-going"] if keep_going else ["--halt"] if now_and_then(0.3) else []
    status = FINDING_STATUS
    if case.run.status is None and now_and_then(0.15):
        status = 77
        words += ["--error-exitcode", "77"]
    json, log = now_and_then(0.85), now_and_then(0.2)
    for form in ("sarif", "junit", "html", "xml"):
        words += [f"--{form}", f"OUTPUTS/report.{form}"] if now_and_then(0.1) else []
    words += ["--json", "OUTPUTS/report.json"] if json else []
    words += ["--log", "OUTPUTS/report.log"] if log else []
    words += ["--trace-children"] if now_and_then(0.2) else []
    words += ["--timeout", "200"] if now_and_then(0.1) else []
    words += ["--gen-suppressions"] if now_and_then(0.1) else []
    words += ["--print-suppressions", "all"] if now_and_then(0.1) else []
    words += ["--cache-size", "20M"] if now_and_then(0.05) else []
    if now_and_then(0.1) and not _PROCESSES.search(case.path.read_text()):
        words += ["--no-wait"]
    suppressions, matching = "", False
    if now_and_then(0.25):
        matching = bool(case.expectations) and now_and_then(0.3)
        rules = sorted({e.rule for e in case.expectations}) if matching else ["*"]
        suppressions = "suppress drawn\n" + "".join(f"    rule {rule}\n" for rule in rules)
        suppressions += "" if matching else "    frame nobody_is_called_so\n"
        words += ["--suppressions", "RUN/known.supp"]
    return Options(tuple(words), status, keep_going, json, log, suppressions, matching)
