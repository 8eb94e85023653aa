"""Recorded heap addresses: checked runs, and the same programs as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Done, Whence
from tests.harness.warm import real_starts as real_starts

import whence as whence_api
from whence.alloc import Access, Allocator, Region, spread
from whence.alloc.recording import FILE, CompactHeap, Recording, of_space, start_of
from whence.engines import replay as replaying
from whence.errors import CannotExecute, UserMistake

HERE = Path(__file__).resolve().parent
RUNS = 20
Place = tuple[Whence, Path]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, whence_env: dict[str, str]) -> Place:
    """The treap and the other programs, built, and a folder for recordings."""
    whence = Whence(tmp_path_factory.mktemp("replay"), whence_env)
    folder = whence.directory
    whence.cc("-g", "-O1", HERE / "treap.c", "-o", folder / "treap")
    whence.cc("-g", "-O1", "-fno-builtin", HERE / "many_ways.c", "-o", folder / "many_ways", "-pthread")
    return whence, folder


def replay(whence: Whence, folder: Path, *words: str | Path) -> Done:
    return whence.process("whence.cli.main", "replay", folder, *words)


def native(folder: Path, program: Path, environment: Mapping[str, str]) -> tuple[int, bytes]:
    """What `whence replay` executes, without a process of whence in between."""
    own = replaying.changes(Recording.read(folder), environment)
    done = subprocess.run([program], env={**environment, **own}, capture_output=True, timeout=TIMEOUT)
    return done.returncode, done.stdout


def test_the_treap_is_the_same_in_every_checked_and_every_native_run(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    whence, folder = place
    for name, value in whence.env.items():
        monkeypatch.setenv(name, value)
    outcomes: dict[int, set[tuple[int | None, bytes]]] = {}
    for seed in (0, 1, 2, 3):
        recording = folder / f"seed{seed}"
        first = whence.run("--record", recording, "--heap-seed", str(seed), folder / "treap")
        outcomes[seed] = {(first.status, first.out)}
        for _ in range(RUNS if seed == 1 else 2):
            checked = whence_api.run(folder / "treap", heap_seed=seed, capture_output=True)
            outcomes[seed].add((checked.exit_status, checked.stdout or b""))
            outcomes[seed].add(native(recording, folder / "treap", os.environ))
        assert len(outcomes[seed]) == 1
    assert len({outcome for each in outcomes.values() for outcome in each}) == 4
    assert {status for each in outcomes.values() for status, _ in each} == {0, 3}


def test_replay_is_the_program_itself(place: Place) -> None:
    whence, folder = place
    first = whence.run("--record", folder / "r", "--heap-seed", "1", folder / "treap")
    again = replay(whence, folder / "r", folder / "treap")
    assert (again.status, again.out, again.err) == (first.status, first.out, "")


@pytest.mark.parametrize("seed", [0, 77])
def test_every_way_to_allocate_gives_the_recorded_address(place: Place, seed: int) -> None:
    whence, folder = place
    recording = folder / f"ways{seed}"
    checked = whence.run(
        "--leak-check=no", "--record", recording, "--heap-seed", str(seed), folder / "many_ways"
    )
    assert checked.status == 0, checked.err
    again = replay(whence, recording, folder / "many_ways")
    assert again.out.decode().splitlines() == checked.out.decode().splitlines()
    assert again.out.endswith(b"as the user left it\n")


def test_memory_mapped_over_blocks_gives_the_recorded_addresses(place: Place) -> None:
    whence, folder = place
    program = folder / "mapped_over"
    whence.cc("-g", "-O1", "-fno-builtin", HERE / "mapped_over.c", "-o", program)
    checked = whence.run("--leak-check=no", "--record", folder / "mapped", program)
    assert (checked.status, checked.out[-5:]) == (0, b"good\n"), checked.err
    assert replay(whence, folder / "mapped", program).out == checked.out


@pytest.mark.parametrize("compiler", ["whence-cc", "gcc"])
def test_libraries_that_the_program_loads_leave_the_addresses_as_they_are(
    place: Place, compiler: str
) -> None:
    """The loader's own requests differ: a checked run opens copies of libraries with IR, elsewhere."""
    whence, folder = place
    program, library = folder / "many_loads", folder / f"many_loads-{compiler}.so"
    whence.cc("-g", "-O1", "-fno-builtin", HERE / "many_loads.c", "-o", program, "-pthread", "-ldl")
    words = ("-g", "-O1", "-fno-builtin", "-shared", "-fPIC", HERE / "many_loads_library.c", "-o", library)
    if compiler == "gcc":
        subprocess.run(["gcc", *words], check=True, timeout=TIMEOUT)
    else:
        whence.cc(*words)
    recording = folder / f"loads-{compiler}"
    checked = whence.run("--leak-check=no", "--record", recording, program, library)
    assert checked.status == 0, checked.err
    again = replay(whence, recording, program, library)
    assert again.out.decode().splitlines() == checked.out.decode().splitlines()
    assert again.out.count(b"again") == 75


