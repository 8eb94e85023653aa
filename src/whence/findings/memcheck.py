"""What Memcheck calls the bugs that our findings are about.

Suppression files are read, and reports for Valgrind's tools are written, with
the same words, so they stand here once.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from whence.abi.library import having
from whence.findings import AccessKind, Family, Finding, Point, UseKind

LEAK_RULES: Mapping[str, str] = MappingProxyType(
    {
        "definite": "definite-leak",
        "indirect": "indirect-leak",
        "possible": "interior-leak",
        "reachable": "reachable-leak",
    }
)
"""Memcheck's kind of leak -> the rule that reports it."""

LEAK_KIND_NAMES = tuple(LEAK_RULES)
_LOST = {
    "definite": "Leak_DefinitelyLost",
    "indirect": "Leak_IndirectlyLost",
    "possible": "Leak_PossiblyLost",
    "reachable": "Leak_StillReachable",
}

_KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "mismatched-free": ("MismatchedFree", "Free"),
        "mismatched-size": ("MismatchedAllocateDeallocateSize", "SizeMismatch"),
        "mismatched-alignment": ("MismatchedAllocateDeallocateAlignment", "AlignMismatch"),
        "overlapping-copy": ("Overlap", "Overlap"),
        "null-argument": ("InvalidRead", "Addr1"),
        "absurd-length": ("InvalidWrite", "Addr16"),
        "absurd-size": ("FishyValue", "FishyValue"),
        "bad-alignment": ("BadAlign", "BadAlign"),
        "refused-alignment": ("BadAlign", "BadAlign"),
    }
)
"""Rule -> (kind of error in XML, kind of suppression) where the detection point does not tell."""

_UNDEFINED: Mapping[UseKind, tuple[str, str]] = MappingProxyType(
    {
        UseKind.BRANCH: ("UninitCondition", "Cond"),
        UseKind.ADDRESS: ("UninitValue", "Value8"),
        UseKind.TARGET: ("UninitValue", "Value8"),
        UseKind.ARGUMENT: ("UninitCondition", "Cond"),
        UseKind.MEMORY: ("UninitCondition", "Cond"),
        UseKind.STATUS: ("SyscallParam", "Param"),
    }
)
"""What depends on an undefined value -> (kind of error in XML, kind of suppression)."""
_WRITERS = having("sends")
"""Library functions whose memory the kernel reads, which Memcheck checks as a parameter of a system call."""

ACCESS_SIZES = (1, 2, 4, 8, 16, 32)
"""N in the kinds of suppressions ``AddrN`` and ``ValueN``: bytes of one machine access."""

PRELOADED = "/usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so"
"""The object that Memcheck's own malloc, free and string functions lie in."""

_ALLOCATORS = {
    Family.MALLOC: ("malloc", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc", "valloc"),
    Family.NEW: ("operator new", "_Znwm", "_ZnwmRKSt9nothrow_t", "_ZnwmSt11align_val_t"),
    Family.NEW_ARRAY: ("operator new[]", "_Znam", "_ZnamRKSt9nothrow_t", "_ZnamSt11align_val_t"),
}
_DEALLOCATORS = (
    *("free", "realloc", "cfree", "operator delete", "operator delete[]"),
    *("_ZdlPv", "_ZdlPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdlPvRKSt9nothrow_t"),
    *("_ZdaPv", "_ZdaPvm", "_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t", "_ZdaPvRKSt9nothrow_t"),
)
_SAME_FUNCTION = (("memcpy", "memmove", "mempcpy", "bcopy"),)


def leak_kind(finding: Finding) -> str | None:
    """One of `LEAK_KIND_NAMES`, None for what is no leak."""
    return finding.leak.kind.value if finding.leak else None


def _undefined(finding: Finding) -> tuple[str, str] | None:
    """The kinds of a use of an undefined value: of error in XML, and of suppression."""
    use = finding.access.use
    if use is UseKind.MEMORY and finding.library_function in _WRITERS:
        use = UseKind.STATUS
    return _UNDEFINED[use] if use else None


def parameter(finding: Finding) -> str:
    """The parameter of a system call that the finding is about, as Memcheck names it; empty if it is none."""
    if suppression_kind(finding) != "Param":
        return ""
    is_status = finding.access.use is UseKind.STATUS
    return "exit_group(status)" if is_status else f"{finding.library_function}(buf)"


def error_kind(finding: Finding) -> str:
    """The kind of error as Memcheck's XML names it; ``ClientCheck`` for what Memcheck has no word for."""
    leak = leak_kind(finding)
    if leak:
        return _LOST[leak]
    if finding.rule.name in _KINDS:
        return _KINDS[finding.rule.name][0]
    if undefined := _undefined(finding):
        return undefined[0]
    if finding.access.touches:
        return "InvalidWrite" if finding.access.kind is AccessKind.WRITE else "InvalidRead"
    return "InvalidFree" if finding.point is Point.FREE else "ClientCheck"


def suppression_kind(finding: Finding) -> str:
    """The kind of suppression that Memcheck would write for the finding: ``Addr4``, ``Free``, ``Leak``, …"""
    if finding.leak:
        return "Leak"
    if finding.rule.name in _KINDS:
        return _KINDS[finding.rule.name][1]
    if undefined := _undefined(finding):
        return undefined[1]
    if finding.access.touches:
        fitting = (n for n in ACCESS_SIZES if finding.access.size <= n)
        return "Addr1" if finding.library_function else f"Addr{next(fitting, 32)}"
    return "Free" if finding.point is Point.FREE else "User"


def is_suppressed_kind(finding: Finding, kind: str) -> bool:
    """Whether a Memcheck suppression of this kind (without ``Memcheck:``) may speak of the finding.

    ``AddrN`` is about one machine access of N bytes. We see the source's
    access, which the compiler may have made part of a wider one, and library
    functions and copied structs as a whole, where Memcheck sees pieces.
    ``ValueN`` is about an address, or a table that is indexed, of N bytes;
    inside of a library function Memcheck has either that or ``Cond``.
    """
    if finding.access.use is not None:
        is_value = kind.startswith("Value") and kind[5:].isdigit()
        own = suppression_kind(finding)
        of_library = bool(finding.library_function) and own != "Param"
        return kind == own or (is_value and (own.startswith("Value") or of_library))
    if kind.startswith("Addr") and kind[4:].isdigit() and finding.access.touches:
        whole = finding.library_function or finding.access.size not in ACCESS_SIZES
        is_plain = finding.rule.name not in _KINDS
        return is_plain and bool(whole or finding.access.size <= int(kind[4:]))
    if kind == "User":
        return error_kind(finding) == "ClientCheck"
    return suppression_kind(finding) == kind


def entered(finding: Finding) -> tuple[str, ...]:
    """Names of the function that Memcheck would show as the innermost frame and we do not.

    Memcheck replaces the allocator and the string functions by code of its
    own and shows that; we show where they were called. Empty where the access
    is the program's own; which of several names it was is not recorded.
    """
    if finding.leak:
        family = finding.block.family if finding.block else Family.UNKNOWN
        every = tuple(name for names in _ALLOCATORS.values() for name in names)
        return _ALLOCATORS.get(family, every)
    if finding.point is Point.FREE:
        return _DEALLOCATORS
    name = finding.library_function
    if not name:
        return ()
    same = (*_SAME_FUNCTION, *_ALLOCATORS.values())
    return next((names for names in same if name in names), (name,))
