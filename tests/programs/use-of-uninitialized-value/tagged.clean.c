// Cells of a block have tags, and some of them values; what is used is set, a byte at a time.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>

struct cell {
    long value;
    char tag;
    char mark;
    int next;
};

static struct cell *make(int count) {
    struct cell *cells = malloc((size_t)count * sizeof *cells);
    for (int i = 0; cells && i < count; i++) {
        cells[i].tag = (char)('a' + i % 3);
        if (i % 3)
            cells[i].value = i;
        cells[i].mark = 1;
        cells[i].next = i == 1;
    }
    return cells;
}

int main(int argc, char **argv) {
    (void)argv;
    int count = 40 + argc, marks = 0;
    for (int round = 0; round < 3; round++) {
        struct cell *cells = make(count);
        if (!cells)
            return 1;
        struct cell swapped = cells[1];
        cells[1] = cells[2];
        cells[2] = swapped;
        for (int i = 0; i < count; i++)
            marks += cells[i].tag != 'a' ? (int)cells[i].value % 2 + cells[i].mark : cells[i].mark;
        if (round == 2 && cells[2].next)
            puts("next");
        free(cells);
    }
    printf("%d\n", marks);
    return 0;
}
