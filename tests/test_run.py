"""``whence run`` as a process: what it passes on, how it ends, what it says when it cannot."""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence, is_one_sentence
from tests.harness.warm import real_starts as real_starts

from whence.toolchain.clang import find_clang
from whence.toolchain.runtimes import has_runtime, insists_on_its_own

pytestmark = pytest.mark.build

OVERFLOW = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <signal.h>

static void poke(char *p, int i) { p[i] = 1; }

int main(int argc, char **argv) {
    char *p = malloc(10);
    puts("before");
    fflush(stdout);
    for (int i = 0; i < 3; i++)
        poke(p, 10);
    puts("after");
    fflush(stdout);
    int c = *p;
    free(p);
    %s
    return 3;
}
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


@pytest.fixture(scope="session")
def overflow(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """A program with an overflow of a block of 10, made three times at one place; it ends with status 3."""
    return Whence(tmp_path_factory.mktemp("overflow"), whence_env).build(OVERFLOW % "")


# ---- what is passed on ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [0, 1, 3, 99, 125, 255])
def test_exit_status(whence: Whence, status: int) -> None:
    program = whence.build(f"int main(void) {{ return {status}; }}")
    assert whence.run(program).status == status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGPIPE, signal.SIGUSR1])
def test_death_by_signal(whence: Whence, number: signal.Signals) -> None:
    """whence dies by the signal that killed the program, so that a shell sees the same."""
    program = whence.build(f"#include <signal.h>\nint main(void) {{ raise({int(number)}); return 0; }}")
    done = whence.run(program)
    assert done.status == -number


def test_exit_without_cleanup(whence: Whence) -> None:
    program = whence.build("#include <unistd.h>\nint main(void) { _exit(17); }")
    done = whence.run(program)
    assert (done.status, done.out, done.said) == (17, b"", "")


def test_binary_streams(whence: Whence) -> None:
    """Every byte of standard input reaches the program, every byte of its output comes out, streams apart."""
    program = whence.build(
        """
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) {
            char *p = malloc(5000);
            size_t n;
            while ((n = fread(p, 1, 5000, stdin)) > 0) {
                fwrite(p, 1, n, stdout);
                fputc('.', stderr);
            }
            free(p);
            return 0;
        }"""
    )
    data = random.Random(7).randbytes(1_000_003) + bytes(range(256))
    done = whence.run(program, stdin=data)
    assert done.status == 0
    assert done.out == data
    assert set(done.said) == {"."}


def test_arguments(whence: Whence) -> None:
    """Arguments after the program are its own, whatever they look like; its name is as typed."""
    program = whence.build(
        '#include <stdio.h>\nint main(int c, char **v) { for (int i = 0; i < c; i++) printf("[%s]", v[i]); }'
    )
    words = ["--halt", "", "two words", "-x", "--", "--json", "ü\n", "*"]
    done = whence.run(program, *words)
    assert done.out.decode() == "".join(f"[{w}]" for w in [str(program), *words])


def test_program_in_path(whence: Whence) -> None:
    program = whence.build("#include <stdio.h>\nint main(int c, char **v) { puts(v[0]); }", "found-in-path")
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    done = whence.with_env(PATH=path).run("found-in-path")
    assert (done.status, done.out) == (0, b"found-in-path\n")


def test_environment_and_directory(whence: Whence) -> None:
    program = whence.build(
        """
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(void) { char d[4096]; printf("%s %s", getenv("MARK"), getcwd(d, sizeof d)); }"""
    )
    done = whence.with_env(MARK="here").run(program)
    assert done.out.decode() == f"here {whence.directory}"


