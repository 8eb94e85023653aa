"""The inline filters: sound for every rule, and the generated markers do what the filter says."""

from __future__ import annotations

import ctypes
import itertools
import mmap
from collections.abc import Iterator

import llvmlite.binding as llvm
import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.harness.pages import map_at, unmap
from tests.harness.rules import without_values
from tests.rules.random_rules import BASE, load_random
from tests.rules.strategies import Scope, formulas

from whence.abi.layout import HEAP_BASE, NULL_PAGE_SIZE, REGION_SHIFT, slot_shift, state_address
from whence.abi.records import KINDS
from whence.abi.rules import DESC_COPY, DESC_WRITE
from whence.abi.widths import CHECKED_WIDTHS
from whence.instrument.detectors import filters as module
from whence.instrument.markers import accesses as names
from whence.instrument.markers import thread_uses
from whence.instrument.markers.declarations import declarations
from whence.rules import RuleSet, load_standard, load_texts
from whence.rules.evaluate import fires
from whence.rules.filters import Filter
from whence.rules.lowering import Plan, plan_of
from whence.rules.world import Event, Redex, World

pytestmark = pytest.mark.long

SLOT_SHIFT = 7
SLOT = 1 << SLOT_SHIFT
HEAP = HEAP_BASE + (SLOT_SHIFT << REGION_SHIFT)
NOT_HEAP = 0x7F00_0000_0000
RED_ZONE = 16
SLOW = settings(
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

# ---- soundness: whatever fires passes the filter ----


@st.composite
def heaps(draw: st.DrawFn) -> World:
    """Blocks in slots of one region, with red zones, as the runtime lays them out."""
    events, begins, clock = [], {}, 0
    for i in draw(st.sets(st.integers(0, 3), max_size=4)):
        clock += 1
        bid, begins[clock] = clock, HEAP + i * SLOT + draw(st.sampled_from([0, 16, 32]))
        room = HEAP + (i + 1) * SLOT - RED_ZONE - begins[bid]
        events.append(Event(bid, "malloc", (draw(st.integers(0, room)), bid)))
        if draw(st.booleans()):
            clock += 1
            events.append(Event(clock, "free", (begins[bid], bid)))

    def find(address: int) -> int | None:
        return next((b for b, begin in begins.items() if begin >> SLOT_SHIFT == address >> SLOT_SHIFT), None)

    def load(address: int, width: int) -> int | None:
        there = all(addressable(world, address + i) for i in range(width))
        return address & 0xFF if there or not in_slots(address) else None

    def kind(address: int) -> int:
        return KINDS["HEAP" if in_slots(address) else "ELSEWHERE"]

    world = World(tuple(events), begins, find=find, load=load, kind=kind)
    return world


def in_slots(address: int) -> bool:
    return HEAP <= address < HEAP + 8 * SLOT


def addressable(world: World, address: int) -> bool:
    """What the state plane says of one byte, by the invariants that the analysis rests on."""
    if in_slots(address):
        live = world.live
        return any(world.begins[b] <= address < world.begins[b] + world.sizes[b] for b in live)
    return address >= NULL_PAGE_SIZE


def passes(filter_: Filter, world: World, redex: Redex) -> bool:
    if filter_ is Filter.ALWAYS:
        return True
    address, root = int(redex.values[0]), redex.given("Root")
    state = redex.closed > 0 or any(not addressable(world, address + i) for i in range(redex.width))
    slot = (address ^ root) >> slot_shift(root) != 0
    return bool((Filter.STATE in filter_ and state) or (Filter.SLOT in filter_ and slot))


def closed(world: World, address: int, width: int, shut: range) -> int:
    """Accessed bytes that the program has made inaccessible, and that would be accessible else."""
    return sum(addressable(world, byte) and byte in shut for byte in range(address, address + width))


@st.composite
def accesses(draw: st.DrawFn, world: World) -> tuple[int, int, int]:
    """(address, width, root)"""
    edges = [*world.begins.values()]
    edges += [world.begins[b] + world.sizes[b] for b in world.begins]
    near = st.sampled_from([*edges, HEAP, NOT_HEAP]).flatmap(
        lambda edge: st.integers(-20, 20).map(lambda offset: edge + offset)
    )
    address = draw(st.one_of(near, near, st.integers(0, NULL_PAGE_SIZE + 8)))
    root = draw(st.one_of(st.just(address), near, st.just(0)))
    return address, draw(st.sampled_from([1, 2, 4, 8, 16])), root


def check_soundness(data: st.DataObject, rules: RuleSet) -> None:
    plan = plan_of(rules)
    world = data.draw(heaps())
    address, width, root = data.draw(accesses(world))
    block = world.find(root) if in_slots(root) else None
    shut = range(*(address + data.draw(st.sampled_from([-8, 0, 1, 3, 8, 16])) for _ in "ab"))
    for code, filter_ in (("DEREF_R", plan.reads), ("DEREF_W", plan.writes)):
        redex = Redex(code, (address,), block, width, 1000, root, closed(world, address, width, shut))
        for each in plan.rules:
            if fires(each.rule, rules, world, redex):
                note(f"{each.rule.name} fires; filter {filter_}")
                assert passes(filter_, world, redex)


STANDARD = load_standard().select(["all"])


@SLOW
@given(st.data())
def test_shipped_rules_pass_their_filter(data: st.DataObject) -> None:
    check_soundness(data, STANDARD)


@st.composite
def bounds(draw: st.DrawFn) -> str:
    """Comparisons that the analysis understands, or nearly."""
    pointer = st.sampled_from(
        ["r", "Begin(r)", "End(r)", "NULL", "NullPage", "(r + 1)", "Begin(Bid(r))", "Root"]
    )
    number = st.sampled_from(
        ["Width", "Idx(r)", "Size(r)", "Closed", "0", "1", "2", "(2 * Width)", "(0 - Width)"]
    )
    op = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    if draw(st.booleans()):
        left, right = (f"{draw(pointer)} {draw(st.sampled_from('+-'))} {draw(number)}" for _ in "ab")
    else:
        left, right = (f"{draw(number)} {draw(st.sampled_from('+-'))} {draw(number)}" for _ in "ab")
    return f"{left} {draw(op)} {right}"


@st.composite
def conditions(draw: st.DrawFn, depth: int = 0) -> str:
    atoms = st.one_of(
        bounds(),
        st.sampled_from(["Allocated(r)", "Freed(r, _)", "Outside(r)", "exists b in F : b == Bid(r)"]),
        formulas(Scope(pointers=("r",), deref=True, depth=4)),
    )
    if depth > 3:
        return draw(atoms)
    parts = [f"({draw(conditions(depth + 1))})" for _ in "ab"]
    match draw(st.sampled_from(["atom", "not", "and", "or", "implies"])):
        case "atom":
            return draw(atoms)
        case "not":
            return f"not {parts[0]}"
        case word:
            return f" {word} ".join(parts)


@SLOW
@given(st.data(), conditions(), st.sampled_from(["deref r", "deref_r r", "deref_w r"]))
def test_random_rules_pass_their_filter(data: st.DataObject, condition: str, point: str) -> None:
    text = f'rule random-rule "x" at {point} when {condition}'
    note(text)
    rules = load_random(text)
    plan = plan_of(rules)
    assume((plan.reads | plan.writes) is not Filter.ALWAYS)
    for _ in range(10):
        check_soundness(data, rules)


def filter_text(condition: str, point: str = "deref r") -> tuple[str, str]:
    rules = load_texts([("f.rules", f'rule f "f" at {point} when {condition}'.encode())], BASE)
    plan = plan_of(rules.select(["f"], ["all"]))
    return plan.reads.describe(), plan.writes.describe()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("r == NULL", "state"),
        ("r < 65536", "state"),
        ("r < 65537", "always"),
        ("r + Width <= 4096", "state"),
        ("Freed(r, _)", "state or slot"),
        ("exists b in F : b == Bid(r)", "state or slot"),
        ("FindLast(_, free, _, Bid(r))", "state or slot"),
        ("r + Width > End(r)", "state or slot"),
        ("Idx(r) + Width > Size(r)", "state or slot"),
        ("Idx(r) < 0", "state or slot"),
        ("r >= End(r)", "state or slot"),
        ("r + Width >= End(r)", "always"),
        ("Begin(r + 4) > r", "state or slot"),
        ("r + 1 >= End(r)", "always"),
        ("r + 1 > End(r)", "state or slot"),
        ("r - Width >= End(r)", "state or slot"),
        ("r + Width + Width > End(r)", "always"),
        ("Begin(r) >= r", "always"),
        ("Begin(r) - Width >= r", "state or slot"),
        ("Begin(r) - Width + 1 >= r", "always"),
        ("Begin(r) + Width > r", "always"),
        ("r - Width < NullPage", "always"),
        ("r + Width <= NullPage", "state"),
        ("Root < NullPage", "state or slot"),
        ("Closed > 0", "state"),
        ("Closed >= Width", "state"),
        ("0 < Closed * 8", "always"),
        ("Closed + Closed - Width > 3", "state"),
        ("Closed >= 0", "always"),
        ("Closed == Width", "state"),
        ("Closed == 0", "always"),
        ("Closed != 0", "always"),
        ("Width > Closed", "always"),
        ("Closed > 0 and not Freed(r, _)", "state"),
        ("r + Closed > End(r)", "always"),
        ("Root + Width <= 4096", "state or slot"),
        ("Root <= NullPage", "always"),
        ("Root > r", "always"),
        ("r + Width <= NullPage + 1", "always"),
        ("not (r >= Begin(r))", "always"),
        ("Allocated(r) and not (r >= Begin(r) and r + Width <= End(r))", "state or slot"),
        ("Freed(r, _) or Value(r) == 3", "always"),
        ("Freed(r, _) and Value(r) == 3", "state or slot"),
        ("Freed(r, _) and r < NullPage", "state"),
        ("Kind(r) == Heap and not Accessible(r)", "state"),
        ("not Accessible(r) and Heap == Kind(r)", "state"),
        ("not Accessible(r)", "always"),
        ("Heap == Heap and not Accessible(r)", "always"),
        ("Kind(r) == Heap and Accessible(r)", "always"),
        ("Kind(r) == Heap and not Accessible(r + 1)", "always"),
        ("2 + 2 == 5", "never"),
        ("exists b in H : Size(b) > 3 and r < NullPage", "state"),
        ("forall b in H : r < NullPage", "always"),
    ],
)
def test_what_the_analysis_understands(condition: str, expected: str) -> None:
    assert filter_text(condition) == (expected, expected)


