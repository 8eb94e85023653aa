"""Chains through library functions: those that copy texts, and those that have written the value."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.harness.chains import chain_of
from tests.harness.process import Whence
from tests.harness.tiers import one_in

pytestmark = pytest.mark.build

LEVELS = ("-O0", "-O2")
HEAD = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
"""
MAIN = r"""
int main(int argc, char **argv) {
    int *p = malloc(16);
    int at = pick(argv[1], argv);
    if (argc > 1) p[at] = 1;
    free(p);
    return 0;
}
"""
COPIES = {
    "strcpy": "strcpy(b, FROM); return b[1];",
    "stpcpy": "stpcpy(b, FROM); return b[1];",
    "strncpy": "strncpy(b, FROM, sizeof b); return b[1];",
    "stpncpy": "stpncpy(b, FROM, sizeof b); return b[1];",
    "strcat": 'strcpy(b, "x"); strcat(b, FROM); return b[2];',
    "strncat": 'strcpy(b, "x"); strncat(b, FROM, 2); return b[2];',
    "strdup": "char *c = strdup(FROM); int r = c[1]; free(c); return r;",
    "strndup": "char *c = strndup(FROM, 2); int r = c[1]; free(c); return r;",
    "memcpy": "memcpy(b, FROM, 3); return b[1];",
    "memmove": "memmove(b, FROM, 3); return b[1];",
    "mempcpy": "mempcpy(b, FROM, 3); return b[1];",
    "memccpy": "memccpy(b, FROM, 'z' + (argv[0] == NULL), sizeof b); return b[1];",
    "bcopy": "bcopy(FROM, b, 3); return b[1];",
    "__strcpy_chk": "__builtin___strcpy_chk(b, FROM, room); return b[1];",
    "__stpcpy_chk": "__builtin___stpcpy_chk(b, FROM, room); return b[1];",
    "__strncpy_chk": "__builtin___strncpy_chk(b, FROM, sizeof b, room); return b[1];",
    "__stpncpy_chk": "__builtin___stpncpy_chk(b, FROM, sizeof b, room); return b[1];",
    "__strcat_chk": 'strcpy(b, "x"); __builtin___strcat_chk(b, FROM, room); return b[2];',
    "__strncat_chk": 'strcpy(b, "x"); __builtin___strncat_chk(b, FROM, 2, room); return b[2];',
    "__memcpy_chk": "__builtin___memcpy_chk(b, FROM, argv[2][0] - 'a' + 3, room); return b[1];",
}
"""Each copies `FROM`, of which the second byte is the index of the finding."""

_LOWERED = ("memcpy", "memmove", "mempcpy", "bcopy", "__memcpy_chk")
"""Front ends make instructions of these, whose hops name what is copied."""


class From(NamedTuple):
    """An expression of a text, and the kinds and names of the hops from the copy on, newest first; what the
    input is, if there is one."""

    text: str
    hops: tuple[str, ...]
    kind: str = ""
    number: int | None = None
    name: str = ""


FROMS = {
    "argument": From("argv[2]", ("outside",), "argument", 2),
    "variable": From('getenv("INDEX")', ("outside",), "variable", None, "INDEX"),
    "local": From("t", ("stored", "outside"), "argument", 2),
}


class Kind(NamedTuple):
    """The statements of a way, by the function that has written its value."""

    function: str
    body: str


