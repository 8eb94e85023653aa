"""`whence.alloc`: what the paper observes, and what is refused."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from alloc_model import halving_order
from tests.harness.process import TIMEOUT

from whence.alloc import (
    Access,
    AllocationFailed,
    Allocator,
    BadAddress,
    Config,
    Kind,
    Region,
    RegionConfig,
    Space,
    Status,
    compact,
    spread,
)
from whence.errors import UserMistake

BEGINS = {
    Region.CONSTANTS: 0x610000000000,
    Region.GLOBALS: 0x620000000000,
    Region.HEAP: 0x640000000000,
    Region.STACK: 0x630000000000,
}


def unmapped(quarantine: int = 8) -> Config:
    return spread(begins=BEGINS, quarantine=quarantine, access=Access.UNMAPPED)


def pairs(quarantine: int) -> list[int]:
    allocator = Allocator(unmapped(quarantine))
    begins = []
    for _ in range(10):
        begins.append(allocator.allocate(1))
        allocator.free(begins[-1])
    return begins


def test_ten_pairs_with_a_quarantine_of_eight_give_nine_addresses_and_then_the_first() -> None:
    begins = pairs(8)
    assert len(set(begins)) == 9
    assert begins[9] == begins[0]


def test_ten_pairs_without_quarantine_give_one_address() -> None:
    assert len(set(pairs(0))) == 1


def test_ten_pairs_with_an_unlimited_quarantine_give_ten_addresses() -> None:
    assert len(set(pairs(-1))) == 10


def test_the_order_of_the_slots_is_that_of_the_papers_listing() -> None:
    listing = [0x7E5D, 0x7E59, 0x7E61, 0x7E57, 0x7E63, 0x7E5B, 0x7E5F, 0x7E56, 0x7E64, 0x7E58]
    assert [(b - pairs(-1)[0]) >> 32 for b in pairs(-1)] == [a - listing[0] for a in listing]


@pytest.mark.parametrize("size", [1, 4, 8, 16, 32, 64, 256, 2048])
def test_slots_halve_their_bin_layer_by_layer(size: int) -> None:
    allocator = Allocator(unmapped())
    bin_ = next(b for b in allocator.statistics() if b.slot == size)
    begins = [allocator.allocate(size) for _ in range(255)]
    assert begins == [bin_.begin + int(place * bin_.size) for place in halving_order(8)]
    begins.sort()
    assert min(b - a for a, b in pairwise(begins)) == bin_.size >> 8


def test_the_system_chooses_and_the_choice_can_be_repeated() -> None:
    chosen = Allocator(spread())
    begins = {region: each.begin for region, each in chosen.space.config.regions.items()}
    requests = [1, 100, 5000, 0, 2048]
    addresses = [chosen.allocate(size) for size in requests]
    chosen.space.close()
    again = Allocator(spread(begins=begins))
    assert [again.allocate(size) for size in requests] == addresses


def test_regions_are_described_in_the_papers_words() -> None:
    lines = Space(unmapped()).describe()
    assert lines[0] == "deterministic allocator: globals (start-address=0x620000000000 size=10 GiB)"
    assert lines[2] == "deterministic allocator: heap (start-address=0x640000000000 size=1024 GiB)"
    assert len(lines) == 4


def test_the_regions_can_have_eighty_tebibytes() -> None:
    sizes = {Region.HEAP: 79 << 40, Region.STACK: 1 << 40}
    space = Space(
        spread(
            sizes=sizes, begins={Region.HEAP: 1 << 45, Region.STACK: 0x7A0000000000}, access=Access.UNMAPPED
        )
    )
    assert space.describe()[0].endswith("heap (start-address=0x200000000000 size=80896 GiB)")


@pytest.mark.parametrize("region", list(Region))
def test_every_region_has_blocks_of_its_own(region: Region) -> None:
    allocator = Allocator(unmapped())
    begin = allocator.allocate(24, region=region)
    at = allocator.locate(begin)
    assert (at.region, at.kind, at.size) == (region, Kind.LIVE, 24)
    others = [r for r in Region if r is not region]
    assert all(bin_.cut == 0 for other in others for bin_ in allocator.statistics(other))


def test_what_an_address_is() -> None:
    allocator = Allocator(unmapped(1))
    begin = allocator.allocate(20)
    allocator.set_tag(begin, 77)
    inside = allocator.locate(begin + 19)
    assert (inside.kind, inside.begin, inside.size, inside.tag) == (Kind.LIVE, begin, 20, 77)
    assert inside.inside
    assert not allocator.locate(begin + 20).inside
    assert allocator.locate(begin + 4096).kind is Kind.UNUSED
    assert allocator.nearest(begin + 4096).begin == begin
    assert allocator.locate(0x1234).kind is Kind.OUTSIDE
    assert allocator.locate(0x1234).region is None
    allocator.free(begin)
    freed = allocator.locate(begin + 3)
    assert (freed.kind, freed.begin, freed.size, freed.tag) == (Kind.QUARANTINED, begin, 20, 77)
    allocator.free(allocator.allocate(20))
    assert allocator.locate(begin).kind is Kind.FREE
    large = allocator.allocate(5000)
    assert allocator.nearest(large - 1).begin == large
    assert allocator.size(large) == 5000
    assert [each.begin for each in allocator.blocks()] == [large]


def test_a_block_always_moves_and_a_failed_move_changes_nothing() -> None:
    allocator = Allocator(unmapped())
    begin = allocator.allocate(100)
    moved = allocator.reallocate(begin, 100)
    assert moved != begin
    assert allocator.locate(begin).kind is Kind.QUARANTINED
    with pytest.raises(AllocationFailed) as failed:
        allocator.reallocate(moved, 1 << 60, count=1 << 60)
    assert failed.value.status is Status.TOO_LARGE
    assert allocator.size(moved) == 100
    array = allocator.reallocate(moved, 12, count=10, alignment=64)
    assert (allocator.size(array), array % 64) == (120, 0)


def test_requests_that_are_refused_say_why() -> None:
    allocator = Allocator(unmapped())
    begin = allocator.allocate(100)
    allocator.free(begin)
    with pytest.raises(BadAddress, match=f"free of {begin:#x}: the block at this address has been freed"):
        allocator.free(begin)
    live = allocator.allocate(100)
    with pytest.raises(BadAddress, match="inside a block"):
        allocator.free(live + 1)
    with pytest.raises(AllocationFailed, match="at a multiple of 3 in the heap: the alignment is not"):
        allocator.allocate(8, alignment=3)
    with pytest.raises(AllocationFailed, match="no slot or gap left"):
        allocator.allocate(700 << 30)
    with pytest.raises(UserMistake, match="not a number of 64 bits"):
        allocator.allocate(1 << 64)
    with pytest.raises(UserMistake, match="not a number of 64 bits"):
        allocator.free(-1)


def test_configurations_that_are_refused_say_why() -> None:
    good = unmapped()
    heap = good.regions[Region.HEAP]
    cases = [
        (replace(good, bins=(8, 4)), "bin sizes must ascend"),
        (replace(good, bins=tuple(range(1, 42))), "too many"),
        (replace(good, regions={Region.HEAP: replace(heap, size=81 << 40)}), "80 TiB"),
        (replace(good, regions={Region.HEAP: replace(heap, begin=5)}), "multiples of 4096"),
        (replace(good, regions={Region.HEAP: replace(heap, begin=0)}), "needs a given begin"),
        (replace(good, regions={Region.HEAP: replace(heap, quarantine=-2)}), "a quarantine is -1, or"),
        (replace(good, regions={**good.regions, Region.STACK: heap}), "no room in the address space"),
        (replace(compact(), red_zone=32), "compact layout are fixed"),
        (replace(compact(), regions={Region.HEAP: RegionConfig(3 << 40, 1 << 44)}), "power of two"),
        (replace(good, regions={Region.HEAP: RegionConfig(4096, 1 << 44)}), "too small for its bins"),
    ]
    for config, sentence in cases:
        with pytest.raises(UserMistake, match=sentence):
            Space(config)


def test_a_range_in_use_is_refused_and_not_overwritten() -> None:
    first = Space(spread())
    begins = {region: each.begin for region, each in first.config.regions.items()}
    with pytest.raises(UserMistake, match=r"no room in the address space for the region constants \(start"):
        Space(spread(begins=begins))
    first.close()
    Space(spread(begins=begins)).close()


def test_closed_spaces_and_allocators_are_errors() -> None:
    allocator = Allocator(unmapped())
    other = allocator.clone()
    other.close()
    with pytest.raises(UserMistake, match="the allocator has been closed"):
        other.allocate(1)
    allocator.space.close()
    with pytest.raises(UserMistake, match="address space has been closed"):
        allocator.allocate(1)
    with pytest.raises(UserMistake, match="address space has been closed"):
        allocator.space.statistics()
    allocator.close()


def test_states_go_with_their_allocators() -> None:
    allocator = Allocator(unmapped())
    copies = [allocator.clone() for _ in range(50)]
    assert allocator.space.statistics().states == 51
    del copies
    assert allocator.space.statistics().states == 1


def test_clones_cost_nothing_until_they_change() -> None:
    allocator = Allocator(unmapped())
    for _ in range(20000):
        allocator.allocate(24)
    before = allocator.space.statistics().book_bytes
    copies = [allocator.clone() for _ in range(100)]
    assert allocator.space.statistics().book_bytes - before < 100 * 8192
    begins = {copy.allocate(24) for copy in copies}
    assert len(begins) == 1
    assert allocator.space.statistics().book_bytes - before < 100 * 16384


def test_the_compact_layout_is_the_address_map_of_checked_processes() -> None:
    allocator = Allocator(compact())
    assert [hex(allocator.allocate(size)) for size in (1, 16, 17, 100)] == [
        "0x614000000020",
        "0x614000000040",
        "0x618000000040",
        "0x61c000000080",
    ]


def test_superfluous_pages_are_given_back() -> None:
    """Enough of them at once; and never if that is switched off."""
    for pages, releases in ((1024, 1), (0, 0)):
        config = replace(spread(access=Access.READ_WRITE), release_pages=pages)
        with_memory = Allocator(config)
        begin = with_memory.allocate(16 << 20)
        with with_memory.space.use(10):
            ctypes.memset(begin, 1, 16 << 20)
        assert with_memory.space.statistics().releases == releases
        assert ctypes.string_at(begin, 1) == bytes([1 - releases])
        with_memory.space.close()


SHORTAGE = """
import resource
from whence.alloc import *
allocator = Allocator(spread(begins={r: (0x61 + r) << 40 for r in Region}, access=Access.UNMAPPED))
live = [allocator.allocate(24) for _ in range(1000)]
own = [bytes(size) for size in range(500) for _ in range(50)]
del own[::2]  # leaves the interpreter free memory of every size
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), resource.RLIM_INFINITY))
count = 0
try:
    while True:  # the interpreter itself must not need more
        count += 1
        allocator.allocate(5000 if count % 2 else 24)
