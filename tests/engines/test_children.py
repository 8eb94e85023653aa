"""Processes that a program forks, executes, spawns or leaves behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from tests.harness.lastline import before_last_line
from tests.harness.process import TIMEOUT, Whence, eventually, is_one_sentence, with_patience
from tests.harness.warm import real_starts as real_starts

from whence.engines.process.processes import lives

pytestmark = pytest.mark.build

CHILD = """
#include <stdio.h>
#include <stdlib.h>
extern char **environ;
int main(int c, char **v) {
    char *p = malloc(3);
    for (char **e = environ; *e; e++)
        if (c > 2) puts(*e);
    p[atoi(v[1])] = 1;
    free(p);
    return 5;
}
"""

PARENT = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static char *at, command[50], *none[] = {"EMPTY=1", NULL};
static void start(int how) {
    char *words[] = {"child", at, NULL};
    if (how == 0) execv("./child", words);
    if (how == 1) execve("./child", words, none);
    if (how == 2) execvp("child", words);
    if (how == 3) execvpe("child", words, none);
    if (how == 4) execl("./child", "child", at, (char *)0);
    if (how == 5) execlp("child", "child", at, (char *)0);
    if (how == 6) execle("./child", "child", at, (char *)0, none);
    if (how == 7) fexecve(open("./child", O_RDONLY | O_CLOEXEC), words, environ);
    if (how == 8) execlp("with-first-line", "with-first-line", at, (char *)0);
    if (how == 9) execlp("without", "without", at, (char *)0);
    _exit(77);
}
static int ended(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
static void spawn(int how, char **words, char **environment) {
    pid_t child = 0;
    int result = how ? posix_spawnp(&child, "child", 0, 0, words, environment)
                     : posix_spawn(&child, "./child", 0, 0, words, environment);
    printf("%d ", result ? 1000 + result : ended(child));
}
int main(int c, char **v) {
    at = v[1];
    char *words[] = {"child", at, NULL};
    for (int how = 0; how < 10; how++) {
        pid_t child = how % 2 ? fork() : vfork();
        if (!child) start(how);
        printf("%d ", ended(child));
    }
    spawn(0, words, environ);
    spawn(1, words, none);
    sprintf(command, "./child %s", at);
    printf("%d ", WEXITSTATUS(system(command)));
    printf("%d\\n", WEXITSTATUS(pclose(popen(command, "w"))));
    return 0;
}
"""
WAYS = 14


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    whence = Whence(tmp_path_factory.mktemp("children"), whence_env)
    whence.build(CHILD, "child")
    whence.build(PARENT, "parent")
    for name, first in (("with-first-line", "#!/bin/sh\n"), ("without", "")):
        (whence.directory / name).write_text(f"{first}exec ./child $1\n")
        (whence.directory / name).chmod(0o755)
    return whence.directory


