"""Instructions of compiled files as a disassembler understands them, and as the runtime's decoder does."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.runtime.rt_harness import RUNTIME, WARNINGS

HERE = Path(__file__).resolve().parent
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

READ, WRITE = 1, 2
NO_REGISTER, RIP = 255, 16

_GENERAL = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"]
_NUMBERS = (
    {f"r{name}": number for number, name in enumerate(_GENERAL)}
    | {f"e{name}": number for number, name in enumerate(_GENERAL)}
    | {f"r{number}": number for number in range(8, 16)}
    | {f"r{number}d": number for number in range(8, 16)}
    | {f"{kind}mm{number}": number for kind in "xyz" for number in range(32)}
    | {"rip": RIP, "eip": RIP, "riz": -1, "eiz": -1}
)
_SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "FWORD": 6, "QWORD": 8, "TBYTE": 10} | {
    "XMMWORD": 16,
    "OWORD": 16,
    "YMMWORD": 32,
    "ZMMWORD": 64,
}
_LINE = re.compile(r"\s*[0-9a-f]+:\t([0-9a-f ]+?)\s*\t(.*)")
_MEMORY = re.compile(
    r"(?:(?P<size>[A-Z]+) (?:PTR|BCST) )?(?:(?P<segment>[c-gs]s):)?"
    r"(?:\[(?P<terms>[^\]]*)\]|(?P<absolute>0x[0-9a-f]+))"
)


@dataclass(frozen=True)
class Memory:
    """An operand: registers by number (-1: no index, 255: no base), width in bytes (0: not said)."""

    segment: str
    base: int
    index: int
    scale: int
    displacement: int
    width: int

    def address(self) -> tuple[str, int, int, int, int]:
        return self.segment, self.base, self.index, self.scale, self.displacement


@dataclass(frozen=True)
class Decoded:
    """What the decoder says: the length 0 if it does not know the instruction."""

    length: int
    kind: int
    memory: tuple[Memory, ...]
    access: tuple[int, ...]
    partial: tuple[bool, ...]


_NONE = re.compile(r"\(bad\)|\{bad\}|^\.byte|^rex\S* v|(^| )(rex\S*|data16|repn?z|lock|addr32|[c-gs]s) *$")


def is_instruction(text: str) -> bool:
    """Whether a line's text is not data that stands in code, nor prefixes alone."""
    return not _NONE.search(text)


def objdump(path: Path) -> Iterator[tuple[str, str]]:
    """Each instruction's bytes in hexadecimal digits, and its text."""
    command = ["objdump", "-d", "-w", "-M", "intel", "--insn-width=16", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            match = _LINE.match(line)
            if match and is_instruction(match[2]):
                yield match[1].replace(" ", ""), match[2]


def _signed(text: str) -> int:
    value = int(text, 0)
    return value - 2**64 if value >= 2**63 else value


def memory_of(text: str) -> Memory | None:
    """The operand with an address in a line of the disassembler; None: there is none."""
    match = _MEMORY.search(text.split("#")[0].split("<")[0].partition(" ")[2])
    if not match or (match["absolute"] and not match["segment"]):
        return None
    base, index, scale, displacement = NO_REGISTER, -1, 1, 0
    if match["absolute"]:
        displacement = _signed(match["absolute"])
    for sign, term in re.findall(r"([+-]?)([^+-]+)", match["terms"] or ""):
        register, _, factor = term.partition("*")
        if register not in _NUMBERS:
            displacement = _signed(sign + term)
        elif factor or base != NO_REGISTER or register[1:3] == "mm":
            index, scale = _NUMBERS[register], int(factor or 1)
        else:
            base = _NUMBERS[register]
    segment = match["segment"] if match["segment"] in ("fs", "gs") else "-"
    if index == -1:
        scale = 1
    return Memory(segment, base, index, scale, displacement, _SIZES[match["size"]] if match["size"] else 0)


_OURS = re.compile(r"\[(\S+) (-?\d+) (-?\d+) (\d+) (-?\d+) (\d+) (\d) (\w*)\]")


def _decoded(line: str) -> Decoded:
    length, kind = line.split()[:2]
    found = _OURS.findall(line)
    memory = tuple(Memory(m[0], *(int(word) for word in m[1:6])) for m in found)
    return Decoded(
        int(length), int(kind), memory, tuple(int(m[6]) for m in found), tuple("p" in m[7] for m in found)
    )


def build(folder: Path) -> Path:
    """The program that decodes lines, under sanitizers."""
    program = folder / "decode_lines"
    modules = [RUNTIME / "x86" / name for name in ("decode.c", "general.c", "vector.c")]
    flags = ["-std=c11", "-O2", "-g", *WARNINGS, *SANITIZE, f"-I{RUNTIME}"]
    subprocess.run(
        ["gcc", *flags, str(HERE / "decode_lines.c"), *map(str, modules), "-o", str(program)], check=True
    )
    return program


def decode(program: Path, codes: Sequence[str]) -> Iterable[Decoded]:
    """Each of the instructions, in hexadecimal digits, by the decoder."""
    done = subprocess.run([program], input="\n".join(codes), capture_output=True, text=True, check=True)
    return map(_decoded, done.stdout.splitlines())
