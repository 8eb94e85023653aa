"""Findings as JSON: schema 1, described in docs/json-schema.md and finding.schema.json.

Addresses are strings in hexadecimal (a JSON number cannot hold 64 bits
everywhere), sizes and counts are numbers, what is unknown is null.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from whence import __version__
from whence.findings import (
    Access,
    AccessKind,
    Block,
    BlockKind,
    Event,
    Finding,
    Frame,
    HitBlock,
    Leak,
    LeakCheck,
    LeakKind,
    Origin,
    Point,
    Relation,
    RunInfo,
    States,
    SuppressionUse,
    Variable,
)
from whence.findings.chains import Chain, Hop, Input, InputKind
from whence.findings.coverage import Coverage
from whence.report import frames, leak_words

SCHEMA = 1
"""The version, which increases if a field is removed or changes its meaning, not for new fields."""


def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the document."""
    text = files("whence.report").joinpath("finding.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    parts = loaded["$defs"]
    parts["finding"]["properties"]["point"] = {"enum": [*Point]}
    parts["access"]["properties"]["kind"] = {"enum": [*AccessKind]}
    parts["block"]["properties"]["kind"] = {"enum": [*BlockKind]}
    return loaded


class JsonRenderer:
    """One JSON document for a run; `indent` as in `json.dumps`."""

    def __init__(self, *, indent: int | None = 2) -> None:
        self.indent = indent

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        document = {
            "schema": SCHEMA,
            "tool": {"name": "whence", "version": __version__},
            "run": _run(run),
            "findings": [finding_document(finding) for finding in findings],
        }
        return json.dumps(document, indent=self.indent, ensure_ascii=True, allow_nan=False) + "\n"


def _hex(address: int) -> str:
    return f"{address:#x}"


def _text(text: str | None) -> str | None:
    """Text for any JSON reader: bytes that are not UTF-8 (surrogates in Python) are replaced."""
    return None if text is None else text.encode(errors="surrogateescape").decode(errors="replace")


def _run(run: RunInfo) -> dict[str, Any]:
    return {
        "program": _text(run.program),
        "arguments": [_text(argument) for argument in run.arguments],
        "image": _text(run.image),
        "pid": run.pid,
        "exit_status": run.exit_status,
        "signal": run.signal,
        "halted": run.halted,
        "dropped": run.dropped,
        "notes": [_text(note) for note in run.notes],
        "coverage": _coverage(run.coverage),
        "leak_checks": [_leak_check(check) for check in run.leak_checks],
        "leak_summary": _leak_summary(run),
        "suppressions": [_use(use) for use in run.suppressions],
    }


def _coverage(coverage: Coverage | None) -> dict[str, Any] | None:
    if coverage is None:
        return None
    return {
        "modules": coverage.modules,
        "functions": coverage.functions,
        "variables": {"guarded": coverage.guarded, "safe": coverage.safe},
        "rules": coverage.rules,
        "unobserved": [_text(name) for name in coverage.unobserved],
        "left_out": [{"name": _text(each.name), "reason": _text(each.reason)} for each in coverage.left_out],
        "unchecked": _text(coverage.unchecked) or None,
        "ended": _text(coverage.ended) or None,
    }


def _use(use: SuppressionUse) -> dict[str, Any]:
    return {
        "name": _text(use.name),
        "file": _text(use.file),
        "line": use.line,
        "findings": [
            {"key": finding.key, "rule": finding.rule.name, "occurrences": finding.occurrences}
            for finding in use.findings
        ],
    }


def finding_document(finding: Finding) -> dict[str, Any]:
    return {
        "key": finding.key,
        "rule": finding.rule.name,
        "title": finding.rule.title,
        "severity": finding.rule.severity,
        "cwe": list(finding.rule.cwe),
        "advice": finding.rule.advice or None,
        "point": finding.point.value,
        "access": _access(finding.access),
        "library_function": _text(finding.library_function),
        "relation": _relation(finding.relation),
        "block": _block(finding.block),
        "hit_block": _hit(finding.hit_block),
        "stack": _stack(finding.stack),
        "values": [{"name": value.name, "value": _hex(value.value)} for value in finding.values],
        "leak": _leak(finding.leak),
        "signal": finding.signal or None,
        "states": _states(finding.states),
        "process": _process(finding),
        "time": finding.time,
        "halted": finding.halted,
        "occurrences": finding.occurrences,
    } | _further(finding)


def _further(finding: Finding) -> dict[str, Any]:
    """What few findings have."""
    made: dict[str, Any] = {}
    if finding.chains:
        made["chains"] = [_chain(chain) for chain in finding.chains]
    if finding.origin is not None:
        made["origin"] = _origin(finding.origin)
    if (known := finding.descriptor) is not None:
        opened, closed = _event(known.opened), _event(known.closed)
        made["descriptor"] = {"number": known.number, "opened": opened, "closed": closed}
    if finding.earlier:
        made["earlier"] = [
            {"kind": known.kind.value, "subject": known.thread} | (_event(known.event) or {})
            for known in finding.earlier
        ]
    if (told := finding.described) is not None:
        made["described"] = {
            "text": _text(told.text),
            "begin": _hex(told.begin),
            "size": told.size,
            "stack": _stack(told.stack),
        }
    if (second := finding.second) is not None:
        made["second"] = {
            "address": _hex(second.address),
            "root": _hex(second.root) if second.root else None,
            "relation": _relation(second.relation),
            "block": _block(second.block),
            "hit_block": _hit(second.hit_block),
        }
    if (undefined := finding.undefined) is not None:
        made["undefined"] = {
            "begin": _hex(undefined.begin),
            "size": undefined.size,
            "runs": [
                {"offset": run.offset, "size": run.size, "names": [_text(name) for name in run.names]}
                for run in undefined.runs
            ],
            "more": undefined.more,
            "block": _block(undefined.block),
        }
    if finding.message:
        made["message"] = finding.message
    if finding.types is not None:
        types = finding.types
        made["types"] = {"expected": types.expected, "found": types.found or None}
        made["types"] |= {"function": _frame(types.function)} if types.function is not None else {}
    return made


def _chain(chain: Chain) -> dict[str, Any]:
    hops = [_hop(hop) for hop in chain.hops]
    value = None if chain.value is None else _hex(chain.value & (1 << 64) - 1)
    return {"term": chain.term, "value": value, "cut": chain.cut, "hops": hops}


def _input(given: Input) -> dict[str, Any]:
    return {
        "kind": given.kind.value,
        "number": None if given.kind is InputKind.VARIABLE else given.number,
        "name": _text(given.name) or None,
        "offset": given.offset,
        "size": given.size,
        "file": given.file.value if given.file is not None else None,
    }


def _hop(hop: Hop) -> dict[str, Any]:
    made: dict[str, Any] = {
        "kind": hop.kind.value,
        "name": _text(hop.name) or None,
        "source": _text(hop.source) or None,
        "function": _text(hop.function),
        "file": _text(hop.file),
        "line": hop.line or None,
        "column": hop.column or None,
        "repeated": hop.repeated,
        "thread": hop.thread,
    }
    if hop.skipped:
        made["skipped"] = True
    if hop.copied:
        made["copied"] = True
    if hop.handed:
        made["handed_over"] = True
    if hop.conversion is not None:
        made["bits"] = list(hop.conversion)
    if hop.wrapped is not None:
        made["wrapped"] = {"bits": hop.wrapped[0], "result": str(hop.wrapped[1])}
    if hop.process is not None:
        made["process"] = {"pid": hop.process, "program": _text(hop.program) or None}
    if hop.input is not None:
        made["input"] = _input(hop.input)
    if hop.holder is not None:
        frame = frames.place(hop.holder.stack)
        made["holder"] = {
            "size": hop.holder.size,
            "function": _text(frame.function) if frame else None,
            "file": _text(frame.file) if frame else None,
            "line": (frame.line or None) if frame else None,
        }
    return made


def _process(finding: Finding) -> dict[str, Any]:
    known = finding.process
    made: dict[str, Any] = {"pid": finding.pid, "tid": finding.tid, "thread": finding.thread}
    if known is not None:
        made |= {"parent": known.parent, "command": [_text(word) for word in known.command]}
    return made


def _access(access: Access) -> dict[str, Any]:
    made: dict[str, Any] = {
        "kind": access.kind.value,
        "address": _hex(access.address),
        "size": access.size,
        "first_bad": None if access.first_bad is None else _hex(access.first_bad),
        "root": _hex(access.root) if access.root else None,
    }
    made |= {"late": True} if access.late else {}
    return made | ({} if access.use is None else {"use": access.use.value})


def _relation(relation: Relation | None) -> dict[str, Any] | None:
    if relation is None:
        return None
    return {"where": relation.where.value, "distance": relation.distance, "overrun": relation.overrun}


def _block(block: Block | None) -> dict[str, Any] | None:
    if block is None:
        return None
    made: dict[str, Any] = {
        "id": block.id,
        "kind": block.kind.value,
        "begin": _hex(block.begin),
        "size": block.size,
        "state": block.state.value,
        "family": block.family.value,
        "allocated": _event(block.allocated),
        "freed": _event(block.freed),
    }
    if block.variable is not None:
        made["variable"] = _variable(block.variable)
    if block.cookie:
        made["cookie"] = block.cookie
    if block.moved:
        made["moved"] = True
    if block.returned:
        made["returned"] = True
    if (use := block.last_use) is not None:
        made["last_use"] = {"time": use.time, "address": _hex(use.address), "stack": _stack(use.stack)}
    return made


def _origin(origin: Origin) -> dict[str, Any]:
    variable = None if origin.variable is None else _variable(origin.variable)
    return {"variable": variable, "stack": _stack(origin.stack)}


def _variable(variable: Variable) -> dict[str, Any]:
    return {
        "name": _text(variable.name) or None,
        "is_array": variable.is_array,
        "function": _text(variable.function) or None,
        "file": None if variable.file is None else _text(variable.file),
        "line": variable.line or None,
        "is_thread_local": variable.is_thread_local,
    }


def _hit(hit: HitBlock | None) -> dict[str, Any] | None:
    return None if hit is None else {"id": hit.id, "begin": _hex(hit.begin), "size": hit.size}


def _event(event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {"time": event.time, "thread": event.thread, "stack": _stack(event.stack)}


def _stack(stack: Sequence[Frame]) -> list[dict[str, Any]]:
    return [_frame(frame) for frame in stack]


def _frame(frame: Frame) -> dict[str, Any]:
    return {
        "pc": _hex(frame.pc),
        "module": _text(frame.module),
        "offset": None if frame.offset is None else _hex(frame.offset),
        "function": _text(frame.function),
        "file": _text(frame.file),
        "line": frame.line or None,
        "column": frame.column or None,
        "inlined": frame.inlined,
    }


def _leak(leak: Leak | None) -> dict[str, Any] | None:
    if leak is None:
        return None
    return {
        "count": leak.count,
        "bytes": leak.bytes,
        "indirect": leak.indirect,
        "indirect_bytes": leak.indirect_bytes,
        "kind": leak.kind.value,
    }


def _leak_check(check: LeakCheck) -> dict[str, Any]:
    return {"moment": check.moment.value, "pid": check.pid, "time": check.time, **_leak_totals(check)}


def _leak_summary(run: RunInfo) -> dict[str, Any] | None:
    """The totals of all processes, each block once; suppressed leaks are excused."""
    check = leak_words.leak_check(run)
    if check is None:
        return None
    return {"processes": len(leak_words.leak_processes(run)), **_leak_totals(check)}


def _leak_totals(check: LeakCheck) -> dict[str, Any]:
    totals = {str(kind): getattr(check, kind) for kind in (*LeakKind, "excused")}
    return {kind: {"blocks": total.blocks, "bytes": total.bytes} for kind, total in totals.items()}


def _states(states: States | None) -> dict[str, Any] | None:
    return None if states is None else {"begin": _hex(states.begin), "bytes": states.bytes.hex()}
