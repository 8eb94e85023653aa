"""Libraries of an installation whose runtime checks itself (``runtime/os/invariant.h``)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from whence.toolchain.native import native_path

VARIABLE = "WHENCE_NATIVE"
BROKEN = "a promise of the runtime is broken"
"""Part of what a runtime says that finds itself wrong."""
_RUNTIME = "libwhence-rt.so"
_BUILD = Path(__file__).resolve().parents[2] / "runtime" / "build.py"


def checking_libraries(folder: Path, runtime: Path | None = None) -> Path:
    """The folder, filled with the libraries; `runtime`: one that was built so, None to build it."""
    shutil.copytree(native_path(_RUNTIME).parent, folder)
    if runtime is None:
        subprocess.run([sys.executable, str(_BUILD), str(folder / _RUNTIME), "--checking"], check=True)
    else:
        shutil.copyfile(runtime, folder / _RUNTIME)
    return folder
