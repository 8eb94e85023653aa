"""``whence run`` as a process: suppressions, outputs, configuration."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.harness.process import Whence, is_one_sentence

pytestmark = pytest.mark.build

TWO_BUGS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) void known(char *p, int i) { p[i] = 1; }
static __attribute__((noinline)) void fresh(char *p, int i) { p[i] = 2; }
static __attribute__((noinline)) void twice(char *p) { known(p, 10); }

int main(int argc, char **argv) {
    char *volatile p = malloc(10);
    for (int i = 0; i < 5; i++) known(p, 10);
    puts("past the known one");
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "fork")) {
        for (int i = 0; i < 3; i++)
            if (!fork()) {
                for (int d = 3; d < 100; d++) close(d);
                twice(p);
                _exit(0);
            }
        int bad = 0, status;
        while (wait(&status) > 0) bad |= status;
        printf("children: %d\\n", bad);
    }
    if (argc > 1 && !strcmp(argv[1], "fresh")) fresh(p, 11);
    if (argc > 1 && !strcmp(argv[1], "outer")) twice(p);
    puts("at the end");
    free(p);
    return 3;
}
"""
KNOWN = "suppress known\n  rule heap-buffer-overflow\n  frame known source=prog.c\n  frame main\n"


@pytest.fixture(scope="module")
def whence(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path_factory.mktemp("suppressions"), whence_env)
    made.build(TWO_BUGS)
    (made.directory / "known.supp").write_text(KNOWN)
    return made


def test_a_suppressed_finding_does_not_stop_the_program(whence: Whence) -> None:
    done = whence.run("--suppressions", "known.supp", "./prog")
    assert done.status == 3, "the program's own"
    assert done.out.decode().endswith("at the end\n")
    assert done.said.splitlines() == ["suppressed: 1 finding by known.supp:1 (known)"]
    assert "\nwhence: no findings, 1 suppressed; the program exited with status 3; " in done.err


def test_another_finding_stops_it_before_the_faulty_step(whence: Whence) -> None:
    done = whence.run("--suppressions", "known.supp", "./prog", "fresh")
    assert done.status == 99
    assert done.out == b"past the known one\n"
    assert "in fresh" in done.err and "in known" not in done.err
    assert "1 suppressed; the program was stopped at the first" in done.err


def test_a_frame_further_out_tells_findings_apart(whence: Whence) -> None:
    """The same four innermost addresses would be one place; an entry may speak of any frame."""
    for how in ("--halt", "--keep-going"):
        done = whence.run(how, "--suppressions", "known.supp", "./prog", "outer")
        assert done.status == 99
        assert "1 finding (1 heap-buffer-overflow), 1 suppressed" in done.err


def test_children_ask_too(whence: Whence) -> None:
    (whence.directory / "both.supp").write_text("suppress any\n frame known\n")
    done = whence.run("--suppressions", "both.supp", "./prog", "fork")
    assert done.status == 3
    assert b"children: 0\n" in done.out


def test_without_suppressions_it_stops_at_the_first(whence: Whence) -> None:
    assert whence.run("./prog").out == b""


@pytest.mark.parametrize(("form", "begin"), [("whence", "\nsuppress "), ("valgrind", "\n{\n")])
def test_what_is_generated_suppresses(whence: Whence, form: str, begin: str) -> None:
    words = ["--gen-suppressions", "--suppression-format", form, "--xml", "out.xml"]
    done = whence.run("--keep-going", *words, "./prog", "fresh")
    assert done.status == 99
    assert "<suppression>" in (whence.directory / "out.xml").read_text()
    entries = done.err[done.err.index(begin) :]
    (whence.directory / "made.supp").write_text(entries)
    done = whence.run(
        "--suppressions", "made.supp", "--print-suppressions", "none", "--quiet", "./prog", "fresh"
    )
    assert (done.status, done.err) == (3, "")


def test_entries_of_valgrind_and_unused_ones(whence: Whence) -> None:
    entries = (
        "{\n  mine\n  Memcheck:Addr1\n  fun:known\n  obj:*/prog\n}\n"
        "{\n  not\n  Memcheck:Mempool\n  fun:known\n}\n"
        "{\n  idle\n  Memcheck:Free\n  fun:free\n}\n"
    )
    (whence.directory / "v.supp").write_text(entries)
    done = whence.run("--suppressions", "v.supp", "--print-suppressions=all", "./prog")
    assert done.status == 3
    assert done.said.splitlines() == [
        "note: v.supp: 1 entries are not used: no rule is about Memcheck:Mempool",
        "suppressed: 1 finding by v.supp:1 (mine)",
        "suppressed: nothing by v.supp:12 (idle)",
    ]