@pytest.mark.parametrize(
    ("module", "words", "status"),
    [
        ("whence.cli.main", ["run", "no-such-program"], 127),
        ("whence.cli.cc", ["cc", "-c", "no-such-source.c"], 1),
        ("whence.cli.valgrind", ["--no-such-option", "program"], 2),
    ],
)
def test_nobody_reads_the_messages(whence: Whence, module: str, words: list[str], status: int) -> None:
    """The exit status is the one without that, and not Python's for output that it could not write."""
    assert whence.process(module, *words).status == status
    closed = f"exec 2> >(:); sleep 0.2; exec {shlex.join(whence.command(module, *words))}"
    done = subprocess.run(["bash", "-c", closed], env=dict(whence.env), cwd=whence.directory, timeout=TIMEOUT)
    assert done.returncode == status


def test_closed_streams(whence: Whence) -> None:
    """A program that runs with its standard streams closed sees them closed."""
    program = whence.build(
        """
        #include <errno.h>
        #include <unistd.h>
        int main(void) {
            int closed = write(1, "x", 1) == -1 && errno == EBADF;
            return closed && read(0, &closed, 1) == -1 ? 5 : 6;
        }"""
    )
    words = " ".join(f"'{w}'" for w in whence.command("whence.cli.main", "run", program))
    done = subprocess.run(["sh", "-c", f"{words} <&- >&-"], env=dict(whence.env), capture_output=True)
    assert done.returncode == 5, done.stderr


WAITS = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void handler(int number) { got = number; }
int main(void) {
    struct sigaction action = {.sa_handler = handler};
    for (int i = 1; i < 32; i++)
        sigaction(i, &action, 0);
    write(1, "ready\\n", 6);
    while (!got)
        usleep(1000);
    return got;
}
"""


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2]
)
def test_signals_are_forwarded(whence: Whence, number: signal.Signals) -> None:
    """A signal to whence reaches the program, whose handler decides how the run ends."""
    process = whence.start(whence.build(WAITS))
    assert process.stdout and process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == number


def test_ignored_signals_stay_ignored(whence: Whence) -> None:
    """As under nohup: what our parent ignores, the program ignores, and we as well."""
    source = """
