// A function that is declared never to return null finds nothing.
// RUN: options --enable nonnull-result
#include <stddef.h>
#include <string.h>

static const char *const names[] = {"red", "green"};

__attribute__((returns_nonnull, noinline)) static const char *find(const char *name) {
    size_t i;
    for (i = 0; i < 2; i++)
        if (strcmp(names[i], name) == 0)
            return names[i];
    return NULL; // EXPECT nonnull-result
}

int main(int argc, char **argv) {
    (void)argv;
    return find(argc ? "blue" : "red") == names[1];
}
