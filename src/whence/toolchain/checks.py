"""The checks of UBSan that the front end writes into carried IR, because it alone knows the types.

`whence.instrument.steps.checks` makes rules' markers of them, or removes them. The native code has none.
"""

from __future__ import annotations

KINDS = {
    "enum": 16,
    "return": 16,
    "vptr": 16,
    "shift-base": 16,
    "unsigned-shift-base": 16,
    "implicit-unsigned-integer-truncation": 16,
    "implicit-signed-integer-truncation": 16,
    "implicit-integer-sign-change": 16,
    "nonnull-attribute": 16,
    "function": 17,
    "implicit-bitfield-conversion": 19,
}
"""Names of clang's checks, and the oldest version that writes them in the form that is read."""

CONVERSIONS = {
    "convert_unsigned": "implicit-unsigned-integer-truncation",
    "convert_signed": "implicit-signed-integer-truncation",
    "to_signed": "implicit-integer-sign-change",
    "to_unsigned": "implicit-integer-sign-change",
}
"""Detection points of conversions, and the check for integers; bit-fields have one of their own."""

NEEDED = CONVERSIONS | {
    "enumeration": "enum",
    "missing_return": "return",
    "callee": "function",
    "object": "vptr",
    "shift_signed": "shift-base",
    "shift_unsigned": "unsigned-shift-base",
}
"""Detection points, and the check that shows where they are."""


def carried(major: int) -> tuple[str, ...]:
    """The checks of a version of clang."""
    return tuple(kind for kind, oldest in KINDS.items() if oldest <= major)


def options(major: int) -> tuple[str, ...]:
    """The options of a compilation to IR for them.

    They go past the driver, which would refuse some beside options such as -fno-rtti. With -fsanitize-recover
    a handler returns, and the code behind a check is that of the program.
    """
    kinds = ",".join(carried(major))
    return ("-Xclang", f"-fsanitize={kinds}", "-Xclang", f"-fsanitize-recover={kinds}")