def test_a_missing_file_is_one_sentence(whence: Whence) -> None:
    done = whence.run("--suppressions", "nix.supp", "./prog")
    assert done.status == 2 and is_one_sentence(done.err) and "nix.supp" in done.err


# ---- outputs ----------------------------------------------------------------------------------------


def test_all_outputs_of_one_run(whence: Whence) -> None:
    names = ("json", "sarif", "junit", "xml", "log")
    options = [word for name in names for word in (f"--{name}", f"all.{name}")]
    done = whence.run(*options, "--suppressions", "known.supp", "./prog", "fresh")
    assert (done.status, done.err) == (99, "")
    read = {name: (whence.directory / f"all.{name}").read_text() for name in names}
    (finding,) = json.loads(read["json"])["findings"]
    results = json.loads(read["sarif"])["runs"][0]["results"]
    assert [len(result.get("suppressions", ())) for result in results] == [0, 1]
    assert results[0]["partialFingerprints"]["whenceFinding/v1"] == finding["key"]
    assert f"[{finding['key']}]" in read["junit"] and "<kind>InvalidWrite</kind>" in read["xml"]
    assert f"<obj>{whence.directory / 'prog'}</obj>" in read["xml"], "not the instrumented copy"
    assert "error[heap-buffer-overflow]" in read["log"]


def test_a_full_disk_loses_no_report(whence: Whence) -> None:
    done = whence.run("--sarif", "/dev/full", "--junit", "good.junit", "--log", "good.log", "./prog")
    assert done.status == 2
    assert "error[heap-buffer-overflow]" in done.err
    last = done.err.splitlines()[-1]
    assert last.startswith("whence: /dev/full: cannot be written: No space left on device;")
    assert "<failure" in (whence.directory / "good.junit").read_text()
    assert "error[" in (whence.directory / "good.log").read_text()


def test_an_output_that_cannot_be_made_is_told_before_the_run(whence: Whence) -> None:
    done = whence.run("--sarif", "no/such/folder.sarif", "./prog")
    assert done.status == 2 and done.out == b"" and is_one_sentence(done.err)


# ---- configuration ----------------------------------------------------------------------------------


def test_a_file_and_the_environment_and_the_command_line(whence: Whence) -> None:
    folder = whence.directory / "project" / "deep"
    folder.mkdir(parents=True, exist_ok=True)
    config = folder.parent / "whence.toml"
    config.write_text('[run]\nsuppressions = ["../known.supp"]\nerror-exitcode = 7\nkeep-going = true\n')
    deep = Whence(folder, whence.env)
    assert deep.run("../../prog", "fresh").status == 7
    environment = deep.with_env(WHENCE_OPTIONS="--error-exitcode 8 --log 'my log'")
    assert environment.run("../../prog", "fresh").status == 8
    assert "1 suppressed" in (folder / "my log").read_text()
    assert environment.run("--error-exitcode", "9", "../../prog", "fresh").status == 9
    assert deep.run("--config", "/dev/null", "../../prog").status == 99
    config.unlink()


def test_a_mistake_in_the_configuration_is_one_sentence(whence: Whence, tmp_path: Path) -> None:
    (tmp_path / "whence.toml").write_text("# mine\n[run]\n\nsupressions = 'x'\n")
    done = whence.run("--config", tmp_path / "whence.toml", "./prog")
    assert done.status == 2 and is_one_sentence(done.err)
    assert re.search(r"whence\.toml:4: unknown key 'supressions' \(did you mean 'suppressions'", done.err)


def test_a_program_whose_launcher_is_killed_says_its_finding_itself(whence: Whence) -> None:
    """Nobody can tell any more whether it is suppressed: the program stops, and the finding is not lost."""
    source = TWO_BUGS.replace("for (int i = 0; i < 5; i++)", 'puts("ready"), fflush(stdout), getchar();')
    whence.build(source, "orphan")
    with whence.start("--suppressions", "known.supp", "./orphan") as started:
        assert started.stdin and started.stdout and started.stderr
        assert started.stdout.readline() == b"ready\n"
        started.kill()
        started.wait()
        started.stdin.write(b"\n")
        started.stdin.flush()
        assert b"finding: heap-buffer-overflow: write of 1 bytes" in started.stderr.read()
        assert started.stdout.read() == b""
