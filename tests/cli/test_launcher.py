"""The native command: it starts known programs without Python, and gives Python what it cannot end alone."""

from __future__ import annotations

import atexit
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.harness.cores import needs_core
from tests.harness.lastline import before_last_line
from tests.harness.process import TIMEOUT
from tests.harness.session import REPOSITORY

from whence.engines.binary import core

sys.path.insert(0, str(REPOSITORY / "runtime"))
import build as runtime  # type: ignore[import-not-found]

pytestmark = pytest.mark.build

SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
    char *block = malloc(8);
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "overflow")) block[8] = 1;
    if (!strcmp(what, "leak")) block = NULL;
    while (!strcmp(what, "work") && clock() < CLOCKS_PER_SEC) continue;
    if (!strcmp(what, "abort")) raise(9);
    if (!strcmp(what, "wait")) { puts("ready"); fflush(stdout); sleep(60); }
    if (!strcmp(what, "environment"))
        for (char **entry = environ; *entry; entry++) puts(*entry);
    if (!strcmp(what, "leave") && fork() == 0) { sleep(1); block[8] = 1; }
    if (!strcmp(what, "leave-unseen") && syscall(SYS_fork) == 0) { sleep(1); block[8] = 1; }
    free(block);
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""
LIBRARY = "#include <stdlib.h>\nvoid work(void) { char *p = malloc(4); p[4] = 1; free(p); }\n"
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    if (argc < 2) return 0;
    void *library = dlopen(argv[1], RTLD_NOW);
    ((void (*)(void))dlsym(library, "work"))();
    return 0;
}
"""


@cache
def built(flags: tuple[str, ...]) -> Path:
    """The command, built once for each set of flags; this process removes it at its end."""
    folder = tempfile.TemporaryDirectory(prefix="whence-test-launcher-")
    atexit.register(folder.cleanup)
    return Path(runtime.build_launcher(Path(folder.name, "whence"), flags=flags))


class Launcher:
    """The command in a folder of its own; `calls` counts how often Python was started."""

    def __init__(self, folder: Path, env: dict[str, str], flags: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.log = folder / "calls"
        self.env = {**env, "ASAN_OPTIONS": "detect_leaks=0"}
        self.command = shutil.copy2(built(flags), folder / "whence")
        script = f'#!/bin/sh\necho x >> "{self.log}"\nexec "{sys.executable}" -m whence.cli.main "$@"\n'
        (folder / "whence-python").write_text(script)
        (folder / "whence-python").chmod(0o755)

    @property
    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def start(self, *words: object, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.command, "run", *map(str, words)],
            cwd=self.folder,
            env=self.env | env,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *words: object, **env: str) -> subprocess.CompletedProcess[str]:
        with self.start(*words, **env) as process:
            out, err = process.communicate(timeout=TIMEOUT)
        return subprocess.CompletedProcess([], process.returncode, out, err)

    def build(self, name: str, text: str, *flags: str) -> Path:
        source = self.folder / f"{name}.c"
        source.write_text(text)
        command = [sys.executable, "-m", "whence.cli.cc", "cc", "-g", "-w", str(source), "-o"]
        subprocess.run([*command, str(self.folder / name), *flags], check=True, env=self.env)
        return self.folder / name

    def plans(self) -> list[Path]:
        return [path for path in Path(self.env["WHENCE_CACHE"], "starts").iterdir() if path.name[0] != "."]


Make = Callable[..., Launcher]


@pytest.fixture
def make(tmp_path: Path, whence_env: dict[str, str]) -> Make:
    def made(*flags: str) -> Launcher:
        folder = tmp_path / "bin"
        folder.mkdir()
        cache = tmp_path / "cache"
        temporary = tmp_path / "tmp"
        temporary.mkdir()
        env = {**whence_env, "WHENCE_CACHE": str(cache), "TMPDIR": str(temporary)}
        return Launcher(folder, env, flags)

    return made


@pytest.fixture
def warm(make: Make) -> Launcher:
    """A launcher that knows the program ``./prog``."""
    launcher = make()
    launcher.build("prog", PROGRAM)
    done = launcher.run("./prog")
    assert (done.returncode, before_last_line(done.stderr), launcher.calls) == (0, "", 1), done
    return launcher


def leftovers(launcher: Launcher) -> list[str]:
    return os.listdir(launcher.env["TMPDIR"])


def test_a_known_program_starts_without_python(warm: Launcher) -> None:
    for words, status in ((("./prog",), 0), (("./prog", "x", "7"), 7)):
        done = warm.run(*words)
        assert (done.returncode, done.stdout, before_last_line(done.stderr)) == (status, "", "")
        assert f"the program exited with status {status}; checked: 1 module, 1 function, " in done.stderr
    assert warm.calls == 1
    assert leftovers(warm) == []


@needs_core
def test_a_program_that_is_executed_starts_without_python(make: Make) -> None:
    """The tool stands before its words; what the core writes is Python's to read."""
    launcher = make()
    launcher.env.pop(core.VARIABLE)
    source = launcher.folder / "plain.c"
    source.write_text(
        "#include <stdio.h>\nint main(int n, char **v) { puts(v[0]); if (n > 1)"
        ' __asm__ volatile(".byte 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07"); return n; }'
    )
    subprocess.run(["gcc", source, "-o", launcher.folder / "plain"], check=True)
    for _ in range(3):
        done = launcher.run("./plain")
        assert (done.returncode, done.stdout) == (1, "./plain\n")
        assert "each access to a block" in done.stderr
    assert launcher.calls == 1
    assert leftovers(launcher) == []
    unknown = launcher.run("./plain", "x")
    assert launcher.calls == 2
    assert "does not know an instruction" in unknown.stderr


