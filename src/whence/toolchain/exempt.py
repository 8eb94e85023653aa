"""Exemption of functions that the source exempts from AddressSanitizer.

Code that reads past the end of a block on purpose (whole words or vectors of a
string, up to the next boundary) has the attribute ``no_sanitize_address`` or
``no_sanitize("address")``. The front end drops it in compilations without the
sanitizer, so such a source is preprocessed without AddressSanitizer, and then
compiled once more with it but without its passes: functions without
``sanitize_address`` in this IR are exempt. In the carried IR they get LLVM's
attribute ``disable_sanitizer_instrumentation``.
"""

from __future__ import annotations

import re

from whence.toolchain import spawn

EXEMPT = "disable_sanitizer_instrumentation"

_ATTRIBUTE = b"no_sanitize"
_READ = ("-x", "ir", "-O0", "-w", "-Qunused-arguments", "-emit-llvm", "-o", "-")
"""The options to read a module from standard input and write one to standard output.

The passes of -O0 inline functions that must be inlined, like the vector intrinsics
of the headers, so that their accesses become those of the exempt function.
"""
_SANITIZED = ("-fsanitize=address", "-fno-sanitize-address-use-after-scope", "-S")
_DEFINITION = re.compile(rb'^define [^\n]*?@("[^"\n]*"|[\w.$-]+)\([^\n]*?( #(\d+)) [^\n]*\{$', re.MULTILINE)
_GROUP = re.compile(rb"^attributes #(\d+) = \{([^\n]*)\}", re.MULTILINE)


def exempt(bitcode: bytes, clang: list[str], flags: list[str], mode: tuple[str, ...], path: str) -> bytes:
    """`bitcode` with its exempt functions marked; unchanged if there are none or a command fails.

    `flags` and `mode` made the bitcode from the source `path`, whose language is among the flags.
    """
    preprocessed = spawn.output([*clang, *flags, "-w", "-Qunused-arguments", "-E", "-o", "-", "--", path])
    if _ATTRIBUTE not in preprocessed:
        return bitcode
    language = next((name for name in ("c++-module", "c++") if name in flags[-1]), "")
    language = f"{language}-cpp-output".removeprefix("-")
    plain = [flag for flag in flags[:-2] if not flag.startswith("-fsanitize")]
    sanitized = spawn.output([*clang, *plain, *mode, *_SANITIZED, "-x", language, "-"], preprocessed)
    names = unsanitized(sanitized)
    if not names:
        return bitcode
    text = spawn.output([*clang, *_READ, "-S", "-Xclang", "-disable-llvm-passes", "-"], bitcode)
    return spawn.output([*clang, *_READ, "-c", "-"], marked(text, names)) or bitcode


def unsanitized(text: bytes) -> set[bytes]:
    """The names of the functions in IR for AddressSanitizer that it does not instrument."""
    groups = {number: b"sanitize_address" in words.split() for number, words in _GROUP.findall(text)}
    return {name for name, _, number in _DEFINITION.findall(text) if not groups.get(number, True)}


def marked(text: bytes, names: set[bytes]) -> bytes:
    """The text of a module with the definitions of `names` marked as exempt.

    ``define i32 @f(ptr %0) #1 !dbg !9 {`` becomes
    ``define i32 @f(ptr %0) disable_sanitizer_instrumentation #1 !dbg !9 {``.
    """

    def mark(match: re.Match[bytes]) -> bytes:
        if match[1] not in names:
            return match[0]
        at = match.start(2) - match.start()
        return match[0][:at] + b" " + EXEMPT.encode() + match[0][at:]

    return _DEFINITION.sub(mark, text)
