// The bucket of a table that has none.
// RUN: options --enable division-by-zero
#include <stddef.h>
#include <string.h>

struct table {
    size_t buckets;
};

static size_t bucket(const struct table *table, const char *key) {
    return strlen(key) % table->buckets; // EXPECT division-by-zero
}

int main(int argc, char **argv) {
    struct table table = {(size_t)argc - 1};
    return bucket(&table, argv[0]) == 1000;
}