def test_reads_and_writes_have_filters_of_their_own() -> None:
    assert filter_text("r == NULL", "deref_r r") == ("state", "never")
    assert filter_text("Freed(r, _)", "deref_w r") == ("never", "state or slot")


@pytest.mark.parametrize(
    ("condition", "every"),
    [
        ("not Allocated(r) or r != Begin(r)", False),
        ("Freed(r, _)", False),
        ("NullPage > r", False),
        ("not exists b in H : b == Bid(r)", False),
        ("Family(r) != By", False),
        ("not (By == Family(Bid(r)))", False),
        ("Kind(r) == Stack or Kind(r) != Heap", False),
        ("Family(r) == By", True),
        ("Family(r) == New", True),
        ("By != Malloc", True),
        ("Kind(r + 1) == Stack", True),
        ("Allocated(r) and r == Begin(r)", True),
        ("Size(r) > 100", True),
        ("r > Begin(r) or Value(r) == 1", True),
        ("exists (_, malloc, 8, b) in trace : b == Bid(r)", True),
    ],
)
def test_rules_at_free_say_whether_a_clean_free_can_fire(condition: str, every: bool) -> None:
    rules = load_texts([("f.rules", f'rule f "f" at free r when {condition}'.encode())], BASE)
    assert plan_of(rules.select(["f"], ["all"])).rules[0].every is every


