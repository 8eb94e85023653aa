// All flags but one are set, and that one is not asked for.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>

struct flags {
    unsigned ready : 1;
    unsigned open : 1;
    unsigned last : 1;
    unsigned kind : 5;
};

__attribute__((noinline)) static void prepare(struct flags *flags) {
    flags->ready = 1;
    flags->open = 0;
    flags->kind = 3;
}

int main(void) {
    struct flags flags;
    prepare(&flags);
    if (flags.ready && flags.kind == 3)
        puts("ready");
    if (flags.open)
        puts("last");
    return 0;
}
