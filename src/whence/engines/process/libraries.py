"""Which shared libraries a program loads, and which of them carry IR."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from whence.errors import WhenceError
from whence.toolchain.carry import CarriedImage, mentions, read_image

_RESOLVED = re.compile(r"^\s+(\S+) => (.*) \(0x[0-9a-f]+\)$")
_SECONDS = 20

INTERPRETER = "/lib64/ld-linux-x86-64.so.2"
"""The dynamic linker of x86-64 GNU/Linux (psABI); a shared library does not name one."""

_DEFINES_DLOPEN = ("libc.so", "libdl.so", "ld-linux")


def linked_libraries(image: CarriedImage, environment: Mapping[str, str]) -> dict[str, str]:
    """The shared libraries that an image is linked to, also indirectly: name asked for -> path.

    The dynamic linker itself is asked, so its search order, LD_LIBRARY_PATH
    of `environment` and run paths are respected; no code of the program runs.
    """
    interpreter = image.interp or (INTERPRETER if image.kind == "shared" else "")
    if not interpreter or not Path(interpreter).is_file():
        return {}
    try:
        done = subprocess.run(
            [interpreter, "--list", str(image.path.resolve())],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    matches = (_RESOLVED.match(line) for line in done.stdout.splitlines())
    return {match[1]: match[2] for match in matches if match}


def carried_libraries(linked: Mapping[str, str]) -> dict[str, CarriedImage]:
    """Of some libraries by name, those that carry IR."""
    found: dict[str, CarriedImage] = {}
    for name, path in linked.items():
        try:
            library = read_image(path)
        except WhenceError:
            continue  # what the dynamic linker takes and we cannot read runs as it is
        if library.modules:
            found[name] = library
    return found


def may_load(paths: Iterable[str | Path]) -> bool:
    """Whether any of these images calls dlopen or dlmopen, so that more libraries may come while it runs."""
    own = [path for path in paths if not Path(path).name.startswith(_DEFINES_DLOPEN)]
    return any(mentions(path, name) for path in own for name in ("dlopen", "dlmopen"))