def test_the_operators_of_cpp_give_the_recorded_addresses(place: Place) -> None:
    whence, folder = place
    program = folder / "many_news"
    build = whence.process(
        "whence.cli.cc", "c++", "-g", "-O1", "-std=c++17", HERE / "many_news.cpp", "-o", program
    )
    assert build.status == 0, build.err
    checked = whence.run("--record", folder / "news", program)
    assert checked.status == 0, checked.err
    again = replay(whence, folder / "news", program)
    assert again.out.decode().splitlines() == checked.out.decode().splitlines()


def test_a_program_that_whence_did_not_build_is_replayed(place: Place) -> None:
    whence, folder = place
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is None:
        pytest.skip("there is no other C compiler")
    subprocess.run([compiler, "-O0", HERE / "treap.c", "-o", folder / "plain"], check=True)
    first = whence.run("--record", folder / "r2", folder / "treap")
    assert replay(whence, folder / "r2", folder / "plain").out == first.out


def test_a_preload_of_the_users_stays(place: Place) -> None:
    whence, folder = place
    library = folder / "own.so"
    source = folder / "own.c"
    source.write_text(
        '#include <unistd.h>\n__attribute__((constructor)) void f(void) { write(1, "own\\n", 4); }'
    )
    whence.cc("-w", "-shared", "-fPIC", source, "-o", library)
    show = whence.build(
        '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv("LD_PRELOAD")); }', "show"
    )
    Recording().write(folder / "r3")
    done = replay(whence.with_env(LD_PRELOAD=str(library)), folder / "r3", show)
    lines = done.out.decode().splitlines()
    assert lines == ["own", "own", str(library)]  # whence itself, and the program


def test_a_spread_heap_is_replayed_at_the_addresses_of_the_model(place: Place) -> None:
    """What an exploration gets from `Allocator`, the program gets from malloc."""
    whence, folder = place
    source = """
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(void) {
            static void *kept[100];
            char line[40];
            for (int i = 0; i < 400; i++) {
                free(kept[i % 100]);
                kept[i % 100] = malloc((size_t)(i * 31 % 97) * (i % 13 ? 1 : 600));
                write(1, line, snprintf(line, sizeof line, "%p\\n", kept[i % 100]));
            }
        }
    """
    program = whence.build(source, "sizes", "-fno-builtin")
    begins = {Region.HEAP: 0x640000000000}
    config = spread(begins=begins, sizes={Region.HEAP: 1 << 40}, access=Access.UNMAPPED)
    of_space(config).write(folder / "spread")
    allocator, kept, expected = Allocator(config), [0] * 100, []
    for i in range(400):
        if kept[i % 100]:
            allocator.free(kept[i % 100])
        kept[i % 100] = allocator.allocate((i * 31 % 97) * (1 if i % 13 else 600), 16)
        expected.append(hex(kept[i % 100]))
    done = replay(whence, folder / "spread", program)
    assert done.out.decode().split() == expected


def test_spread_heaps_carry_real_programs(place: Place) -> None:
    whence, folder = place
    begins = {Region.HEAP: 0x640000000000}
    for quarantine in (-1, 0, 8):
        config = spread(begins=begins, sizes={Region.HEAP: 1 << 40}, quarantine=quarantine)
        of_space(config).write(folder / "real")
        done = replay(whence, folder / "real", folder / "many_ways")
        assert done.status == 0, done.err
        assert done.out == replay(whence, folder / "real", folder / "many_ways").out


def test_recordings_are_read_as_they_were_written(tmp_path: Path) -> None:
    config = spread(
        begins=dict(zip(Region, (1 << 40, 2 << 40, 3 << 40, 5 << 40), strict=True)), quarantine=-1
    )
    for recording in (Recording(), Recording(CompactHeap.seeded(9)), of_space(config)):
        recording.write(tmp_path / "deep" / "er")
        assert Recording.read(tmp_path / "deep" / "er") == recording


