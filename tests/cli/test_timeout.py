"""``whence run --timeout`` and ``--cache-size``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Done, Whence, is_one_sentence, with_patience
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

STUCK = """
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char *p = malloc(4);
    if (argc > 1)
        p[4] = 0;
    write(1, "stuck\\n", 6);
    for (;;)
        pause();
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def test_status_of_a_timeout(whence: Whence) -> None:
    """As timeout(1); but a finding counts more."""
    program = whence.build(STUCK)

    def limited(*words: str | Path) -> tuple[Done, list[dict[str, Any]], int]:
        (done, found), seconds = with_patience(
            lambda seconds: whence.findings("--timeout", str(seconds), *words),
            lambda ended: ended[0].out != b"",
        )
        return done, found, seconds

    done, found, seconds = limited(program)
    assert (done.status, done.out, found) == (124, b"stuck\n", [])
    assert f"was killed after {seconds} seconds" in done.err
    done, found, _ = limited("--keep-going", program, "err")
    assert (done.status, done.out) == (99, b"stuck\n")
    assert [finding["rule"] for finding in found] == ["heap-buffer-overflow"]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_what_is_no_time(whence: Whence, seconds: str) -> None:
    done = whence.run("--timeout", seconds, "./prog")
    assert done.status == 2 and "Traceback" not in done.err and seconds in done.err


def test_size_of_the_cache(whence: Whence, tmp_path: Path) -> None:
    whence = whence.with_env(WHENCE_CACHE=str(tmp_path / "cache"))
    program = whence.build("int main(void) { return 5; }")
    assert whence.run("--cache-size", "0", program).status == 5
    assert not [path for path in (tmp_path / "cache").glob("*/*") if path.is_file()]
    done = whence.run("--cache-size", "few", program)
    assert done.status == 2 and is_one_sentence(done.err) and "--cache-size: 'few' is no size" in done.err
