"""Locating by a second run: what it gets again, and what is said where it takes another way."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.harness.chains import chain_of, hops
from tests.harness.process import Whence

pytestmark = pytest.mark.build


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


INPUT = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(4), c = getchar();
    puts("once");
    free(p);
    if (c == 'x') free(p);
    return 0;
}
"""


def test_a_second_run_says_whence(whence: Whence) -> None:
    """Its input is read again from where it was, its output is dropped."""
    program_ = whence.build(INPUT)
    given, report = whence.directory / "given", whence.directory / "report.json"
    given.write_bytes(b"-x")
    with given.open("rb", buffering=0) as stdin:
        assert stdin.read(1) == b"-"
        command = whence.command("whence.cli.main", "run", "--locate", "replay", "--json", report, program_)
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, env=dict(whence.env), cwd=whence.directory
        )
        assert stdin.tell() == 2
    assert done.stdout == b"once\n", done.stderr
    (found,) = json.loads(report.read_text())["findings"]
    expected = [("argument", "free"), ("stored", "p"), ("allocation", "malloc")]
    assert hops(found, "r") == hops(found, "r1") == expected


def test_a_second_run_that_takes_another_way_is_said(whence: Whence) -> None:
    text = """
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    int *p = malloc(4);
    free(p);
    if (access("mark", F_OK)) {
        if (symlink("/", "mark")) return 1;
        free(p);
    }
    return 0;
}
"""
    command = whence.command("whence.cli.main", "run", "--locate", "replay", whence.build(text))
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(whence.env),
        cwd=whence.directory,
        text=True,
    )
    assert "error[double-free]" in done.stderr and "whence r" not in done.stderr
    assert "the second run had no findings; try --locate always" in done.stderr


def test_engine_alloc_says_that_it_follows_nothing(whence: Whence) -> None:
    done = whence.run("--engine", "alloc", "--locate", "always", whence.build(INPUT), stdin=b"-")
    assert "engine alloc does not follow where values come from" in done.err

def replayed(whence: Whence, program: Path, stdin: bytes = b"") -> dict[str, Any]:
    """The finding of a program that is run twice, with its chains."""
    done, (found,) = whence.findings("--locate", "replay", program, stdin=stdin)
    assert "chains" in found, done.err
    return found


def size_of(found: dict[str, Any]) -> int:
    """The size of the block as the second run knew it."""
    return int(chain_of(found, "Size(r)")["value"], 0)


OUTSIDE = """
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static unsigned mixed(unsigned sum, const void *from, size_t size) {
    for (size_t i = 0; i < size; i++) sum = (sum ^ ((const uint8_t *)from)[i]) * 16777619u;
    return sum;
}
#define MIXED(value) sum = mixed(sum, &(value), sizeof(value))
static void *own(void *which) {
    unsigned sum = 1;
    switch (*(const int *)which) {
    WAYS
    }
    return (void *)(uintptr_t)sum;
}
int main(int count, char **words) {
    void *of_thread;
    pthread_t thread;
    int which = count > 1 ? atoi(words[1]) : 0;
    uintptr_t sum = (uintptr_t)own(&which);
    pthread_create(&thread, NULL, own, &which);
    pthread_join(thread, &of_thread);
    sum += (uintptr_t)of_thread;
    volatile char *block = malloc(1 + sum % 100000);
    block[1 + sum % 100000] = 1;
    return 0;
}
"""

