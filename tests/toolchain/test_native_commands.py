"""The native whence-cc does what Python does, leaves the rest to it, and needs no Python for usual lines."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT
from tests.harness.tiers import one_in
from tests.toolchain.native import FRONT_END, LEFT, Bench, known_options

from whence.toolchain import checks, driver, options
from whence.toolchain.carry import read_image
from whence.toolchain.compile import IR_MODE

pytestmark = pytest.mark.build

BOTH = ("-c a.c -o out.o", "a.c -o out.o -lm")
"""A compilation and a link."""

ALONE = [
    "-c a.c",
    "-c a.c -o out.o",
    "-O2 -g -Wall -DX=1 -D Y -I inc -Iinc -c a.c -o out.o",
    "-c b.cc -std=c++20 -fno-exceptions -o out.o",
    "-c c.i -o out.o -O",
    "-c a.c -oout.o",
    "-c -MD -MP -MF dep.d -MT out.o a.c -o out.o -fPIC",
    "-c a.c -fPIC -fno-pic -o out.o",
    "-c a.c -fpie -fpic -Os -O3 -o out.o",
    "-c -include x.h a.c -o out.o",
    '-c a.c -o out.o -DT="a b" -fmacro-prefix-map=x="y\\z"',
    "-c a.c -o out.o -D _FORTIFY_SOURCE=2 -U _X -gcc-toolchain /usr -g3 -ggdb",
    "-c a.c -o out.o -march=x86-64 -ftree-vectorize -mllvm -foo -isystem sys -pipe -w",
    "-pthread -fvisibility=hidden -c a.c -o out.o -fstack-protector-strong -lm -L. -Wl,-z,now",
    "-c a.c -o out.o -static-libgcc -u sym -z now -L dir -Xlinker -s -Tx",
    "-S a.c -Wl,--as-needed -pie",
    "-E a.c -lm",
    "-E a.c",
    "-E a.c b.cc -o out.o",
    "-S a.c",
    "-###  -c a.c",
    "-dumpmachine",
    "-print-search-dirs",
    "-M a.c",
    "-c d.S -o out.o",
    "-c a.c -o device",
    "-m32 -c a.c -o out.o",
    "-v",
    "-V -O2",
    "",
]
TO_PYTHON = [
    "-c a.c b.cc",
    "-c a.c -o -",
    "-c -xc a.c -o out.o",
    "-c -x c++ a.c -o out.o",
    "-c a.c -o",
    "-c @words",
    "-c -- a.c",
    "-c a.c -o out.o -flto",
    "-c a.c -o out.o -fgcse",
    "-c a.c -o out.o -mno-recip",
    "-c a.c -o out.o -Wp,-MD,x.d",
    "-c a.c -o out.o -ffile-prefix-map=a=b",
    "-c a.c -o out.o -Xclang -disable-free",
    "-c a.c -o out.o -Xpreprocessor -DX",
    "-c nothing",
    "-c a.c -o out.o -fdump-tree-all",
    "-c caf\u00e9.c",
]


@pytest.mark.parametrize("line", ALONE)
@pytest.mark.parametrize("cxx", one_in(2, [True, False]), ids=["c++", "cc"])
def test_usual_commands_need_no_python(bench: Bench, line: str, cxx: bool) -> None:
    words = shlex.split(line)
    output = words[words.index("-o") + 1] if "-o" in words else "a.o"
    usual = bench.result(bench.python(*words, cxx=cxx), output)
    assert bench.result(bench.native(*words, cxx=cxx), output) == usual
    assert usual[3] and bench.started == 0


@pytest.mark.parametrize("line", one_in(2, TO_PYTHON))
def test_the_unusual_is_left_to_python(bench: Bench, line: str) -> None:
    bench.write("words", "-DX a.c -o out.o")
    bench.write("caf\u00e9.c", "")
    words = shlex.split(line)
    output = "out.o" if "out.o" in line else "a.o"
    usual = bench.result(bench.python(*words), output)
    assert bench.result(bench.native(*words), output) == usual
    assert bench.started == 1


def test_what_python_changes_is_left_to_it(bench: Bench) -> None:
    changed = [word for word in known_options() if driver.parse([word, "-c", "a.c"], False).changed]
    assert len(changed) > 500
    for option in changed:
        assert bench.run(bench.native(option, "-c", "a.c"), **LEFT).returncode == 77, option


def test_what_makes_no_object_is_clang_s(bench: Bench) -> None:
    for option in known_options():
        parsed = driver.parse([option, "-c", "a.c"], False)
        if parsed.phase == "other" and not parsed.changed and option != "--version":
            assert bench.run(bench.native(option, "-c", "a.c"), **LEFT).returncode == 0, option
            assert next(iter(bench.seen().values())).splitlines()[:-2] == [option, "-c", "a.c"]


def is_shaped_alike(bench: Bench, *given: str) -> bool:
    """Whether the IR is compiled with these options as Python has it; no: Python is to do it."""
    words = [*given, "-c", "a.c"]
    if bench.run(bench.native(*words), **LEFT).returncode == 77:
        return False
    expected = [*driver.ir_flags(driver.parse(words, False)), *checks.options(22), *IR_MODE]
    assert bench.seen()["log.ir"].splitlines()[: len(expected)] == expected
    return True


def test_options_shape_the_ir_alike(bench: Bench) -> None:
    parsed = {word: driver.parse([word, "-c", "a.c"], False) for word in known_options()}
    kept = [w for w, p in parsed.items() if p.phase == "compile" and not p.changed and p.output is None]
    alike = 0
    for start in range(0, len(kept), 20):
        some = kept[start : start + 20]
        whole = is_shaped_alike(bench, *some)
        alike += len(some) if whole else sum(is_shaped_alike(bench, option) for option in some)
    assert alike > 100


def test_separate_arguments_are_classified_as_python_does(bench: Bench) -> None:
    for option in sorted(options.SEPARATE - {"-o", "--output"}):
        parsed = driver.parse([option, "-E", "-c", "a.c"], False)
        if parsed.phase == "compile" and not parsed.changed:
            is_shaped_alike(bench, option, "-E")


def test_the_object_says_where_its_ir_came_from(bench: Bench) -> None:
    words = ["-O2", "-c", str(bench.folder / "a.c"), "-o", "out.o"]
    assert bench.run(bench.native(*words)).returncode == 0
    (module,) = read_image(bench.folder / "out.o").modules
    assert module.bitcode() == (bench.folder / "bitcode").read_bytes()
    assert (module.source, module.opt, module.cwd) == (str(bench.folder / "a.c"), "2", str(bench.folder))


RUN_OUTPUT = """cp "$(command -v sleep)" out.o; ./out.o 9 >/dev/null 2>&1 &
until [ "$(readlink /proc/$!/exe)" = "$PWD/out.o" ]; do sleep 0.02; done"""
"""Makes an output that cannot be written to, even by root, because it is executed."""


@pytest.mark.parametrize(
    "env",
    [
        {"AS_NATIVE": "echo native says >&2; exit 3"},
        {"AS_NATIVE": "echo words; kill -9 $$"},
        {"AS_NATIVE": "kill -ABRT $$"},
        {"AS_IR": "echo first >&2; echo 'x.c:1: error: no such thing ' >&2; exit 1"},
        {"AS_IR": "echo ' only a note' >&2; exit 1"},
        {"AS_IR": "kill -9 $$"},
        {"AS_NATIVE": "echo text > out.o; exit 0"},
        {"AS_NATIVE": 'head -c 100 "$OBJECT" > out.o; exit 0'},
        {"AS_NATIVE": "rm -f out.o; exit 0"},
        {"AS_NATIVE": "rm -f out.o; mkdir out.o; exit 0"},
        {"AS_NATIVE": f"{RUN_OUTPUT}; exit 0"},
        {"AS_IR": "printf 'BC llvm.coro.begin'; exit 0"},
        {"AS_IR": "printf BC; exit 0", "C_INCLUDE_PATH": "/inc", "DEPENDENCIES_OUTPUT": "deps"},
    ],
)
@pytest.mark.parametrize("given", BOTH)
def test_failures_are_told_alike(bench: Bench, env: dict[str, str], given: str) -> None:
    words = shlex.split(given)
    usual = bench.result(bench.python(*words), "out.o", **env)
    if (bench.folder / "out.o").is_dir():
        (bench.folder / "out.o").rmdir()
    assert bench.result(bench.native(*words), "out.o", **env) == usual
    assert bench.started == 0


@pytest.mark.parametrize("given", BOTH)
def test_a_full_disk_leaves_the_output_as_it_was(bench: Bench, empty_object: Path, given: str) -> None:
    """The output fits, the output with its IR does not."""
    bench.write("bitcode", b"BC" + os.urandom(900))
    limit = empty_object.stat().st_size + 500
    assert limit > 902

    def bounded(command: list[str]) -> tuple[int, str, bytes]:
        (bench.folder / "out.o").unlink(missing_ok=True)
        done = subprocess.run(
            ["sh", "-c", 'exec "$@"', "sh", *command],
            cwd=bench.folder,
            env=bench.env | {"LOG": "/dev/null", "AS_IR": "exec cat $BITCODE", "AS_NATIVE": ""},
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        return done.returncode, done.stderr, (bench.folder / "out.o").read_bytes()

    words = shlex.split(given)
    usual = bounded(bench.python(*words))
    said = "out.o carries no IR, so it will run unchecked" if "-c" in words else "out.o is not recorded"
    assert f"{said}: [Errno 27]" in usual[1]
    assert usual[2] == empty_object.read_bytes()
    assert bounded(bench.native(*words)) == usual


@pytest.mark.parametrize("given", BOTH)
def test_outputs_with_very_many_sections(bench: Bench, given: str) -> None:
    """Their number stands in the first section; one more makes it so, or it was so before."""
    for count in (0xFEF0, 0xFEFF - 5, 0xFF10):
        text = "".join(f'.section .s{i},"a"\n' for i in range(count))
        bench.write("many.s", text)
        subprocess.run(["as", "many.s", "-o", "many.o"], cwd=bench.folder, check=True)
        words = shlex.split(given)
        many = str(bench.folder / "many.o")
        usual = bench.result(bench.python(*words), "out.o", OBJECT=many)
        assert bench.result(bench.native(*words), "out.o", OBJECT=many) == usual
        assert len(read_image(bench.folder / "out.o").modules) == 1


def test_a_source_that_exempts_functions_is_python_s(bench: Bench) -> None:
    bench.write("a.c", "/* __No_Sanitize__ */")
    bench.run(bench.native("-c", "a.c"))
    assert bench.started == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("given", BOTH)
def test_a_request_to_end_goes_to_the_compiler(bench: Bench, number: signal.Signals, given: str) -> None:
    """It tidies up, and its end is the wrapper's."""
    waiting = bench.folder / "waiting"
    tidy = f"trap 'echo tidy; exit 7' {number.name[3:]}; : > {waiting}; while :; do sleep 0.05; done"
    words = shlex.split(given)
    for command in (bench.python(*words), bench.native(*words)):
        waiting.unlink(missing_ok=True)
        env = bench.env | {"AS_NATIVE": tidy}
        with subprocess.Popen(command, cwd=bench.folder, env=env, stdout=subprocess.PIPE) as process:
            while not waiting.exists():
                time.sleep(0.01)
            process.send_signal(number)
            out, _ = process.communicate(timeout=TIMEOUT)
        assert (process.returncode, out) == (7, b"tidy\n")


