"""Exemption of functions that the source exempts from AddressSanitizer or MemorySanitizer.

Code that reads past the end of a block on purpose (whole words or vectors of a
string, up to the next boundary) has the attribute ``no_sanitize_address`` or
``no_sanitize("address")``. The front end drops it in compilations without the
sanitizer, so such a source is preprocessed without AddressSanitizer, and then
compiled once more with it but without its passes: functions without
``sanitize_address`` in this IR are exempt. In the carried IR they get LLVM's
attribute ``disable_sanitizer_instrumentation``. MemorySanitizer is asked likewise, where
the source names it; functions that it leaves alone take all values for defined. Both
know the lists of ``-fsanitize-ignorelist=``.
"""

from __future__ import annotations

import re

from whence.toolchain import spawn

EXEMPT = "disable_sanitizer_instrumentation"

DEFINED = '"whence-defined"'
"""Of functions for which all values are defined."""

_IGNORED = "-fsanitize-ignorelist="
_ATTRIBUTE = re.compile(rb"no_sanitize|disable_sanitizer_instrumentation")
_ATTRIBUTE_MEMORY = re.compile(
    rb'no_sanitize_memory|no_sanitize[^;{]*"memory"|disable_sanitizer_instrumentation'
)
_READ = ("-x", "ir", "-O0", "-w", "-Qunused-arguments", "-emit-llvm", "-o", "-")
"""The options to read a module from standard input and write one to standard output.

The passes of -O0 inline functions that must be inlined, like the vector intrinsics
of the headers, so that their accesses become those of the exempt function.
"""
_SANITIZED = {
    b"sanitize_address": ("-fsanitize=address", "-fno-sanitize-address-use-after-scope", "-S"),
    b"sanitize_memory": ("-fsanitize=memory", "-S"),
}
"""The options for what each sanitizer would instrument, by the attribute of such functions."""
_MARKS = {b"sanitize_address": EXEMPT, b"sanitize_memory": DEFINED}
_DEFINITION = re.compile(rb'^define [^\n]*?@("[^"\n]*"|[\w.$-]+)\([^\n]*?( #(\d+)) [^\n]*\{$', re.MULTILINE)
_GROUP = re.compile(rb"^attributes #(\d+) = \{([^\n]*)\}", re.MULTILINE)


def exempt(bitcode: bytes, clang: list[str], flags: list[str], mode: tuple[str, ...], path: str) -> bytes:
    """`bitcode` with its exempt functions marked; unchanged if there are none or a command fails.

    `flags` and `mode` made the bitcode from the source `path`, whose language is among the flags.
    """
    preprocessed = spawn.output([*clang, *flags, "-w", "-Qunused-arguments", "-E", "-o", "-", "--", path])
    lists = any(flag.startswith(_IGNORED) for flag in flags)
    if not lists and not _ATTRIBUTE.search(preprocessed):
        return bitcode
    language = next((name for name in ("c++-module", "c++") if name in flags[-1]), "")
    language = f"{language}-cpp-output".removeprefix("-")
    plain = [flag for flag in flags[:-2] if not flag.startswith("-fsanitize") or flag.startswith(_IGNORED)]
    asked = [b"sanitize_address"]
    if lists or _ATTRIBUTE_MEMORY.search(preprocessed):
        asked.append(b"sanitize_memory")
    found: dict[bytes, set[bytes]] = {}
    for each in asked:
        command = [*clang, *plain, *mode, *_SANITIZED[each], "-x", language, "-"]
        found[each] = unsanitized(spawn.output(command, preprocessed), each)
    if not any(found.values()):
        return bitcode
    text = spawn.output([*clang, *_READ, "-S", "-Xclang", "-disable-llvm-passes", "-"], bitcode)
    for each, names in found.items():
        text = marked(text, names, _MARKS[each])
    return spawn.output([*clang, *_READ, "-c", "-"], text) or bitcode


def unsanitized(text: bytes, attribute: bytes = b"sanitize_address") -> set[bytes]:
    """The names of the functions in IR for a sanitizer that it does not instrument."""
    groups = {
        number: attribute in words.split() and EXEMPT.encode() not in words.split()
        for number, words in _GROUP.findall(text)
    }
    return {name for name, _, number in _DEFINITION.findall(text) if not groups.get(number, True)}


def marked(text: bytes, names: set[bytes], mark_: str = EXEMPT) -> bytes:
    """The text of a module with the definitions of `names` marked as exempt.

    ``define i32 @f(ptr %0) #1 !dbg !9 {`` becomes
    ``define i32 @f(ptr %0) disable_sanitizer_instrumentation #1 !dbg !9 {``.
    """

    def mark(match: re.Match[bytes]) -> bytes:
        if match[1] not in names:
            return match[0]
        at = match.start(2) - match.start()
        return match[0][:at] + b" " + mark_.encode() + match[0][at:]

    return _DEFINITION.sub(mark, text)
