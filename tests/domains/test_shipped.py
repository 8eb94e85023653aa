"""The domains that whence ships, which are given by name: secrets, and bytes from outside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

HERE = Path(__file__).resolve().parent
SECRET, TAINT = HERE / "secret.c", HERE / "taint.c"
SECRETS = {"b": "branch", "a": "address", "d": "division", "s": "select", "m": "size", "w": "written"}
LEVELS = ("2", *(pytest.param(each, marks=pytest.mark.slow) for each in ("0", "1", "3", "s")))


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def build(whence: Whence, source: Path, level: str, *flags: str) -> Path:
    program = whence.directory / f"{source.stem}{''.join(flags)}"
    whence.cc("-g", f"-O{level}", "-w", *flags, source, "-o", program)
    return program


def found(whence: Whence, group: str, program: Path, *words: str, stdin: bytes = b"") -> set[tuple[str, int]]:
    options = ("--rules", group, "--enable", "tainted-path", "--keep-going", "--locate", "never")
    options = options if group == "taint" else (*options[:2], *options[4:])
    _, findings = whence.findings(*options, program, *words, stdin=stdin)
    return {(each["rule"], each["stack"][0]["line"]) for each in findings}


def expected(source: Path) -> dict[str, int]:
    lines = enumerate(source.read_text().splitlines(), 1)
    return {match[1]: at for at, line in lines if (match := re.search(r"// expect: (\S+)", line))}


@pytest.mark.parametrize("level", LEVELS)
def test_what_secrets_decide(whence: Whence, level: str) -> None:
    leaky, clean = build(whence, SECRET, level), build(whence, SECRET, level, "-DCLEAN")
    lines = expected(SECRET)
    for case, what in SECRETS.items():
        rule = f"secret-{what}"
        # A choice that is compiled without optimisation is a branch.
        rules = {rule, "secret-branch"} if case == "s" else {rule}
        names = {name for name, line in found(whence, "secret", leaky, case) if line == lines[rule]}
        assert names and names <= rules, case
        assert found(whence, "secret", clean, case) == set(), case


def test_tests_that_have_memory_undefined_speak_of_secrets(whence: Whence) -> None:
    leaky, clean = build(whence, SECRET, "2"), build(whence, SECRET, "2", "-DCLEAN")
    line = expected(SECRET)["secret-branch"]
    assert found(whence, "secret", leaky, "b", "msan") == {("secret-branch", line)}
    for case in SECRETS:
        assert found(whence, "secret", clean, case, "msan") == set(), case


def test_nothing_is_followed_without_a_rule(whence: Whence) -> None:
    program = build(whence, SECRET, "2")
    _, findings = whence.findings("--locate", "never", program, "b")
    assert findings == []


TAINTS = {"s": "size", "i": "index", "f": "format", "p": "path"}


@pytest.mark.parametrize("level", LEVELS)
def test_what_bytes_from_outside_decide(whence: Whence, level: str) -> None:
    """What is compared first is no longer tainted, in the memory that it was loaded from, too."""
    open_, clean = build(whence, TAINT, level), build(whence, TAINT, level, "-DCLEAN")
    lines, stdin = expected(TAINT), b"\x05\0\0\0\x03\0\0\0name"
    for case, what in TAINTS.items():
        wanted = {(f"tainted-{what}", lines[f"tainted-{what}"])}
        assert found(whence, "taint", open_, case, stdin=stdin) == wanted, case
        assert found(whence, "taint", clean, case, stdin=stdin) == set(), case
    wanted = {("tainted-command", lines["tainted-command"])}
    assert found(whence, "taint", open_, "c", stdin=b"true") == wanted
    assert found(whence, "taint", clean, "c", stdin=b"true") == set()


def test_explorations_follow_labels(whence: Whence) -> None:
    """What one path compares with the secret is found, and the paths beyond it as well."""
    source = whence.directory / "explored.c"
    source.write_text(
        "#include <stdio.h>\n"
        "#include <whence/domain.h>\n"
        "int main(void) {\n"
        "    unsigned char key = 3, in[1];\n"
        '    whence_label(&key, 1, "secret");\n'
        "    if (fread(in, 1, 1, stdin) != 1) return 1;\n"
        "    if (in[0] == 'k' && in[0] + 1 == key + 'h') puts(\"same\");\n"
        "    return 0;\n"
        "}\n"
    )
    whence.cc("-g", "-O1", source, "-o", whence.directory / "explored")
    words = ("--rules", "secret", "--sym-stdin", "1", "--out", "paths", "./explored")
    done = whence.process("whence.cli.main", "explore", *words)
    assert done.status == 99 and "secret-branch" in done.err, done.err
