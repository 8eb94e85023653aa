"""Finding the front end: ``WHENCE_CLANG``, then ``PATH``, then the clang inside the ``ziglang`` wheel.

A version probe starts a process, so a small text file caches its answer under
the compiler's path, size and modification time. Each run of ``whence-cc`` pays for
the imports of this module, so it imports only builtins and `os`.
"""

from __future__ import annotations

import os
import sys

from whence.abi import variables
from whence.toolchain import spawn

OLDEST, NEWEST = 16, 22
"""The oldest and newest major versions whose bitcode LLVM here reads and whose options are known."""

NAMES = ("clang", *(f"clang-{major}" for major in range(NEWEST, OLDEST - 1, -1)))
"""The names to search on ``PATH``, in this order."""

TARGET = "x86_64-linux-gnu"


class Clang:
    """One usable front end.

    `path` is the executable, `prefix` the arguments that precede every command
    line, `version` the tuple ``(major, minor, patch)``, `triple` its default
    target and `is_zig` true for the clang of the ``ziglang`` wheel.
    """

    __slots__ = ("is_zig", "path", "prefix", "triple", "version")

    def __init__(
        self, path: str, prefix: tuple[str, ...], version: tuple[int, ...], triple: str, is_zig: bool
    ) -> None:
        self.path = path
        self.prefix = prefix
        self.version = version
        self.triple = triple
        self.is_zig = is_zig

    def command(self, cxx: bool) -> list[str]:
        """The words that start a C (or C++) driver command line."""
        return [self.path, *self.prefix, *(("--driver-mode=g++",) if cxx else ())]

    @property
    def frontend(self) -> str:
        """Its name and version in the headers of modules and the records of links."""
        return f"clang {_dotted(self.version)}"

    def __repr__(self) -> str:
        return f"Clang({self.path!r}, version={self.version}, is_zig={self.is_zig})"


def find_clang() -> Clang:
    """The front end to use; raises `ToolLimit` if there is none of a supported version."""
    wanted = os.environ.get(variables.CLANG, "")
    if wanted:
        return _chosen(wanted)
    rejected = ""
    for path in _on_path():
        found = _examine(path, (), False)
        if found is None:
            continue
        if OLDEST <= found.version[0] <= NEWEST:
            return found
        rejected = rejected or f"{path} is version {_dotted(found.version)}"
    zig = _from_wheel()
    if zig is not None:
        return zig
    raise _limit(
        f"no usable clang: {rejected or 'none is on PATH'} and the ziglang package is not installed; "
        f"install clang {OLDEST} to {NEWEST}, or run 'pip install ziglang', or set {variables.CLANG}"
    )


def _limit(sentence: str) -> Exception:
    from whence.errors import ToolLimit

    return ToolLimit(sentence)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _chosen(wanted: str) -> Clang:
    """The compiler named by ``WHENCE_CLANG``: a path or a name, optionally followed by arguments."""
    words = [wanted] if os.path.exists(wanted) else wanted.split()
    path = _which(words[0]) if words else None
    if path is None:
        raise _limit(
            f"{variables.CLANG} is '{wanted}', which is not an executable file: "
            f"name a clang {OLDEST} to {NEWEST}"
        )
    if os.path.basename(path) == "zig" and len(words) == 1:
        prefix, is_zig = _zig_prefix(path), True
    else:
        prefix, is_zig = tuple(words[1:]), False
    found = _examine(path, prefix, is_zig)
    if found is None:
        raise _limit(f"{variables.CLANG} is '{wanted}', which does not answer --version like a clang")
    if not OLDEST <= found.version[0] <= NEWEST:
        raise _limit(
            f"{variables.CLANG} is '{wanted}', version {_dotted(found.version)}: "
            f"whence needs {OLDEST} to {NEWEST}"
        )
    return found


def _which(name: str) -> str | None:
    if "/" in name:
        return name if _executable(name) else None
    for folder in path_folders():
        path = os.path.join(folder, name)
        if _executable(path):
            return path
    return None


