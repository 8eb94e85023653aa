"""Which shared libraries a program loads, and which of them carry IR."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from whence.errors import WhenceError
from whence.toolchain.carry import CarriedImage, read_image

_RESOLVED = re.compile(r"^\s+(\S+) => (.*) \(0x[0-9a-f]+\)$")
_SECONDS = 20


def carried_libraries(image: CarriedImage, environment: Mapping[str, str]) -> dict[str, CarriedImage]:
    """Libraries that carry IR, by the name they are asked for.

    The dynamic linker itself is asked, so its search order, LD_LIBRARY_PATH
    of `environment` and run paths are respected; no code of the program runs.
    """
    found: dict[str, CarriedImage] = {}
    for name, path in _resolved(image, environment):
        try:
            library = read_image(path)
        except WhenceError:
            continue  # what the dynamic linker takes and we cannot read runs as it is
        if library.modules:
            found[name] = library
    return found


def _resolved(image: CarriedImage, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    if not image.interp or not Path(image.interp).is_file():
        return []
    try:
        done = subprocess.run(
            [image.interp, "--list", str(image.path.resolve())],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [match.groups() for line in done.stdout.splitlines() if (match := _RESOLVED.match(line))]  # type: ignore[misc]
