"""Ways of values in C (`tests.hops.making`): calls, copies, arithmetic, loops, threads."""

from __future__ import annotations

from tests.hops.making import Way

_POINTER, _NUMBERS = ("pointer",), ("number", "small")

MOVES = {
    "bytes by memset": Way(
        """
        unsigned char a#[8], b# = $ & 255; //: 1 arithmetic $ & 255; 2 stored b#
        memset(a#, b#, sizeof a#); //: 3 copy memset
        T v# = a#[one + 3]; //: 4 stored v#
        """,
        types=_NUMBERS,
    ),
    # variable arguments
    "variable argument": Way(
        "T v# = pick#(1, $); //: 1 argument pick#; 4 stored v#",
        """
        NOT_INLINED T pick#(int count, ...) {
            va_list all;
            va_start(all, count);
            T x = va_arg(all, T); //: 2 stored x
            va_end(all);
            return x; //: 3 return pick#
        }
        """,
    ),
    "variable argument behind others": Way(
        "T v# = pick#(2.0, 1, 1.0L, 'a', 0.5, $); //: 1 argument pick#; 4 stored v#",
        """
        NOT_INLINED T pick#(double first, ...) {
            int other = one;
            sink = other;
            va_list all;
            va_start(all, first);
            va_arg(all, int), va_arg(all, long double), va_arg(all, int), va_arg(all, double);
            T x = va_arg(all, T); //: 2 stored x
            va_end(all);
            return x; //: 3 return pick#
        }
        """,
    ),
    "variable argument on the stack": Way(
        "T v# = pick#(8, 1, 2, 3, 4, 5, 6, 7, $); //: 1 argument pick#; 4 stored v#",
        """
        NOT_INLINED T pick#(int count, ...) {
            va_list all;
            va_start(all, count);
            for (int i = 1; i < count; i++) va_arg(all, int);
            T x = va_arg(all, T); //: 2 stored x
            va_end(all);
            return x; //: 3 return pick#
        }
        """,
    ),
    "list of arguments": Way(
        "T v# = pick#(1, $); //: 1 argument pick#; 5 stored v#",
        """
        NOT_INLINED T take#(va_list all) {
            return va_arg(all, T); //: 2 return take#
        }
        NOT_INLINED T pick#(int count, ...) {
            va_list all, again;
            va_start(all, count);
            va_copy(again, all);
            T x = take#(again); //: 3 stored x
            va_end(again);
            va_end(all);
            return x; //: 4 return pick#
        }
        """,
    ),
    # values that share four bytes
    "short in memory": Way(
        """
        struct few# { long pad; short other, it; char more; } b#; b#.it = $; //: 1 stored b#.it
        b#.other = 1; b#.more = 2;
        T v# = b#.it; //: 2 stored v#
        """,
        types=_NUMBERS,
    ),
    "short beside bytes": Way(
        """
        struct few# { char pad; unsigned short it; char more; } b#; b#.it = $; //: 1 stored b#.it
        b#.pad = b#.more = 1;
        struct few# c# = b#; //: 2 copy c#
        T v# = c#.it; //: 3 stored v#
        """,
        types=_NUMBERS,
    ),
    "shorts in an array": Way(
        """
        short *a# = malloc(3 * sizeof *a#); a#[0] = a#[2] = 1; a#[1] = $; //: 1 stored a#[1]
        a# = realloc(a#, 1000); //: 2 copy realloc
        T v# = a#[1]; //: 3 stored v#
        free(a#);
        """,
        types=_NUMBERS,
    ),
    "global short": Way(
        """
        put#($); //: 1 argument put#
        T v# = few#[1]; //: 3 stored v#
        """,
        """
        static short few#[2];
        NOT_INLINED void put#(T x) { few#[1] = x; } //: 2 stored few#[1]
        """,
        types=_NUMBERS,
    ),
    "copy to another position": Way(
        """
        char a#[16]; T b#;
        memcpy(a# + 1, &$, sizeof(T)); //: 1 copy a#[1]
        memcpy(&b#, a# + 1, sizeof(T)); //: 2 copy b#
        T v# = b#; //: 3 stored v#
        """,
    ),
    "byte by byte": Way(
        """
        T b#;
        for (unsigned i# = 0; i# < sizeof(T); i#++)
            ((char *)&b#)[i#] = ((char *)&$)[i#]; //: 1 stored b#[…]
        T v# = b#; //: 2 stored v#
        """,
    ),
    # calls
    "call": Way(
        "T v# = same#($); //: 1 argument same#; 3 stored v#",
        "NOT_INLINED T same#(T x) { return x; } //: 2 return same#",
    ),
    "inline call": Way(
        "T v# = same#($); //: 1 argument same#; 4 stored v#",
        "static inline T same#(T x) { T y = x; return y; } //: 2 stored y; 3 return same#",
    ),
    "ninth argument": Way(
        "T v# = ninth#(1, 2, 3, 4, 5, 6, 7, 8, $); //: 1 argument ninth#; 3 stored v#",
        """
        NOT_INLINED T ninth#(int a, long b, int c, int d, int e, int f, int g, int h, T x) {
            return x; //: 2 return ninth#
        }
        """,
    ),
    "function pointer": Way(
        "T v# = pointed#($); //: 1 argument pointed#; 3 stored v#",
        """
        NOT_INLINED T same#(T x) { return x; } //: 2 return same#
        static T (*volatile pointed#)(T) = same#;
        """,
    ),
    "out parameter": Way(
        "T v#; put#($, &v#); //: 1 argument put#",
        "NOT_INLINED void put#(T x, T *to) { *to = x; } //: 2 stored *to",
    ),
    "in parameter": Way(
        "T v# = get#(&$); //: 2 stored v#",
        "NOT_INLINED T get#(T *from) { return *from; } //: 1 return get#",
    ),
    "struct of registers": Way(
        """
        BOX b#; b#.it = $; //: 1 stored b#.it
        T v# = get#(b#); //: 2 argument get#; 4 stored v#
        """,
        "NOT_INLINED T get#(BOX b) { return b.it; } //: 3 return get#",
    ),
    "returned struct of registers": Way(
        """
        BOX b# = make#($); //: 1 argument make#
        T v# = b#.it; //: 4 stored v#
        """,
        """
        NOT_INLINED BOX make#(T x) {
            BOX made = {.it = x}; //: 2 stored made.it
            return made; //: 3 return make#
        }
        """,
    ),
    "struct of memory": Way(
        """
        TREE b#; b#.in[1].it = $; //: 1 stored b#.in[1].it
        T v# = get#(b#); //: 2 argument get#; 4 stored v#
        """,
        "NOT_INLINED T get#(TREE b) { return b.in[1].it; } //: 3 return get#",
    ),
    "returned struct of memory": Way(
        """
        TREE b# = make#($); //: 1 argument make#
        T v# = b#.in[1].it; //: 3 stored v#
        """,
        """
        NOT_INLINED TREE make#(T x) {
            TREE made = {0};
            made.in[1].it = x; //: 2 stored made.in[1].it
            return made;
        }
        """,
    ),
    "two calls": Way(
        "T v# = outer#($); //: 1 argument outer#; 5 stored v#",
        """
        NOT_INLINED T inner#(T x) { return x; } //: 3 return inner#
        NOT_INLINED T outer#(T x) { return inner#(x); } //: 2 argument inner#; 4 return outer#
        """,
    ),
    "one of two returns": Way(
        "T v# = same#($); //: 1 argument same#; 3 stored v#",
        """
        NOT_INLINED T same#(T x) {
            if (one)
                return x; //: 2 return same#
            return 0;
        }
        """,
    ),
    "recursion": Way(
        "T v# = deep#($, 3); //: 1 argument deep#; 4 stored v#",
        """
        NOT_INLINED T deep#(T x, int n) {
            return n ? deep#(x, n - 1) : x; //: 2 repeated argument deep#; 3 repeated return deep#
        }
        """,
    ),
    "sixteenth argument": Way(
        """
        T v# = last#(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, $); //: 1 argument last#; 3 stored v#
        """,
        """
        NOT_INLINED T last#(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,
                            int l, int m, int n, int o, T x) {
            return x; //: 2 return last#
        }
        """,
    ),
    "seventeenth argument": Way(
        """
        T v# = last#(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, //: 1 argument last#; 3 stored v#
                     10, 11, 12, 13, 14, 15, $);
        """,
        """
        NOT_INLINED T last#(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,
                            int l, int m, int n, int o, int p, T x) {
            return x; //: 2 return last#
        }
        """,
    ),
    "long jump": Way(
        "T v# = jumped#($); //: 1 argument jumped#; 5 stored v#",
        """
        static jmp_buf place#;
        static T held#;
        NOT_INLINED void away#(T x) {
            held# = x; //: 3 stored held#
            longjmp(place#, 1);
        }
        NOT_INLINED T jumped#(T x) {
            if (!setjmp(place#)) away#(x); //: 2 argument away#
            return held#; //: 4 return jumped#
        }
        """,
    ),
    # copies
    "struct assignment": Way(
        """
        BOX b#, c#; b#.it = $; //: 1 stored b#.it
        c# = b#; //: 2 copy c#
        T v# = c#.it; //: 3 stored v#
        """
    ),
    "struct through pointers": Way(
        """
        BOX b#, c#, *to# = &c#, *from# = &b#; b#.it = $; //: 1 stored b#.it
        *to# = *from#; //: 2 copy *to#
        T v# = to#->it; //: 3 stored v#
        """
    ),
    "memcpy": Way(
        """
        BOX b#, c#; b#.it = $; //: 1 stored b#.it
        memcpy(&c#, &b#, sizeof c#); //: 2 copy c#
        T v# = c#.it; //: 3 stored v#
        """
    ),
    "memcpy of one": Way(
        """
        T a# = $, v#; //: 1 stored a#
        memcpy(&v#, &a#, sizeof v#); //: 2 copy v#
        """
    ),
    "memcpy by a varying size": Way(
        """
        T a#[4], b#[4]; a#[2] = $; //: 1 stored a#[2]
        memcpy(b#, a#, (one + 2) * sizeof(T)); //: 2 copy b#
        T v# = b#[2]; //: 3 stored v#
        """
    ),
    "memmove up": Way(
        """
        T a#[6]; a#[1] = $; //: 1 stored a#[1]
        memmove(a# + 2, a#, 4 * sizeof(T)); //: 2 copy a#[2]
        T v# = a#[3]; //: 3 stored v#
        """
    ),
    "memmove down": Way(
        """
        T a#[6]; a#[4] = $; //: 1 stored a#[4]
        memmove(a#, a# + 1, 5 * sizeof(T)); //: 2 copy a#
        T v# = a#[3]; //: 3 stored v#
        """
    ),
    "mempcpy": Way(
        """
        BOX b#, c#; b#.it = $; //: 1 stored b#.it
        mempcpy(&c#, &b#, sizeof c#); //: 2 copy c#
        T v# = c#.it; //: 3 stored v#
        """
    ),
    "realloc": Way(
        """
        T *a# = malloc(2 * sizeof(T)); a#[1] = $; //: 1 stored a#[1]
        a# = realloc(a#, 5000); //: 2 copy realloc
        T v# = a#[1]; //: 3 stored v#
        free(a#);
        """
    ),
    "array in a struct": Way(
        """
        struct row# { T all[5]; } b#, c#; b#.all[4] = $; //: 1 stored b#.all[4]
        c# = b#; //: 2 copy c#
        T v# = c#.all[4]; //: 3 stored v#
        """
    ),
    "struct without a name": Way(
        """
        struct { long pad; T it; } b#; b#.it = $; //: 1 stored b#.it
        T v# = b#.it; //: 2 stored v#
        """
    ),
    "old memory of the stack": Way(
        """
        put#(1, $);
        T v# = put#(0, $); //: 3 stored v#
        """,
        """
        NOT_INLINED T put#(int plainly, T x) {
            T a;
            if (plainly) a = x;
            else __asm__("mov %1, %0" : "=m"(a) : "r"(x));
            return a; //: 1 unseen a; 2 return put#
        }
        """,
    ),
    # arithmetic
    "pointer arithmetic": Way(
        """
        T a# = $ + 4; //: 1 arithmetic &$[4]; 2 stored a#
        T v# = a# - 4; //: 3 arithmetic &a#[-4]; 4 stored v#
        """,
        types=_POINTER,
    ),
    "arithmetic": Way(
        """
        T a# = $ + 4; //: 1 arithmetic $ + 4; 2 stored a#
        T v# = a# - 4; //: 3 arithmetic a# - 4; 4 stored v#
        """,
        types=_NUMBERS,
    ),
    "long and back": Way(
        """
        long a# = (long)$; //: 1 stored a#
        T v# = (T)a#; //: 2 stored v#
        """
    ),
    "hidden bits": Way(
        """
        unsigned long a# = (unsigned long)$ ^ 85; //: 1 arithmetic $ ^ 85; 2 stored a#
        T v# = (T)(a# ^ 85); //: 3 arithmetic a# ^ 85; 4 stored v#
        """
    ),
    "short": Way(
        """
        short a# = (short)$; //: 1 stored a#
        T v# = a#; //: 2 stored v#
        """,
        types=_NUMBERS,
    ),
    # loops
    "once in a loop": Way(
        """
        T v# = 0;
        for (int i# = 0; i# < 5; i#++)
            if (i# == 3) v# = $; //: 1 stored v#
        """
    ),
    "again and again": Way(
        """
        T v# = $; //: 1 stored v#
        for (int i# = 0; i# < 5; i#++) {
            T w# = v#; //: 2 repeated stored w#
            v# = w#; //: 3 stored v#
        }
        """
    ),
    "along an array": Way(
        """
        T a#[6]; a#[0] = $; //: 1 stored a#[0]
        for (int i# = 1; i# < 6; i#++)
            a#[i#] = a#[i# - 1]; //: 2 repeated stored a#[…]
        T v# = a#[5]; //: 3 stored v#
        """
    ),
    # threads
    "thread's argument": Way(
        """
        pthread_t h#; pthread_create(&h#, NULL, run#, (void *)(long)$); //: 1 argument pthread_create
        pthread_join(h#, NULL);
        T v# = from#; //: 3 loaded from#; 4 stored v#
        """,
        """
        static T from#;
        static void *run#(void *x) { from# = (T)(long)x; return NULL; } //: 2 stored from#
        """,
    ),
    "thread's variables": Way(
        """
        to# = $; //: 1 stored to#
        pthread_t h#; pthread_create(&h#, NULL, run#, NULL);
        pthread_join(h#, NULL);
        T v# = from#; //: 5 loaded from#; 6 stored v#
        """,
        """
        static T to#, from#;
        static void *run#(void *unused) {
            T mine = to#; //: 2 loaded to#; 3 stored mine
            from# = mine; //: 4 stored from#
            return unused;
        }
        """,
    ),
}