WRITTEN = {
    "stat": Kind("stat", 'struct stat s; stat("/etc/passwd", &s); return (int)s.st_size % 100 + 200;'),
    "set before": Kind(
        "stat", 'struct stat s; memset(&s, 0, sizeof s); stat("/etc/passwd", &s); return (int)s.st_size;'
    ),
    "fstat": Kind("fstat", 'struct stat s = {0}; fstat(0, &s); return (s.st_mode & 1) + 200;'),
    "twice": Kind(
        "stat",
        'struct stat s = {0}; stat("/", &s); stat("/etc/passwd", &s); return (int)s.st_size % 100 + 200;',
    ),
    "snprintf": Kind("snprintf", 'char b[8]; snprintf(b, sizeof b, "a%s", argv[2]); return b[0] + 100;'),
    "sprintf": Kind("sprintf", 'char b[8]; sprintf(b, "%g", 77.0); return b[1] + 100;'),
    "checked": Kind(
        "__snprintf_chk",
        'char b[8]; __builtin___snprintf_chk(b, sizeof b, 0, room, "a%s", argv[2]); return b[0] + 100;',
    ),
    "parsed": Kind("snprintf", 'char b[8]; snprintf(b, sizeof b, "%2$d", 1, 300); return atoi(b);'),
    "localtime_r": Kind(
        "localtime_r", "time_t t = 1000000000; struct tm d; localtime_r(&t, &d); return d.tm_year;"
    ),
    "on the heap": Kind(
        "localtime_r",
        "time_t t = 1000000000; struct tm *d = calloc(1, sizeof *d); localtime_r(&t, d);"
        " int r = d->tm_year; free(d); return r;",
    ),
    "global": Kind("localtime_r", "time_t t = 1000000000; localtime_r(&t, &day); return day.tm_year;"),
    "gettimeofday": Kind(
        "gettimeofday", "struct timeval v; gettimeofday(&v, NULL); return (v.tv_sec & 63) + 200;"
    ),
    "gethostname": Kind("gethostname", "char b[80]; gethostname(b, sizeof b); return b[0] + 100;"),
    "strftime": Kind(
        "strftime", 'struct tm d = {0}; char b[8]; strftime(b, sizeof b, "%H", &d); return b[0] + 100;'
    ),
    "frexp": Kind("frexp", "int e; frexp(1e300, &e); return e;"),
    "lgamma": Kind("lgamma_r", "int e = 0; lgamma_r(-0.5 * room, &e); return e + 150;"),
    "dladdr": Kind("dladdr", "Dl_info i; dladdr((void *)malloc, &i); return ((long)i.dli_fbase & 1) + 200;"),
    "padding": Kind("strncpy", "char b[32]; strncpy(b, argv[2], sizeof b); return b[20] + 200;"),
    "thread": Kind("stat", "struct stat s; return in_thread(&s);"),
    "in a callback": Kind(
        "localtime_r", "int a[] = {2, 1}; qsort(a, 2, sizeof *a, timed); return day.tm_year;"
    ),
    "in a signal handler": Kind(
        "localtime_r", "signal(SIGUSR1, handle); raise(SIGUSR1); return day.tm_year;"
    ),
    "behind jumps": Kind(
        "localtime_r",
        """
        struct tm d; time_t t = 1000000000; int a[] = {400, 300};
        for (volatile int i = 0; i < 100; i++)
            if (!setjmp(out)) qsort(a, 2, sizeof *a, jump);
        localtime_r(&t, &d); return d.tm_year;
        """,
    ),
}
HELPERS = r"""
static struct tm day;
static jmp_buf out;
static int timed(const void *a, const void *b) {
    time_t t = 1000000000;
    localtime_r(&t, &day);
    return *(int *)a - *(int *)b;
}
static int jump(const void *a, const void *b) { longjmp(out, *(int *)a != *(int *)b); }
static void handle(int number) { time_t t = 1000000000 + number; localtime_r(&t, &day); }
static void listed(char *to, const char *format, ...) {
    va_list all, again;
    puts(format);
    va_start(all, format);
    va_copy(again, all);
    vsnprintf(NULL, 0, format, again);
    va_end(again);
    vsprintf(to, format, all);
    va_end(all);
}
static void new(char **to, const char *format, ...) {
    va_list all;
    va_start(all, format);
    vasprintf(to, format, all);
    va_end(all);
}
static void *look(void *s) { stat("/etc/passwd", s); return NULL; }
static int in_thread(struct stat *s) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, s);
    pthread_join(thread, NULL);
    return (int)s->st_size % 100 + 200;
}
"""
PRINTED = {
    "snprintf text": ("copy", 'char b[8]; snprintf(b, sizeof b, "a%s", t); return b[1] + 100;'),
    "text to the right": ("copy", 'char b[8]; snprintf(b, sizeof b, "%*s", 5, t); return b[3] + 100;'),
    "text to the left": ("copy", 'char b[8]; snprintf(b, sizeof b, "|%-*.1s|", 5, t); return b[1] + 100;'),
    "text behind others": (
        "copy",
        'char b[80]; sprintf(b, "%5d%%%s%n%g %Lf %p %x:%s", 1, "x", &k, 1e9, 2.0L, b, 7, t);'
        " return strchr(b, ':')[1] + 100;",
    ),
    "text that is cut off": ("copy", 'char b[3]; snprintf(b, sizeof b, "a%s", t); return b[1] + 100;'),
    "text by a list": ("copy", 'char b[80]; listed(b, "%d %s", 1, t); return b[2] + 100;'),
    "character": ("copy", 'char b[8]; sprintf(b, "<%3c>", t[0]); return b[3] + 100;'),
    "new": ("copy", 'char *b; asprintf(&b, "a%s", t); int r = b[1] + 100; free(b); return r;'),
    "new by a list": ("copy", 'char *b; new(&b, "%s", t); int r = b[0] + 100; free(b); return r;'),
    "checked text": (
        "copy",
        'char b[8]; __builtin___snprintf_chk(b, sizeof b, 0, room, "a%s", t); return b[1] + 100;',
    ),
    "checked number": (
        "arithmetic",
        'char b[8]; __builtin___sprintf_chk(b, 0, room, "%3d", t[0] + 200); return atoi(b);',
    ),
    "number": ("arithmetic", 'char b[8]; snprintf(b, sizeof b, "<%d>", t[0] + 200); return atoi(b + 1);'),
    "short number": ("arithmetic", 'char b[9]; sprintf(b, "%g%hhd", 0.5, t[0]); return b[3] + 200;'),
    "number by a list": ("arithmetic", 'char b[80]; listed(b, "%g %d", 1.0, t[0]); return b[2] + 200;'),
    "number on the stack": (
        "arithmetic",
        'char b[99]; listed(b, "%d%d%d%d%d:%ld", 1, 2, 3, 4, 5, (long)t[0]);'
        " return atoi(strchr(b, ':') + 1) + 200;",
    ),
    "number behind what registers do not take": (
        "arithmetic",
        'char b[99]; double d = 0.5; listed(b, "%g%g%g%g%g%g%g%g%g%d%d%d%d%d:%ld", d, d, d, d, d, d, d, d, d,'
        " 1, 2, 3, 4, (int)room, (long)t[0]); return atoi(strchr(b, ':') + 1) + 200;",
    ),
}
"""Texts that end with the first byte of the text `t`, or a number that is it."""
NOT_PRINTED = {
    "behind an extended number": (
        'char b[99]; listed(b, "%d%d%d%d%Lf %d", 1, 2, 3, 4, 0.5L, t[0]);'
        " return atoi(strchr(b, ' ')) + 200;"
    ),
}
KEPT = {
    "stat": 'struct stat s; s.st_size = 300; stat("/nonexistent", &s); return (int)s.st_size;',
    "snprintf": 'char b[8]; b[1] = 100; snprintf(b, 0, "%d", 12345); return b[1];',
    "strptime": 'struct tm d = {0}; d.tm_year = 300; strptime("x", "%Y", &d); return d.tm_year;',
    "beside": 'struct tm d = {0}; d.tm_year = 300; strptime("7", "%m", &d); return d.tm_year;',
    "inet_pton": 'struct { int a; } s; s.a = 300; inet_pton(AF_INET, "nonsense", &s); return s.a;',
}
"""The value is there before a call that leaves it alone."""