# ---- plans ------------------------------------------------------------------------------------------


def plans(bench: Bench) -> list[Path]:
    return list(Path(bench.env["WHENCE_CACHE"], "starts").iterdir())


def test_a_plan_is_made_again_when_the_front_end_changes(bench: Bench) -> None:
    front = Path(bench.env["WHENCE_CLANG"])
    front.write_text(FRONT_END.replace("22.1.8", "21.1.0"))
    for started in (1, 1):
        assert bench.run(bench.native("-c", "a.c")).returncode == 0
        assert bench.started == started
        assert read_image(bench.folder / "a.o").modules[0].frontend == "clang 21.1.0"


def test_a_front_end_that_is_gone(bench: Bench) -> None:
    Path(bench.env["WHENCE_CLANG"]).unlink()
    usual, ours = (bench.run(make("-c", "a.c")) for make in (bench.python, bench.native))
    assert (ours.returncode, ours.stderr) == (usual.returncode, usual.stderr)
    assert "which is not an executable file" in ours.stderr


def test_a_front_end_that_appears_on_path_is_taken(bench: Bench, tmp_path: Path) -> None:
    """A plan says which names were looked at, those included that did not exist."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (second / "clang").write_text(FRONT_END)
    (second / "clang").chmod(0o755)
    env = {"PATH": f"{first}:{second}:/usr/bin:/bin", "WHENCE_CLANG": ""}
    for _ in range(2):
        assert bench.run(bench.native("-c", "a.c"), **env).returncode == 0
    assert bench.started == 1
    (first / "clang").write_text(FRONT_END.replace("22.1.8", "20.1.0"))
    (first / "clang").chmod(0o755)
    assert bench.run(bench.native("-c", "a.c"), **env).returncode == 0
    assert bench.started == 2
    assert read_image(bench.folder / "a.o").modules[0].frontend == "clang 20.1.0"


@pytest.mark.parametrize("spoil", ["truncated", "foreign", "empty", "gone"])
def test_a_plan_that_cannot_be_used_costs_time_alone(bench: Bench, spoil: str) -> None:
    for path in plans(bench):
        if spoil == "truncated":
            path.write_bytes(path.read_bytes()[:-2])
        elif spoil == "foreign":
            path.chmod(0o666)
        elif spoil == "empty":
            path.write_bytes(b"")
        else:
            path.unlink()
    for started in (1, 1):
        assert bench.run(bench.native("-c", "a.c")).returncode == 0
        assert bench.started == started


def test_no_folder_for_plans(bench: Bench) -> None:
    env = {"WHENCE_CACHE": "/proc/nowhere"}
    usual = bench.result(bench.python("-c", "a.c"), "a.o", **env)
    assert bench.result(bench.native("-c", "a.c"), "a.o", **env) == usual
    assert bench.started == 1


def test_the_front_end_sees_nothing_of_plans(bench: Bench) -> None:
    for path in plans(bench):
        path.unlink()
    show = "env > environment"
    for _ in range(2):
        bench.run(bench.native("-c", "a.c"), AS_NATIVE=show)
        assert "WHENCE_CC_PLAN" not in (bench.folder / "environment").read_text()


def test_headers_are_json_as_python_writes_it(bench: Bench) -> None:
    folder = bench.folder / 'a "quoted"\tfolder\\'
    folder.mkdir()
    (folder / "a.c").write_text("")
    for make in (bench.python, bench.native):
        subprocess.run(make("-c", "a.c", "-std=\x7f"), cwd=folder, env=bench.env, check=True)
        (module,) = read_image(folder / "a.o").modules
        assert json.dumps(module.cwd) == json.dumps(str(folder))
        assert module.flags == ("-std=\x7f", "-fPIE")
    assert bench.started == 0
