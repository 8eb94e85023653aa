"""Programs, built by whence-cc, on inputs that nobody wrote: each buggy one has a twin that is not."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT

import whence
from whence.errors import UserMistake
from whence.fuzzing.dictionary import read_dictionaries

PROGRAMS = Path(__file__).parent / "programs"
pytestmark = pytest.mark.build

COMMAND = [sys.executable, "-m", "whence.cli.main"]


def wrapped(words, env, **more):
    return subprocess.run(words, env=env, capture_output=True, timeout=TIMEOUT, **more)


def build(name, folder, env, *flags):
    source, program = PROGRAMS / f"{name}.c", folder / name
    words = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", "-w", *flags, "-o", program, source]
    done = wrapped(words, env)
    assert done.returncode == 0, done.stderr
    return program


def fuzz(program, folder, env, *options, arguments=(), status=None):
    """The summary, and what the command wrote."""
    words = [*COMMAND, "fuzz", "--no-progress", "--out", folder / "out", "--json", folder / "summary"]
    done = wrapped([*words, *options, program, *arguments], env, cwd=folder)
    text = done.stderr.decode()
    assert done.returncode in ((0, 99) if status is None else (status,)), text
    summary = json.loads((folder / "summary").read_text()) if (folder / "summary").exists() else {}
    return summary, text


FOUND = [
    ("neighbour", "-DLAST=16", "-DLAST=15", "stack-buffer-overflow"),
    ("undefined", "-DSTART=", "-DSTART==0", "use-of-uninitialized-value"),
    ("leak", "-DFREES=0", "-DFREES=1", "definite-leak"),
    ("magic", "-DLENGTH=8", "-DLENGTH=7", "heap-buffer-overflow"),
]


@pytest.mark.parametrize(("name", "buggy", "clean", "rule"), FOUND, ids=[each[0] for each in FOUND])
def test_a_bug_is_found_and_its_twin_is_not(name, buggy, clean, rule, whence_env, tmp_path):
    program = build(name, tmp_path, whence_env, "-O1", buggy)
    summary, text = fuzz(program, tmp_path, whence_env, "--runs", "60000", "--enable", rule, status=99)
    [found] = summary["found"]
    assert found["rule"] == rule and found["confirmed"] and found["new"], text
    again = wrapped(
        [*COMMAND, "run", "--enable", rule, program], whence_env, input=Path(found["input"]).read_bytes()
    )
    assert again.returncode == 99 and rule in again.stderr.decode()

    shutil.rmtree(tmp_path / "out")
    program = build(name, tmp_path, whence_env, "-O1", clean)
    summary, text = fuzz(program, tmp_path, whence_env, "--runs", "8000", "--enable", rule, status=0)
    assert summary["found"] == [] and summary["executions"], text


def test_an_input_is_as_short_as_it_can_be(whence_env, tmp_path):
    program = build("magic", tmp_path, whence_env, "-O1", "-DLENGTH=8")
    summary, _ = fuzz(program, tmp_path, whence_env, "--runs", "60000", status=99)
    [found] = summary["found"]
    data = Path(found["input"]).read_bytes()
    assert data == b"\xbe\xba\xfe\xcaMAGIC\x15\xcd\x5b\x07" and found["matters"] == [[0, 12]]


def test_an_input_in_a_file(whence_env, tmp_path):
    program = build("magic", tmp_path, whence_env, "-O1", "-DLENGTH=8")
    summary, text = fuzz(program, tmp_path, whence_env, "--runs", "60000", arguments=["@@"], status=99)
    [found] = summary["found"]
    assert found["confirmed"] and found["command"].endswith("/input"), text
    assert (
        wrapped(["sh", "-c", found["command"].replace("whence", " ".join(COMMAND), 1)], whence_env).returncode
        == 99
    )


def test_one_seed_gives_one_session(whence_env, tmp_path):
    program = build("magic", tmp_path, whence_env, "-O1", "-DLENGTH=8")
    sessions = []
    for _ in range(2):
        summary, _ = fuzz(program, tmp_path, whence_env, "--runs", "3000", "--seed", "9")
        sessions.append(
            (summary["executions"], summary["edges"], sorted(os.listdir(tmp_path / "out/corpus")))
        )
        shutil.rmtree(tmp_path / "out")
    assert sessions[0] == sessions[1]


def test_a_session_goes_on_and_regressions_are_told(whence_env, tmp_path):
    program = build("magic", tmp_path, whence_env, "-O1", "-DLENGTH=8")
    first, _ = fuzz(program, tmp_path, whence_env, "--runs", "60000", status=99)
    inputs = set(os.listdir(tmp_path / "out/corpus"))
    again, _ = fuzz(program, tmp_path, whence_env, "--runs", "500", "--regress", status=99)
    [found] = again["found"]
    assert found["key"] == first["found"][0]["key"] and found["again"] and not found["new"]
    assert inputs <= set(os.listdir(tmp_path / "out/corpus"))

    program = build("magic", tmp_path, whence_env, "-O1", "-DLENGTH=7")
    mended, text = fuzz(program, tmp_path, whence_env, "--runs", "500", "--regress", status=0)
    [found] = mended["found"]
    assert found["gone"] and "shows it no longer" in text


def test_a_killed_session_loses_nothing(whence_env, tmp_path):
    program = build("magic", tmp_path, whence_env, "-O1", "-DLENGTH=8")
    words = [*COMMAND, "fuzz", "--no-progress", "--out", tmp_path / "out", program]
    running = subprocess.Popen(words, env=whence_env, stderr=subprocess.DEVNULL)
    end = time.monotonic() + TIMEOUT
    while not list((tmp_path / "out").glob("findings/[!.]*/finding.json")) and time.monotonic() < end:
        assert running.poll() is None
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    inputs = sorted((tmp_path / "out/corpus").iterdir())
    summary, _ = fuzz(program, tmp_path, whence_env, "--runs", "300", status=99)
    assert summary["found"] and summary["inputs"] >= 1
    assert all(each.exists() for each in inputs)


@pytest.mark.parametrize("flags", [(), ("-fsanitize=fuzzer",)], ids=["plain", "fuzzer"])
def test_a_harness_of_libfuzzer(flags, whence_env, tmp_path):
    """Without the flag its link lacks `main`, so the harness gets the one of whence."""
    from whence.toolchain.headers import harness_library

    more = flags or ("-Wl,--no-as-needed", harness_library())
    program = build("harness", tmp_path, whence_env, "-O1", "-DLAST=size-size-1", *more)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    program = build("harness", tmp_path, whence_env, "-O1", "-DLAST=(0)", *more)
    summary, text = fuzz(program, tmp_path, whence_env, "--runs", "100000", status=99)
    [found] = summary["found"]
    assert found["rule"] == "heap-buffer-overflow" and found["confirmed"] and found["size"] == 4, text
    again = wrapped([*COMMAND, "run", program, found["input"]], whence_env)
    assert again.returncode == 99
    shutil.rmtree(tmp_path / "out")
    program = build("harness", tmp_path, whence_env, "-O1", "-DLAST=1", *more)
    summary, text = fuzz(program, tmp_path, whence_env, "--runs", "20000", status=0)
    assert summary["found"] == [], text


def hostile(letters, env, folder, *options):
    program = build("hostile", folder, env, "-O1", "-pthread")
    (folder / "seeds").mkdir()
    for letter in letters:
        (folder / "seeds" / letter).write_text(letter)
    return fuzz(program, folder, env, "--corpus", folder / "seeds", "--runs", "40", *options)


def test_an_execution_that_hangs(whence_env, tmp_path):
    summary, text = hostile(
        "ah", whence_env, tmp_path, "--run-time", "0.3", "--max-time", "6", "--max-size", "1"
    )
    assert summary["cut"]["time limit"] and "did not end in time" in text
    assert b"h" in {each.read_bytes()[:1] for each in (tmp_path / "out/cut").iterdir()}


def test_an_execution_that_eats_memory(whence_env, tmp_path):
    options = ("--run-time", "20", "--max-memory", "200M", "--max-time", "6", "--max-size", "1")
    summary, text = hostile("am", whence_env, tmp_path, *options)
    assert summary["cut"]["memory limit"] and "too much memory" in text


@pytest.mark.parametrize("letter", ["f", "t"])
def test_processes_and_threads_have_processes_of_their_own(letter, whence_env, tmp_path):
    summary, text = hostile(letter, whence_env, tmp_path, "--max-size", "1", "--run-time", "5")
    assert summary["apart"] >= 1 and not summary["found"], text


def test_an_execution_that_kills_itself(whence_env, tmp_path):
    summary, text = hostile("k", whence_env, tmp_path, "--max-size", "1", "--run-time", "5")
    assert summary["ended"] >= 1 and "ended by a signal without a finding" in text


def test_a_program_that_always_aborts(whence_env, tmp_path):
    program = build("always", tmp_path, whence_env)
    summary, _ = fuzz(program, tmp_path, whence_env, "--runs", "200", status=99)
    [found] = summary["found"]
    assert found["size"] == 0 and summary["executions"] >= 200


@pytest.mark.parametrize(
    ("name", "arguments", "status", "sentence"),
    [
        ("early", (), 126, "did not come to its main function: it ended with status 7"),
        ("removes", ("@@",), 125, "has removed or replaced the file of its input"),
    ],
)
def test_what_cannot_be_fuzzed_is_one_sentence(name, arguments, status, sentence, whence_env, tmp_path):
    program = build(name, tmp_path, whence_env)
    words = [
        *COMMAND,
        "fuzz",
        "--no-progress",
        "--out",
        tmp_path / "out",
        "--runs",
        "50",
        program,
        *arguments,
    ]
    done = wrapped(words, whence_env)
    [line] = done.stderr.decode().splitlines()
    assert sentence in line and done.returncode == status


def test_bad_input_is_one_sentence(whence_env, tmp_path):
    words = [*COMMAND, "fuzz", "--no-progress", "--out", tmp_path / "out"]
    (tmp_path / "wrong").write_text('name=word"\n')
    for more, sentence in [
        (["./missing"], "no such file"),
        (["--dict", tmp_path / "none", "./missing"], "the dictionary cannot be read"),
        (["--dict", tmp_path / "wrong", "./missing"], "expected NAME="),
        (["--max-memory", "1M", "./missing"], "expected 64 MiB or more"),
        (["--frobnicate", "./missing"], "unknown option"),
    ]:
        done = wrapped([*words, *more], whence_env)
        [line] = done.stderr.decode().splitlines()
        assert sentence in line and done.returncode > 0, line


def test_dictionaries_are_read_as_afl_has_them(tmp_path):
    path = tmp_path / "words"
    path.write_text('# comment\n\nkw="if"\n"\\x00\\xfF\\"\\\\"\ntab@2 = "a\\tb"\n')
    assert read_dictionaries([path]) == [b"if", b'\0\xff"\\', b"a\tb"]
    path.write_text('"\\q"')
    with pytest.raises(UserMistake, match="behind a backslash"):
        read_dictionaries([path])


def test_reports_and_the_python_interface(whence_env, tmp_path, monkeypatch):
    program = build("leak", tmp_path, whence_env, "-DFREES=0")
    for name, value in whence_env.items():
        monkeypatch.setenv(name, value)
    result = whence.fuzz(program, out=tmp_path / "api", options=whence.FuzzOptions(runs=20000))
    [found] = result.found
    assert (
        found.rule == "definite-leak" and found.confirmed and not result.ok and result.certain == result.found
    )
    _, text = fuzz(program, tmp_path, whence_env, "--runs", "20000", "--sarif", tmp_path / "sarif", status=99)
    [run] = json.loads((tmp_path / "sarif").read_text())["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["definite-leak"], text
