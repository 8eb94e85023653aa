"""Debian source packages, as root or as an ordinary user, from the mirror apt is configured for.

apt works on a private state directory in the user's cache: nothing of the
system is read except its configuration, or written at all. What is used of a
source package is the upstream archive, without Debian's patches: it stays the
same through the revisions of a package, so its checksum can be pinned.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whence.demo.fetch import cache_dir, cached_archive, run_client, store_archive
from whence.errors import ToolLimit

SYSTEM_SOURCES = Path("/etc/apt")


@dataclass(frozen=True, slots=True)
class DebianSource:
    """The upstream archive `<package>_<upstream>.orig.tar.*` of a Debian source package."""

    package: str
    upstream: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.package} {self.upstream} (Debian source package)"


def fetch_debian_source(package: str, upstream: str, sha256: str) -> Path:
    """The upstream archive of a source package, from the cache or through apt.

    Raises ToolLimit when apt is missing, the mirror cannot be reached, or it
    carries another upstream version.
    """
    key = f"debian-{package}-{upstream}"
    cached = cached_archive(key, sha256)
    if cached:
        return cached
    with tempfile.TemporaryDirectory(prefix="whence-fetch-") as scratch:
        what = f"the Debian source package {package} {upstream}"
        _with_lists(["source", "--download-only", package], Path(scratch), what)
        return store_archive(_orig_archive(Path(scratch), package, upstream), key, sha256)


def fetch_debian_binaries(packages: list[str], into: Path) -> Path:
    """Unpack binary packages (without their dependencies) below `into`, which is returned.

    For tools that a build needs and the machine lacks: no root, nothing
    installed. Raises ToolLimit as `fetch_debian_source`.
    """
    if (into / ".complete").exists():
        return into
    dpkg = _tool("dpkg-deb")
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="whence-fetch-") as scratch:
        what = f"the Debian packages {' '.join(packages)}"
        _with_lists(["download", *packages], Path(scratch), what)
        for archive in sorted(Path(scratch).glob("*.deb")):
            run_client([dpkg, "--extract", str(archive), str(into)], into, f"unpacking {archive.name}")
    (into / ".complete").touch()
    return into


def private_sources(etc: Path = SYSTEM_SOURCES, codename: str | None = None) -> str:
    """The machine's Debian archives as one-line entries for binaries and sources.

    Only the running release and its `-updates` and `-security` suites are
    taken: other vendors' archives need not carry sources. Raises ToolLimit
    when nothing is left.
    """
    release = codename or _codename()
    suites = {release, f"{release}-updates", f"{release}-security", f"{release}/updates"}
    entries: dict[str, None] = {}
    for options, uri, suite, components in _entries(etc):
        if suite in suites:
            entries[f"{options}{uri} {suite} {components}".strip()] = None
    if not entries:
        raise ToolLimit(f"{etc} configures no archive of the release {release!r} for apt")
    return "".join(f"{kind} {entry}\n" for entry in entries for kind in ("deb", "deb-src"))


def _entries(etc: Path) -> Iterator[tuple[str, str, str, str]]:
    """(options, URI, suite, components) of every enabled binary entry below `etc`."""
    parts = etc / "sources.list.d"
    for path in [etc / "sources.list", *sorted(parts.glob("*.list"))]:
        for line in _read(path).splitlines():
            yield from _one_line_entry(line)
    for path in sorted(parts.glob("*.sources")):
        for stanza in _read(path).split("\n\n"):
            yield from _stanza_entries(stanza)


def _one_line_entry(line: str) -> Iterator[tuple[str, str, str, str]]:
    kind, _, rest = line.split("#", 1)[0].strip().partition(" ")
    rest = rest.strip()
    if kind != "deb" or not rest:
        return
    options = ""
    if rest.startswith("["):
        options, _, rest = rest.partition("]")
        options += "] "
    words = rest.split()
    if len(words) >= 3:
        yield options, words[0], words[1], " ".join(words[2:])


def _stanza_entries(stanza: str) -> Iterator[tuple[str, str, str, str]]:
    fields: dict[str, str] = {}
    name = ""
    for line in stanza.splitlines():
        if line.startswith("#"):
            continue
        if line[:1].isspace():
            fields[name] = f"{fields.get(name, '')} {line.strip()}"
        elif ":" in line:
            name, value = line.split(":", 1)
            name = name.strip().lower()
            fields[name] = value.strip()
    if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes").lower() == "no":
        return
    key = fields.get("signed-by", "")
    options = f"[signed-by={key}] " if key.startswith("/") else ""
    for uri in fields.get("uris", "").split():
        for suite in fields.get("suites", "").split():
            yield options, uri, suite, " ".join(fields.get("components", "").split())


def _with_lists(arguments: list[str], cwd: Path, what: str) -> None:
    """Run an apt-get command on private package lists; refresh them once if it fails."""
    apt = _tool("apt-get")
    state = cache_dir().parent / "apt"
    sources = private_sources()
    options = _apt_options(state, sources)
    fresh = False
    if not (state / "lists-complete").exists():
        _update(apt, options, state)
        fresh = True
    try:
        run_client([apt, *options, "--quiet", *arguments], cwd, what)
    except ToolLimit:
        if fresh:
            raise
        _update(apt, options, state)
        run_client([apt, *options, "--quiet", *arguments], cwd, what)


def _update(apt: str, options: list[str], state: Path) -> None:
    run_client([apt, *options, "--quiet", "update"], state, "the package lists of the Debian mirror")
    (state / "lists-complete").touch()


def _apt_options(state: Path, sources: str) -> list[str]:
    try:
        for name in ("state/lists/partial", "cache/archives/partial", "empty", "log"):
            (state / name).mkdir(parents=True, exist_ok=True)
        (state / "sources.list").write_text(sources)
        (state / "status").touch()
    except OSError as error:
        raise ToolLimit(
            f"{state} cannot be written ({error.strerror}): set XDG_CACHE_HOME to a writable directory"
        ) from error
    settings = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": state / "empty",
        "Dir::State": state / "state",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
        "Dir::Log": state / "log",
        "Acquire::Languages": "none",
        "Acquire::Retries": "2",
        "APT::Update::Error-Mode": "any",
        "APT::Get::AllowUnauthenticated": "false",
    }
    if os.geteuid() == 0:
        settings["APT::Sandbox::User"] = "root"
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def _orig_archive(directory: Path, package: str, upstream: str) -> Path:
    found = sorted(directory.glob(f"{package}_*.orig.tar.*"))
    archives = [path for path in found if path.suffix != ".asc"]
    wanted = [path for path in archives if path.name.startswith(f"{package}_{upstream}.orig.tar.")]
    if not wanted:
        have = ", ".join(path.name for path in archives) or "no upstream archive"
        raise ToolLimit(f"the Debian mirror has {have} of {package}, not the upstream version {upstream}")
    return wanted[0]


def _codename() -> str:
    try:
        return platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        return ""


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise ToolLimit(f"{name} is not installed: Debian packages can only be fetched on Debian or Ubuntu")
    return path


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
