"""Record files, as the runtime's tests read them."""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whence.abi import records

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "runtime"
HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
WARNINGS = ["-Wall", "-Wextra", "-Wundef", "-Wshadow", "-Werror"]

sys.path.insert(0, str(RUNTIME))
import build as runtime_build  # noqa: E402, F401

sys.path.remove(str(RUNTIME))

RULES = (
    "null-dereference",
    "dangling-pointer",
    "heap-overflow",
    "double-free",
    "unmatched-free",
    "mismatched-free",
    "definite-leak",
    "possible-leak",
    "leak-in-transaction",
)


@dataclass
class Finding:
    """A FINDING record, with its arrays."""

    fields: dict[str, int]
    arrays: dict[str, Sequence[int]]
    name: str

    def __getattr__(self, name: str) -> int:
        return self.fields[name]

    @property
    def rule_name(self) -> str:
        return "signal" if self.rule == records.RULE_SIGNAL else RULES[self.rule]


@dataclass
class Run:
    """What a program left behind."""

    status: int
    stdout: str
    stderr: str
    header: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    maps: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def rules(self) -> list[str]:
        return [finding.rule_name for finding in self.findings]

    def only(self) -> Finding:
        assert len(self.findings) == 1, self.rules
        return self.findings[0]


def _finding(payload: bytes) -> Finding:
    fields = records.FINDING.unpack(payload)
    at = records.FINDING.size
    arrays: dict[str, Any] = {}
    for name, kind in records.FINDING_ARRAYS:
        count, size = fields[f"n_{name}"], 8 if kind == "u64" else 1
        arrays[name] = struct.unpack_from(f"<{count}{'Q' if kind == 'u64' else 'B'}", payload, at)
        at += (count * size + 7) // 8 * 8
    return Finding(fields, arrays, bytes(arrays["name"]).decode())


def decode(path: Path, run: Run) -> None:
    """Reads a record file into `run`."""
    data = path.read_bytes()
    if len(data) < records.HEADER_SIZE:
        return
    run.header = records.HEADER.unpack(data)
    at = records.HEADER_SIZE
    while at + 8 <= min(run.header["used"], len(data)):
        kind, length = struct.unpack_from("<II", data, at)
        if not length:
            break
        payload = data[at + 8 : at + length]
        if kind == records.RECORD_TYPES["FINDING"]:
            run.findings.append(_finding(payload))
        elif kind == records.RECORD_TYPES["MAPS"]:
            maps_id, size = struct.unpack_from("<II", payload)
            run.maps[maps_id] = payload[8 : 8 + size].decode()
        elif kind == records.RECORD_TYPES["NOTE"]:
            (size,) = struct.unpack_from("<I", payload)
            run.notes.append(payload[8 : 8 + size].decode())
        at += length