#include <signal.h>
int main(void) {
    struct sigaction now;
    sigaction(SIGHUP, 0, &now);
    return now.sa_handler == SIG_IGN ? 7 : 8;
}"""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = whence.start(whence.build(source))
    finally:
        signal.signal(signal.SIGHUP, before)
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == 7


def test_forwarded_signal_kills(whence: Whence) -> None:
    process = whence.start(
        whence.build('#include <unistd.h>\nint main(void) { write(1, "r\\n", 2); pause(); }')
    )
    assert process.stdout and process.stdout.readline() == b"r\n"
    process.terminate()
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == -signal.SIGTERM


# ---- findings and endings ---------------------------------------------------------------------------


def test_halt_is_the_default(whence: Whence, overflow: Path) -> None:
    """The program is stopped at the first finding, before the faulty step."""
    for options in ([], ["--halt"]):
        done, found = whence.findings(*options, overflow)
        assert done.status == 99
        assert done.out == b"before\n"
        assert [f["rule"] for f in found] == ["heap-buffer-overflow"]
        assert found[0]["halted"]


def test_keep_going(whence: Whence, overflow: Path) -> None:
    """The program runs to its end; the same finding three times is one finding."""
    done, found = whence.findings("--keep-going", overflow)
    assert done.status == 99
    assert done.out == b"before\nafter\n"
    assert [f["rule"] for f in found] == ["heap-buffer-overflow"]
    assert not found[0]["halted"]


def test_keep_going_finds_what_comes_later(whence: Whence) -> None:
    program = whence.build(OVERFLOW % "free(p); int *q = malloc(4); free(q); *q = 1; poke(p, c);")
    done, found = whence.findings("--keep-going", program)
    rules = [
        "heap-buffer-overflow",
        "double-free",
        "dangling-pointer-dereference",
        "dangling-pointer-dereference",
    ]
    assert [f["rule"] for f in found] == rules
    assert done.status == 99


def test_error_exitcode(whence: Whence, overflow: Path) -> None:
    assert whence.run("--error-exitcode", "42", overflow).status == 42
    assert whence.run("--error-exitcode", "42", "--keep-going", overflow).status == 42
    assert whence.run("--error-exitcode", "0", "--keep-going", overflow).status == 3


def test_error_exitcode_is_checked(whence: Whence, overflow: Path) -> None:
    done = whence.run("--error-exitcode", "256", overflow)
    assert done.status == 2
    assert "256" in done.err and "--error-exitcode" in done.err


def test_report_on_standard_error(whence: Whence, overflow: Path) -> None:
    """Plain text in a pipe: kind, line, block; nothing of it on standard output."""
    done = whence.run(overflow)
    assert done.out == b"before\n"
    assert "\x1b" not in done.err
    for words in ("heap-buffer-overflow", "poke", "prog.c:7", "10 bytes", "malloc"):
        assert words in done.err, done.err


def test_silence(whence: Whence) -> None:
    """A program without findings has standard error to itself but for the last line."""
    program = whence.build('#include <stdio.h>\nint main(void) { fputs("mine\\n", stderr); }')
    done = whence.run(program)
    assert (done.status, done.out, done.said) == (0, b"", "mine\n")
    assert "; checked: 1 module, 1 function, " in done.err and "; not checked: libc.so.6 (no IR)" in done.err
    assert whence.run("--quiet", program).err == "mine\n"


def test_quiet_leaves_findings(whence: Whence, overflow: Path) -> None:
    loud, quiet = whence.run(overflow).err, whence.run("--quiet", overflow).err
    assert loud.startswith(quiet) and "heap-buffer-overflow" in quiet and "whence: 1 finding" not in quiet
    assert loud.removeprefix(quiet).startswith("whence: 1 finding (1 heap-buffer-overflow); ")


def test_log(whence: Whence, overflow: Path) -> None:
    log = whence.directory / "log"
    done = whence.run("--log", log, overflow)
    assert done.status == 99
    assert done.err == ""
    assert "heap-buffer-overflow" in log.read_text()


def test_json_of_a_clean_run(whence: Whence) -> None:
    program = whence.build("int main(void) { return 4; }")
    done, found = whence.findings(program)
    assert (done.status, found) == (4, [])


@pytest.mark.parametrize("option", ["--json", "--log"])
def test_output_that_cannot_be_written(whence: Whence, overflow: Path, option: str) -> None:
    """Said before the program runs, and not after."""
    done = whence.run(option, whence.directory / "no" / "such" / "place", overflow)
    assert done.status == 2
    assert done.out == b""
    assert is_one_sentence(done.err), done.err


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("_exit(4);", 99),
        ("raise(SIGKILL);", 99),
        ("raise(SIGTERM);", 99),
        ("exit(0);", 99),
        ("quick_exit(1);", 99),
    ],
)
def test_findings_survive_the_ending(whence: Whence, ending: str, status: int) -> None:
    """A finding that was made is shown, however the program ends after it."""
    program = whence.build(OVERFLOW % ending)
    done, found = whence.findings("--keep-going", program)
    assert [f["rule"] for f in found] == ["heap-buffer-overflow"]
    assert "heap-buffer-overflow" in done.err
    assert done.status == status


@pytest.mark.parametrize("ending", ["abort();", "*(volatile int *)0x123456780000 = 1;", "__builtin_trap();"])
def test_findings_survive_a_crash(whence: Whence, ending: str) -> None:
    program = whence.build(OVERFLOW % ending)
    done, found = whence.findings("--keep-going", program)
    assert found[0]["rule"] == "heap-buffer-overflow"
    assert done.status == 99


def test_status_of_a_crash_is_kept(whence: Whence) -> None:
    """With --error-exitcode 0 the run ends as the program does, whatever was found."""
    program = whence.build(OVERFLOW % "abort();")
    done = whence.run("--keep-going", "--error-exitcode", "0", program)
    assert done.status == -signal.SIGABRT


def test_killed_from_outside(whence: Whence) -> None:
    """SIGKILL from another process while the program waits: what was found is shown."""
    program = whence.build(OVERFLOW % 'write(1, "x\\n", 2); kill(getpid(), SIGSTOP); pause();')
    report = whence.directory / "report.json"
    process = whence.start("--keep-going", "--json", report, program)
    assert process.stdout
    while process.stdout.readline() != b"x\n":
        assert process.poll() is None
    for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    _, err = process.communicate(timeout=TIMEOUT)
    assert b"heap-buffer-overflow" in err
    assert process.returncode == 99


def test_finding_in_a_child_process(whence: Whence) -> None:
    """A forked child that goes on after its parent has ended loses nothing that it found before."""
    program = whence.build(
        """
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int main(void) {
            for (int i = 0; i < 3; i++)
                if (fork() == 0) {
                    int *p = malloc(8 + i);
                    p[i == 2 ? 2 : 0] = 1;
                    free(p);
                    if (i == 1)
                        free(p);
                    _exit(0);
                }
            while (wait(0) > 0)
                ;
            return 0;
        }"""
    )
    done, found = whence.findings(program)
    assert sorted(f["rule"] for f in found) == ["double-free", "heap-buffer-overflow"]
    assert done.status == 99


# ---- several files and libraries --------------------------------------------------------------------


def test_shared_and_static_libraries(whence: Whence) -> None:
    """Bugs in a shared library and in a member of an archive are found at their lines."""
    at = whence.directory
    (at / "shared.c").write_text("void in_shared(char *p) {\n    p[4] = 1;\n}\n")
    (at / "member.c").write_text("int in_archive(int *p) {\n\n    return p[5];\n}\n")
    whence.cc("-g", "-O2", "-fPIC", "-shared", at / "shared.c", "-o", at / "libone.so")
    whence.cc("-g", "-O2", "-c", at / "member.c", "-o", at / "member.o")
    subprocess.run(["ar", "rcs", at / "libtwo.a", at / "member.o"], check=True)
    program = whence.build(
        """
        #include <stdlib.h>
        void in_shared(char *);
        int in_archive(int *);
        int main(void) {
            char *p = malloc(4);
            in_shared(p);
            int v = in_archive((int *)p);
            free(p);
            return v;
        }""",
        "prog",
        *(f"-L{at}", "-lone", "-ltwo", f"-Wl,-rpath,{at}"),
    )
    _, found = whence.findings("--keep-going", program)
    places = [(Path(f["stack"][0]["file"]).name, f["stack"][0]["line"]) for f in found]
    assert places == [("shared.c", 2), ("member.c", 3)]


def test_a_part_without_ir(whence: Whence) -> None:
    """An object without IR is linked as it is; the rest is checked, and its blocks too."""
    at = whence.directory
    (at / "plain.c").write_text("#include <stdlib.h>\nchar *make(void) { return calloc(1, 6); }\n")
    subprocess.run(["cc", "-c", at / "plain.c", "-o", at / "plain.o"], check=True)
    program = whence.build(
        "#include <stdlib.h>\nchar *make(void);\nint main(void) { char *p = make(); p[6] = 1; free(p); }",
        "prog",
        str(at / "plain.o"),
    )
    _, found = whence.findings(program)
    assert [(f["rule"], f["block"]["size"]) for f in found] == [("heap-buffer-overflow", 6)]


FLAGS = [
    "-static",
    "-static-pie",
    "-no-pie",
    "-flto -O2",
    "-fsanitize=address",
    "-fsanitize=undefined",
    "-fno-plt -Wl,-z,now",
    "-ffunction-sections -fdata-sections -Wl,--gc-sections",
    "-s",
    "-pg",
    "-rdynamic -Wl,-Bsymbolic",
    "-mcmodel=large -fPIC",
    "-fstack-protector-all -D_FORTIFY_SOURCE=2 -O2",
    "-march=native -O3 -ffast-math",
    "-gsplit-dwarf",
    "-gdwarf-4 -gz",
    "-fomit-frame-pointer -Os",
    "-std=c89 -fwrapv -fno-strict-aliasing",
    "-fvisibility=hidden -fno-common -fno-builtin",
]

ON_DEMAND = """
#include <stdlib.h>
#include <string.h>
static char *copy(const char *s, int room) {
    char *to = malloc(room);
    strcpy(to, s);
    return to;
}
int main(int argc, char **argv) {
    char *s = copy("eleven char", argc > 1 ? 11 : 12);
    int n = strlen(s);
    free(s);
    return n - 11;
}
"""


def users_flags() -> list[str]:
    """Those that work with the runtimes that clang and gcc have."""
    clang = find_clang()
    with_profiles = ["--coverage"] if has_runtime(clang, "profile") else []
    without = {"-fsanitize=address"} if insists_on_its_own(clang) else set()
    return [each for each in FLAGS + with_profiles if each not in without]


@pytest.mark.parametrize("flags", users_flags())
def test_users_flags(whence: Whence, flags: str) -> None:
    """Whatever the program was built with: a clean run stays clean, and a bug is found at its line."""
    program = whence.build(ON_DEMAND, "prog", *flags.split())
    done, found = whence.findings(program)
    assert (done.status, done.out, done.said, found) == (0, b"", "", [])
    done, found = whence.findings(program, "overflow")
    assert [(f["rule"], f["library_function"]) for f in found] == [("heap-buffer-overflow", "strcpy")]
    assert (found[0]["stack"][0]["line"], found[0]["block"]["allocated"]["stack"][0]["line"]) == (6, 5)


def test_workers_print_what_developers_of_passes_ask_for(whence: Whence) -> None:
    program = whence.build("int main(void) { return 0; }", "prog", "-DPRINTED")
    done = whence.with_env(WHENCE_PRINT_AFTER="guard-variables").run(program)
    assert "after guard-variables" in done.said


# ---- the cache --------------------------------------------------------------------------------------


def _entries(cache: Path) -> dict[Path, int]:
    """Every file of the cache and its time of change."""
    return {p: p.stat().st_mtime_ns for p in cache.rglob("*") if p.is_file()}


def test_second_run_makes_nothing(whence: Whence) -> None:
    cache = whence.directory / "own-cache"
    whence = whence.with_env(WHENCE_CACHE=str(cache))
    program = whence.build("int main(void) { return 0; }")
    assert whence.run(program).status == 0
    first = _entries(cache)
    assert first
    assert whence.run(program).status == 0
    assert _entries(cache) == first


def test_changed_file_is_made_alone(whence: Whence) -> None:
    """Of five files one changes: one object is instrumented again, the others are taken from the cache."""
    at, cache = whence.directory, whence.directory / "own-cache"
    whence = whence.with_env(WHENCE_CACHE=str(cache))
    files = [at / f"part{i}.c" for i in range(5)]
    for i, file in enumerate(files):
        file.write_text(
            f"int f{i}(void) {{ return {i}; }}\n" + ("int main(void) { return f0(); }\n" if i == 0 else "")
        )
    whence.cc("-g", *files, "-o", at / "prog")
    assert whence.run(at / "prog").status == 0
    first = _entries(cache / "objects")
    assert len(first) == 5
    files[3].write_text("int f3(void) { return 33; }\n")
    whence.cc("-g", *files, "-o", at / "prog")
    assert whence.run(at / "prog").status == 0
    second = _entries(cache / "objects")
    assert len(second) == 6
    assert second.items() > first.items()


def _powerless() -> list[str]:
    """Words before a command that take root's power to ignore permissions; none are needed by others."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root without setpriv(1) cannot be refused anything")
    dropped = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={dropped}", f"--inh-caps={dropped}"]


