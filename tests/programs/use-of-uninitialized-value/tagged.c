// Cells of a block are set in part, a byte at a time; then what was never set is used.
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
    struct cell *cells = malloc((size_t)count * sizeof *cells); // BORN
    for (int i = 0; cells && i < count; i++) {
        cells[i].tag = (char)('a' + i % 3);
        if (i % 3)
            cells[i].value = i;
        cells[i].mark = 1;
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
        if (round == 2 && cells[2].next) // EXPECT use-of-uninitialized-value use branch
            puts("next");
        free(cells);
    }
    printf("%d\n", marks);
    return 0;
}
