"""What the tool of engine ``binary`` and the runtime in the program that it executes agree on."""

from __future__ import annotations

from whence.abi.undefined import USES

STATE_OFFSET = 0x1000_0000_0000
"""``layout.STATE_OFFSET`` there: the core of the tool has its own memory where that plane lies."""
RANGES_MOST = 1024
"""Ranges of code of one kind."""
NOWHERE = 16
"""Where no program has memory: the tool touches it to stop the program before a wrong access."""

MET = ("ACCESS", "CODE", "REQUEST", "USE")
"""Why a thread was stopped: a wrong access, code that is not known, a client request of the program, a use of
an undefined value."""

VALUES_FLIP, VALUES_SKEW = 0x5000_0000_0000, 0x840
"""``(a ^ VALUES_FLIP) + VALUES_SKEW`` has the undefined bits of the byte at a. The skew keeps a byte and its
bits out of the same sets of the processor's cache."""
VALUES_LOW, VALUES_BEGIN, VALUES_END = 0x1000_0000_0000, 0x6000_0000_0000, 0x7000_0000_0000
"""Memory whose undefined bits are kept: below VALUES_LOW, and from VALUES_BEGIN to VALUES_END."""
TAGS_FLIP, TAGS_SKEW = 0x4000_0000_0000, 0x1300
"""``((a / 8 * 4) ^ TAGS_FLIP) + TAGS_SKEW`` has the tag of where undefined bits of a's granule come from, 32
bits: the number of a stack, or `TAG_PLACE` and the tool's number of a place in code; 0 is unknown."""
TAG_PLACE = 1 << 31
"""Of the tags of stack memory: the place is where its frame was made, or the function whose frame it was."""

WRITERS_FLIP, WRITERS_SKEW = 0x7800_0000_0000, 0x1B80
"""``((a / 8 * 4) ^ WRITERS_FLIP) + WRITERS_SKEW`` says which instruction stored to a's granule last, 32 bits:
its address times 4, and one of `HALVES`. 0: it is not known, as where the C library or the kernel wrote."""
WRITERS_BEGIN, WRITERS_LOW = 0x6080_0000_0000, 0x0E00_0000_0000
"""Memory whose writers are kept: below WRITERS_LOW, and from WRITERS_BEGIN to VALUES_END."""
HALVES = {"PART": 0, "FIRST": 1, "SECOND": 2, "WHOLE": 3}
"""Which bytes of the granule the last store has written: less than 4, the first or the second 4, all."""
WRITTEN = ("POINTER", "INDEX", "USED")
"""What a value was in the address of an access, or an undefined one that is used."""
WRITTEN_MOST = 4
"""Values of one access whose writers are asked for."""

REQUESTS = {
    "APART": 0x5748_0001,
    "BEGIN": 0x5748_0002,
    "ACCESS": 0x5748_0003,
    "ALLOW": 0x5748_0004,
    "KNOWN": 0x5748_0005,
    "OWNER": 0x5748_0006,
    "MET": 0x5748_0007,
    "VALUES": 0x5748_0008,
    "COPY": 0x5748_0009,
    "PLACE": 0x5748_000A,
    "MARK": 0x5748_000B,
    "WRITTEN": 0x5748_000C,
    "JUDGE": 0x5748_000D,
    "ARGUMENT": 0x5748_000E,
}
"""Client requests of the runtime, each with up to two words; the answer is 0 where no tool executes the
process. APART: code that is not looked at (begin, end). KNOWN: code whose calls lead to the wrappers
(begin, end). BEGIN: look at all other code from now on. ACCESS: this thread was stopped; writes eight
words to the address given, and answers 1, or 0 if it was not: an address, a size, whether it is written,
the number of one of `MET`, and where the thread was; of a use the value, its undefined bits and their tag.
The address is that of the access, of the code, or of the words of the program's request; of a use it is its
kind (`whence.abi.undefined.USES`). ALLOW: let this thread go on there once; with 1, what it met is
known from now on. OWNER: whether memory at an address is the program's, and with 1 also whether that can
be written. MET: whether code there is neither apart nor known.
VALUES: follow undefined values from now on; the planes are there (an address in the runtime's code). COPY:
the undefined bits of some bytes go along to others as soon as the runtime returns to the program (the address
of three words: to, from, size). PLACE: the place in code that a tag is of. MARK: bytes are all undefined, or
defined with tag 0 (the address of three words: begin, size, tag); the tool does it faster. WRITTEN: whence an
address came that this thread has accessed (the address of words: where, the address, the 16 registers as the
core numbers them): writes behind these words four for each value of it that was loaded from memory (the
number of one of `WRITTEN`, the value, the instruction that stored it, and whether that stored what its
function had got as an argument), at most `WRITTEN_MOST` times; answers how many. With 1, the
same of the undefined value that this thread has used last. JUDGE: the arguments of calls of a function of
the runtime or the C library are judged (its address, and how: four bits for each argument, its bytes, or
`STATUS` or `NOTED`). ARGUMENT: of the last call of a function whose arguments are noted, the undefined bits
of an argument (its number, the address of two words: bits and tag).
"""

STATUS, NOTED = 3, 15
"""How an argument is judged, beside its bytes: 4 of them are a status with which the process ends; the
function asks itself for all of its arguments, the first of which it is."""

