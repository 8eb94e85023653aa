"""Who finds what: the corpus under AddressSanitizer and Memcheck.

``python -m tests.harness.peers [--level 0] [--jobs N] [NAME…]`` builds and
runs every program whose name contains a NAME and prints a table. A program is
found by a peer when one of its reports names an expected line of the
program's file; a clean twin is silent when there is no report and the exit
status is the expected one. The exit status is 1 if a comment "ASan misses
this" or "Memcheck reports this" is missing or wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.harness.expect import LEVELS, PROGRAMS, Case, discover
from tests.harness.process import TIMEOUT

ASAN_OPTIONS = "detect_leaks=1:exitcode=66:allocator_may_return_null=1:handle_segv=1:color=never"
_FRAME = re.compile(r"^\s+#\d+ 0x\w+ in .* (\S+?):(\d+)(?::\d+)?$")
_REPORT = re.compile(r"ERROR: AddressSanitizer|Direct leak of|Indirect leak of")


@dataclass(frozen=True)
class Outcome:
    """What a peer said: the lines it named, the exit status, and its own words when it failed."""

    lines: frozenset[int]
    status: int
    text: str

    def verdict(self, case: Case) -> str:
        if case.is_clean:
            return "silent" if not self.lines and self.status == case.expected_status else "REPORTS"
        return "finds" if {e.line for e in case.expectations} <= self.lines else "misses"


def compiler(case: Case) -> str:
    """A clang of the system; raises `SystemExit` with a sentence when there is none."""
    stem = "clang++" if case.is_cxx else "clang"
    for name in (f"{stem}-19", stem, f"{stem}-16"):
        if path := shutil.which(name):
            return path
    raise SystemExit(f"{stem}: not found; install clang to compare with AddressSanitizer")


def build(case: Case, out: Path, flags: tuple[str, ...]) -> None:
    """Compile the program to `out`; raises `SystemExit` with the compiler's words."""
    command = [compiler(case), "-g", "-w", "-fno-omit-frame-pointer", *flags, *case.run.cflags]
    command += [str(case.path), "-o", str(out), *case.run.ldflags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{case.name}: does not compile:\n{done.stderr}")


def run(case: Case, command: list[str], env: dict[str, str]) -> tuple[int, str]:
    """Exit status and standard error of one run; -1 after a time-out."""
    environment = {**os.environ, **dict(case.run.env), **env}
    try:
        done = subprocess.run(
            [*command, *case.run.args],
            input=case.run.stdin,
            capture_output=True,
            env=environment,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return -1, "time-out"
    return done.returncode, done.stderr.decode(errors="replace")


def asan(case: Case, level: str, directory: Path) -> Outcome:
    """AddressSanitizer with LeakSanitizer."""
    program = directory / "asan"
    build(case, program, (level, "-fsanitize=address"))
    status, text = run(case, [str(program)], {"ASAN_OPTIONS": ASAN_OPTIONS})
    return Outcome(frozenset(_asan_lines(case, text)), status, text)


def _asan_lines(case: Case, text: str) -> set[int]:
    """Of each report, the line of the first frame in the program's file."""
    lines, waiting = set(), False
    for line in text.splitlines():
        if _REPORT.search(line):
            waiting = True
        elif waiting and (m := _FRAME.match(line)) and Path(m[1]).name == case.path.name:
            lines.add(int(m[2]))
            waiting = False
    return lines


def memcheck(case: Case, level: str, directory: Path) -> Outcome:
    """Valgrind's Memcheck, addressability and leaks only."""
    program = directory / "memcheck"
    build(case, program, (level, "-gdwarf-4"))
    kinds = {"possible-leak": "all", "interior-leak": "possible", "reachable-leak": "reachable"}.get(
        case.rule, "definite,indirect"
    )
    command = ["valgrind", "-q", "--xml=yes", f"--xml-file={directory}/%p.xml", "--leak-check=full"]
    command += [f"--show-leak-kinds={kinds}", "--undef-value-errors=no", "--child-silent-after-fork=no"]
    status, text = run(case, [*command, str(program)], {})
    lines: set[int] = set()
    for report in directory.glob("*.xml"):
        lines |= _memcheck_lines(case, report.read_text(errors="replace"))
    return Outcome(frozenset(lines), status, text)


def _memcheck_lines(case: Case, xml: str) -> set[int]:
    """Of each error, the line of the first frame in the program's file."""
    lines = set()
    for error in re.findall(r"<error>.*?</error>", xml, re.DOTALL):
        stack = ET.fromstring(error).find("stack")
        for frame in stack if stack is not None else ():
            if frame.findtext("file") == case.path.name:
                lines.add(int(frame.findtext("line") or 0))
                break
    return lines


PEERS: dict[str, Callable[[Case, str, Path], Outcome]] = {"ASan": asan, "Memcheck": memcheck}


def judge(case: Case, level: str) -> dict[str, Outcome]:
    """The outcome of every peer."""
    outcomes = {}
    for name, peer in PEERS.items():
        with tempfile.TemporaryDirectory(prefix="peers-") as directory:
            outcomes[name] = peer(case, level, Path(directory))
    return outcomes


def wrong_comments(case: Case, outcomes: dict[str, Outcome]) -> list[str]:
    """Sentences about comments on peers that are missing or do not tell the truth."""
    sentences = []
    for name, outcome in outcomes.items():
        verdict = outcome.verdict(case)
        if (verdict in ("misses", "REPORTS")) != (name in case.peers_wrong):
            said = f"lines {sorted(outcome.lines)}, status {outcome.status}"
            sentences.append(f"{name} {verdict.lower()} it ({said}), and the comment says otherwise")
    return sentences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--level", choices=[level[2:] for level in LEVELS], default="0")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="show what a peer said unexpectedly")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    level = f"-O{options.level}"
    cases = [c for c in discover() if not options.names or any(n in c.name for n in options.names)]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda c: judge(c, level), cases)
        return report(list(zip(cases, results, strict=True)), level, options.verbose)


def report(results: list[tuple[Case, dict[str, Outcome]]], level: str, verbose: bool) -> int:
    """Print the table; 1 when a comment is wrong (they speak of -O0)."""
    bad = 0
    for case, outcomes in results:
        sentences = wrong_comments(case, outcomes) if level == "-O0" else []
        columns = "".join(f"{o.verdict(case):9}" for o in outcomes.values())
        print(f"{case.name:58} {columns} {'; '.join(sentences)}".rstrip())
        bad += bool(sentences)
        if verbose and sentences:
            print("\n".join(f"    {name}: {o.text.strip()}" for name, o in outcomes.items()))
    for name in PEERS:
        buggy = [(c, o[name]) for c, o in results if not c.is_clean]
        found = sum(o.verdict(c) == "finds" for c, o in buggy)
        print(f"{name} finds {found} of {len(buggy)} buggy programs of {PROGRAMS.name} at {level}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