def source(bodies: dict[str, str]) -> str:
    ways = "".join(f'    if (!strcmp(way, "{way}")) {{ {body} }}\n' for way, body in bodies.items())
    begin = f"static int pick(const char *way, char **argv) {{\n{BEGIN}"
    return f"{HEAD}{HELPERS}{begin}{ways}    return 0;\n}}\n{MAIN}"


BEGIN = """
    volatile size_t room = 64;
    char t[4] = "5x";
    int k;
    (void)k, t[0] = (char)('4' + (argv[1][0] != 0));
"""


def copying() -> dict[str, str]:
    text = "char b[64]; t[0] = 'a'; t[1] = argv[2][1]; t[2] = t[3] = 0; (void)b;"
    return {
        f"{function} {place}": f"{text} {body.replace('FROM', start.text)}"
        for function, body in COPIES.items()
        for place, start in FROMS.items()
    }


class Programs(NamedTuple):
    copying: Path
    writing: Path
    whence: Whence


@pytest.fixture(scope="module", params=LEVELS)
def programs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]
) -> Programs:
    directory = tmp_path_factory.mktemp("written")
    whence = Whence(directory, whence_env).with_env(INDEX="az")
    writing = {f"written {way}": kind.body for way, kind in WRITTEN.items()}
    kept = {f"kept {way}": body for way, body in KEPT.items()}
    printed = {f"printed {way}": body for way, (_, body) in PRINTED.items()}
    others = {f"not printed {way}": body for way, body in NOT_PRINTED.items()}
    flags = ("-g", "-w", request.param, "-pthread", "-lm", "-fno-builtin-lgamma_r")
    built = (
        whence.build(source(copying()), f"copying{request.param}", *flags),
        whence.build(source(writing | kept | printed | others), f"writing{request.param}", *flags),
    )
    return Programs(*built, whence)