# ---- the generated markers ----

ORIGIN = HEAP + (1 << 20)
BYTES = 4096


@pytest.fixture(scope="module")
def plane() -> Iterator[ctypes.Array[ctypes.c_uint8]]:
    """State bytes of BYTES application bytes from ORIGIN on, at their real address."""
    page, size = state_address(ORIGIN) & -mmap.PAGESIZE, 2 * mmap.PAGESIZE
    map_at(page, size)
    yield (ctypes.c_uint8 * (BYTES // 8)).from_address(state_address(ORIGIN))
    unmap(page, size)


class Markers:
    """The filter module for two filters, compiled; `cold` holds the calls of __whence_access."""

    def __init__(self, reads: Filter, writes: Filter) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.cold: list[tuple[int, int, int]] = []
        signature = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32)
        self.callback = signature(lambda address, root, desc: self.cold.append((address, root, desc)))
        address = ctypes.cast(self.callback, ctypes.c_void_p).value
        text = module.generate(_plan(reads, writes)).replace("linkonce_odr hidden", "")
        text = text.replace("@__whence_access(", f"@cold.{address:x}(")
        llvm.add_symbol(f"cold.{address:x}", address)
        for name in ("__whence_bounds", "__whence_holes", thread_uses.HERE):  # no marker here calls them
            llvm.add_symbol(name, address)
        parsed = llvm.parse_assembly(text)
        parsed.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        self.engine = llvm.create_mcjit_compiler(parsed, machine)
        self.engine.finalize_object()

    def __call__(self, name: str, address: int, root: int | None = None) -> list[tuple[int, int, int]]:
        arguments = [address] if root is None else [address, root]
        signature = ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * len(arguments))
        self.cold.clear()
        signature(self.engine.get_function_address(name))(*arguments)
        return list(self.cold)


