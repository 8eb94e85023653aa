# mypy: ignore-errors
"""The commands of whence inside of gdb, which reads this file with its own Python, without whence's modules.

They work at any stop, not only at a finding. Data of the process are read by calls of functions of its
runtime (runtime/findings/debugger.c); texts of findings come from whence's process.
"""

import json
import os
import re
import shlex
import signal
import socket
import urllib.parse

import gdb

OWN = ("libwhence", "whence-alloc")
"""Begins of the names of whence's own libraries."""
GENERATED = ("whence.", "__whence_", "whence_")
"""Begins of the names of functions that whence generates."""
NO_CALLS = "extended state status"
"""What gdb 13 and older say on processors with more registers than they have room for (AMX)."""
NONE = 0xFFFF_FFFF_FFFF_FFFF


def evaluate(text):
    """The value of an expression; an error of gdb as one of this command."""
    try:
        return gdb.parse_and_eval(text)
    except gdb.error as error:
        if NO_CALLS in str(error):
            raise gdb.GdbError(
                f"gdb {gdb.VERSION} cannot call functions on this processor ({error}): use gdb 14 or newer"
            ) from error
        raise gdb.GdbError(str(error)) from error


def has(symbol):
    """Whether the process has a function or variable of this name."""
    return bool(gdb.lookup_global_symbol(symbol) or gdb.lookup_static_symbol(symbol))


def need_checks():
    """Raises an error in a replay of a program as it is."""
    if REPLAYED:
        raise gdb.GdbError("nothing is checked here: this is the program as it is, at recorded addresses")


def session():
    """The address of whence's process."""
    need_checks()
    named = os.environ.get("WHENCE_DEBUGGER") or os.environ.get("WHENCE_DEBUGGER_EDITOR")
    if named is None:
        raise gdb.GdbError("this gdb was not started by whence debug, which knows the findings")
    return os.path.realpath(named)


def ask(what, *words):
    """The answer of whence's process."""
    color = "color" if gdb.parameter("style enabled") and os.isatty(1) else "plain"
    width = gdb.parameter("width") or 0
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(session())
            rest = "".join(f" {urllib.parse.quote(str(word), safe='')}" for word in words)
            connection.sendall(f"{what} {color} {width}{rest}\n".encode())
            parts = []
            while part := connection.recv(1 << 16):
                parts.append(part)
        except OSError as error:
            raise gdb.GdbError(f"whence's process does not answer: {error.strerror}") from error
    return b"".join(parts).decode()


def own(frame):
    """Whether a frame lies in whence's runtime, in code that whence generated, or in that of signals."""
    if frame.type() == gdb.SIGTRAMP_FRAME:
        return True
    library = os.path.basename(gdb.solib_name(frame.pc()) or "")
    return library.startswith(OWN) or (frame.name() or "").startswith(GENERATED)


def select_program():
    """Selects the innermost frame of the program."""
    frame = gdb.newest_frame()
    while frame is not None and own(frame):
        frame = frame.older()
    if frame is not None:
        frame.select()
        gdb.execute("frame")


def place(pc):
    """Function, file and line of a return address."""
    found = gdb.find_pc_line(pc - 1)
    function = gdb.execute(f"info symbol {pc - 1:#x}", to_string=True).split(" in section")[0].strip()
    name = function.split(" + ")[0]
    if found.symtab is not None:
        return f"{name}  {found.symtab.filename}:{found.line}"
    return f"{name}  {os.path.basename(gdb.solib_name(pc) or '?')}"


class Frames:
    """Leaves whence's own frames out of backtraces; `bt -no-filters` shows them."""

    def __init__(self):
        self.name = "whence"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (each for each in frames if not own(each.inferior_frame()))


class Finding(gdb.Breakpoint):
    """Stops at each finding, before the faulty step."""

    def __init__(self):
        super().__init__("whence_debug_finding", internal=True)
        self.silent = True
        self.rule = ""

    def stop(self):
        self.rule = gdb.newest_frame().read_var("rule").string() if self.has_rule() else ""
        return True

    @staticmethod
    def has_rule():
        return any(symbol.name == "rule" for symbol in gdb.newest_frame().block())


class Reached(gdb.Breakpoint):
    """Stops where the chosen block is allocated and freed."""

    def __init__(self):
        super().__init__("whence_debug_block_reached", internal=True)
        self.silent = True


