"""Third-party sources at fixed versions, through the ordinary clients of the package registries.

Nothing here names a registry: pip, npm and apt use whatever index or mirror the
machine is configured for. Every archive is checked against a pinned SHA-256
and kept in the user's cache directory; none of its code runs during the fetch.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.errors import ToolLimit

DOWNLOAD_TIMEOUT = 600
"""Seconds one registry client may take."""


@dataclass(frozen=True, slots=True)
class Sdist:
    """A source distribution of the Python package index that pip is configured for."""

    name: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} (Python source distribution)"


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package of the registry that npm is configured for."""

    name: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} (npm package)"


def cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Where fetched archives are kept: `whence/sources` below the XDG cache directory."""
    base = environ.get("XDG_CACHE_HOME") or ""
    root = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    return root / "whence" / "sources"


def fetch_sdist(name: str, version: str, sha256: str) -> Path:
    """The archive of a Python source distribution, from the cache or through pip.

    Raises ToolLimit when pip is missing, the index cannot be reached, or the
    archive is not the pinned one.
    """
    cached = cached_archive(f"{name}-{version}", sha256)
    if cached:
        return cached
    with tempfile.TemporaryDirectory(prefix="whence-fetch-") as scratch:
        found = _pip_download(name, version, Path(scratch))
        return store_archive(found, f"{name}-{version}", sha256)


def fetch_npm_package(name: str, version: str, sha256: str) -> Path:
    """The tarball of an npm package, from the cache or through npm; raises ToolLimit as `fetch_sdist`."""
    key = f"npm-{name}-{version}"
    cached = cached_archive(key, sha256)
    if cached:
        return cached
    npm = shutil.which("npm")
    if npm is None:
        raise ToolLimit(f"npm is not installed, so the package {name} {version} cannot be fetched")
    with tempfile.TemporaryDirectory(prefix="whence-fetch-") as scratch:
        command = [npm, "pack", "--silent", "--ignore-scripts", f"{name}@{version}"]
        run_client(command, Path(scratch), f"the npm package {name} {version}")
        return store_archive(_only_file(Path(scratch), name), key, sha256)


def unpack(archive: Path, into: Path, *, keep: str | None = None) -> Path:
    """Extract a tar archive into a fresh directory and return its top directory.

    Modification times are kept: build systems compare them. `keep` restricts
    the extraction to members whose path below the top directory starts with it.
    Raises ToolLimit for an archive that is broken or would write elsewhere.
    """
    into.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(archive) as tar:
            members = [m for m in tar.getmembers() if keep is None or _below(m.name).startswith(keep)]
            _extract(tar, members, into)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ToolLimit(f"{archive} cannot be unpacked: {error}; delete it and try again") from error
    tops = sorted({m.name.split("/", 1)[0] for m in members} - {"pax_global_header", "."})
    return into / tops[0] if len(tops) == 1 else into


def run_client(command: Sequence[str], cwd: Path, what: str, environ: Mapping[str, str] | None = None) -> str:
    """Run a registry client and return what it printed; raises ToolLimit with its last words."""
    try:
        done = subprocess.run(
            command, cwd=cwd, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=DOWNLOAD_TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolLimit(f"{what}: no answer within {DOWNLOAD_TIMEOUT} s, check the network") from None
    except OSError as error:
        raise ToolLimit(f"{what}: {command[0]} cannot be started: {error.strerror}") from error
    if done.returncode:
        raise ToolLimit(f"{what} cannot be fetched: {_last_words(done.stdout)}")
    return done.stdout


def sha256_of(path: Path) -> str:
    """SHA-256 of a file as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_INERT_BACKEND = """\
import os

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8", errors="replace") as file:
        fields = dict(line.rstrip().split(": ", 1) for line in file if ": " in line)
    name = f"{fields['Name'].replace('-', '_')}-{fields['Version']}.dist-info"
    os.mkdir(os.path.join(metadata_directory, name))
    with open(os.path.join(metadata_directory, name, "METADATA"), "w", encoding="utf-8") as file:
        file.write(f"Metadata-Version: 2.1\\nName: {fields['Name']}\\nVersion: {fields['Version']}\\n")
    return name

class __legacy__:
    prepare_metadata_for_build_wheel = staticmethod(prepare_metadata_for_build_wheel)
"""
"""A stand-in for setuptools that reads PKG-INFO. pip wants metadata even of an archive that it
only downloads, and would run the archive's setup.py for it: untrusted, and minutes of work."""


def _pip_download(name: str, version: str, scratch: Path) -> Path:
    backend = scratch / "backend" / "setuptools"
    backend.mkdir(parents=True)
    (backend / "__init__.py").write_text("")
    (backend / "build_meta.py").write_text(_INERT_BACKEND)
    target = scratch / "archives"
    target.mkdir()
    environ = {**os.environ, "PYTHONPATH": str(backend.parent), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation",
        "--use-pep517", "--retries", "2", "--no-binary", name, "--dest", str(target), f"{name}=={version}",
    ]  # fmt: skip
    what = f"the source distribution {name} {version}"
    try:
        run_client(command, scratch, what, environ)
    except ToolLimit as error:
        if "no such option" not in str(error):
            raise
        run_client([word for word in command if word != "--use-pep517"], scratch, what, environ)
    return _only_file(target, name)


def _only_file(directory: Path, name: str) -> Path:
    files = [path for path in directory.iterdir() if path.is_file()]
    if len(files) != 1:
        raise ToolLimit(f"fetching {name} gave {len(files)} files instead of one archive")
    return files[0]


def cached_archive(key: str, sha256: str) -> Path | None:
    """The archive with this checksum under `key`, None when it was never fetched."""
    directory = cache_dir() / key
    if directory.is_dir():
        for path in directory.iterdir():
            if path.is_file() and sha256_of(path) == sha256:
                return path
    return None


def store_archive(found: Path, key: str, sha256: str) -> Path:
    """Copy a checked archive into the cache, in one step so that a reader never sees half of it.

    Raises ToolLimit when it is not the pinned archive or the cache cannot be written.
    """
    actual = sha256_of(found)
    if actual != sha256:
        raise ToolLimit(f"{found.name} has SHA-256 {actual}, expected {sha256}: not the pinned archive")
    directory = cache_dir() / key
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as partial:
            partial.write(found.read_bytes())
        os.replace(partial.name, directory / found.name)
    except OSError as error:
        raise ToolLimit(
            f"{directory} cannot be written ({error.strerror}): set XDG_CACHE_HOME to a writable directory"
        ) from error
    return directory / found.name


def _below(name: str) -> str:
    return name.split("/", 1)[1] if "/" in name else ""


def _extract(tar: tarfile.TarFile, members: list[tarfile.TarInfo], into: Path) -> None:
    if hasattr(tarfile, "data_filter"):
        tar.extractall(into, members, filter="data")
        return
    root = into.resolve()
    for member in members:  # the checks of the "data" filter that matter, for an older Python
        target = (root / member.name).resolve()
        link = (target.parent / member.linkname).resolve() if member.issym() else root
        inside = target.is_relative_to(root) and link.is_relative_to(root)
        if not inside or not (member.isreg() or member.isdir() or member.issym()):
            raise ToolLimit(f"the archive holds {member.name}, which would be written outside {into}")
    tar.extractall(into, members)


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.upper().startswith(("ERROR", "E:", "NPM ERR"))]
    return (errors or lines or ["no message"])[-1]