@pytest.fixture
def whence(folder: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(folder, {**whence_env, "PATH": f".:{whence_env['PATH']}"})


def test_children_run_as_they_are(whence: Whence) -> None:
    done, found = whence.findings("./parent", "3")
    assert (done.status, found) == (0, [])
    assert done.out.split() == [b"5"] * WAYS


def test_traced_children_are_checked(whence: Whence) -> None:
    """Every way to execute a program; findings of all processes are in one report."""
    done, found = whence.findings("--trace-children", "--keep-going", "./parent", "3")
    assert done.out.split() == [b"5"] * WAYS
    assert [(f["rule"], f["occurrences"]) for f in found] == [("heap-buffer-overflow", WAYS)]
    assert found[0]["process"]["command"] == ["child", "3"]
    assert "(child, started by " in done.err


def test_traced_children_that_stop(whence: Whence) -> None:
    """A child that is stopped at its finding ends with the status for findings; its parent goes on."""
    done, found = whence.findings("--trace-children", "./parent", "3")
    assert done.status == 99 and len(found) == 1
    assert done.out.split() == [b"99"] * WAYS
    assert f"the program exited with status 0; {WAYS} children were stopped at the first; checked" in done.err


def test_traced_children_without_bug(whence: Whence) -> None:
    done, found = whence.findings("--trace-children", "./parent", "2")
    assert (done.status, found, done.said) == (0, [], "")
    assert done.out.split() == [b"5"] * WAYS


def test_shell_with_traced_children(whence: Whence) -> None:
    """A program that carries no IR, and would be refused, starts those that do."""
    done, found = whence.findings("--trace-children", "sh", "-c", "./child 2; ./child 3")
    assert done.status == 99 and [f["rule"] for f in found] == ["heap-buffer-overflow"]


def test_environment_is_the_users(whence: Whence) -> None:
    """The program and its children see what they would see without us, preloaded libraries included."""
    mine = whence.with_env(LD_PRELOAD="libm.so.6", LD_LIBRARY_PATH="/nowhere", MARK="here")
    done = mine.run("./child", "2", "show")
    seen = dict(line.split("=", 1) for line in done.out.decode().splitlines())
    expected = {name: value for name, value in mine.env.items() if name != "_"}
    assert {name: value for name, value in seen.items() if name != "_"} == expected


ALLOCATOR = """
#include <stddef.h>
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void __libc_free(void *);
void *malloc(size_t size) { return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return __libc_calloc(n, size); }
void *realloc(void *block, size_t size) { return __libc_realloc(block, size); }
void free(void *block) { __libc_free(block); }
"""


def test_preloaded_allocator(whence: Whence, tmp_path: Path) -> None:
    """What the C library allocates for the program comes from our allocator all the same."""
    (tmp_path / "allocator.c").write_text(ALLOCATOR)
    library = tmp_path / "allocator.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "allocator.c"], check=True)
    program = whence.build(
        """
        #define _GNU_SOURCE
        #include <stdio.h>
        #include <stdlib.h>
        int main(int c, char **v) {
            char *line = NULL;
            size_t size = 0;
            FILE *file = fopen(v[0], "r");
            if (!file || getline(&line, &size, file) < 1) return 1;
            free(line);
            fclose(file);
            return 0;
        }""",
        "preloaded",
    )
    done, found = whence.with_env(LD_PRELOAD=str(library)).findings(program)
    assert (done.status, found, done.said) == (0, [], "")


def test_image_that_executes_itself_stays_checked(whence: Whence) -> None:
    program = whence.build(
        """
        #include <stdlib.h>
        #include <unistd.h>
        int main(int c, char **v) {
            char *p = malloc(3);
            if (c == 1) execl("/proc/self/exe", v[0], "again", (char *)0);
            p[3] = 1;
            return 0;
        }""",
        "again",
    )
    done, found = whence.findings(program)
    assert done.status == 99 and len(found) == 1 and found[0]["process"]["command"][1:] == ["again"]


@pytest.mark.parametrize("children", [[], ["--trace-children"]], ids=["alone", "children"])
def test_a_program_sees_the_name_of_its_file(whence: Whence, children: list[str]) -> None:
    """Not that of the copy which runs: for its data beside it, and to execute itself again."""
    program = whence.build(
        """
        #define _GNU_SOURCE
        #include <limits.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/auxv.h>
        #include <sys/prctl.h>
        #include <unistd.h>
        static void show(const char *name) {
            char path[PATH_MAX] = "";
            ssize_t length = readlink(name, path, sizeof path - 1);
            printf("%s %zd\\n", path, length);
            fflush(stdout);
        }
        int main(int count, char **words) {
            char own[40], path[PATH_MAX] = "", few[4], name[17] = "";
            sprintf(own, "/proc/%d/exe", (int)getpid());
            show("/proc/self/exe");
            show("/proc/thread-self/exe");
            show(own);
            show("link");
            show("/proc/self/exe/");
            ssize_t got = readlink("/proc/self/exe", few, sizeof few);
            printf("%zd %.4s %zd\\n", got, few, readlinkat(-1, own, path, sizeof path - 1));
            puts(path);
            char *made = realpath("/proc/self/exe", NULL), *other = canonicalize_file_name(own);
            puts(realpath("/proc/self/exe", path));
            printf("%s %s %s\\n", made, other, (char *)getauxval(AT_EXECFN));
            free(made);
            free(other);
            prctl(PR_GET_NAME, name);
            puts(name);
            fflush(stdout);
            if (count == 1) execl(path, words[0], "path", "x", (char *)0);
            if (count == 3) execl("/proc/self/exe", words[0], "link", (char *)0);
            char *volatile block = malloc(3);
            block[3] = 1;
            return 0;
        }""",
        "the-program",
    )
    link = whence.directory / "link"
    link.unlink(missing_ok=True)
    link.symlink_to("/proc/self/exe")
    done, found = whence.findings(*children, program)
    length, path = len(str(program)), program
    lines = [f"{path} {length}"] * 3 + ["/proc/self/exe 14", " -1"]
    lines += [f"4 {str(path)[:4]} {length}", *[str(path)] * 2, f"{path} {path} {path}", "the-program"]
    assert done.out.decode().splitlines() == lines * 3
    assert done.status == 99 and [each["rule"] for each in found] == ["heap-buffer-overflow"]
    assert found[0]["process"]["command"][1:] == ["link"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "note: the program executed itself as a user who cannot read whence's cache"),
        (["--trace-children"], "note: the program has become a user who cannot reach whence"),
    ],
    ids=["alone", "children"],
)
def test_another_user_executes_the_program_again(whence: Whence, options: list[str], said: str) -> None:
    program = whence.build(
        """
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        extern char **environ;
        int main(int count, char **words) {
            if (count > 1) {
                for (char **at = environ; *at; at++)
                    if (!strncmp(*at, "WHENCE_R", 8) || !strncmp(*at, "LD_", 3)) puts(*at);
                return puts("again") < 0;
            }
            if (chdir("/") || setgid(65534) || setuid(65534)) return 2;
            execl(getenv("SELF"), words[0], "again", (char *)0);
            return 3;
        }""",
        "becomes",
    )
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # pytest's folders are for one user
    try:
        folder.chmod(0o755)
        copy = Path(shutil.copy(program, folder / "becomes"))
        around = whence.with_env(SELF=str(copy), LD_LIBRARY_PATH="/nowhere")
        done = around.run(*options, copy)
    finally:
        shutil.rmtree(folder)
    assert (done.status, done.out) == (0, b"LD_LIBRARY_PATH=/nowhere\nagain\n")
    assert [line for line in done.err.splitlines() if said in line] and "ld.so" not in done.err