ANSWERS = {
    "time": "time_t now = time(NULL); MIXED(now); struct timespec t; clock_gettime(0, &t); MIXED(t);",
    "gettimeofday": "struct timeval now; gettimeofday(&now, NULL); MIXED(now);",
    "monotonic": "struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); MIXED(now.tv_nsec);",
    "processor": "clock_t now = clock(); MIXED(now); struct timespec t; clock_gettime(2, &t); MIXED(t);",
    "getrandom": "char bytes[100]; getrandom(bytes, sizeof bytes, 0); MIXED(bytes);",
    "getentropy": "char bytes[16]; getentropy(bytes, sizeof bytes); MIXED(bytes);",
    "process": "pid_t one = getpid(), two = getppid(); MIXED(one); MIXED(two);",
    "device": """int file = open("/dev/urandom", O_RDONLY); char bytes[40];
        if (read(file, bytes, 40) != 40) return NULL; close(file); MIXED(bytes);""",
    "stream": """FILE *file = fopen("/dev/random", "rb"); char bytes[40];
        if (fread(bytes, 1, 40, file) != 40) return NULL; fclose(file); MIXED(bytes);""",
    "kernel": """char path[64], bytes[400] = ""; snprintf(path, sizeof path, "/proc/%d/stat", (int)getpid());
        FILE *file = fopen(path, "r"); if (!file) return NULL;
        for (int i = 0; i < 2; i++) {
            if (!fgets(bytes, sizeof bytes, file)) return NULL; MIXED(bytes); rewind(file);
        }
        fclose(file);
        int uptime = open("/proc/uptime", O_RDONLY); if (pread(uptime, bytes, 40, 0) < 4) return NULL;
        MIXED(bytes); file = fdopen(uptime, "r"); if (fileno(file) != uptime) return NULL;
        if (fread(bytes, 1, 40, file) < 4) return NULL; fclose(file); MIXED(bytes);""",
}


WAYS = "\n".join(f"case {number}: {{ {way} break; }}" for number, way in enumerate(ANSWERS.values()))


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """A program that asks for one of the answers, which its first word is the number of."""
    place = Whence(tmp_path_factory.mktemp("asking"), whence_env)
    return place.build(OUTSIDE.replace("WAYS", WAYS), "prog", "-pthread")


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_second_run_gets_the_same_answers(whence: Whence, asking: Path, answer: str) -> None:
    """The size of the block follows from them, and is the same in both runs."""
    done, (found,) = whence.findings("--locate", "replay", asking, str(list(ANSWERS).index(answer)))
    assert "chains" in found, done.err
    assert size_of(found) == found["block"]["size"]


def test_answers_to_the_library_of_cxx(whence: Whence) -> None:
    (whence.directory / "prog.cpp").write_text("""
#include <chrono>
#include <fstream>
#include <random>
int main() {
    std::random_device device;
    std::ifstream file("/dev/urandom");
    char byte;
    for (int i = 0; i < 3; i++)
        if (!file.get(byte)) return 1;
    unsigned long sum = byte + device() + std::chrono::steady_clock::now().time_since_epoch().count();
    volatile char *block = new char[1 + sum % 100000];
    block[1 + sum % 100000] = 1;
}
""")
    whence.process("whence.cli.cc", "c++", "-g", "-O1", "-w", "prog.cpp", "-o", "prog")
    found = replayed(whence, whence.directory / "prog")
    assert size_of(found) == found["block"]["size"]


def test_a_process_reaches_itself_by_the_number_that_it_had(whence: Whence) -> None:
    """Its children have numbers of their own, and their parent is that number."""
    text = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int got;
static void handler(int signal) { got += signal == SIGUSR1; }
int main(void) {
    int status = 1;
    char own[32] = "";
    signal(SIGUSR1, handler);
    kill(getpid(), SIGUSR1);
    union sigval value = {0};
    sigqueue(getpid(), SIGUSR1, value);
    if (got != 2) return 3;
    if (!fork()) {
        ssize_t length = readlink("/proc/self", own, sizeof own - 1);
        _exit(length < 1 || atoi(own) != getpid());
    }
    wait(&status);
    if (status) return 4;
    int *block = malloc(4);
    free(block);
    free(block);
    return 0;
}
"""
    found = replayed(whence, whence.build(text))
    assert hops(found, "r")[-1] == ("allocation", "malloc")


LINES = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    char line[64] = "";
    long sum = 0;
    for (int i = 0; i < atoi(words[1]) && fgets(line, sizeof line, stdin); i++) sum += atoi(line);
    volatile char *block = malloc(1 + sum);
    block[1 + sum] = 1;
    return 0;
}
"""


@pytest.mark.parametrize("lines", [0, 3, 40000])
def test_a_pipe_is_kept_on_its_way(whence: Whence, lines: int) -> None:
    """Many lines are more than a pipe has room for."""
    text = "".join(f"{number}\n" for number in range(lines)).encode()
    program = whence.build(LINES)
    done, (found,) = whence.findings("--locate", "replay", program, str(lines), stdin=text)
    assert size_of(found) == found["block"]["size"] == 1 + sum(range(lines)), done.err