def test_cache_that_cannot_be_written(whence: Whence, overflow: Path) -> None:
    """The run works without it, and says so in one sentence."""
    cache = whence.directory / "own-cache"
    cache.mkdir()
    cache.chmod(0o500)
    try:
        environment = whence.with_env(WHENCE_CACHE=str(cache))
        done = environment.process("whence.cli.main", "run", overflow, prefix=_powerless())
    finally:
        cache.chmod(0o700)
    assert done.status == 99
    assert "heap-buffer-overflow" in done.err
    assert str(cache) in done.err and "Traceback" not in done.err
    assert not list(cache.iterdir())


def test_damaged_cache_entry(whence: Whence, overflow: Path) -> None:
    """Entries that were cut off by a full disk or a crash do not stop a run."""
    cache = whence.directory / "own-cache"
    whence = whence.with_env(WHENCE_CACHE=str(cache))
    assert whence.run(overflow).status == 99
    for path in _entries(cache / "images"):
        path.unlink()
    done = whence.run(overflow)
    assert done.status == 99
    assert "heap-buffer-overflow" in done.err


# ---- what cannot be run -----------------------------------------------------------------------------


def test_no_ir(whence: Whence) -> None:
    """A program that an ordinary compiler built: a sentence says what to do, and auto does what it can."""
    source = whence.directory / "plain.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", source, "-o", whence.directory / "plain"], check=True)
    done = whence.run("--engine", "native", whence.directory / "plain")
    assert done.status == 126
    assert is_one_sentence(done.err) and "whence-cc" in done.err, done.err
    done = whence.run(whence.directory / "plain")
    assert done.status == 0
    last = done.err.splitlines()[-1]
    assert last.startswith("whence: no code was checked: ") and "--trace-children" in last, done.err