def path_folders() -> list[str]:
    """The folders of ``PATH``."""
    return [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]


def _executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _on_path() -> list[str]:
    """The candidates on ``PATH`` in order, without this wrapper under another name."""
    paths = []
    for name in NAMES:
        path = _which(name)
        if path is not None and not os.path.basename(os.path.realpath(path)).startswith("whence"):
            paths.append(path)
    return paths


def _from_wheel() -> Clang | None:
    for folder in sys.path:
        path = os.path.join(folder or ".", "ziglang", "zig")
        if _executable(path):
            found = _examine(path, _zig_prefix(path), True)
            if found is not None and OLDEST <= found.version[0] <= NEWEST:
                return found
    return None


def _zig_prefix(path: str) -> tuple[str, ...]:
    lib = os.path.join(os.path.dirname(os.path.realpath(path)), "lib")
    return ("clang", f"--target={TARGET}", "-resource-dir", lib)


# ---- the version probe and its cache ----------------------------------------------------------------


def _examine(path: str, prefix: tuple[str, ...], is_zig: bool) -> Clang | None:
    """Version and target of a compiler, from the cache or a probe; None if it is no clang."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    key = f"{os.path.realpath(path)}\t{path}\t{' '.join(prefix)}\t{status.st_size}\t{status.st_mtime_ns}"
    for folder in _cache_folders():
        answer = _cached(folder, key)
        if answer is not None:
            return _parse(path, prefix, answer, is_zig)
    answer = _ask(path, prefix)
    _remember(key, answer)
    return _parse(path, prefix, answer, is_zig)


def _parse(path: str, prefix: tuple[str, ...], answer: str, is_zig: bool) -> Clang | None:
    version, _, triple = answer.partition(" ")
    numbers = tuple(int(part) for part in version.split(".") if part.isdigit())
    return Clang(path, prefix, numbers, triple, is_zig) if numbers else None


def _ask(path: str, prefix: tuple[str, ...]) -> str:
    """``"19.1.7 x86_64-pc-linux-gnu"``, or an empty string when the program is no clang."""
    try:
        text = spawn.output([path, *prefix, "--version"]).decode("utf-8", "replace")
    except OSError:
        return ""
    before, found, after = text.partition("clang version ")
    if not found or "Apple" in before:
        return ""
    numbers = ""
    for char in after:
        if not (char.isdigit() or char == "."):
            break
        numbers += char
    triple = ""
    for line in after.splitlines():
        if line.startswith("Target: "):
            triple = line[8:].strip()
    return f"{numbers.strip('.')} {triple}"


def _cache_folders() -> list[str]:
    """The folders for the answers: the user's cache, else a private folder in the temporary directory."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    temporary = os.environ.get("TMPDIR") or "/tmp"
    return [os.path.join(base, "whence"), os.path.join(temporary, f"whence-{os.getuid()}")]


def _is_private(folder: str) -> bool:
    """Whether no other user can write there; in /tmp the name may be a link of another user."""
    status = os.lstat(folder)
    kind, writable = status.st_mode & 0o170000, status.st_mode & 0o022
    return status.st_uid == os.getuid() and kind == 0o040000 and not writable


def _cache_file(folder: str, key: str) -> str:
    import zlib

    return os.path.join(folder, f"clang-{zlib.crc32(os.fsencode(key)):08x}")


def _cached(folder: str, key: str) -> str | None:
    try:
        file = _cache_file(folder, key)
        if not _is_private(folder):
            return None
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            text = stream.read(65536)
    except (OSError, ValueError):
        return None
    stored, _, answer = text.partition("\n")
    return answer.rstrip("\n") if stored == key else None


def _remember(key: str, answer: str) -> None:
    for folder in _cache_folders():
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if not _is_private(folder):
                continue
            file = _cache_file(folder, key)
            draft = f"{file}.{os.getpid()}"
            with open(draft, "w", encoding="utf-8", errors="surrogateescape") as stream:
                stream.write(f"{key}\n{answer}\n")
            os.replace(draft, file)
            return
        except OSError:
            continue
