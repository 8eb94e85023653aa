"""The package for CMake: tests run under whence where whence compiles, and plainly elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.limits import TIMEOUT
from tests.harness.session import REPOSITORY

import whence
from whence.toolchain import headers

EXAMPLES = REPOSITORY / "examples"


def test_its_version_is_ours() -> None:
    text = (Path(headers.cmake_directory()) / "whence-config-version.cmake").read_text()
    assert f'set(PACKAGE_VERSION "{whence.__version__}")' in text


def _cmake(folder: Path, env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=TIMEOUT)


@pytest.mark.build
@pytest.mark.skipif(not shutil.which("ctest"), reason="CMake is not installed")
def test_example(tmp_path: Path, whence_env: dict[str, str]) -> None:
    shutil.copytree(EXAMPLES / "cmake", tmp_path / "cmake")
    shutil.copy(EXAMPLES / "columns.c", tmp_path)
    project = tmp_path / "cmake"
    with (project / "CMakeLists.txt").open("a") as file:
        file.write(
            "target_link_libraries(columns PRIVATE whence::headers)\n"
            "whence_add_test(NAME third COMMAND sh -c \"echo 'a b' | $<TARGET_FILE:columns> 3\")\n"
            "add_test(NAME target COMMAND columns 1)\n"
        )
    env = {**whence_env, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    place = f"-Dwhence_DIR={headers.cmake_directory()}"
    for preset in ("plain", "whence"):
        made = _cmake(project, env, "cmake", "--preset", preset, place)
        assert made.returncode == 0, made.stderr
        assert ("tests run unchecked" in made.stdout) == (preset == "plain")
        made = _cmake(project, env, "cmake", "--build", "--preset", preset)
        assert made.returncode == 0, made.stdout + made.stderr
    plain = _cmake(project, env, "ctest", "--preset", "plain")
    assert plain.returncode == 0, plain.stdout
    checked = _cmake(project, env, "ctest", "--preset", "whence", "-V")
    assert "75% tests passed, 1 tests failed out of 4" in checked.stdout, checked.stdout
    assert "error[heap-buffer-overflow]" in checked.stdout
    assert checked.stdout.count("whence: no findings") == 3, checked.stdout