def test_a_long_run_is_given_to_python(make: Make) -> None:
    """Python notes that the next run is to have faster code, and makes it then; later ones do not need it."""
    launcher = make()
    launcher.build("prog", PROGRAM)
    for words, calls in (((), 1), (("work",), 2), (("work",), 3), (("work",), 3)):
        done = launcher.run("./prog", *words)
        assert (done.returncode, before_last_line(done.stderr), launcher.calls) == (0, "", calls)
    assert leftovers(launcher) == []


def entries(launcher: Launcher) -> list[Path]:
    """The entries of the cache that the plan was made from."""
    (plan,) = launcher.plans()
    return [Path(os.fsdecode(line[1:])) for line in plan.read_bytes().split(b"\0") if line.startswith(b"G/")]


def test_an_installation_follows_its_own_plans(warm: Launcher) -> None:
    other = warm.folder / "other"
    other.mkdir()
    for name in ("whence", "whence-python"):
        shutil.copy2(warm.folder / name, other / name)
    warm.command = other / "whence"
    for _ in range(2):
        done = warm.run("./prog")
        assert (done.returncode, before_last_line(done.stderr), warm.calls) == (0, "", 2)


def test_entries_of_the_cache_are_marked_as_used(warm: Launcher) -> None:
    assert entries(warm)
    for path in entries(warm):
        os.utime(path, ns=(0, path.stat().st_mtime_ns))
    assert warm.run("./prog").returncode == 0
    assert warm.calls == 1
    assert all(path.stat().st_atime > 0 for path in entries(warm))


def test_an_entry_that_was_replaced_is_python_s_to_look_at(warm: Launcher) -> None:
    for path in entries(warm):
        shutil.copy2(path, path.with_name("copy"))
        path.with_name("copy").replace(path)
    assert warm.run("./prog").returncode == 0
    assert warm.calls == 2


