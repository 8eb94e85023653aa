"""`--locate auto`, the default: the second run says whence values came, and changes nothing but itself."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

WORLD = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <resolv.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <netdb.h>
extern char **environ;
static volatile int seen;
static void on_signal(int number) { seen = number; }
static void *body(void *argument) { free(malloc(4)); return argument; }
static void append(const char *path) {
    FILE *file = fopen(path, "a");
    fputs("once\n", file);
    fclose(file);
}
static int reach(int port) {
    struct sockaddr_in address = {AF_INET, htons(port), {htonl(0x7f000001)}, {0}};
    return connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&address, sizeof address);
}
static void end_handler(int number) { append("log"); }
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "", *other = argc > 2 ? argv[2] : "0";
    char *item = malloc(10), text[64] = "";
    char *words[] = {"/bin/sh", "-c", "echo once >> log", 0};
    int ends[2];
    pid_t child;
    sigset_t all, old;
    sigfillset(&all);
#define IS(name) if (!strcmp(what, name))
    /* what changes the world */
    IS("write") append("log");
    IS("read-write") write(open("log", O_RDWR | O_CREAT, 0600), "once\n", 5);
    IS("creat") write(creat("log", 0600), "once\n", 5);
    IS("mkstemp") { strcpy(text, "logXXXXXX"); mkstemp(text); }
    IS("unlink") unlink("there");
    IS("rename") rename("there", "here");
    IS("mkdir") mkdir("folder", 0700);
    IS("symlink") symlink("there", "link");
    IS("link") link("there", "link");
    IS("chmod") chmod("there", 0600);
    IS("truncate") truncate("there", 0);
    IS("times") utimes("there", NULL);
    IS("fifo") mkfifo("fifo", 0600);
    IS("fork") { if (!fork()) { append("log"); _exit(0); } wait(0); }
    IS("vfork") { if (!vfork()) { execve(words[0], words, environ); _exit(1); } wait(0); }
    IS("system") system("echo once >> log");
    IS("popen") pclose(popen("echo once >> log", "r"));
    IS("spawn") { posix_spawn(&child, words[0], 0, 0, words, environ); waitpid(child, 0, 0); }
    IS("kill") kill(atoi(other), SIGUSR1);
    IS("blocked") { sigprocmask(SIG_BLOCK, &all, &old); append("log"); }
    IS("handler") {
        struct sigaction action = {0};
        action.sa_handler = end_handler;
        sigfillset(&action.sa_mask);
        sigaction(SIGUSR1, &action, 0);
        raise(SIGUSR1);
    }
    IS("own-sigsys") { signal(SIGSYS, on_signal); append("log"); }
    IS("thread") {
        pthread_t thread;
        pthread_create(&thread, 0, (void *(*)(void *))append, "log");
        pthread_join(thread, 0);
    }
    IS("connect") reach(atoi(other));
    IS("listen") listen(socket(AF_INET, SOCK_STREAM, 0), 1);
    IS("datagram") {
        struct sockaddr_in to = {AF_INET, htons(9), {htonl(0x7f000001)}, {0}};
        sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, (void *)&to, sizeof to);
    }
    IS("local-socket") {
        struct sockaddr_un to = {AF_UNIX, "/nowhere/socket"};
        connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&to, sizeof to);
    }
    IS("shared-memory") shm_open("/whence-caged", O_RDWR | O_CREAT, 0600), shm_unlink("/whence-caged");
    IS("system-v") shmctl(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600), IPC_RMID, 0);
    IS("raw") syscall(SYS_unlink, "there");
    IS("read-fifo") read(open("there", O_RDONLY), text, 1);
    IS("getchar") if (getchar() != 'x') return 3;
    IS("read") if (read(0, text, 1) != 1) return 3;
    IS("dup") if (read(dup(0), text, 1) != 1) return 3;
    IS("fcntl") if (fcntl(0, F_GETFD) < 0 || read(fcntl(0, F_DUPFD, 10), text, 1) != 1) return 3;
    /* what does not */
    IS("files") { FILE *file = fopen("there", "r"); fgets(text, sizeof text, file); fclose(file); }
    IS("threads") { pthread_t thread; pthread_create(&thread, 0, body, 0); pthread_join(thread, 0); }
    IS("dlopen") { void (*work)(void) = (void (*)(void))dlsym(dlopen(other, RTLD_NOW), "work"); work(); }
    IS("null") append("/dev/null");
    IS("stdout") append("/dev/stdout");
    IS("tmpfile") { FILE *file = tmpfile(); fputs("x", file); fclose(file); }
    IS("memfd") write(memfd_create("x", 0), "x", 1);
    IS("raise") { signal(SIGUSR1, on_signal); raise(SIGUSR1); kill(getpid(), SIGUSR1); kill(getppid(), 0); }
    IS("passwd") getpwnam("nobody");
    IS("names") { struct addrinfo *found; getaddrinfo("127.0.0.1", "80", 0, &found); sleep(1); }
    IS("query") {
        struct __res_state state = {0};
        unsigned char answer[512];
        res_ninit(&state);
        state.nsaddr_list[0] = (struct sockaddr_in){AF_INET, htons(atoi(other)), {htonl(0x7f000001)}, {0}};
        state.nscount = 1;
        if (res_nquery(&state, "whence.example", 1, 1, answer, sizeof answer) < 12) return 3;
        sleep(1);
    }
    IS("pipe") { pipe(ends); write(ends[1], "x", 1); read(ends[0], text, 1); }
    IS("pair") {
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        if (send(ends[1], "x", 1, 0) != 1 || recv(ends[0], text, 1, 0) != 1) return 3;
    }
    IS("message") {
        struct iovec part = {"x", 1};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        if (sendmsg(ends[1], &message, 0) != 1 || read(ends[0], text, 1) != 1) return 3;
    }
    IS("timer") {
        struct itimerval soon = {{0, 0}, {0, 1000}};
        signal(SIGALRM, on_signal);
        setitimer(ITIMER_REAL, &soon, 0);
        while (seen != SIGALRM) continue;
    }
    IS("masks") {
        sigset_t now;
        sigprocmask(SIG_BLOCK, &all, &old);
        sigprocmask(SIG_SETMASK, 0, &now);
        if (!sigismember(&now, SIGUSR1) || sigismember(&old, SIGUSR1)) return 3;
        sigprocmask(SIG_UNBLOCK, &all, 0);
        sigprocmask(SIG_SETMASK, 0, &now);
        if (sigismember(&now, SIGUSR1) || syscall(SYS_rt_sigprocmask, 7, &all, 0, 8) != -1) return 3;
        if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, (void *)8, 0, 8) != -1 || errno != EFAULT) return 3;
    }
    IS("descriptor") {
        if (read(atoi(other), text, 4) != 4 || strcmp(text, "line")) return 3;
        write(atoi(other) + 1, "once\n", 5);
    }
    IS("long") {
        struct timespec now = {0};
        while (now.tv_sec < 11) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    }
    IS("dies") { append("log"); abort(); }
    IS("early") { free(item); free(item); append("log"); item = malloc(10); }
    puts("out");
    free(item);
    char *alias = item;
    free(alias);
    return 0;
}
"""
_SLOW = """
from whence.engines.native import costs
from whence.cli.main import main
costs._LEAST = 1000.0
main()
"""
LIBRARIES = ("-lpthread", "-ldl", "-lresolv")
CHAIN = [("argument", "free"), ("stored", "alias"), ("stored", "item"), ("allocation", "malloc")]


