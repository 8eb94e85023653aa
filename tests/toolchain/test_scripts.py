"""The installed commands, where variables of the environment hide the packages of their Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.build

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
HIDING = """
import os, sys
sys.path[:] = [path for path in sys.path if not os.path.isdir(os.path.join(path, "whence"))]
"""


@pytest.mark.parametrize("name", ["whence-cc-python", "whence-c++-python"])
def test_compiling_where_pip_hides_whence(tmp_path: Path, whence_env: dict[str, str], name: str) -> None:
    """As `pip install .` does in the Python that whence is installed in."""
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    (tmp_path / "one.c").write_text(
        "#ifdef __cplusplus\nstatic_assert(true);\n#endif\nint one(void) { return 1; }\n"
    )
    env = {**whence_env, "PYTHONPATH": str(tmp_path)}
    hidden = subprocess.run(
        [sys.executable, "-c", "import whence"], env=env, cwd=tmp_path, capture_output=True
    )
    assert b"ModuleNotFoundError" in hidden.stderr
    language = ["-x", "c++", "-std=c++17"] if "c++" in name else []
    command = [sys.executable, str(SCRIPTS / name), *language, "-c", "one.c", "-o", "one.o"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert b".whence.ir" in (tmp_path / "one.o").read_bytes()