@pytest.mark.parametrize("name", ["./missing", "missing-everywhere-in-path", "no/directory/prog"])
def test_missing_program(whence: Whence, name: str) -> None:
    done = whence.run(name)
    assert done.status == 127
    assert is_one_sentence(done.err) and name in done.err, done.err


def test_unreadable_program(whence: Whence, overflow: Path) -> None:
    copy = whence.directory / "copy"
    shutil.copy(overflow, copy)
    copy.chmod(0)
    done = whence.process("whence.cli.main", "run", copy, prefix=_powerless())
    assert done.status == 126
    assert is_one_sentence(done.err) and str(copy) in done.err, done.err


def test_program_that_is_not_executable(whence: Whence, overflow: Path) -> None:
    copy = whence.directory / "copy"
    shutil.copy(overflow, copy)
    copy.chmod(stat.S_IRUSR | stat.S_IWUSR)
    done = whence.run(copy)
    assert done.status in (99, 126), "checked, or refused as a shell would"
    assert "Traceback" not in done.err


@pytest.mark.parametrize("what", ["directory", "empty", "text", "script", "object", "device"])
def test_not_a_program(whence: Whence, what: str) -> None:
    path = whence.directory / what
    if what == "directory":
        path.mkdir()
    elif what == "object":
        whence.build("int main(void) { return 0; }", what, "-c")
    elif what == "device":
        path = Path("/dev/null")
    else:
        path.write_text({"empty": "", "text": "just text\n", "script": "#!/bin/sh\nexit 0\n"}[what])
        path.chmod(0o755)
    done = whence.run(*(["--engine", "native"] if what == "script" else []), path)
    assert done.status == 126
    assert is_one_sentence(done.err) and str(path) in done.err, done.err


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_truncated_program(whence: Whence, overflow: Path, share: float) -> None:
    data = overflow.read_bytes()
    path = whence.directory / "cut"
    path.write_bytes(data[: int(len(data) * share)])
    path.chmod(0o755)
    done = whence.run(path)
    assert done.status == 126
    assert is_one_sentence(done.err), done.err