_FORGETFUL = """
from whence.engines.keeping import Kept
from whence.cli.main import main
Kept.take = lambda *_: None
main()
"""


class Place:
    """A folder with the program, and the means to run it there."""

    def __init__(self, whence: Whence, program: Path) -> None:
        self.whence, self.program, self.folder = whence, program, whence.directory

    def run(self, *words: object, options: tuple[str, ...] = (), **more: Any) -> Ran:
        report = self.folder / "report.json"
        command = self.whence.command("whence.cli.main", "run", "--json", report, *options, self.program)
        more = {"stdin": subprocess.DEVNULL, **more}
        if more.pop("slow", False):
            command[1:3] = ["-c", _SLOW]
        if more.pop("forgetful", False):
            command[1:3] = ["-c", _FORGETFUL]
        env = {**self.whence.env, "WHENCE_OPTIONS": ""}
        done = subprocess.run(
            [*command, *map(str, words)],
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            **more,
        )
        return Ran(done, json.loads(report.read_text())["findings"])


class Ran:
    def __init__(self, done: subprocess.CompletedProcess[str], findings: list[dict[str, Any]]) -> None:
        self.out, self.err, self.findings = done.stdout, done.stderr, findings
        self.status = done.returncode
        self.notes = [line for line in done.stderr.splitlines() if line.startswith("note: ")]

    @property
    def chain(self) -> list[tuple[str, str]] | None:
        """The hops of the first finding's pointer."""
        for each in self.findings[0].get("chains", []):
            if each["term"] == "r":
                return [(hop["kind"], hop["name"]) for hop in each["hops"]]
        return None


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    return Whence(tmp_path_factory.mktemp("caged"), whence_env).build(WORLD, "world", *LIBRARIES)