except AllocationFailed as failed:
    message = str(failed)
for begin in live[:900]:
    try:
        allocator.free(begin)
    except BadAddress:
        raise SystemExit("a live block was not found")
    except AllocationFailed:
        pass
print(message)
"""


def test_no_memory_for_the_books_is_an_answer() -> None:
    done = subprocess.run([sys.executable, "-c", SHORTAGE], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
    assert re.search("the system has no memory for the books of the allocator", done.stdout)


def test_snippets_of_the_page() -> None:
    """docs/allocator.md, in order, in one namespace."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "allocator.md").read_text()
    namespace: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "docs/allocator.md", "exec"), namespace)


@pytest.mark.parametrize("size", [24, 5000])
def test_clones_have_quarantines_of_their_own(size: int) -> None:
    first = Allocator(unmapped(2))
    blocks = [first.allocate(size) for _ in range(6)]
    first.free(blocks[0])
    second = first.clone()
    first.free(blocks[1])
    second.free(blocks[2])
    for allocator, freed in ((first, blocks[1]), (second, blocks[2])):
        assert {block.begin for block in allocator.blocks(kind=Kind.QUARANTINED)} == {blocks[0], freed}
        allocator.free(blocks[3])
        assert allocator.locate(blocks[0]).kind in (Kind.FREE, Kind.UNUSED)
        assert {block.begin for block in allocator.blocks(kind=Kind.QUARANTINED)} == {freed, blocks[3]}