def test_a_module_of_two_processes_counts_once(whence: Whence) -> None:
    program = whence.build(
        """
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int main(int c, char **v) {
            free(malloc(3));
            if (c == 1 && fork() == 0) execl(v[0], v[0], "again", (char *)0);
            wait(NULL);
            return 0;
        }""",
        "twice",
    )
    done = whence.run("--trace-children", program)
    assert done.status == 0 and "; checked: 1 module, " in done.err


# ---- processes that are left behind -----------------------------------------------------------------

DAEMON = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t stop;
static void on_signal(int number) { stop = number; }
int main(int c, char **v) {
    signal(SIGTERM, on_signal);
    char *p = malloc(3);
    if (daemon(1, c > 1)) return 1;
    FILE *ready = fopen("pid", "w");
    fprintf(ready, "%d\\n", (int)getpid());
    fclose(ready);
    for (int i = 0; i < 60000 && !stop; i++) usleep(10000);
    p[stop == SIGTERM ? 3 : 0] = 1;
    free(p);
    return 0;
}
"""


@pytest.fixture
def daemon(folder: Path, whence_env: dict[str, str]) -> Path:
    whence = Whence(folder, whence_env)
    (folder / "pid").unlink(missing_ok=True)
    return folder / "daemon" if (folder / "daemon").exists() else whence.build(DAEMON, "daemon")


def told(folder: Path) -> int | None:
    """The number of the daemon, if it has told it."""
    text = (folder / "pid").read_text() if (folder / "pid").exists() else ""
    return int(text) if text.endswith("\n") else None


def started(folder: Path) -> int:
    """The number of the daemon, once it has told it."""
    end = time.monotonic() + TIMEOUT
    while (number := told(folder)) is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    return number


def test_signals_go_to_what_is_left_behind(whence: Whence, daemon: Path) -> None:
    """whence waits for the daemon, says so, and passes on what would end it."""
    running = whence.start(daemon)
    started(daemon.parent)
    assert running.stderr
    assert b"waiting for a process that it left behind" in running.stderr.readline()
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=TIMEOUT)
    assert running.returncode == 99 and b"heap-buffer-overflow" in err and b"its parent has ended" in err


def test_nobody_reads_that_something_is_left_behind(whence: Whence, daemon: Path, tmp_path: Path) -> None:
    """The finding is not lost with the reader of standard error."""
    report = tmp_path / "report.json"
    running = whence.start("--json", report, daemon)
    assert running.stderr
    running.stderr.close()
    started(daemon.parent)
    running.send_signal(signal.SIGTERM)
    assert running.wait(TIMEOUT) == 99
    assert [each["rule"] for each in json.loads(report.read_text())["findings"]] == ["heap-buffer-overflow"]


@pytest.mark.parametrize(("at", "rules"), [("3", ["heap-buffer-overflow"]), ("2", [])])
def test_what_a_process_left_behind_executes(whence: Whence, at: str, rules: list[str]) -> None:
    """The shell has ended when its child executes a program."""
    script = "parent=$$; { while kill -0 $parent 2>&-; do sleep 0.1; done; exec ./child $0; } &"
    done, found = whence.findings("--trace-children", "sh", "-c", script, at)
    assert [f["rule"] for f in found] == rules
    assert done.status == (99 if rules else 0)


def test_no_wait(whence: Whence, daemon: Path) -> None:
    done = whence.run("--no-wait", daemon)
    os.kill(started(daemon.parent), signal.SIGKILL)
    assert done.status == 0 and "1 of its processes still ran" in done.err


def test_timeout_ends_what_is_left_behind(whence: Whence, daemon: Path) -> None:
    done, seconds = with_patience(
        lambda seconds: whence.run("--timeout", str(seconds), daemon),
        lambda _: told(daemon.parent) is not None,
    )
    assert done.status == 124 and f"was killed after {seconds} seconds" in done.err
    number = started(daemon.parent)
    assert eventually(lambda: not lives(number))


# Without an argument the program ends after its child has executed the other program; with one the child
# waits for a file.
LEAVER = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return 1;
    pid_t child = fork();
    if (child == 0) {
        for (int descriptor = 0; descriptor < 3; descriptor++) close(descriptor);
        while (count > 1 && access("go", F_OK)) usleep(10000);
        execlp("sleep", "sleep", "1000", (char *)0);
    }
    close(ends[1]);
    char byte;
    if (count == 1 && read(ends[0], &byte, 1) != 0) return 2;
    printf("%d", (int)child);
    return 0;
}
"""


