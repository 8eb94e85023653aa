"""The reader of record files, fed with files written from the same tables, whole and damaged."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples

from whence.abi import points, records
from whence.engines.process.chains import chain_of
from whence.engines.process.collect import findings
from whence.engines.process.decode import RawRun, read_records
from whence.errors import ToolLimit, WhenceError
from whence.findings import (
    AccessKind,
    BlockKind,
    BlockState,
    Described,
    Event,
    Family,
    Finding,
    HitBlock,
    Leak,
    Point,
    Pointer,
    RuleInfo,
    RunInfo,
    States,
    Value,
    Variable,
)
from whence.report import JsonRenderer, TextRenderer
from whence.report.words import block_phrase
from whence.symbols.symbolizer import Symbolizer

RULES = (
    RuleInfo("heap-buffer-overflow", "access outside the bounds of a heap block", ("r",)),
    RuleInfo("definite-leak", "block that no pointer leads to"),
)
BEGIN = 0x440000000020
MAPS = (
    "555555554000-555555556000 r-xp 00000000 fe:01 12 /nonexistent/prog\n"
    "7ffff7f00000-7ffff7f10000 r-xp 00001000 fe:01 13 /nonexistent/libwhence-rt.so\n"
    "7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0  [vdso]\n"
)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def record(kind: int, payload: bytes) -> bytes:
    payload = padded(payload)
    return struct.pack("<II", kind, len(payload) + 8) + payload


def note(text: str) -> bytes:
    data = text.encode()
    return record(records.RECORD_TYPES["NOTE"], struct.pack("<II", len(data), 0) + data)


def maps(number: int, text: str = MAPS) -> bytes:
    data = text.encode()
    return record(records.RECORD_TYPES["MAPS"], struct.pack("<II", number, len(data)) + data)


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}Q", *values)


def finding(
    stack: tuple[int, ...] = (0x555555555010,),
    alloc: tuple[int, ...] = (0x555555555020,),
    free: tuple[int, ...] = (),
    values: tuple[int, ...] = (),
    states: bytes = b"",
    name: bytes = b"",
    variable: bytes = b"",
    description: bytes = b"",
    described: tuple[int, ...] = (),
    second_alloc: tuple[int, ...] = (),
    second_variable: bytes = b"",
    **fields: int,
) -> bytes:
    """A FINDING record: a four-byte write behind a live block of 20 bytes unless said otherwise."""
    numbers = {
        "rule": 0,
        "point": points.NUMBERS["DEREF_W"],
        "address": BEGIN + 20,
        "size": 4,
        "pid": 7,
        "maps_id": 1,
        "block_id": 3,
        "block_begin": BEGIN,
        "block_size": 20,
        "block_alloc_time": 5,
        "block_state": records.BLOCK_STATES["LIVE"],
        "block_kind": records.BLOCK_KINDS["HEAP"],
        "count": 1,
        "n_stack": len(stack),
        "n_alloc": len(alloc),
        "n_free": len(free),
        "n_values": len(values),
        "n_states": len(states),
        "n_name": len(name),
        "n_variable": len(variable),
        "n_description": len(description),
        "n_described": len(described),
        "n_second_alloc": len(second_alloc),
        "n_second_variable": len(second_variable),
        **fields,
    }
    head = struct.pack(records.FINDING.format, *(numbers.get(f.name, 0) for f in records.FINDING.fields))
    arrays = [words(*stack), words(*alloc), words(*free), words(*values), padded(states)]
    arrays += [padded(name), padded(variable), padded(description), words(*described)]
    arrays += [words(*second_alloc), padded(second_variable)]
    return record(records.RECORD_TYPES["FINDING"], head + b"".join(arrays))


def file_of(*body: bytes, **fields: int) -> bytes:
    data = b"".join(body)
    numbers = {
        "magic": int.from_bytes(records.MAGIC, "little"),
        "version": records.VERSION,
        "state": records.FILE_STATES["FINISHED"],
        "capacity": records.FILE_SIZE,
        "used": records.HEADER_SIZE + len(data),
        "pid": 7,
        **fields,
    }
    header = struct.pack(records.HEADER.format, *(numbers.get(f.name, 0) for f in records.HEADER.fields))
    return header.ljust(records.HEADER_SIZE, b"\0") + data


def run_of(tmp_path: Path, data: bytes) -> RawRun:
    path = tmp_path / "record"
    path.write_bytes(data)
    return read_records(path)


def one(tmp_path: Path, *body: bytes) -> Finding:
    (found,) = findings(run_of(tmp_path, file_of(*body)), RULES, Symbolizer())
    return found


# ---- whole files ----


def test_everything_of_a_finding(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        maps(1),
        finding(
            stack=(0x7FFFF7F00100, 0x555555555010, 0x7FFFF7F00200),
            free=(0x555555555030,),
            values=(BEGIN + 20, 99),
            states=b"\0\0\x04\xfa",
            name=b"memcpy",
            state_begin=BEGIN,
            flags=records.FINDING_FLAGS["WRITE"] | records.FINDING_FLAGS["HALTED"],
            root=BEGIN,
            time=8,
            tid=70,
            thread=2,
            block_family=records.FAMILIES["NEW_ARRAY"],
            block_state=records.BLOCK_STATES["FREED"],
            block_alloc_thread=1,
            block_free_thread=2,
            block_free_time=6,
            hit_id=4,
            hit_begin=BEGIN + 16,
            hit_size=64,
        ),
    )
    assert found.rule is RULES[0] and found.point is Point.DEREF_W and found.halted
    assert (found.access.kind, found.access.address, found.access.size) == (AccessKind.WRITE, BEGIN + 20, 4)
    assert (found.pid, found.tid, found.thread, found.time) == (7, 70, 2, 8)
    assert [f.pc for f in found.stack] == [0x555555555010], "without the runtime's own"
    assert found.library_function == "memcpy"
    assert found.values == (Value("r", BEGIN + 20), Value("value 2", 99))
    assert found.fact(States) == States(BEGIN, b"\0\0\x04\xfa")
    assert found.fact(HitBlock) == HitBlock(4, BEGIN + 16, 64)
    block = found.block
    assert block and (block.state, block.family) == (BlockState.FREED, Family.NEW_ARRAY)
    assert block.kind is BlockKind.HEAP
    assert isinstance(block.allocated, Event) and (block.allocated.time, block.allocated.thread) == (5, 1)
    assert isinstance(block.freed, Event) and (block.freed.time, block.freed.thread) == (6, 2)
    assert [f.pc for f in block.freed.stack] == [0x555555555030]
    assert found.leak is None


def test_a_description_of_the_program(tmp_path: Path) -> None:
    raw = finding(
        description=b"a node", described=(0x555555555020,), described_begin=BEGIN + 16, described_size=8
    )
    described = one(tmp_path, raw).fact(Described)
    assert described is not None and (described.text, described.begin, described.size) == (
        "a node",
        BEGIN + 16,
        8,
    )
    assert [frame.pc for frame in described.stack] == [0x555555555020]
    assert one(tmp_path, finding()).fact(Described) is None


def test_the_second_of_two_pointers(tmp_path: Path) -> None:
    fields = {
        "second_address": BEGIN + 100,
        "second_root": BEGIN + 90,
        "second_id": 4,
        "second_begin": BEGIN + 80,
        "second_size": 16,
        "second_state": records.BLOCK_STATES["LIVE"],
        "second_family": records.FAMILIES["NEW_ARRAY"],
        "second_alloc_thread": 2,
        "second_kind": records.BLOCK_KINDS["HEAP"],
        "second_hit_id": 5,
        "second_hit_begin": BEGIN + 96,
        "second_hit_size": 8,
    }
    second = one(tmp_path, maps(1), finding(second_alloc=(0x555555555030,), **fields)).fact(Pointer)
    assert second and (second.address, second.root) == (BEGIN + 100, BEGIN + 90)
    assert second.hit_block == HitBlock(5, BEGIN + 96, 8)
    block = second.block
    assert block and (block.id, block.begin, block.size) == (4, BEGIN + 80, 16)
    assert (block.state, block.kind, block.family) == (BlockState.LIVE, BlockKind.HEAP, Family.NEW_ARRAY)
    assert block.allocated and (block.allocated.time, block.allocated.thread) == (4, 2)
    assert [frame.pc for frame in block.allocated.stack] == [0x555555555030]
    assert one(tmp_path, finding()).fact(Pointer) is None


def test_a_second_pointer_to_a_variable_and_to_nothing(tmp_path: Path) -> None:
    text = b"29\t1\tfilled\tmain\tfill.c"
    raw = finding(second_address=BEGIN, second_id=4, second_begin=BEGIN, second_size=16, second_variable=text)
    second = one(tmp_path, raw).fact(Pointer)
    assert second and second.block and second.block.allocated is None
    assert second.block.variable and second.block.variable.name == "filled"
    alone = one(tmp_path, finding(second_address=BEGIN)).fact(Pointer)
    assert alone and (alone.block, alone.hit_block, alone.relation) == (None, None, None)


def test_a_frame_without_a_readable_file_keeps_module_and_address(tmp_path: Path) -> None:
    found = one(tmp_path, maps(1), finding(stack=(0x555555555010, 0x7FFFF7FC1234, 0x41414141)))
    assert [(f.pc, f.module, f.offset, f.function) for f in found.stack] == [
        (0x555555555010, "/nonexistent/prog", None, None),
        (0x7FFFF7FC1234, "[vdso]", None, None),
        (0x41414141, None, None, None),
    ]


def test_a_finding_whose_map_was_lost(tmp_path: Path) -> None:
    found = one(tmp_path, finding(maps_id=9))
    assert [(f.pc, f.module) for f in found.stack] == [(0x555555555010, None)]


def test_no_block(tmp_path: Path) -> None:
    assert one(tmp_path, finding(block_id=0, alloc=())).block is None


def test_a_block_that_is_a_variable(tmp_path: Path) -> None:
    kind = records.BLOCK_KINDS["STACK"]
    text = b"5\tarray\tbuf\t_ZN3app5parseEv\t/src/a.cpp"
    block = one(tmp_path, finding(variable=text, block_kind=kind, alloc=())).block
    assert block is not None and block.allocated is None
    assert block.variable == Variable("buf", True, "app::parse()", "/src/a.cpp", 5)
    assert block.variable.place.line == 5
    assert block_phrase(block) == "`buf`, an array of 20 bytes in `app::parse()`"


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        (b"3\tarray\ttable\t\t/src/a.c", "`table`, a global array of 20 bytes"),
        (b"0\tvariable\t_ZN3app5stateE\t\t", "`app::state`, a global variable of 20 bytes"),
        (b"3\tarray\tcache\tparse\t/src/a.c", "`cache`, a static array of 20 bytes in `parse`"),
        (b"3\tarray\t\t\t/src/a.c", "a literal of 20 bytes"),
    ],
)
def test_a_block_that_is_a_global_variable(tmp_path: Path, text: bytes, phrase: str) -> None:
    kind = records.BLOCK_KINDS["GLOBAL"]
    block = one(tmp_path, finding(variable=text, block_kind=kind, alloc=())).block
    assert block is not None and block.kind is BlockKind.GLOBAL
    assert block_phrase(block) == phrase


@pytest.mark.parametrize(
    ("fields", "first_bad"),
    [
        ({"address": BEGIN - 4, "size": 8}, BEGIN - 4),
        ({"address": BEGIN, "size": 20}, None),
        ({"address": BEGIN, "size": 100}, BEGIN + 20),
        ({"address": BEGIN + 30, "size": 1}, BEGIN + 30),
        ({"address": BEGIN + 4, "size": 1, "block_state": records.BLOCK_STATES["FREED"]}, BEGIN + 4),
        ({"address": 0x5000, "block_id": 0}, None),
    ],
)
def test_first_bad_byte(tmp_path: Path, fields: dict[str, int], first_bad: int | None) -> None:
    assert one(tmp_path, finding(**fields)).access.first_bad == first_bad


@pytest.mark.parametrize(
    ("states", "first_bad"),
    [(b"\0\x03\xfa", 0x500B), (b"\0\0\0", None), (b"\0", None), (b"\xfd\xfd\xfd", 0x5000)],
)
def test_first_bad_byte_from_the_states(tmp_path: Path, states: bytes, first_bad: int | None) -> None:
    raw = finding(address=0x5000, size=24, block_id=0, states=states, state_begin=0x5000)
    assert one(tmp_path, raw).access.first_bad == first_bad


def test_leaks(tmp_path: Path) -> None:
    point = points.NUMBERS["RET"]
    found = one(
        tmp_path,
        finding(
            rule=1, point=point, address=0, size=0, count=3, bytes=60, count_indirect=1, bytes_indirect=20
        ),
    )
    assert found.leak == Leak(3, 60, 1, 20)
    assert found.relation is None
    at_access = one(tmp_path, finding(count=1, bytes=20))
    assert at_access.leak is None


def test_signals(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        finding(rule=records.RULE_SIGNAL, point=0, signal=11, flags=8, address=0x10, size=0, block_id=0),
    )
    assert (found.rule.name, found.point, found.signal) == ("signal", Point.SIGNAL, 11)
    assert found.access.kind is AccessKind.TRAP


@pytest.mark.parametrize(
    ("flag", "name", "late"), [("STACK_END", "stack-overflow", False), ("LATE", "heap-buffer-overflow", True)]
)
def test_a_full_stack_is_no_access_that_was_found_late(
    tmp_path: Path, flag: str, name: str, late: bool
) -> None:
    flags = records.FINDING_FLAGS[flag]
    trapped = {"rule": records.RULE_SIGNAL, "signal": 11, "block_id": 0} if flag == "STACK_END" else {}
    found = one(tmp_path, finding(flags=flags, **trapped))
    assert (found.rule.name, found.access.late) == (name, late)


def test_a_rule_that_is_not_in_the_set(tmp_path: Path) -> None:
    assert one(tmp_path, finding(rule=77)).rule.name == "rule-77"


def test_notes_and_end_of_the_run(tmp_path: Path) -> None:
    run = run_of(tmp_path, file_of(note("no room for more threads"), state=records.FILE_STATES["RUNNING"]))
    assert run.notes == ["no room for more threads"]
    assert run.started and not run.finished and run.pid == 7


def test_a_program_that_never_got_to_the_runtime(tmp_path: Path) -> None:
    run = run_of(tmp_path, bytes(records.HEADER_SIZE))
    assert not run.started and run.findings == [] and run.notes == []
    assert not run_of(tmp_path, b"").started


def test_records_of_a_kind_we_do_not_know_are_skipped(tmp_path: Path) -> None:
    run = run_of(tmp_path, file_of(record(900, b"new things"), finding()))
    assert len(run.findings) == 1 and run.notes == []


# ---- damage ----


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ToolLimit, match="not one of whence"):
        run_of(tmp_path, b"\x7fELF" + bytes(9000))
    with pytest.raises(ToolLimit, match="not one of whence"):
        run_of(tmp_path, b"short")
    with pytest.raises(ToolLimit, match="cannot read the record of the run: No such file"):
        read_records(tmp_path / "missing")
    with pytest.raises(ToolLimit, match="cannot read"):
        read_records(tmp_path)


def test_a_header_that_the_program_has_overwritten(tmp_path: Path) -> None:
    """What was found before is still shown: the record is memory of the program that is broken."""
    data = b"A" * 64 + file_of(maps(1), finding())[64:] + bytes(1 << 20)
    run = run_of(tmp_path, data)
    assert len(run.findings) == 1 and run.started
    assert run.notes == ["the program has overwritten the record of its run: findings may be missing"]


def test_a_file_of_another_version(tmp_path: Path) -> None:
    with pytest.raises(ToolLimit, match=f"record format {records.VERSION + 1}"):
        run_of(tmp_path, file_of(version=records.VERSION + 1))


def test_half_written_record(tmp_path: Path) -> None:
    """The length is written first, the type last."""
    half = struct.pack("<II", 0, 64) + bytes(56)
    run = run_of(tmp_path, file_of(finding(), half, finding()))
    assert len(run.findings) == 2
    assert run.notes == ["a finding was being written when the program died: it is missing"]


def test_space_taken_without_a_length(tmp_path: Path) -> None:
    run = run_of(tmp_path, file_of(finding(), bytes(64), finding()))
    assert len(run.findings) == 2
    assert run.notes == ["a finding was being written when the program died: it is missing"]


def test_full_file(tmp_path: Path) -> None:
    run = run_of(tmp_path, file_of(finding(), bytes(64), dropped=3, used=1 << 40))
    assert len(run.findings) == 1 and run.dropped == 3
    assert any("3 records are missing" in text for text in run.notes)


def test_lost_findings_are_counted(tmp_path: Path) -> None:
    """Of the dropped records, those of findings: they decide about the exit status."""
    assert run_of(tmp_path, file_of(finding(), dropped=3, findings=3)).lost == 2
    assert run_of(tmp_path, file_of(finding(), dropped=3, findings=1)).lost == 0
    assert run_of(tmp_path, file_of(finding(), finding(), findings=1)).lost == 0  # died before it was counted


@pytest.mark.parametrize("length", [4, 12, 1 << 31, 0xFFFFFFF8])
def test_impossible_length(tmp_path: Path, length: int) -> None:
    run = run_of(tmp_path, file_of(finding(), struct.pack("<II", 1, length), finding()))
    assert len(run.findings) == 1
    assert "is damaged at byte" in run.notes[0]


def test_counts_that_run_past_the_record(tmp_path: Path) -> None:
    run = run_of(tmp_path, file_of(finding(n_stack=1 << 31), finding()))
    assert len(run.findings) == 1
    assert run.notes == ["a record of the run is damaged and was left out"]


def test_truncated_file(tmp_path: Path) -> None:
    whole = file_of(finding(), finding())
    run = run_of(tmp_path, whole[:-20])
    assert len(run.findings) == 1
    assert "the record of the run is cut off: later findings are missing" in run.notes


def shown(run: RawRun) -> str:
    """Through the whole pipe: damage must not surface later."""
    found = findings(run, RULES, Symbolizer())
    JsonRenderer().render(found, RunInfo("prog"))
    return TextRenderer().render(found, RunInfo("prog", notes=tuple(run.notes)))


WHOLE = file_of(maps(1), finding(states=b"\0\4\xfa", name=b"memset"), note("hello"), finding(rule=1, point=5))


@settings(max_examples=examples(200))
@given(cut=st.integers(records.HEADER.size, len(WHOLE)))
def test_any_truncation(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    shown(run_of(tmp_path_factory.getbasetemp(), WHOLE[:cut]))


@pytest.mark.long
@settings(max_examples=examples(400))
@given(
    changes=st.lists(
        st.tuples(st.integers(records.HEADER_SIZE, len(WHOLE) - 1), st.integers(0, 255)), max_size=30
    )
)
def test_any_damage_behind_the_header(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(WHOLE)
    for offset, value in changes:
        data[offset] = value
    shown(run_of(tmp_path_factory.getbasetemp(), bytes(data)))


heads = st.binary(max_size=records.HEADER.size).map(
    lambda rest: records.MAGIC + struct.pack("<I", records.VERSION) + rest
)


@settings(max_examples=examples(200))
@given(head=st.binary(max_size=records.HEADER.size) | heads, body=st.binary(max_size=400))
def test_any_bytes_end_in_a_run_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, head: bytes, body: bytes
) -> None:
    data = head.ljust(records.HEADER_SIZE, b"\0") + body
    try:
        shown(run_of(tmp_path_factory.getbasetemp(), data))
    except WhenceError as error:
        assert "\n" not in str(error)


def test_stacks_share_nothing_between_runs(tmp_path: Path) -> None:
    """One symbolizer may serve several runs."""
    symbolizer = Symbolizer()
    run = run_of(tmp_path, file_of(maps(1), finding()))
    first = findings(run, RULES, symbolizer)
    assert findings(run, RULES, symbolizer) == first


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("_ZN1A3getEv()", "get()"),
        ("_ZNK1A3getEv()->size", "get()->size"),
        ("_ZNK1AclEi()", "operator()()"),
        ("_ZNSt6vectorIiSaIiEEixEm()", "operator[]()"),
        ("_Z1fIiEvT_()", "f()"),
    ],
)
def test_functions_in_hops_have_short_names(written: str, said: str) -> None:
    text = f"=0\t0\n0\t1\tstored\t1\t1\tx\t{written}\tmain\ta.cc\n"
    assert chain_of(text, "r").hops[0].source == said
