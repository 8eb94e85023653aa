// A distance in bytes is added to a pointer that counts in pages, in another function.
#include <stdlib.h>

typedef struct {
    char bytes[4096];
} Page;

__attribute__((noinline)) static int first(const Page *page) {
    return page->bytes[0]; // EXPECT wild-pointer-dereference read 1 block none
}

int main(void) {
    char *memory = calloc(1, 100);
    memory[64] = 3;
    int v = first((Page *)memory + 64 * 64);
    free(memory);
    return v - 3;
}