@pytest.fixture
def place(tmp_path: Path, whence_env: dict[str, str], program: Path) -> Place:
    (tmp_path / "there").write_text("line\n")
    (tmp_path / "there").chmod(0o644)
    return Place(Whence(tmp_path, whence_env), program)


STOPPED = {
    "write": "opens log for writing",
    "read-write": "opens log for writing",
    "creat": "opens log for writing",
    "mkstemp": "opens log",
    "unlink": "removes there",
    "rename": "renames there",
    "mkdir": "makes the folder folder",
    "symlink": "makes a link to there",
    "link": "makes a link to there",
    "chmod": "changes the mode of there",
    "truncate": "truncates there",
    "times": "changes the times of there",
    "fifo": "makes fifo",
    "fork": "starts another process",
    "vfork": "starts another process",
    "system": "starts another process",
    "popen": "starts another process",
    "spawn": "starts another process",
    "blocked": "opens log for writing",
    "handler": "opens log for writing",
    "own-sigsys": "opens log for writing",
    "thread": "opens log for writing",
    "listen": "waits for connections",
    "datagram": "sends to 127.0.0.1:9",
    "local-socket": "connects to /nowhere/socket",
    "shared-memory": "opens /dev/shm/whence-caged for writing",
    "system-v": "uses System V shared memory",
    "raw": "removes there",
}


QUICK = ("write", "fork", "listen", "own-sigsys")
"""What the quick tests stop."""
ALIKE = (
    *("read-write", "creat", "mkstemp", "symlink", "link", "truncate", "times", "fifo", "vfork", "popen"),
    *("own-sigsys", "datagram", "system-v", "raw"),
)
"""What is stopped as others are, which the quick tests have."""


@pytest.mark.parametrize(
    "what", [pytest.param(each, marks=[] if each in QUICK else [pytest.mark.slow]) for each in STOPPED]
)
def test_without_answers_it_ends_before_it_changes_the_world(place: Place, what: str) -> None:
    ran = place.run(what, forgetful=True)
    assert (ran.status, ran.out, len(ran.findings), ran.chain) == (99, "out\n", 1, None), ran.err
    (note,) = ran.notes
    assert f"was stopped, since it {STOPPED[what]}" in note
    assert "--locate replay" in note and "--locate always" in note
    log = place.folder / "log"
    assert not log.exists() or log.read_text() == "once\n"


@pytest.mark.parametrize(
    "what", [pytest.param(each, marks=[pytest.mark.slow] if each in ALIKE else []) for each in STOPPED]
)
def test_what_changes_the_world_happens_once_and_has_its_chain(place: Place, what: str) -> None:
    ran = place.run(what)
    assert (ran.status, ran.out, ran.notes, ran.chain) == (99, "out\n", [], CHAIN), ran.err
    log = place.folder / "log"
    assert not log.exists() or log.read_text() == "once\n"


def test_another_process_gets_one_signal(place: Place) -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: came.append(number))
    try:
        ran = place.run("kill", os.getpid())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert came == [signal.SIGUSR1]
    assert (ran.notes, ran.chain) == ([], CHAIN), ran.err


