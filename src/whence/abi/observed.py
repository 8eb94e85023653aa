"""What the tool of engine ``binary`` and the runtime in the program that it executes agree on."""

from __future__ import annotations

STATE_OFFSET = 0x1000_0000_0000
"""``layout.STATE_OFFSET`` there: the core of the tool has its own memory where that plane lies."""
RANGES_MOST = 1024
"""Ranges of code of one kind."""
NOWHERE = 16
"""Where no program has memory: the tool touches it to stop the program before a wrong access."""

MET = ("ACCESS", "CODE", "REQUEST")
"""Why a thread was stopped: a wrong access, code that is not known, a client request of the program."""

REQUESTS = {
    "APART": 0x5748_0001,
    "BEGIN": 0x5748_0002,
    "ACCESS": 0x5748_0003,
    "ALLOW": 0x5748_0004,
    "KNOWN": 0x5748_0005,
    "OWNER": 0x5748_0006,
    "MET": 0x5748_0007,
}
"""Client requests of the runtime, each with up to two words; the answer is 0 where no tool executes the
process. APART: code that is not looked at (begin, end). KNOWN: code whose calls lead to the wrappers
(begin, end). BEGIN: look at all other code from now on. ACCESS: this thread was stopped; writes five
words to the address given, and answers 1, or 0 if it was not: an address, a size, whether it is written,
the number of one of `MET`, and where the thread was. The address is that of the access, of the code, or
of the words of the program's request. ALLOW: let this thread go on there once; with 1, what it met is
known from now on. OWNER: whether memory at an address is the program's, and with 1 also whether that can
be written. MET: whether code there is neither apart nor known.
"""


def macros() -> dict[str, str]:
    """The values as macros of the tool."""
    values = {"STATE_OFFSET": STATE_OFFSET, "RANGES_MOST": RANGES_MOST, "NOWHERE": NOWHERE}
    values |= {f"MET_{name}": number for number, name in enumerate(MET)}
    values |= {f"REQUEST_{name}": number for name, number in REQUESTS.items()}
    return {f"WHENCE_{name}": f"{value:#x}ull" for name, value in values.items()}
