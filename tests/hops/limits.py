"""Ways in C on which values are not followed (`tests.hops.making`): the chain begins behind them."""

from __future__ import annotations

from tests.hops.making import Way

_NUMBERS = ("number", "small")
_IN_ONE = "bit-fields that are loaded as one number"
_NO_IR = "code that carries no IR"
_OTHERS = "Chains follow pointers and integers of 8, 16, 32 and 64 bits"

LIMITS = {
    "bit-fields as one number": Way(
        """
        union { struct { unsigned it : 20, more : 12; }; unsigned all; } u#;
        u#.it = $; u#.more = 0;
        T v# = u#.all; //: 1 unseen u#.all; 2 stored v#
        """,
        types=_NUMBERS,
        limit=_IN_ONE,
    ),
    "bit-fields in a register": Way(
        """
        struct bits# b#; b#.it = $; b#.more = 0;
        T v# = get#(b#); //: 1 unseen b#; 2 argument get#; 4 stored v#
        """,
        """
        struct bits# { unsigned it : 20, more : 12; };
        NOT_INLINED T get#(struct bits# x) {
            return x.it; //: 3 return get#
        }
        """,
        types=_NUMBERS,
        limit=_IN_ONE,
    ),
    "variable argument behind a long double on the stack": Way(
        "T v# = pick#(1, 2, 3, 4, 5, 6, 1.0L, $); //: 4 stored v#",
        """
        NOT_INLINED T pick#(int count, ...) {
            va_list all;
            va_start(all, count);
            for (int i = 2; i < 7; i++) va_arg(all, int);
            va_arg(all, long double);
            T x = va_arg(all, T); //: 1 unseen; 2 stored x
            va_end(all);
            return x; //: 3 return pick#
        }
        """,
        limit="variable arguments on the stack behind one of another type",
    ),
    "atomic exchange": Way(
        """
        T a# = 0; __atomic_exchange_n(&a#, $, __ATOMIC_SEQ_CST);
        T v# = a#; //: 1 unseen a#; 2 stored v#
        """,
        limit="atomic operations",
    ),
    "result of an atomic sum": Way(
        "T a# = $, v# = __atomic_fetch_add(&a#, 0, __ATOMIC_SEQ_CST); //: 1 computed; 2 stored v#",
        types=_NUMBERS,
        limit="atomic operations",
    ),
    "vector": Way(
        """
        T a# __attribute__((vector_size(16))) = {$};
        T v# = a#[0]; //: 1 computed; 2 stored v#
        """,
        types=_NUMBERS,
        limit="`long double` and vectors",
    ),
    "long double": Way(
        """
        long double a# = $;
        T v# = a#; //: 1 computed a#; 2 stored v#
        """,
        types=_NUMBERS,
        limit="`long double` and vectors",
    ),
    "double": Way(
        """
        double a# = $;
        T v# = a#; //: 1 computed a#; 2 stored v#
        """,
        types=_NUMBERS,
        limit=_OTHERS,
    ),
    "integer of 128 bits": Way(
        """
        __int128 a# = $;
        T v# = a#; //: 1 computed a#; 2 stored v#
        """,
        types=_NUMBERS,
        limit=_OTHERS,
    ),
    "large copy": Way(
        """
        T *a# = malloc(17 << 20), *b# = malloc(17 << 20); a#[2] = $;
        memcpy(b#, a#, 17 << 20);
        T v# = b#[2]; //: 1 unseen b#[2]; 2 stored v#
        free(a#); free(b#);
        """,
        limit="copies of more than 16 MiB",
    ),
    "memcpy by a pointer": Way(
        """
        T b#; copy#(&b#, &$, sizeof(T));
        T v# = b#; //: 1 unseen b#; 2 stored v#
        """,
        "static void *(*volatile copy#)(void *, const void *, size_t) = memcpy;",
        limit=_NO_IR,
    ),
    "assembly": Way(
        'T v#; __asm__("mov %1, %0" : "=r"(v#) : "r"($)); //: 1 outside inline assembly; 2 stored v#',
        limit=_NO_IR,
    ),
    "assembly that writes memory": Way(
        """
        T b#; __asm__("mov %1, %0" : "=m"(b#) : "r"($));
        T v# = b#; //: 1 unseen b#; 2 stored v#
        """,
        limit=_NO_IR,
    ),
}
