// The pointer has a packed type.
// RUN: options --enable misaligned-access
#include <stdlib.h>

struct __attribute__((packed)) entry {
    char kind;
    int value;
};
struct __attribute__((packed)) number {
    int value;
};

static void increase(struct number *value) {
    value->value += 1;
}

int main(int argc, char **argv) {
    (void)argv;
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return 1;
    increase((struct number *)((char *)entry + 1));
    int found = entry->value;
    free(entry);
    return found == 77 + argc;
}
