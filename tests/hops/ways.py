"""Ways of values in C (`tests.hops.making`): births, ways, ends."""

from __future__ import annotations

from tests.hops import bit_fields
from tests.hops.making import End, Way
from tests.hops.moves import MOVES

TYPES = {"pointer": "int *", "number": "long", "small": "int"}
_POINTER, _NUMBERS = ("pointer",), ("number", "small")

HEAD = """
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOT_INLINED static __attribute__((noinline))
#define APART(call) do { if (fork()) wait(NULL); else { call; _exit(0); } } while (0)
static volatile int one = 1, sink;
""" + "".join(
    f"""typedef {written}{name};
struct box_{name} {{ long pad; {name} it; }};
struct tree_{name} {{ struct box_{name} in[3]; struct tree_{name} *next; }};
"""
    for name, written in ((name, f"{written} ".replace("* ", "*")) for name, written in TYPES.items())
)

BIRTHS = {
    "malloc": Way("T v# = malloc(4); //: 1 allocation malloc; 2 stored v#", types=_POINTER),
    "ten": Way("T v# = V; //: 1 constant V; 2 stored v#", types=_NUMBERS),
    "result": Way(
        'T v# = atoi("V"); //: 1 constant "V"; 2 argument atoi; 3 arithmetic atoi("V"); 4 stored v#',
        types=_NUMBERS,
    ),
    "computed": Way(
        "T v# = one * factor#; //: 1 computed one * factor#; 2 stored v#",
        "static volatile T factor# = V;",
        types=_NUMBERS,
    ),
    "initialised": Way(
        "T v# = ready#; //: 1 initial ready#; 2 stored v#", "static T ready# = V;", types=_NUMBERS
    ),
    "input": Way(
        """
        int ends#[2]; T in#[2]; pipe(ends#); in#[0] = V; //: 1 constant V; 2 stored in#[0]
        write(ends#[1], in#, sizeof in#); //: 3 sent write
        read(ends#[0], in#, sizeof in#); //: 4 outside read
        T v# = in#[0]; //: 5 stored v#
        close(ends#[0]); close(ends#[1]);
        """,
        types=_NUMBERS,
    ),
}

NULLS = {
    "null": Way("T v# = NULL; //: 1 constant NULL; 2 stored v#", types=_POINTER),
    "zeros": Way(
        """
        BOX *z# = calloc(1, sizeof *z#); //: 1 initial zero by calloc
        T v# = z#->it; //: 2 stored v#
        free(z#);
        """,
        types=_POINTER,
    ),
    "bytes by memset": Way(
        """
        BOX z#; memset(&z#, 0, sizeof z#); //: 1 constant bytes 0 by memset
        T v# = z#.it; //: 2 stored v#
        """,
        types=_POINTER,
    ),
    "global zero": Way("T v# = zero#; //: 1 initial zero#; 2 stored v#", "static T zero#;", types=_POINTER),
    "global element": Way(
        "T v# = zero#[1]; //: 1 initial zero#[1]; 2 stored v#",
        "static T zero#[2];",
        types=_POINTER,
    ),
}

ENDS = {
    "freed twice": End(
        """
        free($); //: 2 argument free
        free($); //: 1 argument free
        """,
        _POINTER,
        "double-free",
        ("r", "r1"),
    ),
    "used when freed": End(
        """
        free($); //: 2 argument free
        sink = *$;
        """,
        _POINTER,
        "dangling-pointer-dereference",
        ("r", "r1"),
    ),
    "index": End(
        """
        int *table# = malloc(4 * V);
        table#[$] = 1;
        free(table#);
        """,
        _NUMBERS,
        "heap-buffer-overflow",
        ("the index of r",),
    ),
}
NULL_END = End("sink = *$;", _POINTER, "null-pointer-dereference", ("r",), apart=True)
CLEAN = {
    "freed once": End("*$ = 1; free($);", _POINTER),
    "index inside": End("int *table# = malloc(4 * V + 4); table#[$] = 1; free(table#);", _NUMBERS),
}

