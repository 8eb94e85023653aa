// An allocator that promises memory passes on that there is none.
// RUN: options --enable nonnull-result
#include <stdlib.h>

__attribute__((returns_nonnull, noinline)) static void *allocate(size_t size) {
    void *memory = size > 1000 ? NULL : malloc(size);
    return memory; // EXPECT nonnull-result
}

int main(int argc, char **argv) {
    (void)argv;
    char *memory = allocate(1000 + (size_t)argc);
    free(memory);
    return 0;
}
