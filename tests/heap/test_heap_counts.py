"""Counts of ``whence heap`` on programs whose allocations are known."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from heap_harness import Heap
from tests.harness.process import TIMEOUT

from whence.findings.leaks import Total

pytestmark = pytest.mark.build


def test_every_way_to_allocate_in_c(heap: Heap) -> None:
    ran = heap.profile("ways", "ways")
    process = ran.process
    assert ran.done.status == 0
    assert process.peak == Total(3, 5000 + 10000 + 10)  # a realloc is never there twice
    assert process.end == Total(2, 1000 + 200)
    assert process.total == Total(1 + 10 + 100 + 2, 5000 + 55000 + 1000 + 1200)
    assert process.temporary == Total(100, 1000)
    assert process.resized == 9
    assert process.missed == process.crowded == 0
    grown, made, temporary = ran.by("grow"), ran.by("make"), ran.by("temporaries")
    assert (grown.peak, grown.end, grown.total) == (Total(1, 10000), Total(), Total(10, 55000))
    assert (made.peak, made.end, made.total) == (Total(1, 5000), Total(), Total(1, 5000))
    assert (temporary.peak, temporary.temporary) == (Total(1, 10), Total(100, 1000))
    assert (grown.most, temporary.most) == (10000, 10)
    assert (ran.by("cleared").end, ran.by("aligned").end) == (Total(1, 1000), Total(1, 200))
    assert sum(each.peak.bytes for each in process.stacks) == process.peak.bytes


def test_the_timeline_has_the_peak_and_the_end(heap: Heap) -> None:
    process = heap.profile("ways", "ways").process
    points = process.timeline
    assert max(each.most for each in points) == process.peak.bytes
    assert points[-1].end == process.end
    assert points[-1].moved == process.moved
    assert [each.moved for each in points] == sorted({each.moved for each in points})
    assert [each.microseconds for each in points] == sorted(each.microseconds for each in points)
    assert process.peak_moved <= process.moved


def test_a_long_timeline_becomes_coarser(plain: Heap) -> None:
    process = plain.profile("ways", "many").process
    assert 512 <= len(process.timeline) <= 1024
    assert process.peak == Total(1, 500)
    assert process.total == Total(20000, 40 * 500 * 501 // 2)
    assert process.temporary == process.total


def test_new_and_delete(heap: Heap) -> None:
    ran = heap.profile("kinds")
    assert ran.by("wide").total == Total(1, 128)
    assert ran.by("chars").total == Total(1, 300)
    own = [each for each in ran.process.stacks if "main" in [f.function for f in ran.profile.stack(each)]]
    grown = [8 << power for power in range(8)]  # of a vector of 100 words
    assert sum(each.total.bytes for each in own) == 24 + 128 + 300 + sum(grown)
    assert sum(each.end.bytes for each in own) == 24 + grown[-1]


def test_the_wrappers_of_the_runtime_are_no_frames(plain: Heap, tmp_path: Path) -> None:
    source, program = tmp_path / "reads.c", tmp_path / "reads"
    source.write_text(
        "#include <stdio.h>\n"
        "int main(int argc, char **argv) {\n"
        '    FILE *file = fopen(argv[0], "r");\n'
        "    char bytes[8];\n"
        "    return !file || fread(bytes, 1, 8, file) != 8 || fclose(file);\n"
        "}\n"
    )
    plain.whence.cc("-g", "-O1", source, "-o", program)
    ran = Heap(plain.whence, {"reads": program}).profile("reads")
    stacks = [ran.profile.stack(each) for each in ran.process.stacks if each.total.blocks]
    assert ran.done.status == 0 and len(stacks) >= 2  # the stream, and its buffer
    for stack in stacks:
        assert not any("runtime" in (frame.file or "") for frame in stack), stack
        assert [frame.line for frame in stack if frame.function == "main"] in ([3], [5])


@pytest.mark.parametrize(("flags", "says"), [(("-DOWN",), b"2 0\n"), ((), b"2 2\n")])
def test_operators_of_the_program_and_exceptions(
    plain: Heap, tmp_path: Path, flags: tuple[str, ...], says: bytes
) -> None:
    source, program = Path(__file__).with_name("own_new.cpp"), tmp_path / "own_new"
    subprocess.run(["g++", "-g", "-O0", "-w", *flags, source, "-o", program], check=True)
    ran = Heap(plain.whence, {"own_new": program}).profile("own_new")
    assert (ran.done.status, ran.done.out) == (0, says)
    own = [each for each in ran.process.stacks if "main" in [f.function for f in ran.profile.stack(each)]]
    assert sorted(each.total.bytes for each in own if each.total.bytes <= 40) == [4, 40]
    assert ran.process.missed == 0


def test_blocks_that_the_system_maps(heap: Heap) -> None:
    process = heap.profile("ways", "large").process
    assert process.peak == Total(2, 6 << 20)
    assert process.end == Total(1, 3 << 20)


def test_threads(heap: Heap) -> None:
    process = heap.profile("ways", "threads").process
    made = [each for each in process.stacks if each.total.bytes >= 100_000]
    assert sorted((each.total.blocks, each.total.bytes) for each in made) == [
        (4000, 200_000),
        (4000, 400_000),
    ]
    assert sum(each.end.bytes for each in made) == 0
    assert 100 <= max(each.most for each in made) <= 400


def test_children_of_fork_have_profiles_of_their_own(heap: Heap) -> None:
    ran = heap.profile("ways", "fork")
    parent, child = ran.profile.processes  # the other child allocates nothing
    assert (parent.forked, parent.peak, parent.end) == (False, Total(11, 10077), Total(11, 10077))
    assert child.forked
    assert child.parent == parent.pid
    assert (child.inherited, child.total) == (Total(10, 10000), Total(1, 5000))
    assert (child.peak, child.end) == (Total(10, 14000), Total(9, 13000))
    assert sum(each.peak.bytes for each in child.stacks) == 14000


def test_programs_that_are_executed(heap: Heap) -> None:
    ran = heap.profile("ways", "exec", options=("--trace-children",))
    first, child, second = ran.profile.processes
    assert first.pid == second.pid != child.pid
    assert [each.total for each in (first, child, second)] == [Total(10, 10000), Total(1, 333), Total(1, 333)]
    assert [each.command[1] for each in (first, child, second)] == ["exec", "little", "little"]


def test_a_program_that_is_killed(heap: Heap) -> None:
    ran = heap.profile("ways", "kill")
    assert ran.done.status in (-9, 137)
    assert ran.process.end == Total(10, 10000)
    assert ran.by("make").end == Total(10, 10000)


def test_a_program_that_allocates_nothing(heap: Heap) -> None:
    ran = heap.profile("ways", "nothing")
    assert ran.done.status == 0
    assert ran.process.total == Total()
    assert "it allocated nothing" in ran.done.err


def test_programs_as_they_are_keep_the_c_library_s_allocator(plain: Heap) -> None:
    """Also those that may load libraries, which could carry IR."""
    ran = plain.profile("ways", "ways")
    assert ran.report["run"]["image"] == str(plain.programs["ways"])
    assert ran.process.unused_at_peak > 0
    assert ran.report["run"]["notes"] == []


def test_findings_are_still_reported(heaps: object) -> None:
    native = heaps("native")  # type: ignore[operator]
    ran = native.profile("ways", "over")
    assert ran.done.status == 99
    assert [each["rule"] for each in ran.report["findings"]] == ["heap-buffer-overflow"]
    assert ran.process.end == Total(10, 10000)
    assert "heap-buffer-overflow" in ran.done.err
    assert "Alive at the peak" in ran.done.err


def test_a_full_disk_costs_call_paths_and_no_run(plain: Heap, tmp_path: Path) -> None:
    """A file system of a few pages: the record and the begin of the profile have room, and no more."""
    words = plain.whence.command("whence.cli.main", "heap", plain.programs["ways"], "ways")
    script = f"mount -t tmpfs -o size=120k none {tmp_path} && TMPDIR={tmp_path} exec {shlex.join(words)}"
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(
        command, env=dict(plain.whence.env), capture_output=True, text=True, timeout=TIMEOUT
    )
    if re.search(r"unshare:|mount:", done.stderr):
        pytest.skip("no file systems may be mounted here")
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert "113 blocks" in done.stderr or "not counted" in done.stderr or "No space left" in done.stderr


def test_a_small_address_space_costs_the_profile_and_not_the_program(plain: Heap) -> None:
    """The tables that count have no room."""
    words = plain.whence.command("whence.cli.main", "heap", plain.programs["ways"], "ways")
    command = ["sh", "-c", f"ulimit -v 3000000; exec {shlex.join(words)}"]
    env = dict(plain.whence.env)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    assert "note: the heap of a process was not counted" in done.stderr
    assert "no process of the run has a profile" in done.stderr


@pytest.mark.parametrize("program", ["ways", "kinds"])
def test_peaks_are_massif_s(plain: Heap, tmp_path: Path, program: str) -> None:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("Valgrind is not on this machine")
    out = tmp_path / "massif.out"
    command = [valgrind, "--tool=massif", "--threshold=0", f"--massif-out-file={out}"]
    subprocess.run([*command, plain.programs[program], "ways"], check=True, capture_output=True)
    peak = max(map(int, re.findall(r"mem_heap_B=(\d+)", out.read_text())))
    found = plain.profile(program, "ways").process.peak.bytes
    assert abs(found - peak) <= peak / 100
