"""The tool, compiled and linked with the core of this machine at its first use, and kept in the cache."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from whence import __version__
from whence.abi.observed import macros
from whence.engines.binary.core import Core
from whence.errors import ToolLimit
from whence.errors.shortage import silent_end
from whence.toolchain.cache import Cache, digest
from whence.toolchain.clang import Clang, find_clang
from whence.toolchain.lacking import linking

KIND = "binary"
FOLDER = Path(__file__).parent / "tool"
NAME = "whence"
"""The core starts a tool by the name ``--tool=`` gives."""
LOG = "core.log"
"""Name of the file for what the core writes, in the folder of the run."""
_BASE = "0x58000000"
"""Where the core wants to lie, away from programs."""
_DEBUGINFO = ("vgModuleLocal_read_debuginfo_dwarf3", "vgModuleLocal_new_dwarf3_reader")
_WRAPPED = (*_DEBUGINFO, "vgPlain_getenv", "sanityCheckIRSB")
"""Functions of the core that the tool replaces."""
_COMPILE = (
    *("-O2", "-fomit-frame-pointer", "-fno-stack-protector", "-fno-strict-aliasing", "-fno-builtin"),
    "-fno-pie",
    *("-DVGA_amd64=1", "-DVGO_linux=1", "-DVGP_amd64_linux=1", "-DVGPV_amd64_linux_vanilla=1"),
)
_SECONDS = 60


def tool(core: Core, cache: Cache) -> Path:
    """The executable; raises `ToolLimit` if it cannot be made or does not run."""
    texts = [path.read_bytes() for path in sorted(FOLDER.glob("*.[ch]"))]
    key = digest(__version__, *texts, repr(macros()), core.identity())
    found = cache.find(KIND, key)
    if found is not None:
        return found
    return cache.make(KIND, key, lambda path: _make(core, path))


def _make(core: Core, path: Path) -> None:
    clang = find_clang()
    with tempfile.TemporaryDirectory(prefix="whence-tool-") as name:
        defined = [f"-D{macro}={value}" for macro, value in macros().items()]
        defined += [f"-DWHENCE_HELPERS={json.dumps(str(core.helpers))}", f'-DWHENCE_LOG="{LOG}"']
        own = ["-fno-sanitize=all"] if clang.is_zig else []
        words = [*clang.command(False), *_COMPILE, *own, *defined, f"-I{core.headers}", "-c"]
        compiled = []
        for source in sorted(FOLDER.glob("*.c")):
            compiled.append(Path(name) / f"{source.stem}.o")
            _run([*words, str(source), "-o", str(compiled[-1])], core, "compile")
        _run(_link(clang, [*compiled, *core.archives], path), core, "link")
    path.chmod(0o755)
    _test(core, path)


def _link(clang: Clang, parts: list[Path], path: Path) -> list[str]:
    """The command that links the tool: by a driver of compilers, or by the wheel's linker itself."""
    command = linking(clang)
    options = ["--build-id=none", *(f"--wrap={each}" for each in _WRAPPED), "-u", "_start"]
    if command[-1] == "-nostdlib":
        options.append(f"-Ttext-segment={_BASE}")
        options = ["-no-pie", *(word for each in options for word in ("-Xlinker", each))]
    else:
        options.append(f"--image-base={_BASE}")
    return [*command, "-static", *options, *map(str, parts), "-o", str(path)]


def _run(command: list[str], core: Core, what: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        reason = (lines or done.stderr.strip().splitlines() or [silent_end(done.returncode)])[0]
        place = f"Valgrind's core in {core.libraries}"
        raise ToolLimit(f"engine binary cannot {what} its tool with {place}: {reason}")


def _test(core: Core, path: Path) -> None:
    """Raises `ToolLimit` unless the tool executes the smallest program there is."""
    try:
        done = subprocess.run(
            [str(path), f"--tool={NAME}", "-q", "/bin/true"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
        status, said = done.returncode, done.stderr.strip().splitlines()
    except subprocess.TimeoutExpired:
        status, said = 1, [f"no end after {_SECONDS} seconds"]
    if status or said:
        reason = said[-1] if said else silent_end(status)
        raise ToolLimit(f"Valgrind's core in {core.libraries} does not work with engine binary: {reason}")