_MEMORY = {
    # variables
    "local": Way("T v# = $; //: 1 stored v#"),
    "assigned on": Way("T a#, v#; v# = a# = $; //: 1 stored v#"),
    "taken address": Way(
        """
        T a# = $; //: 1 stored a#
        T *p# = &a#;
        T v# = *p#; //: 2 stored v#
        """
    ),
    "through a pointer": Way(
        """
        T a#, *p# = &a#;
        *p# = $; //: 1 stored *p#
        T v# = a#; //: 2 stored v#
        """
    ),
    "through two pointers": Way(
        """
        T a#, *p# = &a#, **q# = &p#;
        **q# = $; //: 1 stored **q#
        T v# = **q#; //: 2 stored v#
        """
    ),
    "chosen": Way("T v# = one ? $ : 0; //: 1 stored v#"),
    "chosen by branches": Way(
        """
        T v#;
        if (one)
            v# = $; //: 1 stored v#
        else
            v# = 0;
        """
    ),
    "switch": Way(
        """
        T v# = 0;
        switch (one) {
        case 1:
            v# = $; //: 1 stored v#
            break;
        default:
            v# = 0;
        }
        """
    ),
    "volatile": Way(
        """
        volatile T a# = $; //: 1 stored a#
        T v# = a#; //: 2 stored v#
        """
    ),
    "static local": Way(
        """
        static T s#;
        s# = $; //: 1 stored s#
        T v# = s#; //: 2 stored v#
        """,
    ),
    "global": Way(
        """
        global# = $; //: 1 stored global#
        T v# = global#; //: 2 stored v#
        """,
        "static T global#;",
    ),
    "global member": Way(
        """
        global#.it = $; //: 1 stored global#.it
        T v# = global#.it; //: 2 stored v#
        """,
        "static BOX global#;",
    ),
    "first member of a global": Way(
        """
        global#.in[0].it = $; //: 1 stored global#.in[0].it
        T v# = global#.in[0].it; //: 2 stored v#
        """,
        "static struct { struct { T it; int more; } in[3]; } global#;",
    ),
    "first element of a global": Way(
        """
        global#[0] = $; //: 1 stored global#[0]
        T v# = *global#; //: 2 stored v#
        """,
        "static T global#[3];",
    ),
    "variable of the thread": Way(
        """
        mine# = $; //: 1 stored mine#
        T v# = mine#; //: 2 stored v#
        """,
        "static _Thread_local T mine#;",
    ),
    "statement expression": Way("T v# = ({ T inner# = $; inner#; }); //: 1 stored inner#; 2 stored v#"),
    "atomic variable": Way(
        """
        _Atomic T a#; a# = $; //: 1 stored a#
        T v# = a#; //: 2 stored v#
        """
    ),
    "swapped": Way(
        """
        T a# = $, b# = 0, t# = a#; a# = b#; b# = t#; //: 1 stored a#; 2 stored t#; 3 stored b#
        T v# = b#; //: 4 stored v#
        """
    ),
    "compound literal": Way("T v# = ((BOX){1, $}).it; //: 1 stored; 2 stored v#"),
    # structs, arrays, unions
    "field": Way(
        """
        BOX b#; b#.it = $; //: 1 stored b#.it
        T v# = b#.it; //: 2 stored v#
        """
    ),
    "member": Way(
        """
        BOX *b# = malloc(sizeof *b#);
        b#->it = $; //: 1 stored b#->it
        T v# = b#->it; //: 2 stored v#
        free(b#);
        """
    ),
    "nested field": Way(
        """
        TREE b#; b#.in[2].it = $; //: 1 stored b#.in[2].it
        T v# = b#.in[2].it; //: 2 stored v#
        """
    ),
    "packed member": Way(
        """
        struct __attribute__((packed)) { char pad; short it; int other; } b#;
        b#.it = $; //: 1 stored b#.it
        b#.other = one * (V << 8);
        T v# = b#.it; //: 2 stored v#
        """,
        types=_NUMBERS,
    ),
    "packed member of an odd address": Way(
        """
        struct __attribute__((packed)) { char pad; T it; char more; } b#, c#; b#.pad = 1;
        b#.it = $; //: 1 stored b#.it
        b#.pad = 2; b#.more = 3; c# = b#; //: 2 copy c#
        c#.pad = 0; c#.more = 0;
        T v# = c#.it; //: 3 stored v#
        """
    ),
    "two arrows": Way(
        """
        TREE b#, c# = {.next = &b#}, *to# = &c#;
        to#->next->in[1].it = $; //: 1 stored to#->next->in[1].it
        T v# = b#.in[1].it; //: 2 stored v#
        """
    ),
    "initialiser": Way(
        """
        BOX b# = {.it = $}; //: 1 stored b#.it
        T v# = b#.it; //: 2 stored v#
        """
    ),
    "element": Way(
        """
        T a#[3]; a#[1] = $; //: 1 stored a#[1]
        T v# = a#[1]; //: 2 stored v#
        """
    ),
    "computed element": Way(
        """
        T a#[3]; int i# = one; a#[i# + 1] = $; //: 1 stored a#[…]
        T v# = a#[2]; //: 2 stored v#
        """
    ),
    "matrix": Way(
        """
        T a#[2][3]; a#[1][2] = $; //: 1 stored a#[1][2]
        T v# = a#[1][2]; //: 2 stored v#
        """
    ),
    "alloca": Way(
        """
        T *a# = alloca(4 * sizeof(T)); a#[3] = $; //: 1 stored a#[3]
        T v# = a#[3]; //: 2 stored v#
        """
    ),
    "array of varying length": Way(
        """
        T a#[one + 3]; a#[3] = $; //: 1 stored a#[3]
        T v# = a#[3]; //: 2 stored v#
        """
    ),
    "element of heap": Way(
        """
        T *a# = malloc(5 * sizeof(T)); a#[3] = $; //: 1 stored a#[3]
        T v# = a#[3]; //: 2 stored v#
        free(a#);
        """
    ),
    "union": Way(
        """
        union { T it; char bytes[16]; } u#; u#.it = $; //: 1 stored u#.it
        T v# = u#.it; //: 2 stored v#
        """
    ),
    "other member of a union": Way(
        """
        union { T it; long bits; } u#; u#.it = $; //: 1 stored u#.it
        long bits# = u#.bits; //: 2 stored bits#
        T v# = (T)bits#; //: 3 stored v#
        """,
        types=("pointer", "number"),
        misnamed="members of a union that have the same type are called as the whole union",
    ),
}
WAYS = {**_MEMORY, **MOVES, **bit_fields.IN_C}
