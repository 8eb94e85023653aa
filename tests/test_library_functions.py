"""Rules about calls of functions without IR: by name and through pointers, with all arguments, of objects."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


STREAMS = """
#include <stdio.h>
int main(int count, char **words) {
    FILE *(*open)(const char *, const char *) = count > 9 ? NULL : fopen;
    FILE *streams[300];
    for (int i = 0; i < 300; i++) streams[i] = (i %% 2 ? open : fopen)(words[0], "r");
    for (int i = 0; i < 300; i++) if (i != %d) fclose(streams[i]);
    FILE *again = fopen(words[0], "r");
    fclose(again);
    return fopen("/none", "r") != NULL;
}
"""


def test_a_stream_that_is_left_open(whence: Whence) -> None:
    """Of 300 streams, half of which were opened through a pointer, and whose addresses come again."""
    rules = EXAMPLES / "streams.rules"
    done, (found,) = whence.findings("--rules", rules, whence.build(STREAMS % 7, "open"))
    assert found["rule"] == "stream-left-open" and [each["name"] for each in found["values"]] == ["f", "path"]
    assert found["stack"][0]["line"] == 6  # where it was opened
    done, found_ = whence.findings("--rules", rules, whence.build(STREAMS % 300, "clean"))
    assert found_ == [] and done.status == 0


TWICE = """
#include <stdio.h>
static void finish(FILE *stream) { fclose(stream); }
int main(int count, char **words) {
    FILE *stream = fopen(words[0], "r");
    %s
    fclose(stdin);
    finish(stream);
    stream = fopen(words[0], "r");
    fclose(stream);
    return 0;
}
"""


def test_a_stream_that_is_closed_twice(whence: Whence) -> None:
    rules = EXAMPLES / "streams.rules"
    _, (found,) = whence.findings("--rules", rules, whence.build(TWICE % "fclose(stream);", "twice"))
    assert found["rule"] == "stream-closed-twice" and found["stack"][0]["function"] == "finish"
    _, found_ = whence.findings("--rules", rules, whence.build(TWICE % "", "once"))
    assert found_ == []


def build_cxx(whence: Whence, source: str, name: str) -> Path:
    path = whence.directory / f"{name}.cc"
    path.write_text(source)
    whence.cc("-g", "-O1", path, "-o", whence.directory / name, "-lstdc++")
    return whence.directory / name


def test_mutexes_in_cxx(whence: Whence) -> None:
    """The guard's destructor is reached by an exception; its call may throw, too."""
    source = (EXAMPLES / "locks.cc").read_text()
    clean = source.replace("pthread_mutex_unlock(&accounts); // the guard does it again", "")
    clean = clean.replace("pthread_mutex_lock(&mutex);", "while (pthread_mutex_trylock(&mutex)) {}")
    rules = EXAMPLES / "locks.rules"
    _, (found,) = whence.findings("--rules", rules, build_cxx(whence, source, "locks"))
    assert found["rule"] == "mutex-not-locked"
    assert "transfer" in found["stack"][1]["function"]
    _, found_ = whence.findings("--rules", rules, build_cxx(whence, clean, "clean"))
    assert found_ == []


THREADS = """
#include <pthread.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static void *unlock(void *mutex) { pthread_mutex_unlock(mutex); return NULL; }
int main(void) {
    pthread_t thread;
    %s
    pthread_create(&thread, NULL, unlock, &held);
    return pthread_join(thread, NULL);
}
"""


def test_events_of_objects_are_those_of_all_threads(whence: Whence) -> None:
    rules = EXAMPLES / "locks.rules"
    program = whence.build(THREADS % "pthread_mutex_lock(&held);", "handed")
    _, found = whence.findings("--rules", rules, "--disable", "threads", program)
    assert found == []
    bare = whence.build(THREADS % "", "bare")
    _, (one,) = whence.findings("--rules", rules, "--disable", "threads", bare)
    assert one["rule"] == "mutex-not-locked"


