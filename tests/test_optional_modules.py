"""Python is often built without the modules that want a library: pyenv's, where liblzma-dev is missing."""

from __future__ import annotations

import subprocess
import sys

OPTIONAL = ("_lzma", "_bz2", "_ssl", "_sqlite3", "_curses", "_dbm", "_gdbm", "_tkinter", "readline")

PROGRAM = f"""
import importlib, pkgutil, sys
for name in {OPTIONAL}:
    sys.modules[name] = None
import whence
for module in pkgutil.walk_packages(whence.__path__, "whence."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if error.name != "gdb":  # code that runs inside the debugger
            sys.exit(f"{{module.name}}: {{error}}")
"""


def test_no_part_of_whence_wants_them() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
