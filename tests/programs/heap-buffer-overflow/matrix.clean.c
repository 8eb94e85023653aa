// A matrix kept in one block is walked to its last element.
#include <stdlib.h>

enum { ROWS = 5, COLUMNS = 7 };

int main(void) {
    double (*m)[COLUMNS] = calloc(ROWS, sizeof *m);
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += m[i][j];
    free(m);
    return sum != 0;
}
