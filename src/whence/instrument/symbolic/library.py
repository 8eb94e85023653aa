"""Library functions that the program calls: models of the runtime, and what their arguments become.


A model makes the decisions that the function's plain C text would make, before the call, and gives the
expressions of what it returns and writes after it (``runtime/symbolic/``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Model:
    """The models of a function. before, after: their names, empty for none; `parameters`: the types that the
    function has, of which variable arguments are none."""

    parameters: tuple[str, ...]
    before: str = ""
    after: str = ""


_TYPES = {"p": "ptr", "i": "i32", "l": "i64"}
_ROWS = """
strlen p strlen -
strnlen pl strnlen -
strcpy pp strcpy strcpy
stpcpy pp strcpy strcpy
strncpy ppl strncpy strncpy
strcat pp strcat strcat
strncat ppl strncat strncat
strdup p strdup strdup
__strdup p strdup strdup
strndup pl strndup strndup
strcmp pp strcmp strcmp
strcoll pp strcmp strcmp
strncmp ppl strncmp strncmp
strcasecmp pp strcasecmp strcmp
strncasecmp ppl strncasecmp strncmp
memcmp ppl memcmp strncmp
bcmp ppl memcmp strncmp
strchr pi strchr -
strchrnul pi strchr -
index pi strchr -
strrchr pi strrchr -
rindex pi strrchr -
memchr pil memchr -
rawmemchr pi memchr -
memrchr pil memrchr -
strspn pp strspn -
strcspn pp strcspn -
strpbrk pp strcspn -
strstr pp strstr -
memcpy ppl - memcpy
memmove ppl - memcpy
mempcpy ppl - memcpy
__memcpy_chk ppll - memcpy
__memmove_chk ppll - memcpy
memset pil memset -
bzero pl - bzero
tolower i tolower tolower
toupper i tolower toupper
atoi p atol atoi
atol p atol atol
atoll p atol atol
strtol ppi strtol strtol
strtoll ppi strtol strtol
strtoul ppi strtol strtol
strtoull ppi strtol strtol
__isoc23_strtol ppi strtol strtol
__isoc23_strtoll ppi strtol strtol
__isoc23_strtoul ppi strtol strtol
__isoc23_strtoull ppi strtol strtol
open p open -
open64 p open -
creat p open -
fopen p open -
fopen64 p open -
access p open -
unlink p open -
openat ip openat -
openat64 ip openat -
read ipl read read
__read_chk ipll read read
pread ipll pread pread
pread64 ipll pread pread
mmap pliiil - mmap
mmap64 pliiil - mmap
fread pllp fread fread
fread_unlocked pllp fread fread
fgets pip fgets fgets
fgets_unlocked pip fgets fgets
getline ppp getline getline
getdelim ppip getdelim getdelim
__getdelim ppip getdelim getdelim
fseek p fseek fseek
fseeko p fseek fseek
fseeko64 p fseek fseek
fsetpos p fseek fseek
fsetpos64 p fseek fseek
rewind p fseek fseek
fgetc p fgetc fgetc
getc p fgetc fgetc
_IO_getc p fgetc fgetc
fgetc_unlocked p fgetc fgetc
getc_unlocked p fgetc fgetc
getchar - getchar getchar
getchar_unlocked - getchar getchar
__uflow p __uflow __uflow
fscanf p fscanf fscanf
__isoc99_fscanf p fscanf fscanf
__isoc23_fscanf p fscanf fscanf
scanf - scanf scanf
__isoc99_scanf - scanf scanf
__isoc23_scanf - scanf scanf
"""
"""The function, its parameters (`_TYPES`), and the models before and after it: `-` for none."""


def _rows() -> Iterator[tuple[str, Model]]:
    for row in _ROWS.split("\n"):
        if row:
            name, letters, before, after = ("" if each == "-" else each for each in row.split())
            yield name, Model(tuple(_TYPES[each] for each in letters), before, after)


MODELS: Mapping[str, Model] = MappingProxyType(dict(_rows()))
"""The functions with models."""

WIDE = frozenset(("read", "pread", "fread", "getline", "getdelim", "atol", "strtol"))
"""Models after functions with a long for result, which is an int for callers that have no prototype."""
POINTERS = frozenset(("fgets", "mmap", "strdup", "strndup"))
"""Models after functions with a pointer for result, of which such callers keep the half."""

_UNTOUCHED = """
    free cfree malloc_usable_size _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t
    _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t fclose fflush close ftell
    ftello feof ferror fileno clearerr time clock getpid getenv signal sigaction exit _exit abort
    atexit pthread_mutex_lock pthread_mutex_unlock pthread_mutex_init pthread_mutex_destroy
    pthread_create pthread_join pthread_self pthread_once setvbuf setbuf malloc calloc realloc
    reallocarray aligned_alloc posix_memalign __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
    _Znwm _Znam __errno_location setlocale setjmp _setjmp sigsetjmp __sigsetjmp longjmp siglongjmp ungetc