@pytest.mark.parametrize("seed", range(12))
def test_hostile_program(whence: Whence, overflow: Path, seed: int) -> None:
    """Random bytes in the headers and sections: one sentence or a normal run, never a traceback."""
    chance = random.Random(seed)
    data = bytearray(overflow.read_bytes())
    for _ in range(chance.choice((1, 4, 40))):
        at = chance.choice(
            (chance.randrange(64), chance.randrange(len(data)), len(data) - 1 - chance.randrange(2000))
        )
        data[at] = chance.randrange(256)
    path = whence.directory / "hostile"
    path.write_bytes(bytes(data))
    path.chmod(0o755)
    done = whence.run(path)
    assert "Traceback" not in done.err and "internal error" not in done.err, done.err
    if done.status in (125, 126, 127):
        assert is_one_sentence(done.err.splitlines()[-1]), done.err


def test_no_compiler(whence: Whence, overflow: Path) -> None:
    """A compiler that was chosen and does not exist: one sentence names it."""
    environment = whence.with_env(WHENCE_CLANG="/no/such/clang", WHENCE_CACHE=str(whence.directory / "empty"))
    done = environment.run(overflow)
    assert done.status in (2, 125)
    assert is_one_sentence(done.err) and "/no/such/clang" in done.err, done.err


