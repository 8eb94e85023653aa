"""Probes of configure scripts that the front end rejects and the user's own compiler accepts.

Old scripts ask with ``main() {}``, which a new clang rejects: the answers of ``configure`` then differ from
those with the compiler of the system, in silence. They stay as they are, but the user hears of it, once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from whence.toolchain.clang import Clang

_NAMED = re.compile(rb"error: .* \[-W((?!error)[\w-]+)\]")
_OF_OLD_C = {"implicit-int", "implicit-function-declaration"}
"""A script that asks with one of these asks with the other one, too. ``-std=gnu89`` lets both pass, but other
scripts choose a newer standard behind it."""
_LIMIT = 20
"""Seconds for one answer."""


def tell(clang: Clang, words: Sequence[str], cxx: bool) -> str:
    """A sentence about a probe that the front end has rejected; empty if it was said here, or is untrue."""
    if _is_said():
        return ""
    names = _rejections([*clang.command(cxx), "-fsyntax-only", "-fno-color-diagnostics", *words])
    accepts = names and _accepting(words, cxx)
    if not accepts or _is_said(from_now_on=True):
        return ""
    passed = names | _OF_OLD_C if names & _OF_OLD_C else names
    remedy = " ".join(f"-Wno-error={name}" for name in sorted(passed))
    variable, own = ("CXX", "whence-c++") if cxx else ("CC", "whence-cc")
    return (
        f"a probe of this configure is rejected for {', '.join(sorted(names))} and accepted by {accepts}, "
        f'so its answers may differ; {variable}="{own} {remedy}" asks as {accepts} does'
    )


def _rejections(command: Sequence[str]) -> set[str]:
    """The names of the errors for which the front end rejects a source, if it does for such ones alone."""
    done = _answer(command)
    if done is None or done.returncode == 0:
        return set()
    names = _NAMED.findall(done.stderr)
    others = done.stderr.count(b": error: ") + done.stderr.count(b": fatal error: ") - len(names)
    return set() if others else {name.decode() for name in names}


def _accepting(words: Sequence[str], cxx: bool) -> str:
    """The name of the user's compiler, if there is one and it makes what the probe asks for."""
    for name in ("c++", "g++") if cxx else ("cc", "gcc"):
        path = shutil.which(name)
        if path is not None:
            with tempfile.TemporaryDirectory(prefix="whence-probe-") as folder:
                done = _answer([path, *words, "-o", os.path.join(folder, "made")])
            return name if done is not None and done.returncode == 0 else ""
    return ""


def _answer(command: Sequence[str]) -> subprocess.CompletedProcess[bytes] | None:
    environment = {**os.environ, "LC_ALL": "C"}
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=_LIMIT
        )
    return None


def _is_said(*, from_now_on: bool = False) -> bool:
    """Whether it was said of the scripts of this session in this folder, or nothing can be noted."""
    from whence.errors import WhenceError
    from whence.toolchain.cache import Cache

    key = hashlib.sha256(f"{os.getcwd()}\0{os.getsid(0)}".encode(errors="surrogateescape")).hexdigest()
    cache = Cache.of_user()
    try:
        if cache.find("probes", key) is not None:
            return True
        if from_now_on:
            cache.add("probes", key, b"")
    except (OSError, WhenceError):
        return True
    finally:
        cache.close()
    return False


def show(sentence: str) -> None:
    """On the terminal, too: standard error of a probe goes to config.log."""
    with contextlib.suppress(OSError):
        if os.isatty(2):
            return
        descriptor = os.open("/dev/tty", os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            os.write(descriptor, f"\nwhence-cc: note: {sentence}\n".encode())
        finally:
            os.close(descriptor)
