"""What the kernel answers a first run is kept, and a second one gets it again (`whence.abi.calls`)."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.tiers import one_in

from whence.abi import calls

pytestmark = pytest.mark.build

WORLD = r"""
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <mutex>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>
/* Blocks of which the number depends on an answer: the finding comes at another moment, if that is
 * another one. */
static void depend(unsigned long on) {
    for (unsigned long i = 0; i < on % 17; i++) free(malloc(5));
}
static int serve(void) {
    struct sockaddr_in own = {};
    socklen_t size = sizeof own;
    int server = socket(AF_INET, SOCK_STREAM, 0), status;
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(server, (struct sockaddr *)&own, sizeof own);
    getsockname(server, (struct sockaddr *)&own, &size);
    listen(server, 1);
    if (!fork()) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        connect(client, (struct sockaddr *)&own, sizeof own);
        char text[8];
        _exit(write(client, "hello", 5) != 5 || read(client, text, sizeof text) != 5);
    }
    struct pollfd event = {server, POLLIN, 0};
    poll(&event, 1, -1);
    size = sizeof own;
    int client = accept(server, (struct sockaddr *)&own, &size);
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(client, &ready);
    select(client + 1, &ready, 0, 0, 0);
    char text[20];
    struct iovec part = {text, sizeof text};
    struct msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    ssize_t count = recvmsg(client, &message, 0);
    send(client, text, count, 0);
    close(client);
    wait(&status);
    depend(ntohs(own.sin_port) + count);
    return status;
}
static void log_in_threads(void) {
    std::mutex lock;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] {
            std::lock_guard<std::mutex> guard(lock);
            std::ofstream("log", std::ios::app) << "line\n";
        });
    for (auto &each : threads) each.join();
}
int main(int argc, char **argv) {
    std::string what = argv[1];
    char text[100] = "";
    FILE *file;
    int ends[2], status = 0;
    char *item = (char *)malloc(10);
    if (what == "rewrite") {
        std::string line;
        std::ifstream("there") >> line;
        if (line != "line") return 3;
        std::ofstream("there") << "other\n";
    } else if (what == "append") {
        file = fopen("there", "a+");
        fputs("more\n", file);
        rewind(file);
        while (fgets(text, sizeof text, file)) status++;
        fclose(file);
        if (status != 2) return 3;
    } else if (what == "map") {
        int made = open("map", O_RDWR | O_CREAT | O_TRUNC, 0600);
        ftruncate(made, 4096);
        char *at = (char *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
        strcpy(at, "text");
        if (pread(made, text, 4, 0) != 4 || strcmp(text, "text")) return 3;
    } else if (what == "folder") {
        mkdir("folder", 0700);
        close(creat("folder/one", 0600));
        DIR *list = opendir("folder");
        while (readdir(list)) status++;
        closedir(list);
        unlink("folder/one");
        if (rmdir("folder") || status != 3) return 3;
    } else if (what == "popen") {
        file = popen("cat /proc/uptime; date +%N; exit 4", "r");
        while (fgets(text, sizeof text, file)) depend(atol(text) + strlen(text) + text[0]);
        if (WEXITSTATUS(pclose(file)) != 4) return 3;
    } else if (what == "fork") {
        pipe(ends);
        pid_t child = fork();
        if (!child) _exit(dprintf(ends[1], "%d", getpid()) < 1);
        read(ends[0], text, sizeof text - 1);
        if (waitpid(child, &status, 0) != child || status || atoi(text) != child) return 3;
        depend(child);
    } else if (what == "serve") {
        if (serve()) return 3;
    } else if (what == "threads") {
        log_in_threads();
    } else if (what == "cin") {
        std::string line;
        while (std::getline(std::cin, line)) depend(line.size());
    } else if (what == "random") {
        int device = open("/dev/urandom", O_RDONLY);
        read(device, text, 8);
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        depend(text[0] + text[1] + now.tv_nsec);
    } else if (what == "status") {
        struct stat facts;
        for (int i = 0; i < 3; i++) {
            close(creat("made", 0600));
            stat("made", &facts);
            depend(facts.st_mtim.tv_nsec);
        }
    } else if (what == "name") {
        strcpy(text, "made-XXXXXX");
        close(mkstemp(text));
        for (const char *at = text; *at; at++) depend(*at);
        unlink(text);
    } else if (what == "child") {
        if (fork()) return free(item), wait(&status), status != 99 << 8;
        dprintf(open("log", O_WRONLY | O_CREAT | O_APPEND, 0600), "line\n");
    } else if (what == "daemon") {
        if (daemon(1, 1)) return 3;
        dprintf(open("log", O_WRONLY | O_CREAT | O_APPEND, 0600), "line\n");
        depend(getpid());
    } else if (what == "large") {
        file = fopen("large", "r");
        unsigned long sum = 0;
        while ((status = fread(text, 1, sizeof text, file))) sum += text[0] + status;
        depend(sum);
    } else if (what == "many") {
        file = fopen("log", "w");
        setvbuf(file, 0, _IONBF, 0);
        for (int i = 0; i < 5000; i++) fputs("line\n", file);
        fclose(file);
    }
    free(item);
    char *alias = item;
    free(alias);
    return 0;
}
"""
ACTS = (
    *("rewrite", "append", "map", "folder", "popen", "fork", "serve", "threads", "cin", "random", "status"),
    *("name", "child", "daemon", "large", "many"),
)


class Place:
    def __init__(self, whence: Whence, program: Path) -> None:
        self.whence, self.program, self.folder = whence, program, whence.directory
        (self.folder / "there").write_text("line\n")
        (self.folder / "large").write_bytes(bytes(range(256)) * (3 << 12))

    def run(self, *words: object, code: str = "") -> tuple[list[dict[str, Any]], str]:
        report = self.folder / "report.json"
        command = self.whence.command("whence.cli.main", "run", "--json", report, self.program, *words)
        if code:
            command[1:3] = ["-c", f"{code}\nfrom whence.cli.main import main\nmain()"]
        env = {**self.whence.env, "WHENCE_OPTIONS": ""}
        done = subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            env=env,
            input="one\nthree\n",
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        return json.loads(report.read_text())["findings"], done.stderr


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    whence = Whence(tmp_path_factory.mktemp("kept"), whence_env)
    (whence.directory / "world.cpp").write_text(WORLD)
    built = whence.process("whence.cli.cc", "c++", "-g", "-O1", "world.cpp", "-o", "world", "-lpthread")
    assert built.status == 0, built.err
    return whence.directory / "world"


@pytest.fixture
def place(tmp_path: Path, whence_env: dict[str, str], program: Path) -> Place:
    return Place(Whence(tmp_path, whence_env), program)


@pytest.mark.parametrize("what", one_in(2, ACTS))
def test_a_program_that_acts_has_its_chain(place: Place, what: str) -> None:
    (finding, *more), said = place.run(what)
    assert "note: " not in said and not more, said
    hops = [(hop["kind"], hop["name"]) for hop in finding["chains"][0]["hops"]]
    assert hops[-1] == ("allocation", "malloc") and ("stored", "alias") in hops
    lines = {"threads": 3, "child": 1, "daemon": 1, "many": 5000}.get(what, 0)
    log = place.folder / "log"
    assert (log.read_text() if log.exists() else "") == "line\n" * lines


def _kept(place: Place, what: str) -> list[dict[str, Any]]:
    """The calls that a run keeps."""
    code = f"""
import shutil
from whence.engines.keeping import Kept
Kept.take = lambda self, record, child: shutil.copy(f"{{record}}{calls.SUFFIX}", "kept")
"""
    place.run(what, code=code)
    data = (place.folder / "kept").read_bytes()
    end = calls.HEADER.size + calls.HEADER.unpack(data)["used"]
    found, at = [], calls.HEADER.size
    while at < end:
        found.append(calls.CALL.unpack(data[at : at + calls.CALL.size]))
        assert found[-1]["size"] % 8 == 0 and found[-1]["size"] >= calls.CALL.size
        at += found[-1]["size"]
    assert at == end
    return found


def test_the_numbers_of_calls_are_those_of_the_kernel(place: Place) -> None:
    openat, close_on_exec_stat, write, read, unlink, getdents = 257, 262, 1, 0, 87, 217
    numbers = [each["number"] for each in _kept(place, "folder")]
    assert {openat, close_on_exec_stat, unlink, getdents} <= set(numbers)
    assert {83, 85, 84} & set(numbers) or {257, 258} <= set(numbers)  # mkdir, creat, rmdir
    appended = [each["number"] for each in _kept(place, "append")]
    assert appended.index(openat) < appended.index(write) < appended.index(read)


def test_equal_calls_are_one_with_a_count(place: Place) -> None:
    (written,) = [each for each in _kept(place, "many") if each["number"] == 1]
    assert written["repeats"] == 4999 and written["result"] == calls.ALL


def test_large_files_are_read_again(place: Place) -> None:
    reads = [each for each in _kept(place, "large") if each["number"] == 0]
    assert sum(each["repeats"] + 1 for each in reads) > 700
    assert not any(each["outputs"] for each in reads)


def test_a_file_that_has_changed_is_said(place: Place) -> None:
    """Its contents are not kept, and it is another one in the second run."""
    code = """
from whence.engines.keeping import Kept
take = Kept.take
def changed(self, record, child):
    take(self, record, child)
    open("large", "wb").write(b"x" * 100)
Kept.take = changed
"""
    (finding,), said = place.run("large", code=code)
    assert "chains" not in finding
    assert "no chain for " in said and "the second run " in said


@pytest.mark.parametrize("damage", [b"", b"\xff" * 200, struct.pack("<IIQ", 0, 0, 1 << 40) + b"\x01" * 64])
def test_a_damaged_file_is_no_matter(place: Place, damage: bytes) -> None:
    code = f"""
from whence.engines.keeping import Kept
take = Kept.take
def damaged(self, record, child):
    take(self, record, child)
    open(self.calls, "wb").write({damage!r})
Kept.take = damaged
"""
    (finding,), said = place.run("append", code=code)
    assert finding["rule"] == "double-free"
    assert "internal error" not in said and "Traceback" not in said


_FORBIDS_CHANGED_CODE = """
import ctypes, sys
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE
    print("not here", file=sys.stderr)
"""


def test_where_changed_code_must_not_run_nothing_is_kept(place: Place) -> None:
    (finding,), said = place.run("append", code=_FORBIDS_CHANGED_CODE)
    if "not here" in said:
        pytest.skip("the kernel does not forbid it")
    assert finding["rule"] == "double-free" and "chains" not in finding
    assert "was stopped, since it opens there for writing" in said
