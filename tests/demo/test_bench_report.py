"""Tables and the document of the benchmark, from results made by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

from workloads import corpus, make_inputs, workloads  # noqa: E402

import report as tables  # noqa: E402
from report import Cell, Results  # noqa: E402


@pytest.fixture
def results() -> Results:
    made = Results("2 cores of a model", ["clang 1.2.3"], ["plain", "ASan", "whence"], 3, False)
    plain = Cell(2.0, 2048, 1.0, 1.0)
    made.cells["first"] = {
        "plain": plain,
        "ASan": Cell(4.0, 4096, 2.0, 2.0),
        "whence": Cell(1.0, 1024, 0.5, 0.5),
    }
    made.cells["second"] = {"plain": plain, "ASan": Cell(16.0, 2048, 8.0, 1.0)}
    made.instrumentation = [{"what": "compile", "cpu": 1.26, "wall": 2.0, "memory": 10240}]
    return made


def test_means_are_geometric_and_over_what_ran(results: Results) -> None:
    assert results.mean("ASan", "cpu_ratio") == pytest.approx(4.0)
    assert results.mean("whence", "cpu_ratio") == pytest.approx(0.5)
    document = results.as_json()
    assert document["geometric_means"]["ASan"]["cpu_ratio"] == pytest.approx(4.0)
    assert document["cells"]["first"]["ASan"]["memory"] == 4096


def test_columns_are_aligned(results: Results) -> None:
    lines = tables.text(tables.run_table(results)).splitlines()
    header = "workload plain s ASan CPU whence CPU plain MB ASan memory whence memory"
    assert " ".join(lines[0].split()) == header
    assert lines[2].split() == ["first", "2.00", "2.00x", "0.50x", "2.0", "2.00x", "0.50x"]
    assert lines[3].split() == ["second", "2.00", "8.00x", "-", "2.0", "1.00x", "-"]
    assert lines[4].split() == ["geometric", "mean", "4.00x", "0.50x", "1.41x", "0.50x"]
    assert len({len(line) for line in (lines[0], lines[2], lines[4])}) == 1


def test_a_workload_whose_plain_program_failed_has_no_row(results: Results) -> None:
    results.cells["third"] = {}
    assert [row[0] for row in tables.run_table(results)] == ["workload", "first", "second", "geometric mean"]


def test_plain_cannot_be_left_out() -> None:
    command = [sys.executable, str(BENCH / "run.py"), "--without", "plain"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "argument --without: invalid choice: 'plain' (choose from" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_section_is_replaced_and_the_rest_stays(results: Results, tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    tables.write_section(page, results)
    page.write_text("# Title\n\nbefore\n\n" + page.read_text().split("\n", 2)[2] + "\nafter\n")
    results.notes.append("A note.")
    tables.write_section(page, results)
    text = page.read_text()
    assert text.startswith("# Title\n\nbefore\n\n") and text.endswith("\nafter\n")
    assert text.count(tables.BEGIN) == text.count(tables.END) == 1
    assert "| first | 2.00 | 2.00x |" in text and "A note." in text and "| compile | 1.3 |" in text


def test_inputs_are_the_same_every_time(tmp_path: Path) -> None:
    assert corpus(50_000) == corpus(50_000)
    assert len(corpus(50_000)) == 50_000


def test_every_workload_has_its_input(tmp_path: Path) -> None:
    make_inputs(tmp_path, quick=True)
    for work in workloads(quick=True):
        assert work.stdin is None or (tmp_path / work.stdin).stat().st_size > 0
        for word in work.command(tmp_path):
            assert "{" not in word and (not word.endswith(".lua") or Path(word).is_file())
    assert ":scale" not in (tmp_path / "mixed.sql").read_text()