NUMBERS = {
    **dict.fromkeys(("malloc", "free", "valloc", "pvalloc"), "8"),
    **dict.fromkeys(("calloc", "realloc", "memalign", "aligned_alloc"), "88"),
    **dict.fromkeys(("posix_memalign", "reallocarray"), "888"),
    **dict.fromkeys(("_Znwm", "_Znam", "_ZdlPv", "_ZdaPv"), "8"),
    **dict.fromkeys(("exit", "_exit", "_Exit", "quick_exit"), "s"),
    **dict.fromkeys(("read", "write", "getdents64"), "488"),
    **dict.fromkeys(("pread", "pread64", "pwrite", "pwrite64"), "4888"),
    **dict.fromkeys(("readv", "writev", "sendmsg", "recvmsg", "connect", "bind"), "484"),
    **dict.fromkeys(("preadv", "preadv64", "pwritev", "pwritev64"), "4848"),
    **dict.fromkeys(("preadv2", "preadv64v2", "pwritev2", "pwritev64v2"), "48484"),
    **dict.fromkeys(("send", "recv"), "4884"),
    "sendto": "488484",
    "recvfrom": "488488",
    **dict.fromkeys(("accept", "getsockname", "getpeername"), "488"),
    **dict.fromkeys(("setsockopt",), "44484"),
    **dict.fromkeys(("getsockopt",), "44488"),
    **dict.fromkeys(("socket",), "444"),
    **dict.fromkeys(("socketpair",), "4448"),
    **dict.fromkeys(("open", "open64", "creat", "access", "chmod", "memfd_create"), "84"),
    **dict.fromkeys(("openat", "openat64", "mkdirat", "unlinkat"), "484"),
    "mkdir": "84",
    **dict.fromkeys(("chdir", "rmdir", "unlink", "chroot"), "8"),
    **dict.fromkeys(("link", "rename", "symlink", "stat", "lstat", "truncate"), "88"),
    **dict.fromkeys(("fstat", "ftruncate"), "48"),
    **dict.fromkeys(("close", "dup", "fsync", "fdatasync", "fchdir"), "4"),
    **dict.fromkeys(("dup2", "shutdown", "listen"), "44"),
    "dup3": "444",
    "lseek": "484",
    "ioctl": "48",
    "poll": "884",
    "getrandom": "884",
    "execve": "888",
    "execveat": "48884",
    "sendfile": "4488",
    **dict.fromkeys(("copy_file_range", "splice"), "484884"),
    **dict.fromkeys(("syscall", "fcntl", "fcntl64"), "n"),
}
"""Function, or system call of that name -> its arguments: how many bytes of each are judged, or s: a status;
n: all are noted. Functions whose arguments the kernel, or the allocator, gets as they are, and looks at in
any case: not those that an option makes optional."""

CALLS = (
    "read",
    "write",
    "getdents64",
    "pread64",
    "pwrite64",
    "readv",
    "writev",
    "sendmsg",
    "recvmsg",
    "connect",
    "bind",
    "preadv",
    "pwritev",
    "sendto",
    "recvfrom",
    "accept",
    "getsockname",
    "getpeername",
    "setsockopt",
    "getsockopt",
    "socketpair",
    "open",
    "creat",
    "access",
    "chmod",
    "memfd_create",
    "openat",
    "mkdirat",
    "unlinkat",
    "mkdir",
    "chdir",
    "rmdir",
    "unlink",
    "chroot",
    "link",
    "rename",
    "symlink",
    "stat",
    "lstat",
    "truncate",
    "fstat",
    "poll",
    "getrandom",
    "execve",
    "execveat",
    "sendfile",
    "copy_file_range",
    "splice",
)
"""System calls of which `syscall` takes the same arguments."""

_JUDGED = {"4": 4, "8": 8, "s": STATUS, "n": NOTED}


def judged(text: str) -> int:
    """The word for `JUDGE`."""
    return sum(_JUDGED[letter] << 4 * place for place, letter in enumerate(text))


PLANES = {
    "VALUES_FLIP": VALUES_FLIP,
    "VALUES_SKEW": VALUES_SKEW,
    "VALUES_LOW": VALUES_LOW,
    "VALUES_BEGIN": VALUES_BEGIN,
    "VALUES_END": VALUES_END,
    "TAGS_FLIP": TAGS_FLIP,
    "TAGS_SKEW": TAGS_SKEW,
    "TAG_PLACE": TAG_PLACE,
    "WRITERS_FLIP": WRITERS_FLIP,
    "WRITERS_SKEW": WRITERS_SKEW,
    "WRITERS_LOW": WRITERS_LOW,
    "WRITERS_BEGIN": WRITERS_BEGIN,
    "WRITTEN_MOST": WRITTEN_MOST,
}
"""Names of the numbers above, in C."""


def macros() -> dict[str, str]:
    """The values as macros of the tool."""
    values = {"STATE_OFFSET": STATE_OFFSET, "RANGES_MOST": RANGES_MOST, "NOWHERE": NOWHERE}
    values |= PLANES
    values |= {f"USE_{name}": number for name, number in USES.items()}
    values |= {f"MET_{name}": number for number, name in enumerate(MET)}
    values |= {f"HALF_{name}": number for name, number in HALVES.items()}
    values |= {f"WRITTEN_{name}": number for number, name in enumerate(WRITTEN)}
    values |= {"JUDGED_STATUS": STATUS, "JUDGED_NOTED": NOTED}
    values |= {f"REQUEST_{name}": number for name, number in REQUESTS.items()}
    return {f"WHENCE_{name}": f"{value:#x}ull" for name, value in values.items()}