def _plan(reads: Filter, writes: Filter) -> Plan:
    return Plan((), frozenset(), (), frozenset(), reads, writes, True, True, False)


def bad(state: int, offset: int) -> bool:
    """Whether a byte of a granule in this state is not addressable."""
    return state >= 0x80 or (0 < state < 8 and offset >= state)


BOTH = Filter.STATE | Filter.SLOT
states = st.sampled_from([0, 0, 0, 1, 3, 4, 7, 0x40, 0x41, 0xFA, 0xFD])


@pytest.fixture(scope="module")
def markers() -> dict[Filter, Markers]:
    return {f: Markers(f, f) for f in (Filter.NEVER, Filter.STATE, Filter.SLOT, BOTH, Filter.ALWAYS)}


@settings(
    max_examples=examples(600),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(states, min_size=6, max_size=6),
    st.integers(0, 24),
    st.sampled_from(CHECKED_WIDTHS),
    st.booleans(),
    st.booleans(),
    st.sampled_from([Filter.NEVER, Filter.STATE, Filter.SLOT, BOTH, Filter.ALWAYS]),
    st.sampled_from([None, 0, 40, SLOT, -SLOT]),
)
def test_markers_go_cold_when_the_filter_says_so(
    plane: ctypes.Array[ctypes.c_uint8],
    markers: dict[Filter, Markers],
    granules: list[int],
    offset: int,
    size: int,
    write: bool,
    aligned: bool,
    filter_: Filter,
    distance: int | None,
) -> None:
    base = ORIGIN + 2 * SLOT
    first = (base - ORIGIN) // 8
    plane[first : first + 6] = granules
    address = base + (offset - offset % min(size, 8) if aligned else offset)
    root = None if distance is None else base + distance
    name = names.marker_name(write, size, root is not None, not aligned)
    called = markers[filter_](name, address, root)

    touched = [(granules[(address + i - base) // 8], (address + i) % 8) for i in range(size)]
    state = any(bad(value, at) for value, at in touched)
    maybe = state or (size >= 8 and any(value for value, _ in touched))
    slot = root is not None and (address ^ root) >> SLOT_SHIFT != 0
    must = (Filter.STATE in filter_ and state) or (Filter.SLOT in filter_ and slot)
    may = (Filter.STATE in filter_ and maybe) or (Filter.SLOT in filter_ and slot)
    if filter_ is Filter.ALWAYS or must:
        assert called
    if called:
        assert filter_ is Filter.ALWAYS or may
        desc = size | (DESC_WRITE if write else 0)
        assert called == [(address, address if root is None else root, desc)]


@pytest.mark.parametrize("size", CHECKED_WIDTHS)
def test_one_bad_granule_is_found(
    plane: ctypes.Array[ctypes.c_uint8], markers: dict[Filter, Markers], size: int
) -> None:
    base, first = ORIGIN + 2 * SLOT, 2 * SLOT // 8
    for offset, granule, state in itertools.product(range(24), range(6), (0xFA, 1, 5, 0x40)):
        plane[first : first + 6] = [state if i == granule else 0 for i in range(6)]
        touched = [(offset + i) % 8 for i in range(size) if (offset + i) // 8 == granule]
        aligned = offset % min(size, 8) == 0
        for provenance in (None, base):
            name = names.marker_name(True, size, provenance is not None, not aligned)
            called = markers[BOTH](name, base + offset, provenance)
            if any(bad(state, at) for at in touched):
                assert called
            elif size < 8 or not touched:
                assert not called


class Copies:
    """The generated markers of copies, loaded; `cold` lists (to, from, size, desc)."""

    def __init__(self) -> None:
        self.cold: list[tuple[int, int, int, int]] = []
        u64, u32 = ctypes.c_uint64, ctypes.c_uint32
        copy = ctypes.CFUNCTYPE(None, u64, u64, u64, u32)
        access = ctypes.CFUNCTYPE(None, u64, u64, u32)
        self.callbacks = (
            copy(lambda to, source, size, desc: self.cold.append((to, source, size, desc))),
            access(
                lambda to, source, desc: self.cold.append((to, source, desc & 0xFFFFFF, desc & ~0xFFFFFF))
            ),
        )
        text = module.generate(plan_of(without_values())).replace("linkonce_odr hidden", "")
        for name, callback in zip(("copy", "access"), self.callbacks, strict=True):
            address = ctypes.cast(callback, ctypes.c_void_p).value
            text = text.replace(f"@__whence_{name}(", f"@copies.{address:x}(")
            llvm.add_symbol(f"copies.{address:x}", address)
        parsed = llvm.parse_assembly(text)
        parsed.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        self.engine = llvm.create_mcjit_compiler(parsed, machine)
        self.engine.finalize_object()

    def __call__(
        self, size: int | None, to: int, source: int, length: int
    ) -> list[tuple[int, int, int, int]]:
        self.cold.clear()
        address = self.engine.get_function_address(names.copy_marker_name(size))
        if size is None:
            ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 3, ctypes.c_uint32)(address)(to, source, length, 5)
        else:
            ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 2)(address)(to, source)
        return list(self.cold)


def test_copies_go_cold_when_their_ranges_overlap_and_differ() -> None:
    copies = Copies()
    near = [0, 1, 2, 7, 8, 9, 15, 16, 17, 40]
    bases = [0, HEAP, (1 << 47) - 64]
    for size, base, shift in itertools.product((None, *CHECKED_WIDTHS), bases, near):
        for length in [0, 1, 8, 17, (1 << 64) - 1] if size is None else [size]:
            for to, source in ((base + shift, base), (base, base + shift)):
                expected = shift != 0 and shift < length
                desc = 5 if size is None else DESC_COPY
                assert copies(size, to, source, length) == ([(to, source, length, desc)] if expected else [])


def test_markers_vanish_from_a_linked_module() -> None:
    calls = "\n".join(
        f"  call void @{name}(ptr %p{', ptr %q' if provenance else ''})"
        for name, _, _, provenance, _ in names.markers()
    )
    declared = "\n".join(declarations({name for name, *_ in names.markers()}))
    user = llvm.parse_assembly(f"define void @f(ptr %p, ptr %q) {{\n{calls}\n  ret void\n}}\n{declared}")
    user.link_in(llvm.parse_assembly(module.generate(plan_of(load_standard()))))
    user.verify()
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    machine = llvm.Target.from_default_triple().create_target_machine()
    passes.run(user, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(2)))
    text = str(user)
    assert "@__whence_check" not in text
    body = text.split("define void @f(")[1].split("\n}")[0]
    assert body.count("call preserve_mostcc void @__whence_") == len(list(names.markers()))


def test_a_filter_that_never_holds_leaves_nothing_behind() -> None:
    text = module.generate(_plan(Filter.NEVER, Filter.STATE))
    body = text.split("@__whence_checkp_r8(")[1].split("}")[0]
    assert "ret void" in body and "call" not in body and "load" not in body


def test_a_size_without_marker_is_refused() -> None:
    with pytest.raises(ValueError, match="3 bytes"):
        names.marker_name(False, 3, False)
