"""Random rules (as text, mostly right) and random worlds to evaluate them in."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from whence.abi import points
from whence.abi.layout import NULL_PAGE_SIZE
from whence.abi.records import FAMILIES, KINDS
from whence.rules.vocabulary import EVENTS
from whence.rules.world import Event, Redex, World

HEAP = 0x6000_0000_0000
FUNCTIONS = ("main", "transaction")

DEFINITIONS = """
define Between(x, b) := x >= Begin(b) and x < End(b)
define Whole(b) := Begin(b) % 16 == 0 and Size(b) > 3
define Last(k, f) := FindLast(k, call, f, _)
define Since(b, f) := FindLast(k, ret, f, _) and Time(b) > k
define Older(b, c) := exists (t, malloc, _, b) in trace : exists (u, malloc, _, c) in trace : t < u
define Twice(p) := p + p < 100
define AllPointed(n) := forall b in H : Size(b) < n or Pointed(b)
"""


@dataclass(frozen=True)
class Scope:
    """Names by type, and whether Width, By or what a free is told may be used."""

    pointers: tuple[str, ...] = ()
    ints: tuple[str, ...] = ()
    bids: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    deref: bool = False
    by: bool = False
    told: bool = False
    depth: int = 0

    def more(self, **names: str) -> Scope:
        fields = {key: (*getattr(self, key), name) for key, name in names.items()}
        values = {**self.__dict__, **fields, "depth": self.depth + 1}
        return Scope(**values)


SMALL = [0, 1, 4, 8, 16]
"""Sizes, offsets and arguments come from few values, so that comparisons are often close."""
numbers = st.one_of(
    st.sampled_from(SMALL).map(str),
    st.sampled_from(SMALL).map(str),
    st.sampled_from(SMALL).map(str),
    st.integers(0, (1 << 64) - 1).map(hex),
)
words = st.one_of(st.sampled_from(SMALL), st.sampled_from(SMALL), st.integers(0, (1 << 64) - 1))
signed = st.one_of(
    st.sampled_from([*SMALL, -1, -(1 << 31), -(1 << 63), (1 << 63) - 1]),
    st.integers(-(1 << 63), (1 << 63) - 1),
)


def values_of(slot: points.Slot) -> st.SearchStrategy[int]:
    """Values of a slot that is no pointer."""
    return signed if slot.signed else words


compares = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])


@st.composite
def pointers(draw: st.DrawFn, scope: Scope) -> str:
    kinds = ["number", "begin", "end"] if scope.bids else ["number"]
    kinds += ["root"] * scope.deref + ["name"] * 4 * bool(scope.pointers)
    kinds += ["plus", "value", "begin_of"] * (scope.depth < 4)
    deeper = scope.more()
    match draw(st.sampled_from(kinds)):
        case "name":
            return draw(st.sampled_from(scope.pointers))
        case "root":
            return "Root"
        case "begin":
            return f"Begin({draw(st.sampled_from(scope.bids))})"
        case "end":
            return f"End({draw(st.sampled_from(scope.bids))})"
        case "begin_of":
            return f"{draw(st.sampled_from(['Begin', 'End']))}({draw(pointers(deeper))})"
        case "plus":
            return f"({draw(pointers(deeper))} {draw(st.sampled_from('+-'))} {draw(ints(deeper))})"
        case "value":
            return f"Value({draw(pointers(deeper))})"
        case _:
            return draw(st.sampled_from(["NULL", hex(HEAP + 32), hex(HEAP + 200)]))


@st.composite
def ints(draw: st.DrawFn, scope: Scope) -> str:
    kinds = ["number"] * 3 + ["name"] * 3 * bool(scope.ints) + ["width", "width", "closed"] * scope.deref
    kinds += ["told"] * 2 * scope.told
    kinds += ["size", "align", "idx", "value", "binary", "difference", "negative"] * (scope.depth < 4)
    deeper = scope.more()
    match draw(st.sampled_from(kinds)):
        case "name":
            return draw(st.sampled_from(scope.ints))
        case "width":
            return "Width"
        case "closed":
            return "Closed"
        case "told":
            return draw(st.sampled_from(["GivenSize", "GivenAlign"]))
        case "align":
            return f"Align({draw(st.one_of(pointers(deeper), bids(deeper)))})"
        case "size":
            return f"Size({draw(st.one_of(pointers(deeper), bids(deeper)))})"
        case "idx":
            return f"Idx({draw(pointers(deeper))})"
        case "value":
            return f"Value({draw(pointers(deeper))}, {draw(st.sampled_from([1, 2, 4, 8]))})"
        case "binary":
            op = draw(st.sampled_from(["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]))
            return f"({draw(ints(deeper))} {op} {draw(ints(deeper))})"
        case "difference":
            return f"({draw(pointers(deeper))} - {draw(pointers(deeper))})"
        case "negative":
            return f"-{draw(ints(deeper))}"
        case _:
            return draw(numbers)


@st.composite
def bids(draw: st.DrawFn, scope: Scope) -> str:
    if scope.bids and draw(st.booleans()):
        return draw(st.sampled_from(scope.bids))
    return f"Bid({draw(pointers(scope.more()))})"


@st.composite
def times(draw: st.DrawFn, scope: Scope) -> str:
    if scope.times and draw(st.booleans()):
        return draw(st.sampled_from(scope.times))
    return draw(st.one_of(st.just("Now"), bids(scope.more()).map(lambda b: f"Time({b})")))


@st.composite
def families(draw: st.DrawFn, scope: Scope) -> str:
    some = [f"Family({draw(st.one_of(pointers(scope), bids(scope)))})", "Malloc", "New", "NewArray"]
    return draw(st.sampled_from([*some, "By"] if scope.by else some))


@st.composite
def kinds(draw: st.DrawFn, scope: Scope) -> str:
    return draw(st.sampled_from([f"Kind({draw(pointers(scope))})", "Heap", "Stack", "Global", "Elsewhere"]))


@st.composite
def comparisons(draw: st.DrawFn, scope: Scope) -> str:
    deeper = scope.more()
    kind = draw(st.sampled_from([pointers, pointers, ints, times, bids, families, kinds]))
    op = draw(st.sampled_from(["==", "!="])) if kind in (bids, families, kinds) else draw(compares)
    return f"{draw(kind(deeper))} {op} {draw(kind(deeper))}"


@st.composite
def atoms(draw: st.DrawFn, scope: Scope) -> str:
    deeper = scope.more()
    pointer, bid = draw(pointers(deeper)), draw(bids(deeper))
    number = draw(ints(deeper))
    function = draw(st.sampled_from(FUNCTIONS))
    choices = [
        f"Allocated({pointer})",
        f"Freed({pointer}, _)",
        f"Pointed({bid})",
        f"PointedAtBegin({bid})",
        f"PointedByLost({bid})",
        f"Between({pointer}, {bid})",
        f"Whole({bid})",
        f"Last(_, {function})",
        f"Since({bid}, {function})",
        f"Older({bid}, _)",
        f"AllPointed({number})",
        f"FindLast(_, free, {pointer}, _)",
        f"FindLast(_, malloc, _, {bid})",
        f"exists (_, call, {function}, _) in trace",
        "exists _ in H",
        "true",
        "false",
    ]
    if scope.deref:
        choices += ["Outside(" + pointer + ")"]
    return draw(st.sampled_from(choices))


@st.composite
def quantified(draw: st.DrawFn, scope: Scope) -> str:
    i = scope.depth
    b, p, n, k = f"b{i}", f"p{i}", f"n{i}", f"k{i}"
    kind = draw(st.sampled_from(["exists", "forall"]))
    domain = draw(st.sampled_from(["H", "F", "malloc", "free", "freed", "call", "object", "objects"]))
    if domain in ("H", "F"):
        return f"({kind} {b} in {domain} : {draw(formulas(scope.more(bids=b)))})"
    if domain == "malloc":
        size = draw(st.sampled_from(["_", n]))
        inner = scope.more(bids=b, times=k) if size == "_" else scope.more(bids=b, ints=n, times=k)
        return f"({kind} ({k}, malloc, {size}, {b}) in trace : {draw(formulas(inner))})"
    if domain == "free":
        inner = scope.more(bids=b, pointers=p, times=k)
        return f"({kind} ({k}, free, {p}, {b}) in trace : {draw(formulas(inner))})"
    if domain == "freed":
        inner = scope.more(bids=b, pointers=p, times=k)
        bid = draw(bids(scope.more()))
        return f"(exists ({k}, free, {p}, {b}) in trace : {b} == {bid} and {draw(formulas(inner))})"
    event, function = draw(st.sampled_from(["call", "ret"])), draw(st.sampled_from(FUNCTIONS))
    if domain == "object":
        asked = draw(ints(scope.more()))
        inner = scope.more(ints=n)
        later = f"{k} > {draw(times(scope.more()))} and " if draw(st.booleans()) else ""
        rest = f"{later}{n} == {asked} and {draw(formulas(inner))}"
        return f"(exists ({k}, {event}, {function}, {n}) in trace : {rest})"
    if domain == "objects":
        inner = scope.more(ints=n).more(pointers=p)
        return f"({kind} (_, {event}, {function}, {n}, {p}) in trace : {draw(formulas(inner))})"
    return f"(exists (_, {event}, {function}, _) in trace : {draw(formulas(scope.more()))})"


@st.composite
def bindings(draw: st.DrawFn, scope: Scope) -> str:
    """A conjunction whose first part binds a free variable that the rest may use, in either order."""
    i = scope.depth
    x, k, v, b = f"x{i}", f"t{i}", f"v{i}", f"c{i}"
    function = draw(st.sampled_from(FUNCTIONS))
    binder, inner = draw(
        st.sampled_from(
            [
                (f"Freed({draw(pointers(scope.more()))}, {x})", scope.more(pointers=x)),
                (f"FindLast({k}, call, {function}, {v})", scope.more(times=k, ints=v)),
                (f"Last({k}, {function})", scope.more(times=k)),
                (
                    f"FindLast({k}, ret, {function}, {draw(ints(scope.more()))}, {v})",
                    scope.more(times=k, ints=v),
                ),
                (f"FindLast({k}, malloc, {v}, {b})", scope.more(times=k, ints=v, bids=b)),
                (f"FindLast({k}, free, {x}, {b})", scope.more(times=k, pointers=x, bids=b)),
                (f"Older({b}, _)", scope.more(bids=b)),
            ]
        )
    )
    parts = [binder, draw(formulas(inner))]
    return f"({' and '.join(draw(st.permutations(parts)))})"


@st.composite
def formulas(draw: st.DrawFn, scope: Scope) -> str:
    if scope.depth > 5:
        return draw(comparisons(scope))
    kind = draw(
        st.sampled_from(["compare"] * 3 + ["atom"] * 3 + ["not", "and", "or", "implies", "some", "bind"])
    )
    deeper = scope.more()
    match kind:
        case "compare":
            return draw(comparisons(scope))
        case "atom":
            return draw(atoms(scope))
        case "not":
            return f"not ({draw(formulas(deeper))})"
        case "some":
            return draw(quantified(scope))
        case "bind":
            return draw(bindings(scope))
        case word:
            return f"(({draw(formulas(deeper))}) {word} ({draw(formulas(deeper))}))"


POINTS = {
    "deref r": Scope(pointers=("r",), deref=True),
    "deref_w r": Scope(pointers=("r",), deref=True),
    "free r": Scope(pointers=("r",), by=True, told=True),
    "alloc count size align least": Scope(ints=("count", "size", "align", "least"), by=True),
    "copy r n s m": Scope(pointers=("r", "s"), ints=("n", "m")),
    "argument r": Scope(pointers=("r",)),
    "length r n m": Scope(pointers=("r",), ints=("n", "m")),
    "malloc n bid": Scope(ints=("n",), bids=("bid",)),
    "call transaction v w": Scope(ints=("v", "w")),
    "ret transaction _ v w": Scope(ints=("v", "w")),
    "ret main _": Scope(),
}
_SHAPED = {shape.split()[0] for shape in POINTS}


def _scope_of(point: points.Point) -> Scope:
    def named(type_: str) -> tuple[str, ...]:
        return tuple(slot.name for slot in point.slots if slot.type == type_)

    return Scope(pointers=named("POINTER"), ints=named("INT"), by="By" in point.gives)


POINTS |= {
    " ".join([point.name, *(slot.name for slot in point.slots)]): _scope_of(point)
    for point in points.POINTS
    if point.name not in {*_SHAPED, "deref_r"}
}
"""Points with plain slots need no shape of their own."""


SUSPECT = {
    "alloc": ["count * size > MaxSize", "(align & (align - 1) != 0 or align < least)"],
    "copy": ["(r < s + m and s < r + n)"],
    "length": ["m < n"],
    "argument": ["r < NullPage", "r == NULL"],
    "add": ["(x + y < low or x + y > high)"],
    "subtract": ["not Fits(x - y, low, high)"],
    "multiply": ["(x * y < low or x * y > high)"],
    "divide": ["y == 0", "y == -1 and x <= low"],
    "shift": ["(k < 0 or k >= w)"],
    "index": ["i < 0", "i >= n"],
    "add_unsigned": ["x + y > high"],
    "subtract_unsigned": ["x < y", "x - y < 0"],
    "multiply_unsigned": ["x * y > high"],
    "truncate": ["side != 0", "side == 2"],
    "divide_floating": ["zero != 0"],
    "scan": ["v == 0"],
    "bool": ["v > 1"],
    "unreachable": ["reached == 1"],
    "dimension": ["n <= 0"],
    "nonnull": ["v == 0"],
    "offset": ["r == NULL and i * size != 0", "r != NULL and (r + i * size <= 0)"],
    "align": ["rest != 0"],
    "aligned": ["rest != 0"],
    "convert_unsigned": ["x != y", "x > y"],
    "convert_signed": ["x != y", "x < y"],
    "to_signed": ["x != y"],
    "to_unsigned": ["x != y"],
    "enumeration": ["v < low", "v > high"],
    "missing_return": ["reached == 1"],
    "callee": ["differs == 1"],
    "object": ["differs != 0"],
    "shift_signed": ["lost == 1"],
    "shift_unsigned": ["lost != 0"],
    "descriptor": ["closed == 1"],
    "compare": ["apart == 1"],
    "order": ["early == 1"],
    "difference": ["apart == 1"],
}
"""What makes a step one that engines show to rules."""


@st.composite
def rule_texts(draw: st.DrawFn, name: str = "random-rule") -> str:
    """A rule over the shipped predicates and DEFINITIONS."""
    point = draw(st.sampled_from(list(POINTS)))
    scope = POINTS[point]
    shape = draw(st.sampled_from(["{}", "{}", "not (forall w in H : not {})", "exists w in {H} : {}"]))
    if shape == "{}":
        condition = draw(formulas(scope))
    else:
        shape = shape.replace("{H}", draw(st.sampled_from("HHF")))
        condition = shape.format(f"({draw(formulas(scope.more(bids='w')))})")
    suspect = SUSPECT.get(point.split()[0])
    if suspect:
        condition = f"{draw(st.sampled_from(suspect))} and ({condition})"
    names = [*scope.pointers, *scope.ints]
    trace = f" trace {', '.join(names)}" if names and draw(st.booleans()) else ""
    return f'rule {name} "a random rule" at {point} when {condition}{trace}'


@dataclass(frozen=True)
class Slots:
    """Blocks in slots of 64 bytes, as the allocator would place them."""

    begins: dict[int, int]

    def find(self, address: int) -> int | None:
        return next((bid for bid, begin in self.begins.items() if address // 64 == begin // 64), None)


def passed(kind: str) -> st.SearchStrategy[list[int]]:
    """All words of a call, or of a return: the arguments, behind the result."""
    count = len(EVENTS[kind].slots) - 1 + len(EVENTS[kind].more)
    return st.lists(st.one_of(words, st.sampled_from([8, 16])), min_size=count, max_size=count)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Up to five blocks, some freed, calls of two functions in between."""
    count = draw(st.integers(0, 5))
    slots = draw(st.permutations(range(6)))
    events: list[Event] = []
    begins: dict[int, int] = {}
    live: list[int] = []
    clock = 0
    for i in range(count):
        clock += draw(st.integers(1, 3))
        begins[clock] = HEAP + 64 * slots[i]
        live.append(clock)
        events.append(Event(clock, "malloc", (draw(st.sampled_from([*SMALL, 48])), clock)))
        for _ in range(draw(st.integers(0, 3))):
            clock += 1
            function, kind = draw(st.sampled_from(FUNCTIONS)), draw(st.sampled_from(["call", "ret"]))
            events.append(Event(clock, kind, (function, *draw(passed(kind)))))
        if live and draw(st.booleans()):
            clock += 1
            bid = live.pop(draw(st.integers(0, len(live) - 1)))
            events.append(Event(clock, "free", (begins[bid] + draw(st.sampled_from([0, 0, 8])), bid)))
    indexes = st.lists(st.sampled_from([0, 8]), max_size=2)
    pointers = frozenset((begins[bid] + i, bid, i) for bid in begins for i in draw(indexes))
    lost = frozenset((begins[bid], bid, 0) for bid in begins if draw(st.booleans()))
    find = Slots(begins).find
    seed = draw(st.integers(0, 255))

    def load(address: int, width: int) -> int | None:
        bid = find(address)
        if bid is None or bid not in live:
            return None
        size = next(e.fields[0] for e in events if e.kind == "malloc" and e.fields[1] == bid)
        if address < begins[bid] or address + width > begins[bid] + int(size):
            return None
        return int.from_bytes(((address + i) * 37 + seed) % 256 for i in range(width))

    names = {bid: draw(st.sampled_from(sorted(FAMILIES.values()))) for bid in begins}
    aligns = {bid: draw(st.sampled_from([0, 16, 64])) for bid in begins}

    def kind(address: int) -> int:
        other = [number for name, number in KINDS.items() if name != "HEAP"]
        return KINDS["HEAP"] if find(address) is not None else other[(address + seed) % len(other)]

    return World(tuple(events), begins, pointers, find, load, lost, names, kind, aligns)