def test_unknown_option(whence: Whence, overflow: Path) -> None:
    done = whence.run("--no-such-option", overflow)
    assert done.status == 2
    assert "--no-such-option" in done.err and "Traceback" not in done.err


# ---- rules ------------------------------------------------------------------------------------------


def test_disable(whence: Whence, overflow: Path) -> None:
    done, found = whence.findings("--disable", "heap-buffer-overflow", overflow)
    assert (done.status, done.out, found) == (3, b"before\nafter\n", [])


def test_disable_all_and_enable_one(whence: Whence) -> None:
    program = whence.build(OVERFLOW % "free(p);")
    done, found = whence.findings("--disable", "all", "--enable", "double-free", program)
    assert [f["rule"] for f in found] == ["double-free"]
    assert done.out == b"before\nafter\n"


@pytest.mark.parametrize("option", ["--enable", "--disable"])
def test_unknown_rule(whence: Whence, overflow: Path, option: str) -> None:
    """The sentence names what was typed and what there is."""
    done = whence.run(option, "heap-buffer-overflaw", overflow)
    assert done.status == 2
    assert done.out == b""
    assert is_one_sentence(done.err), done.err
    assert "heap-buffer-overflaw" in done.err and "heap-buffer-overflow" in done.err


def test_rules_file_with_a_mistake(whence: Whence, overflow: Path) -> None:
    """File, line and column of the mistake, before the program runs."""
    rules = whence.directory / "mine.rules"
    rules.write_text("rule broken {\n    detect derefx r\n}\n")
    done = whence.run("--rules", rules, overflow)
    assert done.status == 2
    assert done.out == b""
    assert f"{rules}:" in done.err and "Traceback" not in done.err


def test_rules_file_that_is_missing(whence: Whence, overflow: Path) -> None:
    done = whence.run("--rules", whence.directory / "none.rules", overflow)
    assert done.status == 2
    assert is_one_sentence(done.err) and "none.rules" in done.err, done.err


EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_users_rule(whence: Whence) -> None:
    """A rule in a file is checked beside the shipped ones, without a line of Python."""
    program = whence.directory / "bank"
    whence.cc("-g", EXAMPLES / "leak_in_transaction.c", "-o", program)
    rules = EXAMPLES / "leak_in_transaction.rules"
    done, found = whence.findings("--rules", rules, program)
    assert {f["rule"] for f in found} == {"leak-in-transaction"}
    assert found[0]["block"]["allocated"]["stack"]
    assert done.status == 99
    _, found = whence.findings("--rules", rules, "--disable", "leak-in-transaction", program)
    assert "leak-in-transaction" not in {f["rule"] for f in found}


