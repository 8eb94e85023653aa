"""Reports that go to standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.harness.process import Whence, is_one_sentence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

BUG = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *p = malloc(4);
    puts("said");
    fflush(stdout);
    p[4] = 0;
    return 0;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.mark.parametrize("how", [(), ("--exec",)])
def test_json_behind_what_the_program_wrote(whence: Whence, how: tuple[str, ...]) -> None:
    done = whence.run("--json", "-", *how, whence.build(BUG))
    said, _, document = done.out.partition(b"\n")
    assert said == b"said" and len(json.loads(document)["findings"]) == 1
    assert "heap-buffer-overflow" in done.err
    assert not Path(whence.directory, "-").exists()


def test_text(whence: Whence) -> None:
    done = whence.run("--log", "-", whence.build(BUG))
    assert b"heap-buffer-overflow" in done.out and done.err == ""


def test_two_reports_do_not_mix(whence: Whence) -> None:
    done = whence.run("--json", "-", "--sarif", "-", whence.build(BUG))
    assert done.status != 0 and is_one_sentence(done.err)
    assert "--json and --sarif: only one report can go to standard output (-)" in done.err


def test_standard_output_that_is_full(whence: Whence) -> None:
    full = ("bash", "-c", 'exec "$@" > /dev/full', "bash")
    program = whence.build(BUG.replace('puts("said");', ""))
    done = whence.process("whence.cli.main", "run", "--json", "-", program, prefix=full)
    assert done.status == 2 and "standard output: cannot be written: No space left on device" in done.err
    assert "heap-buffer-overflow" in done.err