class Whence(gdb.Command):
    """Commands of whence: where, findings, block, chain, trace, rules, break, events."""

    def __init__(self):
        super().__init__("whence", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class Where(gdb.Command):
    """whence where: the last finding, with its block and stacks."""

    def __init__(self):
        super().__init__("whence where", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        gdb.write(ask("where"))


class Findings(gdb.Command):
    """whence findings: all findings so far."""

    def __init__(self):
        super().__init__("whence findings", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        gdb.write(ask("findings"))


class Block(gdb.Command):
    """whence block EXPRESSION: the block that an address lies in, or the nearest one, with its stacks.

    whence block #NUMBER: the block with this number."""

    def __init__(self):
        super().__init__("whence block", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("whence block: give an address, an expression, or #NUMBER of a block")
        address = None
        if argument.startswith("#"):
            need_checks()
            evaluate(f"whence_debug_numbered({int(argument[1:], 0)})")
        else:
            address = int(evaluate(f"(unsigned long)({argument})"))
            evaluate(f"whence_debug_at({address})")
        answer = evaluate("whence_debug_answer")
        row = answer["block"]
        if not int(row["state"]):
            gdb.write("No block there.\n")
            return
        self.show(answer, row, address)

    def show(self, answer, row, address):
        begin, size = int(row["begin"]), int(row["size"])
        live = int(row["state"]) == 1
        kind = KINDS.get(int(row["kind"]), "block")
        number = f" #{int(row['id'])}" if int(row["id"]) else ""
        gdb.write(f"block{number}: {size} bytes, {kind}, {'live' if live else 'freed'}, ")
        gdb.write(f"[{begin:#x}, {begin + size:#x})\n")
        if address is not None:
            gdb.write(f"  {address:#x} is {position(address, begin, size)}\n")
        if REPLAYED:
            return
        self.stack(f"allocated by thread {int(row['thread'])}", answer["alloc"], int(answer["n_alloc"]))
        if not live:
            self.stack(f"freed by thread {int(answer['free_thread'])}", answer["free"], int(answer["n_free"]))

    @staticmethod
    def stack(heading, frames, count):
        if not count:
            return
        gdb.write(f"  {heading}\n")
        for index in range(count):
            shown = place(int(frames[index]))
            gdb.write(f"    {index}  {shown}\n")
            if shown.startswith("main  "):
                return


KINDS = {1: "heap", 2: "stack", 3: "global"}


def position(address, begin, size):
    """Where an address lies, seen from a block."""
    if address < begin:
        return f"{begin - address} bytes before it"
    if address >= begin + size:
        return f"{address - begin - size} bytes after its end"
    return f"byte {address - begin} of it"


def memory_of(text):
    """What an expression names in memory, a value of 4 or 8 bytes, and its address."""
    value = evaluate(text)
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    if value.is_optimized_out:
        raise gdb.GdbError(
            f"'{text}' is optimized out here, and its memory is not known: stop where it is used, or build "
            "this file with -O0"
        )
    if value.address is None:
        raise gdb.GdbError(f"'{text}' lies in no memory: give what the value was read from")
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY):
        raise gdb.GdbError(f"'{text}' has parts, and each has its chain: give one of them")
    if value.type.sizeof not in (4, 8):
        raise gdb.GdbError(f"'{text}' has {value.type.sizeof} bytes: values of 4 and 8 bytes are followed")
    try:
        value.fetch_lazy()
    except gdb.MemoryError as error:
        raise gdb.GdbError(str(error)) from error
    return value, int(value.address)


def bits_of(value):
    """The bytes of a value of 4 or 8 bytes, as a number."""
    content = gdb.selected_inferior().read_memory(int(value.address), value.type.sizeof)
    return int.from_bytes(content, "little")


def place_of(text):
    """The address, the size and the value, as a number, of what an expression names in memory."""
    value, address = memory_of(text)
    number = bits_of(value)
    # gdb names the address of p for the value p + 1, too
    if value.type.strip_typedefs().code != gdb.TYPE_CODE_FLT and not is_number(value, number):
        raise gdb.GdbError(f"'{text}' lies in no memory: give what the value was read from")
    return address, value.type.sizeof, number


def is_number(value, number):
    """Whether a value of 4 or 8 bytes has these bits."""
    return int(value) & ((1 << 8 * value.type.sizeof) - 1) == number


def need_records():
    """Raises an error if this run does not record where values come from."""
    need_checks()
    if not has("__whence_origin_make"):
        raise gdb.GdbError("the library of this engine does not record where values come from")
    if not int(evaluate("whence_debug_records()")):
        raise gdb.GdbError("this run does not record where values come from; whence debug --locate does")


def tell_origin(text):
    """Writes a chain, or why there is none."""
    need_records()
    address, size, number = place_of(text)
    state = int(evaluate(f"whence_debug_chain({address}ul, {size}ul, {number}ul)"))
    answer = evaluate("whence_debug_origin")
    if state == len(ORIGINS):
        gdb.write(ask("chain", text, int(answer["thread"]), answer["text"].string(errors="replace")))
    else:
        gdb.write(f"{text}: {ORIGINS[state]}\n")


ORIGINS = (
    "nothing is recorded for this memory: no checked code has stored there",
    "written since by code that is not followed",
)
"""Why there is no chain, by the answer of whence_debug_chain."""


class Chain(gdb.Command):
    """whence chain EXPRESSION: where the value of a variable or of memory comes from, newest first."""

    def __init__(self):
        super().__init__("whence chain", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("whence chain: give an expression that names memory")
        tell_origin(argument)


class Trace(gdb.Command):
    """whence trace EXPRESSION: the last write of a variable or of memory, with the value and the time.

    whence trace EXPRESSION --last N: the last N of them."""

    def __init__(self):
        super().__init__("whence trace", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        found = re.fullmatch(r"(?:--last\s+(\d+)\s+)?(.+?)(?:\s+--last\s+(\d+))?", argument.strip())
        if found is None:
            raise gdb.GdbError("whence trace: give an expression that names memory")
        need_records()
        text = found[2]
        address, size, number = place_of(text)
        value, wanted = memory_of(text)[0], int(found[1] or found[3] or 1)
        state = int(evaluate(f"whence_debug_chain({address}ul, {size}ul, {number}ul)"))
        rows = list(self.writes(value, address, wanted))
        if state < len(ORIGINS):
            gdb.write(f"{text}: {ORIGINS[state]}\n")
        if rows:
            tag = int(evaluate("whence_debug_origin")["thread"])
            gdb.write(ask("writes", text, tag, *(word for row in rows for word in row)))
        lost = int(evaluate("whence_debug_written")["lost"])
        if lost and len(rows) < wanted:
            gdb.write(f"{lost} writes of the program are older than the log, which has the last of them.\n")

    @staticmethod
    def writes(value, address, most):
        """What is known of each write, newest first: a note, and the chain of what was written."""
        number = 0
        for _ in range(most):
            evaluate(f"whence_debug_write({address}ul, {value.type.sizeof}ul, {number}ul)")
            written = evaluate("whence_debug_written")
            number = int(written["number"])
            if not number:
                return
            text = evaluate("whence_debug_origin")["text"].string(errors="replace")
            yield f"{written_value(value, address, written)}event {int(written['clock'])}", text


def written_value(value, address, written):
    """The value of a write in words, of the type of what was asked for; empty if not all of it was kept."""
    size, begin = value.type.sizeof, address - int(written["address"])
    if not int(written["whole"]) or begin < 0 or begin + size > int(written["size"]):
        return ""
    part = int(written["value"]).to_bytes(8, "little")[begin : begin + size]
    return f"{gdb.Value(part, value.type).format_string(symbols=False)}, "


class Rules(gdb.Command):
    """whence rules: the rules of this run. whence rules off NAME, whence rules on NAME: switches one."""

    def __init__(self):
        super().__init__("whence rules", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        need_checks()
        words = shlex.split(argument)
        if not words:
            self.list()
        elif len(words) == 2 and words[0] in ("on", "off"):
            self.switch(words[1], words[0] == "off")
        else:
            raise gdb.GdbError("whence rules: expected nothing, 'on NAME' or 'off NAME'")

    def list(self):
        for index, name in self.names():
            gdb.write(f"  {'off' if self.is_off(index) else 'on ':3} {name}\n")

    @staticmethod
    def names():
        index = 0
        while int(name := evaluate(f"whence_debug_name({index})")):
            yield index, name.string()
            index += 1

    @staticmethod
    def is_off(index):
        return bool(int(evaluate(f"whence_debug_off[{index // 64}]")) >> index % 64 & 1)

    def switch(self, name, off):
        known = {each: index for index, each in self.names()}
        if name not in known:
            raise gdb.GdbError(
                f"whence rules: '{name}' is no rule of this run (they are: {', '.join(known)}); "
                f"whence debug --enable {name} starts with it"
            )
        index = known[name]
        word = int(evaluate(f"whence_debug_off[{index // 64}]"))
        bit = 1 << index % 64
        word = word | bit if off else word & ~bit
        gdb.execute(f"set variable whence_debug_off[{index // 64}] = {word:#x}", to_string=True)
        gdb.write(f"rule {name} is {'off' if off else 'on'}\n")


class Break(gdb.Command):
    """whence break #NUMBER: stops where the block with this number is allocated and freed.

    Numbers are the same in every run of the same program and input. `whence break` alone ends that.
    whence break EXPRESSION: the block at this address."""

    def __init__(self):
        super().__init__("whence break", gdb.COMMAND_BREAKPOINTS, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        need_checks()
        if not has("blocks_watched"):
            raise gdb.GdbError("whence break: the library of this engine does not stop at blocks")
        number = self.number(argument)
        gdb.execute(f"set variable blocks_watched = {number:#x}", to_string=True)
        gdb.write(
            "no block is watched\n"
            if number == NONE
            else f"stops where block #{number} is allocated or freed\n"
        )

    @staticmethod
    def number(argument):
        if not argument:
            return NONE
        if argument.startswith("#"):
            return int(argument[1:], 0)
        evaluate(f"whence_debug_at((unsigned long)({argument}))")
        number = int(evaluate("whence_debug_answer")["block"]["id"])
        if not number:
            raise gdb.GdbError(f"whence break: no block at {argument}")
        return number


class Events(gdb.Command):
    """whence events: the event clock; blocks are numbered by it."""

    def __init__(self):
        super().__init__("whence events", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        need_checks()
        gdb.write(f"{int(evaluate('whence_debug_clock()'))} events (allocations, frees, …) so far\n")


class Again(gdb.Command):
    """Runs the program again under whence, in a new gdb with the same breakpoints: run, start and starti.

    gdb's own commands would start the instrumented file without whence. Before the first prompt, in scripts
    and --ex, these commands say so: a script that is read again would run it for ever.
    """

    prompted = False

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_RUNNING, gdb.COMPLETE_FILENAME)
        self.name = name

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        place = os.environ.get("WHENCE_DEBUGGER_AGAIN")
        if place is None or not Again.prompted:
            raise gdb.GdbError(
                f"{self.name}: the program runs under whence already; `continue` goes on, and to start it "
                "again leave gdb and start whence debug again"
            )
        words = shlex.split(argument)
        if any(word[0] in "<>|&" for word in words if word):
            raise gdb.GdbError(f"{self.name}: give redirections to whence debug, not to gdb")
        gdb.execute(f"save breakpoints {place}.breakpoints", to_string=True)
        with open(place, "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump({"stop": self.name != "run", "arguments": words}, file)
        gdb.execute("quit")


def prompted(*_):
    Again.prompted = True


def exiting(*_):
    """Ends the program before gdb detaches from it, which would let it go on for a moment."""
    for inferior in gdb.inferiors():
        if inferior.pid:
            os.kill(inferior.pid, signal.SIGKILL)


def stopped(event):
    """Says why the program stopped, and selects its own frame."""
    reached = getattr(event, "breakpoints", ())
    if FINDING in reached:
        gdb.write(f"whence: {FINDING.rule or 'a finding'}, before the step that it is about\n")
        gdb.write(ask("where"))
        select_program()
    elif REACHED in reached:
        number = int(evaluate("blocks_watched"))
        evaluate(f"whence_debug_numbered({number})")
        live = int(evaluate("whence_debug_answer")["block"]["state"]) == 1
        gdb.write(f"whence: block #{number} is {'allocated' if live else 'freed'} here\n")
        select_program()


def begin():
    """Sets the breakpoints in a process that waits for this debugger; it goes on at the next `continue`."""
    global FINDING, REACHED
    FINDING, REACHED = Finding(), Reached()
    gdb.events.stop.connect(stopped)
    # The runtime makes a finding of what kills the program, and gdb stops there, with the report.
    for name in ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGPIPE", "SIGUSR1", "SIGUSR2", "SIGALRM"):
        gdb.execute(f"handle {name} nostop noprint pass", to_string=True)
    gdb.execute("set variable whence_debug_attached = 1", to_string=True)
    if hasattr(gdb.events, "gdb_exiting"):  # gdb 12
        gdb.events.gdb_exiting.connect(exiting)


def whence_begin(stop_at_main):
    """For an editor: the same, and a stop at main if it wants one."""
    begin()
    if stop_at_main:
        gdb.execute("tbreak main", to_string=True)


def begin_attached():
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError(
            "gdb could not attach to the program: see the message above (/proc/sys/kernel/yama/ptrace_scope)"
        )
    begin()
    if not os.environ.get("WHENCE_DEBUGGER_RUNS"):
        gdb.execute("tbreak main", to_string=True)
        gdb.execute("continue", to_string=True)
        gdb.execute("frame")


def begin_replayed():
    if not os.environ.get("WHENCE_DEBUGGER_RUNS"):
        gdb.execute("tbreak main", to_string=True)
        gdb.execute("run", to_string=True)
        gdb.execute("frame")


FINDING = REACHED = None
REPLAYED = bool(os.environ.get("WHENCE_DEBUGGER_REPLAYED"))
"""Whether gdb starts a program as it is."""
for command in (Whence, Where, Findings, Block, Chain, Trace, Rules, Break, Events):
    command()
Frames()
if not REPLAYED:
    for name in ("run", "start", "starti"):
        Again(name)
    gdb.events.before_prompt.connect(prompted)
if REPLAYED:
    begin_replayed()
elif os.environ.get("WHENCE_DEBUGGER"):
    begin_attached()
