"""The command line of the compiler wrapper, to start it or to pass it to a build system."""

from __future__ import annotations

import os
import sys
import sysconfig


def wrapper_command(cxx: bool = False) -> list[str]:
    """The words that start ``whence-cc`` (or ``whence-c++``): the one installed with this Python.

    Without an installation, the words run this package as a module.
    """
    script = os.path.join(sysconfig.get_path("scripts"), "whence-c++" if cxx else "whence-cc")
    if os.access(script, os.X_OK):
        return [script]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    python = ["/usr/bin/env", f"PYTHONPATH={root}", sys.executable or "python3"]
    return [*python, "-m", "whence.cli.cc", "c++" if cxx else "cc"]