def test_a_server_gets_one_connection(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ran = place.run("connect", port)
        server.accept()[0].close()
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()
    assert (ran.notes, ran.chain) == ([], CHAIN), ran.err


def test_a_fifo_is_not_read_twice(place: Place) -> None:
    (place.folder / "there").unlink()
    os.mkfifo(place.folder / "there")
    end = os.open(place.folder / "there", os.O_RDWR)
    os.write(end, b"xy")
    ran = place.run("read-fifo")
    assert os.read(end, 10) == b"y"
    os.close(end)
    assert (ran.notes, ran.chain) == ([], CHAIN), ran.err


@pytest.mark.parametrize(
    "what",
    [
        *("", "files", "threads", "null", "tmpfile", "memfd", "raise", "passwd", "names"),
        *("pipe", "pair", "message", "timer", "masks"),
    ],
)
def test_what_changes_nothing_goes_on(place: Place, what: str) -> None:
    ran = place.run(what)
    assert (ran.status, ran.out, ran.notes, ran.chain) == (99, "out\n", [], CHAIN), ran.err


def test_a_name_server_is_asked_once(place: Place) -> None:
    """The resolver takes no answer without the number of its question, which it makes from the time."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        asked: list[bytes] = []

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    question, client = server.recvfrom(512)
                    asked.append(question)
                    address = b"\xc0\x0c" + struct.pack(">HHIH4B", 1, 1, 60, 4, 192, 0, 2, 1)
                    counts = struct.pack(">HHHHH", 0x8180, 1, 1, 0, 0)
                    server.sendto(question[:2] + counts + question[12:] + address, client)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        ran = place.run("query", server.getsockname()[1])
    assert (ran.status, ran.out, ran.notes, ran.chain) == (99, "out\n", [], CHAIN), ran.err
    assert len(asked) == 1


def test_standard_output_by_its_name_leads_nowhere(place: Place) -> None:
    ran = place.run("stdout")
    assert (sorted(ran.out.splitlines()), ran.notes, ran.chain) == (["once", "out"], [], CHAIN), ran.err


@pytest.mark.parametrize("checked", [True, False])
def test_libraries_are_loaded(place: Place, checked: bool) -> None:
    text = "#include <stdlib.h>\nvoid work(void) { free(malloc(4)); }\n"
    if checked:
        library = place.whence.build(text, "work.so", "-shared", "-fPIC")
    else:
        library = place.folder / "work.so"
        (place.folder / "work.c").write_text(text)
        subprocess.run(
            ["cc", "-shared", "-fPIC", place.folder / "work.c", "-o", library], check=True, cwd=place.folder
        )
    ran = place.run("dlopen", library)
    assert (ran.notes, ran.chain) == ([], CHAIN), ran.err


def test_an_abort_has_its_chain(place: Place) -> None:
    """What the program does before goes on; the second run ends as the first one."""
    text = "#include <stdlib.h>\nint main(void) { char *p = malloc(4); free(p); free(p); abort(); }"
    aborting = place.whence.build(text, "aborting")
    ran = Place(place.whence, aborting).run(options=("--keep-going",))
    assert len(ran.findings) == 2
    assert ran.notes == [] and ran.chain is not None, ran.err


def test_a_finding_without_a_value_needs_no_second_run(place: Place) -> None:
    ran = place.run("dies")
    assert [each["rule"] for each in ran.findings] == ["signal"]
    assert ran.notes == [], ran.err


def test_where_replay_does_not_help_it_is_not_offered(place: Place) -> None:
    (note,) = place.run(options=("--exec",)).notes
    assert "it runs in the place of the process that was started; try --locate always" in note


def test_a_leak_has_its_chain(place: Place) -> None:
    text = "#include <stdlib.h>\nint main(void) { char *p = malloc(4); p = 0; return p != 0; }"
    leaking = Place(place.whence, place.whence.build(text, "leaking", "-O0"))
    ran = leaking.run()
    assert ran.notes == [] and ran.findings[0]["chains"], ran.err


def test_findings_before_the_change_have_their_chains(place: Place) -> None:
    ran = place.run("early", options=("--keep-going", "--leak-check", "no"), forgetful=True)
    assert (place.folder / "log").read_text() == "once\n"
    assert ran.chain == [("argument", "free"), ("stored", "item"), ("allocation", "malloc")]
    assert "chains" not in ran.findings[1]
    (note,) = ran.notes
    assert "no chain for double-free: the second run was stopped, since it opens log for writing" in note


def test_standard_input_from_a_file_is_read_again(place: Place) -> None:
    text = """
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *p = malloc(4); int c = getchar(); free(p); if (c == 'x') free(p); return 0; }
"""
    reading = Place(place.whence, place.whence.build(text, "reading"))
    given = place.folder / "given"
    given.write_bytes(b"-x")
    with given.open("r+b", buffering=0) as stdin:
        assert stdin.read(1) == b"-"
        ran = reading.run(stdin=stdin)
        assert stdin.tell() == 2
    assert ran.notes == [] and ran.chain is not None, ran.err


@pytest.mark.parametrize("mode", ["never", "auto"])
def test_the_option_is_as_good_as_the_default(place: Place, mode: str) -> None:
    ran = place.run("write", options=("--locate", mode))
    assert (ran.chain, ran.notes) == (CHAIN if mode == "auto" else None, [])


def test_python_asks_for_it(place: Place) -> None:
    import whence

    assert "chains" not in json.loads(whence.run(place.program, stdin=b"").json())["findings"][0]
    result = whence.run(place.program, stdin=b"", locate="auto", capture_output=True)
    assert result.findings[0].chains and result.stdout == b"out\n"


@pytest.mark.parametrize("what", ["getchar", "read", "dup", "fcntl"])
def test_what_came_through_a_pipe_comes_again(place: Place, what: str) -> None:
    ran = place.run(what, stdin=None, input="x")
    assert (ran.status, ran.notes, ran.chain) == (99, [], CHAIN), ran.err


def test_without_answers_a_pipe_is_not_read_again(place: Place) -> None:
    ran = place.run("getchar", stdin=None, input="x", forgetful=True)
    assert ran.status == 99 and ran.chain is None
    assert "since it reads its standard input, which cannot be read again; try --locate" in ran.notes[0]


@pytest.mark.parametrize("what", ["", "files", "pipe"])
def test_a_pipe_that_nobody_reads_is_no_matter(place: Place, what: str) -> None:
    ran = place.run(what, stdin=None, input="x")
    assert (ran.notes, ran.chain) == ([], CHAIN), ran.err


@pytest.mark.parametrize("what", ["", "getchar"])
def test_a_terminal_is_read_once(place: Place, what: str) -> None:
    controller, terminal = os.openpty()
    os.write(controller, b"x\n")
    ran = place.run(what, stdin=terminal)
    os.close(terminal)
    os.close(controller)
    assert (ran.status, ran.notes, ran.chain) == (99, [], CHAIN), ran.err


WAITING = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int seen;
static void on_child(int number) { seen = number; }
int main(void) {
    int *item = malloc(4);
    signal(SIGCHLD, on_child);
    if (!fork()) _exit(0);
    while (!seen) usleep(1000);
    free(item);
    free(item);
    return 0;
}
"""


