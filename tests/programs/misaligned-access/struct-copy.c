// A struct is copied from a place that its type does not allow.
// RUN: options --enable misaligned-access
#include <stdlib.h>
#include <string.h>

struct record {
    long key;
    int parts[6];
};

static void get(struct record *to, const struct record *from) {
    *to = *from; // EXPECT misaligned-access
}

int main(int argc, char **argv) {
    (void)argv;
    char *memory = calloc(2, sizeof(struct record));
    struct record record;
    get(&record, (const struct record *)(memory + 4 * argc));
    free(memory);
    return record.key == 77;
}
