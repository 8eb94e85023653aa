#include "covered.h"

int other(int x) {
    if (x > 100)
        return inlined(x); /* no path */
    return x + 1;
}

int never(int x) {
    return other(x); /* no path */
}
