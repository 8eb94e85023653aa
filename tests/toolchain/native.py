"""The two forms of whence-cc side by side, with a front end of their own.

It is a script that notes its words, so that what is compared is what the wrapper starts, adds and says.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from whence.toolchain import driver, options

FRONT_END = r"""#!/bin/sh
target="Target: x86_64-unknown-linux-gnu"
case " $* " in *" --version "*) echo "clang version 22.1.8"; echo "$target"; exit;; esac
case " $* " in *" -emit-llvm "*) kind=ir;; *) kind=native;; esac
log=$LOG.$kind
case "$kind $*" in "ir "*" b.cc") log=$log.second;; esac  # sources are compiled to IR at the same time
printf '%s\n' "$@" "headers $C_INCLUDE_PATH" "dependencies $DEPENDENCIES_OUTPUT" > "$log"
if [ -n "$AS_NATIVE" ] && [ $kind = native ]; then eval "$AS_NATIVE"; fi
if [ -n "$AS_IR" ] && [ $kind = ir ]; then eval "$AS_IR"; fi
case " $* " in *" -x ir "*) sed s/llvm.coro./llvm.done./; exit;; esac
[ $kind = ir ] && exec cat "$BITCODE"
output=$(basename "$SOURCE"); output=${output%.*}.o
case " $* " in *" -c "*) ;; *) output=a.out;; esac
while [ $# -gt 0 ]; do [ "$1" = -o ] && output=$2; shift; done
exec cp "$OBJECT" "$output"
"""


@dataclass
class Bench:
    """The two commands, and a front end that writes down how it was started."""

    folder: Path
    bin: Path
    env: dict[str, str]

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def native(self, *words: str, cxx: bool = False) -> list[str]:
        return [str(self.bin / ("whence-c++" if cxx else "whence-cc")), *words]

    def python(self, *words: str, cxx: bool = False) -> list[str]:
        return [sys.executable, "-m", "whence.cli.cc", "c++" if cxx else "cc", *words]

    def run(self, command: list[str], **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.env | env, capture_output=True, text=True, errors="replace"
        )

    @property
    def started(self) -> int:
        """How often Python was started for a native command."""
        log = self.folder / "python.log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def seen(self) -> dict[str, str]:
        """What the front end noted since the last call."""
        logs = sorted(self.folder.glob("log.*"))
        found = {path.name: path.read_text(errors="replace") for path in logs}
        for path in logs:
            path.unlink()
        return found

    def result(self, command: list[str], output: str, **env: str) -> tuple[object, ...]:
        """All that a command does: status, texts, what it started, the object (a name in the folder)."""
        assert "/" not in output
        made = self.folder / output
        if made.is_file():
            made.unlink()
        done = self.run(command, **env)
        data = made.read_bytes() if made.is_file() else None
        seen = self.seen()
        # The compilation to IR is given up, at whatever it does, when the other fails.
        return done.returncode, done.stdout, done.stderr, seen if done.returncode == 0 else {}, data


LEFT = {"LEFT_TO_PYTHON": "yes"}
"""The environment in which a command that is left to Python ends at once, with status 77."""


def known_options() -> list[str]:
    """Every option that the tables name, in the forms that they know."""
    found = {*options.ELSEWHERE, *options.IR_DROP, *options.GCC_WORDS, *options.LTO, *driver.FIXED}
    found |= {*driver.SHARED, *driver.PRECOMPILED, *options.ELSEWHERE_PREFIXES, *options.IR_DROP_PREFIXES}
    for family, names in (("f", options.GCC_F), ("m", options.GCC_M), ("f", options.GCC_ONLY_NEGATED)):
        found |= {
            f"-{family}{no}{name}{value}" for name in names for no in ("", "no-") for value in ("", "=x")
        }
    found |= {f"-f{no}{name}x" for name in options.GCC_F_PREFIXES for no in ("", "no-")}
    found |= {f"-mno-{name}" for name in options.GCC_NO_M} | {f"-m{name}" for name in options.GCC_NO_M}
    found |= {f"{prefix}x" for prefix in (*options.IR_DROP_PREFIXES, *options.GCC_PREFIXES)}
    return sorted(found - options.SEPARATE - {"-O", "-cc1"})
