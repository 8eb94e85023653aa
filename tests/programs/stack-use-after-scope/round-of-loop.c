// A variable that each round of a loop has of its own is written through a pointer of an earlier round.
#include <stddef.h>

struct item {
    int values[20];
    struct item *next;
};

__attribute__((noinline)) static void set(struct item *item, int at) {
    item->values[at] = at;  // EXPECT stack-use-after-scope write 4 block 88 inside 76
}

int main(void) {
    struct item *kept = NULL;
    for (int i = 0; i < 20; i++) {
        if (kept)
            set(kept, i);
        struct item item = {{0}, NULL};
        set(&item, i);
        if (i == 18)
            kept = &item;
    }
    return 0;
}