SECRET = """
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *key = malloc(40);
    strcpy(key, "SECRET!");
    strcpy(key + 8, "the key");
    %s
    free(key);
    char *late = malloc(3);
    late[3] = 1;
    return 0;
}
"""


def test_users_rule_reads_memory(whence: Whence) -> None:
    """A rule on the contents of a block, together with the shipped rules."""
    rules = EXAMPLES / "unwiped_secret.rules"
    _, found = whence.findings("--keep-going", "--rules", rules, whence.build(SECRET % "", "leaky"))
    assert [f["rule"] for f in found] == ["unwiped-secret", "heap-buffer-overflow", "definite-leak"]
    assert found[0]["stack"][0]["line"] == 9
    _, found = whence.findings("--rules", rules, whence.build(SECRET % "memset(key, 0, 40);", "wiped"))
    assert [f["rule"] for f in found] == ["heap-buffer-overflow"]


def test_rule_on_allocation(whence: Whence, overflow: Path) -> None:
    """A rule at `malloc` with a condition on the number of bytes."""
    rules = whence.directory / "mine.rules"
    rules.write_text('rule tens "a block of ten bytes"\n    at malloc n _\n    when n == 10\n    trace n\n')
    _, found = whence.findings("--rules", rules, "--disable", "all", "--enable", "tens", overflow)
    assert [f["rule"] for f in found] == ["tens"]
    assert found[0]["stack"][0]["line"] == 10
    assert found[0]["values"][0]["value"] == "0xa"


def test_rule_that_holds_where_nothing_is_wrong(whence: Whence) -> None:
    """Such a rule sees every access, and accesses that it is not about stay silent."""
    rules = whence.directory / "wide.rules"
    rules.write_text('rule wide "wide write"\n    at deref_w r\n    when Width == 4 and Size(r) == 32\n')
    source = "#include <stdlib.h>\nint main(void) {{ int *p = malloc({}); p[2] = 1; free(p); return 0; }}\n"
    _, found = whence.findings("--rules", rules, whence.build(source.format(32), "wide"))
    assert [f["rule"] for f in found] == ["wide"]
    _, found = whence.findings("--rules", rules, whence.build(source.format(48), "narrow"))
    assert found == []


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_rule_at_every_write_sees_those_of_the_source(whence: Whence, level: str) -> None:
    """Direct accesses to variables are asked about, and the writes that whence adds itself are not.

    Those are initial values of variables, and copies of the pointers of `main` for the leak search.
    """
    rules = whence.directory / "any.rules"
    rules.write_text('rule any-write "any write"\n    at deref_w r\n    when r != NULL\n')
    source = """
        #include <stdlib.h>
        struct four { char *text; int count[4]; } global;
        void fill(struct four *one, int *number) { *number = one->count[1]; }
        int main(int argc, char **argv) {
            volatile int index = argc;
            struct four here;
            int number;
            char *kept = argv[0];
            here.count[index] = 5;
            fill(&here, &number);
            global.text = kept;
            exit(number - 5);
        }
    """
    program = whence.build(source, "every", level)
    options = ("--keep-going", "--rules", rules, "--disable", "all", "--enable", "any-write")
    done, found = whence.findings(*options, program)
    lines = [finding["stack"][0]["line"] for finding in found]
    assert sorted(lines) == [4, 6, 10, 12], done


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rnu", "./prog"), "did you mean 'run'?"),
        (("./prog", "x"), "say 'whence run ./prog'"),
        (("run", "--kepp-going", "./prog"), "did you mean '--keep-going'"),
        (("run",), "missing argument"),
        (("run", "--jobs", "many", "./prog"), "invalid value for '--jobs'"),
    ],
)
def test_mistakes_in_the_command_line(whence: Whence, words: tuple[str, ...], said: str) -> None:
    done = whence.process("whence.cli.main", *words)
    assert (done.status, done.out) == (2, b"")
    assert is_one_sentence(done.err) and said in done.err, done.err
