"""Options that the launcher hands to the runtime in the environment.

``WHENCE_RT`` holds ``name=value`` pairs separated by colons. The C parser and
this encoder are generated from the same table; an unknown name or a malformed
value is an error on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.abi.fixed import FIXED_FINDINGS


@dataclass(frozen=True)
class Option:
    name: str
    default: int
    low: int
    high: int
    meaning: str


OPTIONS = (
    Option("halt", 1, 0, 1, "stop the program at the first finding"),
    Option("exitcode", 99, 0, 255, "exit status of a program that was stopped"),
    Option("leaks", 1, 0, 2, "rules at the end of main: 0 no, 1 yes, 2 only count the blocks"),
    Option("leak_signal", 0, 0, 64, "signal that asks for a leak check; 0 for none"),
    Option("foreign_leaks", 0, 0, 1, "leaks of a program without IR, too, and of its libraries"),
    Option("quarantine_kib", 65536, 0, 1 << 30, "bytes of freed blocks held back, in KiB"),
    Option("quarantine_depth", 8, 0, 1 << 20, "freed blocks of each size class held back, at least"),
    Option("heap_start_kib", 0, 0, 1 << 16, "unused begin of each heap region: other addresses; KiB, by 4"),
    Option("realloc_moves", 1, 0, 1, "realloc always gives another address; 0: if the slot is too small"),
    Option("alloc_frames", 16, 1, 24, "frames kept at allocation and free"),
    Option("judge", 0, 0, 1 << 22, "process that says at each finding whether to stop; 0: always stop"),
    Option("reader", 0, 0, 1 << 22, "process that reads the record; once it is gone findings are printed"),
    Option("held", 0, 0, 1 << 22, "process that waits at its end until the reader has reported; 0 for none"),
    Option("key_frames", 4, 1, 64, "frames that tell findings apart while the program goes on"),
    Option("debug", 0, 0, 1 << 22, "parent of the process that waits for a debugger at its start; 0: none"),
    Option("children", 0, 0, 1, "check the programs that are executed, too"),
    Option("attach_wait", 0, 0, 86400, "seconds that a debugger has to attach before a faulty step"),
    Option("guard_resident", 512, 0, 1 << 20, "small guarded blocks that have a page each; 0: all of them"),
    Option("profile", 0, 0, 1, "count the heap by stack, in a file beside the record"),
    Option("origins", 0, 0, 1, "the code follows where values come from"),
    Option("origin_nodes", (1 << 22) - 2, 64, (1 << 22) - 2, "steps of chains that are kept at most"),
    Option("caged", 0, 0, 2, "end before a call that changes more than the process; 2: or reads stdin"),
    Option("outside", 0, 0, 3, "answers from outside: 1 kept beside the record, 2 given again, 3 made up"),
    Option("calls", 0, 0, 2, "what the kernel answers: 1 kept beside the record, 2 given again"),
    Option("symbolic", 0, 0, 1, "the code builds expressions of symbolic values"),
    Option("max_fail", 0, 0, 1 << 20, "calls of the system that may fail on an explored path"),
    Option("max_fail_memory", 0, 0, 1 << 20, "requests of memory that may fail on an explored path"),
    Option("explore", 0, 0, 1 << 20, "descriptor of the socket of the fork server; 0: none"),
    Option("edges", 0, 0, 1, "the code counts edges and shows comparisons"),
    Option("fuzz", 0, 0, 1 << 20, "descriptor of the area of a fuzzer; 0: none"),
    Option("fuzz_input", 0, 0, 1 << 20, "descriptor of the file that inputs are written to"),
    Option("signals", 1, 0, 1, "report SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGTRAP"),
    Option("regions", 0, 0, 1, "say at the start where the heap and its tables lie"),
    *(Option(each.option, int(each.default_on), 0, 1, each.title) for each in FIXED_FINDINGS),
)


def encode(values: dict[str, int]) -> str:
    """The value of ``WHENCE_RT``; raises `ValueError` on an unknown name or a value out of range."""
    known = {option.name: option for option in OPTIONS}
    for name, value in values.items():
        option = known.get(name)
        if option is None:
            raise ValueError(f"unknown runtime option '{name}' (expected one of: {', '.join(known)})")
        if not option.low <= value <= option.high:
            raise ValueError(f"runtime option {name}={value} is not in {option.low}..{option.high}")
    return ":".join(f"{name}={value}" for name, value in values.items())