"""
UNTOUCHED = frozenset(_UNTOUCHED.split())
"""Functions that do not look into the memory of their arguments, or not at what may be symbolic."""

CHARACTERS = frozenset(("strchr", "strrchr", "memchr", "memrchr", "memset", "tolower"))
"""Models that take the expression of a character, an int, which needs no value."""

INTERFACE = ("klee_", "whence_")
"""What begins the names of functions by which programs talk to the runtime."""

_OUTPUT = """
    printf vprintf fprintf vfprintf puts putchar putc fputc fputs perror putchar_unlocked
    putc_unlocked fputc_unlocked fputs_unlocked __printf_chk __fprintf_chk
    __vprintf_chk __vfprintf_chk error error_at_line err errx verr verrx warn warnx vwarn vwarnx
"""
OUTPUT = frozenset(_OUTPUT.split())
"""Functions that only hand their arguments out: where the result is not used, nothing depends on them but
what %n of a format stores."""
FORMATS: Mapping[str, int] = MappingProxyType(
    {
        "printf": 0, "vprintf": 0, "fprintf": 1, "vfprintf": 1,
        "__printf_chk": 1, "__vprintf_chk": 1, "__fprintf_chk": 2, "__vfprintf_chk": 2,
        "error": 2, "error_at_line": 4, "err": 1, "errx": 1, "verr": 1, "verrx": 1,
        "warn": 0, "warnx": 0, "vwarn": 0, "vwarnx": 0,
    }
)
"""Those of them that have a format, and the argument that it is."""
ENDS = frozenset(("error", "error_at_line", "err", "errx", "verr", "verrx"))
"""Those whose first argument says whether, and how, the process ends."""
COUNTS = re.compile(r"%[-+ #0'I*$.1-9hlLqjzt]*n")
"""What stores how much was printed, in a format without %%."""

FLAT: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"write": (0, 2), "fwrite": (1, 2), "fwrite_unlocked": (1, 2), "fflush": ()}
)
"""Functions of the same kind whose results depend on no byte that they hand out: the arguments on which they
do depend."""

SIZES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "malloc": (0,),
        "calloc": (0, 1),
        "realloc": (1,),
        "reallocarray": (1, 2),
        "aligned_alloc": (0, 1),
        "memalign": (0, 1),
        "posix_memalign": (1, 2),
        "valloc": (0,),
        "alloca": (0,),
        "_Znwm": (0,),
        "_Znam": (0,),
        "_ZnwmRKSt9nothrow_t": (0,),
        "_ZnamRKSt9nothrow_t": (0,),
    }
)
"""Allocations, and the arguments that say how much."""
FREES: Mapping[str, int] = MappingProxyType({"free": 0, "realloc": 0, "_ZdlPv": 0, "_ZdaPv": 0, "_ZdlPvm": 0})
"""Functions that end a block, and the argument that names it."""

_WHOLE = """
    memcpy 0:2 1:2, memmove 0:2 1:2, mempcpy 0:2 1:2, bcopy 0:2 1:2, memset 0:2, bzero 0:1,
    explicit_bzero 0:1,
    memcmp 0:2 1:2, bcmp 0:2 1:2, memchr 0:2, memrchr 0:2, memmem 0:1 2:3, strncpy 0:2, stpncpy 0:2,
    read 1:2, pread 1:2, pread64 1:2, recv 1:2, recvfrom 1:2, write 1:2, pwrite 1:2, pwrite64 1:2, send 1:2,
    sendto 1:2, fread 0:1*2, fread_unlocked 0:1*2, fwrite 0:1*2, fwrite_unlocked 0:1*2, qsort 0:1*2,
    bsearch 1:2*3, getrandom 0:1, getentropy 0:1, snprintf 0:1, vsnprintf 0:1, fgets 0:1
"""
EXTENTS: Mapping[str, tuple[tuple[int, ...], ...]] = MappingProxyType(
    {
        name: tuple(tuple(map(int, re.findall(r"\d+", each))) for each in rows)
        for name, *rows in map(str.split, _WHOLE.split(","))
    }
)
"""Functions that access as many bytes as they are told to: the argument that is the address, and the one, or
the two whose product, is their number."""