def test_a_pipe_without_end_is_not_waited_for(whence: Whence) -> None:
    program = whence.build(LINES)
    report = whence.directory / "report.json"
    command = whence.command("whence.cli.main", "run", "--locate", "replay", "--json", report, program, "5")
    with subprocess.Popen(["yes", "7"], stdout=subprocess.PIPE) as endless:
        done = subprocess.run(
            command, stdin=endless.stdout, capture_output=True, env=dict(whence.env), cwd=whence.directory
        )
        endless.kill()
    (found,) = json.loads(report.read_text())["findings"]
    assert size_of(found) == found["block"]["size"] == 36, done.stderr


def test_a_terminal_is_not_read_again(whence: Whence) -> None:
    program = whence.build(INPUT)
    controller, terminal = pty.openpty()
    os.write(controller, b"x\n")
    command = whence.command("whence.cli.main", "run", "--locate", "replay", program)
    done = subprocess.run(
        command, stdin=terminal, capture_output=True, env=dict(whence.env), cwd=whence.directory, text=True
    )
    os.close(controller)
    os.close(terminal)
    assert "error[double-free]" in done.stderr and "whence r" not in done.stderr
    assert "its standard input is a terminal" in done.stderr and "--locate always" in done.stderr


def test_other_questions_in_the_second_run_are_said(whence: Whence) -> None:
    """The chains of another size are not put to the finding."""
    text = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    unsigned char byte = 0;
    int first = !symlink("/", "mark");
    if (!first) time(NULL);
    getrandom(&byte, 1, 0);
    volatile char *block = malloc(10 + 300 * first + byte);
    block[10 + 300 * first + byte] = 1;
    return 0;
}
"""
    done, (found,) = whence.findings("--locate", "replay", whence.build(text))
    assert "chains" not in found
    assert "it asked for the time, random numbers or processes at another moment" in done.err


THREADS = """
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <future>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
#include <threads.h>
#include <vector>
using namespace std::chrono_literals;
static unsigned long order, addresses[4];
static void came(unsigned long who) { order = order * 31 + who; }
static std::mutex plain;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::condition_variable changed;
static std::condition_variable_any some;
static sem_t places;
static pthread_spinlock_t spinning;
static pthread_barrier_t barrier;
static mtx_t of_c;
static cnd_t of_c_changed;
static std::once_flag once;
static unsigned chosen;
struct slow {
    unsigned who;
    slow(unsigned who) : who(who) { std::this_thread::sleep_for(1ms); }
};
static unsigned initialised(unsigned who) {
    static slow one(who);
    return one.who;
}
static void step(const char *way, unsigned who, int i) {
    WAYS
}
static void work(const char *way, unsigned who) {
    for (int i = 0; i < 30; i++) step(way, who, i);
}
int main(int, char **words) {
    sem_init(&places, 0, 2);
    pthread_spin_init(&spinning, 0);
    pthread_barrier_init(&barrier, nullptr, 4);
    mtx_init(&of_c, mtx_plain);
    cnd_init(&of_c_changed);
    std::vector<std::thread> all;
    for (unsigned i = 0; i < 4; i++) all.emplace_back(work, words[1], i + 1);
    for (auto &each : all) each.join();
    for (unsigned long each : addresses) came(each);
    volatile char *block = (char *)malloc(1 + order % 100000);
    block[1 + order % 100000] = 1;
}
"""

TURNS = {
    "mutex": "std::lock_guard held(plain); came(who); if (i % 7 == 0) std::this_thread::yield();",
    "try": "if (plain.try_lock()) { came(who); std::this_thread::yield(); plain.unlock(); }",
    "timed": """if (timed.try_lock_for(50us)) {
        came(who); if (i % 10 == 0) std::this_thread::sleep_for(200us); timed.unlock(); }""",
    "shared": """if (i % 3) { std::shared_lock held(shared); std::this_thread::yield(); }
        else { std::unique_lock held(shared); came(who); }""",
    "condition": """std::unique_lock held(plain); changed.wait_for(held, 20us); came(who);
        held.unlock(); changed.notify_one();""",
    "any": """std::unique_lock held(shared); some.wait_for(held, 20us); came(who);
        held.unlock(); some.notify_all();""",
    "semaphore": """sem_wait(&places); { std::lock_guard held(plain); came(who); }
        int left; sem_getvalue(&places, &left); { std::lock_guard held(plain); came(left); }
        sem_post(&places);
        if (!sem_trywait(&places)) { { std::lock_guard held(plain); came(7 * who); } sem_post(&places); }""",
    "spin": "pthread_spin_lock(&spinning); came(who); pthread_spin_unlock(&spinning);",
    "barrier": "if (pthread_barrier_wait(&barrier)) came(who);",
    "once": """if (i) return; std::call_once(once, [who] { chosen = who; });
        std::lock_guard held(plain); came(chosen); came(initialised(who)); came(who);""",
    "c11": """mtx_lock(&of_c); came(who); struct timespec soon; timespec_get(&soon, TIME_UTC);
        soon.tv_nsec = (soon.tv_nsec + 20000) % 1000000000; cnd_timedwait(&of_c_changed, &of_c, &soon);
        came(who); mtx_unlock(&of_c); cnd_signal(&of_c_changed);""",
    "async": """auto more = std::async(std::launch::async, [who] { std::lock_guard held(plain); came(who); });
        more.get();""",
    "heap": """for (int size = 20; size < 90000; size = size * 3) {
        char *block = (char *)malloc(size + i); addresses[who - 1] += (unsigned long)block * (size + i);
        if (size % 2) free(block); }""",
}


@pytest.fixture(scope="module")
def meeting(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Path:
    """A program whose threads meet in the way that its first word names; the size of a block says in which
    order."""
    place = Whence(tmp_path_factory.mktemp("meeting"), whence_env)
    ways = "\n".join(f'if (!strcmp(way, "{name}")) {{ {way} return; }}' for name, way in TURNS.items())
    (place.directory / "prog.cpp").write_text(THREADS.replace("WAYS", ways))
    flags = ("-std=c++17", "-g", "-O1", "-w", "-pthread")
    place.process("whence.cli.cc", "c++", *flags, "prog.cpp", "-o", "prog")
    return place.directory / "prog"


SOME = ("mutex", "condition", "async")


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=() if way in SOME else pytest.mark.slow) for way in TURNS]
)
def test_threads_meet_in_the_same_order(whence: Whence, meeting: Path, way: str) -> None:
    done, (found,) = whence.findings("--locate", "replay", meeting, way)
    assert "chains" in found, done.err
    assert size_of(found) == found["block"]["size"]


OTHERWISE = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *work(void *unused) {
    int first = !symlink("/", "mark");
    for (int i = 0; i < 3; i++) {
        if (IN_FIRST) continue;
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    DO
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    volatile char *block = malloc(10 + sum);
    pthread_mutex_unlock(&lock);
    block[10 + sum] = 1;
    return 0;
}
"""