def test_other_programs_are_not_waited_for(whence: Whence) -> None:
    """What runs as it is may stay."""
    done = whence.run(whence.build(LEAVER, "leaver"))
    os.kill(int(done.out), signal.SIGKILL)
    assert (done.status, done.said) == (0, "")


def test_a_process_is_not_waited_for_once_it_executes_another_program(whence: Whence) -> None:
    program = whence.build(LEAVER, "leaver")
    go = whence.directory / "go"
    go.unlink(missing_ok=True)
    running = whence.start(program, "later")
    assert running.stderr
    said = running.stderr.readline().decode()
    go.touch()
    out, err = running.communicate(timeout=TIMEOUT)
    os.kill(int(out), signal.SIGKILL)
    assert running.returncode == 0 and before_last_line(err.decode()) == ""
    sentence = f"whence: {program} has ended; waiting for a process that it left behind: leaver ("
    assert said.startswith(sentence)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_script_is_followed(whence: Whence, shell: str) -> None:
    """What a script executes or starts is what is to be checked."""
    whence.build(
        "#include <stdlib.h>\nint main(int c, char **v) { char *p = malloc(8); p[c + 6] = 1; free(p); }"
    )
    script = whence.directory / "wrapper"
    for word, status, rules in (("", 0, []), (" x", 99, ["heap-buffer-overflow"])):
        script.write_text(f"#!/usr/bin/env {shell}\ntrue | cat\nexec ./prog{word}\n")
        script.chmod(0o755)
        done, found = whence.findings(script)
        assert (done.status, [finding["rule"] for finding in found]) == (status, rules)
        assert "; checked: 1 module, 1 function, " in done.err.splitlines()[-1]


def test_a_script_that_starts_nothing_with_ir(whence: Whence) -> None:
    script = whence.directory / "idle"
    script.write_text("#!/bin/sh\ntrue\n")
    script.chmod(0o755)
    done = whence.run(script)
    assert done.status == 0 and done.err.splitlines()[-1].startswith("whence: nothing was checked: neither ")
    done = whence.run("--engine", "native", script)
    assert done.status == 126 and is_one_sentence(done.err) and "nothing was checked" in done.err


CLOSED = """
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    void *library = dlopen("./libleak.so", RTLD_NOW);
    if (!library) return puts(dlerror());
    ((void (*)(void))dlsym(library, "leak"))();
    dlclose(library);
}
"""


def test_a_library_that_one_of_several_programs_has_closed(whence: Whence) -> None:
    """The stack of a leak at the end leads through it; another program's libraries do not lie there."""
    (whence.directory / "leak.c").write_text('#include <string.h>\nvoid leak(void) { strdup("leak"); }\n')
    whence.cc("-g", "-O1", "-w", "-fPIC", "-shared", "leak.c", "-o", "libleak.so")
    whence.build(CLOSED)
    _, findings = whence.findings("--trace-children", "sh", "-c", "./prog; $PWD/prog; true")
    stacks = [each["block"]["allocated"]["stack"] for each in findings]
    assert [[frame["function"] for frame in stack] for stack in stacks] == [["leak", "main"]] * len(stacks)
    assert findings and {each["rule"] for each in findings} == {"definite-leak"}
