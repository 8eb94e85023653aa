// The address of a packed member is used as that of an int.
// RUN: options --enable misaligned-access
#include <stdlib.h>

struct __attribute__((packed)) entry {
    char kind;
    int value;
};
struct __attribute__((packed)) number {
    int value;
};

static void increase(int *value) {
    *value += 1; // EXPECT misaligned-access
}

int main(int argc, char **argv) {
    (void)argv;
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return 1;
    increase((int *)((char *)entry + 1));
    int found = entry->value;
    free(entry);
    return found == 77 + argc;
}