def test_threads_that_take_another_way_are_said(whence: Whence) -> None:
    """They go on without turns."""
    more = "free(malloc(80000)); if (first) pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);"
    text = OTHERWISE.replace("IN_FIRST", "!first && i").replace("DO", more)
    done, (found,) = whence.findings("--locate", "replay", whence.build(text, "prog", "-pthread"))
    assert "chains" not in found
    assert "its threads came to locks, conditions or the heap in another order" in done.err


@pytest.mark.slow
def test_a_turn_that_does_not_come_is_not_waited_for_without_end(whence: Whence) -> None:
    """The thread of the second run ends before it, and main waits for its own."""
    text = OTHERWISE.replace("IN_FIRST", "!first").replace("DO", "")
    done, (found,) = whence.findings("--locate", "replay", whence.build(text, "prog", "-pthread"))
    assert "chains" not in found
    assert "its threads came to locks, conditions or the heap in another order" in done.err


def test_addresses_of_the_stack_do_not_contradict(whence: Whence) -> None:
    """Code that follows values has larger frames; its chains have the addresses of the first run."""
    text = """
    #include <stdio.h>
    #include <string.h>
    static int show(const char *s) { char copy[64]; memset(copy, 0, 64); copy[0] = s[0]; return copy[0]; }
    static char *name(int k) { char b[32]; snprintf(b, 32, "item %d", k); return strchr(b, 'i'); }
    int main(int count, char **words) { return show(name(count)) == 1; }
    """
    _, (found,) = whence.findings("--locate", "replay", whence.build(text))
    chain = chain_of(found, "r")
    assert chain["hops"][-1]["kind"] == "address"
    assert chain["value"] == found["values"][0]["value"] == found["access"]["address"]