def test_seeds_are_starts() -> None:
    starts = [start_of(seed) for seed in range(2000)]
    assert starts[0] == 0
    assert all(0 < start < 65536 and start % 4 == 0 for start in starts[1:])
    assert len(set(starts)) > 1800


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("layout = compact", "layout = dense"), r"replay.conf:2: unknown layout 'dense'"),
        (("seed = 0", "seed"), r"replay.conf:8: expected 'name = value', found 'seed'"),
        (("seed = 0", "seed = x"), r"replay.conf:8: seed: 'x' is not a number"),
        (("seed = 0", "seed = 1 2"), r"replay.conf:8: seed: expected 1 numbers, found 2"),
        (
            ("heap-start-kib = 0", "heap-start-kib = 99999"),
            r":5: heap-start-kib is 99999: expected 0 to 65536",
        ),
        (("seed = 0", "seed = 0\nseed = 0"), r"replay.conf:9: 'seed' stands here a second time"),
        (("seed = 0", "seed = 0\ncolour = 1"), r"replay.conf:9: unknown name 'colour' for this layout"),
        (("seed = 0\n", ""), r"the line 'seed = …' is missing"),
        (("0x600000000000", "0x100000000000"), r"replay.conf:3: heap: this version of whence has 0x6"),
    ],
)
def test_damaged_recordings_are_told_by_line(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    path = Recording().write(tmp_path)
    assert change[0] in path.read_text()
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(UserMistake, match=sentence):
        Recording.read(tmp_path)


def test_what_cannot_be_replayed_says_why(place: Place) -> None:
    whence, folder = place
    good = folder / "r4"
    Recording().write(good)
    cases = [
        ([folder / "nowhere", folder / "treap"], 2, f"{FILE}: cannot be read: No such file or directory"),
        ([good], 2, "needs a recording and a program"),
        ([good, folder / "missing"], 127, "missing: no such file"),
        ([good, HERE / "treap.c"], 126, "treap.c: it is not an ELF file"),
        ([good, folder / "static"], 126, "is linked statically"),
        ([good, folder / "closed"], 126, "cannot be started: Permission denied"),
    ]
    whence.cc("-static", HERE / "treap.c", "-o", folder / "static")
    shutil.copy(folder / "treap", folder / "closed")
    (folder / "closed").chmod(0o644)
    for words, status, sentence in cases:
        done = replay(whence, *words)
        assert (done.status, done.out) == (status, b""), done.err
        assert sentence in done.err
        assert done.err.startswith("whence: ")
        assert done.err.count("\n") == 1
    (folder / "file").write_text("")
    done = whence.run("--record", folder / "file", folder / "treap")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "cannot be written" in done.err


def test_another_engines_heap_is_not_recorded(place: Place) -> None:
    whence, folder = place
    done = whence.run("--record", folder / "other", "/bin/true")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("whence: /bin/true runs with engine alloc, which leaves nothing to record")
    assert not (folder / "other").exists()


EXHAUST = """
    #include <stdio.h>
    #include <stdlib.h>
    int main(int count, char **words) {
        size_t size = strtoull(words[1], NULL, 0);
        long blocks = 0, most = atol(words[2]);
        char *last = NULL, *next;
        for (; blocks < most && (next = malloc(size)); blocks++) last = next;
        free(last);
        free(malloc(100));
        printf("%d %d\\n", blocks > 0, blocks < most);
        return 0;
    }
"""


@pytest.mark.parametrize("layout", ["compact", "spread"])
@pytest.mark.parametrize(("size", "most"), [(1_200_000, 300_000), (40 << 30, 1000), (1 << 62, 1)])
def test_an_exhausted_heap_answers_null(place: Place, layout: str, size: int, most: int) -> None:
    """Mappings (vm.max_map_count), gaps and slots run out; nothing crashes."""
    whence, folder = place
    program = whence.build(EXHAUST, "exhaust", "-fno-builtin")
    space = spread(begins={Region.HEAP: 0x640000000000}, sizes={Region.HEAP: 1 << 40})
    (Recording() if layout == "compact" else of_space(space)).write(folder / layout)
    done = replay(whence, folder / layout, program, str(size), str(most))
    assert (done.status, done.out) == (0, b"0 1\n" if size == 1 << 62 else b"1 1\n"), done.err


def test_set_user_id_programs_are_refused(place: Place) -> None:
    _, folder = place
    program = folder / "privileged"
    shutil.copy(folder / "treap", program)
    program.chmod(0o4755)
    with pytest.raises(CannotExecute, match="set-user-ID"):
        replaying.check_replaceable(program)


def test_the_variables_are_shown(place: Place) -> None:
    whence, folder = place
    Recording(CompactHeap.seeded(4)).write(folder / "r5")
    done = whence.process("whence.cli.main", "replay", "--show", folder / "r5")
    lines = done.out.decode().splitlines()
    assert lines[0] == f"WHENCE_RT=heap_start_kib={start_of(4)}:quarantine_kib=65536:quarantine_depth=8"
    assert lines[1].startswith("LD_PRELOAD=")
    assert lines[1].endswith("libwhence-replay.so")


def test_a_taken_address_range_is_one_sentence(place: Place) -> None:
    whence, folder = place
    Recording().write(folder / "r6")
    program = whence.build("int main(void) { return 0; }", "small")
    own = replaying.changes(Recording.read(folder / "r6"), {})
    command = ["sh", "-c", 'ulimit -v 20000000; exec env "$@"', "sh", *(f"{k}={v}" for k, v in own.items())]
    done = subprocess.run([*command, program], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125
    assert "for the heap: the address space is limited" in done.stderr