@pytest.mark.slow  # ten seconds
def test_a_second_run_that_does_not_end_is_killed(place: Place) -> None:
    ran = Place(place.whence, place.whence.build(WAITING, "waiting")).run()
    assert ran.status == 99 and ran.chain is None
    assert "since it did not end within 10 s" in ran.notes[0]


def test_inherited_descriptors_lead_nowhere(place: Place) -> None:
    """One that can only be read is read again, from its begin; its place is that of the first run."""
    log = place.folder / "log"
    with open(place.folder / "there", "rb") as there, open(log, "wb") as written:
        os.dup2(there.fileno(), 200)
        os.dup2(written.fileno(), 201)
    ran = place.run("descriptor", 200, pass_fds=(200, 201))
    assert os.lseek(200, 0, os.SEEK_CUR) == 4
    os.close(200)
    os.close(201)
    assert log.read_text() == "once\n"
    assert (ran.notes, ran.chain) == ([], CHAIN), ran.err


def test_no_second_run_of_a_long_one(place: Place) -> None:
    ran = place.run("long", options=("--locate-time", "20"))
    assert ran.chain is None
    assert "no chains: a second run would take 5" in ran.notes[0]
    assert "(--locate-time 20); try --locate-time " in ran.notes[0]


def test_much_code_is_not_instrumented_for_it(place: Place) -> None:
    """Of which it is expected that it takes long; what is in the cache already does not count."""
    source = place.whence.build(WORLD.replace("once", "Once"), "world", *LIBRARIES)
    large = Place(place.whence, source)
    ran = large.run(slow=True)
    assert ran.chain is None
    assert "no chains: instrumenting for a second run would take 1000 s, more than it may" in ran.notes[0]
    assert "try --locate-time 1510, whence prepare --locate ahead" in ran.notes[0]
    assert large.run().chain == large.run(slow=True).chain == CHAIN


def test_checked_children_are_not_started_again(place: Place) -> None:
    ran = place.run(options=("--trace-children",))
    assert ran.chain is None and "the programs that it executes are checked, too" in ran.notes[0]


def test_engine_alloc_says_nothing(place: Place) -> None:
    ran = place.run(options=("--engine", "alloc"))
    assert ran.findings and not any("follow" in note or "whence" in note for note in ran.notes), ran.err


@pytest.fixture
def forbidden() -> Iterator[Callable[[], None]]:
    """What a process calls so that seccomp fails with EPERM in it and its children."""
    ld, jump, answer = 0x20, 0x15, 0x06
    number, error, allowed = 317, 0x00050001, 0x7FFF0000
    rows = [(ld, 0, 0, 0), (jump, 0, 1, number), (answer, 0, 0, error), (answer, 0, 0, allowed)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rows), ctypes.addressof(code)))
    libc = ctypes.CDLL(None)

    def forbid() -> None:
        libc.prctl(38, 1, 0, 0, 0)
        if libc.prctl(22, 2, program, 0, 0):
            os._exit(120)

    yield forbid


def test_a_system_without_filters_is_said(place: Place, forbidden: Callable[[], None]) -> None:
    ran = place.run(preexec_fn=forbidden)
    assert ran.chain is None
    assert "the system does not let its calls be filtered" in ran.notes[0]