SEEN = """
rule called "a call" at call twice x y when true trace x, y
rule returned "a return" at ret twice v x y when true trace v, x, y
"""
CALLS = """
#include <dlfcn.h>
#include <stdlib.h>
int twice(int, const char *);
int main(int count, char **words) {
    int (*known)(int, const char *) = twice;
    void *self = dlopen(words[1], RTLD_NOW);
    int (*found)(int, const char *) = (int (*)(int, const char *))dlsym(self, "twice");
    return twice(-1, NULL) + known(2, NULL) + found(3, NULL) != 8;
}
"""
LIBRARY = "int twice(int x, const char *text) { return text ? 0 : 2 * x; }\n"


@pytest.mark.parametrize("checked", [True, False])
def test_each_call_is_seen_once(whence: Whence, checked: bool) -> None:
    """In the function where it has IR, else where it is called: by name, and by addresses of two sources."""
    rules, source = whence.directory / "seen.rules", whence.directory / "twice.c"
    rules.write_text(SEEN)
    source.write_text(LIBRARY)
    library = whence.directory / "libtwice.so"
    if checked:
        whence.cc("-g", "-shared", "-fPIC", source, "-o", library)
    else:
        subprocess.run(["cc", "-g", "-shared", "-fPIC", source, "-o", library], check=True)
    program = whence.build(CALLS, "calls", str(library), f"-Wl,-rpath,{whence.directory}")
    words = ["--keep-going", "--rules", rules, program, library]
    _, found = whence.findings(*words)
    values = [[int(each["value"], 16) for each in one["values"]] for one in found]
    minus = (1 << 64) - 1
    assert values == [[minus, 0], [minus - 1, minus, 0], [2, 0], [4, 2, 0], [3, 0], [6, 3, 0]]
    where = {one["stack"][0]["function"] for one in found}
    assert where == ({"twice"} if checked else {"main"})


LOST = """
#include <stdlib.h>
static void lose(size_t n) { char *volatile p = malloc(n); p[0] = 1; }
int main(void) { for (int i = 0; i < 90; i++) lose(3); return 0; }
"""


def test_what_is_kept_of_calls_is_no_pointer(whence: Whence) -> None:
    """Blocks whose addresses only histories know are lost."""
    rules = whence.directory / "kept.rules"
    condition = "exists (k, ret, malloc, p, n) in trace : n == 4 and p != NULL"
    rules.write_text(f'rule kept "x" at ret main _ when {condition}')
    _, (found,) = whence.findings("--rules", rules, whence.build(LOST, "lost"))
    assert found["rule"] == "definite-leak" and found["leak"]["count"] == 90


CXX_NAMES = """
rule method "x" at call "Pool::reset" pool when pool == NULL
rule function "x" at call reset pool when pool == NULL
"""
CXX = """
struct Pool { void reset(int n); int size; };
__attribute__((noinline)) void Pool::reset(int n) { size = n; }
int main() { Pool pool; pool.reset(0); return pool.size; }
"""


def test_names_of_functions_in_cxx_are_given_as_symbols(whence: Whence) -> None:
    rules = whence.directory / "names.rules"
    rules.write_text(CXX_NAMES)
    done, _ = whence.findings("--rules", rules, build_cxx(whence, CXX, "pool"))
    assert done.err.count("calls none (did you mean '_ZN4Pool5resetEi'?)") == 2


NAMES = """
rule misspelt "x" at call twise x when x == 1
rule varied "x" at call sscanf text when text == NULL
rule unused "x" at call fseek f when f == NULL
"""
NAMED = """
#include <stdio.h>
static int twice(int x) { int n = 0; return sscanf("1", "%d", &n) + x; }
int main(int count, char **words) { return twice(count) != 2; }
"""


def test_names_that_nothing_has_are_said_once(whence: Whence) -> None:
    """A function of the C library that the program does not call is no mistake."""
    rules = whence.directory / "names.rules"
    rules.write_text(NAMES)
    program = whence.build(NAMED, "named")
    done, _ = whence.findings("--rules", rules, program)
    assert done.err.count("note: rule") == 2
    assert "'misspelt': the checked code has no function 'twise' and calls none (did you mean 'twice'?)" in (
        done.err
    )
    assert "sscanf', and not 'sscanf': name that in the rule" in done.err
    check = whence.process("whence.cli.main", "rules", "check", rules, "--program", program)
    assert check.status == 2
    assert f"{rules}:2:27: rule 'misspelt': {program} has no function 'twise'" in check.err
