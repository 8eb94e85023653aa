"""What the machine lacks is said before anything is built."""

from __future__ import annotations

import shutil

import pytest
from tests import machine_report

pytestmark = pytest.mark.build


def test_this_machine_has_what_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert machine_report.main() == 0
    out, err = capsys.readouterr()
    lines = dict(line.partition(": ")[::2] for line in out.splitlines()[1:])
    assert "Python 3." in out.splitlines()[0] and err == ""
    assert lines["gcc"].startswith("/") and lines["libstdc++.so"].startswith("/")
    assert {*machine_report.NEEDED, *machine_report.OPTIONAL, *machine_report.LIBRARIES} <= lines.keys()


def test_what_is_missing_is_a_sentence_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    which = shutil.which
    absent = ("cmake", "valgrind")
    monkeypatch.setattr(shutil, "which", lambda name: None if name in absent else which(name))
    assert machine_report.main() == 1
    out, err = capsys.readouterr()
    assert err == (
        "make demo and make test cannot run: there is no cmake on PATH: install it (Debian: cmake)\n"
    )
    assert "valgrind: none (nothing is compared with Memcheck)\n" in out