def test_colours_are_those_of_python(warm: Launcher) -> None:
    words = warm.run("./prog", FORCE_COLOR="1", TERM="xterm").stderr
    assert warm.calls == 1
    assert "\x1b[" in words and "no findings" in words
    assert "\x1b[" not in warm.run("./prog", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm").stderr


def test_the_program_sees_the_environment_of_the_user(warm: Launcher) -> None:
    cold = warm.run("./prog", "environment", NO_COLOR="1")  # a variable that no plan depends on
    assert warm.calls == 1
    names = {line.partition("=")[0] for line in cold.stdout.splitlines()}
    assert "NO_COLOR" in names
    assert not names & {"WHENCE_START", "WHENCE_STARTED", "WHENCE_RECORD", "WHENCE_RT", "WHENCE_SERVICE"}


LISTED_HOME = """
#include <pwd.h>
#include <stdlib.h>
struct passwd *getpwuid(uid_t user) {
    static struct passwd found;
    found.pw_dir = getenv("LISTED_HOME");
    return (void)user, &found;
}
"""


def test_a_test_that_changes_its_home_finds_the_plans_of_the_user(make: Make, tmp_path: Path) -> None:
    """Unless it has a cache of its own; `LISTED_HOME` takes the place of the list of users."""
    listed = tmp_path / "listed.c"
    listed.write_text(LISTED_HOME)
    launcher = make(str(listed))
    launcher.build("prog", PROGRAM)
    home, other = str(tmp_path / "home"), str(tmp_path / "other")
    for place in ({"HOME": home}, {"HOME": other}, {"HOME": "none"}, {"XDG_CACHE_HOME": other}):
        done = launcher.run("./prog", **{"WHENCE_CACHE": "", "HOME": home, "LISTED_HOME": home} | place)
        assert (done.returncode, before_last_line(done.stderr), launcher.calls) == (0, "", 1), (place, done)
    assert not os.path.exists(other)
    launcher.run("./prog", WHENCE_CACHE=other, HOME=home, LISTED_HOME=home)
    assert launcher.calls == 2


@pytest.mark.parametrize("what", ["overflow", "leak"])
def test_a_finding_is_python_s_to_report(warm: Launcher, what: str) -> None:
    done = warm.run("./prog", what)
    assert warm.calls == 2
    shutil.rmtree(Path(warm.env["WHENCE_CACHE"], "starts"))
    usual = warm.run("./prog", what)
    assert (done.returncode, done.stderr) == (usual.returncode, usual.stderr)
    assert done.returncode == 99 and "whence: 1 finding" in done.stderr
    assert leftovers(warm) == []


def test_a_death_is_repeated(warm: Launcher) -> None:
    """Python says which signal it was."""
    done = warm.run("./prog", "abort")
    assert (
        done.returncode == -signal.SIGKILL and "the program was killed by SIGKILL; checked: " in done.stderr
    )
    assert leftovers(warm) == []


@pytest.mark.parametrize(("env", "colours"), [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False)])
def test_a_terminal_gets_colours_without_python(warm: Launcher, env: dict[str, str], colours: bool) -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        done = subprocess.run(
            [warm.command, "run", "./prog", "x", "3"], cwd=warm.folder, env=warm.env | env, stderr=theirs
        )
        text = terminal.read(4096).decode()
        os.close(theirs)
    assert (done.returncode, warm.calls) == (3, 1)
    assert ("\x1b[1;32mno findings\x1b[0m" in text, "status 3; checked: " in text) == (colours, True), text


def test_values_of_options_may_be_words_of_their_own(warm: Launcher) -> None:
    for _ in range(2):
        assert warm.run("--leak-check", "no", "./prog").returncode == 0
    assert warm.calls == 2
    searched = f"{warm.folder}:{warm.env['PATH']}"
    for calls in (3, 4):  # of a program that is searched for, the word with a slash is an argument
        done = warm.run("prog", "./prog", "7", PATH=searched)
        assert (done.returncode, warm.calls) == (7, calls), done


def test_quiet_says_nothing(warm: Launcher) -> None:
    for _ in range(2):
        done = warm.run("--quiet", "./prog")
        assert (done.returncode, done.stderr) == (0, "")
    assert warm.calls == 2


def test_signals_are_passed_on(warm: Launcher) -> None:
    with warm.start("./prog", "wait") as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT)
    assert process.returncode == -signal.SIGTERM
    assert leftovers(warm) == []


def test_python_waits_for_what_is_left_behind(warm: Launcher) -> None:
    for calls, what in ((2, "leave"), (3, "leave-unseen")):
        done = warm.run("./prog", what)
        assert warm.calls == calls
        assert "heap-buffer-overflow" in done.stderr


def test_a_library_is_asked_for_while_the_program_runs(make: Make) -> None:
    launcher = make()
    launcher.build("prog", LOADER, "-ldl")
    launcher.build("work.so", LIBRARY, "-shared", "-fPIC")
    assert launcher.run("./prog").returncode == 0
    assert launcher.run("./prog").returncode == 0
    assert launcher.calls == 1
    done = launcher.run("./prog", "./work.so")
    assert launcher.calls == 2
    assert done.returncode == 99 and "heap-buffer-overflow" in done.stderr


