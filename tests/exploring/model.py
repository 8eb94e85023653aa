"""Small programs in Python that run concolically: they write the traces that the runtime would write.

A program is a function of a `Path`. It computes with `Value`s and branches with `if path.true(condition)`.
"""

import struct
from array import array

from whence.abi import symbolic
from whence.abi.records import KINDS
from whence.exploring.evaluate import signed
from whence.exploring.executing import Ran

KIND = {name: each.number for name, each in symbolic.KINDS.items()}
OP = {name: each.number for name, each in symbolic.OPERATORS.items()}

DECISIONS = ("BRANCH", "SWITCH", "CONCRETE", "ACCESS", "CHECK", "ASSUME")


class Ended(Exception):
    """The program ends here; `how` is a key of ENDS."""

    def __init__(self, how, status=0):
        self.how, self.status = how, status


class Value:
    """A number of some width; `id` is 0 where it does not depend on the input."""

    def __init__(self, path, number, width, value):
        self.path, self.id, self.width, self.value = path, number, width, value & ((1 << width) - 1)

    def _other(self, other):
        return other if isinstance(other, Value) else Value(self.path, 0, self.width, other)

    def _of(self, name, other, value, width=None):
        return self.path.node(name, width or self.width, value, self, self._other(other))

    def __add__(self, other):
        return self._of("ADD", other, self.value + self._other(other).value)

    def __sub__(self, other):
        return self._of("SUB", other, self.value - self._other(other).value)

    def __mul__(self, other):
        return self._of("MUL", other, self.value * self._other(other).value)

    def __and__(self, other):
        return self._of("AND", other, self.value & self._other(other).value)

    def __xor__(self, other):
        return self._of("XOR", other, self.value ^ self._other(other).value)

    def __eq__(self, other):
        return self._of("EQ", other, self.value == self._other(other).value, 1)

    def __lt__(self, other):
        return self._of("ULT", other, self.value < self._other(other).value, 1)

    def __gt__(self, other):
        return self._other(other) < self

    __hash__ = None

    def less(self, other):
        other = self._other(other)
        return self._of("SLT", other, signed(self.value, self.width) < signed(other.value, self.width), 1)

    def divided(self, other):
        return self._of("UDIV", other, self.value // self._other(other).value)

    def wide(self, width):
        return self.path.node("ZEXT", width, self.value, self)

    def then(self, low):
        """This as the higher part."""
        return self.path.node(
            "CONCAT", self.width + low.width, self.value << low.width | low.value, self, low
        )


class Path:
    """One run. `inputs` are the bytes of objects; what is missing is 0."""

    def __init__(self, inputs):
        self.inputs, self.words, self.ids = inputs, array("Q"), {}
        self.objects, self.last, self.sites = {}, 0, set()

    def head(self, kind, operator=0, width=0, number=0):
        return KIND[kind] | operator << 8 | width << 16 | number << 32

    def record(self, kind, *operands, operator=0, width=0, number=0):
        if kind in DECISIONS and number not in self.sites:
            self.sites.add(number)
            self.record("SITE", 0, number, number=number)
        self.words.extend([self.head(kind, operator, width, number), *operands])

    def define(self, key, kind, *operands, operator=0, width=0):
        if key not in self.ids:
            self.last += 1
            self.ids[key] = self.last
            self.record(kind, *operands, operator=operator, width=width, number=self.last)
        return self.ids[key]

    def bytes(self, name, size):
        """The symbolic bytes of an object."""
        if name not in self.objects:
            text = name.encode()
            self.record("OBJECT", size, len(text), number=len(self.objects))
            self.words.frombytes(text.ljust((len(text) + 7) // 8 * 8, b"\0"))
            self.objects[name] = len(self.objects)
        data = self.inputs.get(name, b"").ljust(size, b"\0")
        return [self._byte(name, offset, data[offset]) for offset in range(size)]

    def _byte(self, name, offset, value):
        where = self.objects[name] | offset << 32
        return Value(self, self.define((name, offset), "INPUT", where, width=8), 8, value)

    def number(self, value):
        """The id of a value."""
        return value.id or self.define((value.value, value.width), "CONSTANT", value.value, width=value.width)

    def node(self, name, width, value, *operands):
        if not any(each.id for each in operands):
            return Value(self, 0, width, int(value))
        ids = [*map(self.number, operands), 0, 0][:3]
        packed = (ids[0] | ids[1] << 32, ids[2])
        number = self.define((name, width, *ids), "NODE", *packed, operator=OP[name], width=width)
        return Value(self, number, width, int(value))

    # ---- what depends on it ----

    def true(self, condition, site=1):
        if condition.id:
            self.record("BRANCH", condition.id | condition.value << 32, number=site)
        return bool(condition.value)

    def assume(self, condition, site=2):
        if condition.id:
            self.record("ASSUME", condition.id | condition.value << 32, number=site)
        if not condition.value:
            raise Ended("ASSUMPTION")

    def switch(self, value, cases, site=3):
        """cases: value -> way."""
        if value.id and site not in self.sites:
            for each, way in cases.items():
                self.record("CASE", each, way, number=site)
        if value.id:
            self.record("SWITCH", value.id, value.value, number=site)
        return cases.get(value.value, 0)

    def concrete(self, value, reason="ADDRESS", site=4):
        if value.id:
            self.record("CONCRETE", value.id, value.value, operator=symbolic.REASONS[reason], number=site)
        return value.value

    def check(self, condition, what="DIVISION", site=5):
        """The condition means an error, which ends the path."""
        if condition.id:
            self.record("CHECK", condition.id, operator=symbolic.CHECKS[what], number=site)
        if condition.value:
            raise Ended("FINDING", 99)

    def access(self, address, size, blocks, site=6):
        """Reads at an address; blocks: base -> length. Outside of all of them it is an error."""
        at = address.value
        base = next((b for b, length in blocks.items() if b <= at and at + size <= b + length), None)
        if address.id:
            operands = (address.id, at, size, base or 0, blocks[base] if base else 0)
            how = symbolic.ACCESSES["READ"]
            self.record("ACCESS", *operands, operator=how, width=KINDS["HEAP"], number=site)
        if base is None:
            raise Ended("FINDING", 99)
        return self.concrete(address, site=site)


def run(program, inputs):
    """The trace of one run, and how it ended."""
    path = Path(inputs)
    try:
        status = program(path) or 0
        how = "EXIT"
    except Ended as ended:
        how, status = ended.how, ended.status
    path.record("END", status, operator=symbolic.ENDS[how])
    return path, how, status


def as_file(words):
    """A trace file with these words."""
    body = words.tobytes()
    used = symbolic.TRACE_HEADER_SIZE + len(body)
    fields = (int.from_bytes(symbolic.MAGIC, "little"), symbolic.VERSION, 0, symbolic.TRACE_SIZE, used, 1, 0)
    return struct.pack(symbolic.TRACE.format, *fields).ljust(symbolic.TRACE_HEADER_SIZE, b"\0") + body


class ModelExecutor:
    """Runs a program of this file; `finding` makes the finding for a path that ends with one."""

    lacks, notes = "", ()

    def __init__(self, program, finding=None, slots=1):
        self.program, self.finding, self.slots = program, finding, slots
        self.ready, self.inputs = [], []

    @property
    def free(self):
        return self.slots - len(self.ready)

    @property
    def running(self):
        return len(self.ready)

    def begin(self, key, inputs):
        self.inputs.append(inputs)
        path, how, status = run(self.program, inputs)
        findings = (self.finding,) if how == "FINDING" and self.finding else ()
        self.ready.append((key, Ran(as_file(path.words), status << 8, findings=findings)))

    def next(self, seconds):
        return self.ready.pop(0)

    def rest(self):
        pass

    def place(self, site):
        return f"site {site}"

    def code(self, site):
        return f"code {site}"

    def source(self, site):
        return "model.c", site

    def lines(self, covered=None):
        return {}

    def bytes_of(self, lines):
        return 0

    def asked(self):
        return None

    def graph(self):
        return None

    def memory(self):
        return 0

    def close(self):
        pass
