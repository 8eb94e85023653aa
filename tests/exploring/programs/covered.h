#ifdef BUG
#define LESS 3
#else
#define LESS 4
#endif

int other(int x);

static inline int inlined(int x) {
    if (x > 1)
        return 4; /* no path */
    return 5;
}
