// An index leads into a table.
// RUN: options --enable use-of-uninitialized-value
#include <string.h>

struct entry {
    unsigned char kind, length;
    double weight;
};

static const int costs[256] = {1, 2, 3};

__attribute__((noinline)) static int cost_of(const struct entry *entry) {
    return costs[entry->length] + entry->kind;
}

__attribute__((noinline)) static void fill(struct entry *entry) { entry->kind = 1, entry->length = 2; }

int main(void) {
    struct entry entry;
    fill(&entry);
    struct entry copy;
    memcpy(&copy, &entry, sizeof copy);
    return cost_of(&copy) == 7;
}