def told(whence: Whence, prog: Path, way: str, stdin: bytes = b"") -> list[dict[str, Any]]:
    """The hops of the index, the newest first."""
    done, found = whence.findings("--locate", "always", prog, way, "az", stdin=stdin)
    assert len(found) == 1, done.err
    return list(chain_of(found[0], "the index of r")["hops"])


@pytest.mark.parametrize("place", FROMS)
@pytest.mark.parametrize("function", one_in(2, COPIES))
def test_copies_of_texts_are_hops(programs: Programs, function: str, place: str) -> None:
    hops = told(programs.whence, programs.copying, f"{function} {place}")
    start = FROMS[place]
    (at,) = (i for i, hop in enumerate(hops) if hop["kind"] == "copy")
    name = hops[at]["name"]
    assert name == function or function in _LOWERED
    assert tuple(hop["kind"] for hop in hops[at + 1 :]) == start.hops
    given = hops[-1]["input"]
    assert (given["kind"], given["number"]) == (start.kind, start.number)
    assert (given["offset"], given["size"]) == (1, 1)
    assert not start.name or given["name"] == start.name


@pytest.mark.parametrize("way", WRITTEN)
def test_chains_begin_where_a_library_function_has_written(programs: Programs, way: str) -> None:
    hops = told(programs.whence, programs.writing, f"written {way}")
    assert (hops[-1]["kind"], hops[-1]["name"]) == ("written", WRITTEN[way].function)
    assert [hop["kind"] for hop in hops].count("written") == 1


@pytest.mark.parametrize("way", PRINTED)
def test_what_is_printed_leads_to_the_arguments(programs: Programs, way: str) -> None:
    hops = told(programs.whence, programs.writing, f"printed {way}")
    kind, _ = PRINTED[way]
    ours = [i for i, hop in enumerate(hops) if "printf" in (hop["name"] or "")]
    at = next(i for i in ours if hops[i]["kind"] in ("copy", "arithmetic"))
    assert hops[at]["kind"] == kind
    passed = [hop["kind"] for hop in hops[at:]].count("argument")
    assert passed == (kind == "arithmetic" or way == "character")
    assert "t[0]" in [hop["name"] for hop in hops[at:]]
    assert hops[-1]["kind"] == "computed"


@pytest.mark.parametrize("way", NOT_PRINTED)
def test_what_is_not_known_to_be_printed_of_an_argument_is_not_told(programs: Programs, way: str) -> None:
    hops = told(programs.whence, programs.writing, f"not printed {way}")
    assert hops[-1]["kind"] in ("written", "unseen")


def test_the_thread_that_called_the_function_is_told(programs: Programs) -> None:
    hops = told(programs.whence, programs.writing, "written thread")
    assert [hop["thread"] for hop in hops[-2:]] == [0, 1] and hops[-2]["kind"] == "loaded"


@pytest.mark.parametrize("way", KEPT)
def test_a_call_that_writes_nothing_leaves_the_chain(programs: Programs, way: str) -> None:
    hops = told(programs.whence, programs.writing, f"kept {way}")
    assert hops[-1]["kind"] == "constant"


def test_the_report_names_the_function(programs: Programs) -> None:
    for way, said in (
        ("written snprintf", "written by snprintf  "),
        ("written checked", "written by snprintf  "),
        ("written stat", "written by stat  "),
    ):
        done, _ = programs.whence.findings("--locate", "always", programs.writing, way, "az")
        assert said in done.err
