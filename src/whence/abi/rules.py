"""The border between the runtime and generated code: the arguments of evaluators and checks.

``runtime/include/whence/rules.h`` declares the functions on both sides.
"""

from __future__ import annotations

from whence.abi.structs import Field, Layout

RULES_VERSION = 8
"""Of this border: a rule set of another version is refused when it is registered."""

BLOCK = Layout(
    "whence_block",
    (
        Field("id", "u64", "0: never used; never reused; also the event clock at allocation"),
        Field("begin", "u64", "first address"),
        Field("size", "u64", "bytes asked for; End = begin + size"),
        Field("free_time", "u64", "event clock at free, 0 while live"),
        Field("free_ptr", "u64", "the pointer that freed it, 0 while live"),
        Field("state", "u64", "WH_BLOCK_NONE, WH_BLOCK_LIVE, WH_BLOCK_FREED"),
        Field("family", "u64", "WH_FAMILY_*"),
        Field("thread", "u64", "thread number that allocated it"),
        Field("kind", "u64", "WH_KIND_HEAP and so on; 0 where id is 0"),
        Field("align", "u64", "alignment given to operator new; 0 if none was"),
    ),
)
"""What is known of one block: a row of the block table."""

ARGUMENTS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""The arguments of a call that rules may name, as fields of an event, one behind the other."""

EVENT = Layout(
    "whence_event",
    (
        Field("point", "u64", "WH_POINT_*"),
        # What the next fields are at each point: whence.abi.points.
        Field("r", "u64", "the pointer of the event"),
        Field("root", "u64", "the pointer r was visibly derived from (= r if not visible)"),
        Field("width", "u64", "deref: bytes accessed; free: the size given"),
        Field("value", "u64", "free: whether a size is given; ret: the result"),
        Field("function", "u64", "call, ret: index into the set's function names"),
        Field("now", "u64", "event clock"),
        Field("other", "u64", "free: the alignment given, 0 if none is"),
        Field("least", "u64"),
        Field("low", "u64", "arithmetic: the least number of the type, in two's complement"),
        Field("high", "u64", "arithmetic: its greatest"),
        Field("family", "u64", "free, alloc: WH_FAMILY_* of the function"),
        *(Field(name, "u64", "call, ret: an argument") for name in ARGUMENTS),
        Field("block", BLOCK, "Bid(r); id 0 if r was derived from no known block"),
    ),
)
"""The redex at a detection point."""

RULE = Layout(
    "whence_rule",
    (
        Field("name", "ptr", c="const char *name"),
        Field("points", "u64", "bit (1 << WH_POINT_*) for every detection point it is evaluated at"),
        Field("function", "u64", "call, ret: index of the function it watches; ~0 otherwise"),
        Field(
            "evaluate",
            "ptr",
            "calls __whence_fire for each witness and returns the number of witnesses",
            "uint64_t (*evaluate)(const struct whence_event *event, uint64_t rule_index)",
        ),
    ),
)

HISTORY = Layout(
    "whence_history",
    (
        Field("function", "u64", "index of the function"),
        Field("returns", "u64", "1: of returns, 0: of calls"),
        Field("words", "u64", "bit (1 << w) for each word of the event whose values are told apart"),
    ),
)
"""Events to keep: the last one for each combination of values. Word 0 is the result of a return, the others
are the arguments."""

RECALL_LOST = 2
"""What the runtime answers for an event that it does not find, and may have had no room to keep."""

RULE_SET = Layout(
    "whence_rule_set",
    (
        Field("abi", "u64", "WHENCE_RULES_ABI"),
        Field("rule_count", "u64"),
        Field("rules", "ptr", "in order of evaluation", "const struct whence_rule *rules"),
        Field("function_count", "u64"),
        Field(
            "function_names",
            "ptr",
            "watched by call and ret points and events",
            "const char *const *function_names",
        ),
        Field("history_count", "u64"),
        Field("histories", "ptr", "events to keep", "const struct whence_history *histories"),
        Field("birth_count", "u64", "functions whose bytes are born with labels"),
        Field("births", "ptr", "these", "const struct whence_birth *births"),
        Field("label_count", "u64", "labels that the program may give by name"),
        Field("labels", "ptr", "their names", "const struct whence_birth *labels"),
        Field("labels_parsed", "u64", "labels of a text that a number has which was read in it"),
    ),
)

SITE = Layout(
    "whence_site",
    (
        Field("types", "ptr", "the types at this place, for reports", "const char *types"),
        Field("name", "ptr", "the mangled name of the class, or null", "const char *name"),
        Field("seen", "u64", "a vtable of this class, or of one derived from it; at first no vtable"),
        Field("hash", "u32", "of the type of the function"),
        Field("bits", "u32", "of the type that a value is converted to, or of the values of an enumeration"),
        Field("traits", "u32", "SITE_TRAITS"),
        Field("reserved", "u32", "zero"),
    ),
)
"""A place where the front end has written a check: its types."""

SITE_TRAITS = {"SIGNED": 1, "NARROW": 2}
"""SIGNED: the type with those bits is signed. NARROW: it has fewer bits than the type before."""

FUNCTION_MARK = 0xC105CAFE
"""The word before a function, followed by its type's hash, which clang writes for ``-fsanitize=function``."""

RULE_EVERY = 1 << 63
"""In the points of a rule: it is evaluated at every free, also where the pointer is the begin of a
live block and family, alignment and size match."""

DESC_WRITE = 1 << 24
"""In the descriptor of a check: its access is a write."""
DESC_SIZE = DESC_WRITE - 1
"""The bits below are the size of the access in bytes."""
DESC_COPY = 1 << 27
"""No access: as many bytes are copied from `root` to `address`, as by ``__whence_copy``."""
DESC_FUNCTION_SHIFT = 25
DESC_FUNCTIONS = {"memcpy": 1, "memmove": 2, "memset": 3}
"""Bits 25 and 26: the program wrote the call of this library function."""

STEP_POINT = 0xFF
"""In the descriptor of an arithmetic step: its detection point."""
STEP_BITS_SHIFT = 8
"""The bits above are those of its type, up to STEP_UNSIGNED."""
STEP_UNSIGNED = 1 << 16
"""The type is unsigned."""
STEP_POINTER = 1 << 17
"""The first operand is the pointer of the event; the bits from STEP_SIZE_SHIFT on are its width."""
STEP_SIZE_SHIFT = 18