@st.composite
def redexes(draw: st.DrawFn, point: str, world: World) -> Redex:
    """A step at this detection point that the world allows."""
    now = max((event.time for event in world.trace), default=0) + 1
    name = point.split()[0]
    if name == "malloc":
        bid = draw(st.sampled_from(sorted(world.begins)))
        return Redex("MALLOC", (world.sizes[bid], bid), now=now)
    if name in ("call", "ret"):
        return Redex(name.upper(), (point.split()[1], *draw(passed(name))), now=now)
    bid = draw(st.sampled_from([None, *sorted(world.begins)]))
    near = [begin + offset for begin in world.begins.values() for offset in (-8, 0, 1, 8, 16, 31, 48)]
    address = draw(st.sampled_from([0, 8, 65535, 65536, *near]))
    width = draw(st.sampled_from([1, 2, 4, 8, 16, 40, (1 << 64) - 1]))
    family = draw(st.sampled_from(sorted(FAMILIES.values())))
    if name == "free":
        size = draw(st.sampled_from([None, *SMALL, *([] if bid is None else [world.sizes[bid]])]))
        told = {"given_size": size, "given_align": draw(st.sampled_from([0, 0, 16, 64]))}
        return Redex("FREE", (address,), bid, now=now, family=family, **told)
    if name == "alloc":
        count, size = draw(words), draw(words)
        align, least = draw(st.sampled_from([0, 1, 8, 24, 1 << 40])), draw(st.sampled_from([1, 8]))
        return Redex("ALLOC", (count, size, align, least), now=now, family=family)
    if name == "copy":
        n, m = draw(st.sampled_from([0, 1, 2, 8, 16])), draw(st.sampled_from([0, 1, 2, 8, 16]))
        return Redex("COPY", (address, n, draw(st.sampled_from([8, *near])), m), bid, now=now)
    if name == "length":
        n, m = draw(st.sampled_from([1 << 17, (1 << 64) - 1])), draw(st.sampled_from([0, 1 << 17, 1 << 18]))
        return Redex("LENGTH", (address, n, m), bid, now=now)
    if name not in ("deref", "deref_w"):
        row = points.BY_NAME[name]
        values = [address if slot.type == "POINTER" else draw(values_of(slot)) for slot in row.slots]
        return Redex(name.upper(), tuple(values), bid if row.slots[0].type == "POINTER" else None, now=now)
    code = "DEREF_W" if name == "deref_w" else draw(st.sampled_from(["DEREF_R", "DEREF_W"]))
    root = draw(st.sampled_from([None, 0, 65535, 65536, *near]))
    if root is not None and root < NULL_PAGE_SIZE:
        bid = None  # r was derived from root, and no block is there
    closed = draw(st.sampled_from([0, 0, 1, min(width, 8)]))
    return Redex(code, (address,), bid, width, now, root, closed)