def test_input_is_read_again_from_where_the_launcher_gave_it(make: Make) -> None:
    launcher = make()
    text = "int main(void) { char *p = malloc(8); if (getchar() == 'x') p[8] = 1; free(p); return 0; }"
    launcher.build("prog", f"#include <stdio.h>\n#include <stdlib.h>\n{text}")
    given = launcher.folder / "given"

    def run(content: str) -> tuple[int, str]:
        given.write_text(content)
        with given.open("rb", buffering=0) as stdin:
            stdin.read(1)
            done = subprocess.run(
                [launcher.command, "run", "./prog"],
                cwd=launcher.folder,
                env=launcher.env | {"WHENCE_OPTIONS": ""},
                stdin=stdin,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
            )
            return stdin.tell(), done.stderr

    assert "no findings" in run("-a")[1] and "no findings" in run("-a")[1]
    assert launcher.calls == 1
    place, said = run("-x")
    assert launcher.calls == 2 and place == 2
    assert "heap-buffer-overflow" in said and "whence r = " in said and "note" not in said, said


def test_linked_libraries_are_those_of_the_plan(make: Make) -> None:
    launcher = make()
    launcher.build("libwork.so", LIBRARY.replace("p[4]", "p[3]"), "-shared", "-fPIC")
    flags = (f"-L{launcher.folder}", "-lwork", f"-Wl,-rpath,{launcher.folder}")
    launcher.build("prog", "void work(void); int main(void) { work(); return 0; }", *flags)
    assert [launcher.run("./prog").returncode for _ in range(2)] == [0, 0]
    assert launcher.calls == 1
    launcher.build("libwork.so", LIBRARY, "-shared", "-fPIC")
    assert launcher.run("./prog").returncode == 99
    assert launcher.calls == 2


def _changed_program(launcher: Launcher) -> dict[str, str]:
    launcher.build("prog", PROGRAM + "int other;\n")
    return {}


def _options(launcher: Launcher) -> dict[str, str]:
    return {"WHENCE_OPTIONS": "--keep-going"}


def _configuration(launcher: Launcher) -> dict[str, str]:
    (launcher.folder / "whence.toml").write_text("[run]\nkeep-going = true\n")
    return {}


def _emptied_cache(launcher: Launcher) -> dict[str, str]:
    shutil.rmtree(Path(launcher.env["WHENCE_CACHE"], "images"))
    return {}


def _writable_by_others(launcher: Launcher) -> dict[str, str]:
    for plan in launcher.plans():
        plan.chmod(0o666)
    return {}


@pytest.mark.parametrize(
    "change",
    [_changed_program, _options, _configuration, _emptied_cache, _writable_by_others],
)
def test_a_plan_that_does_not_fit_is_not_used(
    warm: Launcher, change: Callable[[Launcher], dict[str, str]]
) -> None:
    done = warm.run("./prog", **change(warm))
    assert (done.returncode, before_last_line(done.stderr)) == (0, "")
    assert warm.calls == 2


@pytest.mark.parametrize(
    "words",
    [("--version",), ("rules", "list"), ("run", "--no-such-option", "./prog"), ("run",), ("run", "./none")],
)
def test_everything_else_is_python_s(warm: Launcher, words: tuple[str, ...]) -> None:
    env = warm.env | {"COLUMNS": "100"}
    ours, theirs = (
        subprocess.run([*start, *words], cwd=warm.folder, env=env, capture_output=True, text=True)
        for start in ([warm.command], [sys.executable, "-m", "whence.cli.main"])
    )
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_no_python_is_said(warm: Launcher) -> None:
    (warm.folder / "whence-python").unlink()
    done = subprocess.run([warm.command, "--version"], env=warm.env, capture_output=True, text=True)
    assert done.returncode == 125
    assert done.stderr == f"whence: {warm.folder}/whence-python cannot be executed: install whence again\n"


def test_damaged_plans_cost_time_and_nothing_else(make: Make) -> None:
    """Plans with bytes cut off or changed, by a launcher that is checked itself."""
    launcher = make(*SANITIZED)
    launcher.build("prog", PROGRAM)
    assert launcher.run("./prog").returncode == 0
    (plan,) = launcher.plans()
    good, draw = plan.read_bytes(), random.Random(7)
    (launcher.folder / "whence-python").write_text("#!/bin/sh\nexit 42\n")
    end = time.monotonic() + 60
    for _ in range(300):
        data = bytearray(good[: draw.randrange(len(good))] if draw.random() < 0.5 else good)
        for _ in range(draw.randrange(8) if data else 0):
            data[draw.randrange(len(data))] = draw.choice((0, 1, ord("I"), ord("C"), ord("L"), 255))
        plan.write_bytes(data)
        done = launcher.run("./prog")
        assert done.returncode in (0, 42), (bytes(data), done.stderr)
        if time.monotonic() > end:
            break
    assert "ERROR" not in done.stderr
