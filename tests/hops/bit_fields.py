"""Ways of numbers through bit-fields, in C and C++ (`tests.hops.making`)."""

from __future__ import annotations

from tests.hops.making import Way

_NUMBERS = ("number", "small")


def _way(body: str, before: str = "", types: tuple[str, ...] = _NUMBERS) -> Way:
    return Way(body, before, types)


_SHARED = "struct bits# { unsigned low : 3, it : 18, high : 5, more : 6; };"
"""The field shares two bytes with its neighbours."""

BOTH = {
    "bit-field": _way(
        """
        struct bits# b#; b#.it = $; //: 1 stored b#.it
        T v# = b#.it; //: 2 stored v#
        """,
        _SHARED,
    ),
    "bit-field between others": _way(
        """
        struct bits# b#; b#.low = 1; b#.high = one;
        b#.it = $; //: 1 stored b#.it
        b#.low = one + 4; b#.high = 2; b#.more = b#.low; b#.high++; b#.low = 0;
        T v# = b#.it; //: 2 stored v#
        """,
        _SHARED,
    ),
    "bit-field of two bits": _way(
        """
        struct { unsigned first : 1, it : 2, third : 4; } b#; b#.third = 3;
        b#.it = $ - V + 2; //: 1 arithmetic $ - V; 2 arithmetic $ - V + 2; 3 stored b#.it
        b#.first = 1; b#.third = 9;
        T v# = b#.it + V - 2; //: 4 arithmetic b#.it + V; 5 arithmetic b#.it + V - 2; 6 stored v#
        """
    ),
    "signed bit-field": _way(
        """
        struct { int low : 7, it : 14; unsigned high : 11; } b#; b#.low = -1;
        b#.it = -$; //: 1 arithmetic 0 - $; 2 stored b#.it
        b#.high = 2047; b#.low = one;
        T v# = -b#.it; //: 3 arithmetic 0 - b#.it; 4 stored v#
        """
    ),
    "wide bit-field": _way(
        """
        struct { unsigned long low : 13, it : 40, high : 11; } b#; b#.high = 5;
        b#.it = $; //: 1 stored b#.it
        b#.low = one; b#.high = one;
        T v# = b#.it; //: 2 stored v#
        """
    ),
    "bit-field of a byte": _way(
        """
        struct { unsigned low : 8, it : 8, high : 16; } b#; b#.high = 7;
        b#.it = $ - V + 2; //: 1 arithmetic $ - V; 2 arithmetic $ - V + 2; 3 stored b#.it
        b#.low = 1;
        T v# = b#.it + V - 2; //: 4 arithmetic b#.it + V; 5 arithmetic b#.it + V - 2; 6 stored v#
        """
    ),
    "bit-field of an integer": _way(
        """
        struct { unsigned long low : 32, it : 32; } b#;
        b#.it = $; //: 1 stored b#.it
        b#.low = one;
        T v# = b#.it; //: 2 stored v#
        """
    ),
    "packed bit-field": _way(
        """
        struct __attribute__((packed)) { unsigned low : 5, it : 13, high : 20; } b#; b#.low = one;
        b#.it = $; //: 1 stored b#.it
        b#.high = one; b#.low = 0;
        T v# = b#.it; //: 2 stored v#
        """
    ),
    "bit-field of three bytes": _way(
        """
        struct { unsigned char low; unsigned it : 12, high : 9; } b#; b#.low = 1;
        b#.it = $; //: 1 stored b#.it
        b#.high = one;
        T v# = b#.it; //: 2 stored v#
        """
    ),
    "bit-field by a pointer": _way(
        """
        struct bits# b#, *p# = &b#;
        p#->it = $; //: 1 stored p#->it
        p#->high = one;
        T v# = b#.it; //: 2 stored v#
        """,
        _SHARED,
    ),
    "nested bit-field": _way(
        """
        struct outer# b#, *p# = &b#; int i# = one; p#->in[i#].low = 1;
        p#->in[1].it = $; //: 1 stored p#->in[1].it
        p#->in[i#].high = 1;
        T v# = p#->in[i#].it; //: 2 stored v#
        """,
        "struct outer# { long pad; struct { long pad; unsigned low : 3, it : 18, high : 5; } in[3]; };",
    ),
    "global bit-field": _way(
        """
        global#.it = $; //: 1 stored global#.it
        global#.low = one;
        T v# = global#.it; //: 2 stored v#
        """,
        "static struct { long pad; unsigned low : 3, it : 18; } global#;",
    ),
    "bit-field to bit-field": _way(
        """
        struct bits# b#, c#;
        b#.it = $; //: 1 stored b#.it
        c#.it = b#.it; //: 2 stored c#.it
        b#.it = 7; c#.more = b#.more = 3;
        T v# = c#.it; //: 3 stored v#
        """,
        _SHARED,
    ),
    "bit-field in a copy": _way(
        """
        struct bits# b#, c#; b#.low = one;
        b#.it = $; //: 1 stored b#.it
        c# = b#; //: 2 copy c#
        b#.it = 7; c#.low = 3;
        T v# = c#.it; //: 3 stored v#
        """,
        _SHARED,
    ),
    "bit-field in copied memory": _way(
        """
        struct bits# b#, c#[2]; b#.high = one;
        b#.it = $; //: 1 stored b#.it
        memcpy(&c#[1], &b#, sizeof b#); //: 2 copy c#[1]
        memset(&b#, 0, sizeof b#); c#[1].high++;
        T v# = c#[1].it; //: 3 stored v#
        """,
        _SHARED,
    ),
    "bit-field in moved bytes": _way(
        """
        struct __attribute__((packed)) { char pad; struct bits# in; } b#[2]; b#[0].in.low = one;
        b#[0].in.it = $; //: 1 stored b#[0].in.it
        memmove(&b#[1], &b#[0], sizeof b#[0]); //: 2 copy b#[1]
        b#[1].in.low = 3;
        T v# = b#[1].in.it; //: 3 stored v#
        """,
        _SHARED,
    ),
    "bit-field in a block that grows": _way(
        """
        struct bits# *b# = (struct bits# *)malloc(sizeof *b#); b#->low = one;
        b#->it = $; //: 1 stored b#->it
        b# = (struct bits# *)realloc(b#, 100 * sizeof *b#); //: 2 copy realloc
        b#->more = one;
        T v# = b#->it; //: 3 stored v#
        free(b#);
        """,
        _SHARED,
    ),
    "number of a union that a bit-field is in": _way(
        """
        union { unsigned all; struct { unsigned it : 20, more : 12; } in; } u#;
        u#.all = $; //: 1 stored u#.all
        u#.in.more = one;
        T v# = u#.in.it; //: 2 stored v#
        """
    ),
    "bit-field that was read with others": _way(
        """
        union { struct { unsigned it : 20, more : 12; } in; unsigned all; } u#; u#.in.more = one;
        u#.in.it = $; //: 1 stored u#.in.it
        sink = u#.all; u#.in.more = 0;
        T v# = u#.in.it; //: 2 stored v#
        """
    ),
    "bit-field that other bits replace": _way(
        """
        struct bits# b#; b#.it = 7;
        memset(&b#, 0, sizeof b#);
        b#.low = one; b#.it = $; //: 1 stored b#.it
        T v# = b#.it; //: 2 stored v#
        """,
        _SHARED,
    ),
    "sum in a bit-field": _way(
        """
        struct bits# b#; b#.it = $; //: 1 stored b#.it
        b#.it += 2; //: 2 arithmetic b#.it + 2; 3 stored b#.it
        b#.low++;
        T v# = b#.it - 2; //: 4 arithmetic b#.it - 2; 5 stored v#
        """,
        _SHARED,
    ),
}

IN_C = {
    **BOTH,
    "assigned bit-field": _way("struct bits# b#; T v# = b#.it = $; //: 1 stored v#", _SHARED),
}

IN_CXX = {
    **BOTH,
    "bit-field of a class": _way(
        """
        derived# d#; d#.put($); //: 1 argument put
        d#.more = one;
        T v# = d#.get(); //: 4 stored v#
        """,
        """
        struct base# {
            int pad; unsigned low : 3, it : 18;
            T get() { return it; } //: 3 return get
        };
        struct derived# : base# {
            unsigned more : 4;
            void put(T x) {
                it = x; //: 2 stored this->it
                low = 1;
            }
        };
        """,
    ),
    "bit-field by a reference": _way(
        """
        bits# b#, &r# = b#; r#.low = one;
        r#.it = $; //: 1 stored r#.it
        r#.high = one;
        T v# = b#.it; //: 2 stored v#
        """,
        _SHARED,
    ),
}
