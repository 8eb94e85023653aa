"""`whence machine` at the command line: what it shows, its exit statuses, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whence.cli.main import main

BUGGY = """
global g[8]
fun main() =
  let p = malloc(16) in
  g := p;
  free(p);
  free(*g)
"""
CLEAN = "fun main() = free(malloc(8)); 7"
ENDLESS = "fun f() = f() fun main() = f()"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.calc"
    path.write_text(BUGGY)
    return path


def whence(*words: object) -> int:
    with pytest.raises(SystemExit) as end:
        main(["machine", *map(str, words)])
    code = end.value.code
    assert isinstance(code, int)
    return code


def test_a_run_shows_rule_chain_and_error(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert whence("run", program) == 99
    said = capsys.readouterr().out
    for part in (
        "before step 8: rule double-free holds",
        f"redex: free(&1H+0{{&1G+0[8] @ 7}}) ({program}:7:3)",
        f"block: 1H: size 16, since 1, freed at 5 ({program}:6:3)",
        "written to &1G+0 at 3",
        "error state after 8 steps: bug-double-free",
    ):
        assert part in said


def test_steps_trace_and_origins(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert whence("run", "--steps", "--origins", "--trace", program) == 99
    said = capsys.readouterr().out
    for part in ("    5 FREE", "      H: without 1H", "      f: &1G+0[8] @ 7", "(5, free, &1H+0{gen 1}, 1H)"):
        assert part in said
    assert said.index("7 READ") < said.index("rule double-free holds") < said.index("error state")


def test_the_last_state_is_a_file_to_go_on_from(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert whence("run", "--limit", 5, "--state", program) == 124
    said = capsys.readouterr().out
    assert "stopped after 5 steps" in said
    rest = tmp_path / "rest.calc"
    rest.write_text(said[said.index("global g") :])
    assert whence("run", rest) == 99
    assert "error state after 3 steps: bug-double-free" in capsys.readouterr().out


def test_json(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert whence("run", "--json", "--steps", "--trace", program) == 99
    document = json.loads(capsys.readouterr().out)
    assert (document["format"], document["version"], document["ending"]) == ("whence-machine", 1, "error")
    assert document["error"]["rule"] == "bug-double-free"
    assert document["error"]["announced_by"] == ["double-free"]
    (verdict,) = document["verdicts"]
    assert (verdict["step"], verdict["rule"], verdict["block"]) == (8, "double-free", "1H")
    assert [link["kind"] for link in verdict["values"][0]["chain"]] == ["read", "write", "malloc"]
    assert [step["rule"] for step in document["made"]][:3] == ["CALL", "MALLOC", "LET"]
    assert document["trace"][-1] == "(5, free, &1H+0{gen 1}, 1H)"
    assert document["state"].startswith("global g[8]")


def test_a_clean_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "clean.calc"
    path.write_text(CLEAN)
    assert whence("run", path) == 0
    assert capsys.readouterr().out == "returned 7 after 5 steps\n"


def test_rules_are_switched_and_added(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert whence("run", "--disable", "all", program) == 99
    assert "rule" not in capsys.readouterr().out.split("error state")[0]
    mine = tmp_path / "mine.rules"
    mine.write_text('rule big "big" at malloc n bid when n > 8 trace n')
    assert whence("run", "--rules", mine, program) == 99
    assert "after step 1: rule big holds: big\n    redex: malloc(16)" in capsys.readouterr().out


def test_an_endless_program_meets_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "endless.calc"
    path.write_text(ENDLESS)
    assert whence("run", "--limit", 500, path) == 124
    assert capsys.readouterr().out == "stopped after 500 steps, which is the limit (--limit)\n"


def test_a_state_that_no_program_reaches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stuck.calc"
    path.write_text("state { expression end 1S (0) }")
    assert whence("run", path) == 2
    assert capsys.readouterr().out == "stuck after 0 steps: no rule applies to end 1S (0)\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"fun main() = x", "unknown name 'x'"),
        (b"fun main() = \xff", "not UTF-8"),
        (b"#" * ((1 << 20) + 1), "at most 1048576 bytes"),
        (b"\0", "unexpected character"),
        (None, "cannot read the program"),
    ],
)
def test_bad_input_is_one_sentence(
    content: bytes | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.calc"
    if content is not None:
        path.write_bytes(content)
    assert whence("run", path) == 2
    error = capsys.readouterr().err
    assert error.startswith("whence: ")
    assert said in error
    assert error.count("\n") == 1


def test_origins_go_with_steps(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert whence("run", "--origins", program) == 2
    assert "--origins goes with --steps" in capsys.readouterr().err


def test_the_error_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert whence("errors") == 0
    said = capsys.readouterr().out
    assert "bug-double-free" in said
    assert "[double-free]" in said
    assert "[no rule yet]" in said
