"""The table of intercepted library functions.

A reference of instrumented code to one of these functions becomes a reference
to the runtime's symbol, which checks what the function is about to read and
write, and then calls it. Code that is not instrumented is not affected, but
for allocation, which the runtime provides under its ordinary names as well.
Each group stands in one file of ``runtime/intercept/``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PREFIX = "__whence_"


def _names(text: str) -> list[str]:
    return text.split()


# malloc and its relatives
ALLOCATION = _names(
    """
    aligned_alloc calloc cfree free malloc malloc_usable_size memalign posix_memalign pvalloc realloc
    reallocarray valloc
    """
)

# runs of bytes
MEMORY = _names(
    """
    bcmp bcopy bzero explicit_bzero memccpy memchr memcmp memcpy memmem memmove mempcpy memrchr memset
    rawmemchr swab __explicit_bzero_chk __memcpy_chk __memmove_chk __mempcpy __mempcpy_chk __memset_chk
    """
)

# strings
STRINGS = _names(
    """
    index rindex stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp
    strcoll strcoll_l strcpy strcspn strdup strerror_r strlcat strlcpy strlen strncasecmp strncasecmp_l
    strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strspn strstr strtok strtok_r
    strverscmp strxfrm __stpcpy __stpcpy_chk __stpncpy_chk __strcat_chk __strcpy_chk __strdup
    __strncat_chk __strncpy_chk __strndup __strtok_r __xpg_strerror_r
    """
)

# wide strings
WIDE = _names(
    """
    swprintf vswprintf wcpcpy wcpncpy wcscasecmp wcscat wcschr wcschrnul wcscmp wcscoll wcscpy wcscspn
    wcsdup wcslen wcsncat wcsncmp wcsncpy wcsnlen wcspbrk wcsrchr wcsspn wcsstr wcstod wcstof wcstol
    wcstold wcstoll wcstoul wcstoull wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset __wcscat_chk
    __wcscpy_chk __wcsncpy_chk __wmemcpy_chk __wmemmove_chk __wmempcpy_chk __wmemset_chk
    """
)

# stdlib.h: numbers in text, sorting, environment, multibyte characters
STANDARD = _names(
    """
    atof atoi atol atoll bsearch canonicalize_file_name getenv mblen mbrlen mbrtowc mbsrtowcs mbstowcs
    mbtowc mkdtemp mkstemp mkstemp64 putenv qsort qsort_r realpath secure_getenv setenv strtod strtof
    strtoimax strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq system unsetenv wcrtomb
    wcsrtombs wcstombs wctomb __isoc23_strtoimax __isoc23_strtol __isoc23_strtoll __isoc23_strtoul
    __isoc23_strtoull __isoc23_strtoumax __realpath_chk
    """
)

# printf and scanf in every form
FORMATTED = _names(
    """
    asprintf dprintf fprintf fscanf printf scanf snprintf sprintf sscanf vasprintf vdprintf vfprintf
    vfscanf vprintf vscanf vsnprintf vsprintf vsscanf __asprintf_chk __dprintf_chk __fprintf_chk
    __isoc23_fscanf __isoc23_scanf __isoc23_sscanf __isoc23_vfscanf __isoc23_vscanf __isoc23_vsscanf
    __isoc99_fscanf __isoc99_scanf __isoc99_sscanf __isoc99_vfscanf __isoc99_vscanf __isoc99_vsscanf
    __printf_chk __snprintf_chk __sprintf_chk __vasprintf_chk __vdprintf_chk __vfprintf_chk
    __vprintf_chk __vsnprintf_chk __vsprintf_chk
    """
)

# stdio.h
STREAMS = _names(
    """
    fdopen fgets fgets_unlocked fmemopen fopen fopen64 fputs fputs_unlocked fread fread_unlocked freopen
    freopen64 fwrite fwrite_unlocked getdelim getline gets perror popen puts remove rename setbuf
    setvbuf __fgets_chk __fread_chk __getdelim
    """
)

# files by number and by name
FILES = _names(
    """
    access chdir chmod chroot creat execv execve execvp fstat fstat64 getcwd gethostname link lstat
    lstat64 mkdir mkfifo open open64 openat openat64 opendir pipe pipe2 poll pread pread64 preadv pwrite
    pwrite64 pwritev read readlink readv rmdir stat stat64 symlink truncate unlink write writev
    __pread64_chk __pread_chk __read_chk
    """
)

# sockets
SOCKETS = _names(
    """
    accept bind connect getaddrinfo getpeername getsockname getsockopt inet_addr inet_ntop inet_pton
    recv recvfrom recvmsg send sendmsg sendto setsockopt __recv_chk
    """
)

# dates and clocks
TIME = _names(
    """
    asctime asctime_r clock_getres clock_gettime ctime ctime_r gettimeofday gmtime gmtime_r localtime
    localtime_r mktime nanosleep strftime strptime time timegm
    """
)

_NEW_FORMS = ("m", "mSt11align_val_t", "mRKSt9nothrow_t", "mSt11align_val_tRKSt9nothrow_t")
_DELETE_FORMS = (
    "Pv",
    "Pvm",
    "PvRKSt9nothrow_t",
    "PvSt11align_val_t",
    "PvmSt11align_val_t",
    "PvSt11align_val_tRKSt9nothrow_t",
)

# operator new, new[], delete and delete[]
OPERATORS = [f"_Z{new}{form}" for new in ("nw", "na") for form in _NEW_FORMS] + [
    f"_Z{delete}{form}" for delete in ("dl", "da") for form in _DELETE_FORMS
]

_GROUPS = (
    ALLOCATION,
    OPERATORS,
    MEMORY,
    STRINGS,
    WIDE,
    STANDARD,
    FORMATTED,
    STREAMS,
    FILES,
    SOCKETS,
    TIME,
)

# __whence_access is the check of an access.
_EXCEPTIONS = {"access": PREFIX + "access_path"}

RUNTIME_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {name: _EXCEPTIONS.get(name, PREFIX + name) for group in _GROUPS for name in group}
)
"""Library function -> symbol of the runtime."""
