// The only pointer to a table is moved along it; what the table points to hangs on that pointer, too.
// ASan misses this: a pointer anywhere into a block keeps it
// RUN: options --enable interior-leak
#include <stdlib.h>

static char **cursor;

__attribute__((noinline)) static void make(int n) {
    cursor = calloc(n, sizeof *cursor); // EXPECT interior-leak block 80 count 1 bytes 80
    for (int i = 0; i < n; i++)
        cursor[i] = calloc(1, 6); // EXPECT interior-leak block 6 count 10 bytes 60
}

__attribute__((noinline)) static void advance(int n) {
    cursor += n;
}

int main(void) {
    make(10);
    advance(4);
    return **cursor;
}
