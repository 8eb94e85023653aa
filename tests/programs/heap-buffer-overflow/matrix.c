// A matrix kept in one block is walked with rows and columns exchanged.
#include <stdlib.h>

enum { ROWS = 5, COLUMNS = 7 };

int main(void) {
    double (*m)[COLUMNS] = calloc(ROWS, sizeof *m); // ALLOC
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < ROWS; j++)
            sum += m[i][j]; // EXPECT heap-buffer-overflow read 8 block 280 after 0
    free(m);
    return sum != 0;
}
