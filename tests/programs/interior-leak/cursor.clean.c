// The pointer that is moved along a table is not the only one.
// RUN: options --enable interior-leak
#include <stdlib.h>

static char **cursor, **table;

__attribute__((noinline)) static void make(int n) {
    table = cursor = calloc(n, sizeof *cursor);
    for (int i = 0; i < n; i++)
        cursor[i] = calloc(1, 6);
}

__attribute__((noinline)) static void advance(int n) {
    cursor += n;
}

int main(void) {
    make(10);
    advance(4);
    return **cursor;
}
