// A variable that each round of a loop has of its own is written in its own round.
#include <stddef.h>

struct item {
    int values[20];
    struct item *next;
};

__attribute__((noinline)) static void set(struct item *item, int at) {
    item->values[at] = at;
}

int main(void) {
    struct item *kept = NULL;
    for (int i = 0; i < 20; i++) {
        if (kept)
            set(kept, i);
        struct item item = {{0}, NULL};
        set(&item, i);
        if (i == 18)
            set(kept = &item, 1), kept = NULL;
    }
    return 0;
}
