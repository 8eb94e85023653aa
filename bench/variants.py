"""The ways a program is built and run: plain, under AddressSanitizer, under whence, under Memcheck."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whence.abi import records, variables
from whence.demo.build import Compiler, whence_compiler, whence_run
from whence.errors import ToolLimit

ASAN_OPTIONS = "detect_leaks=0"
"""The leak search at exit is not what is compared."""

ADDRESSES = "addresses"
"""The column of whence without undefined values: it looks for what AddressSanitizer does."""

COMPARED = ("ASan", "whence", ADDRESSES, "MSan", "Memcheck", "binary")
"""The variants that are compared with plain."""

_VALUES = "use-of-uninitialized-value"
"""The rule that finds what MemorySanitizer does."""

_PROBE = "#include <stdlib.h>\nint main(void) { free(malloc(1)); return 0; }\n"


@dataclass(frozen=True, slots=True)
class Variant:
    """How one column of the table is made. `build` names the directory of its builds; `rules` are those
    that whence has switched on beside its usual ones, `without` those that are off; `chains`: whether it
    follows values from the start."""

    name: str
    compiler: Compiler
    build: str
    prefix: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    instrumented: bool = False
    rules: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    chains: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """A command that can be timed: for whence the instrumented image, started without the launcher."""

    command: list[str]
    environ: dict[str, str]
    record: Path | None = None

    def refresh(self) -> None:
        """An empty record file for the next run under whence."""
        if self.record is not None:
            with self.record.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, records.HEADER_SIZE)
                file.truncate(records.FILE_SIZE)


def find_clang() -> tuple[str, bool]:
    """The newest clang of the machine that links AddressSanitizer, else the newest; and whether it does.

    Raises ToolLimit where there is none.
    """
    found = [shutil.which(name) for name in ("clang", *(f"clang-{n}" for n in range(30, 15, -1)))]
    clangs = list(dict.fromkeys(filter(None, [os.environ.get("WHENCE_CLANG"), *found])))
    if not clangs:
        raise ToolLimit("no clang is installed: the benchmark compares with clang's AddressSanitizer")
    for clang in sorted(clangs, key=_version, reverse=True):
        if _links(clang, "address"):
            return clang, True
    return clangs[0], False


def clang_version(clang: str) -> str:
    """As in ``19.1.7``, with the name of the compiler."""
    return f"clang {'.'.join(map(str, _version(clang)))}"


def variants(
    memcheck: bool, rules: Sequence[str], *, chains: bool = False
) -> tuple[list[Variant], list[str]]:
    """The columns, plain first, and notes about what is missing on this machine.

    rules: those that a further column of whence has on, too; none: no such column. chains: whether a
    further column has chains tracked from the start.
    """
    notes = []
    clang, asan = find_clang()
    columns = [Variant("plain", _compiler("plain", clang, "-O2"), "plain")]
    if asan:
        sanitize = "-fsanitize=address"
        compiler = _compiler("asan", f"{clang} {sanitize}", "-O2 -g", sanitize)
        columns.append(Variant("ASan", compiler, "asan", environ={"ASAN_OPTIONS": ASAN_OPTIONS}))
    else:
        notes.append(f"{clang} has no AddressSanitizer runtime (libclang-rt-…-dev): no comparison with it")
    whence = Variant("whence", whence_compiler("-O2 -g"), "whence", instrumented=True)
    columns.append(whence)
    columns.append(replace(whence, name=ADDRESSES, without=(_VALUES,)))
    notes.append(f"{ADDRESSES} is whence without {_VALUES}")
    if rules:
        columns.append(replace(whence, name="whence+", rules=tuple(rules)))
        notes.append(f"whence+ is whence with {', '.join(rules)}")
    if chains:
        columns.append(replace(whence, name="chains", chains=True))
        notes.append("chains is whence with --locate always")
    if _links(clang, "memory"):
        sanitize = "-fsanitize=memory -fsanitize-memory-track-origins"
        columns.append(Variant("MSan", _compiler("msan", f"{clang} {sanitize}", "-O2 -g", sanitize), "msan"))
        notes.append(f"MSan: {sanitize}")
    else:
        notes.append(f"{clang} has no MemorySanitizer runtime: no comparison with it")
    valgrind = shutil.which("valgrind")
    if memcheck and valgrind:
        prefix = (valgrind, "-q", "--tool=memcheck", "--leak-check=no")
        columns.append(Variant("Memcheck", columns[0].compiler, "plain", prefix=prefix))
        own = (*whence_run(), "--no-progress", "--engine", "binary", "--leak-check", "no")
        columns.append(Variant("binary", columns[0].compiler, "plain", prefix=own))
        notes.append("binary is the plain program under whence run --engine binary, with whence's own start")
    elif memcheck:
        notes.append("valgrind is not installed: no comparison with Memcheck")
    return columns, notes


def _compiler(name: str, clang: str, flags: str, link_flags: str = "") -> Compiler:
    return Compiler(name, clang, flags, link_flags, f"{clang} --driver-mode=g++")


def prepare(
    variant: Variant, program: Path, arguments: Sequence[str], stdin: Path, scratch: Path
) -> Prepared:
    """The command of a variant; under whence the program is run once first, and must be clean.

    Raises ToolLimit if whence cannot run it or finds something.
    """
    environ = {**os.environ, **variant.environ}
    if not variant.instrumented:
        return Prepared([*variant.prefix, str(program), *arguments], environ)
    document = scratch / "findings.json"
    document.unlink(missing_ok=True)
    options = [*rule_options(variant), "--locate", "always" if variant.chains else "never"]
    options += ["--tier", "full", "--no-progress", "--json", str(document)]
    command = [*whence_run(), *options, str(program), *arguments]
    with stdin.open("rb") as source, (scratch / "first-run.out").open("wb") as sink:
        done = subprocess.run(command, stdin=source, stdout=sink, stderr=subprocess.PIPE, check=False)
    words = done.stderr.decode(errors="replace").strip()
    try:
        result = json.loads(document.read_text())
    except (OSError, ValueError):
        raise ToolLimit(f"whence run {program.name} gave no result: {words[-600:]}") from None
    if result["findings"]:
        raise ToolLimit(f"whence reports findings in {program.name}:\n{words[-3000:]}")
    record = Path(tempfile.mkstemp(prefix="record-", dir=scratch)[1])
    environ[variables.RECORD] = str(record)
    if variant.chains:
        environ[variables.OPTIONS] = "origins=1"
    return Prepared([result["run"]["image"], *arguments], environ, record)


def rule_options(variant: Variant) -> list[str]:
    """The options of `whence run` for the rules of a variant."""
    on = [word for rule in variant.rules for word in ("--enable", rule)]
    return on + [word for rule in variant.without for word in ("--disable", rule)]


def whence_front_end() -> str:
    """What whence itself compiles with, for the report."""
    import llvmlite.binding as llvm

    major = ".".join(map(str, llvm.llvm_version_info))
    return f"whence (LLVM {major}, Python {sys.version_info.major}.{sys.version_info.minor})"


def _version(clang: str) -> tuple[int, ...]:
    try:
        text = subprocess.run([clang, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return (0,)
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", text)
    return tuple(map(int, match.groups())) if match else (0,)


def _links(clang: str, sanitizer: str) -> bool:
    """Whether a clang has the runtime of a sanitizer, and what it links runs."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "probe.c"
        source.write_text(_PROBE)
        command = [clang, f"-fsanitize={sanitizer}", str(source), "-o", str(source.with_suffix(""))]
        built = subprocess.run(command, capture_output=True, check=False).returncode == 0
        return (
            built
            and subprocess.run([source.with_suffix("")], capture_output=True, check=False).returncode == 0
        )
