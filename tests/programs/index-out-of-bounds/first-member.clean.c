// A loop ends with the array that a variable begins with.
// RUN: options --enable index-out-of-bounds
#include <stdio.h>

static struct {
    int codes[4];
    int names[4];
} table = {{1, 2, 3, 4}, {5, 6, 7, 8}};

int main(int argc, char **argv) {
    (void)argv;
    int sum = 0;
    for (int i = 0; i < 4 * argc; i++) sum += table.codes[i];
    printf("%d\n", sum);
    return 0;
}
