"""The disk of the record file is full: findings are printed, and the exit status tells of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

CHILD = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc > 1 && fork() == 0) {
        char *p = malloc(100);
        free(p);
        free(p);
    }
    while (wait(NULL) > 0) continue;
    return 0;
}
"""


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """Room for the first page of a record file."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k,mode=0700", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_finding_of_a_child(tmp_path: Path, whence_env: dict[str, str], full_disk: Path) -> None:
    """The program itself ends with status 0."""
    whence = Whence(tmp_path, whence_env)
    program = whence.build(CHILD)
    whence = whence.with_env(TMPDIR=str(full_disk))
    done, found = whence.findings(program, "fork")
    assert done.status == 99 and found == []
    assert done.err.count("whence: finding: double-free: free at ") == 1
    assert "records are missing" in done.err
    assert json.loads((tmp_path / "findings.json").read_text())["run"]["exit_status"] == 0
    assert whence.run(program).status == 0
    assert whence.run("--error-exitcode", "0", program, "fork").status == 0
